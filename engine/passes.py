"""The passes over a lattice that everything else reads: best, forward and backward.

All work in float64 and in log space. Long lattices go to the kernels of `engine.kernels.lattice`,
short ones to the plain twins here.

The weights of the forward and backward passes are *reduced*: an edge from i to j weighs
θ·(δ_i + score − δ_j), where δ is the best score with which a node can be reached. Reduced weights
are never positive and are 0 on the best path, so nothing overflows or cancels at any θ, and large θ
leads to the Viterbi path. They change the weight of every path by the same factor exp(−θ·δ_m), so
the law is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import CoverageError, ParameterError
from engine.kernels import compiled

if TYPE_CHECKING:
    from engine.lattice import Lattice

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

LARGEST = float(np.finfo(np.float64).max)

FLOOR = -1e300
"""The least finite reduced weight: what underflows at a huge θ stays a number."""


@dataclass(frozen=True, eq=False)
class BestPass:
    """The Viterbi pass.

    total: float64[n_nodes], the best score of a path from node 0, −inf where there is none.
    holder: int32[n_nodes], the last edge of that path, −1 for node 0 and unreachable nodes.
    """

    total: Floats
    holder: Ints


def check_theta(theta: float) -> float:
    """Return `theta` as a float; raise `ParameterError` unless it is finite and not negative."""
    value = float(theta)
    if not math.isfinite(value) or value < 0:
        raise ParameterError(
            f"the inverse temperature θ is {theta}", "theta", "give a finite number from 0 up"
        )
    return value


def scaled(reduced: Floats, theta: float, shift: Floats) -> Floats:
    """Return `reduced` + θ·`shift`, kept finite where `reduced` is: log-weights of the law itself.

    reduced: float64, log-weights less θ times the best scores `shift`.
    """
    with np.errstate(over="ignore"):
        full = reduced + theta * shift
    return np.where(np.isneginf(reduced), -np.inf, np.clip(full, -LARGEST, LARGEST))


def best_pass(lattice: Lattice, score: Floats) -> BestPass:
    """Return the best total of each node under `score`, float64[e].

    Edges are met in `Lattice.by_end` order and replace what a node holds only if they are
    strictly better: of equal scores the edge that starts earliest stays, then the lower piece.
    """
    order, start, end = lattice.by_end, lattice.start, lattice.end
    return BestPass(*_best(order, start, end, score, lattice.n_nodes))


def best_from_end(lattice: Lattice, score: Floats) -> BestPass:
    """Return the same from the other side: the best path from each node to the last one."""
    last = np.int32(lattice.n_nodes - 1)
    start, end = last - lattice.end, last - lattice.start
    order = np.lexsort((lattice.piece, start, end)).astype(np.int32)
    total, holder = _best(order, start, end, score, lattice.n_nodes)
    return BestPass(total[::-1], holder[::-1])


def _best(order: Ints, start: Ints, end: Ints, score: Floats, n_nodes: int) -> tuple[Floats, Ints]:
    if compiled(len(order)):
        from engine.kernels import lattice as kernels

        return kernels.best(order, start, end, score, n_nodes)
    return best_plain(order, start, end, score, n_nodes)


def best_plain(
    order: Ints, start: Ints, end: Ints, score: Floats, n_nodes: int
) -> tuple[Floats, Ints]:
    """Return (total, holder) of a Viterbi pass: the plain twin of `engine.kernels.lattice.best`."""
    total, holder = [-math.inf] * n_nodes, [-1] * n_nodes
    total[0] = 0.0
    starts, ends, scores = start.tolist(), end.tolist(), score.tolist()
    for edge in order.tolist():
        arriving = total[starts[edge]] + scores[edge]
        if arriving > total[ends[edge]]:
            total[ends[edge]] = arriving
            holder[ends[edge]] = edge
    return np.array(total), np.array(holder, dtype=np.int32)


def reduced_weights(lattice: Lattice, theta: float) -> Floats:
    """Return the reduced weight of each edge, float64[e]; −inf where no path can use it.

    Raises `ParameterError` where the model defines no law or theta is bad, `CoverageError` where
    no path reaches the end.
    """
    lattice.require_law()
    theta = check_theta(theta)
    total = lattice.best_pass.total
    require_path(lattice, bool(np.isfinite(total[-1])))
    reachable = np.isfinite(total[lattice.start]) & np.isfinite(lattice.score)
    weight = np.full(lattice.n_edges, -np.inf)
    start, end = lattice.start[reachable], lattice.end[reachable]
    with np.errstate(over="ignore"):
        scaled = theta * (total[start] + lattice.score[reachable] - total[end])
    weight[reachable] = np.maximum(scaled, FLOOR)
    return weight


def require_path(lattice: Lattice, found: bool) -> None:
    """Raise `CoverageError` where no sequence of edges leads from the first node to the last."""
    if found:
        return
    reached = np.zeros(lattice.n_nodes, dtype=np.bool_)
    reached[0] = True
    for start, end in zip(lattice.start.tolist(), lattice.end.tolist(), strict=True):
        if reached[start]:
            reached[end] = True
    raise CoverageError(int(np.flatnonzero(reached)[-1]), "no sequence of pieces covers the text")


def forward(lattice: Lattice, weight: Floats) -> Floats:
    """Return α, float64[n_nodes]: the log of the summed weights of all paths from node 0."""
    order, start, end = lattice.by_end, lattice.start, lattice.end
    if compiled(lattice.n_edges):
        from engine.kernels import lattice as kernels

        return kernels.forward(order, start, end, weight, lattice.n_nodes)
    return forward_plain(order, start, end, weight, lattice.n_nodes)


def backward(lattice: Lattice, weight: Floats) -> Floats:
    """Return β, float64[n_nodes]: the log of the summed weights of all paths to the last node."""
    start, end = lattice.start, lattice.end
    if compiled(lattice.n_edges):
        from engine.kernels import lattice as kernels

        order = np.arange(lattice.n_edges - 1, -1, -1, dtype=np.int32)
        return kernels.backward(order, start, end, weight, lattice.n_nodes)
    return backward_plain(start, end, weight, lattice.n_nodes)


def forward_plain(order: Ints, start: Ints, end: Ints, weight: Floats, n_nodes: int) -> Floats:
    """Return α; `order` holds the edges by end node. Plain twin of the kernel."""
    total = [-math.inf] * n_nodes
    total[0] = 0.0
    starts, ends = start[order].tolist(), end[order].tolist()
    weights = weight[order].tolist()
    i, count = 0, len(starts)
    while i < count:
        node, first = ends[i], i
        while i < count and ends[i] == node:
            i += 1
        total[node] = log_sum_exp([total[starts[k]] + weights[k] for k in range(first, i)])
    return np.array(total)


def backward_plain(start: Ints, end: Ints, weight: Floats, n_nodes: int) -> Floats:
    """Return β; edges are sorted by start node. Plain twin of the kernel."""
    total = [-math.inf] * n_nodes
    total[-1] = 0.0
    starts, ends, weights = start.tolist(), end.tolist(), weight.tolist()
    i = len(starts) - 1
    while i >= 0:
        node, last = starts[i], i
        while i >= 0 and starts[i] == node:
            i -= 1
        total[node] = log_sum_exp([weights[k] + total[ends[k]] for k in range(i + 1, last + 1)])
    return np.array(total)


def add_up(values: Iterable[float]) -> float:
    """Return the sum, added from left to right, on any Python.

    Python's own `sum` carries a correction from 3.12 on: other last digits, no longer Viterbi's.
    """
    total = 0.0
    for value in values:
        total += value
    return total


def path_score(lattice: Lattice, edges: Ints) -> float:
    """Return the sum of the edges' scores, added from left to right as Viterbi adds them."""
    return add_up(lattice.score[edges].tolist())


def path_probability(theta: float, lead: float, spread: float) -> float:
    """Return the probability of a path at inverse temperature `theta`.

    lead: its score minus the best path's. spread: `log_spread` of the lattice at `theta`.
    """
    return math.exp(min(0.0, theta * lead - spread))


def log_sum_exp(values: list[float]) -> float:
    """Return log Σ exp(value) without overflow; −inf of an empty list."""
    largest = max(values, default=-math.inf)
    if largest == -math.inf or len(values) == 1:
        return largest
    return largest + math.log(add_up(math.exp(value - largest) for value in values))


def log_spread(lattice: Lattice, theta: float) -> float:
    """Return the log-partition minus θ·(best score): 0 for one path, log(paths) at θ = 0."""
    return float(forward(lattice, reduced_weights(lattice, theta))[-1])
