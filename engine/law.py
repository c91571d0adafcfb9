"""The exact law over segmentations: P(path) ∝ exp(θ · score).

Forward and backward sums in log space give the probability of every edge and node, the entropy
and the expected number of tokens without listing a single path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.passes import (
    LARGEST,
    backward,
    check_theta,
    forward,
    path_probability,
    path_score,
    reduced_weights,
    scaled,
)
from engine.segmenter import EdgeKind

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path


@dataclass(frozen=True, eq=False)
class Law:
    """The law of a lattice at inverse temperature `theta`.

    alpha, beta: float64[n_nodes], the log of the summed weights exp(θ·score) of all paths from the
        first node, and to the last node; −inf where there is none. beta is −inf also where no
        path comes from the first node.
    log_partition: alpha of the last node, which is beta of the first.
    log_spread: log_partition − θ·(best score), without the rounding of that difference.
    marginal: float64[e], the probability that a segmentation uses the edge.
    node_marginal: float64[n_nodes], the probability that a segmentation cuts at the node.
    entropy: of the distribution over segmentations, in nats.
    expected_tokens: the mean number of tokens as the model writes them: an unknown edge counts as
        many as it is spelled with, neighbours that fuse count once, dropped characters don't.
    expected_score: the mean score of a path (at θ = 1).
    """

    lattice: Lattice
    theta: float
    alpha: NDArray[np.float64]
    beta: NDArray[np.float64]
    log_partition: float
    log_spread: float
    marginal: NDArray[np.float64]
    node_marginal: NDArray[np.float64]
    entropy: float
    expected_tokens: float
    expected_score: float

    @property
    def effective(self) -> float:
        """exp(entropy): the number of equally likely segmentations with the same entropy."""
        return math.exp(self.entropy) if self.entropy < math.log(LARGEST) else math.inf

    def probability(self, path: Path) -> float:
        """Return the probability of a path of this lattice."""
        score, best = path_score(self.lattice, path.edges), self.lattice.best_pass.total[-1]
        return path_probability(self.theta, score - float(best), self.log_spread)


def law(lattice: Lattice, theta: float = 1.0) -> Law:
    """Return the exact law of `lattice` at inverse temperature `theta`, any finite number ≥ 0.

    θ = 0 is uniform over segmentations, a large θ leads to the Viterbi path (and to all paths that
    tie with it). Raises `ParameterError` where the model defines no law or θ is negative or not
    finite, and `CoverageError` where no path covers the text.
    """
    theta = check_theta(theta)
    weight = reduced_weights(lattice, theta)
    alpha, beta = forward(lattice, weight), backward(lattice, weight)
    spread = float(alpha[-1])
    start, end = lattice.start, lattice.end
    with np.errstate(invalid="ignore"):
        marginal = np.exp(alpha[start] + weight + beta[end] - spread)
    # −inf − (+inf) can't occur: spread is finite, so NaN never does; rounding may pass 1.
    np.minimum(marginal, 1.0, out=marginal)
    used = marginal > 0
    node_marginal = np.zeros(lattice.n_nodes)
    np.add.at(node_marginal, end, marginal)
    node_marginal[0] = 1.0
    np.minimum(node_marginal, 1.0, out=node_marginal)
    best = lattice.best_pass.total
    reached = np.isfinite(best)
    shift = np.where(reached, best, 0.0)
    full_alpha = scaled(alpha, theta, shift)
    full_beta = scaled(beta, theta, best[-1] - shift)
    return Law(
        lattice,
        theta,
        full_alpha,
        full_beta,
        float(full_alpha[-1]),
        spread,
        marginal,
        node_marginal,
        # H = log Z − θ·E[score]; with reduced weights both terms are ≥ 0 and nothing cancels.
        max(0.0, spread - float(np.dot(marginal[used], weight[used]))),
        _expected_tokens(lattice, marginal, alpha, beta, weight),
        float(np.dot(marginal[used], lattice.score[used])),
    )


def divergence(a: Law, b: Law) -> float:
    """Return the Kullback–Leibler divergence Σ P_a · log(P_a / P_b) of two laws of one lattice.

    In nats: (θ_a − θ_b) · E_a[score] − log Z_a + log Z_b, with scores and partitions relative to
    the best path's, so that nothing cancels.
    """
    lead = a.expected_score - float(a.lattice.best_pass.total[-1])
    return max(0.0, (a.theta - b.theta) * lead - a.log_spread + b.log_spread)


def _expected_tokens(
    lattice: Lattice,
    marginal: NDArray[np.float64],
    alpha: NDArray[np.float64],
    beta: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> float:
    tokens = np.ones(lattice.n_edges)
    tokens[lattice.kind == EdgeKind.DROPPED] = 0.0
    unknown = np.flatnonzero(lattice.kind == EdgeKind.UNKNOWN)
    spelling = lattice.spelling
    if spelling.byte_pieces is not None:
        tokens[unknown] = lattice.end[unknown] - lattice.start[unknown]
    expected = float(np.dot(tokens, marginal))
    if spelling.byte_pieces is None and spelling.fuse:
        # Two unknown edges in a row are one token, unless a pre-token ends between them: take off
        # the probability of each such pair.
        low = np.searchsorted(lattice.start[unknown], lattice.end[unknown], side="left")
        high = np.searchsorted(lattice.start[unknown], lattice.end[unknown], side="right")
        counts = np.where(lattice.leads_pretoken(lattice.end[unknown]), 0, high - low)
        first = np.repeat(unknown, counts)
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        second = unknown[np.repeat(low, counts) + offsets]
        together = alpha[lattice.start[first]] + weight[first] + weight[second]
        expected -= float(np.sum(np.exp(together + beta[lattice.end[second]] - alpha[-1])))
    return expected
