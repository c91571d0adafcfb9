"""The whole tie sets of a run: all pairs that were as good as the one that merged.

A run notes how many there were. Which ones is found by doing its merges again, without choosing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.kernels import compiled
from engine.progress import Report, silent
from engine.train.merges import LearntMerges, Rules, Select
from engine.train.units import Units

Pair = tuple[int, int]

CLOSE = 1e-12
"""Quotients that differ by less, relative to them, are compared exactly. Of floats each has an
error of some 10⁻¹⁶."""

MOST = 20_000_000
"""Pairs of all tie sets that a record may hold: it is made in memory."""


def check_ties(learnt: LearntMerges) -> None:
    """Raise `ParameterError` for more than `MOST` pairs in the tie sets of a run."""
    total = int(learnt.ties.sum(dtype=np.int64))
    if total > MOST:
        raise ParameterError(
            f"the tie sets hold {total:,} pairs, more than {MOST:,}",
            "",
            "ask for fewer merges or a higher lowest count, or leave the tie sets out",
        )


def tie_sets(
    units: Units,
    learnt: LearntMerges,
    report: Report = silent,
    select: Select = "frequency",
    least: int = 1,
) -> Iterator[list[Pair]]:
    """Yield the whole tie set of each merge in order, each as `ties_at` gives it."""
    rules = _again(learnt, len(learnt))
    if compiled(len(units.symbols)):
        from engine.train.compiled import pair_states
    else:
        from engine.train.plain import pair_states
    totals = _Totals(units, learnt)
    for step, (keys, counts) in enumerate(pair_states(units, rules, report)):
        yield _tied(keys, counts, learnt, step, totals if select == "likelihood" else None, least)
        totals.merge(step)


def ties_at(
    units: Units,
    learnt: LearntMerges,
    step: int,
    select: Select = "frequency",
    least: int = 1,
) -> list[Pair]:
    """Return the whole tie set of a merge, sorted by symbols: the pairs that were as good then.

    step: from 0. select, least: of the run. By likelihood pairs that occur less often than `least`
    aren't among them. The merges before it are done again, which takes as long as learning them
    did. Empty for a merge that was given. Pairs that a veto or the greatest length kept out are
    among them.
    """
    if not 0 <= step < len(learnt):
        raise ParameterError(f"step {step}", "", f"there are {len(learnt):,}, counted from 0")
    if compiled(len(units.symbols)):
        from engine.train.compiled import pairs_after
    else:
        from engine.train.plain import pairs_after
    totals = None
    if select == "likelihood":
        totals = _Totals(units, learnt)
        for before in range(step):
            totals.merge(before)
    keys, counts = pairs_after(units, _again(learnt, step), silent)
    return _tied(keys, counts, learnt, step, totals, least)


def _again(learnt: LearntMerges, merges: int) -> Rules:
    """Return rules by which so many merges are done again."""
    left, right = learnt.left[:merges].tolist(), learnt.right[:merges].tolist()
    return Rules(merges, learnt.tie_break, 1, given=list(zip(left, right, strict=True)))


class _Totals:
    """How often each symbol stands, as merges are done again: int64 by symbol."""

    def __init__(self, units: Units, learnt: LearntMerges) -> None:
        self._learnt = learnt
        self._made = -np.diff(learnt.tokens)
        self.counts = symbol_counts(units, len(learnt.base) + len(learnt))

    def merge(self, step: int) -> None:
        """Go on from before a merge to after it."""
        learnt, counts, made = self._learnt, self.counts, self._made[step]
        counts[learnt.left[step]] -= made
        counts[learnt.right[step]] -= made
        counts[len(learnt.base) + step] = made


def symbol_counts(units: Units, symbols: int) -> NDArray[np.int64]:
    """Return how often each of so many symbols stands before any merge, int64[symbols]."""
    weight = np.repeat(units.counts, np.diff(units.offsets)).astype(np.float64)
    # Sums below 2⁵³ are exact.
    return np.bincount(units.symbols, weight, minlength=symbols).astype(np.int64)


def _tied(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    learnt: LearntMerges,
    step: int,
    totals: _Totals | None,
    least: int,
) -> list[Pair]:
    """Return which pairs are as good as the one that merges, by ids; totals: for quotients."""
    if learnt.ties[step] == 0:
        return []
    count = int(learnt.count[step])
    if totals is None:
        return _pairs(np.sort(keys[counts == count]))
    total = totals.counts
    keys, counts = keys[counts >= max(least, 1)], counts[counts >= max(least, 1)]
    product = total[keys >> np.uint64(32)].astype(np.float64) * total[keys & np.uint64(0xFFFFFFFF)]
    alone = int(total[learnt.left[step]]) * int(total[learnt.right[step]])
    near = np.abs(counts / product * (alone / count) - 1) <= CLOSE
    order = np.argsort(keys[near])
    pairs, often = _pairs(keys[near][order]), counts[near][order].tolist()
    return [
        (a, b)
        for (a, b), n in zip(pairs, often, strict=True)
        if n * alone == count * (int(total[a]) * int(total[b]))
    ]


def _pairs(keys: NDArray[np.uint64]) -> list[Pair]:
    left = (keys >> np.uint64(32)).astype(np.int64).tolist()
    return list(zip(left, (keys & np.uint64(0xFFFFFFFF)).astype(np.int64).tolist(), strict=True))
