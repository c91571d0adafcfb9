"""BPE with merges dropped at random, by the four laws of `engine.dropout`.

Twin: `engine.dropout.merging`, which tosses the same coins in the same order.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.bpe import (
    EMPTY,
    HALF,
    LOW,
    NO_RANK,
    U64,
    Merging,
    Pairs,
    close_up,
    find,
    first_symbols,
)
from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, read_symbols, u
from engine.kernels.unigram import random_number

PAPER, SUBWORD_NMT, HUGGINGFACE, SENTENCEPIECE = 0, 1, 2, 3
"""The laws, `engine.dropout.DropRule`."""

HIGH = U64(0xFFFFFFFF00000000)


@kernel
def drop_scan(
    symbols: Ints,
    froms: Ints,
    tos: Ints,
    values: Pairs,
    low: Int,
    high: Int,
    pairs: Pairs,
    bits: int,
    rule: int,
    p: float,
    key: np.uint64,
    coin: np.uint64,
) -> tuple[Int, np.uint64]:
    """Merge a short stretch by PAPER or SENTENCEPIECE; return where it ends and the next coin.

    As `engine.kernels.bpe.merge_scan`. What is dropped in a step of the paper's law is passed over
    by looking only at ranks and places behind it; by SentencePiece's it is no pair any more.
    """
    none = U64(NO_RANK) << HALF
    floor = U64(0)
    while high - low > 1:
        lowest = none
        for i in range(low, high - 1):
            rank = (values[u(i)] & HIGH) | U64(i)
            if rank < lowest and rank >= floor:
                lowest = rank
        if lowest == none:
            break
        coin += U64(1)
        if random_number(key, coin - U64(1)) < p:
            if rule == PAPER:
                floor = lowest + U64(1)
            else:
                values[u(lowest & LOW)] = EMPTY
            continue
        floor = U64(0)
        at = np.int64(lowest & LOW)
        symbols[u(at)] = np.int32(values[u(at)] & LOW)
        tos[u(at)] = tos[u(at + 1)]
        high -= 1
        for i in range(at + 1, high):
            symbols[u(i)] = symbols[u(i + 1)]
            froms[u(i)] = froms[u(i + 1)]
            tos[u(i)] = tos[u(i + 1)]
            values[u(i - 1)] = values[u(i)]
        if at + 1 < high:
            values[u(at)] = find(symbols[u(at)], symbols[u(at + 1)], pairs, bits)
        if at > low:
            values[u(at - 1)] = find(symbols[u(at - 1)], symbols[u(at)], pairs, bits)
    return high, coin


@kernel
def push_entry(heap: Longs, size: Int, entry: Int, beyond: Int) -> Int:
    """Put (rank and left symbol, symbol beyond the pair) into a heap; return its new size."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        over, far = heap[u(2 * parent)], heap[u(2 * parent + 1)]
        if over < entry or (over == entry and far <= beyond):
            break
        heap[u(2 * at)], heap[u(2 * at + 1)] = over, far
        at = parent
    heap[u(2 * at)], heap[u(2 * at + 1)] = entry, beyond
    return size + 1


@kernel
def drop_entry(heap: Longs, size: Int) -> Int:
    """Take the lowest entry out of a heap and return its new size."""
    size -= 1
    entry, beyond = heap[u(2 * size)], heap[u(2 * size + 1)]
    at = ZERO
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        one, far = heap[u(2 * child)], heap[u(2 * child + 1)]
        if child + 1 < size:
            other, farther = heap[u(2 * child + 2)], heap[u(2 * child + 3)]
            if other < one or (other == one and farther < far):
                child += 1
                one, far = other, farther
        if one > entry or (one == entry and far >= beyond):
            break
        heap[u(2 * at)], heap[u(2 * at + 1)] = one, far
        at = child
    heap[u(2 * at)], heap[u(2 * at + 1)] = entry, beyond
    return size


@kernel
def enter(
    left: Int,
    symbols: Ints,
    after: Ints,
    high: Int,
    heap: Longs,
    size: Int,
    pairs: Pairs,
    bits: int,
) -> Int:
    """Put the pair of a symbol and the next one into the heap, if they merge."""
    right = np.int64(after[u(left)])
    if right >= high:
        return size
    rank = np.int64(find(symbols[u(left)], symbols[u(right)], pairs, bits) >> HALF)
    if rank >= NO_RANK:
        return size
    return push_entry(heap, size, rank << 32 | left, np.int64(after[u(right)]))


@kernel
def drop_heap(
    symbols: Ints,
    low: Int,
    high: Int,
    before: Ints,
    after: Ints,
    heap: Longs,
    aside: Longs,
    made: Ints,
    pairs: Pairs,
    bits: int,
    rule: int,
    p: float,
    key: np.uint64,
    coin: np.uint64,
) -> np.uint64:
    """Merge the symbols low … high - 1 by any of the laws; return the next coin.

    A symbol that is gone becomes -1. before, after: int32 scratch, the neighbours as linked
    lists. heap, aside: int64, two words for each of three entries a symbol. made: int32, room for
    a symbol each.
    """
    size, kept = ZERO, ZERO
    for i in range(low, high):
        before[u(i)], after[u(i)] = i - 1, i + 1
    for i in range(low, high):
        size = enter(i, symbols, after, high, heap, size, pairs, bits)
    while size > 0:
        entry, beyond = heap[u(0)], heap[u(1)]
        size = drop_entry(heap, size)
        left = entry & 0xFFFFFFFF
        right = np.int64(after[u(left)])
        stale = symbols[u(left)] < 0 or right >= high or after[u(right)] != beyond
        if stale and rule != HUGGINGFACE:
            continue
        coin += U64(1)
        if random_number(key, coin - U64(1)) < p:
            if rule != SENTENCEPIECE:
                aside[u(2 * kept)], aside[u(2 * kept + 1)] = entry, beyond
                kept += 1
            continue
        count = ZERO
        if not stale:
            one, other = symbols[u(left)], symbols[u(right)]
            result = np.int32(find(one, other, pairs, bits) & LOW)
            while True:
                symbols[u(left)], symbols[u(right)] = result, -1
                after[u(left)] = beyond
                if beyond < high:
                    before[u(beyond)] = left
                made[u(count)] = left
                count += 1
                # By subword-nmt's law the other places of the pair follow.
                found = False
                while rule == SUBWORD_NMT and size > 0 and heap[u(0)] >> 32 == entry >> 32:
                    next_entry, beyond = heap[u(0)], heap[u(1)]
                    size = drop_entry(heap, size)
                    left = next_entry & 0xFFFFFFFF
                    right = np.int64(after[u(left)])
                    if symbols[u(left)] < 0 or right >= high or after[u(right)] != beyond:
                        continue
                    if symbols[u(left)] == one and symbols[u(right)] == other:
                        coin += U64(1)
                        found = random_number(key, coin - U64(1)) >= p
                        if found:
                            break
                    aside[u(2 * kept)], aside[u(2 * kept + 1)] = next_entry, beyond
                    kept += 1
                if not found:
                    break
        last = ZERO - 1
        for i in range(count):
            left = np.int64(made[u(i)])
            previous = np.int64(before[u(left)])
            if previous >= low and previous != last:
                size = enter(previous, symbols, after, high, heap, size, pairs, bits)
            size = enter(left, symbols, after, high, heap, size, pairs, bits)
            last = left
        while kept > 0:
            kept -= 1
            size = push_entry(heap, size, aside[u(2 * kept)], aside[u(2 * kept + 1)])
    return coin


@kernel
def encode_dropping(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    model: Merging,
    scan_limit: int,
    longest: int,
    rule: int,
    p: float,
    key: np.uint64,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of each pre-token, merges dropped at random; return their number.

    Arguments as of `engine.kernels.bpe.encode`. rule: which law. p: the drop probability. key: the
    stream of random numbers, of which one follows the other through all pre-tokens.
    """
    pairs, bits = model.pairs, model.bits
    read = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    symbols = np.empty(longest + 1, np.int32)
    froms = np.empty(longest + 1, np.int32)
    tos = np.empty(longest + 1, np.int32)
    values = np.empty(longest + 1, np.uint64)
    before = np.empty(longest + 1, np.int32)
    after = np.empty(longest + 1, np.int32)
    made = np.empty(longest + 1, np.int32)
    heap = np.empty(6 * longest + 2, np.int64)
    aside = np.empty(6 * longest + 2, np.int64)
    count = ZERO
    coin = U64(0)
    # By the other laws what happens elsewhere in a pre-token gives a pair new chances.
    alone = model.apart and rule == SENTENCEPIECE
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], model.table, model.by_char, read, places)
        total = first_symbols(data, offset, n, read, places, model, symbols, froms, tos)
        low = ZERO
        while low < total:
            high = low + 1
            while high < total:
                value = find(symbols[u(high - 1)], symbols[u(high)], pairs, bits)
                if alone and value == EMPTY:
                    break
                values[u(high - 1)] = value
                high += 1
            scanned = rule in (PAPER, SENTENCEPIECE)
            if scanned and high - low <= scan_limit:
                end, coin = drop_scan(
                    symbols, froms, tos, values, low, high, pairs, bits, rule, p, key, coin
                )
            else:
                coin = drop_heap(
                    symbols,
                    low,
                    high,
                    before,
                    after,
                    heap,
                    aside,
                    made,
                    pairs,
                    bits,
                    rule,
                    p,
                    key,
                    coin,
                )
                end = close_up(symbols, froms, tos, after, low, high)
            for i in range(low, end):
                out_ids[u(count)] = symbols[u(i)]
                out_starts[u(count)] = offset + froms[u(i)]
                out_ends[u(count)] = offset + tos[u(i)]
                count += 1
            low = high
    return count
