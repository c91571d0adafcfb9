"""The pieces of a stage placed on the axis of the text as given.

Pieces that can't be told apart there (their stretches overlap, or they share one unit of the axis)
make one cell; a piece that stands for nothing in the text goes with the one after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.draw.axis import Axis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StageCells:
    """The cells of a stage in text order.

    first, last: int64[c], pieces [first, last) of each. start, end: int64[c], bytes of the text.
    rect_cell: int64[r]; rect_left, rect_right: float64[r], at zoom 1: one rectangle a cell, more
    where the direction turns. lost_left, lost_right: float64, where nothing is left. ghost: the
    first cell stands before the text and for nothing in it.
    """

    first: Ints
    last: Ints
    start: Ints
    end: Ints
    rect_cell: Ints
    rect_left: Floats
    rect_right: Floats
    lost_left: Floats
    lost_right: Floats
    ghost: bool

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def widest(self) -> NDArray[np.bool_]:
        """Which rectangles, bool[r], are the widest of their cell: it bears the text."""
        width = self.rect_right - self.rect_left
        most = np.zeros(len(self.first))
        np.maximum.at(most, self.rect_cell, width)
        return np.asarray(width >= most[self.rect_cell])

    def cell_at(self, x: float) -> int:
        """Return the cell at a place on the axis, -1 where there is none."""
        hit = np.flatnonzero((self.rect_left <= x) & (x <= self.rect_right))
        return int(self.rect_cell[hit[0]]) if len(hit) else -1

    def cell_of(self, byte: int) -> int:
        """Return the cell that covers a byte of the text, else the one before it; -1 for none."""
        wide = np.flatnonzero((self.start <= byte) & (byte < self.end))
        if len(wide):
            return int(wide[0])
        return int(np.searchsorted(self.start, byte, side="right")) - 1


def place_stage(
    start: NDArray[np.int32], end: NDArray[np.int32], lost: NDArray[np.int32], axis: Axis
) -> StageCells:
    """Group pieces with the byte spans [start, end) into cells, and give those their places.

    lost: int32[l, 2], stretches of which nothing is left.
    """
    starts, ends = start.astype(np.int64), np.maximum(end, start).astype(np.int64)
    inside = np.flatnonzero(ends <= axis.shown)
    count = int(inside[-1]) + 1 if len(inside) else 0
    starts, ends = starts[:count], np.minimum(ends[:count], axis.shown)
    wide = ends > starts
    ghosts = int(np.argmax(wide)) if wide.any() else count
    opens = np.ones(count, dtype=np.bool_)
    if count > 1:
        reach = np.maximum.accumulate(np.where(wide, ends, 0))
        opens[1:] = (starts[1:] >= reach[:-1]) & wide[:-1]
        if axis.unit == "grapheme":
            opens[1:] &= np.isin(starts[1:], axis.bounds)
        opens[1:ghosts] = False
        if ghosts < count:
            opens[ghosts] = True
            # What stands for nothing at the end has no piece after it to go with.
            tail = count - int(np.argmax(wide[::-1]))
            opens[tail:] = False
    first = np.flatnonzero(opens)
    last = np.append(first[1:], count)[: len(first)]
    cell_start = np.minimum.reduceat(starts, first) if count else starts
    cell_end = np.maximum.reduceat(ends, first) if count else ends
    cells = axis.rectangles(cell_start.astype(np.float64), cell_end.astype(np.float64))
    gone = np.minimum(lost.astype(np.float64), axis.shown).reshape(-1, 2)
    _, lost_left, lost_right = axis.rectangles(gone[:, 0], gone[:, 1])
    return StageCells(first, last, cell_start, cell_end, *cells, lost_left, lost_right, ghosts > 0)
