"""BPE: neighbouring symbols merge, the pair of the lowest rank first.

Sennrich, Haddow & Birch, "Neural Machine Translation of Rare Words with Subword Units" (ACL 2016).
One rule serves three libraries, told apart by the rows of the merge table: HuggingFace lists
pairs, tiktoken merges any two symbols whose joined bytes have a rank, and SentencePiece any two
whose joined text is a piece, by score.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError
from engine.kernels import compiled
from engine.matching import (
    Alphabet,
    EdgeList,
    PieceTable,
    TokenList,
    check_spans,
    make_edges,
    room_for_tokens,
    unit_end,
)
from engine.pair_table import PairTable
from engine.pieces import PieceKind, Vocabulary
from engine.segmenter import EdgeKind, Edges, Segmented
from engine.symbols import Merge, Word

if TYPE_CHECKING:
    from engine.kernels.bpe_tables import BpeTables

Rule = Literal["pairs", "ranks", "concatenation"]
"""Which symbols may merge: listed pairs (HuggingFace), any whose joined bytes have a rank
(tiktoken), or any whose joined text is a piece (SentencePiece)."""

MAX_RANK = 0x7FFFFFFF

LOW = 0xFFFFFFFF
"""Mask of the lower half of a packed pair."""


class Initial(NamedTuple):
    """The symbols of a pre-token before any merge: starts, ends int64[s]; ids int32[s]."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    ids: NDArray[np.int32]


class MergeSteps(NamedTuple):
    """The merges applied to a pre-token, in order; flat arrays of one length.

    rank, left, right, result: int32. start, middle, end: int64, where the left symbol starts,
    where the right one starts, and where it ends.
    """

    rank: NDArray[np.int32]
    start: NDArray[np.int64]
    middle: NDArray[np.int64]
    end: NDArray[np.int64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    result: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Bpe:
    """A BPE model's rule.

    left, right, result, rank: int32[m], one row per pair that may merge; the lowest rank wins
        where a pair is given twice.
    alphabet: symbols start as bytes or as characters.
    unknown: id of the unknown token, -1 for none. byte_pieces: int32[256], the ids that spell an
        unknown character byte by byte, or None. fuse_unknown: neighbouring unknown characters
        are one symbol. With neither, an unknown character is left out and its neighbours may
        merge across the gap.
    ignore_merges: a pre-token that is itself a piece is that piece.
    Symbols without a piece: SentencePiece and tiktoken look joined texts up, so a unit that is no
        piece may still merge. Such symbols are entries of kind HOLE with bytes, behind the last
        piece of the vocabulary, and SentencePiece's unused pieces of one character; what is left
        of them in the end is an unknown character.
    prefix, suffix: what HuggingFace's BPE puts before each symbol of a pre-token but the first,
        and after the last; the vocabulary's pieces carry them.
    """

    vocabulary: Vocabulary
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    result: NDArray[np.int32]
    rank: NDArray[np.int32]
    alphabet: Alphabet = "byte"
    unknown: int = -1
    fuse_unknown: bool = False
    byte_pieces: NDArray[np.int32] | None = None
    ignore_merges: bool = False
    prefix: str = ""
    suffix: str = ""
    rule: Rule = "pairs"

    def __post_init__(self) -> None:
        """Raise `ModelError` where the merge table points outside the vocabulary."""
        columns = (self.left, self.right, self.result, self.rank)
        if len({len(column) for column in columns}) != 1:
            raise ModelError("the columns of the merge table differ in length")
        for column in columns[:3]:
            if len(column) and not 0 <= int(column.min()) <= int(column.max()) < len(
                self.vocabulary
            ):
                raise ModelError(f"a merge names a piece outside 0 … {len(self.vocabulary) - 1}")
        if len(self.rank) and not 0 <= int(self.rank.min()) <= int(self.rank.max()) < MAX_RANK:
            raise ModelError(f"a merge has a rank outside 0 … {MAX_RANK - 1}")

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `bpe`."""
        return "bpe"

    @property
    def law(self) -> str:
        """Why there is no law over segmentations."""
        return "BPE ranks are an order of merging, not log-probabilities"

    @cached_property
    def merges(self) -> Sequence[int]:
        """The merge rules by rank: the number of the row in the merge table of each.

        For rule `pairs` one row per listed pair; for the others one per piece that merging makes.
        """
        order = np.lexsort((np.arange(len(self.rank)), self.rank))
        if self.rule != "pairs":
            _, first = np.unique(self.result[order], return_index=True)
            order = order[np.sort(first)]
        return tuple(order.tolist())

    @cached_property
    def _pairs(self) -> PairTable:
        return PairTable(*self.rows)

    @cached_property
    def rows(self) -> tuple[NDArray[np.int32], ...]:
        """The merge table as it is used: (left, right, result, rank), int32 each.

        SentencePiece never merges a user-defined symbol, so its rows are left out.
        """
        table = (self.left, self.right, self.result, self.rank)
        rows = tuple(np.ascontiguousarray(column, dtype=np.int32) for column in table)
        if self.rule == "concatenation":
            user = self.vocabulary.kind == PieceKind.USER_DEFINED
            kept = ~(user[rows[0]] | user[rows[1]])
            rows = tuple(column[kept] for column in rows)
        return rows

    @cached_property
    def base(self) -> dict[bytes, int]:
        """The pieces that a symbol may start as, and symbols without a piece."""
        index = self.vocabulary.index
        return {**index, **self.lacking} if self.lacking else index

    @cached_property
    def lacking(self) -> dict[bytes, int]:
        """Symbols without a piece, see the class: their number by their bytes."""
        vocabulary = self.vocabulary
        ids = np.flatnonzero((vocabulary.kind == PieceKind.HOLE) & (vocabulary.lengths > 0))
        lacking = {vocabulary.bytes(i): i for i in ids.tolist()}
        if self.rule == "concatenation":
            unused = ((vocabulary.bytes(i), i) for i in self.unused)
            lacking.update((text, i) for text, i in unused if text and self._one_unit(text))
        return lacking

    @cached_property
    def _strays(self) -> frozenset[int]:
        """What is an unknown character in the end, where there are symbols without a piece."""
        return frozenset((*self.lacking.values(), self.unknown) if self.lacking else ())

    @cached_property
    def _whole(self) -> PieceTable | None:
        """User-defined pieces of a SentencePiece model: they are symbols from the start."""
        vocabulary = self.vocabulary
        if self.rule != "concatenation" or not (vocabulary.kind == PieceKind.USER_DEFINED).any():
            return None
        ids = np.flatnonzero(vocabulary.kind == PieceKind.USER_DEFINED).tolist()
        return PieceTable({vocabulary.bytes(i): i for i in ids if vocabulary.lengths[i]})

    def _one_unit(self, text: bytes) -> bool:
        return unit_end(text, 0, len(text), self.alphabet) == len(text)

    @cached_property
    def known_to_stay(self) -> dict[int, bool]:
        """Whether merging gives pieces and pairs of them back, as far as `engine.bpe_edges` was
        asked."""
        return {}

    @cached_property
    def known_in_place(self) -> dict[tuple[bytes, int, int, int, int, int], bool]:
        """The same by pre-token and place in it, for models that spell a piece otherwise there."""
        return {}

    @cached_property
    def table(self) -> PieceTable:
        """Pieces that an edge may use: all that match text."""
        return PieceTable(self.vocabulary.index)

    @cached_property
    def made_by(self) -> NDArray[np.int32]:
        """The lowest rank of a merge that makes each piece, int32[n]; -1 where none does."""
        lowest = np.full(max(1, len(self.vocabulary)), np.iinfo(np.int32).max, dtype=np.int32)
        np.minimum.at(lowest, self.result, self.rank)
        lowest[lowest == np.iinfo(np.int32).max] = -1
        return lowest

    @cached_property
    def unused(self) -> frozenset[int]:
        """Pieces marked as unused: SentencePiece takes them apart again."""
        return frozenset(np.flatnonzero(self.vocabulary.kind == PieceKind.UNUSED).tolist())

    @cached_property
    def inner_pairs(self) -> frozenset[int] | None:
        """Neighbours that a merge may join; see `engine.dropout.stretches.inner_pairs`."""
        from engine.dropout.stretches import inner_pairs

        return inner_pairs(self)

    def pair(self, left: int, right: int) -> tuple[int, int] | None:
        """Return (rank, result) of the merge of two symbols, None where they don't merge."""
        found = self._pairs.get(int(left) << 32 | int(right))
        return None if found is None else (found >> 32, found & LOW)

    def initial(self, data: NDArray[np.uint8], start: int, end: int) -> Initial:
        """Return the symbols of the pre-token `data[start:end]` before any merge.

        A pre-token that only `ignore_merges` makes one piece is that one symbol.
        """
        word = self._shown_word(data[start:end].tobytes())
        return Initial(
            np.array(word.start, dtype=np.int64) + start,
            np.array(word.end, dtype=np.int64) + start,
            np.array(word.id, dtype=np.int32),
        )

    def first_symbols(self, text: bytes) -> list[tuple[int, int, int]]:
        """Return (id, start, end) of each symbol of a pre-token before any merge."""
        return self.word(text).symbols()

    def merged(self, symbols: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Return what merging leaves of symbols (id, start, end) that stand side by side."""
        ids, starts, ends = (list(column) for column in zip(*symbols, strict=True))
        word = Word(starts, ends, ids, list(range(1, len(symbols) + 1)), [], {})
        self._merge(word)
        return word.symbols()

    @property
    def spelled_alike(self) -> bool:
        """Whether a piece's first symbols are the same wherever it stands in a pre-token."""
        return not (self.prefix or self.suffix) and self._whole is None

    def merge_steps(self, data: NDArray[np.uint8], start: int, end: int) -> MergeSteps:
        """Return the merges applied to the pre-token `data[start:end]`, in order."""
        word = self._shown_word(data[start:end].tobytes())
        if compiled(end - start):
            steps = self.tables.merge_steps(word.id)
        else:
            self._merge(word)
            steps = np.array(word.steps, dtype=np.int64).reshape(-1, 7)
        return self._placed(steps, word, start)

    def _placed(self, steps: NDArray[np.int64], word: Word, offset: int) -> MergeSteps:
        """Return merges whose places are symbols as `MergeSteps`, whose places are bytes."""
        starts = np.array(word.start, dtype=np.int64) + offset
        ends = np.array(word.end, dtype=np.int64) + offset
        first, middle, last = starts[steps[:, 1]], starts[steps[:, 2]], ends[steps[:, 3] - 1]
        rank, left, right, result = (steps[:, i].astype(np.int32) for i in (0, 4, 5, 6))
        return MergeSteps(rank, first, middle, last, left, right, result)

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each pre-token by merging."""
        data, starts, ends = check_spans(data, starts, ends)
        # Left to the plain road, as hardly a model has them: taking unused pieces apart again,
        # and symbols without a piece.
        if compiled(len(data)) and not (self.unused or self.lacking):
            return self.segment_compiled(data, starts, ends)
        return self.segment_plain(data, starts, ends)

    @cached_property
    def tables(self) -> BpeTables:
        """The arrays that the kernels work on."""
        from engine.kernels.bpe_tables import BpeTables

        return BpeTables(self)

    def segment_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does with the kernel; the spans must be checked."""
        longest, ids, at, to = room_for_tokens(starts, ends)
        count = self.tables.segment(data, starts, ends, longest, ids, at, to)
        return Segmented(ids[:count], at[:count], to[:count])

    def segment_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does in plain Python."""
        text = data.tobytes()
        tokens = TokenList()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            piece = text[start:end]
            whole = self.vocabulary.index.get(piece) if self.ignore_merges else None
            if whole is not None:
                tokens.add(whole, start, end)
            else:
                self.add_tokens(text, start, end, self._merge, tokens)
        return tokens.segmented()

    def add_tokens(
        self, text: bytes, start: int, end: int, merge: Merge, tokens: TokenList
    ) -> None:
        """Append the tokens of the pre-token `text[start:end]` whose symbols `merge` merges."""
        word = self.word(text[start:end])
        merge(word)
        fused = False
        for symbol, at, to in self._parts(word):
            stray = symbol in self._strays
            if stray:
                span = (start + at, start + to)
                pieces = None if symbol == self.unknown else self.byte_pieces
                tokens.add_unknown(text, *span, self.unknown, pieces, fused)
            else:
                tokens.add(symbol, start + at, start + to)
            fused = stray and self.fuse_unknown

    def _shown_word(self, piece: bytes) -> Word:
        """Return a pre-token's symbols as the trace shows them."""
        word = self.word(piece)
        whole = self.vocabulary.index.get(piece) if self.ignore_merges else None
        if whole is not None:
            merged = self.word(piece)
            self._merge(merged)
            if merged.symbols() != [(whole, 0, len(piece))]:
                return Word([0], [len(piece)], [whole], [1], [], {})
        return word

    def word(self, text: bytes) -> Word:
        """Cut a pre-token into its first symbols."""
        base, whole = self.base, self._whole
        prefix, suffix = self.prefix.encode(), self.suffix.encode()
        tokens = TokenList()
        start, last = 0, len(text)
        fused = False
        while start < last:
            end = unit_end(text, start, last, self.alphabet)
            if whole is not None:
                end = max((stop for stop, _ in whole.at(text, start, last)), default=end)
            shown = (prefix if start else b"") + text[start:end] + (suffix if end == last else b"")
            piece = base.get(shown)
            if piece is not None:
                tokens.add(piece, start, end)
            else:
                tokens.add_unknown(text, start, end, self.unknown, self.byte_pieces, fused)
            fused = piece is None and self.fuse_unknown
            start = end
        after = list(range(1, len(tokens.ids) + 1))
        return Word(tokens.starts, tokens.ends, tokens.ids, after, [], {})

    def _merge(self, word: Word) -> None:
        """Merge until no pair is left; of equal ranks the leftmost goes first.

        A heap holds rank and place of each pair; an entry whose pair is gone by the time it
        comes up is passed over. O(n log n).
        """
        pairs, ids, after = self._pairs, word.id, word.after
        n = len(ids)
        before = list(range(-1, n - 1))
        heap: list[int] = []

        def enter(i: int, j: int) -> None:
            found = pairs.get(ids[i] << 32 | ids[j])
            if found is not None:
                heap.append((found >> 32) << 32 | i)
                if (found & LOW) in self.unused:
                    word.split[found & LOW] = (ids[i], ids[j])

        for i in range(n - 1):
            enter(i, i + 1)
        heapq.heapify(heap)
        while heap:
            entry = heapq.heappop(heap)
            rank, i = entry >> 32, entry & LOW
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
            for left, right in ((before[i], i), (i, k)):
                if left >= 0 and right < n:
                    size = len(heap)
                    enter(left, right)
                    if len(heap) > size:
                        heapq.heappush(heap, heap.pop())

    def _parts(self, word: Word) -> Iterator[tuple[int, int, int]]:
        """Yield (id, start, end) of each symbol that is left, unused pieces taken apart again."""
        todo = word.symbols()
        todo.reverse()
        while todo:
            symbol, start, end = todo.pop()
            halves = word.split.get(symbol) if symbol in self.unused else None
            if halves is None:
                yield symbol, start, end
            else:
                middle = end - int(self.vocabulary.lengths[halves[1]])
                todo.append((halves[1], middle, end))
                todo.append((halves[0], start, middle))

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return all pieces that match, whether merging can reach them or not.

        score is NaN; rank is the lowest one of a merge that makes the piece. Characters that
        no symbol stands for have BYTE edges (one a byte), an UNKNOWN edge, or a DROPPED one, as
        the model treats them; pieces may span dropped characters.
        """
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data)) and not (self.lacking or self._gaps):
            return self.edges_compiled(data, starts, ends)
        return self.edges_plain(data, starts, ends)

    @cached_property
    def _gaps(self) -> bool:
        """Whether pieces aren't spelled as the text is: a prefix, a suffix, characters left out."""
        if self.prefix or self.suffix:
            return True
        if self.unknown >= 0 or self.byte_pieces is not None:
            return False
        return self.alphabet == "char" or bool((self.tables.trie.lone[:256] < 0).any())

    def edges_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does with the kernel; the spans must be checked, `_gaps` false."""
        from engine.kernels.matches import BYTEWISE, WHOLE, find_matches

        tables = self.tables
        bytewise = self.byte_pieces is not None
        start, end, piece, stray = find_matches(
            tables.trie,
            data,
            starts,
            ends,
            tables.base[: tables.trie.n_symbols],
            BYTEWISE if bytewise else WHOLE,
            tables.byte_pieces,
        )
        if not bytewise:
            piece = np.where(stray, np.int32(self.unknown), piece)
        other = EdgeKind.BYTE if bytewise else EdgeKind.UNKNOWN
        kind = np.where(stray, np.uint8(other), np.uint8(EdgeKind.PIECE))
        score, nan = self._no_score, float("nan")
        return make_edges(start, end, piece, kind, score, self.made_by, nan, in_order=True)

    @cached_property
    def _no_score(self) -> NDArray[np.float64]:
        return np.full(max(1, len(self.vocabulary)), np.nan)

    def edges_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does in plain Python."""
        from engine.bpe_edges import add_word_edges

        found = EdgeList()
        text = data.tobytes()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            add_word_edges(self, text[start:end], start, found)
        return found.edges(self._no_score, self.made_by, float("nan"))
