"""One pre-token of a merge trace, as the picture needs it: rows of symbols, and the rules at hand.

Rows are the states of the pre-token: row 0 before any merge, row r after its first r merges. Any
row is read from the trace without replaying those before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from engine.traces.merges import MergeTrace, Near

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Row:
    """Symbols of a row from left to right, int32[s] each.

    start, end: bytes of the prepared text. first, last: the initial symbols each is made of.
    rank: of the rule that merges a symbol with the next one, -1 where no rule does.
    """

    start: Ints
    end: Ints
    piece: Ints
    rank: Ints
    first: Ints
    last: Ints


@dataclass(frozen=True, eq=False)
class Rules:
    """Every rule that could act on a pre-token at some moment, by rank; int32[k] each.

    applied: the first step of the pre-token that applied it, -1 for one outranked every time.
    """

    rank: Ints
    left: Ints
    right: Ints
    result: Ints
    applied: Ints


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every pair of a pre-token that a rule could join at some moment.

    boundary: int64[c], the initial symbol that the pair's left half ends with. rank: int32[c].
    won: bool[c], the pair was merged.
    """

    boundary: NDArray[np.int64]
    rank: Ints
    won: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Word:
    """Pre-token number `pretoken` of a trace, with at least one byte."""

    trace: MergeTrace
    pretoken: int
    _kept: list[object] = field(default_factory=list, repr=False)

    @cached_property
    def steps(self) -> range:
        """Its steps in the trace."""
        return self.trace.steps_of(self.pretoken)

    @property
    def n_steps(self) -> int:
        return len(self.steps)

    @property
    def n_rows(self) -> int:
        return self.n_steps + 1

    @cached_property
    def span(self) -> tuple[int, int]:
        """Its bytes in the prepared text."""
        cuts = self.trace.prepared.cuts
        return int(cuts[self.pretoken]), int(cuts[self.pretoken + 1])

    @cached_property
    def _initial(self) -> tuple[Ints, Ints]:
        state = self.trace.state(self.steps.start, *self.span)
        return state.start, state.end

    @property
    def symbols(self) -> int:
        """Number of symbols before any merge."""
        return len(self._initial[0])

    def row(self, r: int, low: int = 0, high: int | None = None) -> Row:
        """Return row r, as far as it touches the initial symbols low … high."""
        starts, ends = self._initial
        if not len(starts):
            empty = np.zeros(0, dtype=np.int32)
            return Row(empty, empty, empty, empty, empty, empty)
        high = len(starts) - 1 if high is None else high
        near = self._near(int(starts[low]), int(ends[high]))
        state = self.trace.state_near(self.steps.start + r, near)
        return Row(
            state.start,
            state.end,
            state.piece,
            state.rank,
            np.searchsorted(starts, state.start).astype(np.int32),
            np.searchsorted(ends, state.end).astype(np.int32),
        )

    def _near(self, start: int, end: int) -> Near:
        """Return what stands on some bytes; a picture asks for many rows of the same."""
        if self._kept[:1] != [(start, end)]:
            self._kept[:] = (start, end), self.trace.near(start, end)
        return cast("Near", self._kept[1])

    def merge(self, step: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the initial symbols (first, last) of the left and the right half of a step."""
        starts, ends = self._initial
        steps, k = self.trace.steps, self.steps.start + step
        first = int(np.searchsorted(starts, steps.start[k]))
        middle = int(np.searchsorted(starts, steps.middle[k]))
        last = int(np.searchsorted(ends, steps.end[k]))
        return (first, middle - 1), (middle, last)

    @property
    def candidates(self) -> Candidates:
        """Every pair that a rule could join at some moment, where it stands and how it ended."""
        starts, _ = self._initial
        low, high = self.trace.pair_cuts[self.pretoken : self.pretoken + 2].tolist()
        pairs = self.trace.pairs
        boundary = np.searchsorted(starts, pairs.middle[low:high]) - 1
        return Candidates(boundary, pairs.rank[low:high], pairs.won[low:high].astype(np.bool_))

    @cached_property
    def rules(self) -> Rules:
        """Every rule that could act on the pre-token at some moment."""
        low, high = self.trace.pair_cuts[self.pretoken : self.pretoken + 2].tolist()
        pairs = self.trace.pairs
        left, right = pairs.left[low:high], pairs.right[low:high]
        never = np.iinfo(np.int32).max
        step = np.where(pairs.won[low:high], pairs.died[low:high] - 1 - self.steps.start, never)
        # Two symbols have one rule: to sort by them alone takes a tenth of sorting whole rows.
        keys = left.astype(np.int64) << 32 | right
        _, sample, which = np.unique(keys, return_index=True, return_inverse=True)
        applied = np.full(len(sample), never, dtype=np.int64)
        np.minimum.at(applied, which.reshape(-1), step)
        applied[applied == never] = -1
        columns = (pairs.rank[low:high], left, right, pairs.result[low:high])
        found = [column[sample].astype(np.int32) for column in columns]
        order = np.lexsort(found[::-1])
        ranks, lefts, rights, results = (column[order] for column in found)
        return Rules(ranks, lefts, rights, results, applied[order].astype(np.int32))
