"""The one table of actions: menus, shortcuts, action search and the keyboard help come from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:

    def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
        """Mark a text for translation; Qt's own stub says that it returns an object."""
else:
    from PySide6.QtCore import QT_TRANSLATE_NOOP

CONTEXT = "Actions"

MENUS = (
    ("file", QT_TRANSLATE_NOOP("Actions", "&File")),
    ("model", QT_TRANSLATE_NOOP("Actions", "&Model")),
    ("view", QT_TRANSLATE_NOOP("Actions", "&View")),
    ("lattice", QT_TRANSLATE_NOOP("Actions", "&Lattice")),
    ("play", QT_TRANSLATE_NOOP("Actions", "&Play")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
)


@dataclass(frozen=True)
class Spec:
    """An action. `call` names a method of the commands object.

    group: a line parts the groups of a menu. argument: given to the method. local: the keys work
    where the picture or the player has the focus, so they are shown but not bound to the window.
    when: the condition that allows the action (`model`, `player`, `back` …); "" is always.
    exclusive: the checkable actions of this name exclude each other.
    """

    id: str
    text: str
    menu: str
    call: str
    shortcut: str = ""
    group: int = 0
    argument: str = ""
    icon: str = ""
    local: bool = False
    checkable: bool = False
    exclusive: str = ""
    when: str = ""

    @property
    def title(self) -> str:
        """The text in the person's language, with its mnemonic mark."""
        return QCoreApplication.translate(CONTEXT, self.text)

    @property
    def plain(self) -> str:
        """The text without the mnemonic mark and dots."""
        return self.title.replace("&", "").rstrip("…")

    def keys(self) -> str:
        """The shortcut as this system writes it."""
        native = QKeySequence.SequenceFormat.NativeText
        parts = [QKeySequence(key).toString(native) for key in self.shortcut.split(", ") if key]
        return ", ".join(parts)


def _workspace(number: int, name: str, text: str) -> Spec:
    return Spec(
        f"go.{name}",
        text,
        "view",
        "show_workspace",
        f"Ctrl+{number}",
        0,
        name,
        name,
        checkable=True,
        exclusive="workspace",
    )


def _playing(name: str, text: str, shortcut: str, group: int, command: str) -> Spec:
    """Return an action that tells the player a command."""
    icon = "play" if command == "toggle" else ""
    return Spec(
        name, text, "play", "play", shortcut, group, command, icon, local=True, when="player"
    )


ACTIONS: tuple[Spec, ...] = (
    Spec(
        "open",
        QT_TRANSLATE_NOOP("Actions", "&Open…"),
        "file",
        "open_dialog",
        "Ctrl+O",
        0,
        icon="open",
    ),
    Spec(
        "open.corpus",
        QT_TRANSLATE_NOOP("Actions", "Open a &folder: model or corpus…"),
        "file",
        "open_corpus_dialog",
        "Ctrl+Shift+O",
        0,
        icon="folder",
    ),
    Spec(
        "save",
        QT_TRANSLATE_NOOP("Actions", "&Save scene"),
        "file",
        "save_scene",
        "Ctrl+S",
        2,
        icon="save",
    ),
    Spec(
        "save.as",
        QT_TRANSLATE_NOOP("Actions", "Save scene &as…"),
        "file",
        "save_scene_as",
        "Ctrl+Shift+S",
        2,
    ),
    Spec("quit", QT_TRANSLATE_NOOP("Actions", "&Quit"), "file", "quit", "Ctrl+Q", 4, icon="quit"),
    Spec(
        "about.model",
        QT_TRANSLATE_NOOP("Actions", "&About this model"),
        "model",
        "about_model",
        "Ctrl+I",
        0,
        icon="info",
        when="model",
    ),
    Spec(
        "model.next",
        QT_TRANSLATE_NOOP("Actions", "&Next model"),
        "model",
        "next_model",
        "Ctrl+PgDown",
        1,
        when="models",
    ),
    Spec(
        "model.previous",
        QT_TRANSLATE_NOOP("Actions", "&Previous model"),
        "model",
        "previous_model",
        "Ctrl+PgUp",
        1,
        when="models",
    ),
    Spec(
        "close",
        QT_TRANSLATE_NOOP("Actions", "&Close model"),
        "model",
        "close_model",
        "Ctrl+W",
        2,
        icon="close",
        when="model",
    ),
    Spec(
        "train",
        QT_TRANSLATE_NOOP("Actions", "&Train a vocabulary…"),
        "model",
        "train",
        "Ctrl+T",
        3,
        icon="merges",
    ),
    Spec(
        "bulk",
        QT_TRANSLATE_NOOP("Actions", "Sample in &bulk…"),
        "model",
        "sample_in_bulk",
        group=3,
        icon="sampling",
        when="model",
    ),
    _workspace(1, "explore", QT_TRANSLATE_NOOP("Actions", "&Explore")),
    _workspace(2, "merges", QT_TRANSLATE_NOOP("Actions", "&Merges")),
    _workspace(3, "sampling", QT_TRANSLATE_NOOP("Actions", "&Sampling")),
    _workspace(4, "languages", QT_TRANSLATE_NOOP("Actions", "&Languages")),
    _workspace(5, "vocabulary", QT_TRANSLATE_NOOP("Actions", "&Vocabulary")),
    Spec(
        "back", QT_TRANSLATE_NOOP("Actions", "&Back"), "view", "go_back", "Alt+Left", 1, when="back"
    ),
    Spec(
        "forward",
        QT_TRANSLATE_NOOP("Actions", "&Forward"),
        "view",
        "go_forward",
        "Alt+Right",
        1,
        when="forward",
    ),
    Spec(
        "layout",
        QT_TRANSLATE_NOOP("Actions", "&Restore layout"),
        "view",
        "restore_layout",
        "Ctrl+Shift+R",
        2,
        icon="layout",
        when="workspace",
    ),
    Spec(
        "color.position",
        QT_TRANSLATE_NOOP("Actions", "Token colours by &position"),
        "view",
        "color_tokens",
        "",
        3,
        "position",
        checkable=True,
        exclusive="color",
    ),
    Spec(
        "color.identity",
        QT_TRANSLATE_NOOP("Actions", "Token colours by &identity"),
        "view",
        "color_tokens",
        "",
        3,
        "identity",
        checkable=True,
        exclusive="color",
    ),
    Spec(
        "theme.toggle",
        QT_TRANSLATE_NOOP("Actions", "Light or &dark"),
        "view",
        "toggle_theme",
        "Ctrl+L",
        4,
        icon="moon",
    ),
    Spec(
        "theme.system",
        QT_TRANSLATE_NOOP("Actions", "Theme: as the system"),
        "view",
        "choose_theme",
        "",
        4,
        "system",
        checkable=True,
        exclusive="theme",
    ),
    Spec(
        "theme.light",
        QT_TRANSLATE_NOOP("Actions", "Theme: light"),
        "view",
        "choose_theme",
        "",
        4,
        "light",
        checkable=True,
        exclusive="theme",
    ),
    Spec(
        "theme.dark",
        QT_TRANSLATE_NOOP("Actions", "Theme: dark"),
        "view",
        "choose_theme",
        "",
        4,
        "dark",
        checkable=True,
        exclusive="theme",
    ),
    Spec(
        "motion",
        QT_TRANSLATE_NOOP("Actions", "Reduce m&otion"),
        "view",
        "set_reduced_motion",
        "",
        5,
        checkable=True,
    ),
    Spec(
        "menubar",
        QT_TRANSLATE_NOOP("Actions", "S&how menu bar"),
        "view",
        "set_menu_bar",
        "",
        5,
        checkable=True,
    ),
    Spec(
        "pin",
        QT_TRANSLATE_NOOP("Actions", "&Pin the selected edge or boundary"),
        "lattice",
        "constrain",
        "P",
        0,
        "pin",
        icon="pin",
        local=True,
        when="constrainable",
    ),
    Spec(
        "forbid",
        QT_TRANSLATE_NOOP("Actions", "&Forbid the selected edge or boundary"),
        "lattice",
        "constrain",
        "X",
        0,
        "forbid",
        icon="forbid",
        local=True,
        when="constrainable",
    ),
    Spec(
        "constraints.clear",
        QT_TRANSLATE_NOOP("Actions", "&Clear all constraints"),
        "lattice",
        "clear_constraints",
        "",
        1,
        when="constrained",
    ),
    Spec(
        "zoom.in",
        QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
        "lattice",
        "zoom",
        "+",
        2,
        "in",
        local=True,
        when="axis",
    ),
    Spec(
        "zoom.out",
        QT_TRANSLATE_NOOP("Actions", "Zoom &out"),
        "lattice",
        "zoom",
        "-",
        2,
        "out",
        local=True,
        when="axis",
    ),
    Spec(
        "zoom.fit",
        QT_TRANSLATE_NOOP("Actions", "Fit &legibly"),
        "lattice",
        "zoom",
        "0",
        2,
        "fit",
        local=True,
        when="axis",
    ),
    Spec(
        "zoom.all",
        QT_TRANSLATE_NOOP("Actions", "Fit &all"),
        "lattice",
        "zoom",
        "F",
        2,
        "all",
        local=True,
        when="axis",
    ),
    _playing("play", QT_TRANSLATE_NOOP("Actions", "&Play or pause"), "Space", 0, "toggle"),
    _playing("step.next", QT_TRANSLATE_NOOP("Actions", "&Next step"), "Right", 1, "next"),
    _playing("step.back", QT_TRANSLATE_NOOP("Actions", "Step &back"), "Left", 1, "back"),
    _playing("step.first", QT_TRANSLATE_NOOP("Actions", "To the &start"), "Home", 1, "first"),
    _playing("step.last", QT_TRANSLATE_NOOP("Actions", "To the &end"), "End", 1, "last"),
    Spec(
        "step.go",
        QT_TRANSLATE_NOOP("Actions", "&Go to a step"),
        "play",
        "go_to_step",
        "G",
        1,
        local=True,
        when="player",
    ),
    _playing(
        "mark.next",
        QT_TRANSLATE_NOOP("Actions", "Next step that &touches the selection"),
        ".",
        1,
        "next mark",
    ),
    _playing(
        "mark.back",
        QT_TRANSLATE_NOOP("Actions", "Step before that touches the selecti&on"),
        ",",
        1,
        "mark before",
    ),
    _playing("slower", QT_TRANSLATE_NOOP("Actions", "S&lower"), "J", 2, "slower"),
    _playing("faster", QT_TRANSLATE_NOOP("Actions", "&Faster"), "L", 2, "faster"),
    _playing(
        "mark.only",
        QT_TRANSLATE_NOOP("Actions", "Play only steps that to&uch the selection"),
        "T",
        2,
        "marked only",
    ),
    _playing("loop", QT_TRANSLATE_NOOP("Actions", "Play in &a loop"), "O", 2, "loop"),
    Spec(
        "search",
        QT_TRANSLATE_NOOP("Actions", "&Find an action, file or example"),
        "help",
        "search",
        "Ctrl+Shift+P",
        0,
        icon="search",
    ),
    Spec(
        "keyboard",
        QT_TRANSLATE_NOOP("Actions", "&Keyboard"),
        "help",
        "show_keyboard",
        "F1",
        0,
        icon="keyboard",
    ),
    Spec("lab", QT_TRANSLATE_NOOP("Actions", "A s&mall lab…"), "help", "lab", icon="merges"),
    Spec("log", QT_TRANSLATE_NOOP("Actions", "Show the &log folder"), "help", "show_log", "", 1),
    Spec(
        "about",
        QT_TRANSLATE_NOOP("Actions", "About &Segscope"),
        "help",
        "about",
        "",
        1,
        icon="logo",
    ),
)
