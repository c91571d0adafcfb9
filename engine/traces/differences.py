"""Where two merge traces of one text differ: merges, tokens, and the pre-tokens they are in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.traces.merges import MergeTrace

Ints = NDArray[np.int32]
Marks = NDArray[np.bool_]


class Differences(NamedTuple):
    """What two traces a and b don't share.

    steps: bool[steps of a], bool[steps of b], merges that the other one doesn't make of the same
    symbols. tokens: bool[tokens of a], bool[tokens of b], likewise for what is left in the end.
    pretokens: bool[p], those in which tokens differ. order: bool[p], those with the same tokens
    that are merged in another order.
    """

    steps: tuple[Marks, Marks]
    tokens: tuple[Marks, Marks]
    pretokens: Marks
    order: Marks


def differences(a: MergeTrace, b: MergeTrace) -> Differences:
    """Compare two traces of the same prepared text, by bytes and pieces."""
    steps = _unshared(
        (a.steps.start, a.steps.end, a.steps.middle), (b.steps.start, b.steps.end, b.steps.middle)
    )
    one, other = (trace.state(len(trace)) for trace in (a, b))
    tokens = _unshared((one.start, one.end, one.piece), (other.start, other.end, other.piece))
    count = len(a.prepared.fixed)
    pretokens = np.zeros(count, dtype=np.bool_)
    for state, marks in zip((one, other), tokens, strict=True):
        where = np.searchsorted(a.prepared.cuts, state.start[marks], side="right") - 1
        pretokens[where] = True
    return Differences(steps, tokens, pretokens, _reordered(a, b) & ~pretokens)


def _unshared(a: tuple[Ints, Ints, Ints], b: tuple[Ints, Ints, Ints]) -> tuple[Marks, Marks]:
    """Return which entries of each of two traces the other one doesn't have.

    An entry is a start, an end and a third number. In one trace no two have the same start and
    end: no symbol is made twice.
    """
    keys = [column[0].astype(np.int64) << 32 | column[1] for column in (a, b)]
    marks = []
    for i, (mine, other) in enumerate(((a, b), (b, a))):
        order = np.argsort(keys[1 - i], kind="stable")
        sorted_keys = keys[1 - i][order]
        if not len(order):
            marks.append(np.ones(len(keys[i]), dtype=np.bool_))
            continue
        at = np.minimum(np.searchsorted(sorted_keys, keys[i]), len(order) - 1)
        same = (sorted_keys[at] == keys[i]) & (other[2][order[at]] == mine[2])
        marks.append(~same)
    return marks[0], marks[1]


def _reordered(a: MergeTrace, b: MergeTrace) -> Marks:
    """Return the pre-tokens with as many merges in both, but not the same one after the other."""
    lengths = np.diff(a.step_cuts)
    moved = np.zeros(len(lengths), dtype=np.bool_)
    even = np.flatnonzero((lengths == np.diff(b.step_cuts)) & (lengths > 0))
    if not len(even):
        return moved
    counts = lengths[even]
    firsts = np.cumsum(counts) - counts
    inside = np.arange(int(counts.sum())) - np.repeat(firsts, counts)
    mine, other = (inside + np.repeat(trace.step_cuts[even], counts) for trace in (a, b))
    differs = (a.steps.start[mine] != b.steps.start[other]) | (
        a.steps.end[mine] != b.steps.end[other]
    )
    moved[even] = np.logical_or.reduceat(differs, firsts)
    return moved
