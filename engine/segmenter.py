"""What a segmentation algorithm is to the rest of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class EdgeKind(IntEnum):
    """What an edge of the lattice stands for."""

    PIECE = 0
    UNKNOWN = 1
    """No piece matches here: the unknown token, or bytes where the model falls back to them."""
    BYTE = 2
    """One byte of a character that the model spells as byte fallback pieces."""
    ADDED = 3
    """An added or special token that was cut out of the text."""
    DROPPED = 4
    """A character that the model leaves out in silence (no unknown token); its piece is -1."""


@dataclass(frozen=True, eq=False)
class Segmented:
    """Tokens in order. ids: int32[t]; starts, ends: int64[t], spans in the segmented bytes."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Edges:
    """All pieces that match, as flat arrays sorted by start, then end, then piece.

    start, end: int32[e], nodes are positions in the segmented bytes.
    piece: int32[e], -1 where no piece stands for the edge.
    score: float64[e], natural logarithm, NaN where the model defines no law.
    rank: int32[e], the merge that makes the piece (BPE); -1 where there is none.
    kind: uint8[e], `EdgeKind`.
    """

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    piece: NDArray[np.int32]
    score: NDArray[np.float64]
    rank: NDArray[np.int32]
    kind: NDArray[np.uint8]


class Segmenter(Protocol):
    """A model's rule: Unigram, BPE or WordPiece, over one vocabulary."""

    @property
    def algorithm(self) -> str:
        """`unigram`, `bpe`, `wordpiece`, `word` or `char`."""

    @property
    def law(self) -> str:
        """Why the model defines no law over segmentations; empty where it does."""

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each pre-token `data[starts[i]:ends[i]]` as the model's own library does."""

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return all edges of the lattice of the pre-tokens; none crosses a pre-token."""
