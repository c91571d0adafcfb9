"""Which pieces match at a place of a text: the plain road, over dictionaries.

The compiled road walks a double-array trie (`engine.kernels.trie`); this one serves short texts
and is what the kernels are tested against.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.segmenter import EdgeKind, Edges, Segmented

Alphabet = Literal["byte", "char"]
"""What a model's smallest unit is: a byte, or a character in UTF-8."""


def unit_end(text: bytes, start: int, end: int, alphabet: Alphabet) -> int:
    """Return where the unit that starts at `start` ends, at most `end`.

    A character's length is told by its first byte; a byte that can't start a character stands
    for itself.
    """
    if alphabet == "byte":
        return start + 1
    first = text[start]
    length = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return min(start + length, end)


def unit_starts(text: bytes, start: int, end: int, alphabet: Alphabet) -> Iterator[int]:
    """Yield where each unit of `text[start:end]` starts."""
    while start < end:
        yield start
        start = unit_end(text, start, end, alphabet)


class PieceTable:
    """Pieces by their bytes, able to list all that match at a place."""

    def __init__(self, index: Mapping[bytes, int]) -> None:
        self.index = index
        lengths: list[set[int]] = [set() for _ in range(256)]
        for piece in index:
            lengths[piece[0]].add(len(piece))
        self._lengths = [tuple(sorted(found)) for found in lengths]

    def at(self, text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield (end, id) of each piece that starts at `start`, up to `end`, shortest first."""
        index = self.index
        for length in self._lengths[text[start]]:
            stop = start + length
            if stop > end:
                return
            piece = index.get(text[start:stop])
            if piece is not None:
                yield stop, piece


@dataclass
class TokenList:
    """Tokens being collected; `segmented` makes the arrays."""

    ids: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, piece: int, start: int, end: int) -> None:
        """Append one token."""
        self.ids.append(piece)
        self.starts.append(start)
        self.ends.append(end)

    def add_unknown(
        self,
        text: bytes,
        start: int,
        end: int,
        unknown: int,
        byte_pieces: NDArray[np.int32] | None,
        joins: bool,
    ) -> None:
        """Append what an unknown character `text[start:end]` is written as.

        Its bytes' pieces (int32[256]), else the unknown token, else nothing (`unknown` -1). joins:
        the unknown token before it takes it in.
        """
        if byte_pieces is not None:
            for at in range(start, end):
                self.add(int(byte_pieces[text[at]]), at, at + 1)
        elif unknown >= 0 and joins:
            self.ends[-1] = end
        elif unknown >= 0:
            self.add(unknown, start, end)

    def segmented(self) -> Segmented:
        """Return the tokens as arrays."""
        return Segmented(
            np.array(self.ids, dtype=np.int32),
            np.array(self.starts, dtype=np.int64),
            np.array(self.ends, dtype=np.int64),
        )


@dataclass
class EdgeList:
    """Edges being collected; `edges` sorts them and makes the arrays."""

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    piece: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)

    def add(self, start: int, end: int, piece: int, kind: EdgeKind = EdgeKind.PIECE) -> None:
        """Append one edge."""
        self.start.append(start)
        self.end.append(end)
        self.piece.append(piece)
        self.kind.append(kind)

    def edges(
        self, score: NDArray[np.float64], rank: NDArray[np.int32], unknown_score: float
    ) -> Edges:
        """Return the edges by start, end and piece; score and rank come from the pieces' arrays.

        Edges of kind UNKNOWN and DROPPED get `unknown_score` and rank -1.
        """
        return make_edges(
            np.array(self.start, dtype=np.int32),
            np.array(self.end, dtype=np.int32),
            np.array(self.piece, dtype=np.int32),
            np.array(self.kind, dtype=np.uint8),
            score,
            rank,
            unknown_score,
        )


def make_edges(
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    piece: NDArray[np.int32],
    kind: NDArray[np.uint8],
    score: NDArray[np.float64],
    rank: NDArray[np.int32],
    unknown_score: float,
    in_order: bool = False,
) -> Edges:
    """Sort edges by start, end and piece, unless they are, and give each its score and rank.

    score: float64[n] and rank: int32[n] belong to the pieces; see `EdgeList.edges`.
    """
    if not in_order:
        order = np.lexsort((piece, end, start))
        start, end, piece, kind = start[order], end[order], piece[order], kind[order]
    known = (kind != EdgeKind.UNKNOWN) & (kind != EdgeKind.DROPPED)
    scores = np.full(len(start), unknown_score, dtype=np.float64)
    scores[known] = score[piece[known]]
    ranks = np.full(len(start), -1, dtype=np.int32)
    ranks[known] = rank[piece[known]]
    return Edges(start, end, piece, scores, ranks, kind)


def check_spans(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Return the arrays as the kernels want them; raise `ValueError` where a span is off.

    A kernel is compiled for each kind of array it meets, so all get the same: contiguous and
    writable. What isn't is copied.
    """
    data = np.require(data, np.uint8, ("C", "W"))
    starts = np.require(starts, np.int64, ("C", "W"))
    ends = np.require(ends, np.int64, ("C", "W"))
    if starts.ndim != 1 or starts.shape != ends.shape or data.ndim != 1:
        raise ValueError("starts and ends must be flat arrays of one length")
    if len(starts) and (
        int(starts.min()) < 0 or int(ends.max()) > len(data) or bool((starts > ends).any())
    ):
        raise ValueError(f"a span lies outside the {len(data)} bytes")
    return data, starts, ends


def room_for_tokens(
    starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[int, NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the bytes of the longest span, and empty (ids, starts, ends) for one token a byte."""
    lengths = ends - starts
    total = int(lengths.sum())
    return (
        int(lengths.max(initial=0)),
        np.empty(total, dtype=np.int32),
        np.empty(total, dtype=np.int64),
        np.empty(total, dtype=np.int64),
    )
