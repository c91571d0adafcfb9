"""Perfect sampling's forward pass: every edge that arrives at a node tosses one coin.

Edges are met in `Lattice.by_end` order. A node keeps the accumulated log-weight A of all paths that
have arrived so far and holds one edge. A newcomer with log-weight a = A[start] + θ·score makes it
LSE(A, a) and is taken with probability exp(a − LSE(A, a)); the first to arrive always is. When all
have arrived, each edge is held with exactly its share of the node's weight, and the coins of
different nodes are independent, so following the held edges back from the last node draws a path
from the law P(path) ∝ exp(θ·score). This is BytePiece's second sampling method.

The coins don't depend on the draw: they are tossed in `engine.samplers.gibbs`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.passes import reduced_weights

if TYPE_CHECKING:
    from engine.lattice import Lattice


@dataclass(frozen=True, eq=False)
class Reservoir:
    """What happens at each edge, float64[e] each, in `Lattice.by_end` order.

    newcomer: the edge's log-weight a. held: A of its end node before it, −inf for the first one.
    total: A after it. chance: the probability that it is taken. Edges that no path from node 0
    reaches have newcomer −inf and chance 0. Log-weights are reduced (see `engine.passes`); add
    θ·(best score of the end node) for those of the law itself.
    """

    newcomer: NDArray[np.float64]
    held: NDArray[np.float64]
    total: NDArray[np.float64]
    chance: NDArray[np.float64]


def reservoir(lattice: Lattice, theta: float) -> Reservoir:
    """Return the coins of every edge at inverse temperature `theta`."""
    return coins(lattice, reduced_weights(lattice, theta))


def coins(lattice: Lattice, weights: NDArray[np.float64]) -> Reservoir:
    """Return the coins of every edge under log-weights, float64[e].

    Computed with Python's `math` alone, so one seed gives one path also where numpy or a
    compiler would round a logarithm in another way.
    """
    weight = weights[lattice.by_end].tolist()
    starts = lattice.start[lattice.by_end].tolist()
    ends = lattice.end[lattice.by_end].tolist()
    accumulated = [-math.inf] * lattice.n_nodes
    accumulated[0] = 0.0
    newcomer, held, total, chance = [], [], [], []
    exp, log1p = math.exp, math.log1p
    for start, end, w in zip(starts, ends, weight, strict=True):
        a, before = accumulated[start] + w, accumulated[end]
        if a == -math.inf:
            after, share = before, 0.0
        elif before == -math.inf:
            after, share = a, 1.0
        else:
            after = max(a, before) + log1p(exp(-abs(a - before)))
            share = exp(a - after)
        accumulated[end] = after
        newcomer.append(a)
        held.append(before)
        total.append(after)
        chance.append(share)
    return Reservoir(np.array(newcomer), np.array(held), np.array(total), np.array(chance))
