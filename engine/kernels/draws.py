"""Drawing a path of a lattice. Twins: `engine.samplers.gibbs`, `engine.samplers.pairwise`.

Edges are named by their place in by_end order. start: int32[e]. arriving: int64[n_nodes + 1], the
first edge into each node, and e. key: the stream of random numbers. path: int32 with room for
n_nodes − 1 edges; it gets the edges drawn, last edge first, and their number is returned.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Floats, Int, Ints, Longs, u
from engine.kernels.unigram import U64, random_number
from engine.passes import FLOOR


def draw_path(chance: Floats, start: Ints, arriving: Longs, key: int, path: Ints) -> int:
    """Draw by coins: of the edges into a node the last whose coin was won is held.

    chance: float64[e]; number i of the stream decides edge i.
    """
    _check(chance, start, arriving, path)
    return int(draw_kernel(chance, start, arriving, U64(key), path))


def choose_path(bounds: Floats, start: Ints, arriving: Longs, key: int, path: Ints) -> int:
    """Draw by one number for each node on the path: the first edge whose bound is greater.

    bounds: float64[e]; of the edges into each node that can be reached one has 1 or more. Number
    k of the stream chooses the k-th edge from the end.
    """
    _check(bounds, start, arriving, path)
    return int(choose_kernel(bounds, start, arriving, U64(key), path))


def hold_path(
    start: Ints,
    end: Ints,
    score: Floats,
    best: Floats,
    theta: float,
    accumulate: bool,
    key: int,
    path: Ints,
) -> int:
    """Draw by coins against the path held: viterbi-v1, or with `accumulate` viterbi-v1.5.

    end: int32[e]. score: float64[e]. best: float64[n_nodes], the best score of each node. Number
    i of the stream decides edge i.
    """
    n_nodes, size = len(best), len(start)
    if not size == len(end) == len(score) or len(path) < n_nodes - 1:
        raise ValueError("the arrays don't fit together")
    if size and (int(end.max()) >= n_nodes or int(start.min()) < 0 or (start >= end).any()):
        raise ValueError("an edge leads outside the nodes, or back")
    return int(hold_kernel(start, end, score, best, float(theta), accumulate, U64(key), path))


def _check(values: Floats, start: Ints, arriving: Longs, path: Ints) -> None:
    n_nodes = len(arriving) - 1
    if not len(values) == len(start) == int(arriving[-1]) or len(path) < n_nodes - 1:
        raise ValueError("the arrays don't fit together")


@kernel
def draw_kernel(chance: Floats, start: Ints, arriving: Longs, key: np.uint64, path: Ints) -> Int:
    """Follow the edges held from the last node; see `draw_path`.

    Coins are looked at from the last one back and only at nodes on the path.
    """
    count = ZERO
    node = arriving.size - 2
    while node > 0:
        place = arriving[u(node + 1)] - 1
        first = arriving[u(node)]
        while place > first and not random_number(key, U64(place)) < chance[u(place)]:
            place -= 1
        path[u(count)] = place
        count += 1
        node = start[u(place)]
    return count


@kernel
def choose_kernel(bounds: Floats, start: Ints, arriving: Longs, key: np.uint64, path: Ints) -> Int:
    """Choose an edge into each node from the last one back; see `choose_path`."""
    count = ZERO
    node = arriving.size - 2
    while node > 0:
        number = random_number(key, U64(count))
        place = arriving[u(node)]
        last = arriving[u(node + 1)] - 1
        while place < last and not number < bounds[u(place)]:
            place += 1
        path[u(count)] = place
        count += 1
        node = start[u(place)]
    return count


@kernel
def hold_kernel(
    start: Ints,
    end: Ints,
    score: Floats,
    best: Floats,
    theta: float,
    accumulate: bool,
    key: np.uint64,
    path: Ints,
) -> Int:
    """Pass over all edges, then follow those held from the last node; see `hold_path`."""
    n_nodes = best.size
    held = np.full(n_nodes, -np.inf)
    accumulated = np.full(n_nodes, -np.inf)
    holder = np.full(n_nodes, -1, np.int32)
    held[u(0)] = 0.0
    for place in range(start.size):
        node = end[u(place)]
        newcomer = held[u(start[u(place)])] + score[u(place)]
        if newcomer == -np.inf:
            continue
        chance = 1.0
        if accumulate:
            a = max(FLOOR, theta * (newcomer - best[u(node)]))
            so_far = accumulated[u(node)]
            after = a
            if so_far > -np.inf:
                after = max(a, so_far) + math.log1p(math.exp(-abs(a - so_far)))
                chance = math.exp(min(0.0, a - after))
            accumulated[u(node)] = after
        elif held[u(node)] > -np.inf:
            lead = theta * (newcomer - held[u(node)])
            if lead >= 0.0:
                chance = 1.0 / (1.0 + math.exp(-lead))
            else:
                chance = math.exp(lead) / (1.0 + math.exp(lead))
        if random_number(key, U64(place)) < chance:
            held[u(node)] = newcomer
            holder[u(node)] = place
    count = ZERO
    node = n_nodes - 1
    while node > 0 and holder[u(node)] >= 0:
        path[u(count)] = holder[u(node)]
        count += 1
        node = start[u(holder[u(node)])]
    return count
