"""One pre-token's merging as plain arrays: every symbol that ever exists, and the rules at hand.

Rows are the states of the pre-token: row 0 before any merge, row r after its first r merges. A
symbol stands in the rows from `born` up to, not including, `gone`, so any row is found without
replaying those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.trace import Symbols

Ints = NDArray[np.int32]
Pair = Callable[[int, int], tuple[int, int] | None]
"""Rank and result of the merge of two symbols, None where no rule joins them."""


@dataclass(frozen=True, eq=False)
class Merged:
    """The merges of a pre-token in order, int32[n] each: byte positions, ids and ranks."""

    start: Ints
    middle: Ints
    end: Ints
    left: Ints
    right: Ints
    result: Ints
    rank: Ints


@dataclass(frozen=True, eq=False)
class Rules:
    """Every rule that could act on a pre-token at some moment, by rank.

    rank, left, right: int32[k]. applied: int32[k], the first step that applied it, -1 for a rule
    that was outranked every time.
    """

    rank: Ints
    left: Ints
    right: Ints
    applied: Ints


@dataclass(frozen=True, eq=False)
class Word:
    """A pre-token while it merges.

    steps: its merges. start, end, piece: int32[s + n], all symbols: the s initial ones, then the
    result of each of n steps. born, gone: int32[s + n], rows. first, last: int32[s + n], the
    initial symbols that a symbol is made of. before, after: int32[n], the symbols that merge.
    """

    initial: int
    steps: Merged
    start: Ints
    end: Ints
    piece: Ints
    born: Ints
    gone: Ints
    first: Ints
    last: Ints
    before: Ints
    after: Ints
    pair: Pair

    @property
    def n_steps(self) -> int:
        return len(self.steps.rank)

    @property
    def n_rows(self) -> int:
        return self.n_steps + 1

    @cached_property
    def _row(self) -> Callable[[int], Ints]:
        @lru_cache(maxsize=64)
        def row(r: int) -> Ints:
            # What is born later can't be there yet, so a late row alone looks at all symbols.
            upto = self.initial + r
            alive = np.flatnonzero(self.gone[:upto] > r)
            return alive[np.argsort(self.start[alive], kind="stable")].astype(np.int32)

        return row

    def row(self, r: int) -> Ints:
        """Return the symbols of row r from left to right, as indices."""
        return self._row(r)

    def joint(self, left: int, right: int) -> tuple[int, int] | None:
        """Return rank and result of merging two symbols (indices), None where no rule does."""
        return self.pair(int(self.piece[left]), int(self.piece[right]))

    @cached_property
    def rules(self) -> Rules:
        """Every rule that could act on the pre-token at some moment. O(steps)."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        piece = self.piece.tolist()

        def meet(left: int, right: int) -> None:
            key = (piece[left], piece[right])
            if key not in found:
                rule = self.pair(*key)
                if rule is not None:
                    found[key] = (rule[0], -1)

        first, last = self.first.tolist(), self.last.tolist()
        starts_at, ends_at = list(range(self.initial)), list(range(self.initial))
        for i in range(self.initial - 1):
            meet(i, i + 1)
        for step in range(self.n_steps):
            key = (piece[self.before[step]], piece[self.after[step]])
            rank, applied = found.get(key, (int(self.steps.rank[step]), -1))
            if applied < 0:
                found[key] = (rank, step)
            new = self.initial + step
            starts_at[first[new]] = ends_at[last[new]] = new
            if first[new] > 0:
                meet(ends_at[first[new] - 1], new)
            if last[new] + 1 < self.initial:
                meet(new, starts_at[last[new] + 1])
        rows = sorted((rank, *key, applied) for key, (rank, applied) in found.items())
        table = np.array(rows, dtype=np.int32).reshape(-1, 4)
        return Rules(table[:, 0], table[:, 1], table[:, 2], table[:, 3])


def build_word(initial: Symbols, steps: Merged, pair: Pair) -> Word:
    """Follow the symbols of a pre-token through its merges. O(symbols + steps).

    initial: its symbols before any merge.
    """
    s, n = len(initial.start), len(steps.rank)
    born = np.concatenate((np.zeros(s, dtype=np.int32), np.arange(1, n + 1, dtype=np.int32)))
    gone = np.full(s + n, n + 1, dtype=np.int32)
    first = np.concatenate((np.arange(s), np.searchsorted(initial.start, steps.start)))
    last = np.concatenate((np.arange(s), np.searchsorted(initial.end, steps.end)))
    middle = np.searchsorted(initial.start, steps.middle)
    at = list(range(s))
    before, after = [0] * n, [0] * n
    for step, (i, j) in enumerate(zip(first[s:].tolist(), middle.tolist(), strict=True)):
        before[step], after[step] = at[i], at[j]
        at[i] = s + step
    left, right = np.array(before, dtype=np.int32), np.array(after, dtype=np.int32)
    gone[left] = gone[right] = np.arange(1, n + 1, dtype=np.int32)
    return Word(
        s,
        steps,
        np.concatenate((initial.start, steps.start)).astype(np.int32),
        np.concatenate((initial.end, steps.end)).astype(np.int32),
        np.concatenate((initial.piece, steps.result)).astype(np.int32),
        born,
        gone,
        first.astype(np.int32),
        last.astype(np.int32),
        left,
        right,
        pair,
    )
