"""The n best paths of a lattice, exactly.

Recursive enumeration (Jiménez & Marzal, WAE 1999): the k-th best path to a node is found from the
next best paths to the nodes before it, and only when asked for. Before that, edges that no path
among the n best can use are left out: an edge is kept only if the best path through it scores no
worse than a bound that n paths are known to reach. What is left of a long text are a few places
where the best paths part, so the work hardly depends on its length.

The order of paths with equal scores is that of `engine.search`.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.kernels import compiled
from engine.lattice import Path
from engine.passes import (
    best_from_end,
    check_theta,
    log_spread,
    path_probability,
    require_path,
)
from engine.search import rounding

if TYPE_CHECKING:
    from engine.lattice import Lattice

PARTINGS = 40
"""Places where paths part that the bound is made of, at most; 2^40 paths are always enough."""


MOST_PATHS = 1_000_000
"""Paths are kept in memory."""


def nbest(lattice: Lattice, n: int, theta: float = 1.0) -> list[Path]:
    """Return the n paths of the highest scores, best first; all of them if there are fewer.

    Scores are sums in float64 from left to right. Probabilities are exact at `theta`. Raises
    `ParameterError` for n outside of 1 … `MOST_PATHS`, a bad theta or a model without a law, and
    `CoverageError` where no path covers the text.
    """
    lattice.require_law()
    theta = check_theta(theta)
    check_count(n)
    require_path(lattice, bool(np.isfinite(lattice.best_pass.total[-1])))
    spread, best = log_spread(lattice, theta), float(lattice.best_pass.total[-1])
    found = (_best_compiled if compiled(lattice.n_edges) else best_plain)(lattice, n)
    return [
        Path(lattice, edges, score, path_probability(theta, score - best, spread))
        for score, edges in found
    ]


def check_count(n: int) -> None:
    """Raise `ParameterError` unless n paths can be asked for."""
    if not 1 <= n <= MOST_PATHS:
        raise ParameterError(
            f"{n} best paths are asked for", "n", f"give a number from 1 to {MOST_PATHS:,}"
        )


def _best_compiled(lattice: Lattice, n: int) -> list[tuple[float, NDArray[np.int32]]]:
    """Return score and edges of the n best paths, by the kernel."""
    from engine.kernels.nbest import best_paths

    kept = np.flatnonzero(useful_edges(lattice, n)).astype(np.int32)
    first, last = np.zeros(1, dtype=np.int64), np.array([lattice.n_nodes - 1], dtype=np.int64)
    start, end, score = lattice.start[kept], lattice.end[kept], lattice.score[kept]
    found = best_paths(start, end, score, first, last, n)
    edges, offsets = kept[found.edges], found.offsets.tolist()
    spans = pairwise(offsets)
    return [(s, edges[a:b]) for s, (a, b) in zip(found.scores.tolist(), spans, strict=True)]


def best_plain(lattice: Lattice, n: int) -> list[tuple[float, NDArray[np.int32]]]:
    """Do the same in plain Python."""
    enumeration = _Enumeration(lattice, useful_edges(lattice, n))
    last = lattice.n_nodes - 1
    paths: list[tuple[float, NDArray[np.int32]]] = []
    while len(paths) < n and enumeration.extend(last, len(paths)):
        paths.append(enumeration.path(last, len(paths)))
    return paths


def useful_edges(lattice: Lattice, n: int) -> NDArray[np.bool_]:
    """Return which edges one of the n best paths may use, bool[e]: all that do, and few more."""
    before, after = lattice.best_pass.total, best_from_end(lattice, lattice.score).total
    through = before[lattice.start] + lattice.score + after[lattice.end]
    # Sums taken in another order differ by rounding; a bound too wide costs only time.
    slack = 4 * rounding(lattice)
    useful: NDArray[np.bool_] = through >= before[-1] - _gap_of_nth(lattice, n) - slack
    return useful & np.isfinite(through)


def _gap_of_nth(lattice: Lattice, n: int) -> float:
    """Return a bound of the gap between the best path and the n-th best one.

    An edge into a node of the best path, after the best way to it, makes a path of its own with a
    known gap. Where such partings don't overlap they combine freely, so the n smallest sums of
    their gaps belong to n different paths.
    """
    if n == 1:
        return 0.0
    total, holder = lattice.best_pass.total, lattice.best_pass.holder
    best = lattice.best_edges
    on_path = np.zeros(lattice.n_nodes, dtype=np.bool_)
    on_path[0] = on_path[lattice.end[best]] = True
    rival = on_path[lattice.end] & np.isfinite(total[lattice.start]) & np.isfinite(lattice.score)
    rival[best] = False
    edges = np.flatnonzero(rival)
    start, end = lattice.start[edges], lattice.end[edges]
    gaps = total[end] - total[start] - lattice.score[edges]
    gaps_sorted = np.argsort(gaps, kind="stable")
    bound = float(gaps[gaps_sorted[n - 2]]) if n <= len(edges) + 1 else math.inf
    starts, holders = lattice.start.tolist(), holder.tolist()
    apart: list[float] = []
    covered = np.zeros(lattice.n_nodes, dtype=np.bool_)
    for i in gaps_sorted.tolist():
        if len(apart) == PARTINGS or gaps[i] > bound:
            break
        node = int(start[i])
        while not on_path[node]:
            node = starts[holders[node]]
        stretch = covered[node : int(end[i])]
        if not stretch.any():
            stretch[:] = True
            apart.append(float(gaps[i]))
    return min(bound, _nth_smallest_sum(apart, n))


def _nth_smallest_sum(values: list[float], n: int) -> float:
    """Return the n-th smallest sum of a subset; inf if there are fewer. values: ascending, ≥ 0.

    Each subset but the empty one is reached once: from the one without its last element moved up.
    """
    if len(values) < 60 and n > 1 << len(values):
        return math.inf
    found = 0.0
    heap = [(values[0], 0)] if values else []
    for _ in range(n - 1):
        found, last = heappop(heap)
        if last + 1 < len(values):
            heappush(heap, (found + values[last + 1], last + 1))
            heappush(heap, (found - values[last] + values[last + 1], last + 1))
    return found


class _Enumeration:
    """The k best paths to every node where paths part or meet, as far as they are asked for.

    Between such nodes lie chains of edges without a choice, called links. For each node
    `scores[node][k]` is the score of its k-th best path and `steps[node][k]` the pair (link, rank
    of the path before it). `heaps[node]` holds the next candidate of every link into the node as
    (−score, place of its last edge in by_end order, link, rank): the tie rule.
    """

    def __init__(self, lattice: Lattice, useful: NDArray[np.bool_]) -> None:
        order = lattice.by_end[useful[lattice.by_end]]
        starts, ends = lattice.start[order].tolist(), lattice.end[order].tolist()
        scores = lattice.score[order].tolist()
        n, last = lattice.n_nodes, lattice.n_nodes - 1
        leaving = np.bincount(lattice.start[order], minlength=n).tolist()
        arriving = np.bincount(lattice.end[order], minlength=n).tolist()
        arrival = [-1] * n
        for place, end in enumerate(ends):
            arrival[end] = place
        # A link ends at a node with a choice; its edges and scores are in reading order.
        self.edges: list[NDArray[np.int32]] = []
        self.values: list[list[float]] = []
        self.source: list[int] = []
        self.place: list[int] = []
        self.links: dict[int, list[int]] = {}
        held = lattice.best_pass.holder.tolist()
        self.steps: dict[int, list[tuple[int, int]]] = {0: []}
        for place, end in enumerate(ends):
            if end != last and leaving[end] == arriving[end] == 1:
                continue
            chain, node = [place], starts[place]
            while node and leaving[node] == arriving[node] == 1:
                chain.append(arrival[node])
                node = starts[chain[-1]]
            link = len(self.edges)
            self.edges.append(order[chain[::-1]])
            self.values.append([scores[i] for i in reversed(chain)])
            self.source.append(node)
            self.place.append(place)
            self.links.setdefault(end, []).append(link)
            if order[place] == held[end]:
                # The best path to each node is known from the Viterbi pass.
                self.steps[end] = [(link, 0)]
        total = lattice.best_pass.total
        self.scores: dict[int, list[float]] = {node: [float(total[node])] for node in self.steps}
        self.heaps: dict[int, list[tuple[float, int, int, int]]] = {0: []}

    def extend(self, node: int, k: int) -> bool:
        """Make sure that path k to `node` is known; return whether there is one."""
        # Each entry waits for the rank that the next one, nearer to node 0, is asked for.
        waiting = [(node, k)]
        while waiting:
            at, rank = waiting[-1]
            heap = self.heaps.get(at)
            if heap is None:
                heap = self.heaps[at] = self._candidates(at)
            if rank < len(self.scores[at]) or not heap:
                waiting.pop()
                continue
            link, before = self.steps[at][-1]
            source = self.source[link]
            if before + 1 < len(self.scores[source]):
                # The last path taken is the heap's top: put its successor in its place.
                heapreplace(heap, self._candidate(link, before + 1))
            elif self.heaps.get(source) == []:
                heappop(heap)
            else:
                waiting.append((source, before + 1))
                continue
            waiting.pop()
            if heap:
                value, _, link, before = heap[0]
                self.scores[at].append(-value)
                self.steps[at].append((link, before))
        return k < len(self.scores[node])

    def _candidate(self, link: int, rank: int) -> tuple[float, int, int, int]:
        score = self.scores[self.source[link]][rank]
        for value in self.values[link]:
            score += value
        return -score, self.place[link], link, rank

    def _candidates(self, node: int) -> list[tuple[float, int, int, int]]:
        heap = [self._candidate(link, 0) for link in self.links.get(node, ())]
        heapify(heap)
        return heap

    def path(self, node: int, k: int) -> tuple[float, NDArray[np.int32]]:
        """Return score and edges of path k to `node`, which is known."""
        score, links = self.scores[node][k], []
        while node:
            link, k = self.steps[node][k]
            links.append(link)
            node = self.source[link]
        none = np.zeros(0, dtype=np.int32)
        return score, np.concatenate([none, *(self.edges[link] for link in reversed(links))])
