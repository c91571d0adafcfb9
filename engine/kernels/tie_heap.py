"""Which pair merges next: a queue by count, and a heap by the tie rule of pairs of one count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, u

Keys = NDArray[np.uint64]
"""Pairs of symbols, the left one << 32 | the right one."""

SMALLEST, LARGEST, LOWEST, SHORTEST, FIRST = range(5)
"""The tie rules: see `engine.train.merges.TieBreak`."""

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@kernel
def compare(text: Bytes, at: Longs, one: Int, other: Int) -> Int:
    """Return −1, 0 or 1: whether the bytes of a symbol come before, are, or come after another's.

    text, at: the bytes of all symbols end to end, and where each begins.
    """
    i, j = ZERO + at[u(one)], ZERO + at[u(other)]
    long_i, long_j = at[u(one + 1)] - i, at[u(other + 1)] - j
    for k in range(min(long_i, long_j)):
        if text[u(i + k)] != text[u(j + k)]:
            return ZERO - 1 if text[u(i + k)] < text[u(j + k)] else ZERO + 1
    order: Int = ZERO + (long_i > long_j) - (long_i < long_j)
    return order


@kernel
def compare_joined(text: Bytes, at: Longs, left_a: Int, right_a: Int, left_b: Int,
                   right_b: Int) -> Int:  # fmt: skip
    """Return the same for the joined bytes of two pairs."""
    half_a, half_b = at[u(left_a + 1)] - at[u(left_a)], at[u(left_b + 1)] - at[u(left_b)]
    long_a = half_a + at[u(right_a + 1)] - at[u(right_a)]
    long_b = half_b + at[u(right_b + 1)] - at[u(right_b)]
    for k in range(min(long_a, long_b)):
        i = at[u(left_a)] + k if k < half_a else at[u(right_a)] + k - half_a
        j = at[u(left_b)] + k if k < half_b else at[u(right_b)] + k - half_b
        if text[u(i)] != text[u(j)]:
            return ZERO - 1 if text[u(i)] < text[u(j)] else ZERO + 1
    order: Int = ZERO + (long_a > long_b) - (long_a < long_b)
    return order


@kernel
def comes_first(a: Int, b: Int, rule: Int, keys: Keys, seen: Longs, text: Bytes, at: Longs,
                size: Ints) -> bool:  # fmt: skip
    """Return whether pair `a` comes before pair `b` of the same count.

    seen: int64, where each pair occurs first; read under FIRST only. size: slots of each symbol.
    What the rule leaves equal goes by ids.
    """
    if rule == FIRST:
        return bool(seen[u(a)] < seen[u(b)])
    order = ZERO
    left_a, right_a = np.int64(keys[u(a)] >> HALF), np.int64(keys[u(a)] & LOW)
    left_b, right_b = np.int64(keys[u(b)] >> HALF), np.int64(keys[u(b)] & LOW)
    if rule == SHORTEST:
        order = ZERO + size[u(left_a)] + size[u(right_a)] - size[u(left_b)] - size[u(right_b)]
        if order == 0:
            order = compare_joined(text, at, left_a, right_a, left_b, right_b)
        if order == 0:
            order = ZERO + size[u(left_a)] - size[u(left_b)]
    elif rule != LOWEST:
        order = compare(text, at, left_a, left_b)
        if order == 0:
            order = compare(text, at, right_a, right_b)
        if rule == LARGEST:
            order = -order
    if order != 0:
        return bool(order < 0)
    return bool(keys[u(a)] < keys[u(b)])


@kernel
def push_level(heap: Ints, length: Int, pair: Int, rule: Int, keys: Keys, seen: Longs,
               text: Bytes, at: Longs, size: Ints) -> None:  # fmt: skip
    """Put a pair into the heap of a level that holds `length`; what comes first is on top."""
    i = length
    while i > 0:
        above = (i - 1) >> 1
        if not comes_first(pair, ZERO + heap[u(above)], rule, keys, seen, text, at, size):
            break
        heap[u(i)] = heap[u(above)]
        i = above
    heap[u(i)] = pair


@kernel
def pop_level(heap: Ints, length: Int, rule: Int, keys: Keys, seen: Longs, text: Bytes, at: Longs,
              size: Ints) -> None:  # fmt: skip
    """Take the top off the heap of a level that holds `length`."""
    last = length - 1
    pair = ZERO + heap[u(last)]
    i = ZERO
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and comes_first(
            ZERO + heap[u(child + 1)], ZERO + heap[u(child)], rule, keys, seen, text, at, size
        ):
            child += 1
        if comes_first(pair, ZERO + heap[u(child)], rule, keys, seen, text, at, size):
            break
        heap[u(i)] = heap[u(child)]
        i = child
    heap[u(i)] = pair


@kernel
def push_queue(counts: Longs, pairs: Ints, length: Int, count: Int, pair: Int) -> None:
    """Put a pair with its count into the queue that holds `length`; the highest is on top."""
    i = length
    while i > 0:
        above = (i - 1) >> 1
        if counts[u(above)] >= count:
            break
        counts[u(i)] = counts[u(above)]
        pairs[u(i)] = pairs[u(above)]
        i = above
    counts[u(i)] = count
    pairs[u(i)] = pair


@kernel
def pop_queue(counts: Longs, pairs: Ints, length: Int) -> None:
    """Take the top off the queue that holds `length`."""
    last = length - 1
    count, pair = ZERO + counts[u(last)], ZERO + pairs[u(last)]
    i = ZERO
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and counts[u(child + 1)] > counts[u(child)]:
            child += 1
        if count >= counts[u(child)]:
            break
        counts[u(i)] = counts[u(child)]
        pairs[u(i)] = pairs[u(child)]
        i = child
    counts[u(i)] = count
    pairs[u(i)] = pair
