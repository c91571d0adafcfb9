"""A picture on the axis that is kept while it only moves: painted in strips, each once.

A view that is dragged shows the same picture a few pixels further. What was painted is kept as
images side by side, and a step of a drag paints at most the strip that comes into view. Where the
picture changes, as at each key that is typed, only what looks different is painted again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.draw.axis import Axis
from app.draw.contents import Content
from app.draw.viewport import GUTTER, Viewport

WIDE = 480
"""Pixels of a strip: whole device pixels at the usual ratios, and whole tiles of a hatch."""

BESIDE = 24
"""Pixels beside a strip of which is painted what reaches into it."""

COLUMN = 8
"""What is painted of a strip is a multiple of this: whole device pixels at the usual ratios."""

KEPT = 24
"""Strips that are kept; those farthest from the view go first."""


class Strips:
    """Strips of one picture.

    paint: called with a painter and the viewport of a strip, or of the part of it that is to be
    painted; x on that painter is that viewport's. The picture may change with zoom and height.
    When anything else changes that it depends on, call `clear`, or `review` where all that can
    have changed is in `content`. content: what a strip shows; None where that can't be told.
    keep: called with the viewport of a strip and its number where that was painted anew or in
    part; what it returns is `kept`.
    """

    def __init__(
        self,
        paint: Callable[[QPainter, Viewport], None],
        content: Callable[[Viewport], Content | None],
        keep: Callable[[Viewport, int], Any] = lambda viewport, number: None,
    ) -> None:
        self._paint, self._content, self._keep = paint, content, keep
        self._size: tuple[float, float, float] = (0.0, 0.0, 0.0)
        self._axis: Axis | None = None
        self._images: dict[int, QImage] = {}
        self._contents: dict[int, Content | None] = {}
        self._kept: dict[int, Any] = {}
        self._reviewed = False
        self._sure: set[int] = set()
        """The strips that are known to show what is."""

    def kept(self, number: int) -> Any:
        """Return what is kept of a strip; None where it may not show any more what is."""
        return self._kept[number] if number in self._sure else None

    def clear(self) -> None:
        """Forget what was painted."""
        self._images.clear()
        self._contents.clear()
        self._kept.clear()
        self._sure.clear()
        self._reviewed = False

    def review(self) -> None:
        """Look at the content of every strip before it is shown again."""
        self._sure.clear()
        self._reviewed = True

    def draw(self, painter: QPainter, viewport: Viewport, height: float, paper: QColor) -> range:
        """Draw the picture in view, right of the gutter; return the numbers of its strips."""
        ratio = painter.device().devicePixelRatioF()
        size = (viewport.zoom, height, ratio)
        if size != self._size:
            self._size = size
            self.clear()
        if viewport.axis is not self._axis:
            self._axis = viewport.axis
            self.review()
        scroll = whole_scroll(viewport, ratio)
        shown = self.in_view(viewport, ratio)
        painter.save()
        painter.setClipRect(QRectF(GUTTER, 0, viewport.width, height))
        for number in shown:
            if number not in self._sure:
                self._renew(viewport, number, height, paper, ratio)
            place = QPointF(GUTTER + number * WIDE - scroll, 0)
            painter.drawImage(place, self._images[number])
        painter.restore()
        middle = (shown.start + shown.stop - 1) / 2
        while len(self._images) > max(KEPT, len(shown)):
            far = max(self._images, key=lambda number: abs(number - middle))
            del self._images[far], self._contents[far], self._kept[far]
            self._sure.discard(far)
        return shown

    def in_view(self, viewport: Viewport, ratio: float) -> range:
        """Return the numbers of the strips in view."""
        scroll = whole_scroll(viewport, ratio)
        last = math.floor((scroll + viewport.width) / WIDE)
        return range(math.floor(scroll / WIDE), last + 1)

    def _renew(
        self, viewport: Viewport, number: int, height: float, paper: QColor, ratio: float
    ) -> None:
        """Paint what a strip doesn't show as it is."""
        whole = strip_viewport(viewport, number)
        # At each frame of a zoom all is new: nobody will ask what it was.
        content = self._content(whole) if self._reviewed else None
        before = self._contents.get(number)
        left, right = (0, WIDE)
        if number not in self._images:
            image = QImage(
                round(WIDE * ratio), math.ceil(height * ratio), QImage.Format.Format_RGB32
            )
            image.setDevicePixelRatio(ratio)
            self._images[number] = image
        elif content is not None and before is not None:
            left, right = _columns(content.differs(before))
        if left < right:
            self._paint_between(whole, number, left, right, height, paper)
            self._kept[number] = self._keep(whole, number)
        self._contents[number] = content
        self._sure.add(number)

    def _paint_between(
        self, whole: Viewport, number: int, left: int, right: int, height: float, paper: QColor
    ) -> None:
        """Paint a strip between two of its pixels."""
        painter = QPainter(self._images[number])
        room = QRectF(left, 0, right - left, math.ceil(height))
        painter.setClipRect(room)
        painter.fillRect(room, paper)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(-GUTTER - BESIDE, 0)
        try:
            # What is seen begins BESIDE pixels before and ends as far behind.
            self._paint(painter, whole.between(GUTTER + left, GUTTER + right + 2 * BESIDE))
        finally:
            painter.end()  # a painter must not outlive its image


def _columns(span: tuple[float, float]) -> tuple[int, int]:
    """Return the pixels of a strip, whole device pixels, that hold pixels of its viewport."""
    left, right = (min(max(x - GUTTER - BESIDE, 0.0), float(WIDE)) for x in span)
    return math.floor(left / COLUMN) * COLUMN, math.ceil(right / COLUMN) * COLUMN


def whole_scroll(viewport: Viewport, ratio: float) -> float:
    """Return the scroll of a viewport in whole device pixels, on which strips are shown."""
    return round(viewport.scroll * ratio) / ratio


def strip_viewport(viewport: Viewport, number: int) -> Viewport:
    """Return the viewport that sees a strip and what is beside it."""
    return viewport.part(number * WIDE - BESIDE, WIDE + 2 * BESIDE)


def update_moved(view: QWidget, *, gutter: bool = False) -> None:
    """Ask for a paint of a view whose axis moved, with what stands in the gutter or without."""
    if gutter:
        view.update()
    else:
        left = math.floor(GUTTER)
        view.update(QRect(left, 0, view.width() - left, view.height()))
