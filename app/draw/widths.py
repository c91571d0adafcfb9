"""How wide texts are, measured once: to shape a label at each paint takes most of the paint."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF


class Widths:
    """The widths of texts in one font, in pixels."""

    def __init__(self, font: QFont) -> None:
        self._key = font.toString()

    def __call__(self, text: str) -> float:
        return width_of(text, self._key)


@lru_cache(maxsize=16_384)
def width_of(text: str, font_key: str) -> float:
    """Return the width of a text in a font given by its description."""
    font = QFont()
    font.fromString(font_key)
    return QFontMetricsF(font).horizontalAdvance(text)
