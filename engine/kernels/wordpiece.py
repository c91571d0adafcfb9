"""WordPiece on the trie: the longest piece first. Twin: `WordPiece.segment_plain`."""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, child_of, read_symbols, u


@kernel
def longest_first(
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
    failed: Bytes,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of each word and return their number.

    failed: uint8[k], set to 1 for words that are one unknown token. longest: bytes of the
    longest word. out_ids, out_starts, out_ends: room for one token a byte.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        before = count
        first = 0
        if n > max_chars:
            first = -1
        while 0 <= first < n:
            unit: Int = inside if first > 0 else 0
            node = first
            piece, last = -1, first
            while node < n:
                child = child_of(unit, symbols[u(node)], units)
                if child < 0:
                    break
                unit = child
                node += 1
                if ids[u(child)] >= 0:
                    piece, last = ids[u(child)], node
            if piece < 0:
                first = -1
            else:
                out_ids[u(count)] = piece
                out_starts[u(count)] = offset + places[u(first)]
                out_ends[u(count)] = offset + places[u(last)]
                count += 1
                first = last
        failed[u(k)] = first < 0
        if first < 0:
            count = before
            if unknown >= 0:
                out_ids[u(count)] = unknown
                out_starts[u(count)] = offset
                out_ends[u(count)] = ends[u(k)]
                count += 1
    return count
