"""How wide texts are, measured once: to shape a label at each paint takes most of the paint."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF

_END = Qt.TextElideMode.ElideRight


class Widths:
    """The widths of texts in one font, in pixels."""

    def __init__(self, font: QFont) -> None:
        self._key = font_key(font)

    def __call__(self, text: str) -> float:
        return width_of(text, self._key)

    def cut(self, text: str, room: float) -> str:
        """Return the text with “…” for what has no room at its end."""
        return _cut(text, room, self._key)


@lru_cache(maxsize=64)  # by value: a font that is made anew is found again
def font_key(font: QFont) -> str:
    """Return the description of a font by which texts in it are kept."""
    return font.toString()


@lru_cache(maxsize=16_384)
def width_of(text: str, font: str) -> float:
    """Return the width of a text in a font given by its description."""
    return QFontMetricsF(_font(font)).horizontalAdvance(text)


@lru_cache(maxsize=2048)
def _cut(text: str, room: float, font: str) -> str:
    return QFontMetricsF(_font(font)).elidedText(text, _END, room)


def _font(description: str) -> QFont:
    font = QFont()
    font.fromString(description)
    return font
