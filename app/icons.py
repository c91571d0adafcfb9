"""The icons of `resources/icons`, drawn in a colour of the theme at any size.

An icon is an SVG on a grid of 24 that draws in `currentColor`; Qt's renderer doesn't know that
word, so it is replaced before the file is read.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.theme import Theme
from engine.bundled import folder

RATIOS = (1, 2, 3)


@lru_cache(maxsize=256)
def renderer(name: str, color: str) -> QSvgRenderer:
    """Return the renderer of icon `name` in a colour (`#RRGGBB`)."""
    source = (folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(source.replace("currentColor", color).encode()))


def paint_icon(painter: QPainter, name: str, rect: QRectF, color: QColor) -> None:
    """Draw icon `name` into a rectangle."""
    renderer(name, color.name()).render(painter, rect)


def pixmap(name: str, color: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """Return icon `name` as a picture of `size` logical pixels."""
    drawing = renderer(name, color.name())
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    drawing.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def icon(name: str, theme: Theme, token: str = "ink2", size: int = 20) -> QIcon:
    """Return icon `name` in a colour of the theme; pale where its control is disabled."""
    result = QIcon()
    for ratio in RATIOS:
        result.addPixmap(pixmap(name, theme.color(token), size, ratio))
        result.addPixmap(pixmap(name, theme.color("line"), size, ratio), QIcon.Mode.Disabled)
    return result
