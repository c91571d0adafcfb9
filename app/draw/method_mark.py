"""The mark of a sampling method: a shape that goes with its colour, and its sign in text."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

Shape = Literal["square", "ring", "diamond", "triangle", "hollow diamond", "wedge", "frame", "bar"]

SIGNS: dict[Shape, str] = {
    "square": "■",
    "ring": "○",
    "diamond": "◆",
    "triangle": "▲",
    "hollow diamond": "◇",
    "wedge": "▼",
    "frame": "□",
    "bar": "▮",
}

_CORNERS: dict[Shape, tuple[tuple[float, float], ...]] = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "frame": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "hollow diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "triangle": ((0, -1.2), (1.25, 1), (-1.25, 1)),
    "wedge": ((0, 1.2), (1.25, -1), (-1.25, -1)),
    "bar": ((-0.5, -1.3), (0.5, -1.3), (0.5, 1.3), (-0.5, 1.3)),
}
_HOLLOW: frozenset[Shape] = frozenset(("ring", "hollow diamond", "frame"))


def paint_mark(
    painter: QPainter, shape: Shape, place: QPointF, size: float, color: QColor, paper: QColor
) -> None:
    """Paint a mark about a place. size: half its width. paper: fills hollow marks."""
    hollow = shape in _HOLLOW
    painter.setPen(QPen(color, 2) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(paper if hollow else color)
    if shape == "ring":
        painter.drawEllipse(QRectF(place.x() - size, place.y() - size, 2 * size, 2 * size))
        return
    corners = [QPointF(place.x() + x * size, place.y() + y * size) for x, y in _CORNERS[shape]]
    painter.drawPolygon(QPolygonF(corners))
