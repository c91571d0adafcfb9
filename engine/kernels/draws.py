"""Drawing a path of a lattice backwards. Twin: the matrix of coins in `engine.sample`."""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Floats, Int, Ints, Longs, u
from engine.kernels.unigram import U64, random_number


def draw_path(chance: Floats, start: Ints, arriving: Longs, key: int, path: Ints) -> int:
    """Write a path's edges into `path`, last edge first, and return their number.

    Edges are named by their place in by_end order. chance: float64[e]. start: int32[e]. arriving:
    int64[n_nodes + 1], the first edge into each node, and e. key: the stream of random numbers;
    number i decides edge i. path: int32 with room for n_nodes − 1 edges.
    """
    n_nodes = len(arriving) - 1
    if not len(chance) == len(start) == int(arriving[-1]) or len(path) < n_nodes - 1:
        raise ValueError("the arrays don't fit together")
    return int(draw_kernel(chance, start, arriving, U64(key), path))


@kernel
def draw_kernel(chance: Floats, start: Ints, arriving: Longs, key: np.uint64, path: Ints) -> Int:
    """Follow the edges held from the last node; see `draw_path`.

    The edge held is the last whose coin was won, so coins are looked at from the last one back
    and only at nodes on the path.
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
