"""WordPiece with pieces dropped at random. Twin: `DroppingWordPiece.segment_plain`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, child_of, read_symbols, u
from engine.kernels.unigram import U64, random_number


@kernel
def longest_first_dropping(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    ids: Ints,
    inside: int,
    unknown: int,
    max_chars: int,
    longest: int,
    p: float,
    key: np.uint64,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of each word and return their number.

    Arguments as of `engine.kernels.wordpiece.longest_first`. p: the probability with which a piece
    of more than one symbol is dropped. key: the stream of random numbers, one follows the other.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    pieces = np.empty(longest + 1, np.int32)
    nodes = np.empty(longest + 1, np.int32)
    count = ZERO
    coin = U64(0)
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        before = count
        first: Int = ZERO
        if n > max_chars:
            first = ZERO - 1
        while 0 <= first < n:
            unit: Int = inside if first > 0 else 0
            node = first
            matched = ZERO
            while node < n:
                child = child_of(unit, symbols[u(node)], units)
                if child < 0:
                    break
                unit = child
                node += 1
                if ids[u(child)] >= 0:
                    pieces[u(matched)], nodes[u(matched)] = ids[u(child)], node
                    matched += 1
            taken = False
            while matched > 0 and not taken:
                matched -= 1
                taken = nodes[u(matched)] == first + 1
                if not taken:
                    coin += U64(1)
                    taken = random_number(key, coin - U64(1)) >= p
            if taken:
                out_ids[u(count)] = pieces[u(matched)]
                out_starts[u(count)] = offset + places[u(first)]
                first = np.int64(nodes[u(matched)])
                out_ends[u(count)] = offset + places[u(first)]
                count += 1
            else:
                first = ZERO - 1
        if first < 0:
            count = before
            if unknown >= 0:
                out_ids[u(count)] = unknown
                out_starts[u(count)] = offset
                out_ends[u(count)] = ends[u(k)]
                count += 1
    return count


@kernel
def draw_longest_first(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    ids: Ints,
    inside: int,
    unknown: int,
    max_chars: int,
    longest: int,
    p: float,
    keys: NDArray[np.uint64],
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
    bounds: Longs,
) -> Int:
    """Do what `longest_first_dropping` does once for each key, one draw behind the other.

    bounds: int64[keys + 1]; gets where each draw begins and ends.
    """
    count = ZERO
    for draw in range(keys.size):
        count += longest_first_dropping(
            data,
            starts,
            ends,
            table,
            by_char,
            units,
            ids,
            inside,
            unknown,
            max_chars,
            longest,
            p,
            keys[u(draw)],
            out_ids[count:],
            out_starts[count:],
            out_ends[count:],
        )
        bounds[u(draw + 1)] = count
    return count
