"""Making the double-array trie of `engine.kernels.trie`.

The pieces are first linked into a plain trie (children as linked lists, found by a hash table),
then each node gets its place in the double array. Both run without the GIL: a model of 200,000
pieces is ready in a moment, and a window stays alive meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import (
    CODE_POINTS,
    ZERO,
    Bytes,
    Int,
    Ints,
    Longs,
    Trie,
    read_symbols,
    u,
)
from engine.matching import Alphabet
from engine.pieces import Vocabulary

U64 = np.uint64
EMPTY = U64(0xFFFFFFFFFFFFFFFF)
GOLDEN = U64(0x9E3779B97F4A7C15)


class Keys(NamedTuple):
    """Pieces to find: the bytes `data[starts[i]:ends[i]]` are piece `ids[i]`; none is empty.

    data: uint8. starts, ends: int64[k]. ids: int32[k].
    """

    data: Bytes
    starts: Longs
    ends: Longs
    ids: Ints

    @classmethod
    def of(cls, vocabulary: Vocabulary, ids: NDArray[np.int64]) -> Keys:
        """Return pieces of a vocabulary."""
        offsets = vocabulary.offsets
        data = np.require(vocabulary.data, np.uint8, ("C", "W"))
        starts, ends = offsets[ids].astype(np.int64), offsets[ids + 1].astype(np.int64)
        return cls(data, starts, ends, ids.astype(np.int32))

    @classmethod
    def matching(cls, vocabulary: Vocabulary) -> Keys:
        """Return the pieces of `Vocabulary.index`."""
        wanted = vocabulary.matchable
        if vocabulary.continuation is not None:
            wanted = wanted & ~vocabulary.continuation
        keys = cls.of(vocabulary, np.flatnonzero(wanted))
        if not vocabulary.names:
            return keys
        names, size = cls.of_mapping(vocabulary.names), np.int64(len(keys.data))
        return cls(
            np.concatenate((keys.data, names.data)),
            np.concatenate((keys.starts, names.starts + size)),
            np.concatenate((keys.ends, names.ends + size)),
            np.concatenate((keys.ids, names.ids)),
        )

    @classmethod
    def of_mapping(cls, pieces: Mapping[bytes, int]) -> Keys:
        """Return pieces given by their bytes."""
        data = np.frombuffer(bytearray(b"".join(pieces)), dtype=np.uint8)
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), ends))[: len(ends)]
        return cls(data, starts, ends, np.array(list(pieces.values()), dtype=np.int32))


def build_trie(pieces: Keys, alphabet: Alphabet, continuations: Keys | None = None) -> Trie:
    """Build the trie of pieces; of two equal ones the first stays.

    continuations: pieces that match only inside a word; they hang below a symbol of their own.
    For alphabet `char`, pieces that aren't UTF-8 can match nothing and are left out.
    """
    by_char = alphabet == "char"
    groups = [pieces] if continuations is None else [pieces, continuations]
    longest_bytes = max(int((k.ends - k.starts).max(initial=0)) for k in groups)
    symbols = np.empty(longest_bytes + 1, dtype=np.int32)
    places = np.empty(longest_bytes + 1, dtype=np.int32)
    fit = [np.ones(len(keys.ids), dtype=np.uint8) for keys in groups]
    if by_char:
        same = np.arange(CODE_POINTS, dtype=np.int32)
        counts = np.zeros(CODE_POINTS, dtype=np.int64)
        for keys, good in zip(groups, fit, strict=True):
            count_codes(*keys, same, by_char, symbols, places, counts, good)
        used = np.flatnonzero(counts)
        table = np.zeros(CODE_POINTS, dtype=np.int32)
        table[used[np.argsort(-counts[used], kind="stable")]] = np.arange(1, len(used) + 1)
        mark = len(used) + 1
    else:
        table = np.arange(256, dtype=np.int32)
        mark = 256
    room = sum(int((keys.ends - keys.starts).sum()) + 1 for keys in groups) + 1
    slots = 1 << (room + room // 2).bit_length()
    hashed, child = np.full(slots, EMPTY, dtype=np.uint64), np.empty(slots, dtype=np.int32)
    links = Links(*(np.full(room, -1, dtype=np.int32) for _ in range(4)))
    size = np.array([1, 0], dtype=np.int64)
    for lead, keys, good in zip((-1, mark), groups, fit, strict=False):
        link(*keys, good, table, by_char, lead, symbols, places, hashed, child, *links, size)
    n_nodes, longest = (int(n) for n in size)
    base, check, ids = _lay_out(links, n_nodes, mark + 1)
    units = np.zeros((len(base), 4), dtype=np.int32)
    units[:, 0], units[:, 1] = base, check
    inside = int(base[0]) + mark if continuations is not None else 0
    if inside and check[inside] != 0:
        # No continuation at all: a unit without children, where every walk ends.
        inside = len(base) - 1
    return Trie(units.reshape(-1), ids, table, by_char, mark + 1, inside, longest)


class Links(NamedTuple):
    """A plain trie, int32 per node, -1 for none; node 0 is the root.

    first: a node's first child. beside: the next child of the same parent. label: the symbol that
    leads to a node. piece: the piece that ends there.
    """

    first: Ints
    beside: Ints
    label: Ints
    piece: Ints


def _lay_out(links: Links, n_nodes: int, n_symbols: int) -> tuple[Ints, Ints, Ints]:
    """Return (base, check, ids) of the double array, padded so that no lookup leaves it."""
    stack = np.empty(2 * n_nodes, dtype=np.int32)
    children = np.empty(n_symbols + 1, dtype=np.int32)
    size = 2 * n_symbols + 2 * n_nodes + 64
    while True:
        base = np.zeros(size, dtype=np.int32)
        check = np.full(size, -1, dtype=np.int32)
        ids = np.full(size, -1, dtype=np.int32)
        top = int(place_units(*links, n_symbols, stack, children, base, check, ids))
        if top >= 0:
            end = top + n_symbols + 1
            return base[:end].copy(), check[:end].copy(), ids[:end].copy()
        size *= 2


@kernel
def count_codes(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    ids: Ints,
    same: Ints,
    by_char: bool,
    symbols: Ints,
    places: Ints,
    counts: Longs,
    good: Bytes,
) -> None:
    """Count the code points of all pieces that are UTF-8; clear `good` for the others.

    same: int32[0x110000], each code point for itself. by_char: True. symbols, places: scratch.
    """
    for i in range(ids.size):
        start = starts[u(i)]
        n = read_symbols(data, start, ends[u(i)], same, by_char, symbols, places)
        for k in range(n):
            code = symbols[u(k)]
            # An invalid character reads as 0; so does NUL, which is a character.
            stray = code == 0 and data[u(start + places[u(k)])] != 0
            if stray or 0xD800 <= code < 0xE000:
                good[u(i)] = 0
        if good[u(i)]:
            for k in range(n):
                counts[u(symbols[u(k)])] += 1


@kernel
def link(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    ids: Ints,
    good: Bytes,
    table: Ints,
    by_char: bool,
    lead: int,
    symbols: Ints,
    places: Ints,
    hashed: NDArray[np.uint64],
    child: Ints,
    first: Ints,
    beside: Ints,
    label: Ints,
    piece: Ints,
    size: Longs,
) -> None:
    """Add the good pieces to the plain trie, all below symbol `lead` unless it is -1.

    hashed, child: open addressing, node << 32 | symbol to the child, a power of two of slots.
    first … piece: see `Links`. size: int64[2], the number of nodes, and the symbols of the
    longest piece; both are brought up to date.
    """
    mask = U64(hashed.size - 1)
    for i in range(ids.size):
        if not good[u(i)]:
            continue
        n = read_symbols(data, starts[u(i)], ends[u(i)], table, by_char, symbols, places)
        size[u(1)] = max(size[u(1)], n)
        node = ZERO
        for k in range(0 if lead < 0 else -1, n):
            symbol = np.int64(lead) if k < 0 else np.int64(symbols[u(k)])
            key = U64(node) << U64(32) | U64(symbol)
            slot = (key * GOLDEN) >> U64(20) & mask
            while hashed[u(slot)] != key and hashed[u(slot)] != EMPTY:
                slot = (slot + U64(1)) & mask
            if hashed[u(slot)] == EMPTY:
                new = size[u(0)]
                size[u(0)] += 1
                hashed[u(slot)] = key
                child[u(slot)] = new
                label[u(new)] = symbol
                beside[u(new)] = first[u(node)]
                first[u(node)] = new
            node = np.int64(child[u(slot)])
        if piece[u(node)] < 0:
            piece[u(node)] = ids[u(i)]


@kernel
def place_units(
    first: Ints,
    beside: Ints,
    label: Ints,
    piece: Ints,
    n_symbols: int,
    stack: Ints,
    children: Ints,
    base: Ints,
    check: Ints,
    ids: Ints,
) -> Int:
    """Lay out the double array of a plain trie; -1 where the arrays are too short for it.

    first … piece: see `Links`. stack: int32, room for two numbers a node; children: int32, room
    for a node's children. base, check, ids: int32 of one length, filled with 0, -1, -1. Returns
    the number of units up to the highest in use.
    """
    size = base.size
    check[u(0)] = 0x7FFFFFFF
    stack[u(0)], stack[u(1)] = 0, 0
    depth = 1
    # Nodes with several children look for a place from `wide`, those with one from `narrow`, a
    # free unit. Both leave a region behind as soon as the search there gets long.
    narrow = wide = 1
    top = 1
    while depth > 0:
        depth -= 1
        node, unit = stack[u(2 * depth)], stack[u(2 * depth + 1)]
        ids[u(unit)] = piece[u(node)]
        count = 0
        lowest = n_symbols
        child = first[u(node)]
        while child >= 0:
            children[u(count)] = child
            count += 1
            lowest = min(lowest, label[u(child)])
            child = beside[u(child)]
        if count == 0:
            continue
        place = max((narrow if count == 1 else wide) - lowest, 0)
        tries = 0
        while True:
            if place + n_symbols + 1 >= size:
                return ZERO - 1
            free = True
            for i in range(count):
                if check[u(place + label[u(children[u(i)])])] != -1:
                    free = False
                    break
            if free:
                break
            place += 1
            tries += 1
        if tries > 32:
            if count == 1:
                narrow = place + lowest
            else:
                wide = place + lowest
        base[u(unit)] = place
        for i in range(count):
            child = children[u(i)]
            to = place + label[u(child)]
            check[u(to)] = unit
            top = max(top, to + 1)
            stack[u(2 * depth)], stack[u(2 * depth + 1)] = child, to
            depth += 1
        while narrow < size - 1 and check[u(narrow)] != -1:
            narrow += 1
    return ZERO + top
