"""What is found in a lattice: the best path, its lead, and the number of paths.

Ties. A path's score is the sum of its edges' scores in float64, added from left to right. At each
node edges are met in `Lattice.by_end` order (earliest start first, then lowest piece) and replace
what is held only if strictly better. So of two paths with equal scores the better one is that
whose last edge starts earlier (then: has the lower piece); if they share it, what stands before it
decides in the same way. `viterbi` and `engine.nbest` follow this one order.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Path
from engine.passes import check_theta, log_spread

if TYPE_CHECKING:
    from engine.lattice import Lattice


def viterbi(lattice: Lattice, theta: float = 1.0) -> Path:
    """Return the path of the highest score, with its probability at inverse temperature `theta`.

    Raises `ParameterError` where the model defines no law or theta is negative or not finite, and
    `CoverageError` where no path covers the text.
    """
    lattice.require_law()
    check_theta(theta)
    edges, score = lattice.best_edges, float(lattice.best_pass.total[-1])
    return Path(lattice, edges, score, math.exp(-log_spread(lattice, theta)))


def follow(
    lattice: Lattice, holder: NDArray[np.int32], last: int | None = None
) -> NDArray[np.int32]:
    """Return the edges of the path that `holder` (an edge for each node) leads back along.

    The path ends at node `last`, by default the last of all.
    """
    # Lists, as single numbers of an array are slow to reach.
    starts, holders, edges = lattice.start.tolist(), holder.tolist(), []
    node = lattice.n_nodes - 1 if last is None else last
    while node > 0:
        edge = holders[node]
        edges.append(edge)
        node = starts[edge]
    return np.array(edges[::-1], dtype=np.int32)


def gap(lattice: Lattice) -> float:
    """Return by how much the best path's score exceeds the second best's, in nats.

    0 for a tie, inf where there is only one path. The second best path leaves the best one, seen
    from the end, at some edge into a node of the best path, and is the best before that edge.
    """
    best = lattice.best_edges
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
    return 2.0 * len(lattice.best_edges) * float(np.finfo(np.float64).eps) * abs(best)


def count_paths(lattice: Lattice) -> int:
    """Return the exact number of segmentations, also for models without a law.

    The lattice is cut at the nodes that no edge crosses (pre-tokens, at least); the counts of the
    stretches between them are multiplied.
    """
    cuts = cut_nodes(lattice)
    bounds = np.searchsorted(lattice.start, cuts)
    starts, ends = lattice.start.tolist(), lattice.end.tolist()
    stretches = zip(pairwise(cuts.tolist()), pairwise(bounds.tolist()), strict=True)
    factors = [
        _count(starts[low:high], ends[low:high], first, last)
        for (first, last), (low, high) in stretches
    ]
    return _product(factors) if lattice.n_nodes > 1 else 1


def cut_nodes(lattice: Lattice) -> NDArray[np.int64]:
    """Return the nodes that no edge crosses, ascending: every path goes through them."""
    change = np.zeros(lattice.n_nodes + 1, dtype=np.int64)
    np.add.at(change, lattice.start + 1, 1)
    np.subtract.at(change, lattice.end, 1)
    return np.flatnonzero(np.cumsum(change[: lattice.n_nodes]) == 0)


def _count(starts: list[int], ends: list[int], first: int, last: int) -> int:
    """Return the number of paths between two cut nodes, by the ends of the edges between them."""
    if len(starts) == 1:  # as for most pre-tokens of one character
        return int(starts[0] == first and ends[0] == last)
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
