"""Marks that stand for something beside colour: hatch, count, notch, letter, brick."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QTextLayout,
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
    painter.setFont(font)
    painter.setPen(theme.color("ink" if on_ink else "canvas"))
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
    HaloText(painter, font, color, paper).draw(place.x(), place.y(), text)


class HaloText:
    """Draws texts of one font and colour with a rim of paper.

    On the screen each text is an image that is made once; to a file it goes as shapes and text.
    """

    def __init__(self, painter: QPainter, font: QFont, color: QColor, paper: QColor) -> None:
        self._painter, self._font, self._color, self._paper = painter, font, color, paper
        self._key = font.toString()
        moved = painter.worldTransform()
        plain = not moved.isScaling() and not moved.isRotating()
        on_screen = plain and painter.paintEngine().type() == QPaintEngine.Type.Raster
        self._ratio = painter.device().devicePixelRatioF() if on_screen else 0.0
        self._style = (self._key, color.rgba(), paper.rgba(), self._ratio)

    def draw(self, x: float, y: float, text: str) -> None:
        """Draw a text whose line begins at a place."""
        painter = self._painter
        if self._ratio:
            image, left, top = _halo_image(text, *self._style)
            # On whole pixels, or the image would be blurred.
            x = round((x + left) * self._ratio) / self._ratio
            y = round((y + top) * self._ratio) / self._ratio
            painter.drawImage(QPointF(x, y), image)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paper)
        painter.translate(x, y)
        painter.drawPath(_rim(text, self._key))
        painter.translate(-x, -y)
        painter.setFont(self._font)
        painter.setPen(self._color)
        painter.drawText(QPointF(x, y), text)


@lru_cache(maxsize=4096)
def _halo_image(
    text: str, font_key: str, color: int, paper: int, ratio: float
) -> tuple[QImage, float, float]:
    """Return a text with its rim as an image, and where its corner is from the line's begin."""
    font = QFont()
    font.fromString(font_key)
    metrics = QFontMetricsF(font)
    bounds = metrics.boundingRect(text).united(_rim(text, font_key).boundingRect())
    bounds.adjust(-3, -3, 3, 3)
    left, top = math.floor(bounds.left()), math.floor(bounds.top())
    width, height = math.ceil(bounds.right()) - left, math.ceil(bounds.bottom()) - top
    image = QImage(
        math.ceil(width * ratio),
        math.ceil(height * ratio),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(-left, -top)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor.fromRgba(paper))
    painter.drawPath(_rim(text, font_key))
    painter.setFont(font)
    painter.setPen(QColor.fromRgba(color))
    painter.drawText(QPointF(0, 0), text)
    painter.end()
    return image, float(left), float(top)


@lru_cache(maxsize=2048)
def _rim(text: str, font_key: str) -> QPainterPath:
    """Return the shape of a text with a rim of two pixels, at the origin.

    To stroke the outlines of letters takes a hundred times as long as to fill this.
    """
    outline = _outline(text, font_key)
    stroker = QPainterPathStroker()
    stroker.setWidth(4)
    stroker.setCapStyle(Qt.PenCapStyle.RoundCap)
    stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    rim = stroker.createStroke(outline)
    rim.setFillRule(Qt.FillRule.WindingFill)
    return rim


def _outline(text: str, font_key: str) -> QPainterPath:
    """Return the shapes of a text's glyphs; of one that is a picture, as an emoji is, the box.

    Qt mustn't be asked for the shape of a picture (`QPainterPath.addText`): it has none, and the
    font's measures are wrong afterwards.
    """
    font = QFont()
    font.fromString(font_key)
    layout = QTextLayout(text, font)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    outline = QPainterPath()
    for run in layout.glyphRuns():
        glyphs = run.rawFont()
        if any(glyphs.fontTable(name).size() for name in _PICTURES):
            box = run.boundingRect()
            outline.addRect(box.translated(0, -line.ascent()))
            continue
        for glyph, place in zip(run.glyphIndexes(), run.positions(), strict=True):
            shape = glyphs.pathForGlyph(glyph)
            outline.addPath(shape.translated(place.x(), place.y() - line.ascent()))
    return outline


_PICTURES = ("CBDT", "sbix", "COLR", "SVG ")
"""The tables of a font whose glyphs are pictures."""


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
