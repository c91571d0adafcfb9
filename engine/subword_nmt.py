"""BPE as subword-nmt applies it, versions 0.1 and 0.2 of its codes.

Sennrich, Haddow & Birch, "Neural Machine Translation of Rare Words with Subword Units" (ACL 2016),
and the rule of subword-nmt 0.3.8. It differs from `Bpe` in three things: all places of the lowest
pair merge before the next pair is looked for; in version 0.1 the end-of-word mark is a symbol of
its own; and what merging leads to can be undone by a vocabulary filter.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.bpe import LOW, Bpe, MergeSteps
from engine.matching import EdgeList, TokenList, check_spans, unit_end, unit_starts
from engine.segmenter import EdgeKind, Edges, Segmented

if TYPE_CHECKING:
    from engine.symbols import Merge, Word
    from engine.trace import NoteRule

MARK = b"</w>"
"""The end-of-word mark."""

Token = tuple[int, int, int]
"""Piece, start and end of a token in its word."""


@dataclass(frozen=True, eq=False)
class SubwordNmt(Bpe):
    """The rule of subword-nmt codes.

    mark: id of the mark as a symbol of its own (version 0.1; a word's bytes then end with the
        mark), −1 where it is glued to the last character (0.2; `suffix` is the mark).
    final: int32[n], the piece that stands for each symbol at the end of a word; itself if it
        already ends one. A mark that merges with nothing is no token: the symbol before it is
        written as this piece.
    kept: bool[n], the pieces that the vocabulary filter lets pass, or None without one. undo: left
        and right of the merge that makes a piece, by its id; a piece that doesn't pass is taken
        apart until all parts pass or can't be taken apart.
    """

    mark: int = -1
    final: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    kept: NDArray[np.bool_] | None = None
    undo: dict[int, tuple[int, int]] = field(default_factory=dict)

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each word; equal words are cut once."""
        data, starts, ends = check_spans(data, starts, ends)
        text = data.tobytes()
        known: dict[bytes, list[Token]] = {}
        tokens = TokenList()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            word = text[start:end]
            if word not in known:
                known[word] = self._cut(word, self._merge)
            for piece, at, to in known[word]:
                tokens.add(piece, start + at, start + to)
        return tokens.segmented()

    def merge_steps(self, data: NDArray[np.uint8], start: int, end: int) -> MergeSteps:
        """Return the merges applied to the word `data[start:end]`, in order."""
        word = self.word(data[start:end].tobytes())
        self._merge(word)
        return self._placed(np.array(word.steps, dtype=np.int64).reshape(-1, 7), word, start)

    def note(self, symbols: list[int]) -> tuple[NoteRule, int] | None:
        """Return why a word's tokens aren't these symbols, which merging led to; None if they are.

        With the reason comes the piece that it is about.
        """
        if self.kept is not None and len(symbols) > 0:
            written = [*symbols[:-1], int(self.final[symbols[-1]])]
            for piece in written:
                if piece != self.mark and not self.kept[piece] and piece in self.undo:
                    return "filter", piece
        if self.mark >= 0 and len(symbols) > 1 and symbols[-1] == self.mark:
            return "mark", self.mark
        return None

    def add_tokens(
        self, text: bytes, start: int, end: int, merge: Merge, tokens: TokenList
    ) -> None:
        """Append the tokens of the word `text[start:end]` whose symbols `merge` merges."""
        for piece, at, to in self._cut(text[start:end], merge):
            tokens.add(piece, start + at, start + to)

    def _cut(self, text: bytes, merge: Merge) -> list[Token]:
        """Return the tokens of a word."""
        word = self.word(text)
        one = len(word.id) == (1 if self.mark < 0 else 2)
        merge(word)
        found = word.symbols()
        if not found:
            return []
        last, start, _ = found.pop()
        if last == self.mark and found:
            last, start, _ = found.pop()
        found.append((int(self.final[last]), start, len(text)))
        if self.kept is None or one:
            return found
        kept = [token for symbol in found for token in self._filtered(symbol)]
        # Where the mark alone was undone, subword-nmt 0.3.8 writes an empty piece after the last.
        piece, start, _ = kept[-1]
        kept[-1] = (int(self.final[piece]), start, len(text))
        return kept

    def _filtered(self, symbol: Token) -> list[Token]:
        """Take a symbol apart that the filter doesn't let pass, by undoing merges."""
        kept, made = self.kept, []
        todo = [symbol]
        while todo and kept is not None:
            piece, start, end = todo.pop()
            parts = None if kept[piece] else self.undo.get(piece)
            if parts is None:
                made.append((piece, start, end))
                continue
            left, right = parts
            middle = start + int(self.vocabulary.lengths[left])
            if right != self.mark:
                todo.append((right, middle, end))
            todo.append((left, start, middle))
        return made

    def word(self, text: bytes) -> Word:
        """Cut a word into its first symbols; the mark that ends its bytes is one (0.1)."""
        if self.mark < 0 or not text.endswith(MARK):
            return super().word(text)
        size = len(text) - len(MARK)
        word = super().word(text[:size])
        word.start.append(size)
        word.end.append(len(text))
        word.id.append(self.mark)
        word.after.append(len(word.id))
        return word

    def _merge(self, word: Word) -> None:
        """Merge until no pair is left: that of the lowest rank, at all its places from the left.

        Pairs that these merges make wait until all places are done, whatever their rank. Learned
        codes can tell this from merging one place at a time. O(n log n).
        """
        pairs, ids, after = self._pairs, word.id, word.after
        n = len(ids)
        before = list(range(-1, n - 1))

        def entries(places: Iterator[int]) -> Iterator[int]:
            for i in places:
                found = pairs.get(ids[i] << 32 | ids[after[i]])
                if found is not None:
                    yield (found >> 32) << 32 | i

        heap = list(entries(iter(range(n - 1))))
        heapq.heapify(heap)
        while heap:
            rank = heap[0] >> 32
            places = []
            while heap and heap[0] >> 32 == rank:
                places.append(heapq.heappop(heap) & LOW)
            made = []
            for i in places:
                j = after[i]
                if ids[i] < 0 or j >= n:
                    continue
                found = pairs.get(ids[i] << 32 | ids[j])
                if found is None or found >> 32 != rank:
                    continue
                k = after[j]
                word.steps.append((rank, i, j, k, ids[i], ids[j], found & LOW))
                ids[i], ids[j] = found & LOW, -1
                after[i] = k
                if k < n:
                    before[k] = i
                made.append(i)
            touched = {*made, *(before[i] for i in made)}
            for entry in entries(i for i in touched if i >= 0 and after[i] < n):
                heapq.heappush(heap, entry)

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return all pieces that match; at the end of a word only those that may end it."""
        if self.mark < 0:
            return super().edges(data, starts, ends)
        data, starts, ends = check_spans(data, starts, ends)
        found = EdgeList()
        text = data.tobytes()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self._add_edges(text[start:end], start, found)
        return found.edges(self._no_score, self.made_by, float("nan"))

    def _add_edges(self, text: bytes, offset: int, found: EdgeList) -> None:
        """Append the edges of a word whose bytes end with the mark."""
        size = len(text) - len(MARK)
        for start in unit_starts(text, 0, size, self.alphabet):
            end = unit_end(text, start, size, self.alphabet)
            if text[start:end] not in self.base:
                end = end if end < size else len(text)
                found.add(offset + start, offset + end, self.unknown, EdgeKind.UNKNOWN)
            for stop, piece in self.table.at(text, start, len(text)):
                if stop < size or stop == len(text):
                    found.add(offset + start, offset + stop, piece)
