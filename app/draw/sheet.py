"""A picture on the axis that is kept while it only moves: a sheet that is wider than the view.

A view that is dragged shows another part of its sheet, and only what comes onto the sheet is
painted. Where the picture changes, as at each key that is typed, what looks the same stays, what
stands some pixels further is moved there, and only the rest is painted again.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.draw.axis import Axis
from app.draw.contents import STAYED, Change, Content, Move, move_between, whole_view
from app.draw.viewport import GUTTER, MARGIN, Viewport

SPARE = 160
"""Pixels of a sheet on both sides of the view."""

BESIDE = 24
"""Pixels beside a part that is painted of which is painted what reaches into it."""

COLUMN = 20
"""What is painted begins and ends at a multiple of this: whole device pixels at usual ratios."""


class Sheet:
    """What is kept of one picture. Its pixels are those of the zoomed axis from the left end of
    a view that isn't scrolled, so a scroll of s shows pixel s at the gutter.

    paint: called with a painter and a viewport that sees the part that is to be painted; x on
    that painter is that viewport's. When anything changes that the picture depends on, but zoom,
    height and axis, call `clear`, or `review` where all that can have changed is in `content`.
    content: what the picture shows, seen by a viewport of all of it; None where that can't be told.
    changed: called when it was looked at again, before anything is painted, with the change in
    pixels of a viewport of all of it; None where all is painted. painted: called with a viewport,
    and two pixels of it between which the picture was painted anew.
    """

    def __init__(
        self,
        paint: Callable[[QPainter, Viewport], None],
        content: Callable[[Viewport], Content | None],
        changed: Callable[[Change | None], None] = lambda change: None,
        painted: Callable[[Viewport, float, float], None] = lambda viewport, left, right: None,
    ) -> None:
        self._paint, self._content = paint, content
        self._tell_changed, self._tell_painted = changed, painted
        self._look: tuple[float, float, float, object] = (0.0, 0.0, 0.0, None)
        self._axis: Axis | None = None
        self._image: QImage | None = None
        self._left = self._right = 0
        """The pixels of the picture between which the image is."""
        self._shown: Content | None = None
        self._reviewed = self._sure = False
        """Whether the content is wanted; whether the image is known to show what is."""

    @property
    def sure(self) -> bool:
        """Whether it shows what is, as far as it goes."""
        return self._sure and self._image is not None

    @property
    def _in_parts(self) -> bool:
        """Whether there is an image of which a part can be painted, or moved."""
        return self._image is not None and (COLUMN * self._look[2]).is_integer()

    def clear(self) -> None:
        """Forget what was painted."""
        self._image, self._shown = None, None
        self._reviewed = self._sure = False

    def review(self) -> None:
        """Look at the content before the picture is shown again."""
        self._sure, self._reviewed = False, True

    def draw(
        self,
        painter: QPainter,
        viewport: Viewport,
        height: float,
        paper: QColor,
        frame: object = None,
    ) -> None:
        """Draw the picture in view, right of the gutter. frame: where it has its parts."""
        ratio = painter.device().devicePixelRatioF()
        look = (viewport.zoom, height, ratio, frame)
        if look != self._look:
            self._look = look
            self.clear()
        before = self._axis
        if viewport.axis is not before:
            self._axis = viewport.axis
            self.review()
        scroll = whole_scroll(viewport, ratio)
        if not self._sure:
            self._look_again(viewport, before, paper)
        self._reach(viewport, scroll, paper)
        if self._image is None:
            return
        painter.save()
        painter.setClipRect(QRectF(GUTTER, 0, viewport.width, height))
        place = round((GUTTER + self._left - scroll) * ratio) / ratio
        painter.drawImage(QPointF(place, 0), self._image)
        painter.restore()

    def _look_again(self, viewport: Viewport, before: Axis | None, paper: QColor) -> None:
        """Paint what the image doesn't show as it is."""
        axis, shown = viewport.axis, self._shown
        self._shown = None
        # At each frame of a zoom all is new: nobody will ask what it was.
        if self._reviewed and axis is not None:
            self._shown = self._content(whole_view(axis, viewport.zoom))
        self._sure = True
        change = None
        if self._in_parts and self._shown is not None and shown is not None:
            change = self._shown.change(shown, self._move(before, axis))
        self._tell_changed(change)
        if change is None:
            self._image = None
        elif change.spans:
            self._change(viewport, change, paper)

    def _move(self, before: Axis | None, axis: Axis | None) -> Move:
        """Return how what follows an edit moved, where the image can show it moved."""
        if axis is None or before is None or axis is before:
            return STAYED
        zoom, _, ratio, _ = self._look
        move = move_between(before, axis)
        pixels = move.step * zoom * ratio
        whole = round(pixels)
        if abs(pixels - whole) > 0.001 or abs(whole) > self._right - self._left:
            return STAYED
        return Move(GUTTER + MARGIN + move.cut * zoom, whole / ratio)

    def _change(self, viewport: Viewport, change: Change, paper: QColor) -> None:
        """Move what moved, and paint what changed, as far as the sheet goes."""
        low, high, image = self._left, self._right, self._image
        assert image is not None
        spans = [(_down(left - GUTTER), _up(right - GUTTER)) for left, right in change.spans]
        step = change.move.step
        if step:
            left, right = (min(max(x - GUTTER, low), high) for x in change.move.opened)
            # What is copied begins and ends at whole device pixels. What was beyond the sheet is
            # painted.
            if right < low + step:
                spans.append((_down(right), _up(low + step)))
            left, first = _down(left), min(_up(max(right, low + step)), high)
            last = min(high, high + step)
            if last < high:
                spans.append((_down(last), high))
            self._image = self._blank()
            painter = QPainter(self._image)
            _copy(painter, image, 0.0, left - low, 0.0)
            _copy(painter, image, first - step - low, last - step - low, step)
            painter.end()
        for left, right in spans:
            self._paint_between(viewport, max(left, low), min(right, high), paper)

    def _reach(self, viewport: Viewport, scroll: float, paper: QColor) -> None:
        """Make the sheet reach over the view."""
        left, right = math.floor(scroll), math.ceil(scroll + viewport.width)
        if self._image is not None and self._left <= left and right <= self._right:
            return
        image = self._image if self._in_parts else None
        wide = _up(right - left) + 2 * SPARE
        start = _down((left + right - wide) / 2)
        before = (self._left, self._right)
        self._left, self._right = start, start + wide
        self._image = self._blank()
        # What is on both sheets is copied.
        first, last = max(before[0], self._left), min(before[1], self._right)
        if image is None or first >= last:
            self._paint_between(viewport, self._left, self._right, paper)
            return
        painter = QPainter(self._image)
        _copy(painter, image, first - before[0], last - before[0], before[0] - self._left)
        painter.end()
        self._paint_between(viewport, self._left, first, paper)
        self._paint_between(viewport, last, self._right, paper)

    def _blank(self) -> QImage:
        """Return an image of the sheet's size."""
        _, height, ratio, _ = self._look
        wide, high = (self._right - self._left) * ratio, math.ceil(height * ratio)
        image = QImage(round(wide), high, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        return image

    def _paint_between(self, viewport: Viewport, left: float, right: float, paper: QColor) -> None:
        """Paint the picture between two of its pixels."""
        if left >= right:
            return
        assert self._image is not None
        height = self._look[1]
        painter = QPainter(self._image)
        # Where it is painted doesn't change what it looks like to the last bit.
        painter.translate(-GUTTER - self._left, 0)
        room = QRectF(GUTTER + left, 0, right - left, math.ceil(height))
        painter.setClipRect(room)
        painter.fillRect(room, paper)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = viewport.between(room.left() - BESIDE, room.right() + BESIDE)
        try:
            self._paint(painter, seen)
        finally:
            painter.end()  # a painter must not outlive its image
        self._tell_painted(seen, room.left(), room.right())


def _copy(painter: QPainter, image: QImage, left: float, right: float, step: float) -> None:
    """Draw what is between two pixels of an image `step` pixels further right on another."""
    if left < right:
        ratio = image.devicePixelRatio()
        source = QRectF(left * ratio, 0, (right - left) * ratio, image.height())
        painter.drawImage(QPointF(left + step, 0), image, source)


def _down(pixel: float) -> int:
    """Return the last pixel at which what is painted may begin."""
    return math.floor(pixel / COLUMN) * COLUMN


def _up(pixel: float) -> int:
    """Return the first pixel at which what is painted may end."""
    return math.ceil(pixel / COLUMN) * COLUMN


def whole_scroll(viewport: Viewport, ratio: float) -> float:
    """Return the scroll of a viewport in whole device pixels, on which sheets are shown."""
    return round(viewport.scroll * ratio) / ratio


def update_moved(view: QWidget, *, gutter: bool = False) -> None:
    """Ask for a paint of a view whose axis moved, with what stands in the gutter or without."""
    if gutter:
        view.update()
    else:
        left = math.floor(GUTTER)
        view.update(QRect(left, 0, view.width() - left, view.height()))
