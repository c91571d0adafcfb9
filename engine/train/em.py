"""Expectation maximization for a Unigram vocabulary, and pruning it.

Kudo, "Subword Regularization" (ACL 2018), section 3.2: expected counts of the pieces under the
present probabilities (E), new probabilities from them (M), then the pieces that the likelihood
needs least are taken out, over and over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels import compiled
from engine.progress import Report, silent
from engine.train.stretches import Stretches

LEAST = 0.5
"""Pieces that are expected less often are dropped, as in SentencePiece."""

PORTION = 2_000_000
"""Symbols between two reports, a quarter of a second or so."""


@dataclass(frozen=True, eq=False)
class Inventory:
    """Pieces in the making, in the order of their symbols: each after those that it begins with.

    deepest: int32[n], for each symbol of the stretches the longest piece that begins there.
    parent: int32[v], the longest piece that a piece begins with, −1 for single symbols, which are
    all there. length: int32[v], symbols. example: int64[v], a place where each stands. score:
    float64[v], log-probabilities.
    """

    deepest: NDArray[np.int32]
    parent: NDArray[np.int32]
    length: NDArray[np.int32]
    example: NDArray[np.int64]
    score: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.length)

    @property
    def longest(self) -> int:
        """Symbols of the longest piece."""
        return int(self.length.max())

    def kept(self, keep: NDArray[np.bool_], score: NDArray[np.float64]) -> Inventory:
        """Return the pieces of a mask, with new scores for all that there were."""
        number = np.where(keep, np.cumsum(keep, dtype=np.int32) - 1, -1).astype(np.int32)
        nearest = np.arange(len(self), dtype=np.int32)
        gone = np.flatnonzero(~keep)
        while len(gone):
            nearest[gone] = self.parent[nearest[gone]]
            gone = gone[~keep[nearest[gone]]]
        number = number[nearest]
        parent = self.parent[keep]
        inner = parent >= 0
        parent[inner] = number[parent[inner]]
        return Inventory(
            number[self.deepest], parent, self.length[keep], self.example[keep], score[keep]
        )


def expected_counts(
    stretches: Stretches, pieces: Inventory, report: Report = silent
) -> tuple[NDArray[np.float64], float]:
    """Return how often each piece is expected in the corpus, float64[v], and its log-likelihood.

    report: called with the symbols done and their number.
    """
    if compiled(len(stretches.symbols)):
        from engine.kernels.em import expect
    else:
        from engine.train.em_plain import expect
    weight = np.exp(pieces.score)
    expected = np.zeros(len(pieces), dtype=np.float64)
    likelihood = 0.0
    for first, last in _portions(stretches, report):
        likelihood += expect(
            stretches.offsets, stretches.counts, pieces.deepest, pieces.parent, pieces.length,
            weight, pieces.longest, first, last, expected,
        )  # fmt: skip
    return expected, likelihood


def best_counts(
    stretches: Stretches, pieces: Inventory, report: Report = silent
) -> NDArray[np.int64]:
    """Return how often each piece stands in the best cuts of the corpus, int64[v]."""
    if compiled(len(stretches.symbols)):
        from engine.kernels.em import count_best
    else:
        from engine.train.em_plain import count_best
    used = np.zeros(len(pieces), dtype=np.int64)
    for first, last in _portions(stretches, report):
        count_best(
            stretches.offsets, stretches.counts, pieces.deepest, pieces.parent, pieces.length,
            pieces.score, first, last, used,
        )  # fmt: skip
    return used


def _portions(stretches: Stretches, report: Report) -> Iterator[tuple[int, int]]:
    """Yield the stretches in portions of `PORTION` symbols or a little more, and report."""
    total = len(stretches.symbols)
    first = 0
    while first < len(stretches):
        done = int(stretches.offsets[first])
        report(done, total)
        last = int(np.searchsorted(stretches.offsets, done + PORTION))
        last = min(max(last, first + 1), len(stretches))
        yield first, last
        first = last
    report(total, total)


def maximized(pieces: Inventory, expected: NDArray[np.float64]) -> Inventory:
    """Return the pieces with the scores that expected counts give; the rare ones are dropped.

    A score is ψ(count) − ψ(sum of the counts), which a sparse prior on the probabilities leads to
    (Liang & Klein, "Structured Bayesian Nonparametric Models with Variational Inference", 2007).
    Single symbols stay, with a count of `LEAST` at least.
    """
    keep = (expected >= LEAST) | (pieces.length == 1)
    counts = np.maximum(expected, LEAST)
    score = digamma(counts) - digamma(np.array([counts[keep].sum()]))[0]
    return pieces.kept(keep, score)


def digamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ψ of positive numbers, float64, to a relative error of 1e-13 or so.

    Abramowitz & Stegun 6.3.5 and 6.3.18: ψ(x + 1) = ψ(x) + 1/x, and the asymptotic series.
    """
    x = np.array(x, dtype=np.float64)
    below = np.zeros_like(x)
    for _ in range(8):
        small = x < 8.0
        below[small] += 1.0 / x[small]
        x[small] += 1.0
    square = 1.0 / (x * x)
    series = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132)))
    )
    return np.log(x) - 0.5 / x - series - below


def pruned(pieces: Inventory, used: NDArray[np.int64], size: int) -> Inventory:
    """Return the `size` pieces that the likelihood needs most; single symbols stay.

    used: how often each piece stands in the best cuts. A piece that stands in none, or whose own
    best cut isn't the piece, goes. The loss of another is what the likelihood of the best cuts
    falls by when its places go to its parts; equal losses go by the order of pieces.
    """
    if compiled(len(pieces)):
        from engine.kernels.em import alternatives
    else:
        from engine.train.em_plain import alternatives
    starts = np.empty(len(pieces) + 1, dtype=np.int64)
    parts = np.empty(int(pieces.length.sum()), dtype=np.int32)
    whole = np.empty(len(pieces), dtype=np.uint8)
    alternatives(
        pieces.deepest, pieces.parent, pieces.length, pieces.example, pieces.score,
        pieces.longest, starts, parts, whole,
    )  # fmt: skip
    single = pieces.length == 1
    able = np.flatnonzero(~single & (used > 0) & (whole == 1))
    loss = _losses(used, starts, parts[: starts[-1]])[able]
    room = max(0, size - int(single.sum()))
    keep = single.copy()
    keep[able[np.argsort(-loss, kind="stable")[:room]]] = True
    return pieces.kept(keep, pieces.score)


def _losses(
    used: NDArray[np.int64], starts: NDArray[np.int64], parts: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return what each piece's end would cost, nats a token; not a number where it isn't used.

    A piece's count goes to each of its parts, and the sum of all counts grows by the parts less
    one (SentencePiece's estimate, with the piece's own count as its frequency).
    """
    total = float(used.sum())
    count = used.astype(np.float64)
    number = np.diff(starts)
    owner = np.repeat(np.arange(len(used)), number)
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = np.log(count[parts] + count[owner])
        apart = np.bincount(owner, weights=moved, minlength=len(used))
        grown = np.log(total + count * (number - 1))
        loss = (count / total) * (np.log(count) - np.log(total) - (apart - number * grown))
    return np.asarray(loss, dtype=np.float64)
