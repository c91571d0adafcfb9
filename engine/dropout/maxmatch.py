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
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.build import edges_of_tokens, join, sort_edges
from engine.dropout.merging import Coins
from engine.kernels import compiled
from engine.lattice import Lattice
from engine.matching import TokenList, check_spans, room_for_tokens, unit_end, unit_starts
from engine.model import segment_prepared
from engine.segmenter import EdgeKind, Edges, Segmented
from engine.wordpiece import WordPiece


@dataclass(frozen=True, eq=False)
class DroppingWordPiece:
    """A WordPiece model's rule that drops pieces with probability p.

    key: the stream of random numbers of each call of `segment`. draws: how often that will be
    called about; both roads give the same.
    """

    model: WordPiece
    p: float
    key: int
    draws: int = 1

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
        if compiled(len(data) * self.draws):
            return self.segment_compiled(data, starts, ends)
        return self.segment_plain(data, starts, ends)

    def segment_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does with the kernel, p above 0; the spans must be checked."""
        from engine.kernels.maxmatch import longest_first_dropping

        trie = self.model.trie
        longest, ids, at, to = room_for_tokens(starts, ends)
        count = longest_first_dropping(
            data,
            starts,
            ends,
            trie.table,
            trie.by_char,
            trie.units,
            trie.ids,
            trie.inside,
            self.model.unknown,
            self.model.max_chars,
            longest,
            self.p,
            np.uint64(self.key),
            ids,
            at,
            to,
        )
        return Segmented(ids[:count], at[:count], to[:count])

    def segment_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does in plain Python, p above 0."""
        text = data.tobytes()
        tokens = TokenList()
        coins = Coins(self.key)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            pieces = self._drawn(text, start, end, coins)
            if pieces is not None:
                for piece in pieces:
                    tokens.add(*piece)
            elif self.model.unknown >= 0:
                tokens.add(self.model.unknown, start, end)
        return tokens.segmented()

    def _drawn(
        self, text: bytes, first: int, last: int, coins: Coins
    ) -> list[tuple[int, int, int]] | None:
        """Return (piece, start, end) of each piece of a word; None where nothing is left."""
        model = self.model
        if model.too_long(text, first, last):
            return None
        found = []
        start = first
        while start < last:
            alone = unit_end(text, start, last, model.alphabet)
            for end, piece in reversed(list(model.tables[start > first].at(text, start, last))):
                if end == alone or coins.toss() >= self.p:
                    found.append((piece, start, end))
                    start = end
                    break
            else:
                return None
        return found

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return the edges of the model's lattice."""
        return self.model.edges(data, starts, ends)


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
