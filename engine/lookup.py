"""Word and character models: each unit of the text is looked up in the vocabulary.

HuggingFace's WordLevel looks up whole pre-tokens. SentencePiece's model types `word` and `char`
look up the stretches between its space marks, and single characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import CoverageError
from engine.matching import EdgeList, PieceTable, TokenList, check_spans, unit_end
from engine.pieces import PieceKind, Vocabulary
from engine.segmenter import EdgeKind, Edges, Segmented

SPACE = "▁".encode()

Unit = Literal["pretoken", "word", "char"]
"""What is looked up: a whole pre-token (HuggingFace's WordLevel), a stretch up to the next ▁
(SentencePiece's `word`), or a character or user-defined piece (SentencePiece's `char`)."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """A word or character model's rule.

    unknown: id of the unknown token, -1 for none; without it and byte pieces a unit that is no
        piece raises `CoverageError`. byte_pieces: int32[256], the ids that spell an unknown unit
        byte by byte, or None. fuse_unknown: neighbouring unknown units are one unknown token.
    """

    vocabulary: Vocabulary
    unit: Unit
    unknown: int = -1
    fuse_unknown: bool = False
    byte_pieces: NDArray[np.int32] | None = None

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `word` or `char`."""
        return "char" if self.unit == "char" else "word"

    @property
    def law(self) -> str:
        """Why there is no law over segmentations."""
        unit = "character" if self.unit == "char" else "word"
        return f"each {unit} is looked up whole, so there is one segmentation and no law"

    @cached_property
    def _user_defined(self) -> PieceTable:
        vocabulary = self.vocabulary
        ids = np.flatnonzero(vocabulary.kind == PieceKind.USER_DEFINED).tolist()
        return PieceTable({vocabulary.bytes(i): i for i in ids if vocabulary.lengths[i]})

    def units(self, text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the span of each unit of the pre-token `text[start:end]`."""
        if self.unit == "pretoken":
            if start < end:
                yield start, end
            return
        while start < end:
            if self.unit == "word":
                stop = text.find(SPACE, start + 1, end)
                stop = end if stop < 0 else stop
            else:
                stop = unit_end(text, start, end, "char")
                stop = max((to for to, _ in self._user_defined.at(text, start, end)), default=stop)
            yield start, stop
            start = stop

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Look each unit of each pre-token up. Raises `CoverageError`; see the class."""
        data, starts, ends = check_spans(data, starts, ends)
        text, index = data.tobytes(), self.vocabulary.index
        tokens = TokenList()
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
            fused = False
            for start, end in self.units(text, first, last):
                piece = index.get(text[start:end])
                if piece is not None:
                    tokens.add(piece, start, end)
                elif self.unknown < 0 and self.byte_pieces is None:
                    raise CoverageError(start)
                else:
                    tokens.add_unknown(text, start, end, self.unknown, self.byte_pieces, fused)
                fused = piece is None and self.fuse_unknown
        return tokens.segmented()

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return one edge a unit: its piece, or UNKNOWN where the model can write it as such."""
        data, starts, ends = check_spans(data, starts, ends)
        text, index = data.tobytes(), self.vocabulary.index
        found = EdgeList()
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
            for start, end in self.units(text, first, last):
                piece = index.get(text[start:end])
                if piece is not None:
                    found.add(start, end, piece)
                elif self.unknown >= 0 or self.byte_pieces is not None:
                    found.add(start, end, self.unknown, EdgeKind.UNKNOWN)
        none = max(1, len(self.vocabulary))
        no_score, no_rank = np.full(none, np.nan), np.full(none, -1, dtype=np.int32)
        return found.edges(no_score, no_rank, float("nan"))
