"""BPE encoding: a hash table of pairs, a scan for short pre-tokens and a heap for long ones.

Twins: `Bpe.segment_plain` and the plain part of `Bpe.merge_steps`.

The loops that run for every symbol are written out here and in `engine.kernels.dropout`: as calls
of one kernel they made encoding slower by a fifth.

A stretch of symbols is merged alone where no merge can cross its ends: the table also holds the
pairs of first symbols that stand side by side inside some piece, with `NO_RANK`; two neighbours
that aren't in it at all are never joined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, child_of, read_symbols, u

Pairs = NDArray[np.uint64]
"""uint64[2·slots], open addressing: left << 32 | right, then rank << 32 | result, per slot."""

U64 = np.uint64
HALF = U64(32)
LOW = U64(0xFFFFFFFF)
EMPTY = U64(0xFFFFFFFFFFFFFFFF)
GOLDEN = U64(0x9E3779B97F4A7C15)
NO_RANK = 0x7FFFFFFF
"""Rank of neighbours that don't merge; so no rank of a merge may be as high."""

SCAN_LIMIT = 48
"""Stretches of up to so many symbols are scanned for the lowest rank at each merge."""

WHOLE, USER = 1, 2
"""Flags of a piece: a pre-token that equals it is it; it is a symbol from the start."""


class Merging(NamedTuple):
    """What the kernels read of a model; `engine.kernels.bpe_tables` makes it.

    table, by_char, units, ids: the trie of all pieces, see `engine.kernels.trie.Trie`. flags:
    uint8[pieces], WHOLE and USER. leads: uint8[n_symbols], whether a user-defined piece starts
    with the symbol. base: int32[4·n_symbols], the piece of each symbol in the middle of a
    pre-token's first place, later, last, later and last. pairs, bits: the hash table of merges.
    apart: neighbours that aren't in it never join, so a pre-token falls apart there. unknown: the
    unknown piece, -1 for none; fuse: whether neighbouring ones are one. byte_pieces: int32[256],
    the pieces of fallback bytes, empty for none.
    """

    table: Ints
    by_char: bool
    units: Ints
    ids: Ints
    flags: Bytes
    leads: Bytes
    base: Ints
    pairs: Pairs
    bits: int
    apart: bool
    unknown: int
    fuse: bool
    byte_pieces: Ints


def build_pairs(keys: Pairs, values: Pairs) -> tuple[Pairs, int]:
    """Return the hash table of packed pairs and their values, and the bits of its slots."""
    bits = max(4, int(2 * len(keys)).bit_length())
    pairs = np.full(2 << bits, EMPTY, dtype=np.uint64)
    fill_pairs(keys, values, pairs, bits)
    return pairs, bits


@kernel
def slot_of(key: np.uint64, pairs: Pairs, bits: int) -> np.uint64:
    """Return the slot that holds `key`, or the empty one where it belongs."""
    mask = U64(pairs.size // 2 - 1)
    slot = (key * GOLDEN) >> U64(64 - bits)
    while pairs[u(slot + slot)] != key and pairs[u(slot + slot)] != EMPTY:
        slot = (slot + U64(1)) & mask
    return U64(slot)


@kernel
def fill_pairs(keys: Pairs, values: Pairs, pairs: Pairs, bits: int) -> None:
    """Enter all pairs; of one given twice the lowest value (so the lowest rank) stays."""
    for i in range(keys.size):
        slot = slot_of(keys[u(i)], pairs, bits)
        pairs[u(slot + slot)] = keys[u(i)]
        value = slot + slot + U64(1)
        pairs[u(value)] = min(pairs[u(value)], values[u(i)])


@kernel
def find(left: Int, right: Int, pairs: Pairs, bits: int) -> np.uint64:
    """Return rank << 32 | result of a pair, `EMPTY` where it isn't in the table."""
    slot = slot_of(U64(left) << HALF | U64(right), pairs, bits)
    return U64(pairs[u(slot + slot + U64(1))])


@kernel
def end_symbols(
    data: Bytes,
    offsets: Longs,
    left: Ints,
    right: Ints,
    result: Ints,
    table: Ints,
    by_char: bool,
    base: Ints,
    longest: int,
    first: Ints,
    last: Ints,
) -> bool:
    """Fill the base symbols that each piece begins and ends with, int32[pieces], -1 for none.

    data, offsets: the vocabulary's. base: int32, the piece of each symbol. Returns whether the
    bytes of every result are those of left and right end to end.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    for piece in range(first.size):
        n = read_symbols(
            data, offsets[u(piece)], offsets[u(piece + 1)], table, by_char, symbols, places
        )
        if n > 0:
            first[u(piece)] = base[u(symbols[u(0)])]
            last[u(piece)] = base[u(symbols[u(n - 1)])]
    for row in range(left.size):
        at, end = offsets[u(result[u(row)])], offsets[u(result[u(row)] + 1)]
        for part in (left[u(row)], right[u(row)]):
            for i in range(offsets[u(part)], offsets[u(part + 1)]):
                if at >= end or data[u(i)] != data[u(at)]:
                    return False
                at += 1
        if at != end:
            return False
    return True


@kernel
def first_symbols(
    data: Bytes,
    offset: Int,
    n: Int,
    read: Ints,
    places: Ints,
    model: Merging,
    symbols: Ints,
    froms: Ints,
    tos: Ints,
) -> Int:
    """Write a pre-token's symbols before any merge (id, start, end) and return their number.

    read, places: what `read_symbols` gave, n of them.
    """
    units, ids, flags, leads, base = model.units, model.ids, model.flags, model.leads, model.base
    unknown, fuse, byte_pieces = model.unknown, model.fuse, model.byte_pieces
    n_symbols = base.size // 4
    count = 0
    fused = False
    at = 0
    while at < n:
        stop = at + 1
        user = -1
        if leads[u(read[u(at)])]:
            unit: Int = 0
            node = at
            while node < n:
                child = child_of(unit, read[u(node)], units)
                if child < 0:
                    break
                unit = child
                node += 1
                if ids[u(child)] >= 0 and flags[u(ids[u(child)])] & USER:
                    user, stop = ids[u(child)], node
        row = (1 if at > 0 else 0) + (2 if stop == n else 0)
        piece = user if user >= 0 else base[u(row * n_symbols + read[u(at)])]
        start, end = places[u(at)], places[u(stop)]
        at = stop
        if piece >= 0:
            symbols[u(count)], froms[u(count)], tos[u(count)] = piece, start, end
            count += 1
            fused = False
        elif byte_pieces.size > 0:
            for byte in range(start, end):
                symbols[u(count)] = byte_pieces[u(data[u(offset + byte)])]
                froms[u(count)], tos[u(count)] = byte, byte + 1
                count += 1
        elif unknown >= 0:
            if fused:
                tos[u(count - 1)] = end
            else:
                symbols[u(count)], froms[u(count)], tos[u(count)] = unknown, start, end
                count += 1
            fused = fuse
        else:
            fused = False
    return count


@kernel
def merge_scan(
    symbols: Ints,
    froms: Ints,
    tos: Ints,
    values: Pairs,
    low: Int,
    high: Int,
    pairs: Pairs,
    bits: int,
) -> Int:
    """Merge the symbols low … high - 1 in place and return where they end.

    values: uint64, what `find` gives for each symbol and its right neighbour.
    """
    while high - low > 1:
        lowest = U64(NO_RANK)
        at = -1
        for i in range(low, high - 1):
            rank = values[u(i)] >> HALF
            if rank < lowest:
                lowest = rank
                at = i
        if at < 0:
            break
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
    return high


@kernel
def push(heap: Longs, size: Int, entry: Int) -> Int:
    """Put an entry into a binary heap and return its new size."""
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if heap[u(parent)] <= entry:
            break
        heap[u(at)] = heap[u(parent)]
        at = parent
    heap[u(at)] = entry
    return size + 1


@kernel
def drop_lowest(heap: Longs, size: Int) -> Int:
    """Take the lowest entry, `heap[0]`, out of a binary heap and return its new size."""
    size -= 1
    entry = heap[u(size)]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[u(child + 1)] < heap[u(child)]:
            child += 1
        if heap[u(child)] >= entry:
            break
        heap[u(at)] = heap[u(child)]
        at = child
    heap[u(at)] = entry
    return size


@kernel
def merge_heap(
    symbols: Ints,
    low: Int,
    high: Int,
    before: Ints,
    after: Ints,
    heap: Longs,
    pairs: Pairs,
    bits: int,
    steps: Ints,
) -> Int:
    """Merge the symbols low … high - 1 by a heap of (rank, place) and return the number of merges.

    A symbol that is gone becomes -1. before, after: int32 scratch, the neighbours as linked
    lists. heap: int64, room for three entries a symbol. steps: int32[7·merges], gets rank, left
    place, right place, the place after the pair, left, right, result of each; empty for no record.
    """
    size = ZERO
    done = ZERO
    for i in range(low, high):
        before[u(i)], after[u(i)] = i - 1, i + 1
        if i + 1 < high:
            rank = np.int64(find(symbols[u(i)], symbols[u(i + 1)], pairs, bits) >> HALF)
            if rank < NO_RANK:
                size = push(heap, size, rank << 32 | i)
    while size > 0:
        rank, left = heap[u(0)] >> 32, heap[u(0)] & 0xFFFFFFFF
        size = drop_lowest(heap, size)
        right = np.int64(after[u(left)])
        if symbols[u(left)] < 0 or right >= high:
            continue
        value = find(symbols[u(left)], symbols[u(right)], pairs, bits)
        if np.int64(value >> HALF) != rank:
            continue
        result = np.int64(value & LOW)
        beyond = np.int64(after[u(right)])
        if steps.size > 0:
            steps[u(7 * done)] = rank
            steps[u(7 * done + 1)] = left
            steps[u(7 * done + 2)] = right
            steps[u(7 * done + 3)] = beyond
            steps[u(7 * done + 4)] = symbols[u(left)]
            steps[u(7 * done + 5)] = symbols[u(right)]
            steps[u(7 * done + 6)] = result
        done += 1
        symbols[u(left)] = result
        symbols[u(right)] = -1
        after[u(left)] = beyond
        if beyond < high:
            before[u(beyond)] = left
            rank = np.int64(find(symbols[u(left)], symbols[u(beyond)], pairs, bits) >> HALF)
            if rank < NO_RANK:
                size = push(heap, size, rank << 32 | left)
        previous = np.int64(before[u(left)])
        if previous >= low:
            rank = np.int64(find(symbols[u(previous)], symbols[u(left)], pairs, bits) >> HALF)
            if rank < NO_RANK:
                size = push(heap, size, rank << 32 | previous)
    return done


@kernel
def close_up(symbols: Ints, froms: Ints, tos: Ints, after: Ints, low: Int, high: Int) -> Int:
    """Move what a heap left of the symbols low … high - 1 together; return where they end."""
    end = low
    i: Int = low
    while i < high:
        symbols[u(end)], froms[u(end)] = symbols[u(i)], froms[u(i)]
        i = np.int64(after[u(i)])
        tos[u(end)] = tos[u(i - 1)]
        end += 1
    return end


@kernel
def encode(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    model: Merging,
    scan_limit: int,
    longest: int,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of each pre-token and return their number.

    scan_limit: `SCAN_LIMIT`. longest: bytes of the longest pre-token. out_ids, out_starts,
    out_ends: room for one token a byte.
    """
    table, by_char, units, ids = model.table, model.by_char, model.units, model.ids
    flags, pairs, bits, apart = model.flags, model.pairs, model.bits, model.apart
    read = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    symbols = np.empty(longest + 1, np.int32)
    froms = np.empty(longest + 1, np.int32)
    tos = np.empty(longest + 1, np.int32)
    values = np.empty(longest + 1, np.uint64)
    before = np.empty(longest + 1, np.int32)
    after = np.empty(longest + 1, np.int32)
    heap = np.empty(3 * longest + 1, np.int64)
    no_steps = np.empty(0, np.int32)
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, read, places)
        unit: Int = 0
        node = 0
        while node < n:
            child = child_of(unit, read[u(node)], units)
            if child < 0:
                break
            unit = child
            node += 1
        if n > 0 and node == n and ids[u(unit)] >= 0 and flags[u(ids[u(unit)])] & WHOLE:
            out_ids[u(count)] = ids[u(unit)]
            out_starts[u(count)] = offset
            out_ends[u(count)] = ends[u(k)]
            count += 1
            continue
        total = first_symbols(data, offset, n, read, places, model, symbols, froms, tos)
        low = ZERO
        while low < total:
            high = low + 1
            while high < total:
                value = find(symbols[u(high - 1)], symbols[u(high)], pairs, bits)
                if apart and value == EMPTY:
                    break
                values[u(high - 1)] = value
                high += 1
            if high - low <= scan_limit:
                end = merge_scan(symbols, froms, tos, values, low, high, pairs, bits)
            else:
                merge_heap(symbols, low, high, before, after, heap, pairs, bits, no_steps)
                end = close_up(symbols, froms, tos, after, low, high)
            for i in range(low, end):
                out_ids[u(count)] = symbols[u(i)]
                out_starts[u(count)] = offset + froms[u(i)]
                out_ends[u(count)] = offset + tos[u(i)]
                count += 1
            low = high
    return count
