"""Marks that stand for something beside colour: hatch, count, notch, letter, brick."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
)

from app.theme import SIZE_NOTE, Theme


def draw_hatch(painter: QPainter, rect: QRectF, color: QColor, gap: float = 6.0) -> None:
    """Draw lines at 45° over `rect`: the mark of byte fragments."""
    painter.save()
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 1))
    # The lines' places hang on the screen, so that neighbours go on without a step.
    start = int((rect.left() - rect.height()) // gap) * gap
    x = start
    while x < rect.right():
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()))
        x += gap
    painter.restore()


def count_box(text: str, font: QFont, centre: QPointF) -> QRectF:
    """Return the box that a count takes."""
    metrics = QFontMetricsF(font)
    width = max(metrics.horizontalAdvance(text) + 6, 13.0)
    height = metrics.height() + 1
    return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)


def draw_count(
    painter: QPainter, theme: Theme, centre: QPointF, count: int, size: int = SIZE_NOTE
) -> None:
    """Draw an inverse count: paper on ink."""
    font = theme.font(size, bold=True)
    text = f"{count:,}"
    box = count_box(text, font, centre)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("ink"))
    painter.drawRoundedRect(box, 2, 2)
    painter.setFont(font)
    painter.setPen(theme.color("canvas"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def notched(rect: QRectF, notch: float = 5.0) -> QPainterPath:
    """Return the shape of a special token: both ends pointed."""
    notch = min(notch, rect.width() / 3)
    middle = rect.center().y()
    path = QPainterPath(QPointF(rect.left() + notch, rect.top()))
    path.lineTo(rect.right() - notch, rect.top())
    path.lineTo(rect.right(), middle)
    path.lineTo(rect.right() - notch, rect.bottom())
    path.lineTo(rect.left() + notch, rect.bottom())
    path.lineTo(rect.left(), middle)
    path.closeSubpath()
    return path


def draw_letter(painter: QPainter, theme: Theme, rect: QRectF, letter: str, index: int) -> None:
    """Draw the mark of an open model: its letter on its colour."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.identity(index))
    painter.drawRoundedRect(rect, 3, 3)
    painter.setFont(theme.font(SIZE_NOTE, bold=True))
    painter.setPen(theme.on_identity())
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letter)


def draw_halo_text(
    painter: QPainter, place: QPointF, text: str, font: QFont, color: QColor, paper: QColor
) -> None:
    """Draw text with a rim of paper, so that lines under it don't disturb it."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paper)
    painter.translate(place)
    painter.drawPath(_rim(text, font.toString()))
    painter.translate(-place)
    painter.setFont(font)
    painter.setPen(color)
    painter.drawText(place, text)


@lru_cache(maxsize=2048)
def _rim(text: str, font_key: str) -> QPainterPath:
    """Return the shape of a text with a rim of two pixels, at the origin.

    To stroke the outlines of letters takes a hundred times as long as to fill this.
    """
    font = QFont()
    font.fromString(font_key)
    outline = QPainterPath()
    outline.addText(QPointF(0, 0), font, text)
    stroker = QPainterPathStroker()
    stroker.setWidth(4)
    stroker.setCapStyle(Qt.PenCapStyle.RoundCap)
    stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    rim = stroker.createStroke(outline)
    rim.setFillRule(Qt.FillRule.WindingFill)
    return rim


def draw_brick(
    painter: QPainter,
    rect: QRectF,
    line: QColor,
    fill: QColor | None,
    width: float = 1.2,
) -> None:
    """Draw an empty brick, filled or not."""
    painter.setPen(QPen(line, width))
    painter.setBrush(QBrush(fill) if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, 2, 2)
