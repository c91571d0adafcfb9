"""The menus: the bar that Alt shows, the menu button's menu, and the lists that change."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow, QMenu

from app.action_table import ActionTable
from app.actions import CONTEXT, MENUS
from app.opening import Opener
from app.recent import Recent
from app.scenes import Scenes
from app.session import Session
from app.workspace import Workspace
from engine import bundled


class Menus(QObject):
    """Fills the window's menu bar out of the table of actions.

    The bar is hidden unless `pin` keeps it; Alt, or Alt with a menu's letter, shows it for once.
    """

    def __init__(
        self,
        window: QMainWindow,
        table: ActionTable,
        session: Session,
        opener: Opener,
        scenes: Scenes,
        recent: Recent,
    ) -> None:
        super().__init__(window)
        application = QCoreApplication.instance()
        assert application is not None
        self._application = application
        self._bar, self._table = window.menuBar(), table
        self._session, self._opener, self._scenes, self._recent = session, opener, scenes, recent
        self._workspace: Workspace | None = None
        self._pinned = False
        self.menus = {
            name: QMenu(QCoreApplication.translate(CONTEXT, text), window) for name, text in MENUS
        }
        table.fill(self.menus)
        self._add_lists(window)
        self.button_menu = QMenu(window)
        self._letters: list[QShortcut] = []
        for menu in self.menus.values():
            self._bar.addMenu(menu)
            self.button_menu.addMenu(menu)
            keys = QKeySequence.mnemonic(menu.title())
            self._letters.append(QShortcut(keys, window, lambda menu=menu: self.open(menu)))
        self._show(False)

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Tell whose panes the menu lists."""
        self._workspace = workspace

    # The bar

    def pin(self, on: bool) -> None:
        """Keep the bar on show, or show it only while Alt asks for it."""
        self._pinned = on
        self._show(on)

    def alt_pressed(self) -> None:
        """Alt went down: alone, without a key or click before it goes up, it means the bar."""
        self._application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Alt:
            if kind == QEvent.Type.KeyRelease:
                self._application.removeEventFilter(self)
                self.toggle()
        elif kind in (
            QEvent.Type.ShortcutOverride,
            QEvent.Type.KeyPress,
            QEvent.Type.MouseButtonPress,
            QEvent.Type.ApplicationDeactivate,
        ):
            self._application.removeEventFilter(self)
        return False

    def toggle(self) -> None:
        """Show the bar with its first menu, or hide it again."""
        if self._bar.isVisible() and not self._pinned:
            self._show(False)
        elif not self._bar.isVisible():
            self.open(next(iter(self.menus.values())))

    def open(self, menu: QMenu) -> None:
        """Show the bar and open one of its menus."""
        self._show(True)
        self._bar.setActiveAction(menu.menuAction())
        menu.aboutToHide.connect(self._closed, Qt.ConnectionType.SingleShotConnection)

    def _closed(self) -> None:
        # The next menu of the bar may be opening in the same moment.
        QTimer.singleShot(0, self, self._hide_if_done)

    def _hide_if_done(self) -> None:
        showing = next((menu for menu in self.menus.values() if menu.isVisible()), None)
        if showing is not None:
            showing.aboutToHide.connect(self._closed, Qt.ConnectionType.SingleShotConnection)
        elif not self._pinned:
            self._show(False)

    def _show(self, on: bool) -> None:
        self._bar.setVisible(on)
        for shortcut in self._letters:
            shortcut.setEnabled(not on)  # a visible bar has its own

    # Lists

    def _add_lists(self, window: QMainWindow) -> None:
        recent = QMenu(self.tr("Open &recent"), window)
        recent.aboutToShow.connect(lambda: self._fill_recent(recent))
        examples = QMenu(self.tr("&Examples"), window)
        for scene in bundled.scenes():
            action = examples.addAction(_capital(scene.about))
            action.triggered.connect(lambda _=False, path=scene.path: self._scenes.open(path))
        models = QMenu(self.tr("Bundled &models"), window)
        for model in bundled.models():
            action = models.addAction(f"{model.name}: {model.about}")
            action.triggered.connect(
                lambda _=False, path=model.path: self._session.load_model(path)
            )
        before = self._table.actions["save"]
        for menu in (recent, examples, models):
            self.menus["file"].insertMenu(before, menu)
        self.menus["file"].insertSeparator(before)
        panes = QMenu(self.tr("&Panes"), window)
        panes.aboutToShow.connect(lambda: self._fill_panes(panes))
        self.menus["view"].insertMenu(self._table.actions["layout"], panes)
        self.plus = QMenu(window)
        for name in ("open", "open.corpus"):
            self.plus.addAction(self._table.actions[name])
        self.plus.addMenu(models)
        self.corpus = QMenu(window)
        self.corpus.aboutToShow.connect(self._fill_corpus)

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in self._recent.paths:
            action = menu.addAction(str(path).replace("&", "&&"))
            action.triggered.connect(lambda _=False, path=path: self._opener.open([path]))
        if not self._recent.paths:
            menu.addAction(self.tr("Nothing yet")).setEnabled(False)
            return
        menu.addSeparator()
        menu.addAction(self.tr("Clear the list"), self._recent.clear)

    def _fill_panes(self, menu: QMenu) -> None:
        menu.clear()
        panes = [] if self._workspace is None else self._workspace.panes()
        for pane in panes:
            menu.addAction(pane.toggleViewAction())
        if panes:
            menu.addSeparator()
        for pane in panes:
            action = menu.addAction(self.tr("Float {pane}").format(pane=pane.windowTitle()))
            action.setCheckable(True)
            action.setChecked(pane.isFloating())
            action.setEnabled(pane.toggleViewAction().isChecked())
            action.toggled.connect(pane.setFloating)
        if not panes:
            nothing = QAction(self.tr("None here"), menu)
            nothing.setEnabled(False)
            menu.addAction(nothing)

    def _fill_corpus(self) -> None:
        session, menu = self._session, self.corpus
        menu.clear()
        menu.addAction(
            self.tr("Bundled sentences"), lambda: session.load_corpus((bundled.corpus_path(),))
        )
        menu.addAction(self._table.actions["open.corpus"])
        if session.corpus is not None:
            menu.addSeparator()
            menu.addAction(self.tr("Close corpus"), lambda: session.set_corpus(None))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
