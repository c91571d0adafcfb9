"""k different segmentations: drawing without replacement from P(path) ∝ exp(θ · score).

Kool, van Hoof & Welling, "Stochastic Beams and Where to Find Them" (ICML 2019): give each path the
key log P + a Gumbel number of its own, and take those with the k highest keys. That is drawing one
by one, each among what is left. The keys are made from the top down: all paths that share their
last edges have log P + Gumbel as the highest key among them, and where the next edge (seen from the
end) parts them, the parts' keys are drawn so that their maximum is that key. So only what may be
among the k highest is ever looked at, and the result is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.reservoir import reservoir
from engine.rng import key_of, uniform
from engine.sampler import Ints, SamplingSettings
from engine.samplers.gibbs import arriving_edges

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path

MOST_CELLS = 20_000
"""Segmentations times draws up to which inclusion probabilities are computed."""

STEP = 0.1
"""Of the integral over log time; halving it changes no digit of the result that is kept."""

_Link = tuple[int, Any] | None
"""The edges of a path so far from the end back: the nearest to the start, and the others."""

_Way = tuple[int, int, float]
"""An edge into a node: its number, where it starts, and the log of its share of the node's sum."""


@dataclass(frozen=True, eq=False)
class TopKeys:
    """The paths with the highest keys.

    paths: the edges of each, highest key first. keys: float64[len(paths)], log P + Gumbel.
    """

    paths: list[Ints]
    keys: NDArray[np.float64]


def draw(lattice: Lattice, settings: SamplingSettings, seed: int, draws: range) -> list[Ints]:
    """Return the edges of the paths with the len(draws) highest keys, or of all paths."""
    return top_keys(lattice, settings.theta, seed, len(draws)).paths


def draw_sets(lattice: Lattice, theta: float, seed: int, draws: range, k: int) -> list[list[Ints]]:
    """Return the edges of the paths of each set of k; set d is that of the seed `key_of(seed, d)`.

    Sets are independent of each other; `inclusion` is the law of what is in one.
    """
    ways = _Ways(lattice, theta)
    return [_top_keys(ways, key_of(key_of(seed, d), 0), k).paths for d in draws]


def top_keys(lattice: Lattice, theta: float, seed: int, k: int) -> TopKeys:
    """Return the k paths with the highest keys; all of them if there are fewer.

    Stream 0 of the seed gives the Gumbel numbers in the order in which they are needed, so the
    first paths don't depend on k.
    """
    return _top_keys(_Ways(lattice, theta), key_of(seed, 0), k)


def _top_keys(ways: _Ways, stream: int, k: int) -> TopKeys:
    used = 1
    # −key, the number of the entry (which settles ties), node, log P of the edges, the edges.
    heap: list[tuple[float, int, int, float, _Link]] = []
    heappush(heap, (-gumbel(uniform(stream, 0)), 0, ways.last, 0.0, None))
    numbered = 1
    paths: list[Ints] = []
    keys: list[float] = []
    while heap and len(paths) < k:
        negative, _, node, log_p, link = heappop(heap)
        arriving = ways.into(node)
        while len(arriving) == 1:
            link, node = (arriving[0][0], link), arriving[0][1]
            arriving = ways.into(node)
        if node == 0:
            paths.append(_edges(link))
            keys.append(-negative)
            continue
        fresh = []
        for _edge, _start, share in arriving:
            fresh.append(log_p + share + gumbel(uniform(stream, used)))
            used += 1
        top = max(fresh)
        for (edge, start, share), key in zip(arriving, fresh, strict=True):
            given = conditioned(key, top, -negative)
            heappush(heap, (-given, numbered, start, log_p + share, (edge, link)))
            numbered += 1
    return TopKeys(paths, np.array(keys))


class _Ways:
    """The edges into each node, looked at when a path comes there."""

    def __init__(self, lattice: Lattice, theta: float) -> None:
        self._sums, self._order = reservoir(lattice, theta), lattice.by_end
        self._start, self._arriving = lattice.start, arriving_edges(lattice)
        self.last = lattice.n_nodes - 1
        self._known: dict[int, list[_Way]] = {}

    def into(self, node: int) -> list[_Way]:
        """Return the edges into a node that paths from node 0 use."""
        if node not in self._known:
            first, last = self._arriving[node : node + 2].tolist()
            newcomer = self._sums.newcomer[first:last].tolist()
            edges = self._order[first:last].tolist()
            self._known[node] = [
                (edge, int(self._start[edge]), a - float(self._sums.total[last - 1]))
                for edge, a in zip(edges, newcomer, strict=True)
                if a > -math.inf
            ]
        return self._known[node]


def _edges(link: _Link) -> Ints:
    edges = []
    while link is not None:
        edge, link = link
        edges.append(edge)
    return np.array(edges, dtype=np.int32)


def gumbel(number: float) -> float:
    """Return −log(−log u) of a random number in [0, 1), moved half a step into the open."""
    return -math.log(-math.log(number + 2.0**-54))


def conditioned(key: float, top: float, wanted: float) -> float:
    """Return a Gumbel key given that the greatest of all, now `top`, is `wanted`.

    Appendix B of the paper, without cancellation: −log(e^−wanted − e^−top + e^−key).
    """
    if key == top:
        return wanted
    v = wanted - key + math.log(-math.expm1(key - top))
    return wanted - max(0.0, v) - math.log1p(math.exp(-abs(v)))


def inclusion(probabilities: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the probability that each outcome is among k drawn without replacement.

    probabilities: float64[n], positive, of all outcomes there are. With arrival times that are
    exponential with rate p the outcomes arrive in the order of such draws, so outcome i is among
    the first k if at its time t fewer than k others have come: the integral of that over its
    density p·e^(−pt), by the trapezoidal rule in log t, which converges exponentially.
    """
    n = len(probabilities)
    if k >= n:
        return np.ones(n)
    logs = np.log(probabilities)
    log_times = np.arange(-45.0, math.log(50.0) - float(logs.min()), STEP)
    found = np.zeros(n)
    block = max(1, (1 << 22) // (n * k))
    for first in range(0, len(log_times), block):
        times = log_times[first : first + block]
        # p·t, for the rarest outcomes by times that are no floats; by 1e304 all have come.
        meant = np.exp(np.minimum(logs[:, None] + times, 700.0))
        there = -np.expm1(-meant)
        # after[i][m]: the probability that of the outcomes from i on at most m have come.
        after = np.ones((n + 1, k, len(times)))
        for i in range(n - 1, -1, -1):
            after[i] = after[i + 1] * (1.0 - there[i])
            after[i, 1:] += after[i + 1, :-1] * there[i]
        # before[m]: that of those before i exactly m have.
        before = np.zeros((k, len(times)))
        before[0] = 1.0
        for i in range(n):
            few = np.sum(before * after[i + 1, ::-1], axis=0)
            found[i] += float(np.sum(few * (1.0 - there[i]) * meant[i])) * STEP
            moved = before[:-1] * there[i]
            before *= 1.0 - there[i]
            before[1:] += moved
    return np.minimum(found, 1.0)


def inclusions(paths: Sequence[Path] | None, k: int) -> list[float] | None:
    """Return the probability of each of a law's paths to be among k drawn without replacement.

    None where there are too many to say, or no list.
    """
    if paths is None or len(paths) * min(k, len(paths)) > MOST_CELLS:
        return None
    probabilities = np.array([path.probability for path in paths])
    some = probabilities > 0
    found = np.zeros(len(paths))
    found[some] = inclusion(probabilities[some], k)
    return found.tolist()
