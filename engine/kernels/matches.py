"""All pieces that match a text: the edges of its lattice, for any algorithm.

Twins: the `edges_plain` of each segmenter.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, Trie, child_of, read_symbols, u

NOTHING, WHOLE, BYTEWISE = 0, 1, 2
"""What a symbol gets that no piece alone stands for: no edge, one edge, or one edge a byte."""

PIECE: Int = np.int64(0)
STRAY: Int = np.int64(1)
MINUS_ONE: Int = np.int64(-1)
"""Marks of edges. Not literals: of those numba would compile versions of their own."""

Found = tuple[Ints, Ints, Ints, Ints]
"""start, end, piece, mark: int32[e]; mark is `PIECE` or `STRAY`."""


def find_matches(
    trie: Trie,
    data: Bytes,
    starts: Longs,
    ends: Longs,
    lone: Ints,
    stray: int,
    byte_pieces: Ints,
) -> Found:
    """Return all edges in pre-tokens, sorted by start, then end.

    lone: int32[n_symbols], the piece that each symbol alone is. stray: NOTHING, WHOLE or
    BYTEWISE, for symbols that are none; their edges have piece -1, or the byte's piece.
    """
    longest = int((ends - starts).max(initial=0))
    where = (data, starts, ends, trie.table, trie.by_char, trie.units, trie.ids, trie.inside)
    how = (lone, stray, byte_pieces, longest)
    count = int(matches(*where, *how, np.empty(0, dtype=np.int32)))
    out = np.empty(4 * count, dtype=np.int32)
    if count:
        matches(*where, *how, out)
    start, end, piece, mark = np.ascontiguousarray(out.reshape(-1, 4).T)
    return start, end, piece, mark


@kernel
def matches(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    ids: Ints,
    inside: int,
    lone: Ints,
    stray: int,
    byte_pieces: Ints,
    longest: int,
    out: Ints,
) -> Int:
    """Count the edges of all pre-tokens; write them unless `out` is empty.

    out: int32[4 e], start, end, piece and mark of each edge. longest: bytes of the longest
    pre-token.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        for first in range(n):
            at, after = offset + places[u(first)], offset + places[u(first + 1)]
            strays = stray != NOTHING and lone[u(symbols[u(first)])] < 0
            stop = at + 1 if stray == BYTEWISE else after
            if strays:
                own: Int = np.int64(byte_pieces[u(data[u(at)])]) if stray == BYTEWISE else MINUS_ONE
                count = put(out, count, at, stop, own, STRAY)
            unit: Int = inside if first > 0 else 0
            node = first
            while node < n:
                child = child_of(unit, symbols[u(node)], units)
                if child < 0:
                    break
                unit = child
                node += 1
                if ids[u(child)] >= 0:
                    piece = np.int64(ids[u(child)])
                    count = put(out, count, at, offset + places[u(node)], piece, PIECE)
            if strays:
                for byte in range(stop, after):
                    own = np.int64(byte_pieces[u(data[u(byte)])])
                    count = put(out, count, byte, byte + 1, own, STRAY)
    return count


@kernel
def put(out: Ints, count: Int, start: Int, end: Int, piece: Int, mark: Int) -> Int:
    """Write edge number `count` unless `out` is empty; return the number of the next."""
    if out.size > 0:
        out[u(4 * count)] = start
        out[u(4 * count + 1)] = end
        out[u(4 * count + 2)] = piece
        out[u(4 * count + 3)] = mark
    return count + 1
