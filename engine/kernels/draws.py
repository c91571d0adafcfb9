"""Drawing paths of a lattice. Twins: `engine.samplers.gibbs`, `engine.samplers.pairwise`.

Edges are named by their place in by_end order. start: int32[e]. arriving: int64[n_nodes + 1], the
first edge into each node, and e. keys: uint64[d], the stream of random numbers of each draw. What
is returned: int32, the edges of the draws one after the other, each from the last edge to the
first, and int64[d + 1], where each draw begins and ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Floats, Int, Ints, Longs, u
from engine.kernels.unigram import U64, random_number
from engine.passes import FLOOR

Keys = NDArray[np.uint64]


def draw_paths(chance: Floats, start: Ints, arriving: Longs, keys: Keys) -> tuple[Ints, Longs]:
    """Draw by coins: of the edges into a node the last whose coin was won is held.

    chance: float64[e]; number i of a stream decides edge i.
    """
    paths, bounds = _room(chance, start, arriving, keys)
    return paths[: draw_kernel(chance, start, arriving, keys, paths, bounds)], bounds


def choose_paths(limits: Floats, start: Ints, arriving: Longs, keys: Keys) -> tuple[Ints, Longs]:
    """Draw by one number for each node on the path: the first edge whose limit is greater.

    limits: float64[e]; of the edges into each node that can be reached one has 1 or more. Number
    k of a stream chooses the k-th edge from the end.
    """
    paths, bounds = _room(limits, start, arriving, keys)
    return paths[: choose_kernel(limits, start, arriving, keys, paths, bounds)], bounds


def hold_paths(
    start: Ints,
    end: Ints,
    score: Floats,
    best: Floats,
    theta: float,
    accumulate: bool,
    keys: Keys,
) -> tuple[Ints, Longs]:
    """Draw by coins against the path held: viterbi-v1, or with `accumulate` viterbi-v1.5.

    end: int32[e]. score: float64[e]. best: float64[n_nodes], the best score of each node. Number
    i of a stream decides edge i.
    """
    n_nodes, size = len(best), len(start)
    if not size == len(end) == len(score):
        raise ValueError("the arrays don't fit together")
    if size and (int(end.max()) >= n_nodes or int(start.min()) < 0 or (start >= end).any()):
        raise ValueError("an edge leads outside the nodes, or back")
    paths = np.empty(len(keys) * (n_nodes - 1), dtype=np.int32)
    bounds = np.zeros(len(keys) + 1, dtype=np.int64)
    count = hold_kernel(start, end, score, best, float(theta), accumulate, keys, paths, bounds)
    return paths[:count], bounds


def _room(values: Floats, start: Ints, arriving: Longs, keys: Keys) -> tuple[Ints, Longs]:
    """Check the arrays and return room for the paths and their bounds."""
    n_nodes = len(arriving) - 1
    if not len(values) == len(start) == int(arriving[-1]):
        raise ValueError("the arrays don't fit together")
    paths = np.empty(len(keys) * (n_nodes - 1), dtype=np.int32)
    return paths, np.zeros(len(keys) + 1, dtype=np.int64)


@kernel
def draw_kernel(
    chance: Floats, start: Ints, arriving: Longs, keys: Keys, paths: Ints, bounds: Longs
) -> Int:
    """Follow the edges held from the last node; see `draw_paths`. Return the edges in all.

    Coins are looked at from the last one back and only at nodes on the path.
    """
    count = ZERO
    for draw in range(keys.size):
        key = keys[u(draw)]
        node = arriving.size - 2
        while node > 0:
            place = arriving[u(node + 1)] - 1
            first = arriving[u(node)]
            while place > first and not random_number(key, U64(place)) < chance[u(place)]:
                place -= 1
            paths[u(count)] = place
            count += 1
            node = start[u(place)]
        bounds[u(draw + 1)] = count
    return count


@kernel
def choose_kernel(
    limits: Floats, start: Ints, arriving: Longs, keys: Keys, paths: Ints, bounds: Longs
) -> Int:
    """Choose an edge into each node from the last one back; see `choose_paths`."""
    count = ZERO
    for draw in range(keys.size):
        key = keys[u(draw)]
        number = ZERO
        node = arriving.size - 2
        while node > 0:
            chosen = random_number(key, U64(number))
            place = arriving[u(node)]
            last = arriving[u(node + 1)] - 1
            while place < last and not chosen < limits[u(place)]:
                place += 1
            paths[u(count)] = place
            count += 1
            number += 1
            node = start[u(place)]
        bounds[u(draw + 1)] = count
    return count


@kernel
def hold_kernel(
    start: Ints,
    end: Ints,
    score: Floats,
    best: Floats,
    theta: float,
    accumulate: bool,
    keys: Keys,
    paths: Ints,
    bounds: Longs,
) -> Int:
    """Pass over all edges, then follow those held from the last node; see `hold_paths`."""
    n_nodes = best.size
    held = np.empty(n_nodes)
    accumulated = np.empty(n_nodes)
    holder = np.empty(n_nodes, np.int32)
    count = ZERO
    for draw in range(keys.size):
        key = keys[u(draw)]
        held[:], accumulated[:], holder[:] = -np.inf, -np.inf, -1
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
        at: Int = n_nodes - 1
        while at > 0 and holder[u(at)] >= 0:
            paths[u(count)] = holder[u(at)]
            count += 1
            at = np.int64(start[u(holder[u(at)])])
        bounds[u(draw + 1)] = count
    return count
