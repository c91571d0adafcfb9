"""The overview under a lattice: the whole text as the best path's tokens, and the part in view."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.draw.arcs import Arcs
from app.draw.frame import Frame
from app.draw.lettering import on_screen, pixel
from app.draw.viewport import Viewport
from app.theme import Theme
from engine.place import Role

Floats = NDArray[np.float64]

RIM = 3.0
"""Pixels between the bars and the frame, over and under them."""


def draw_minimap(
    painter: QPainter, viewport: Viewport, theme: Theme, arcs: Arcs, place: Frame
) -> None:
    """Draw the whole text as the best path's tokens, and the part in view."""
    rect, axis = place.minimap, viewport.axis
    if rect is None or rect.width() < 1 or axis is None or not axis.width:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("panel"))
    painter.drawRoundedRect(rect, 2, 2)
    _draw_bars(painter, theme.color("best"), arcs, axis.width, rect)
    scale = rect.width() / axis.width
    first, last = (min(max(x, 0.0), axis.width) * scale for x in viewport.visible)
    window = QRectF(rect.left() + first, rect.top(), max(last - first, 4.0), rect.height())
    color = theme.color("selection")
    color.setAlphaF(0.55)
    painter.setBrush(color)
    painter.setPen(QPen(theme.color("ink"), 1.5))
    painter.drawRoundedRect(window, 2, 2)


def _draw_bars(
    painter: QPainter, color: QColor, arcs: Arcs, axis_width: float, rect: QRectF
) -> None:
    """Draw the best path's tokens as bars, tall where tokens are long: the same at each scroll.

    On the screen they are an image made of numbers: shapes take ten times as long, and at each
    key that is typed there are new ones.
    """
    foot = rect.height() - RIM
    if not on_screen(painter):
        tall = bar_heights(arcs, axis_width, int(rect.width()), foot - RIM)
        starts = np.flatnonzero(np.diff(tall, prepend=-1.0))
        ends = np.append(starts[1:], len(tall))
        runs = zip(starts.tolist(), ends.tolist(), tall[starts].tolist(), strict=True)
        left, base = rect.left(), rect.top() + foot
        painter.setBrush(color)
        painter.drawRects([QRectF(left + a, base - top, b - a, top) for a, b, top in runs])
        return
    ratio = painter.device().devicePixelRatioF()
    wide, high = int(rect.width() * ratio), int(rect.height() * ratio)
    tall = np.rint(bar_heights(arcs, axis_width, wide, foot - RIM) * ratio)
    top = pixel(rect.top(), ratio)
    foot_row = pixel(rect.top() + foot, ratio) - top
    above = foot_row - np.arange(high)[:, None]  # pixels from a row to the foot
    shades = np.where((above > 0) & (above <= tall), color.rgba(), 0).astype(np.uint32)
    image = QImage(shades.data, wide, high, 4 * wide, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(QPointF(pixel(rect.left(), ratio) / ratio, top / ratio), image)


@lru_cache(maxsize=2)  # the same at each frame of a scroll
def bar_heights(arcs: Arcs, axis_width: float, columns: int, room: float) -> Floats:
    """Return how tall the bar in each column is, float64[columns]: all the room where the token
    is the longest, 0 before the first."""
    best = np.flatnonzero(arcs.placement.role >= Role.BEST)
    if not len(best):
        return np.zeros(columns)
    scale = columns / axis_width
    left, right = (ends[best] * scale for ends in arcs.ends)
    order = np.argsort(left, kind="stable")
    which = np.searchsorted(left[order], np.arange(columns), side="right") - 1
    size = np.append(right - left, 0.0)
    heights: Floats = room * size[np.append(order, -1)[which]] / max(float(size.max()), 1e-9)
    return heights
