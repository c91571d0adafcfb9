"""Unigram: the segmentation with the highest sum of scores.

Kudo, "Subword Regularization" (ACL 2018). What is exact here is what the libraries do: the
order in which edges meet a node, the width of the sums, and how an unknown character is spelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import CoverageError
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
    unit_starts,
)
from engine.passes import check_theta
from engine.pieces import Vocabulary
from engine.segmenter import EdgeKind, Edges, Segmented

if TYPE_CHECKING:
    from engine.kernels.trie import Trie, Walk

UNKNOWN = -1
"""Stands for "no piece" while a path is traced back."""

STEEPEST_THETA = 1e200
"""Sums of scores times this are still finite; beyond it nothing is left to chance but exact ties,
and at this θ that is so already."""


class Marginals(NamedTuple):
    """The edges of many pre-tokens, by pre-token, start and end, and the law over them.

    start, end, piece: int32[e], as in `Edges`; an unknown edge has the unknown token's id.
    marginal: float64[e], the probability that a segmentation uses the edge. counts: float64[n],
    how often each piece of the vocabulary is used in the mean, the sum of its marginals.
    log_partition: float64[k], of each pre-token: the natural logarithm of the summed weights of
    all its paths.
    """

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    piece: NDArray[np.int32]
    marginal: NDArray[np.float64]
    counts: NDArray[np.float64]
    log_partition: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Unigram:
    """A Unigram model's rule.

    Viterbi from left to right: at each node the edges arrive by start, and a later one wins only
    with a strictly higher sum, so of equal ones the longest edge stays. Where no piece of one
    character (one byte for `alphabet` "byte") matches, an unknown edge of score `unknown_score`
    spans it, if the model has something to write it with.

    unknown: id of the unknown token; -1 where the model has none. Without it and byte pieces
        there are no unknown edges, and a text that pieces don't cover raises `CoverageError`.
        (HuggingFace's library then refuses some texts that pieces do cover.)
    byte_pieces: int32[256], the ids that spell an unknown character byte by byte, or None.
    fuse_unknown: neighbouring unknown characters are one unknown token. HuggingFace's models also
        match the unknown token as it is written, and fuse it with what stands beside it.
    single_precision: scores and sums are float32, as sentencepiece's; else they are float64
        (HuggingFace, BytePiece).
    """

    vocabulary: Vocabulary
    unknown: int
    unknown_score: float
    single_precision: bool = False
    fuse_unknown: bool = True
    byte_pieces: NDArray[np.int32] | None = None
    alphabet: Alphabet = "char"

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `unigram`."""
        return "unigram"

    @property
    def law(self) -> str:
        """Empty: scores are log-probabilities."""
        return ""

    @cached_property
    def _table(self) -> PieceTable:
        return PieceTable(self.vocabulary.index)

    @cached_property
    def _scores(self) -> list[float]:
        scores: list[float] = self._kind(self.vocabulary.score).tolist()
        return scores

    @cached_property
    def _no_rank(self) -> NDArray[np.int32]:
        return np.full(max(1, len(self.vocabulary)), -1, dtype=np.int32)

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each pre-token by Viterbi; see the class for ties and unknown characters.

        Raises `CoverageError` where no path leads through.
        """
        data, starts, ends = check_spans(data, starts, ends)
        written = self.written_unknown
        plain = written and written in data.tobytes()
        # The kernel takes minus infinity for a node without a path to it.
        farthest = float(np.finfo(np.float32 if self.single_precision else np.float64).max)
        plain = plain or self._steepest >= farthest / (float((ends - starts).max(initial=0)) + 1)
        if compiled(len(data)) and not plain:
            return self.segment_compiled(data, starts, ends)
        return self.segment_plain(data, starts, ends)

    @cached_property
    def written_unknown(self) -> bytes:
        """The unknown token's bytes where the model matches them in text; empty where not."""
        inside = 0 <= self.unknown < len(self.vocabulary)
        if not (inside and self.fuse_unknown and self.vocabulary.matchable[self.unknown]):
            return b""
        return self.vocabulary.bytes(self.unknown)

    @cached_property
    def trie(self) -> Trie:
        """The pieces as the kernels walk them."""
        from engine.kernels.build_trie import Keys, build_trie

        return build_trie(Keys.matching(self.vocabulary), self.alphabet)

    @cached_property
    def walk(self) -> Walk:
        """The trie with scores as weights, of the type that sums have."""
        stray = self.unknown_score if self.has_strays else None
        return self.trie.weighted(self._kind(self.vocabulary.score), -np.inf, stray)

    def _kind(self, score: NDArray[np.float64]) -> NDArray[np.floating]:
        return score.astype(np.float32) if self.single_precision else score

    def tempered(self, theta: float) -> NDArray[np.float64]:
        """Return θ·score of each piece, float64[n]; a score of −inf forbids at θ = 0 too."""
        score = self.vocabulary.score
        forbidden = np.isneginf(score)
        return np.where(forbidden, -np.inf, theta * np.where(forbidden, 0.0, score))

    @cached_property
    def byte_table(self) -> NDArray[np.int32]:
        """The byte pieces as the kernels want them; empty for none."""
        if self.byte_pieces is None:
            return np.empty(0, dtype=np.int32)
        return np.require(self.byte_pieces, np.int32, ("C", "W"))

    @cached_property
    def _steepest(self) -> float:
        """The greatest size of a score that a path may add up."""
        scores = np.append(self.vocabulary.score, self.unknown_score)
        return float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))

    def segment_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does with the kernel; the spans must be checked."""
        from engine.kernels.unigram import viterbi

        trie = self.trie
        longest, ids, at, to = room_for_tokens(starts, ends)
        count = viterbi(
            data,
            starts,
            ends,
            trie.table,
            trie.by_char,
            *self.walk,
            self.unknown,
            self.fuse_unknown,
            self.byte_table,
            longest,
            ids,
            at,
            to,
        )
        if count < 0:
            raise self.uncovered(data, starts, ends, -2 - int(count))
        return Segmented(ids[:count], at[:count], to[:count])

    @property
    def has_strays(self) -> bool:
        """Whether an unknown character has an edge: something to be written with."""
        return self.unknown >= 0 or self.byte_pieces is not None

    def uncovered(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], k: int
    ) -> CoverageError:
        """Return the error of pre-token k, through which no path leads."""
        reached = {int(starts[k])}
        text, last = data.tobytes(), int(ends[k])
        for start in unit_starts(text, int(starts[k]), last, self.alphabet):
            if start in reached:
                reached.update(end for end, _ in self._table.at(text, start, last))
        return CoverageError(max(reached))

    def sample_lines(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        theta: float,
        key: int,
    ) -> Segmented:
        """Draw one segmentation of each pre-token from the exact law P ∝ exp(theta · score).

        Perfect sampling (the reservoir of BytePiece's second version): an edge that arrives at a
        node replaces the one held there with probability (its weight) / (the sum of all weights
        so far). key: 64 bits, a stream of `engine.rng`; number i decides edge i of the lattice.
        Raises `ParameterError` unless theta is finite and not negative, and `CoverageError`
        where no path leads through.
        """
        from engine.kernels.unigram import reservoir, weights_of

        theta = min(check_theta(theta), STEEPEST_THETA)
        data, starts, ends = check_spans(data, starts, ends)
        trie = self.trie
        # Of each piece, of an unknown edge, and of units where no piece ends (their id is -1).
        logs = np.concatenate((self.tempered(theta), [theta * self.unknown_score, -np.inf]))
        weights = weights_of(logs)
        longest, ids, at, to = room_for_tokens(starts, ends)
        # Text has about two edges a symbol; a pre-token with more gets room for them at once.
        room = 4 * longest + 2 * trie.longest + 64
        while True:
            count = reservoir(
                data,
                starts,
                ends,
                trie.table,
                trie.by_char,
                trie.units,
                trie.ids,
                trie.lone,
                weights[trie.ids],
                logs[trie.ids],
                float(logs[-2]),
                float(weights[-2]),
                trie.longest,
                np.uint64(key),
                self.unknown,
                self.fuse_unknown,
                self.byte_table,
                longest,
                room,
                ids,
                at,
                to,
            )
            if count >= 0:
                return Segmented(ids[:count], at[:count], to[:count])
            if count < -1:
                raise self.uncovered(data, starts, ends, -2 - int(count))
            room *= 4

    def marginals(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        theta: float = 1.0,
        *,
        edges: bool = True,
    ) -> Marginals:
        """Return the probability of every edge of each pre-token under P ∝ exp(theta · score).

        What `engine.law` gives for one lattice, for many at once; the two differ by rounding, in
        the tenth digit of a marginal at most for pre-tokens of up to 100,000 characters. edges:
        False for the counts and log-partitions alone, which takes less time and memory. Raises
        `ParameterError` unless theta is finite and not negative, and `CoverageError` where no
        path leads through.
        """
        from engine.kernels import marginals as kernels
        from engine.kernels.unigram import weights_of

        theta = min(check_theta(theta), STEEPEST_THETA)
        data, starts, ends = check_spans(data, starts, ends)
        trie = self.trie
        # Of each piece, and of an unknown edge.
        logs = np.append(self.tempered(theta), theta * self.unknown_score)
        weights = weights_of(logs)
        walk = trie.weighted(weights[:-1], 0.0, float(weights[-1]) if self.has_strays else None)
        lengths = ends - starts
        longest = int(lengths.max(initial=0))
        # Text has about one edge a byte; a text with more gets room for them at once.
        room, total = (2 * n + 2 * trie.longest + 64 for n in (2 * longest, int(lengths.sum())))
        log_partition = np.empty(len(starts))
        while True:
            size = total if edges else 0
            start, end, piece = (np.empty(size, dtype=np.int32) for _ in range(3))
            marginal = np.empty(size)
            counts = np.zeros(len(logs))
            count = kernels.marginals(
                data,
                starts,
                ends,
                trie.table,
                trie.by_char,
                *walk,
                logs,
                self.unknown,
                trie.longest,
                longest,
                room,
                counts,
                start,
                end,
                piece,
                marginal,
                log_partition,
            )
            if count >= 0:
                columns = (start[:count], end[:count], piece[:count], marginal[:count])
                if self.unknown >= 0:
                    counts[self.unknown] += counts[-1]
                return Marginals(*columns, counts[:-1], log_partition)
            if count < -1:
                raise self.uncovered(data, starts, ends, -2 - int(count))
            room, total = 4 * room, 4 * total

    def segment_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does in plain Python."""
        text = data.tobytes()
        tokens = TokenList()
        for k, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            # Sums below what 32 bits hold are −∞, as in the library.
            with np.errstate(over="ignore"):
                path = self._best_path(text, start, end)
            if path is None:
                raise self.uncovered(data, starts, ends, k)
            self.spell(text, path, tokens)
        return tokens.segmented()

    def _best_path(self, text: bytes, first: int, last: int) -> list[tuple[int, int, int]] | None:
        """Return the (start, end, piece) of the best path through `text[first:last]`, if any."""
        single = self.single_precision
        scores, table = self._scores, self._table
        stray = float(np.float32(self.unknown_score)) if single else self.unknown_score
        total = {first: 0.0}
        holder: dict[int, tuple[int, int]] = {}
        strays = self.has_strays
        for start in unit_starts(text, first, last, self.alphabet):
            if start not in total:
                continue
            before = total[start]
            unit = unit_end(text, start, last, self.alphabet)
            known = False
            for end, piece in table.at(text, start, last):
                known = known or end == unit
                value = before + scores[piece]
                if single:
                    value = float(np.float32(value))
                if end not in holder or value > total[end]:
                    total[end], holder[end] = value, (start, piece)
            if strays and not known:
                value = before + stray
                if single:
                    value = float(np.float32(value))
                if unit not in holder or value > total[unit]:
                    total[unit], holder[unit] = value, (start, UNKNOWN)
        if last not in total:
            return None
        path = []
        end = last
        while end > first:
            start, piece = holder[end]
            path.append((start, end, piece))
            end = start
        path.reverse()
        return path

    def spell(self, text: bytes, path: list[tuple[int, int, int]], tokens: TokenList) -> None:
        """Append a path's tokens, unknown characters spelled as the model's library does."""
        fused = False
        for k, (start, end, piece) in enumerate(path):
            # The unknown token as it is written is itself where it stands alone.
            beside = self._is_unknown(path, k - 1) or self._is_unknown(path, k + 1)
            stray = piece == UNKNOWN or (self._is_unknown(path, k) and beside)
            if stray:
                tokens.add_unknown(text, start, end, self.unknown, self.byte_pieces, fused)
            else:
                tokens.add(piece, start, end)
            fused = stray and self.fuse_unknown

    def _is_unknown(self, path: list[tuple[int, int, int]], k: int) -> bool:
        """Whether edge k of a path is unknown, or the unknown token as it is written."""
        if not 0 <= k < len(path):
            return False
        return path[k][2] == UNKNOWN or bool(self.written_unknown and path[k][2] == self.unknown)

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return all matching pieces, and an unknown edge where no single character matches.

        Unknown edges have the unknown token's id; there are none where the model has neither an
        unknown token nor byte pieces.
        """
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data)):
            return self.edges_compiled(data, starts, ends)
        return self.edges_plain(data, starts, ends)

    def edges_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does with the kernel; the spans must be checked."""
        from engine.kernels.matches import NOTHING, WHOLE, find_matches

        trie = self.trie
        start, end, piece, stray = find_matches(
            trie,
            data,
            starts,
            ends,
            trie.lone,
            WHOLE if self.has_strays else NOTHING,
            self.byte_table,
        )
        kind = np.where(stray, np.uint8(EdgeKind.UNKNOWN), np.uint8(EdgeKind.PIECE))
        piece = np.where(stray, np.int32(self.unknown), piece)
        return make_edges(
            start,
            end,
            piece,
            kind,
            self.vocabulary.score,
            self._no_rank,
            self.unknown_score,
            in_order=True,
        )

    def edges_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Do what `edges` does in plain Python."""
        text = data.tobytes()
        found = EdgeList()
        for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
            for start in unit_starts(text, first, last, self.alphabet):
                unit = unit_end(text, start, last, self.alphabet)
                known = False
                for end, piece in self._table.at(text, start, last):
                    known = known or end == unit
                    found.add(start, end, piece)
                if self.has_strays and not known:
                    found.add(start, unit, self.unknown, EdgeKind.UNKNOWN)
        return found.edges(self.vocabulary.score, self._no_rank, self.unknown_score)
