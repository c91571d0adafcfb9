"""The pieces that EM begins with: characters, and the substrings that cover most of the corpus.

Kudo, "Subword Regularization" (ACL 2018), section 3.2, takes frequent substrings from a suffix
array; the score of one is how often it occurs times its length, as in SentencePiece. Suffixes are
sorted by their first symbols alone, as many as the longest piece has, by doubling (Manber & Myers,
"Suffix Arrays", SIAM J. Comput. 1993).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.kernels import compiled
from engine.train.em import Inventory
from engine.train.stretches import Stretches, key_size, packed
from engine.train.words import SPACE


def seed_pieces(
    stretches: Stretches, most: int, longest: int, look: Callable[[], None] = lambda: None
) -> Inventory:
    """Return every character of the alphabet, and at most `most` substrings of 2 to `longest`.

    A substring occurs at least twice, isn't always followed by the same symbol unless that is the
    mark for a space, and doesn't end with the mark. Scores are the
    logarithms of the substrings' share of all scores; equal ones go by the order of substrings.
    look: called between steps; it may raise, to cancel.
    """
    order, ends = suffix_order(stretches, longest, look)
    symbols = stretches.symbols
    sizes = np.minimum(ends[order] - order, longest + 1).astype(np.int32)
    weights = np.repeat(stretches.counts, np.diff(stretches.offsets))[order]
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(weights)))
    del weights
    look()
    left, right, length = _intervals(stretches, order, ends, sizes, before, longest)
    look()
    score = (before[right] - before[left]) * length
    if len(score) > most:
        chosen = np.argsort(-score, kind="stable")[:most]
        left, right, length = left[chosen], right[chosen], length[chosen]
    first = symbols[order]
    bounds = np.searchsorted(first, np.arange(len(stretches.alphabet) + 1)).astype(np.int32)
    del first
    left = np.concatenate((bounds[:-1], left))
    right = np.concatenate((bounds[1:], right))
    length = np.concatenate((np.ones(len(stretches.alphabet), dtype=np.int32), length))
    # Wide intervals first: a piece comes after those that it begins with.
    sequence = np.lexsort((length, left))
    left, right, length = left[sequence], right[sequence], length[sequence]
    covered = ((before[right] - before[left]) * length).astype(np.float64)
    look()
    parent = np.empty(len(left), dtype=np.int32)
    deepest = np.empty(len(symbols), dtype=np.int32)
    if compiled(len(symbols)):
        from engine.kernels.suffix import attach
    else:
        from engine.train.em_plain import attach
    attach(order, left, right, parent, deepest, longest)
    example = order[left].astype(np.int64)
    score = np.log(covered) - np.log(covered.sum())
    return Inventory(deepest, parent, length, example, score)


def suffix_order(
    stretches: Stretches, longest: int, look: Callable[[], None] = lambda: None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where suffixes begin, sorted by at least `longest` symbols, and their ends.

    Both int32[n]; the latter by place, not in order. A suffix ends with its stretch, and comes
    before what it is the beginning of.
    """
    n = len(stretches.symbols)
    ends = np.repeat(stretches.offsets[1:], np.diff(stretches.offsets)).astype(np.int32)
    places = np.arange(n, dtype=np.int32)
    known = key_size(len(stretches.alphabet))
    keys = packed(stretches.symbols, places, ends, known)
    while True:
        look()
        order = np.argsort(keys).astype(np.int32)
        if known >= longest:
            return order, ends
        ordered = keys[order]
        rank = np.empty(n, dtype=np.int32)
        rank[order] = np.cumsum(np.insert(ordered[1:] != ordered[:-1], 0, True), dtype=np.int32)
        del ordered, keys
        look()
        keys = rank.astype(np.uint64) << np.uint64(32)
        inside = np.flatnonzero(places + known < ends)
        keys[inside] |= rank[inside + known].astype(np.uint64)
        known *= 2


def _intervals(
    stretches: Stretches,
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    sizes: NDArray[np.int32],
    before: NDArray[np.int64],
    longest: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the intervals of repeated substrings in order, and the substrings' symbols.

    None ends with the mark for a space. One that would is taken without it, if it isn't there
    without it already.
    """
    symbols = stretches.symbols
    if compiled(len(symbols)):
        from engine.kernels.suffix import common_prefixes, intervals
    else:
        from engine.train.em_plain import common_prefixes, intervals
    shared = np.empty(len(order) + 1, dtype=np.int32)
    common_prefixes(order, symbols, ends, longest, shared)
    none = np.empty(0, dtype=np.int32)
    count = int(intervals(shared, sizes, before, longest, none, none, none))
    left, right, length = (np.empty(count, dtype=np.int32) for _ in range(3))
    intervals(shared, sizes, before, longest, left, right, length)
    spaced = stretches.alphabet == ord(SPACE)
    marked = spaced[symbols[order[left] + length - 1]]
    there = np.maximum(shared[left], shared[right]) == length - 1
    length[marked] -= 1
    good = ~marked | (~there & (length > 1) & ~spaced[symbols[order[left] + length - 1]])
    return left[good], right[good], length[good]
