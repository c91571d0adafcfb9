"""WordPiece: the longest piece first, from left to right.

Schuster & Nakajima, "Japanese and Korean Voice Search" (ICASSP 2012), as BERT applies it: inside
a word only continuation pieces (written with `##`) match, and a word that can't be finished is
one unknown token as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.matching import (
    EdgeList,
    PieceTable,
    TokenList,
    check_spans,
    unit_starts,
)
from engine.pieces import Vocabulary
from engine.segmenter import EdgeKind, Edges, Segmented

MARK = b"##"
"""How a continuation piece is written; a word that begins with it can match one literally."""


@dataclass(frozen=True, eq=False)
class WordPiece:
    """A WordPiece model's rule.

    unknown: id of the unknown token; -1 where the model has none, then such a word gives no
    token. max_chars: a word of more characters is unknown without a try.
    """

    vocabulary: Vocabulary
    unknown: int
    max_chars: int = 100

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `wordpiece`."""
        return "wordpiece"

    @property
    def law(self) -> str:
        """Why there is no law over segmentations."""
        return "WordPiece takes the longest piece first; its pieces have no probabilities"

    @cached_property
    def _tables(self) -> tuple[PieceTable, PieceTable]:
        """Pieces that match at the start of a word, and inside it."""
        vocabulary = self.vocabulary
        initial = {MARK + data: i for data, i in vocabulary.continuation_index.items()}
        initial.update(vocabulary.index)
        return PieceTable(initial), PieceTable(vocabulary.continuation_index)

    @cached_property
    def _no_rank(self) -> NDArray[np.int32]:
        return np.full(max(1, len(self.vocabulary)), -1, dtype=np.int32)

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each word, the longest piece first."""
        data, starts, ends = check_spans(data, starts, ends)
        return self.segment_plain(data, starts, ends)

    def segment_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does in plain Python."""
        text = data.tobytes()
        tokens = TokenList()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            pieces = self._longest_first(text, start, end)
            if pieces is not None:
                for piece in pieces:
                    tokens.add(*piece)
            elif self.unknown >= 0:
                tokens.add(self.unknown, start, end)
        return tokens.segmented()

    def _longest_first(
        self, text: bytes, first: int, last: int
    ) -> list[tuple[int, int, int]] | None:
        """Return (piece, start, end) of each piece of a word, or None where it can't be cut."""
        # A character has at most four bytes: most long words need no counting.
        if last - first > self.max_chars and (
            last - first > 4 * self.max_chars
            or sum(1 for _ in unit_starts(text, first, last, "char")) > self.max_chars
        ):
            return None
        found = []
        start = first
        while start < last:
            longest = None
            for match in self._tables[start > first].at(text, start, last):
                longest = match
            if longest is None:
                return None
            end, piece = longest
            found.append((piece, start, end))
            start = end
        return found

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return all pieces that match: initial ones at a word's start, continuations inside.

        A word that the model can't cut also has an edge over the whole of it: UNKNOWN, or
        DROPPED with piece -1 where the model has no unknown token.
        """
        data, starts, ends = check_spans(data, starts, ends)
        return self.edges_plain(data, starts, ends)

    def edges_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does in plain Python."""
        text = data.tobytes()
        found = EdgeList()
        kind = EdgeKind.UNKNOWN if self.unknown >= 0 else EdgeKind.DROPPED
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
            for start in unit_starts(text, first, last, "char"):
                for end, piece in self._tables[start > first].at(text, start, last):
                    found.add(start, end, piece)
            if first < last and self._longest_first(text, first, last) is None:
                found.add(first, last, self.unknown, kind)
        return found.edges(self.vocabulary.score, self._no_rank, float("nan"))
