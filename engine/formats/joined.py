"""Many texts looked up in a vocabulary at once, with arrays in the place of a million dict lookups.

Texts stand as UTF-8 bytes end to end and are read eight bytes at a time. A hash of those words and
of the length finds a piece; then the words themselves are compared, so what is found is right.
Whatever doesn't fit that (a NUL in a text, very long pieces, hashes that agree too often) is left
to the caller's dict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

LONGEST = 4096
"""Bytes of the longest text that is looked up here: each eight of them are a round of work."""

ROUNDS = 6
"""Tables that pieces are spread over: in each a piece whose place is taken waits for the next."""

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
"""Odd constants with bits as good as random (2^64 / φ, and a prime of XXH64)."""

_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
"""The bits of a word that belong to a text of so many bytes."""

Words = NDArray[np.uint64]
Sizes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joined:
    """Texts end to end. data: their UTF-8 bytes, and 8 zeros; bounds: int64[n + 1]."""

    data: bytes
    bounds: Sizes

    @cached_property
    def words(self) -> Words:
        """The eight bytes from each byte on, the first of them lowest: uint64[bytes]."""
        count = len(self.data) - 7
        return np.ndarray(shape=(count,), dtype="<u8", buffer=self.data, strides=(1,))

    @classmethod
    def of(cls, texts: Sequence[str]) -> Joined | None:
        """Join texts; None where one holds a NUL or a lone surrogate, or is very long."""
        return cls.marked("\0".join(texts), len(texts))

    @classmethod
    def marked(cls, text: str, count: int) -> Joined | None:
        """Take `count` texts with a NUL between each two; None as for `of`."""
        try:
            marked = text.encode("utf-8")
        except UnicodeEncodeError:
            return None
        cuts = np.flatnonzero(np.frombuffer(marked, dtype=np.uint8) == 0)
        if len(cuts) != count - 1:
            return None
        data = marked.replace(b"\0", b"") + bytes(8)
        bounds = np.concatenate(([0], cuts - np.arange(len(cuts)), [len(data) - 8]))
        if int(np.diff(bounds).max()) > LONGEST:
            return None
        return cls(data, bounds)

    def hashes(self, start: Sizes, size: Sizes) -> Words:
        """Return a hash of each stretch of the data, uint64[n]."""
        first, second = _MIX
        words = self.words
        found: Words = (words[start] & _MASKS[np.minimum(size, 8)]) ^ size.astype(np.uint64)
        found *= first
        found ^= found >> np.uint64(32)
        left = np.flatnonzero(size > 8)
        at, rest = start[left] + 8, size[left] - 8
        while len(left):
            word = words[at] & _MASKS[np.minimum(rest, 8)]
            mixed = (found[left] ^ word) * second
            found[left] = mixed ^ (mixed >> np.uint64(29))
            more = rest > 8
            left, at, rest = left[more], at[more] + 8, rest[more] - 8
        return found * first

    def same(self, start: Sizes, size: Sizes, other: Joined, there: Sizes) -> bool:
        """Return whether stretches equal those of the same sizes in `other`."""
        while len(start):
            mask = _MASKS[np.minimum(size, 8)]
            if ((self.words[start] ^ other.words[there]) & mask).any():
                return False
            more = size > 8
            start, there, size = start[more] + 8, there[more] + 8, size[more] - 8
        return True


class Finder:
    """Finds stretches of joined texts among pieces, no two of which are equal."""

    def __init__(self, pieces: Joined) -> None:
        self._pieces = pieces
        self._size = np.diff(pieces.bounds)
        self._hash = pieces.hashes(pieces.bounds[:-1], self._size)
        bits = max(int(len(self._size) * 3).bit_length(), 4)
        self._shift = np.uint64(64 - bits)
        self._tables: list[NDArray[np.int32]] = []
        waiting = np.arange(len(self._size), dtype=np.int32)
        for turn in range(ROUNDS):
            if not len(waiting):
                break
            places = self._places(self._hash[waiting], turn)
            table = np.full(1 << bits, -1, dtype=np.int32)
            table[places] = waiting
            self._tables.append(table)
            waiting = waiting[table[places] != waiting]

    def _places(self, hashes: Words, turn: int) -> NDArray[np.intp]:
        turned = hashes * (_MIX[1] ** np.uint64(turn)) if turn else hashes
        return (turned >> self._shift).astype(np.intp)

    def find(self, texts: Joined, start: Sizes, size: Sizes) -> NDArray[np.int32] | None:
        """Return the number of the piece that each stretch is, int32[n].

        None where one is no piece, or couldn't be found here.
        """
        hashes = texts.hashes(start, size)
        found = np.full(len(start), -1, dtype=np.int32)
        waiting = np.arange(len(start))
        for turn, table in enumerate(self._tables):
            sought = hashes if turn == 0 else hashes[waiting]
            piece = table[self._places(sought, turn)]
            right = (piece >= 0) & (self._hash[piece] == sought)
            found[waiting[right]] = piece[right]
            waiting = waiting[~right]
            if not len(waiting):
                break
        pieces = self._pieces
        if len(waiting) or not np.array_equal(self._size[found], size):
            return None
        same = texts.same(start, size, pieces, pieces.bounds[found])
        return found if same else None
