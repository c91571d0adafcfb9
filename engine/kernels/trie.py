"""A double-array trie over a model's pieces, walked by the kernels one symbol at a time.

`engine.kernels.build_trie` makes it.

Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure" (IEEE TSE 1989).
A symbol is a byte, or a character of the pieces' alphabet numbered by how often it occurs there;
0 stands for every other character. Frequent characters with low numbers keep the array dense.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel

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


STRAY = -2
"""The word for the piece in the unit of an unknown edge; -1 is the word for none."""


class Walk(NamedTuple):
    """A trie whose units lie by their place in the array, with weights beside them.

    units: int32, `width` words a unit: base · width, check · width (-1 for none, and for the
    root), piece (-1 for none), and the weight. The child of the unit at place t by symbol s is at
    units[t] + s · width, if the word after that is t. weights: float32 or float64, the same
    memory; the weight of the unit at t is weights[(t >> shift) + after].

    Two units more stand at the end, without children: that of an unknown edge, whose piece is
    `STRAY`, and one that stands for no unit at all. below: int32[n_symbols + 1], the place of the
    root's child by each symbol; the last is of a symbol that leads nowhere from any unit. alone:
    the same, but of the unit of the piece that is the symbol alone, else of the unknown edge.
    """

    units: NDArray[np.int32]
    weights: NDArray[Any]
    width: int
    shift: int
    after: int
    below: NDArray[np.int32]
    alone: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Trie:
    """Pieces as a double array. n units; unit 0 is the root.

    units: int32[4n], per unit: base, check, and two words that a kernel may use for its own. The
        child of unit t by symbol s is unit base[t] + s, if its check is t.
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

    def weighted(
        self, weights: NDArray[np.floating], nothing: float, stray: float | None = None
    ) -> Walk:
        """Return the trie with a weight for each piece, laid out for a fast walk.

        weights: float32 or float64[pieces]. nothing: the weight of units where no piece ends.
        stray: the weight of an unknown edge, None where there are no such edges.
        """
        double = weights.dtype == np.float64
        width, size = 6 if double else 4, len(self.ids)
        units = np.full((size + 2, width), -1, dtype=np.int32)
        units[:size, 0] = width * self.units[0::4]
        units[size:, 0] = 0
        inner = np.flatnonzero(self.units[1::4] >= 0)[1:]
        units[inner, 1] = width * self.units[1::4][inner]
        units[:size, 2] = self.ids
        units[size, 2] = STRAY
        flat = units.reshape(-1)
        values = flat.view(weights.dtype)
        at, step = (2, 3) if double else (3, 4)
        values[at::step] = nothing
        ends = np.flatnonzero(self.ids >= 0)
        values[step * ends + at] = weights[self.ids[ends]]
        if stray is not None:
            values[step * size + at] = stray
        child = width * (self.units[0] + np.arange(self.n_symbols + 1))
        nowhere = width * (size + 1)
        below = np.where(flat[child + 1] == 0, child, nowhere)
        single = np.append(self.lone >= 0, False)
        alone = np.where(single, child, nowhere if stray is None else width * size)
        alone[-1] = nowhere
        return Walk(
            flat,
            values,
            width,
            1 if double else 0,
            at,
            below.astype(np.int32),
            alone.astype(np.int32),
        )

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


@kernel
def child_of(unit: Int, symbol: Int, units: Ints) -> Int:
    """Return the child of a unit by a symbol, -1 where there is none."""
    child = units[u(unit << 2)] + symbol
    return child if units[u((child << 2) + 1)] == unit else ZERO - 1


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
