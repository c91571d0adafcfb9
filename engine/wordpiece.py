"""WordPiece: the longest piece first, from left to right.

Schuster & Nakajima, "Japanese and Korean Voice Search" (ICASSP 2012), as BERT applies it: inside
a word only continuation pieces (written with a mark, `##` in BERT) match, and a word that can't be
finished is one unknown token as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.kernels import compiled
from engine.matching import (
    Alphabet,
    EdgeList,
    PieceTable,
    TokenList,
    check_spans,
    make_edges,
    room_for_tokens,
    unit_starts,
)
from engine.pieces import Vocabulary
from engine.segmenter import EdgeKind, Edges, Segmented

if TYPE_CHECKING:
    from engine.kernels.trie import Trie


@dataclass(frozen=True, eq=False)
class WordPiece:
    """A WordPiece model's rule.

    unknown: id of the unknown token; -1 where the model has none, then such a word gives no
    token. max_chars: a word of more characters is unknown without a try; for `alphabet`
    "byte" (HuggingFace's ByteLevel before a WordPiece model) bytes are counted. With an empty
    `Vocabulary.mark` any piece may stand anywhere in a word.
    """

    vocabulary: Vocabulary
    unknown: int
    max_chars: int = 100
    alphabet: Alphabet = "char"

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `wordpiece`."""
        return "wordpiece"

    @property
    def law(self) -> str:
        """Why there is no law over segmentations."""
        return "WordPiece takes the longest piece first; its pieces have no probabilities"

    @cached_property
    def tables(self) -> tuple[PieceTable, PieceTable]:
        """Pieces that match at the start of a word, and inside it."""
        return PieceTable(self._initial), PieceTable(self._later)

    @cached_property
    def _initial(self) -> dict[bytes, int]:
        """Pieces that match at the start of a word.

        A word that begins with the mark can match a continuation piece as it is written.
        """
        vocabulary, mark = self.vocabulary, self.vocabulary.mark.encode()
        initial = {mark + data: i for data, i in vocabulary.continuation_index.items()}
        initial.update(vocabulary.index)
        return initial

    @cached_property
    def _later(self) -> dict[bytes, int]:
        """Pieces that match inside a word."""
        vocabulary = self.vocabulary
        return vocabulary.continuation_index if vocabulary.mark else vocabulary.index

    def lookup(self, text: bytes, *, inside: bool) -> int:
        """Return the piece that is `text` at the start of a word or inside it, -1 for none."""
        return (self._later if inside else self._initial).get(text, -1)

    @cached_property
    def trie(self) -> Trie:
        """The pieces as the kernels walk them."""
        from engine.kernels.build_trie import Keys, build_trie

        later = Keys.of_mapping(self._later)
        return build_trie(Keys.of_mapping(self._initial), self.alphabet, later)

    @cached_property
    def _no_rank(self) -> NDArray[np.int32]:
        return np.full(max(1, len(self.vocabulary)), -1, dtype=np.int32)

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each word, the longest piece first."""
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data)):
            return self.segment_compiled(data, starts, ends)[0]
        return self.segment_plain(data, starts, ends)

    def segment_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[Segmented, NDArray[np.uint8]]:
        """Do what `segment` does with the kernel; the spans must be checked.

        Also returns uint8[k], 1 for words that are one unknown token.
        """
        from engine.kernels.wordpiece import longest_first

        trie = self.trie
        longest, ids, at, to = room_for_tokens(starts, ends)
        failed = np.zeros(len(starts), dtype=np.uint8)
        count = longest_first(
            data,
            starts,
            ends,
            trie.table,
            trie.by_char,
            trie.units,
            trie.ids,
            trie.inside,
            self.unknown,
            self.max_chars,
            longest,
            failed,
            ids,
            at,
            to,
        )
        return Segmented(ids[:count], at[:count], to[:count]), failed

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

    def too_long(self, text: bytes, first: int, last: int) -> bool:
        """Return whether a word is unknown without a try."""
        # A character has at most four bytes: most long words need no counting.
        return last - first > self.max_chars and (
            last - first > 4 * self.max_chars
            or sum(1 for _ in unit_starts(text, first, last, self.alphabet)) > self.max_chars
        )

    def _longest_first(
        self, text: bytes, first: int, last: int
    ) -> list[tuple[int, int, int]] | None:
        """Return (piece, start, end) of each piece of a word, or None where it can't be cut."""
        if self.too_long(text, first, last):
            return None
        found = []
        start = first
        while start < last:
            longest = None
            for match in self.tables[start > first].at(text, start, last):
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
        if compiled(len(data)):
            return self.edges_compiled(data, starts, ends)
        return self.edges_plain(data, starts, ends)

    @property
    def _failed_kind(self) -> EdgeKind:
        """The kind of the edge over a word that can't be cut."""
        return EdgeKind.UNKNOWN if self.unknown >= 0 else EdgeKind.DROPPED

    def edges_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does with the kernel; the spans must be checked."""
        from engine.kernels.matches import NOTHING, find_matches

        trie = self.trie
        none = np.empty(0, dtype=np.int32)
        start, end, piece, _ = find_matches(trie, data, starts, ends, trie.lone, NOTHING, none)
        failed = np.flatnonzero(self.segment_compiled(data, starts, ends)[1])
        kind = np.full(len(start) + len(failed), EdgeKind.PIECE, dtype=np.uint8)
        kind[len(start) :] = self._failed_kind
        return make_edges(
            np.append(start, starts[failed].astype(np.int32)),
            np.append(end, ends[failed].astype(np.int32)),
            np.append(piece, np.full(len(failed), self.unknown, dtype=np.int32)),
            kind,
            self.vocabulary.score,
            self._no_rank,
            float("nan"),
        )

    def edges_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does in plain Python."""
        text = data.tobytes()
        found = EdgeList()
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
            for start in unit_starts(text, first, last, self.alphabet):
                for end, piece in self.tables[start > first].at(text, start, last):
                    found.add(start, end, piece)
            if first < last and self._longest_first(text, first, last) is None:
                found.add(first, last, self.unknown, self._failed_kind)
        return found.edges(self.vocabulary.score, self._no_rank, float("nan"))
