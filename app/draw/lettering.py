"""Texts that a picture repeats at each paint: made once as an image each, drawn as often as asked.

To shape a short text takes about fifty microseconds, to draw its image five; a lattice that is
dragged shows hundreds of texts sixty times a second.
"""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintEngine,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QTextLayout,
)

from app.draw.widths import font_key, width_of

_RASTER = QPaintEngine.Type.Raster


def on_screen(painter: QPainter) -> bool:
    """Whether what is painted is pixels at the painter's own scale, so that an image serves."""
    moved = painter.worldTransform()
    plain = not moved.isScaling() and not moved.isRotating()
    return plain and painter.paintEngine().type() == _RASTER


_HALF = 0.5 + 1e-6
"""Halves are rounded up, also where a sum made them a little less: what moves by whole pixels
looks as before."""


def pixel(x: float, ratio: float) -> int:
    """Return the device pixel that is nearest to a place."""
    return math.floor(x * ratio + _HALF)


class Lettering:
    """Draws texts of one font and colour, with a rim of paper or without.

    On the screen each text is an image that is made once. To a file it goes as text, and the rim
    as shapes.
    """

    def __init__(
        self, painter: QPainter, font: QFont, color: QColor, paper: QColor | None = None
    ) -> None:
        self._painter, self._font, self._color, self._paper = painter, font, color, paper
        self._key = font_key(font)
        self._ratio = painter.device().devicePixelRatioF() if on_screen(painter) else 0.0
        rim = None if paper is None else paper.rgba()
        self._style = (self._key, color.rgba(), rim, self._ratio)

    def draw(self, x: float, y: float, text: str) -> None:
        """Draw a text whose line begins at a place."""
        painter, ratio = self._painter, self._ratio
        if ratio:
            image, left, top = _image(text, *self._style)
            # On whole pixels, or the image would be blurred; without a call, for a paint has
            # hundreds of texts.
            x = math.floor((x + left) * ratio + _HALF) / ratio
            y = math.floor((y + top) * ratio + _HALF) / ratio
            painter.drawImage(QPointF(x, y), image)
            return
        if self._paper is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._paper)
            painter.translate(x, y)
            painter.drawPath(_rim(text, self._key))
            painter.translate(-x, -y)
        painter.setFont(self._font)
        painter.setPen(self._color)
        painter.drawText(QPointF(x, y), text)

    def width(self, text: str) -> float:
        """Return the width of a text in pixels."""
        return width_of(text, self._key)

    def base(self, middle: float) -> float:
        """Return the y at which a text stands whose middle is at a height."""
        return middle + _drop(self._key)

    def draw_left(self, middle: QPointF, text: str) -> None:
        """Draw a text right of a place that is at half its height."""
        self.draw(middle.x(), self.base(middle.y()), text)

    def draw_centred(self, box: QRectF, text: str) -> None:
        """Draw a text in the middle of a box."""
        centre = box.center()
        left = centre.x() - width_of(text, self._key) / 2
        self.draw(left, self.base(centre.y()), text)

    def draw_block(self, room: QRectF, text: str) -> float:
        """Draw a text of several lines, wrapped at words; return where its foot is.

        room: its left, its top, its width; and its foot. Where the text doesn't fit nothing is
        drawn, and the foot is below the room's.
        """
        high = _block_height(text, self._key, room.width())
        if high > room.height():
            return room.top() + high
        if self._ratio:
            size = (math.ceil(room.width()), math.ceil(high))
            image = _block(text, self._key, self._color.rgba(), *size, self._ratio)
            self._painter.drawImage(room.topLeft(), image)
        else:
            self._painter.setFont(self._font)
            self._painter.setPen(self._color)
            self._painter.drawText(room, Qt.TextFlag.TextWordWrap, text)
        return room.top() + high


@lru_cache(maxsize=256)
def _block_height(text: str, font_key: str, width: float) -> float:
    """Return the height of a text that is wrapped at words."""
    font = QFont()
    font.fromString(font_key)
    room = QRectF(0, 0, width, 1 << 20)
    return QFontMetricsF(font).boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()


@lru_cache(maxsize=64)
def _block(text: str, font_key: str, color: int, width: int, height: int, ratio: float) -> QImage:
    """Return a text that is wrapped at words as an image."""
    size = (math.ceil(width * ratio), math.ceil(height * ratio))
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    font = QFont()
    font.fromString(font_key)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(QColor.fromRgba(color))
    painter.drawText(QRectF(0, 0, width, height), Qt.TextFlag.TextWordWrap, text)
    painter.end()
    return image


@lru_cache(maxsize=64)
def _drop(font_key: str) -> float:
    """Return how far under the middle of a line its letters stand."""
    font = QFont()
    font.fromString(font_key)
    metrics = QFontMetricsF(font)
    return (metrics.ascent() - metrics.descent()) / 2


@lru_cache(maxsize=2048)  # of about 7 to 30 KB each
def _image(
    text: str, font_key: str, color: int, paper: int | None, ratio: float
) -> tuple[QImage, float, float]:
    """Return a text, with its rim, as an image, and where its corner is from the line's begin."""
    font = QFont()
    font.fromString(font_key)
    metrics = QFontMetricsF(font)
    # Beside a picture, as an emoji is, the bounding rectangle alone is too small.
    bounds = QRectF(0, -metrics.ascent(), metrics.horizontalAdvance(text), metrics.height())
    bounds = bounds.united(metrics.boundingRect(text))
    if paper is not None:
        bounds = bounds.united(_rim(text, font_key).boundingRect())
    bounds.adjust(-3, -3, 3, 3)
    left, top = math.floor(bounds.left()), math.floor(bounds.top())
    width, height = math.ceil(bounds.right()) - left, math.ceil(bounds.bottom()) - top
    size = (math.ceil(width * ratio), math.ceil(height * ratio))
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(-left, -top)
    if paper is not None:
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
