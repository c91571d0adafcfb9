"""Which part of the axis is in view, and how large: one object that all rows follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.draw.axis import Axis

Floats = NDArray[np.float64]

GUTTER = 152.0
"""Pixels at the left that labels of rows take; the axis is seen right of it."""

MARGIN = 24.0
"""Pixels kept free on both sides of the axis, also for what stands before the first byte."""

SMALLEST, LARGEST = 0.0005, 8.0
WIDEST_FIT, WIDEST_JOINED = 6.5, 1.35
"""The zoom that a short text is given at most, unless told; less where letters join."""

STEP = 1.25


class Viewport(QObject):
    """Zoom and scroll of an axis. x on screen = GUTTER + MARGIN + x · zoom − scroll."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None, widest: float = WIDEST_FIT) -> None:
        super().__init__(parent)
        self._widest = widest
        self._axis: Axis | None = None
        self._width = 600.0
        self._zoom = 1.0
        self._scroll = 0.0
        self._fitted = True
        self._between: tuple[float, float] | None = None

    @property
    def axis(self) -> Axis | None:
        return self._axis

    @property
    def zoom(self) -> float:
        return self._zoom

    @property
    def scroll(self) -> float:
        """Pixels of the zoomed axis that are out of view at the left."""
        return self._scroll

    @property
    def width(self) -> float:
        """Pixels of the axis in view, margins included."""
        return self._width

    @property
    def full(self) -> float:
        """Pixels of the whole zoomed axis, margins included."""
        return (self._axis.width if self._axis else 0.0) * self._zoom + 2 * MARGIN

    @property
    def overflows(self) -> bool:
        """Whether a part of the axis is out of view."""
        return self.full > self._width + 0.5

    @property
    def visible(self) -> tuple[float, float]:
        """The x at zoom 1 of both ends of the view."""
        left, right = self.ends
        return self.from_screen(left), self.from_screen(right)

    @property
    def ends(self) -> tuple[float, float]:
        """The screen pixels between which the axis is seen."""
        return self._between or (GUTTER, GUTTER + self._width)

    def to_screen(self, x: Floats) -> Floats:
        """Return screen pixels of places on the axis."""
        return x * self._zoom + (GUTTER + MARGIN - self._scroll)

    def screen(self, x: float) -> float:
        """Return the screen pixel of one place on the axis."""
        return x * self._zoom + (GUTTER + MARGIN - self._scroll)

    def from_screen(self, pixel: float) -> float:
        """Return the place on the axis at a screen pixel."""
        return (pixel - GUTTER - MARGIN + self._scroll) / self._zoom

    def set_axis(self, axis: Axis, edited: float | None = None) -> None:
        """Follow another axis; zoom stays where a person set it, else the new text is fitted.

        edited: the x at which a person changed the text that was shown. The view then stays where
        it is, as far as that place is seen.
        """
        before, scroll, zoom = self._axis, self._scroll, self._zoom
        same = before is not None and (before.text is axis.text or edited is not None)
        self._axis = axis
        if self._fitted or not same:
            self._fit()
        if before is not None and same and zoom == self._zoom:
            self._scroll = scroll
            if axis.mirrored and before.mirrored:
                self._scroll += (axis.width - before.width) * zoom
        if edited is not None:
            place = edited * self._zoom + MARGIN
            room = min(2 * MARGIN, self._width / 4)
            self._scroll = min(self._scroll, place - room)
            self._scroll = max(self._scroll, place + room - self._width)
        self._clamp()
        self.changed.emit()

    def set_width(self, width: float) -> None:
        """Take the width of the view from the widget that shows it."""
        width = max(width, 80.0)
        if width != self._width:
            self._width = width
            if self._fitted:
                self._fit()
            else:
                self._clamp()
            self.changed.emit()

    def fit(self) -> None:
        """Fill the view with the text where it stays legible; a long text starts at its start."""
        self._fit()
        self.changed.emit()

    def show_all(self) -> None:
        """Make the whole text fit into the view."""
        if self._axis is not None and self._axis.width:
            self._fitted = False
            wanted = (self._width - 2 * MARGIN) / self._axis.width
            self._zoom = min(max(wanted, SMALLEST), LARGEST)
            self._clamp()
            self.changed.emit()

    def zoom_by(self, factor: float, pixel: float | None = None) -> None:
        """Zoom; what stands at `pixel` (the middle by default) stays there."""
        if pixel is None:
            pixel = GUTTER + self._width / 2
        place = self.from_screen(pixel)
        self._zoom = min(max(self._zoom * factor, SMALLEST), LARGEST)
        self._fitted = False
        self._scroll = place * self._zoom + GUTTER + MARGIN - pixel
        self._clamp()
        self.changed.emit()

    def pan(self, pixels: float) -> None:
        """Move the view to the right by `pixels`."""
        self.scroll_to(self._scroll + pixels)

    def scroll_to(self, scroll: float) -> None:
        """Set the number of pixels out of view at the left."""
        before = self._scroll
        self._scroll = scroll
        self._clamp()
        if self._scroll != before:
            self.changed.emit()

    def reveal(self, left: float, right: float) -> None:
        """Scroll so that the stretch [left, right] of the axis is seen, as far as it fits."""
        first, last = left * self._zoom + MARGIN, right * self._zoom + MARGIN
        if last - first > self._width:
            self.scroll_to((first + last - self._width) / 2)
        elif first < self._scroll:
            self.scroll_to(first - MARGIN)
        elif last > self._scroll + self._width:
            self.scroll_to(last + MARGIN - self._width)

    def _fit(self) -> None:
        self._fitted = True
        self._zoom = 1.0
        axis = self._axis
        if axis is not None and axis.width:
            wanted = (self._width - 2 * MARGIN) / axis.width
            # Letters that join are stretched with the axis: that far they still look well.
            largest = min(self._widest, WIDEST_JOINED) if axis.runs else self._widest
            # A text a little too wide is rather drawn a little smaller than scrolled.
            self._zoom = min(wanted, largest) if wanted > 0.8 else 1.0
        self._scroll = 0.0
        if axis is not None and axis.mirrored:
            self._scroll = self.full - self._width
        self._clamp()

    def _clamp(self) -> None:
        spare = self.full - self._width
        if spare > 0:
            self._scroll = min(max(self._scroll, 0.0), spare)
        else:
            # What fits stands at its start: the left, or the right of a mirrored axis.
            mirrored = self._axis is not None and self._axis.mirrored
            self._scroll = spare if mirrored else 0.0

    def follow(self, other: Viewport) -> None:
        """Take zoom, scroll and width of another viewport, keeping the own axis."""
        self._zoom, self._scroll, self._width = other.zoom, other.scroll, other.width
        self._fitted = False
        self.changed.emit()

    def part(self, scroll: float, width: float) -> Viewport:
        """Return a viewport of the same axis and zoom that sees another stretch of it."""
        return Viewport.of(self._axis, self._zoom, scroll, width)

    @classmethod
    def of(cls, axis: Axis | None, zoom: float, scroll: float, width: float) -> Viewport:
        """Return a viewport that sees a stretch of an axis."""
        made = cls()
        made._axis, made._zoom = axis, zoom
        made._scroll, made._width, made._fitted = scroll, width, False
        return made

    def between(self, left: float, right: float) -> Viewport:
        """Return a viewport as wide as this one that isn't scrolled, and of which only a part is
        seen, given in pixels: it may lie beyond its width."""
        other = self.part(0.0, self._width)
        other._between = (left, right)
        return other

    def hold(self, axis: Axis | None) -> None:
        """Show another axis without moving."""
        self._axis = axis
        self.changed.emit()

    @property
    def fitted(self) -> bool:
        """Whether zoom and place are the default ones."""
        return self._fitted

    def restore(self, zoom: float, scroll: float) -> None:
        """Take back a zoom and a place that a person had set."""
        self._fitted = False
        self._zoom = min(max(zoom, SMALLEST), LARGEST)
        self._scroll = scroll
        self._clamp()
        self.changed.emit()
