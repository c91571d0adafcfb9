"""The window: the frame around the workspaces, and what is wired to what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from app.action_table import ActionTable
from app.actions import ACTIONS
from app.commands import FileCommands
from app.counts import counted
from app.finding import Finder
from app.fonts import FontWatch
from app.history import History, Place
from app.jobs import Jobs
from app.keeping import SessionKeeper, kept_scene
from app.loading import prepare_kernels
from app.menus import Menus
from app.messages import Messages
from app.opening import Opener, brings_models
from app.player import Player
from app.recent import Recent
from app.scenes import Loaded, Scenes, default_scene
from app.session import Session
from app.settings import Preferences
from app.theme import Choice, Theme
from app.views.player_bar import PlayerBar
from app.views.rail import Rail
from app.views.search import SearchField
from app.views.stack import Stack
from app.views.start import StartView
from app.views.status import StatusLine
from app.views.topbar import TopBar
from app.widgets import player_keys
from app.workspace import Workspace, Zoom
from app.workspaces import Workspaces
from engine import bundled
from engine.bundled import locate_corpus

if TYPE_CHECKING:
    from engine.constrain import Action
    from engine.scene import Coloring

QUIET = 400
"""Milliseconds without a change after which the place is noted and the fonts are looked at."""


class Window(QMainWindow):
    """The main window. Its public methods are what the table of actions names."""

    painted = Signal()
    """The window is on the screen for the first time."""

    def __init__(
        self,
        session: Session,
        theme: Theme,
        preferences: Preferences,
        background: Jobs,
        parent: QWidget | None = None,
    ) -> None:
        """Take `background`: the jobs that nobody waits for."""
        super().__init__(parent)
        self.session, self.theme, self.preferences = session, theme, preferences
        self.background = background
        self.setWindowTitle("Segscope")
        self.setAcceptDrops(True)
        self.setMinimumSize(880, 560)
        self.resize(1440, 900)
        self.stack = Stack(theme)
        self.workspaces = Workspaces(session, theme, preferences.layouts, self.stack)
        self.recent = Recent(preferences.recent, self)
        self.opener = Opener(session, self.recent, self)
        self.scenes = Scenes(session, self.workspaces, self)
        self.files = FileCommands(session, theme, self.opener, self.scenes, self)
        self.keeper = SessionKeeper(
            session, lambda: self.scenes.capture(self.current or "explore"), background, self
        )
        self.history = History()
        self.fonts = FontWatch(theme.font(), self)
        self.messages = Messages(theme, preferences, self.fonts, self)
        unkept = self.tr("What is open can't be kept for the next start")
        self.keeper.failed.connect(lambda error: self.messages.error(error, unkept, "warning"))
        self.current = ""
        self._shown_once = False
        self._quiet = QTimer(self, singleShot=True, interval=QUIET)
        self._quiet.timeout.connect(self._settled)
        self.table = ActionTable(self, self)
        self.menus = Menus(self, self.table, session, self.opener, self.scenes, self.recent)
        self.set_menu_bar(preferences.menu_bar)
        self._frame()
        self._wire()
        self._allow()
        if not preferences.geometry.isEmpty():
            self.restoreGeometry(preferences.geometry)

    # Making

    def _frame(self) -> None:
        theme = self.theme
        keys = next(spec.keys() for spec in ACTIONS if spec.id == "search")
        finder = Finder(self.table, self.session, self.opener, self.scenes, self.recent, self)
        self.search_field = SearchField(finder.entries, finder.pieces, keys, theme, self)
        menus = self.menus
        self.topbar = TopBar(
            self.session, theme, menus.button_menu, menus.plus, menus.corpus, self.search_field
        )
        specs = [spec for spec in ACTIONS if spec.call == "show_workspace"]
        self.rail = Rail([(s.argument, s.plain, s.keys()) for s in specs], theme)
        self.player_bar = PlayerBar(theme)
        self.status = StatusLine(self.session, (self.session.jobs, self.background), theme)
        samples = [
            (
                scene.about[:1].upper() + scene.about[1:],
                lambda path=scene.path: self.scenes.open(path),
            )
            for scene in bundled.scenes()[:3]
        ]
        self.start_view = StartView(
            self.session.jobs, theme, self.open_dialog,
            lambda: self.scenes.show(default_scene(), self.tr("the examples")), samples,
        )  # fmt: skip
        self.stack.addWidget(self.start_view)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.messages.banners)
        middle.addWidget(self.stack, 1)
        middle.addWidget(self.player_bar)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.rail)
        body.addLayout(middle, 1)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.topbar)
        column.addLayout(body, 1)
        column.addWidget(self.status)
        self.setCentralWidget(centre)

    def _wire(self) -> None:
        session = self.session
        for signal in (self.opener.failed, self.scenes.failed, self.files.failed):
            signal.connect(self.messages.error)
        session.failed.connect(self._failed)
        session.text_changed.connect(self.messages.forget_text)
        session.jobs.unhandled.connect(self.messages.error)
        self.background.unhandled.connect(self.messages.error)
        self.opener.scene_wanted.connect(self.scenes.open)
        self.scenes.opened.connect(self._scene_opened)
        self.files.saved.connect(self._scene_saved)
        self.topbar.about_wanted.connect(self.files.about_model)
        self.topbar.close_wanted.connect(session.close_model)
        self.topbar.theme_button.clicked.connect(self.toggle_theme)
        self.rail.chosen.connect(self.show_workspace)
        self.status.share_changed.connect(self.stack.show_share)
        self.workspaces.go_to.connect(self.show_workspace)
        session.models_changed.connect(self._models_changed)
        for changed in (
            session.active_changed, session.text_changed, session.selection_changed,
            session.corpus_changed, session.constraints.changed,
        ):  # fmt: skip
            changed.connect(self._quiet.start)
        self.theme.changed.connect(self._theme_changed)
        self._theme_changed()
        session.settings_changed.connect(self._settings_changed)
        self._settings_changed()

    # Starting and ending

    def begin(self, paths: Sequence[Path] = (), restore: bool = True) -> None:
        """Show the last session's scene or the default, then open `paths`."""
        usual = default_scene()
        self.session.set_text(usual.text)  # also for a model that is opened on its own
        words = self.tr("The last session was not restored")
        last = kept_scene(lambda error: self.messages.error(error, words)) if restore else None
        scene = last or usual
        if paths and brings_models(paths):
            # What is named takes the stage; other models would only be in its way.
            self.session.load_corpus(tuple(locate_corpus(place) for place in usual.corpus))
            self.opener.open(paths)
            self.show_workspace("explore")
            return
        if paths:
            once = Qt.ConnectionType.SingleShotConnection
            self.scenes.opened.connect(lambda _loaded: self.opener.open(paths), once)
        if scene is usual:
            self.scenes.show(scene, self.tr("the examples"))
        else:
            once = Qt.ConnectionType.SingleShotConnection
            self.scenes.opened.connect(self._tell_restored, once)
            self.scenes.show(scene, self.tr("the last session"), without_models=True)
        self.show_workspace(scene.workspace)

    def _tell_restored(self, loaded: Loaded) -> None:
        if not all(loaded.models):
            self.messages.kept_aside(self.keeper.keep_aside())
        models = counted(len(self.session.models), "model")
        self.status.note(self.tr("The last session is open again: {models}").format(models=models))

    def warm_up(self) -> None:
        """Compile the fast kernels while nobody waits for them."""

        title = self.tr("Preparing the fast kernels")
        self.background.start("warm", title, prepare_kernels, lambda _: None)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.setAccepted(self.files.may_close())
        if event.isAccepted():
            self._remember()
            self.session.jobs.cancel_all()
            self.background.cancel_all()

    def _remember(self) -> None:
        preferences = self.preferences
        preferences.geometry = self.saveGeometry()
        preferences.layouts = self.workspaces.layouts()
        preferences.recent = self.recent.texts()
        preferences.theme = self.theme.choice
        preferences.reduced_motion = self.theme.reduced_motion
        preferences.write(QSettings())
        self.keeper.write()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._shown_once:
            self._shown_once = True
            # Not earlier than the first paint: this is what a person waits for.
            QTimer.singleShot(0, lambda: QTimer.singleShot(0, self.painted.emit))

    # Files

    def open_dialog(self) -> None:
        self.files.open_dialog()

    def open_corpus_dialog(self) -> None:
        self.files.open_corpus_dialog()

    def save_scene(self) -> None:
        self.files.save(self.current)

    def save_scene_as(self) -> None:
        self.files.save_as(self.current)

    def quit(self) -> None:
        self.close()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls = event.mimeData().urls()
        self.opener.open([Path(url.toLocalFile()) for url in urls if url.isLocalFile()])
        event.acceptProposedAction()

    def _scene_opened(self, loaded: Loaded) -> None:
        self.show_workspace(loaded.scene.workspace)
        for problem in loaded.problems:
            self.messages.error(problem, "", "warning")
        self.messages.caption(loaded.scene.title, loaded.scene.caption)
        if loaded.path is not None:
            self.status.note(self.tr("Opened {name}").format(name=loaded.path.name))
        self._title()

    def _scene_saved(self, path: Path) -> None:
        self.recent.add(path)
        self.status.note(self.tr("Saved {name}").format(name=path.name))
        self._title()

    def _title(self) -> None:
        path = self.scenes.path
        self.setWindowTitle(f"{path.stem} – Segscope" if path is not None else "Segscope")

    # Models

    def about_model(self) -> None:
        if self.session.active is not None:
            self.files.about_model(self.session.active.key)

    def train(self) -> None:
        self.files.train()

    def sample_in_bulk(self) -> None:
        """Draw many texts: the dialog belongs to the workspace of sampling."""
        self.show_workspace("sampling")
        if self.workspace is not None:
            self.workspace.sample_in_bulk()

    def lab(self) -> None:
        self.files.lab()

    def close_model(self) -> None:
        if self.session.active is not None:
            self.session.close_model(self.session.active.key)

    def next_model(self) -> None:
        self._turn(1)

    def previous_model(self) -> None:
        self._turn(-1)

    def _turn(self, step: int) -> None:
        keys = [opened.key for opened in self.session.models]
        if self.session.active is not None:
            place = keys.index(self.session.active.key)
            self.session.set_active(keys[(place + step) % len(keys)])

    def _failed(self, error: BaseException, doing: str) -> None:
        readings = (self.session.reading(opened.key) for opened in self.session.models)
        of_text = any(reading is not None and reading.error is error for reading in readings)
        self.messages.error(error, doing, of_text=of_text)

    def _models_changed(self) -> None:
        self.show_workspace(self.current or "explore")

    # Workspaces and history

    def show_workspace(self, name: str) -> None:
        """Bring a workspace to the front; without a model the start view stands in its place."""
        self.current = name
        self.rail.set_current(name)
        self.table.actions[f"go.{name}"].setChecked(True)
        if not self.session.models:
            self.stack.setCurrentWidget(self.start_view)
            self.player_bar.set_player(None)
        else:
            workspace = self.workspaces.get(name)
            changed = self.stack.currentWidget() is not workspace
            self.stack.setCurrentWidget(workspace)
            self.player_bar.set_player(workspace.player)
            if changed:
                workspace.activated()
        self.menus.set_workspace(self.workspace)
        self._allow()
        self._quiet.start()

    @property
    def workspace(self) -> Workspace | None:
        """The workspace in front."""
        widget = self.stack.currentWidget()
        return widget if isinstance(widget, Workspace) else None

    @property
    def player(self) -> Player | None:
        return self.player_bar.player

    def restore_layout(self) -> None:
        if self.workspace is not None:
            self.workspace.restore_default()

    def go_back(self) -> None:
        self._go(self.history.back())

    def go_forward(self) -> None:
        self._go(self.history.forward())

    def _go(self, place: Place | None) -> None:
        if place is None:
            return
        session = self.session
        session.set_text(place.text)
        if place.model is not None:
            session.set_active(place.model)
        session.select(**vars(place.selection))
        self.show_workspace(place.workspace)
        self._quiet.stop()
        self._allow()

    def _settled(self) -> None:
        session = self.session
        self.keeper.touch()
        key = None if session.active is None else session.active.key
        if self.workspace is not None:
            self.history.visit(Place(self.current, key, session.text.string, session.selection))
        self._allow()
        texts = [session.text.string]
        if session.corpus is not None:
            texts += [line for lang in session.corpus for line in session.corpus.lines(lang)[:1]]
        self.fonts.look(texts)

    def _allow(self) -> None:
        models = self.session.models
        self.table.allow(
            {
                "model": bool(models),
                "models": len(models) > 1,
                "workspace": self.workspace is not None,
                "player": self.player is not None,
                "back": self.history.can_go_back,
                "forward": self.history.can_go_forward,
                "axis": self.workspace is not None and self.current == "explore",
                "constrainable": self._constrainable,
                "constrained": bool(self.session.constraints.asked),
            }
        )

    # Constraints

    @property
    def _constrainable(self) -> bool:
        """Whether an edge or a boundary is selected in the lattice."""
        chosen = self.session.selection
        return self.current == "explore" and (chosen.edge, chosen.node) != (None, None)

    def constrain(self, action: Action) -> None:
        """Pin or forbid what is selected in Explore, or set it free."""
        if self.workspace is not None:
            self.workspace.constrain(action)

    def zoom(self, how: Zoom) -> None:
        if self.workspace is not None:
            self.workspace.zoom(how)

    def clear_constraints(self) -> None:
        self.session.constraints.clear()

    # The player

    def play(self, command: str) -> None:
        """Tell the player one of `player_keys.COMMANDS`."""
        if self.player is not None:
            player_keys.COMMANDS[command](self.player)

    def go_to_step(self) -> None:
        """Let a person type the number of a step."""
        self.player_bar.ask_step()

    # Theme, search, help

    def toggle_theme(self) -> None:
        self.theme.choose("light" if self.theme.dark else "dark")

    def color_tokens(self, coloring: Coloring) -> None:
        """Colour tokens in Explore by position or by identity."""
        self.session.change_settings(color=coloring)

    def _settings_changed(self) -> None:
        self.table.actions[f"color.{self.session.settings.color}"].setChecked(True)

    def choose_theme(self, choice: Choice) -> None:
        self.theme.choose(choice)
        self._theme_changed()

    def set_reduced_motion(self, on: bool) -> None:
        self.theme.reduce_motion(on)

    def _theme_changed(self) -> None:
        self.table.actions[f"theme.{self.theme.choice}"].setChecked(True)
        self.table.actions["motion"].setChecked(self.theme.reduced_motion)

    def set_menu_bar(self, on: bool) -> None:
        """Keep the menu bar on show, or show it only while Alt asks for it."""
        self.preferences.menu_bar = on
        self.table.actions["menubar"].setChecked(on)
        self.menus.pin(on)

    def search(self) -> None:
        self.search_field.begin()

    def show_keyboard(self) -> None:
        self.files.keyboard()

    def show_log(self) -> None:
        self.files.log_folder()

    def about(self) -> None:
        self.files.about()

    # Keys that no widget took

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Alt:
            self.menus.alt_pressed()
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier,
        )  # fmt: skip
        if plain and event.key() == Qt.Key.Key_Escape and self.status.cancel():
            return
        if plain and self.player is not None:
            pressed = QKeySequence(event.key())
            for spec in ACTIONS:
                if spec.local and QKeySequence(spec.shortcut) == pressed:
                    self.table.actions[spec.id].trigger()
                    return
        super().keyPressEvent(event)
