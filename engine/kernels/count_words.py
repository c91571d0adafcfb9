"""Counting the pre-tokens of a corpus: each different one is kept once, with how often it came.

Twin: `collections.Counter`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, u

Keys = NDArray[np.uint64]

SEED = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
FOLD = np.uint64(32)


@kernel
def count_words(data: Bytes, ends: Longs, first: Int, table: Ints, hashes: Keys, kept: Bytes,
                offsets: Longs, counts: Longs, words: Longs) -> Int:  # fmt: skip
    """Count pre-tokens from number `first` on; return the first that there is no room for.

    data: uint8; pre-token k is what lies between ends[k − 1] and ends[k]. table: int32[2^b],
    words by hash, −1 for none. hashes: uint64; kept: uint8; offsets, counts: int64; what is known
    of each word: its hash, its bytes end to end with where they begin, and how often it came.
    words: int64[1], how many there are. The hash is Fowler–Noll–Vo 1a, folded.
    """
    mask = np.uint64(table.size - 1)
    number = ZERO + words[u(0)]
    for k in range(first, ends.size):
        start = ZERO + ends[u(k - 1)] if k > 0 else ZERO
        end = ZERO + ends[u(k)]
        size = end - start
        code = SEED
        for i in range(start, end):
            code = (code ^ np.uint64(data[u(i)])) * PRIME
        code = code ^ code >> FOLD
        place = code & mask
        while True:
            word = ZERO + table[u(place)]
            if word < 0:
                write = ZERO + offsets[u(number)]
                if (
                    number + 2 > offsets.size
                    or 2 * number > table.size
                    or (write + size > kept.size)
                ):
                    words[u(0)] = number
                    return ZERO + k
                for i in range(size):
                    kept[u(write + i)] = data[u(start + i)]
                offsets[u(number + 1)] = write + size
                hashes[u(number)] = code
                counts[u(number)] = 1
                table[u(place)] = number
                number += 1
                break
            at = ZERO + offsets[u(word)]
            if hashes[u(word)] == code and offsets[u(word + 1)] - at == size:
                same = True
                for i in range(size):
                    if kept[u(at + i)] != data[u(start + i)]:
                        same = False
                        break
                if same:
                    counts[u(word)] += 1
                    break
            place = (place + np.uint64(1)) & mask
    words[u(0)] = number
    return ZERO + ends.size


@kernel
def enter_words(table: Ints, hashes: Keys, number: Int) -> None:
    """Enter the first `number` words into an empty table."""
    mask = np.uint64(table.size - 1)
    for word in range(number):
        place = hashes[u(word)] & mask
        while table[u(place)] >= 0:
            place = (place + np.uint64(1)) & mask
        table[u(place)] = word
