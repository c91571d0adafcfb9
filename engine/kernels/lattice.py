"""Passes over the flat edge arrays of a long lattice. Twins: the plain ones of `engine.passes`.

Every function takes the edges as `order` names them: by end node for passes from the first node,
by start node, last first, for passes from the last one.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import Floats, Ints, u


def best(order: Ints, start: Ints, end: Ints, score: Floats, n_nodes: int) -> tuple[Floats, Ints]:
    """Return the Viterbi pass (total float64[n_nodes], holder int32[n_nodes]).

    An edge replaces what its end node holds only if it is strictly better. holder: the edge
    held, -1 for node 0 and nodes that no path reaches, whose total is −inf.
    """
    total = np.full(n_nodes, -np.inf)
    holder = np.full(n_nodes, -1, dtype=np.int32)
    best_kernel(*_checked(order, start, end, score, n_nodes), total, holder)
    return total, holder


def forward(order: Ints, start: Ints, end: Ints, weight: Floats, n_nodes: int) -> Floats:
    """Return, float64[n_nodes], the log of the summed weights of all paths from node 0.

    weight: float64[e], logarithms. order: the edges by end node.
    """
    total = np.full(n_nodes, -np.inf)
    order, start, end, weight = _checked(order, start, end, weight, n_nodes)
    total[0] = 0.0
    sum_kernel(order, start, end, weight, total)
    return total


def backward(order: Ints, start: Ints, end: Ints, weight: Floats, n_nodes: int) -> Floats:
    """Return, float64[n_nodes], the log of the summed weights of all paths to the last node.

    weight: float64[e], logarithms. order: the edges by start node, last first.
    """
    total = np.full(n_nodes, -np.inf)
    order, start, end, weight = _checked(order, start, end, weight, n_nodes)
    total[-1] = 0.0
    sum_kernel(order, end, start, weight, total)
    return total


def _checked(
    order: Ints, start: Ints, end: Ints, weight: Floats, n_nodes: int
) -> tuple[Ints, Ints, Ints, Floats]:
    """Return the arrays as the kernels want them; raise `ValueError` where an index is off."""
    order, start, end = (np.require(a, np.int32, ("C", "W")) for a in (order, start, end))
    weight = np.require(weight, np.float64, ("C", "W"))
    n = len(order)
    if not len(start) == len(end) == len(weight):
        raise ValueError("start, end and weight must have one length")
    if n and (int(order.min()) < 0 or int(order.max()) >= len(start)):
        raise ValueError(f"an edge of the order isn't among the {len(start)} edges")
    for nodes in (start, end):
        if len(nodes) and (int(nodes.min()) < 0 or int(nodes.max()) >= n_nodes):
            raise ValueError(f"an edge leads outside the {n_nodes} nodes")
    return order, start, end, weight


@kernel
def best_kernel(
    order: Ints, start: Ints, end: Ints, score: Floats, total: Floats, holder: Ints
) -> None:
    """Fill `total` and `holder`; see `best`."""
    total[u(0)] = 0.0
    for i in range(order.size):
        edge = order[u(i)]
        node = end[u(edge)]
        arriving = total[u(start[u(edge)])] + score[u(edge)]
        if arriving > total[u(node)]:
            total[u(node)] = arriving
            holder[u(node)] = edge


@kernel
def sum_kernel(order: Ints, source: Ints, target: Ints, weight: Floats, total: Floats) -> None:
    """Add up log-weights from `source` to `target` nodes; edges of a target stand together."""
    n = order.size
    i = 0
    while i < n:
        node = target[u(order[u(i)])]
        last = i
        largest = -np.inf
        while last < n:
            edge = order[u(last)]
            if target[u(edge)] != node:
                break
            largest = max(largest, total[u(source[u(edge)])] + weight[u(edge)])
            last += 1
        if last == i + 1 or largest == -np.inf:
            total[u(node)] = largest
        else:
            spread = 0.0
            for k in range(i, last):
                edge = order[u(k)]
                spread += math.exp(total[u(source[u(edge)])] + weight[u(edge)] - largest)
            total[u(node)] = largest + math.log(spread)
        i = last
