"""Where the bricks of a word stand: as wide as the room allows, down to what can still be read.

A merged symbol is as wide as the initial symbols that it is made of, with the joints between
them, so every brick stands under what it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFontMetricsF

from app.draw.word import Word
from app.theme import SIZE_DATA, SIZE_NOTE, Theme

Floats = NDArray[np.float64]

SMALLEST, NARROW, WIDEST = 18.0, 38.0, 100.0
"""Width of an initial symbol's brick: the least, the least with room to spare, and the most."""

MARGIN = 24.0
PAD = 4.0
"""Pixels between a brick's side and its text."""

Label = Callable[[int, int, int], tuple[str, bool]]
"""From (piece, start, end) of a symbol: its text, and whether it is a byte fragment."""


@dataclass(frozen=True, eq=False)
class RowGrid:
    """Where the bricks of a word stand: `cell` pixels for each initial symbol, joints between.

    joints: float64[symbols - 1], pixels between an initial symbol and the next one. rank_size:
    pixel size of the ranks in the joints. mirrored: the first symbol is at the right.
    """

    cell: float
    joints: Floats
    rank_size: int = SIZE_DATA
    mirrored: bool = False

    @property
    def symbols(self) -> int:
        """Number of initial symbols."""
        return len(self.joints) + 1

    @cached_property
    def _begin(self) -> Floats:
        """Where each initial symbol begins, counted in reading direction from the first."""
        begin = np.arange(self.symbols) * self.cell
        begin[1:] += np.cumsum(self.joints)
        return np.asarray(begin)

    @cached_property
    def width(self) -> float:
        """Pixels of the whole word, with a margin on both sides."""
        return float(self._begin[-1]) + self.cell + 2 * MARGIN

    def left(self, first: int, last: int) -> float:
        """Return the left edge of a brick made of the initial symbols first … last."""
        if self.mirrored:
            return self.width - MARGIN - float(self._begin[last]) - self.cell
        return MARGIN + float(self._begin[first])

    def size(self, first: int, last: int) -> float:
        """Return the width of a brick made of the initial symbols first … last."""
        return float(self._begin[last] - self._begin[first]) + self.cell

    def cells_in(self, left: float, right: float) -> tuple[int, int]:
        """Return the first and last initial symbol that [left, right] may touch."""
        if self.mirrored:
            left, right = self.width - right, self.width - left
        low = int(np.searchsorted(self._begin, left - MARGIN, side="right")) - 1
        high = int(np.searchsorted(self._begin, right - MARGIN, side="right"))
        return min(max(low, 0), self.symbols - 1), min(max(high, 0), self.symbols - 1)


@dataclass(frozen=True, eq=False)
class Needs:
    """How much room a word asks for, in pixels.

    symbol: the least width of an initial symbol's brick in which its text can be read. joints:
    float64[symbols - 1], the least width of each joint, for the longest rank that ever stands in
    it. joint: the width of every joint where there is room to spare.
    """

    symbol: float
    joints: Floats
    joint: float


def needs_of(word: Word, label: Label, theme: Theme) -> Needs:
    """Measure the symbols and the ranks of a word."""
    row = word.row(0)
    text = QFontMetricsF(theme.piece_font(SIZE_NOTE))
    widest = 0.0
    for i in np.unique(row.piece, return_index=True)[1].tolist():
        shown, _ = label(int(row.piece[i]), int(row.start[i]), int(row.end[i]))
        widest = max(widest, text.horizontalAdvance(shown))
    joints = np.full(max(word.symbols - 1, 0), 16.0)
    pairs = word.candidates
    winner, other = rank_widths(theme, SIZE_NOTE)
    digits = np.char.str_len(pairs.rank.astype(str)) if len(pairs.rank) else pairs.rank
    wide = np.where(pairs.won, winner[digits] + 4, other[digits] + 8)
    np.maximum.at(joints, pairs.boundary, wide)
    roomy = 34.0
    if len(digits):
        roomy = max(float(rank_widths(theme, SIZE_DATA)[0][digits.max()]) + 8, roomy)
    return Needs(min(max(widest + 2 * PAD, SMALLEST), NARROW), joints, roomy)


def rank_widths(theme: Theme, size: int) -> tuple[Floats, Floats]:
    """Return the pixels of a rank of 0 … 10 digits: of the winner with its pill, of another."""
    shown = ["–", *(f"{10**n:,}".replace("1", "0") for n in range(10))]
    bold, plain = (QFontMetricsF(theme.font(size, bold=b)) for b in (True, False))
    winner = np.array([pill_width(bold.horizontalAdvance(text), size) for text in shown])
    return winner, np.array([plain.horizontalAdvance(text) for text in shown])


def pill_width(text: float, size: int) -> float:
    """Return the width of the pill round a rank whose text takes so many pixels."""
    return max(text + size + 2, 2.0 * size + 2)


def fit_grid(needs: Needs, room: float, zoom: float = 1.0, mirrored: bool = False) -> RowGrid:
    """Make bricks and joints as wide as the room allows, times the zoom.

    Where the room is scarce, bricks and joints give up what they don't need, all by the same
    share; a word that asks for more even so is wider than the room.
    """
    count = len(needs.joints) + 1
    room -= 2 * MARGIN
    least = count * needs.symbol + float(needs.joints.sum())
    joints = np.maximum(needs.joints, needs.joint)
    comfortable = count * NARROW + float(joints.sum())
    if comfortable <= room:
        cell = min((room - float(joints.sum())) / count, WIDEST)
        return RowGrid(max(cell * zoom, 14.0), joints, SIZE_DATA, mirrored)
    share = max(room - least, 0.0) / (comfortable - least) if comfortable > least else 0.0
    joints = needs.joints + share * (joints - needs.joints)
    cell = needs.symbol + share * (NARROW - needs.symbol)
    return RowGrid(max(cell * zoom, 14.0), joints, SIZE_NOTE, mirrored)
