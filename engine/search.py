"""What is found in a lattice: the best path, the n best, and how many there are.

Ties. A path's score is the sum of its edges' scores in float64, added from left to right. At each
node edges are met in `Lattice.by_end` order (earliest start first, then lowest piece) and replace
what is held only if strictly better. So of two paths with equal scores the better one is that
whose last edge starts earlier (then: has the lower piece); if they share it, what stands before it
decides in the same way. `viterbi` and `nbest` follow this one order.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.lattice import Path
from engine.passes import check_theta, log_spread, require_path

if TYPE_CHECKING:
    from engine.lattice import Lattice


def viterbi(lattice: Lattice, theta: float = 1.0) -> Path:
    """Return the path of the highest score, with its probability at inverse temperature `theta`.

    Raises `ParameterError` where the model defines no law or no path covers the text.
    """
    lattice.require_law()
    check_theta(theta)
    found = lattice.best_pass
    require_path(lattice, bool(np.isfinite(found.total[-1])))
    edges = follow(lattice, found.holder)
    return Path(lattice, edges, float(found.total[-1]), math.exp(-log_spread(lattice, theta)))


def follow(
    lattice: Lattice, holder: NDArray[np.int32], last: int | None = None
) -> NDArray[np.int32]:
    """Return the edges of the path that `holder` (an edge for each node) leads back along.

    The path ends at node `last`, by default the last of all.
    """
    start, edges = lattice.start, []
    node = lattice.n_nodes - 1 if last is None else last
    while node > 0:
        edge = int(holder[node])
        edges.append(edge)
        node = int(start[edge])
    return np.array(edges[::-1], dtype=np.int32)


def gap(lattice: Lattice) -> float:
    """Return by how much the best path's score exceeds the second best's, in nats.

    0 for a tie, inf where there is only one path. The second best path leaves the best one, seen
    from the end, at some edge into a node of the best path, and is the best before that edge.
    """
    best = viterbi_edges(lattice)
    total = lattice.best_pass.total
    on_path = np.zeros(lattice.n_nodes, dtype=np.bool_)
    on_path[lattice.end[best]] = True
    rival = on_path[lattice.end] & np.isfinite(total[lattice.start]) & np.isfinite(lattice.score)
    rival[best] = False
    start, end = lattice.start[rival], lattice.end[rival]
    return float(np.min(total[end] - total[start] - lattice.score[rival], initial=np.inf))


def tied(lattice: Lattice) -> bool:
    """Return whether another path has the best path's score, but for rounding of the sums."""
    return gap(lattice) <= rounding(lattice)


def rounding(lattice: Lattice) -> float:
    """Return a bound of the rounding error in the difference of two paths' scores."""
    best = float(lattice.best_pass.total[-1])
    return 2.0 * len(viterbi_edges(lattice)) * float(np.finfo(np.float64).eps) * abs(best)


def viterbi_edges(lattice: Lattice) -> NDArray[np.int32]:
    """Return the edges of the best path, int32[p]; errors as `viterbi`."""
    lattice.require_law()
    found = lattice.best_pass
    require_path(lattice, bool(np.isfinite(found.total[-1])))
    return follow(lattice, found.holder)


def nbest(lattice: Lattice, n: int, theta: float = 1.0) -> list[Path]:
    """Return the n paths of the highest scores, best first; all of them if there are fewer.

    Exact: recursive enumeration (Jiménez & Marzal, WAE 1999), which finds the k-th best path to a
    node from the next best paths to the nodes before it, only when asked for. Equal scores come in
    the order that the module describes. Probabilities are exact at `theta`.
    """
    lattice.require_law()
    check_theta(theta)
    if n < 1:
        raise ParameterError(f"{n} best paths are asked for", "n", "give a number from 1 up")
    require_path(lattice, bool(np.isfinite(lattice.best_pass.total[-1])))
    enumeration = _Enumeration(lattice)
    last = lattice.n_nodes - 1
    spread, best = log_spread(lattice, theta), float(lattice.best_pass.total[-1])
    paths: list[Path] = []
    while len(paths) < n and enumeration.extend(last, len(paths)):
        score, edges = enumeration.path(last, len(paths))
        probability = math.exp(theta * (score - best) - spread)
        paths.append(Path(lattice, edges, score, probability))
    return paths


class _Enumeration:
    """The k best paths to every node, found as far as they are asked for.

    For each node `scores[node][k]` is the score of its k-th best path and `steps[node][k]` the pair
    (edge, rank of the path before it). `heaps[node]` holds the next candidate of every edge into
    the node as (−score, position of the edge in by_end order, rank): the tie rule.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.order = lattice.by_end.tolist()
        self.start = lattice.start[lattice.by_end].tolist()
        self.score = lattice.score[lattice.by_end].tolist()
        arriving = lattice.end[lattice.by_end]
        self.first = np.searchsorted(arriving, np.arange(lattice.n_nodes + 1)).tolist()
        place = np.empty(lattice.n_edges, dtype=np.int64)
        place[lattice.by_end] = np.arange(lattice.n_edges)
        found = lattice.best_pass
        self.total = found.total.tolist()
        n = lattice.n_nodes
        # The best path to each node is known from the Viterbi pass.
        self.scores: list[list[float]] = [[t] if t > -math.inf else [] for t in self.total]
        self.steps: list[list[tuple[int, int]]] = [
            [(int(place[edge]), 0)] if edge >= 0 else [] for edge in found.holder.tolist()
        ]
        self.heaps: list[list[tuple[float, int, int]] | None] = [None] * n

    def extend(self, node: int, k: int) -> bool:
        """Make sure that path k to `node` is known; return whether there is one."""
        # Each entry waits for the rank that the next one, nearer to node 0, is asked for.
        waiting = [(node, k)]
        while waiting:
            at, rank = waiting[-1]
            if rank < len(self.scores[at]) or at == 0:
                waiting.pop()
                continue
            heap = self.heaps[at]
            if heap is None:
                heap = self.heaps[at] = self._candidates(at)
            place, before = self.steps[at][-1]
            source = self.start[place]
            known = self.scores[source]
            if before + 1 < len(known):
                # The last path taken is the heap's top: put its successor in its place.
                entry = (-(known[before + 1] + self.score[place]), place, before + 1)
                heapreplace(heap, entry)
            elif self._exhausted(source):
                heappop(heap)
            else:
                waiting.append((source, before + 1))
                continue
            waiting.pop()
            if heap:
                value, place, before = heap[0]
                self.scores[at].append(-value)
                self.steps[at].append((place, before))
        return k < len(self.scores[node])

    def _exhausted(self, node: int) -> bool:
        """Whether all paths to `node` are known."""
        heap = self.heaps[node]
        return node == 0 or (heap is not None and not heap)

    def _candidates(self, node: int) -> list[tuple[float, int, int]]:
        heap: list[tuple[float, int, int]] = []
        for place in range(self.first[node], self.first[node + 1]):
            score = self.total[self.start[place]] + self.score[place]
            if score > -math.inf:
                heap.append((-score, place, 0))
        heapify(heap)
        return heap

    def path(self, node: int, k: int) -> tuple[float, NDArray[np.int32]]:
        """Return score and edges of path k to `node`, which is known."""
        score, edges = self.scores[node][k], []
        while node > 0:
            place, k = self.steps[node][k]
            edges.append(self.order[place])
            node = self.start[place]
        return score, np.array(edges[::-1], dtype=np.int32)


def count_paths(lattice: Lattice) -> int:
    """Return the exact number of segmentations, also for models without a law.

    The lattice is cut at the nodes that no edge crosses (pre-tokens, at least); the counts of the
    stretches between them are multiplied.
    """
    last = lattice.n_nodes - 1
    cuts = cut_nodes(lattice)
    bounds = np.searchsorted(lattice.start, cuts)
    factors = [
        _count(lattice, int(cuts[i]), int(cuts[i + 1]), int(bounds[i]), int(bounds[i + 1]))
        for i in range(len(cuts) - 1)
    ]
    return _product(factors) if last else 1


def cut_nodes(lattice: Lattice) -> NDArray[np.int64]:
    """Return the nodes that no edge crosses, ascending: every path goes through them."""
    change = np.zeros(lattice.n_nodes + 1, dtype=np.int64)
    np.add.at(change, lattice.start + 1, 1)
    np.subtract.at(change, lattice.end, 1)
    return np.flatnonzero(np.cumsum(change[: lattice.n_nodes]) == 0)


def _count(lattice: Lattice, first: int, last: int, low: int, high: int) -> int:
    """Return the number of paths between two cut nodes; edges low … high − 1 lie between them."""
    starts = lattice.start[low:high].tolist()
    ends = lattice.end[low:high].tolist()
    counts = {first: 1}
    node = first
    for start, end in zip(starts, ends, strict=True):
        if start != node:
            # Edges are sorted by start: nothing will leave from here again.
            counts.pop(node, None)
            node = start
        here = counts.get(start, 0)
        if here:
            counts[end] = counts.get(end, 0) + here
    return counts.get(last, 0)


def _product(factors: list[int]) -> int:
    """Multiply big integers in pairs, which keeps them of like size."""
    while len(factors) > 1:
        pairs = [a * b for a, b in zip(factors[::2], factors[1::2], strict=False)]
        factors = pairs + factors[len(pairs) * 2 :]
    return factors[0]


def decimal(value: int) -> str:
    """Return a whole number in decimal digits, of any length.

    `str` refuses more than 4,300 digits; a count of paths can have many more.
    """
    if value < 0:
        return "-" + decimal(-value)
    digits = int(value.bit_length() * math.log10(2)) + 1
    if digits <= 4000:
        return str(value)
    half = digits // 2
    high, low = divmod(value, 10**half)
    return decimal(high) + decimal(low).rjust(half, "0")
