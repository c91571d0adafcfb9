"""MaxMatch-dropout: WordPiece's longest match with pieces dropped at random.

Hiraoka, "MaxMatch-Dropout: Subword Regularization for WordPiece" (COLING 2022). At each place the
pieces that match are tried from the longest on; each is dropped with probability p, but for one of
a single character (a byte in byte-level models), which is always taken. A word where nothing is
left at some place is one unknown token, as in WordPiece itself. At p = 1 words are characters.

The choice at a place doesn't depend on the way there, so the law is that of a lattice whose scores
are the logarithms of these choices; all that a lattice's law gives can be had from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.build import edges_of_tokens, join, sort_edges
from engine.dropout.draws import cut_draws
from engine.dropout.merging import Coins
from engine.kernels import compiled
from engine.lattice import Lattice
from engine.matching import TokenList, check_spans, unit_end, unit_starts
from engine.model import segment_prepared
from engine.segmenter import EdgeKind, Edges, Segmented
from engine.wordpiece import WordPiece


@dataclass(frozen=True, eq=False)
class DroppingWordPiece:
    """A WordPiece model's rule that drops pieces with probability p.

    key: the stream of random numbers of each call of `segment`.
    """

    model: WordPiece
    p: float
    key: int = 0

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `wordpiece`."""
        return self.model.algorithm

    @property
    def law(self) -> str:
        """Why the scores give no law over segmentations."""
        return self.model.law

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each word; at p = 0 as the model does."""
        if self.p == 0.0:
            return self.model.segment(data, starts, ends)
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data)):
            return self.segment_compiled(data, starts, ends)
        return self.segment_plain(data, starts, ends)

    def segment_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does with the kernel, p above 0; the spans must be checked."""
        return next(self._drawn_compiled(data, starts, ends, [self.key]))

    def segment_draws(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        keys: Sequence[int],
    ) -> Iterator[Segmented]:
        """Cut each word once for each stream of random numbers, p above 0.

        What is yielded holds until the next one; both roads give the same.
        """
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data) * len(keys)):
            yield from self._drawn_compiled(data, starts, ends, keys)
            return
        for key in keys:
            yield replace(self, key=key).segment_plain(data, starts, ends)

    def _drawn_compiled(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        keys: Sequence[int],
    ) -> Iterator[Segmented]:
        from engine.kernels.maxmatch import draw_longest_first

        trie, model = self.model.trie, self.model

        def fill(longest: int, part: NDArray[np.uint64], *out: NDArray[Any]) -> None:
            draw_longest_first(
                data,
                starts,
                ends,
                trie.table,
                trie.by_char,
                trie.units,
                trie.ids,
                trie.inside,
                model.unknown,
                model.max_chars,
                longest,
                self.p,
                part,
                *out,
            )

        return cut_draws(starts, ends, keys, fill)

    def segment_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does in plain Python, p above 0."""
        text = data.tobytes()
        tokens = TokenList()
        coins = Coins(self.key)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            pieces = drop_pieces(self.model, self.p, text, start, end, coins)
            if pieces is not None:
                for piece in pieces:
                    tokens.add(*piece)
            elif self.model.unknown >= 0:
                tokens.add(self.model.unknown, start, end)
        return tokens.segmented()

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return the edges of the model's lattice."""
        return self.model.edges(data, starts, ends)


class Candidate(NamedTuple):
    """A piece that matches and was looked at: its span in the text, and what became of it.

    coin: the number of the random number in its stream, u: it; −1 and NaN for a piece of one
    character, which is taken without a coin. dropped: u < p.
    """

    start: int
    end: int
    piece: int
    coin: int
    u: float
    dropped: bool


def drop_pieces(
    model: WordPiece,
    p: float,
    text: bytes,
    first: int,
    last: int,
    coins: Coins,
    seen: list[Candidate] | None = None,
) -> list[tuple[int, int, int]] | None:
    """Return (piece, start, end) of each piece of a word; None where nothing is left.

    seen: gets the candidates in the order in which they are looked at.
    """
    if model.too_long(text, first, last):
        return None
    found = []
    start = first
    while start < last:
        alone = unit_end(text, start, last, model.alphabet)
        for end, piece in reversed(list(model.tables[start > first].at(text, start, last))):
            coin, u = (-1, math.nan) if end == alone else (coins.count, coins.toss())
            if seen is not None:
                seen.append(Candidate(start, end, piece, coin, u, u < p))
            if not u < p:
                found.append((piece, start, end))
                start = end
                break
        else:
            return None
    return found


def choice_lattice(lattice: Lattice, model: WordPiece, p: float) -> Lattice:
    """Return the lattice whose law at θ = 1 is that of MaxMatch-dropout, p above 0.

    The score of an edge is the logarithm of its probability where it starts. Each word that may
    fail has an edge over the whole of it, its score the logarithm of the probability that it fails.
    """
    prepared, edges = lattice.prepared, lattice.edges
    text = prepared.data.tobytes()
    kept = np.flatnonzero((edges.kind == EdgeKind.PIECE) | (edges.kind == EdgeKind.ADDED))
    start, end = edges.start[kept].tolist(), edges.end[kept].tolist()
    chance = [1.0] * len(kept)
    failing: list[tuple[int, int, float]] = []
    for (first, last), fixed in zip(
        pairwise(prepared.cuts.tolist()), prepared.fixed.tolist(), strict=True
    ):
        if fixed >= 0 or first == last:
            continue
        low, high = np.searchsorted(edges.start[kept], (first, last)).tolist()
        if model.too_long(text, first, last):
            chance[low:high] = [0.0] * (high - low)
            failing.append((first, last, 1.0))
            continue
        reached = dict.fromkeys(unit_starts(text, first, last, model.alphabet), 0.0)
        reached[first] = 1.0
        failed = 0.0
        at = low
        for node, here in reached.items():
            alone = unit_end(text, node, last, model.alphabet)
            stop = at
            while stop < high and start[stop] == node:
                stop += 1
            left = 1.0
            for edge in reversed(range(at, stop)):
                chance[edge] = left if end[edge] == alone else left * (1.0 - p)
                left -= chance[edge] if end[edge] == alone else left * (1.0 - p)
                if end[edge] < last:
                    reached[end[edge]] += here * chance[edge]
            failed += here * left
            at = stop
        if failed > 0.0:
            failing.append((first, last, failed))
    return _with_scores(lattice, model, kept, chance, failing)


def _with_scores(
    lattice: Lattice,
    model: WordPiece,
    kept: NDArray[np.int64],
    chance: list[float],
    failing: list[tuple[int, int, float]],
) -> Lattice:
    """Return a lattice with the edges `kept`, and one for each word that may fail."""
    edges = lattice.edges
    own = Edges(
        edges.start[kept],
        edges.end[kept],
        edges.piece[kept],
        np.array([math.log(p) if p > 0.0 else -math.inf for p in chance]),
        edges.rank[kept],
        edges.kind[kept],
    )
    n = len(failing)
    kind = EdgeKind.UNKNOWN if model.unknown >= 0 else EdgeKind.DROPPED
    whole = Edges(
        np.array([first for first, _, _ in failing], dtype=np.int32),
        np.array([last for _, last, _ in failing], dtype=np.int32),
        np.full(n, model.unknown, dtype=np.int32),
        np.array([math.log(min(1.0, p)) for _, _, p in failing], dtype=np.float64),
        np.full(n, -1, dtype=np.int32),
        np.full(n, kind, dtype=np.uint8),
    )
    made = sort_edges(join(own, whole))
    cut = segment_prepared(model, lattice.prepared)
    size = len(lattice.prepared.data)
    taken = edges_of_tokens(made, cut, size, lattice.spelling)
    return Lattice(
        lattice.prepared, lattice.vocabulary, made, taken, lattice.spelling, "", lattice.segmenter
    )
