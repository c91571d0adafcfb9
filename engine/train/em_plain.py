"""What the kernels of `engine.kernels.suffix` and `engine.kernels.em` do, without compiling.

Numbers are added in the same order, so both give the same vocabulary.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

HIGH = 2.0**500
LOW = 1e-200

Int = int | np.signedinteger[Any]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


def common_prefixes(order: Ints, symbols: Ints, ends: Ints, longest: int, out: Ints) -> None:
    """Write how many symbols each suffix shares with the one before it, at most `longest`."""
    stop = np.minimum(ends, np.arange(len(ends)) + longest).tolist()
    flat = symbols.tolist()
    rows = [flat[a : stop[a]] for a in order.tolist()]
    out[0] = out[-1] = 0
    for i, (one, other) in enumerate(pairwise(rows), start=1):
        pairs = zip(one, other, strict=False)
        out[i] = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def intervals(
    shared: Ints, sizes: Ints, before: Longs, longest: int, left: Ints, right: Ints, length: Ints
) -> int:
    """Write the substrings of two symbols or more that occur at least twice; return their number.

    They are written by where their intervals end, the longest of those first.
    """
    common, often = shared.tolist(), before.tolist()
    opened: list[tuple[int, int]] = []
    found: list[tuple[int, int, int]] = []
    for i, size in enumerate(sizes.tolist()):
        if max(common[i], common[i + 1], 1) < size <= longest:
            found.append((i, i + 1, size))
        start = i
        while opened and opened[-1][0] > common[i + 1]:
            depth, start = opened.pop()
            found.append((start, i + 1, depth))
        if common[i + 1] > (opened[-1][0] if opened else 0):
            opened.append((common[i + 1], start))
    kept = [(a, b, size) for a, b, size in found if size >= 2 and often[b] - often[a] >= 2]
    if len(left):
        for k, (a, b, size) in enumerate(kept):
            left[k], right[k], length[k] = a, b, size
    return len(kept)


def attach(
    order: Ints, left: Ints, right: Ints, parent: Ints, deepest: Ints,
    longest: int,  # noqa: ARG001
) -> None:  # fmt: skip
    """Write the longest substring before each, and the longest that begins at each symbol."""
    nearest = [-1] * len(order)
    for k, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        parent[k] = nearest[a]
        nearest[a:b] = [k] * (b - a)
    deepest[order] = nearest


def _edges(deepest: Ints, parent: Ints) -> tuple[list[int], list[list[int]]]:
    """Return the deepest pieces, and for each piece itself and its beginnings, longest first."""
    chains: list[list[int]] = []
    for piece, before in enumerate(parent.tolist()):
        chains.append([piece, *(chains[before] if before >= 0 else ())])
    return deepest.tolist(), chains


def expect(
    offsets: Longs, counts: Longs, deepest: Ints, parent: Ints, length: Ints, weight: Floats,
    longest: int, first: Int, last: Int, expected: Floats,
) -> float:  # fmt: skip
    """Add how often each piece is expected in the stretches; return their log-likelihood."""
    starting, chains = _edges(deepest, parent)
    sizes, weights, sums = length.tolist(), weight.tolist(), expected.tolist()
    bounds, times = offsets.tolist(), counts.tolist()
    likelihood = 0.0
    for k in range(int(first), int(last)):
        begin, end = bounds[k], bounds[k + 1]
        n = end - begin
        ahead, coming = [0.0] * n + [1.0], [0.0] * (n + 1)
        shares: list[list[float]] = [[]] * n
        total, scaled = [0.0] * n, 0.0
        for s in range(n - 1, -1, -1):
            chain = chains[starting[begin + s]]
            shares[s] = [weights[piece] * ahead[s + sizes[piece]] for piece in chain]
            share = 0.0
            for value in shares[s]:
                share += value
            total[s] = share
            if share < LOW:
                for i in range(s + 1, min(n, s + longest) + 1):
                    ahead[i] *= HIGH
                share *= HIGH
                scaled += math.log(HIGH)
            ahead[s] = share
        likelihood += times[k] * (math.log(ahead[0]) - scaled)
        coming[0] = float(times[k])
        for s in range(n):
            here = coming[s] / total[s]
            for piece, value in zip(chains[starting[begin + s]], shares[s], strict=True):
                sums[piece] += here * value
                coming[s + sizes[piece]] += here * value
    expected[:] = sums
    return likelihood


def count_best(
    offsets: Longs, counts: Longs, deepest: Ints, parent: Ints, length: Ints, score: Floats,
    first: Int, last: Int, used: Longs,
) -> None:  # fmt: skip
    """Add how often each piece stands in the best cuts of the stretches."""
    starting, chains = _edges(deepest, parent)
    sizes, scores, bounds, times = (a.tolist() for a in (length, score, offsets, counts))
    for k in range(int(first), int(last)):
        begin = bounds[k]
        lists = [chains[starting[i]] for i in range(begin, bounds[k + 1])]
        for piece in _best(lists, sizes, scores)[0]:
            used[piece] += times[k]


def alternatives(
    deepest: Ints, parent: Ints, length: Ints, example: Longs, score: Floats,
    longest: int,  # noqa: ARG001
    starts: Longs, parts: Ints, keep: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Write the best cut of each piece into other pieces, 0 in `keep` where that is better."""
    starting, chains = _edges(deepest, parent)
    sizes, scores = length.tolist(), score.tolist()
    found: list[int] = []
    starts[0] = 0
    for piece, (size, begin) in enumerate(zip(sizes, example.tolist(), strict=True)):
        keep[piece] = 1
        if size > 1:
            lists = [
                [p for p in chains[starting[begin + s]] if s + sizes[p] <= size and p != piece]
                for s in range(size)
            ]
            path, value = _best(lists, sizes, scores)
            keep[piece] = 0 if value > scores[piece] else 1
            found += path
        starts[piece + 1] = len(found)
    parts[: len(found)] = found


def _best(lists: list[list[int]], sizes: list[int], scores: list[float]) -> tuple[list[int], float]:
    """Return the best path over the pieces that begin at each symbol, and its score."""
    n = len(lists)
    ahead, choice = [0.0] * (n + 1), [0] * n
    for s in range(n - 1, -1, -1):
        # Of equal values the first is the longest piece's.
        choice[s] = max(lists[s], key=lambda piece: scores[piece] + ahead[s + sizes[piece]])
        ahead[s] = scores[choice[s]] + ahead[s + sizes[choice[s]]]
    path, s = [], 0
    while s < n:
        path.append(choice[s])
        s += sizes[choice[s]]
    return path, ahead[0]
