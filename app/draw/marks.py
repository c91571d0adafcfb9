"""Marks that stand for something beside colour: hatch, count, notch, letter, brick."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
)

from app.draw.lettering import Lettering, on_screen
from app.theme import SIZE_NOTE, Theme


def draw_hatch(painter: QPainter, rect: QRectF, color: QColor, gap: int = 6) -> None:
    """Draw lines at 45° over `rect`, `gap` pixels apart: the mark of byte fragments.

    The lines' places hang on the left end of `rect`, so that they move with it.
    """
    if on_screen(painter):
        ratio = painter.device().devicePixelRatioF()
        painter.setBrushOrigin(QPointF(round(rect.left() * ratio) / ratio, 0))
        painter.fillRect(rect, _hatch(color.rgba(), gap, ratio))
        return
    painter.save()
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 1))
    # Along a line x - left + y is a multiple of the gap.
    x = rect.left() + rect.top() // gap * gap - rect.top()
    while x - rect.height() < rect.right():
        painter.drawLine(QPointF(x, rect.top()), QPointF(x - rect.height(), rect.bottom()))
        x += gap
    painter.restore()


@lru_cache(maxsize=64)
def _hatch(color: int, gap: int, ratio: float) -> QBrush:
    """Return a brush of lines at 45°. A brush fills twenty times as fast as lines are drawn."""
    # A tile of whole device pixels at each usual ratio, so that tiles meet without a seam.
    size = 4 * gap
    pixels = round(size * ratio)
    tile = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    tile.setDevicePixelRatio(ratio)
    tile.fill(0)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor.fromRgba(color), 1))
    for x in range(-size, 3 * size, gap):
        painter.drawLine(QPointF(x + 2, -2), QPointF(x - size - 2, size + 2))
    painter.end()
    return QBrush(tile)


def draw_underline(painter: QPainter, rect: QRectF, color: QColor, kind: int) -> None:
    """Draw the underline of a band at its foot: 0 none, 1 solid, 2 dotted."""
    if not kind:
        return
    pen = QPen(color, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    if kind == 2:
        pen.setDashPattern([1.2, 1.6])
    painter.setPen(pen)
    y = rect.bottom() - 1.75
    inset = min(3.0, rect.width() / 4)
    painter.drawLine(QPointF(rect.left() + inset, y), QPointF(rect.right() - inset, y))


def count_box(text: str, font: QFont, centre: QPointF) -> QRectF:
    """Return the box that a count takes."""
    metrics = QFontMetricsF(font)
    width = max(metrics.horizontalAdvance(text) + 6, 13.0)
    height = metrics.height() + 1
    return QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)


def draw_count(
    painter: QPainter,
    theme: Theme,
    centre: QPointF,
    count: int,
    size: int = SIZE_NOTE,
    *,
    on_ink: bool = False,
) -> None:
    """Draw an inverse count: paper on ink, or ink on paper where it stands on ink."""
    font = theme.font(size, bold=True)
    text = f"{count:,}"
    box = count_box(text, font, centre)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("canvas" if on_ink else "ink"))
    painter.drawRoundedRect(box, 2, 2)
    letters = Lettering(painter, font, theme.color("ink" if on_ink else "canvas"))
    letters.draw_centred(box, text)


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
