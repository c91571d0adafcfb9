"""Drawing segmentations at random.

A method is a `Sampler`: how it draws, and its exact law. `SAMPLERS` names them; a new one is a
function of the same shape and a line there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.goodness import ChiSquare, chi_square, total_variation
from engine.kernels import compiled
from engine.lattice import Path
from engine.nbest import nbest
from engine.passes import check_theta, log_spread, path_probability, path_score
from engine.reservoir import reservoir
from engine.rng import Seed, key_of, seed_number, uniform_rows
from engine.search import viterbi

if TYPE_CHECKING:
    from engine.lattice import Lattice

Ints = NDArray[np.int32]

MOST_DRAWS = 10_000_000
"""Draws are kept, each with its path; more than this fill the memory."""

EXACT_LIMIT = 10_000
"""Number of segmentations up to which a law is listed path by path."""

BLOCK = 1 << 21
"""Random numbers made at once."""


@dataclass(frozen=True, eq=False)
class Draws:
    """A sample of segmentations.

    paths: the distinct ones in the order in which they were first drawn, each with its exact
        probability under the method's law. counts: int64[len(paths)].
    order: int32[n], the index in `paths` of every draw.
    """

    lattice: Lattice
    method: str
    theta: float
    seed: int
    paths: tuple[Path, ...]
    counts: NDArray[np.int64]
    order: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def exact(self) -> tuple[Path, ...] | None:
        """The method's whole law, most probable first; None where it has too many paths."""
        if self.lattice.paths > EXACT_LIMIT:
            return None
        return tuple(SAMPLERS[self.method].law(self.lattice, self.theta))

    @cached_property
    def places(self) -> NDArray[np.int64] | None:
        """Where each of `paths` stands in `exact`, int64[len(paths)]; None without it."""
        if self.exact is None:
            return None
        index = {path.edges.tobytes(): i for i, path in enumerate(self.exact)}
        return np.array([index[path.edges.tobytes()] for path in self.paths], dtype=np.int64)

    @cached_property
    def exact_counts(self) -> NDArray[np.int64] | None:
        """How often each path of `exact` was drawn, int64[len(exact)]; None without it."""
        return self.counts_after(len(self))

    def counts_after(self, n: int) -> NDArray[np.int64] | None:
        """Return how often each path of `exact` came up in the first n draws; None without it."""
        if self.exact is None or self.places is None:
            return None
        return np.bincount(self.places[self.order[:n]], minlength=len(self.exact))

    def distance_after(self, n: int) -> float | None:
        """Return the total variation distance of the first n draws; None without `exact`."""
        counts = self.counts_after(n)
        return None if counts is None else total_variation(counts, self._probabilities)

    @property
    def tv_distance(self) -> float | None:
        """Total variation distance between the shares drawn and the exact law, 0 to 1."""
        return self.distance_after(len(self))

    @cached_property
    def chi2(self) -> ChiSquare | None:
        """Pearson's test against the exact law; None without one, or with one cell only."""
        counts = self.exact_counts
        return None if counts is None else chi_square(counts, self._probabilities)

    @cached_property
    def _probabilities(self) -> NDArray[np.float64]:
        return np.array([path.probability for path in self.exact or ()])


class Sampler(NamedTuple):
    """A method of drawing.

    draw: (lattice, theta, seed, n) → the edges of each draw. probability: (lattice, theta) → a
    function from a path's edges to its exact probability. law: (lattice, theta) → all paths with
    their exact probabilities, most probable first.
    """

    draw: Callable[[Lattice, float, int, int], list[Ints]]
    probability: Callable[[Lattice, float], Callable[[Ints], float]]
    law: Callable[[Lattice, float], list[Path]]


def sample(
    lattice: Lattice,
    method: str = "perfect",
    theta: float = 1.0,
    count: int = 1,
    seed: Seed = 0,
) -> Draws:
    """Draw `count` segmentations by `method` at inverse temperature `theta`.

    `viterbi` always gives the best path; `perfect` draws from P(path) ∝ exp(theta · score) by
    the reservoir of `engine.reservoir`. One seed gives the same draws on any machine, and draw
    number i doesn't depend on how many are asked for.

    Raises `ParameterError` for an unknown method, a count outside of 1 … `MOST_DRAWS`, a bad
    theta or a model without a law, and `CoverageError` for a text that no path covers.
    """
    sampler = SAMPLERS.get(method)
    if sampler is None:
        known = ", ".join(SAMPLERS)
        raise ParameterError(f"there is no sampling method {method!r}", "method", f"use {known}")
    theta = check_theta(theta)
    if not 1 <= count <= MOST_DRAWS:
        raise ParameterError(
            f"{count} draws are asked for", "count", f"give a number from 1 to {MOST_DRAWS:,}"
        )
    lattice.require_law()
    seed = seed_number(seed)
    drawn = sampler.draw(lattice, theta, seed, count)
    probability = sampler.probability(lattice, theta)
    index: dict[bytes, int] = {}
    order = np.empty(count, dtype=np.int32)
    distinct: list[Ints] = []
    for i, edges in enumerate(drawn):
        order[i] = index.setdefault(edges.tobytes(), len(distinct))
        if order[i] == len(distinct):
            distinct.append(edges)
    paths = tuple(
        Path(lattice, edges, path_score(lattice, edges), probability(edges)) for edges in distinct
    )
    counts = np.bincount(order, minlength=len(paths)).astype(np.int64)
    return Draws(lattice, method, theta, seed, paths, counts, order)


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


def draw_perfect(
    lattice: Lattice, theta: float, seed: int, count: int, first: int = 0
) -> list[Ints]:
    """Return the edges of draws `first` … `first + count - 1` of a seed, by the reservoir.

    The coin of edge i in by_end order uses number i of the draw's stream. Short lattices are
    drawn many times at once by a matrix of random numbers, long ones by a kernel. The trace of
    `engine.traces.passes` shows a draw coin by coin.
    """
    chance, n_edges = reservoir(lattice, theta).chance, lattice.n_edges
    if compiled(n_edges):
        return _drawn_backwards(lattice, chance, seed, range(first, first + count))
    block = max(1, BLOCK // max(1, n_edges))
    drawn: list[Ints] = []
    last = first + count
    for start in range(first, last, block):
        keys = [key_of(seed, draw) for draw in range(start, min(last, start + block))]
        drawn += _held_paths(lattice, uniform_rows(keys, 0, n_edges) < chance)
    return drawn


def _drawn_backwards(
    lattice: Lattice, chance: NDArray[np.float64], seed: int, draws: range
) -> list[Ints]:
    """Return the path of each draw, edge by edge from the last node."""
    from engine.kernels.draws import draw_path

    start = lattice.start[lattice.by_end]
    ends = lattice.end[lattice.by_end]
    arriving = np.searchsorted(ends, np.arange(lattice.n_nodes + 1)).astype(np.int64)
    path = np.empty(lattice.n_nodes, dtype=np.int32)
    drawn = []
    for draw in draws:
        size = draw_path(chance, start, arriving, key_of(seed, draw), path)
        drawn.append(lattice.by_end[path[:size][::-1]])
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


def _draw_viterbi(lattice: Lattice, theta: float, _seed: int, count: int) -> list[Ints]:
    return [viterbi(lattice, theta).edges] * count


def _certain(_lattice: Lattice, _theta: float) -> Callable[[Ints], float]:
    return lambda _edges: 1.0


def _viterbi_law(lattice: Lattice, theta: float) -> list[Path]:
    return [replace(viterbi(lattice, theta), probability=1.0)]


SAMPLERS: dict[str, Sampler] = {
    "viterbi": Sampler(_draw_viterbi, _certain, _viterbi_law),
    "perfect": Sampler(draw_perfect, gibbs_probability, exact_law),
}
