"""Where two merge traces of one text differ: merges, tokens, and the pre-tokens they are in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.traces.merges import MergeTrace

Marks = NDArray[np.bool_]


class Differences(NamedTuple):
    """What two traces a and b don't share.

    steps: bool[steps of a], bool[steps of b], merges that the other one doesn't make of the same
    symbols. tokens: bool[tokens of a], bool[tokens of b], likewise for what is left in the end.
    pretokens: bool[p], those in which tokens differ. order: bool[p], those in which all the same is
    merged, in another order.
    """

    steps: tuple[Marks, Marks]
    tokens: tuple[Marks, Marks]
    pretokens: Marks
    order: Marks


def differences(a: MergeTrace, b: MergeTrace) -> Differences:
    """Compare two traces of the same prepared text, by bytes and pieces."""
    one, two = (np.stack([t.steps.start, t.steps.middle, t.steps.end], axis=1) for t in (a, b))
    steps = _unshared(one, two)
    ends = [trace.state(len(trace)) for trace in (a, b)]
    tokens = _unshared(*(np.stack([s.start, s.end, s.piece], axis=1) for s in ends))
    cuts = a.prepared.cuts
    count = len(a.prepared.fixed)
    pretokens, order = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for state, marks in zip(ends, tokens, strict=True):
        pretokens[np.searchsorted(cuts, state.start[marks], side="right") - 1] = True
    lengths = np.diff(a.step_cuts)
    same = lengths == np.diff(b.step_cuts)
    for pretoken in np.flatnonzero(same & (lengths > 1) & ~pretokens).tolist():
        mine, other = a.steps_of(pretoken), b.steps_of(pretoken)
        moved = bool((one[mine.start : mine.stop] != two[other.start : other.stop]).any())
        order[pretoken] = moved and not steps[0][mine.start : mine.stop].any()
    return Differences(steps, tokens, pretokens, order)


def _unshared(a: NDArray[np.int32], b: NDArray[np.int32]) -> tuple[Marks, Marks]:
    """Return which rows of each of two tables the other one doesn't have."""
    if not len(a) or not len(b):
        return np.ones(len(a), dtype=np.bool_), np.ones(len(b), dtype=np.bool_)
    rows = np.concatenate((a, b))
    number = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    mine, other = number[: len(a)], number[len(a) :]
    return ~np.isin(mine, other), ~np.isin(other, mine)
