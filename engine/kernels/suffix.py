"""Substrings that occur again, from suffixes in order: their intervals, and where each stands.

Kasai et al., "Linear-Time Longest-Common-Prefix Computation in Suffix Arrays" (CPM 2001), and
Abouelhoda, Kurtz & Ohlebusch, "Replacing Suffix Trees with Enhanced Suffix Arrays" (JDA 2004): in
an array of sorted suffixes a substring is an interval, and intervals nest as the substrings do.
Suffixes end with their stretch and count up to a greatest length. Twins: `engine.train.em_plain`.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Int, Ints, Longs, u


@kernel
def common_prefixes(order: Ints, symbols: Ints, ends: Ints, longest: int, out: Ints) -> None:
    """Write how many symbols each suffix shares with the one before it, at most `longest`.

    order: int32[n], where the suffixes begin, sorted. symbols: int32[n]. ends: int32[n], where the
    stretch of each symbol ends. out: int32[n + 1]; the first and the last entry are 0.
    """
    out[u(0)] = 0
    for i in range(1, order.size):
        a = ZERO + order[u(i - 1)]
        b = ZERO + order[u(i)]
        room = min(ends[u(a)] - a, ends[u(b)] - b, longest)
        same = ZERO
        while same < room and symbols[u(a + same)] == symbols[u(b + same)]:
            same += 1
        out[u(i)] = same
    out[u(order.size)] = 0


@kernel
def intervals(
    shared: Ints,
    sizes: Ints,
    before: Longs,
    longest: int,
    left: Ints,
    right: Ints,
    length: Ints,
) -> Int:
    """Write the substrings of two symbols or more that occur at least twice; return their number.

    Of substrings that stand at the same places only the longest is one. shared: int32[n + 1], from
    `common_prefixes`. sizes: int32[n], symbols of each suffix in order. before: int64[n + 1], how
    often the suffixes before each occur, together. left, right, length: int32, the interval of
    suffixes and the symbols of each substring, by where the interval ends; where they are empty,
    substrings are counted only.
    """
    n = sizes.size
    depth = np.zeros(longest + 2, np.int64)
    begin = np.zeros(longest + 2, np.int64)
    top = ZERO
    count = ZERO
    for i in range(n):
        here = ZERO + shared[u(i)]
        ahead = ZERO + shared[u(i + 1)]
        size = ZERO + sizes[u(i)]
        # A suffix that shares less with both neighbours than it has is a substring of its own.
        if max(here, ahead, 1) < size <= longest and before[u(i + 1)] - before[u(i)] >= 2:
            if left.size > 0:
                left[u(count)] = i
                right[u(count)] = i + 1
                length[u(count)] = size
            count += 1
        start = ZERO + i
        while depth[u(top)] > ahead:
            start = begin[u(top)]
            if depth[u(top)] >= 2 and before[u(i + 1)] - before[u(start)] >= 2:
                if left.size > 0:
                    left[u(count)] = start
                    right[u(count)] = i + 1
                    length[u(count)] = depth[u(top)]
                count += 1
            top -= 1
        if depth[u(top)] < ahead:
            top += 1
            depth[u(top)] = ahead
            begin[u(top)] = start
    return count


@kernel
def attach(order: Ints, left: Ints, right: Ints, parent: Ints, deepest: Ints, longest: int) -> None:
    """Write the longest substring before each, and the longest that begins at each symbol.

    left, right: int32[v], intervals by where they begin, wide ones first, which nest. parent:
    int32[v], the substring that is the longest beginning of each, −1 for none. deepest: int32[n].
    """
    stack = np.zeros(longest + 1, np.int64)
    top = ZERO - 1
    number = ZERO
    for i in range(order.size):
        while top >= 0 and right[u(stack[u(top)])] <= i:
            top -= 1
        while number < left.size and left[u(number)] == i:
            parent[u(number)] = stack[u(top)] if top >= 0 else -1
            top += 1
            stack[u(top)] = number
            number += 1
        deepest[u(order[u(i)])] = stack[u(top)]
