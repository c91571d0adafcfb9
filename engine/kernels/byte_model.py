"""BytePiece's language model of byte n-grams: counting them, and cutting text by them.

An n-gram of up to six bytes is a number: its bytes from the highest down, then sixteen bits with
its length. Twin: `engine.train.bytepiece_plain`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Longs, u

Keys = NDArray[np.uint64]

ORDER = 6
"""Bytes of the longest n-gram, and states of the cut."""

LENGTH = np.uint64(16)
BYTE = np.uint64(8)
HALF = np.uint64(32)
TOP = np.uint64(56)
FULL = np.uint64(64)
ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
CONTINUATION = 0x80


@kernel
def spell(data: Bytes, ends: Longs, low: Int, high: Int, keys: Keys) -> Int:
    """Write the n-gram of six bytes that begins at each place; return how many there are.

    data: uint8, chunks end to end; ends: int64, where each ends. One that would run over the end of
    its chunk is shorter. Only those whose first byte is at least `low` and below `high` are
    written. keys: uint64, room for them.
    """
    number = ZERO
    start = ZERO
    for chunk in range(ends.size):
        end = ZERO + ends[u(chunk)]
        for i in range(start, end):
            first = ZERO + data[u(i)]
            if first < low or first >= high:
                continue
            size = min(ZERO + ORDER, end - i)
            key = np.uint64(0)
            for k in range(ORDER):
                key = key << BYTE
                if k < size:
                    key |= np.uint64(data[u(i + k)])
            keys[u(number)] = key << LENGTH | np.uint64(size)
            number += 1
        start = end
    return number


@kernel
def count_prefixes(keys: Keys, least: Int, found: Keys, counts: Longs) -> Int:
    """Count all n-grams that sorted ones begin with; return how many are frequent enough.

    keys: what `spell` writes, sorted. least: the lowest count that is kept; single bytes always
    are. found, counts: get the n-grams and their counts, where there is room for all.
    """
    number = ZERO
    running = np.zeros(ORDER + 1, dtype=np.int64)
    previous = np.uint64(0)
    for i in range(keys.size + 1):
        # How many bytes this one shares with the one before.
        same = ZERO
        key = np.uint64(0)
        if i < keys.size:
            key = keys[u(i)]
            if i > 0:
                differing = key ^ previous
                while same < ORDER and (differing >> (TOP - BYTE * np.uint64(same))) & np.uint64(
                    0xFF
                ) == np.uint64(0):
                    same += 1
        for size in range(ORDER, same, -1):
            have = running[u(size)]
            if have > 0 and (have >= least or size == 1):
                if number < found.size:
                    kept = ONES << (FULL - BYTE * np.uint64(size))
                    found[u(number)] = (previous & kept) | np.uint64(size)
                    counts[u(number)] = have
                number += 1
            running[u(size)] = 0
        if i < keys.size:
            for size in range(1, ORDER + 1):
                if size <= np.int64(key & np.uint64(0xFF)):
                    running[u(size)] += 1
            previous = key
    return number


@kernel
def enter(found: Keys, counts: Longs, short: Floats, table: Keys, logs: Floats) -> None:
    """Enter n-grams with the logarithms of their counts.

    short: float64[257 · 256], by their bytes, those of two bytes first, then those of one. table:
    uint64[2 · 2^k], the others by hash, two words each: the n-gram, 0 for none, and its logarithm.
    logs: float64, the same memory.
    """
    mask = np.uint64((table.size >> 1) - 1)
    for i in range(found.size):
        key = found[u(i)]
        size = np.int64(key & np.uint64(0xFF))
        if size <= 2:
            at = key >> (FULL - BYTE * np.uint64(size))
            short[u(at + np.uint64(0x10000 if size == 1 else 0))] = math.log(counts[u(i)])
            continue
        place = key * GOLDEN
        place = (place ^ place >> HALF) & mask
        while table[u(place << ONE)] != 0:
            place = (place + ONE) & mask
        table[u(place << ONE)] = key
        logs[u(place << ONE | ONE)] = math.log(counts[u(i)])


@kernel
def cut(data: Bytes, ends: Longs, short: Floats, table: Keys, logs: Floats, log_total: float,
        whole: bool, back: Bytes, room: Longs) -> Int:  # fmt: skip
    """Cut chunks into pieces by Viterbi; return how many pieces there are.

    Before byte i, state j says that the piece began j bytes ago, 5 that it did five or more ago.
    Byte i costs minus the logarithm of its probability after those j bytes. whole: no piece begins
    at a continuation byte of UTF-8, unless nothing else is left. log_total: the logarithm of what
    all single bytes count together. back: uint8, as long as the
    longest chunk. room: int64[len(data)], gets where each piece ends.
    """
    mask = np.uint64((table.size >> 1) - 1)
    number = ZERO
    start = ZERO
    # Each twice: before a byte, and after it.
    best, log = np.empty(2 * ORDER, dtype=np.float64), np.empty(2 * ORDER, dtype=np.float64)
    for chunk in range(ends.size):
        end = ZERO + ends[u(chunk)]
        if end == start:
            continue
        last_bytes = np.uint64(0)
        old, new = ZERO, ZERO + ORDER
        for j in range(ORDER):
            best[u(j)] = -np.inf
            log[u(j)] = -np.inf
        for i in range(start, end):
            byte = data[u(i)]
            last_bytes = last_bytes << BYTE | np.uint64(byte)
            # Where an n-gram is too rare, longer ones that end here are too.
            log[u(new)] = short[u(np.uint64(0x10000) | np.uint64(byte))]
            known = ZERO + 1
            reach = min(ZERO + ORDER, i - start + 1)
            if reach > 1:
                log[u(new + 1)] = short[u(last_bytes & np.uint64(0xFFFF))]
                if log[u(new + 1)] > -np.inf:
                    known += 1
                else:
                    reach = ZERO
            for j in range(2, reach):
                size = np.uint64(j + 1)
                key = (last_bytes << (FULL - BYTE * size)) | size
                place = key * GOLDEN
                place = (place ^ place >> HALF) & mask
                while table[u(place << ONE)] != key and table[u(place << ONE)] != 0:
                    place = (place + ONE) & mask
                if table[u(place << ONE)] == 0:
                    break
                log[u(new + j)] = logs[u(place << ONE | ONE)]
                known += 1
            top, state = best[u(old)], ZERO
            for j in range(1, ORDER):
                if best[u(old + j)] > top:
                    top, state = best[u(old + j)], ZERO + j
            if i == start:
                top = 0.0
            longer = best[u(old + ORDER - 1)] > best[u(old + ORDER - 2)]
            able = False
            for j in range(1, ORDER):
                value = -np.inf
                if j < known:
                    value = best[u(old + j - 1)]
                    if j == ORDER - 1 and longer:
                        value = best[u(old + j)]
                    value += log[u(new + j)] - log[u(old + j - 1)]
                best[u(new + j)] = value
                able |= value > -np.inf
            best[u(new)] = top + (log[u(new)] - log_total)
            if whole and able and (byte & 0xC0) == CONTINUATION:
                best[u(new)] = -np.inf
            back[u(i - start)] = state | (8 if longer else 0)
            old, new = new, old
        # From the end back: where pieces begin.
        top, state = best[u(old)], ZERO
        for j in range(1, ORDER):
            if best[u(old + j)] > top:
                top, state = best[u(old + j)], ZERO + j
        first = number
        room[u(number)] = end
        number += 1
        for i in range(end - 1, start, -1):
            word = ZERO + back[u(i - start)]
            if state == 0:
                room[u(number)] = i
                number += 1
                state = word & 7
            elif state < ORDER - 1 or word & 8 == 0:
                state -= 1
        # They were found from the end.
        low, high = first, number - 1
        while low < high:
            room[u(low)], room[u(high)] = room[u(high)], room[u(low)]
            low += 1
            high -= 1
        start = end
    return number
