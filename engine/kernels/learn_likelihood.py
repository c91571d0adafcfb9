"""Learning merges by likelihood: the pair of the highest count(ab) / (count(a) · count(b)).

A merge lowers the counts of two symbols, and so raises the quotients of all pairs that these are
in. To visit them all each time would take longest. So the heap is ordered by upper bounds: each
symbol has a `floor` somewhat below its count, and a pair's bound is what its quotient would be if
both counts were at their floors. Only where a count sinks below its floor are the pairs of that
symbol visited and the floor laid anew. What merges next is looked for among the pairs whose bound
reaches the second highest true quotient found, from the top of the heap down.

Bounds and quotients are float64 and prune only by a margin; which of two nearly equal quotients is
higher, or whether they are equal, is decided by whole numbers of 128 bits. Arrays are those of
`engine.kernels.learn`. Twin: `engine.train.plain`.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.learn import (
    ANSWER,
    ASK,
    ASKED,
    BARRED,
    DONE,
    MERGES,
    MORE,
    PAIRS,
    QUEUED,
    ROOM,
    SYMBOLS,
    TOKENS,
    lacks,
    make_symbol,
    replace,
)
from engine.kernels.tie_heap import HALF, LOW, Keys, comes_first
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Ints, Longs, u

SLACK = 3
"""A floor is an eighth below the count; counts under eight are their own floors."""

MARGIN = 1.0 - 2.0**-45
"""Far more than what rounding does to a quotient."""

AT_MOST = 0xFFFFFFFF
"""The highest count of a symbol: products of two fit 64 bits, of three 128."""


@kernel
def product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and the lower half of the product of two numbers of 64 bits."""
    low_a, high_a = a & LOW, a >> HALF
    low_b, high_b = b & LOW, b >> HALF
    low = low_a * low_b
    middle = high_a * low_b + (low >> HALF)
    other = low_a * high_b + (middle & LOW)
    return high_a * high_b + (middle >> HALF) + (other >> HALF), (other << HALF) | (low & LOW)


@kernel
def order_of(a: Int, b: Int, keys: Keys, counts: Longs, total: Longs) -> Int:
    """Return −1, 0 or 1: whether the quotient of pair `a` is below, at or above that of `b`.

    total: int64, the count of each symbol, at most `AT_MOST`.
    """
    by_a = np.uint64(total[u(keys[u(a)] >> HALF)]) * np.uint64(total[u(keys[u(a)] & LOW)])
    by_b = np.uint64(total[u(keys[u(b)] >> HALF)]) * np.uint64(total[u(keys[u(b)] & LOW)])
    high_a, low_a = product(np.uint64(counts[u(a)]), by_b)
    high_b, low_b = product(np.uint64(counts[u(b)]), by_a)
    order: Int = ZERO + (high_a > high_b) - (high_a < high_b)
    if order == 0:
        order = ZERO + (low_a > low_b) - (low_a < low_b)
    return order


@kernel
def bound_of(pair: Int, keys: Keys, counts: Longs, floor: Longs) -> float:
    """Return the quotient of a pair by the floors of its symbols, or by their counts."""
    left, right = floor[u(keys[u(pair)] >> HALF)], floor[u(keys[u(pair)] & LOW)]
    return float(np.float64(counts[u(pair)]) / (np.float64(left) * np.float64(right)))


@kernel
def rise(i: Int, heap: Ints, spot: Ints, bound: Floats) -> None:
    """Bring the pair at place i up to where its bound belongs."""
    pair = ZERO + heap[u(i)]
    own = bound[u(pair)]
    while i > 0:
        above = (i - 1) >> 1
        other = ZERO + heap[u(above)]
        if bound[u(other)] >= own:
            break
        heap[u(i)] = other
        spot[u(other)] = i
        i = above
    heap[u(i)] = pair
    spot[u(pair)] = i


@kernel
def sink(i: Int, length: Int, heap: Ints, spot: Ints, bound: Floats) -> None:
    """Bring the pair at place i down to where its bound belongs."""
    pair = ZERO + heap[u(i)]
    own = bound[u(pair)]
    while True:
        child = 2 * i + 1
        if child >= length:
            break
        if child + 1 < length and bound[u(heap[u(child + 1)])] > bound[u(heap[u(child)])]:
            child += 1
        other = ZERO + heap[u(child)]
        if own >= bound[u(other)]:
            break
        heap[u(i)] = other
        spot[u(other)] = i
        i = child
    heap[u(i)] = pair
    spot[u(pair)] = i


@kernel
def take_out(pair: Int, heap: Ints, spot: Ints, bound: Floats, state: Longs) -> None:
    """Take a pair out of the heap."""
    i = ZERO + spot[u(pair)]
    last = state[u(QUEUED)] - 1
    state[u(QUEUED)] = last
    spot[u(pair)] = -1
    if i < last:
        moved = ZERO + heap[u(last)]
        heap[u(i)] = moved
        rise(i, heap, spot, bound)
        sink(ZERO + spot[u(moved)], last, heap, spot, bound)


@kernel
def put_again(pair: Int, least: Int, keys: Keys, counts: Longs, floor: Longs, heap: Ints,
              spot: Ints, bound: Floats, state: Longs) -> None:  # fmt: skip
    """Give a pair of the heap the bound that it has by now; one that is too rare leaves."""
    if counts[u(pair)] < least:
        take_out(pair, heap, spot, bound, state)
        return
    old = bound[u(pair)]
    bound[u(pair)] = bound_of(pair, keys, counts, floor)
    if bound[u(pair)] > old:
        rise(ZERO + spot[u(pair)], heap, spot, bound)
    else:
        sink(ZERO + spot[u(pair)], state[u(QUEUED)], heap, spot, bound)


@kernel
def enter(first: Int, least: Int, keys: Keys, counts: Longs, heads: Ints, floor: Longs,
          left_lists: Ints, right_lists: Ints, next_left: Ints, next_right: Ints, heap: Ints,
          spot: Ints, bound: Floats, state: Longs) -> None:  # fmt: skip
    """Put the pairs from `first` on into the heap, and into the lists of their symbols.

    left_lists, right_lists: int32, the first pair of each symbol on its left or right side.
    next_left, next_right: the pair after each one, −1 at the end.
    """
    for pair in range(first, state[u(PAIRS)]):
        spot[u(pair)] = -1
        if heads[u(pair)] == BARRED or counts[u(pair)] < least:
            continue
        left, right = keys[u(pair)] >> HALF, keys[u(pair)] & LOW
        next_left[u(pair)] = left_lists[u(left)]
        left_lists[u(left)] = pair
        next_right[u(pair)] = right_lists[u(right)]
        right_lists[u(right)] = pair
        bound[u(pair)] = bound_of(pair, keys, counts, floor)
        heap[u(state[u(QUEUED)])] = pair
        state[u(QUEUED)] += 1
        rise(state[u(QUEUED)] - 1, heap, spot, bound)


@kernel
def visit(head: Ints, following: Ints, symbol: Int, least: Int, keys: Keys, counts: Longs,
          floor: Longs, heap: Ints, spot: Ints, bound: Floats, state: Longs) -> Int:  # fmt: skip
    """Give all pairs of a list their bounds by new floors; pairs that left the heap leave it too.

    Returns how many there are.
    """
    number = ZERO
    kept = ZERO - 1
    pair = ZERO + head[u(symbol)]
    while pair >= 0:
        after = ZERO + following[u(pair)]
        if spot[u(pair)] >= 0:
            put_again(pair, least, keys, counts, floor, heap, spot, bound, state)
        if spot[u(pair)] >= 0:
            kept = pair
        elif kept < 0:
            head[u(symbol)] = after
        else:
            following[u(kept)] = after
        number += 1
        pair = after
    return number


@kernel
def look(rule: Int, keys: Keys, counts: Longs, text: Bytes, at: Longs, size: Ints, seen: Longs,
         total: Longs, floor: Longs, heap: Ints, bound: Floats, least: Int, stack: Ints,
         stale: Ints, found: Longs, state: Longs) -> Int:  # fmt: skip
    """Find the pair that merges next, and the one after it; return how many were looked at.

    stack: room for work. stale: gets the pairs that were met and have fewer occurrences than their
    bounds say. found: int64[4], gets both pairs, −1 for none, how many have the quotient of the
    first, and how many are stale. seen: see `comes_first`.
    """
    best, rival, ties = ZERO - 1, ZERO - 1, ZERO
    best_score, rival_score = 0.0, 0.0
    number = ZERO
    worn = ZERO
    depth = ZERO
    if state[u(QUEUED)] > 0:
        stack[u(0)] = 0
        depth = ZERO + 1
    while depth > 0:
        depth -= 1
        i = ZERO + stack[u(depth)]
        pair = ZERO + heap[u(i)]
        if bound[u(pair)] < rival_score * MARGIN:
            continue
        number += 1
        child = 2 * i + 1
        if child + 1 < state[u(QUEUED)]:
            stack[u(depth)] = child + 1
            depth += 1
        if child < state[u(QUEUED)]:
            stack[u(depth)] = child
            depth += 1
        score = bound_of(pair, keys, counts, total) if counts[u(pair)] >= least else -1.0
        if bound_of(pair, keys, counts, floor) != bound[u(pair)]:
            stale[u(worn)] = pair
            worn += 1
        if score < rival_score * MARGIN or score < 0:
            continue
        order = ZERO + 1
        if best >= 0:
            order = ZERO + (score > best_score) - (score < best_score)
            if min(score, best_score) >= max(score, best_score) * MARGIN:
                order = order_of(pair, best, keys, counts, total)
        if order == 0:
            ties += 1
            if comes_first(pair, best, rule, keys, seen, text, at, size):
                order = ZERO + 1
        elif order > 0:
            ties = ZERO + 1
        if order > 0:
            rival, rival_score = best, best_score
            best, best_score = pair, score
            continue
        if rival >= 0:
            order = ZERO + (score > rival_score) - (score < rival_score)
            if min(score, rival_score) >= max(score, rival_score) * MARGIN:
                order = order_of(pair, rival, keys, counts, total)
            if order < 0 or (
                order == 0 and not comes_first(pair, rival, rule, keys, seen, text, at, size)
            ):
                continue
        rival, rival_score = pair, score
    found[u(0)] = best
    found[u(1)] = rival
    found[u(2)] = ties
    found[u(3)] = worn
    return number


@kernel
def learn(least: Int, limit: Int, budget: Int, rule: Int, longest: Int, asks: bool, slots: Ints,
          weights: Ints, table: Ints, keys: Keys, counts: Longs, heads: Ints, places: Ints,
          links: Ints, text: Bytes, at: Longs, size: Ints, seen: Longs, total: Longs,
          floor: Longs, left_lists: Ints, right_lists: Ints, next_left: Ints, next_right: Ints,
          heap: Ints, spot: Ints, bound: Floats, stack: Ints, stale: Ints, found: Longs,
          log: Longs, state: Longs) -> Int:  # fmt: skip
    """Learn merges until there are `limit`, or `budget` units of work are done; return why.

    As `engine.kernels.learn.learn`, which see for the rest and for the log. total, floor: int64,
    of each symbol.
    """
    while state[u(MERGES)] < limit:
        if budget <= 0:
            return ZERO + MORE
        budget -= look(rule, keys, counts, text, at, size, seen, total, floor, heap, bound, least,
                       stack, stale, found, state)  # fmt: skip
        for i in range(found[u(3)]):
            put_again(ZERO + stale[u(i)], least, keys, counts, floor, heap, spot, bound, state)
        pair = ZERO + found[u(0)]
        if pair < 0:
            return ZERO + DONE
        if asks:
            if state[u(ASKED)] != pair or state[u(ANSWER)] < 0:
                state[u(ASKED)] = pair
                state[u(ANSWER)] = -1
                return ZERO + ASK
            state[u(ASKED)] = -1
            if state[u(ANSWER)] == 0:
                heads[u(pair)] = BARRED
                take_out(pair, heap, spot, bound, state)
                continue
        left, right = np.int64(keys[u(pair)] >> HALF), np.int64(keys[u(pair)] & LOW)
        if lacks(pair, left, right, keys, table, heads, places, links, text, at, state):
            if asks:
                state[u(ASKED)] = pair
            return ZERO + ROOM
        entry = 8 * state[u(MERGES)]
        rival = ZERO + found[u(1)]
        log[u(entry)] = left
        log[u(entry + 1)] = right
        log[u(entry + 2)] = counts[u(pair)]
        log[u(entry + 3)] = found[u(2)]
        log[u(entry + 4)] = -1 if rival < 0 else np.int64(keys[u(rival)] >> HALF)
        log[u(entry + 5)] = -1 if rival < 0 else np.int64(keys[u(rival)] & LOW)
        log[u(entry + 6)] = -1 if rival < 0 else counts[u(rival)]
        new = ZERO + state[u(SYMBOLS)]
        make_symbol(left, right, text, at, size, state)
        take_out(pair, heap, spot, bound, state)
        before, tokens = ZERO + state[u(PAIRS)], ZERO + state[u(TOKENS)]
        budget -= replace(pair, new, longest, slots, weights, table, keys, counts, heads, places,
                          links, size, state)  # fmt: skip
        counts[u(pair)] = 0
        done = tokens - state[u(TOKENS)]
        total[u(left)] -= done
        total[u(right)] -= done
        total[u(new)] = done
        floor[u(new)] = done - (done >> SLACK)
        for symbol in (left, right):
            have = ZERO + total[u(symbol)]
            if have < floor[u(symbol)]:
                floor[u(symbol)] = have - (have >> SLACK)
                budget -= visit(left_lists, next_left, symbol, least, keys, counts, floor, heap,
                                spot, bound, state)  # fmt: skip
                budget -= visit(right_lists, next_right, symbol, least, keys, counts, floor, heap,
                                spot, bound, state)  # fmt: skip
        enter(before, least, keys, counts, heads, floor, left_lists, right_lists, next_left,
              next_right, heap, spot, bound, state)  # fmt: skip
        log[u(entry + 7)] = state[u(TOKENS)]
        state[u(MERGES)] += 1
    return ZERO + DONE
