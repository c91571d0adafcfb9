"""The n best paths of many lattices, exactly and lazily. Twin: `engine.nbest.best_plain`.

Recursive enumeration (Jiménez & Marzal, WAE 1999) without recursion: the next best path to a node
is the best of one candidate for each edge that arrives there, and only the edge of the path before
it needs a new candidate, from the next best path to where that edge starts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Floats, Int, Ints, Longs, u
from engine.kernels.unigram import U64, random_number

UNKNOWN, NONE = -1, -2
"""What stands for the next path to a node: not looked for yet; there is none."""


MOST_ROOM = 1 << 26
"""Edges of paths that room is made for before any is found."""


class Found(NamedTuple):
    """Paths, best first for each lattice.

    edges: int32, the edges of all paths end to end, in reading order. offsets: int64[paths + 1],
    where each starts there, and the end. scores: float64[paths]. cuts: int64[lattices + 1], the
    first path of each lattice, and their number.
    """

    edges: Ints
    offsets: Longs
    scores: Floats
    cuts: Longs


class Choice(NamedTuple):
    """Which of the n best paths of a lattice is kept: one, with P ∝ exp(theta · score).

    key: the stream of random numbers; number k decides lattice k.
    """

    theta: float
    key: int


def best_paths(
    start: Ints,
    end: Ints,
    score: Floats,
    firsts: Longs,
    lasts: Longs,
    n: int,
    choice: Choice | None = None,
) -> Found:
    """Return the n best paths of each lattice (all, if there are fewer; none without a path).

    With `choice` one of the n is drawn for each lattice, and only that one returned.

    start, end: int32[e]; score: float64[e]; sorted by start, then end. firsts, lasts: int64[k], the
    first and the last node of each lattice, ascending; no edge leads out of one. Scores are added
    from left to right; of equal ones the path comes first whose last edge starts first, then the
    one whose piece comes first, then the same of the edge before it. Raises `ValueError` where an
    index is off.
    """
    start, end = (np.require(a, np.int32, ("C", "W")) for a in (start, end))
    score = np.require(score, np.float64, ("C", "W"))
    firsts, lasts = (np.require(a, np.int64, ("C", "W")) for a in (firsts, lasts))
    if not len(start) == len(end) == len(score) or len(firsts) != len(lasts):
        raise ValueError("start, end and score must have one length, and firsts and lasts too")
    if (firsts > lasts).any() or (lasts[:-1] > firsts[1:]).any() or (start >= end).any():
        raise ValueError("lattices must follow each other, and edges lead forward")
    bounds = np.searchsorted(start, np.append(firsts, lasts[-1:])).astype(np.int64)
    counts = np.diff(bounds)
    if bounds[:1].any() or bounds[-1:].sum() != len(start) or (np.diff(start) < 0).any():
        raise ValueError("edges must be sorted by start, and lie in a lattice")
    if (end > np.repeat(lasts, counts)).any():
        raise ValueError("an edge leads out of its lattice")
    nodes = int((lasts - firsts).max(initial=0)) + 1
    pool = 2 * nodes + 64 * n + min(n, 4096) * min(nodes, 1024)
    kept = n if choice is None else 1
    room = min(kept * len(start) // 2 + 1024, MOST_ROOM)
    paths = kept * len(firsts)
    theta, key = choice or (0.0, 0)
    scores, offsets = np.empty(paths), np.empty(paths + 1, dtype=np.int64)
    cuts = np.empty(len(firsts) + 1, dtype=np.int64)
    widest = int(counts.max(initial=0))
    while True:
        edges = np.empty(room, dtype=np.int32)
        done = enumerate_paths(
            start, end, score, firsts, lasts, bounds, n, nodes, widest, pool, edges, offsets,
            scores, cuts, choice is not None, theta, U64(key),
        )  # fmt: skip
        if done >= 0:
            return Found(edges[: offsets[done]], offsets[: done + 1], scores[:done], cuts)
        pool, room = (4 * pool, room) if done == -1 else (pool, 4 * room)


@kernel
def enumerate_paths(
    start: Ints,
    end: Ints,
    score: Floats,
    firsts: Longs,
    lasts: Longs,
    bounds: Longs,
    n: int,
    nodes: int,
    widest: int,
    pool: int,
    out: Ints,
    offsets: Longs,
    scores: Floats,
    cuts: Longs,
    choose: bool,
    theta: float,
    key: np.uint64,
) -> Int:
    """Fill in the arrays of `Found` and return the number of paths.

    bounds: int64[k + 1], the first edge of each lattice, and their number. nodes, widest: of the
    lattice with the most nodes, and edges. pool: paths to nodes to have room for; −1 is returned
    where it isn't enough, −2 where `out` is too short. choose: only one of the n is written, drawn
    with P ∝ exp(theta · score); number k of stream `key` decides lattice k.
    """
    # Edges by end node: those into node v are by_end[into[v]:into[v + 1]].
    into = np.empty(nodes + 2, np.int32)
    by_end = np.empty(widest + 1, np.int32)
    # Of each edge, by its place in by_end: the path that it may lead on next, and the score then.
    ahead = np.empty(widest + 1, np.int32)
    value = np.empty(widest + 1, np.float64)
    # Paths to nodes: score, place of the last edge, the path before it, the next best of the node.
    total = np.empty(pool, np.float64)
    edge = np.empty(pool, np.int32)
    before = np.empty(pool, np.int32)
    after = np.empty(pool, np.int32)
    best = np.empty(nodes + 1, np.int32)
    waiting = np.empty(nodes + 1, np.int32)
    listed = np.empty(n, np.int32)
    found = ZERO
    written = ZERO
    offsets[u(0)], cuts[u(0)] = 0, 0
    for k in range(firsts.size):
        origin, low, high = firsts[u(k)], bounds[u(k)], bounds[u(k + 1)]
        size = lasts[u(k)] - origin
        for node in range(size + 2):
            into[u(node)] = 0
        for i in range(low, high):
            into[u(end[u(i)] - origin + 1)] += 1
        for node in range(size + 1):
            into[u(node + 1)] += into[u(node)]
        for i in range(low, high):
            node = end[u(i)] - origin
            by_end[u(into[u(node)])] = i
            into[u(node)] += 1
        for node in range(size + 1, 0, -1):
            into[u(node)] = into[u(node - 1)]
        into[u(0)] = 0
        total[u(0)], edge[u(0)], before[u(0)], after[u(0)] = 0.0, -1, -1, NONE
        best[u(0)] = 0
        known = ZERO + 1
        for node in range(1, size + 1):
            highest, held = -np.inf, -1
            for i in range(into[u(node)], into[u(node + 1)]):
                path = best[u(start[u(by_end[u(i)])] - origin)]
                ahead[u(i)] = path
                value[u(i)] = -np.inf
                if path >= 0:
                    value[u(i)] = total[u(path)] + score[u(by_end[u(i)])]
                if value[u(i)] > highest:
                    highest, held = value[u(i)], i
            best[u(node)] = -1
            if held >= 0:
                if known >= pool:
                    return ZERO - 1
                total[u(known)], edge[u(known)] = highest, held
                before[u(known)], after[u(known)] = ahead[u(held)], UNKNOWN
                best[u(node)] = known
                known += 1
        path = best[u(size)]
        many = ZERO
        while path >= 0:
            listed[u(many)] = path
            many += 1
            if many == n or before[u(path)] < 0:
                break
            depth = ZERO
            step = path
            while after[u(step)] == UNKNOWN:
                waiting[u(depth)] = step
                depth += 1
                step = before[u(step)]
            while depth > 0:
                depth -= 1
                step = waiting[u(depth)]
                i = edge[u(step)]
                nearer = after[u(before[u(step)])]
                ahead[u(i)] = nearer
                value[u(i)] = -np.inf
                if nearer >= 0:
                    value[u(i)] = total[u(nearer)] + score[u(by_end[u(i)])]
                node = end[u(by_end[u(i)])] - origin
                highest, held = -np.inf, -1
                for j in range(into[u(node)], into[u(node + 1)]):
                    if value[u(j)] > highest:
                        highest, held = value[u(j)], j
                after[u(step)] = NONE
                if held >= 0:
                    if known >= pool:
                        return ZERO - 1
                    total[u(known)], edge[u(known)] = highest, held
                    before[u(known)], after[u(known)] = ahead[u(held)], UNKNOWN
                    after[u(step)] = known
                    known += 1
            path = after[u(path)]
        first, last = ZERO, many
        if choose and many > 0:
            top = total[u(listed[u(0)])]
            whole = 0.0
            for number in range(many):
                whole += math.exp(theta * (total[u(listed[u(number)])] - top))
            level = random_number(key, U64(k)) * whole
            whole = 1.0
            while first < many - 1 and not level < whole:
                first += 1
                whole += math.exp(theta * (total[u(listed[u(first)])] - top))
            last = first + 1
        for number in range(first, last):
            path = listed[u(number)]
            step = path
            while before[u(step)] >= 0:
                written += 1
                step = before[u(step)]
            if written > out.size:
                return ZERO - 2
            at = written
            step = path
            while before[u(step)] >= 0:
                at -= 1
                out[u(at)] = by_end[u(edge[u(step)])]
                step = before[u(step)]
            scores[u(found)] = total[u(path)]
            found += 1
            offsets[u(found)] = written
        cuts[u(k + 1)] = found
    return found
