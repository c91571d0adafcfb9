"""Methods that draw from P(path) ∝ exp(θ · score) without listing paths.

Perfect sampling (BytePiece's second version) holds one edge at each node by `engine.reservoir`.
Forward filtering, backward sampling sums all paths to each node, then walks back from the last
node, choosing the edge from i to j with probability exp(α_i + θ·score − α_j). Both give the same
law; at θ = 0 it is uniform over segmentations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.kernels import compiled
from engine.nbest import nbest
from engine.passes import log_spread, path_probability, path_score, reduced_weights, require_path
from engine.reservoir import Reservoir, coins, reservoir
from engine.rng import key_of, uniform, uniform_rows
from engine.sampler import EXACT_LIMIT, Ints, PathLaw, SamplingSettings, law_of

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path

Longs = NDArray[np.int64]
Keys = NDArray[np.uint64]

BLOCK = 1 << 21
"""Random numbers made, or edges drawn, at once."""


def exact_law(lattice: Lattice, theta: float = 1.0) -> list[Path]:
    """Return all segmentations with their exact probabilities, the highest score first.

    Raises `ParameterError` where there are more than `EXACT_LIMIT`.
    """
    paths = lattice.paths
    if paths > EXACT_LIMIT:
        raise ParameterError(
            f"the law has more than {EXACT_LIMIT:,} segmentations",
            "",
            "choose a shorter text, or read the n best",
        )
    return nbest(lattice, max(1, paths), theta)


def gibbs_probability(lattice: Lattice, theta: float) -> Callable[[Ints], float]:
    """Return the function from a path's edges to its probability, P ∝ exp(theta · score)."""
    best, spread = float(lattice.best_pass.total[-1]), log_spread(lattice, theta)

    def probability(edges: Ints) -> float:
        return path_probability(theta, path_score(lattice, edges) - best, spread)

    return probability


def gibbs_law(lattice: Lattice, settings: SamplingSettings) -> PathLaw:
    """Return the law P ∝ exp(θ · score)."""
    return PathLaw(
        gibbs_probability(lattice, settings.theta),
        lambda: exact_law(lattice, settings.theta) if lattice.paths <= EXACT_LIMIT else None,
        settings.theta,
    )


def draw_perfect(
    lattice: Lattice, settings: SamplingSettings, seed: int, draws: range
) -> list[Ints]:
    """Return the edges of each draw, by the reservoir.

    The coin of edge i in by_end order uses number i of the draw's stream. Short lattices are
    drawn many times at once by a matrix of random numbers, long ones by a kernel. The trace of
    `engine.traces.passes` shows a draw coin by coin.
    """
    chance, n_edges = reservoir(lattice, settings.theta).chance, lattice.n_edges
    if compiled(n_edges):
        from engine.kernels.draws import draw_paths

        return _drawn_backwards(lattice, partial(draw_paths, chance), seed, draws)
    block = max(1, BLOCK // max(1, n_edges))
    drawn: list[Ints] = []
    for first in range(0, len(draws), block):
        keys = [key_of(seed, draw) for draw in draws[first : first + block]]
        drawn += _held_paths(lattice, uniform_rows(keys, 0, n_edges) < chance)
    return drawn


def draw_ffbs(lattice: Lattice, settings: SamplingSettings, seed: int, draws: range) -> list[Ints]:
    """Return the edges of each draw, by forward sums and a way back.

    Number k of a draw's stream chooses the k-th edge from the end.
    """
    return _chosen_paths(lattice, reservoir(lattice, settings.theta), seed, draws)


def draw_uniform(
    lattice: Lattice, _settings: SamplingSettings, seed: int, draws: range
) -> list[Ints]:
    """Return the edges of each draw, every segmentation being equally likely; no law is needed.

    As `draw_ffbs` with sums that count paths. Pieces of probability 0 are in no path.
    """
    return _chosen_paths(lattice, coins(lattice, _flat_weights(lattice)), seed, draws)


def uniform_law(lattice: Lattice, _settings: SamplingSettings) -> PathLaw:
    """Return the law that gives every segmentation the same probability."""
    if lattice.has_law:
        return gibbs_law(lattice, SamplingSettings(theta=0.0))
    _flat_weights(lattice)
    # Counts of paths may be larger than floats are.
    share = math.exp(-math.log(lattice.paths))
    if lattice.paths <= EXACT_LIMIT:
        return law_of(lattice, dict.fromkeys(all_paths(lattice), share))
    return PathLaw(lambda _edges: share, lambda: None)


def all_paths(lattice: Lattice) -> list[tuple[int, ...]]:
    """Return the edges of every path, in reading order; only for lattices with few of them."""
    leaving: dict[int, list[int]] = {}
    for edge, start in enumerate(lattice.start.tolist()):
        leaving.setdefault(start, []).append(edge)
    end, last = lattice.end.tolist(), lattice.n_nodes - 1
    # What leads nowhere is left out, so that the search never backs out of a dead end.
    useful = {last}
    for node in range(last - 1, -1, -1):
        leaving[node] = [edge for edge in leaving.get(node, ()) if end[edge] in useful]
        if leaving[node]:
            useful.add(node)
    found: list[tuple[int, ...]] = []
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        if node == last:
            found.append(path)
        else:
            waiting += [(end[edge], (*path, edge)) for edge in reversed(leaving[node])]
    return found


def _flat_weights(lattice: Lattice) -> NDArray[np.float64]:
    """Return weights under which all paths are alike; errors as those of the law."""
    if lattice.has_law or lattice.uncovered is not None:
        return reduced_weights(lattice, 0.0)
    require_path(lattice, lattice.paths > 0)
    return np.zeros(lattice.n_edges)


def _chosen_paths(lattice: Lattice, sums: Reservoir, seed: int, draws: range) -> list[Ints]:
    bounds = arrival_bounds(lattice, sums)
    if compiled(lattice.n_edges):
        from engine.kernels.draws import choose_paths

        return _drawn_backwards(lattice, partial(choose_paths, bounds), seed, draws)
    start = lattice.start[lattice.by_end].tolist()
    arriving = arriving_edges(lattice).tolist()
    limit, order = bounds.tolist(), lattice.by_end
    drawn = []
    for draw in draws:
        key, node = key_of(seed, draw), lattice.n_nodes - 1
        places: list[int] = []
        while node > 0:
            number, place = uniform(key, len(places)), arriving[node]
            while not number < limit[place]:
                place += 1
            places.append(place)
            node = start[place]
        drawn.append(order[np.array(places[::-1], dtype=np.int32)])
    return drawn


def arrival_bounds(lattice: Lattice, sums: Reservoir) -> NDArray[np.float64]:
    """Return what a random number must be less than to choose each edge, float64[e], by_end order.

    Of the edges into a node the first one whose bound is greater than the number is chosen: bounds
    are running sums of exp(a − α), a the edge's log-weight and α the log of the node's sum.
    """
    bounds = np.zeros(lattice.n_edges)
    arriving = arriving_edges(lattice).tolist()
    newcomer, total = sums.newcomer.tolist(), sums.total.tolist()
    for first, last in pairwise(arriving):
        if first == last or total[last - 1] == -math.inf:
            continue
        so_far, running = 0.0, []
        for a in newcomer[first:last]:
            so_far += math.exp(a - total[last - 1])
            running.append(so_far)
        # Divided by its own sum, the last edge with a weight gets 1 and no number passes it.
        bounds[first:last] = [value / so_far for value in running]
    return bounds


def arriving_edges(lattice: Lattice) -> NDArray[np.int64]:
    """Return the place in by_end order of the first edge into each node, and of the end."""
    ends = lattice.end[lattice.by_end]
    return np.searchsorted(ends, np.arange(lattice.n_nodes + 1)).astype(np.int64)


def _drawn_backwards(
    lattice: Lattice,
    draw_paths: Callable[[Ints, Longs, Keys], tuple[Ints, Longs]],
    seed: int,
    draws: range,
) -> list[Ints]:
    """Return the path of each draw, edge by edge from the last node, by a kernel."""
    start, arriving = lattice.start[lattice.by_end], arriving_edges(lattice)
    return drawn_in_blocks(lattice, partial(draw_paths, start, arriving), seed, draws)


def drawn_in_blocks(
    lattice: Lattice, draw_paths: Callable[[Keys], tuple[Ints, Longs]], seed: int, draws: range
) -> list[Ints]:
    """Return the path of each draw by a kernel of `engine.kernels.draws`, many at once."""
    block = max(1, BLOCK // lattice.n_nodes)
    drawn: list[Ints] = []
    for first in range(0, len(draws), block):
        keys = [key_of(seed, draw) for draw in draws[first : first + block]]
        paths, bounds = draw_paths(np.array(keys, dtype=np.uint64))
        # The last edge of a path comes first.
        edges, cuts = lattice.by_end[paths[::-1]], (len(paths) - bounds).tolist()
        drawn += [edges[to:at] for at, to in pairwise(cuts)]
    return drawn


def _held_paths(lattice: Lattice, taken: NDArray[np.bool_]) -> list[Ints]:
    """Return the path of each draw. taken: bool[draws, e], in by_end order."""
    draws, n_edges = taken.shape
    if not n_edges:
        return [np.zeros(0, dtype=np.int32)] * draws
    ends = lattice.end[lattice.by_end]
    firsts = np.flatnonzero(np.append(True, ends[1:] != ends[:-1]))
    column = np.zeros(lattice.n_nodes, dtype=np.int64)
    column[ends[firsts]] = np.arange(len(firsts))
    places = np.where(taken, np.arange(n_edges, dtype=np.int32), np.int32(-1))
    held = np.maximum.reduceat(places, firsts, axis=1)
    start = lattice.start[lattice.by_end]
    node = np.full(draws, lattice.n_nodes - 1, dtype=np.int64)
    row = np.arange(draws)
    steps = []
    while node.any():
        place = held[row, column[node]]
        # A path that has come to node 0 waits there for the others.
        steps.append(np.where(node > 0, lattice.by_end[place], -1))
        node = np.where(node > 0, start[place], 0)
    edges = np.array(steps[::-1], dtype=np.int32).T
    return [path[path >= 0] for path in edges]
