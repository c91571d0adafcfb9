"""Colours, fonts and measures of the window: the only place in `app` where they are decided.

The palettes' values are the engine's (`engine.palette`), so that a picture printed without a
window has the same colours.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette

from engine.palette import PALETTES

Scheme = Literal["light", "dark"]
Choice = Literal["system", "light", "dark"]

SIZE_NOTE, SIZE_DATA, SIZE_BODY, SIZE_INPUT, SIZE_PIECE, SIZE_INSPECTOR = 11, 12, 13, 15, 20, 24
SPACE = (2, 4, 8, 12, 16, 24, 32)

_UI_FAMILIES = ("Inter", "Inter Display", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans")
_PIECE_FAMILIES = ("JetBrains Mono", "Cascadia Mono", "Menlo", "DejaVu Sans Mono")
_FALLBACKS = ("Noto Sans", "Noto Sans CJK SC", "Noto Color Emoji", "DejaVu Sans")

# Qt's roles and the tokens that fill them.
_ROLES = {
    QPalette.ColorRole.Window: "chrome",
    QPalette.ColorRole.WindowText: "ink",
    QPalette.ColorRole.Base: "field",
    QPalette.ColorRole.AlternateBase: "panel",
    QPalette.ColorRole.Text: "ink",
    QPalette.ColorRole.PlaceholderText: "ink3",
    QPalette.ColorRole.Button: "chrome",
    QPalette.ColorRole.ButtonText: "ink",
    QPalette.ColorRole.BrightText: "error",
    QPalette.ColorRole.Highlight: "selection",
    QPalette.ColorRole.HighlightedText: "ink",
    QPalette.ColorRole.Accent: "ink",
    QPalette.ColorRole.Link: "best",
    QPalette.ColorRole.LinkVisited: "best",
    QPalette.ColorRole.ToolTipBase: "panel",
    QPalette.ColorRole.ToolTipText: "ink",
    QPalette.ColorRole.Light: "field",
    QPalette.ColorRole.Midlight: "hair",
    QPalette.ColorRole.Mid: "line",
    QPalette.ColorRole.Dark: "line2",
    QPalette.ColorRole.Shadow: "line2",
}


class Theme(QObject):
    """The palette in use. Views take colours from it when they paint and repaint on `changed`."""

    changed = Signal()

    def __init__(self, choice: Choice = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice: Choice = choice
        self._reduced_motion = False
        self._scheme = self._resolve()
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        known = set(QFontDatabase.families())
        self._colors: dict[tuple[str, str], QColor] = {}
        self._fonts: dict[tuple[bool, int, bool], QFont] = {}
        self._ui = self._families(_UI_FAMILIES, known)
        self._piece = self._families(_PIECE_FAMILIES, known)

    @staticmethod
    def _families(wanted: tuple[str, ...], known: set[str]) -> list[str]:
        families = [name for name in (*wanted, *_FALLBACKS) if name in known]
        return families or [QFont().family()]

    @property
    def scheme(self) -> Scheme:
        """`light` or `dark`, the system's choice resolved."""
        return self._scheme

    @property
    def choice(self) -> Choice:
        return self._choice

    @property
    def reduced_motion(self) -> bool:
        """Whether moves are shown as steps: no tween between two positions."""
        return self._reduced_motion

    def reduce_motion(self, on: bool) -> None:
        """Show moves as steps, or tween them."""
        if on != self._reduced_motion:
            self._reduced_motion = on
            self.changed.emit()

    @property
    def dark(self) -> bool:
        return self._scheme == "dark"

    def choose(self, choice: Choice) -> None:
        """Use a palette, or follow the system."""
        self._choice = choice
        self._apply(self._resolve())

    def color(self, token: str) -> QColor:
        """Return the colour of a token of design.md: `ink`, `best`, `fill_best` …"""
        key = (self._scheme, token)
        if key not in self._colors:
            value = PALETTES[self._scheme][token]  # type: ignore[literal-required]
            assert isinstance(value, str)
            self._colors[key] = QColor(value)
        return QColor(self._colors[key])

    def band(self, index: int) -> QColor:
        """Return the colour of token number `index` in a band: a cycle of four."""
        bands = PALETTES[self._scheme]["bands"]
        return QColor(bands[index % len(bands)])

    def identity(self, index: int) -> QColor:
        """Return the colour of open model number `index` (A, B, C …)."""
        colors = PALETTES[self._scheme]["identity"]
        return QColor(colors[index % len(colors)])

    def on_identity(self) -> QColor:
        """Return the ink for a letter on an identity colour."""
        return self.color("canvas")

    def font(self, size: int = SIZE_BODY, *, bold: bool = False) -> QFont:
        """Return the interface font at `size` pixels."""
        return self._kept(False, size, bold)

    def piece_font(self, size: int = SIZE_BODY, *, bold: bool = False) -> QFont:
        """Return the font for pieces and text under analysis at `size` pixels."""
        return self._kept(True, size, bold)

    def _kept(self, piece: bool, size: int, bold: bool) -> QFont:
        """Return a copy of a font that is made once: views ask for it at every paint."""
        key = (piece, size, bold)
        if key not in self._fonts:
            self._fonts[key] = self._font(self._piece if piece else self._ui, size, bold)
        return QFont(self._fonts[key])

    @staticmethod
    def _font(families: list[str], size: int, bold: bool) -> QFont:
        font = QFont()
        font.setFamilies(families)
        font.setPixelSize(size)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        font.setFeature(QFont.Tag("liga"), 0)
        font.setFeature(QFont.Tag("calt"), 0)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def qt_palette(self) -> QPalette:
        """Return a complete Qt palette of the present scheme."""
        palette = QPalette()
        for role, token in _ROLES.items():
            palette.setColor(role, self.color(token))
        for role in (
            QPalette.ColorRole.Text,
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.ButtonText,
        ):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("ink3"))
        return palette

    def _resolve(self) -> Scheme:
        if self._choice != "system":
            return self._choice
        scheme = QGuiApplication.styleHints().colorScheme()
        return "dark" if scheme == Qt.ColorScheme.Dark else "light"

    def _system_changed(self) -> None:
        if self._choice == "system":
            self._apply(self._resolve())

    def _apply(self, scheme: Scheme) -> None:
        if scheme != self._scheme:
            self._scheme = scheme
            self.changed.emit()
