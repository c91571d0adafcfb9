"""A double-array trie over a model's pieces, walked by the kernels one symbol at a time.

Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure" (IEEE TSE 1989).
A symbol is a byte, or a character of the pieces' alphabet numbered by how often it occurs there;
0 stands for every other character. Frequent characters with low numbers keep the array dense.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.matching import Alphabet

Int = int | np.signedinteger[Any]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

CODE_POINTS = 0x110000

ZERO: Int = np.int64(0)
"""What a count starts from: of a literal 0, numba would compile a version of its own."""

u = np.uintp
"""Every index in a kernel is cast to this: a signed one costs a test for wrap-around."""


@dataclass(frozen=True, eq=False)
class Trie:
    """Pieces as a double array. n units; unit 0 is the root.

    units: int32[4n], per unit: base, check, and a float64 weight in the last two words. The child
        of unit t by symbol s is unit base[t] + s, if its check is t.
    ids: int32[n], the piece that ends at a unit, -1 where none does.
    table: int32[0x110000], the symbol of each code point; int32[256] of bytes for byte models.
    by_char: whether symbols are characters.
    n_symbols: one more than the highest symbol, the mark of continuations included.
    inside: the unit from which continuation pieces are walked; 0 (the root) where all pieces
        match everywhere.
    longest: symbols of the longest piece.
    """

    units: NDArray[np.int32]
    ids: NDArray[np.int32]
    table: NDArray[np.int32]
    by_char: bool
    n_symbols: int
    inside: int
    longest: int

    @property
    def weights(self) -> NDArray[np.float64]:
        """The units as float64[2n]: word 2t + 1 is the weight of unit t."""
        return self.units.view(np.float64)

    def weighted(self, score: NDArray[np.float64], nothing: float) -> NDArray[np.int32]:
        """Return a copy of the units with the score of each unit's piece as its weight.

        score: float64[pieces]. nothing: weight of units where no piece ends.
        """
        units = self.units.copy()
        weight = units.view(np.float64)[1::2]
        ends = self.ids >= 0
        weight[:] = nothing
        weight[ends] = score[self.ids[ends]]
        return units

    @cached_property
    def lone(self) -> NDArray[np.int32]:
        """The piece that is each symbol alone, int32[n_symbols]; -1 where there is none."""
        child = self.units[0] + np.arange(self.n_symbols)
        own = self.units[4 * child + 1] == 0
        own[0] &= not self.by_char
        return np.where(own, self.ids[child], -1).astype(np.int32)

    def symbols(self, piece: bytes) -> NDArray[np.int32]:
        """Return a piece's symbols, int32; empty where one isn't in the alphabet."""
        found = np.zeros(len(piece), dtype=np.int32)
        places = np.zeros(len(piece) + 1, dtype=np.int32)
        data = np.frombuffer(bytearray(piece), dtype=np.uint8)
        n = read_symbols(data, 0, len(piece), self.table, self.by_char, found, places)
        return found[:n] if not self.by_char or found[:n].all() else found[:0]


def build_trie(
    pieces: Mapping[bytes, int],
    alphabet: Alphabet,
    continuations: Mapping[bytes, int] | None = None,
) -> Trie:
    """Build the trie of pieces, ids by their bytes.

    continuations: pieces that match only inside a word; they hang below a symbol of their own.
    For alphabet `char`, pieces that aren't UTF-8 can match nothing and are left out.
    """
    by_char = alphabet == "char"
    groups = [_decode(pieces.items(), by_char)]
    groups.append(_decode((continuations or {}).items(), by_char))
    codes = np.concatenate([group[0] for group in groups])
    if by_char:
        used, counts = np.unique(codes, return_counts=True)
        table = np.zeros(CODE_POINTS, dtype=np.int32)
        table[used[np.argsort(-counts, kind="stable")]] = np.arange(1, len(used) + 1)
        mark = len(used) + 1
    else:
        table = np.arange(256, dtype=np.int32)
        mark = 256
    keys: list[tuple[bytes, int]] = []
    for lead, (group, lengths, ids) in zip((b"", _big_endian([mark])), groups, strict=True):
        joined = _big_endian(table[group])
        cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths))) * 4
        ends = cuts.tolist()
        keys.extend((lead + joined[ends[i] : ends[i + 1]], piece) for i, piece in enumerate(ids))
    keys.sort()
    flat = np.frombuffer(b"".join(key for key, _ in keys), dtype=">i4").astype(np.int32)
    lengths = np.array([len(key) // 4 for key, _ in keys], dtype=np.int64)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    n_symbols = mark + 1
    base, check, value = _arrays(flat, offsets, n_symbols)
    units = np.empty((len(base), 4), dtype=np.int32)
    units[:, 0], units[:, 1], units[:, 2:] = base, check, 0
    piece_at = np.full(len(base), -1, dtype=np.int32)
    ends_here = value >= 0
    piece_at[ends_here] = np.array([piece for _, piece in keys], np.int32)[value[ends_here]]
    inside = int(base[0]) + mark if continuations is not None else 0
    if inside and check[inside] != 0:
        # No continuation at all: a unit without children, where every walk ends.
        inside = len(base) - 1
    longest = int(lengths.max(initial=0))
    return Trie(units.reshape(-1), piece_at, table, by_char, n_symbols, inside, longest)


def _decode(
    pieces: Iterable[tuple[bytes, int]], by_char: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return (codes, lengths, ids): bytes or code points of pieces end to end, and the pieces."""
    kept = [(piece, i) for piece, i in pieces if piece and (not by_char or _is_text(piece))]
    ids = [i for _, i in kept]
    if by_char:
        texts = [piece.decode() for piece, _ in kept]
        codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype="<u4")
        lengths = [len(text) for text in texts]
    else:
        codes = np.frombuffer(b"".join(piece for piece, _ in kept), dtype=np.uint8)
        lengths = [len(piece) for piece, _ in kept]
    return codes.astype(np.int64), np.array(lengths, dtype=np.int64), ids


def _is_text(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def _big_endian(symbols: NDArray[np.int32] | list[int]) -> bytes:
    """Return symbols as bytes that sort as the symbols do."""
    return np.asarray(symbols).astype(">i4").tobytes()


def _arrays(
    keys: NDArray[np.int32], offsets: NDArray[np.int64], n_symbols: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return (base, check, value) of sorted keys, padded so that no lookup leaves the arrays."""
    size = 2 * n_symbols + 2 * len(keys) + 64
    while True:
        base = np.zeros(size, dtype=np.int32)
        check = np.full(size, -1, dtype=np.int32)
        value = np.full(size, -1, dtype=np.int32)
        stack = np.empty(4 * (len(keys) + 2), dtype=np.int64)
        labels = np.empty(n_symbols + 1, dtype=np.int64)
        lows = np.empty(n_symbols + 2, dtype=np.int64)
        top = int(place_units(keys, offsets, base, check, value, stack, labels, lows))
        if top >= 0:
            end = top + n_symbols + 1
            return base[:end], check[:end], value[:end]
        size *= 2


@kernel
def place_units(
    keys: Ints,
    offsets: Longs,
    base: Ints,
    check: Ints,
    value: Ints,
    stack: Longs,
    labels: Longs,
    lows: Longs,
) -> int:
    """Lay out the double array of sorted keys; -1 where the arrays are too short for it.

    keys: int32, symbols end to end; offsets: int64[k + 1]. base, check, value: int32 of one
    length, filled with 0, -1, -1; value gets the number of the key that ends at a unit. stack:
    int64, room for four numbers a symbol; labels, lows: int64, room for a unit's children.
    Returns the number of units up to the highest in use.
    """
    size = base.size
    n_symbols = labels.size
    check[u(0)] = 0x7FFFFFFF
    stack[u(0)], stack[u(1)], stack[u(2)], stack[u(3)] = 0, 0, offsets.size - 1, 0
    depth = 1
    # Units with several children look for a place from `wide`, those with one from `narrow`, a
    # free unit. Both leave a region behind as soon as the search there gets long.
    narrow = wide = 1
    top = 1
    while depth > 0:
        depth -= 1
        unit, low = stack[u(4 * depth)], stack[u(4 * depth + 1)]
        high, at = stack[u(4 * depth + 2)], stack[u(4 * depth + 3)]
        if low < high and offsets[u(low + 1)] - offsets[u(low)] == at:
            value[u(unit)] = low
            low += 1
        if low >= high:
            continue
        count = 0
        for i in range(low, high):
            label = keys[u(offsets[u(i)] + at)]
            if count == 0 or labels[u(count - 1)] != label:
                labels[u(count)] = label
                lows[u(count)] = i
                count += 1
        lows[u(count)] = high
        place = max((narrow if count == 1 else wide) - labels[u(0)], 0)
        tries = 0
        while True:
            if place + n_symbols + 1 >= size:
                return -1
            free = True
            for i in range(count):
                if check[u(place + labels[u(i)])] != -1:
                    free = False
                    break
            if free:
                break
            place += 1
            tries += 1
        if tries > 32:
            if count == 1:
                narrow = place + labels[u(0)]
            else:
                wide = place + labels[u(0)]
        base[u(unit)] = place
        for i in range(count - 1, -1, -1):
            child = place + labels[u(i)]
            check[u(child)] = unit
            top = max(top, child + 1)
            stack[u(4 * depth)], stack[u(4 * depth + 1)] = child, lows[u(i)]
            stack[u(4 * depth + 2)], stack[u(4 * depth + 3)] = lows[u(i + 1)], at + 1
            depth += 1
        while narrow < size - 1 and check[u(narrow)] != -1:
            narrow += 1
    return top


@kernel
def read_symbols(
    data: Bytes,
    start: Int,
    end: Int,
    table: Ints,
    by_char: bool,
    symbols: Ints,
    places: Ints,
) -> int:
    """Write the symbols of `data[start:end]` and return their number.

    symbols: int32, room for end - start. places: int32, room for one more: where each symbol
    starts, counted from `start`, and then the length. A character that isn't UTF-8 is symbol 0
    and as long as its first byte says, see `engine.matching.unit_end`.
    """
    count = 0
    at = start
    if not by_char:
        while at < end:
            symbols[u(count)] = table[u(data[u(at)])]
            places[u(count)] = count
            count += 1
            at += 1
        places[u(count)] = count
        return count
    while at < end:
        places[u(count)] = at - start
        first = np.int64(data[u(at)])
        code = np.int64(0)
        if first < 0x80:
            code = first
            at += 1
        elif first < 0xC0:
            at += 1
        elif first < 0xE0:
            if at + 2 <= end:
                second = np.int64(data[u(at + 1)])
                code = (first & 0x1F) << 6 | (second & 0x3F)
                if second & 0xC0 != 0x80 or code < 0x80:
                    code = np.int64(0)
            at += 2
        elif first < 0xF0:
            if at + 3 <= end:
                second, third = np.int64(data[u(at + 1)]), np.int64(data[u(at + 2)])
                code = (first & 0x0F) << 12 | (second & 0x3F) << 6 | (third & 0x3F)
                if second & 0xC0 != 0x80 or third & 0xC0 != 0x80 or code < 0x800:
                    code = np.int64(0)
            at += 3
        else:
            if at + 4 <= end and first < 0xF8:
                second, third = np.int64(data[u(at + 1)]), np.int64(data[u(at + 2)])
                fourth = np.int64(data[u(at + 3)])
                code = (first & 0x07) << 18 | (second & 0x3F) << 12
                code |= (third & 0x3F) << 6 | (fourth & 0x3F)
                stray = second & 0xC0 != 0x80 or third & 0xC0 != 0x80 or fourth & 0xC0 != 0x80
                if stray or code < 0x10000 or code >= 0x110000:
                    code = np.int64(0)
            at += 4
        # An invalid character reads as NUL, which is a character too: tell them apart.
        symbols[u(count)] = 0 if code == 0 and first != 0 else table[u(code)]
        count += 1
    places[u(count)] = end - start
    return count
