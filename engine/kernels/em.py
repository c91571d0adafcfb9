"""The loops of EM for a Unigram vocabulary: expected counts, best cuts, cuts of pieces.

Kudo, "Subword Regularization" (ACL 2018), section 3.2. The pieces that begin at a symbol are the
longest of them and its own beginnings, so one number for each symbol and one for each piece say
all edges of all lattices. Twins: `engine.train.em_plain`.

Shared arguments: offsets: int64[k + 1], where stretches begin. counts: int64[k], how often each
occurs. deepest: int32[n], the longest piece that begins at each symbol. parent: int32[v], the
longest piece that a piece begins with, −1 for none. length: int32[v], symbols of each. Every symbol
is a piece too, so a path always leads through.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Ints, Longs, u

LOW = 1e-200
HIGH = 2.0**500
LOG_HIGH = 500.0 * math.log(2.0)


@kernel
def expect(
    offsets: Longs,
    counts: Longs,
    deepest: Ints,
    parent: Ints,
    length: Ints,
    weight: Floats,
    longest: int,
    first: Int,
    last: Int,
    expected: Floats,
) -> float:
    """Add how often each piece is expected in the stretches from `first` to `last`.

    weight: float64[v], probabilities. longest: symbols of the longest piece. expected: float64[v].
    Returns the log-likelihood of the stretches, nats.
    The probability of an edge, given that a path comes by its start, is its share of the sum there,
    so sums may be scaled as it suits.
    """
    most = ZERO
    for k in range(first, last):
        most = max(most, offsets[u(k + 1)] - offsets[u(k)])
    ahead = np.empty(most + 1, np.float64)
    total = np.empty(most + 1, np.float64)
    coming = np.empty(most + 1, np.float64)
    stop = np.empty(most + 1, np.int64)
    part = np.empty(most * longest, np.float64)
    piece = np.empty(most * longest, np.int32)
    likelihood = 0.0
    for k in range(first, last):
        begin = ZERO + offsets[u(k)]
        n = offsets[u(k + 1)] - begin
        ahead[u(n)] = 1.0
        stop[u(n)] = 0
        edge = ZERO
        scaled = 0.0
        for s in range(n - 1, -1, -1):
            found = ZERO + deepest[u(begin + s)]
            share = 0.0
            while found >= 0:
                value = weight[u(found)] * ahead[u(s + length[u(found)])]
                part[u(edge)] = value
                piece[u(edge)] = found
                edge += 1
                share += value
                found = ZERO + parent[u(found)]
            stop[u(s)] = edge
            total[u(s)] = share
            if share < LOW:
                for i in range(s + 1, min(n, s + longest) + 1):
                    ahead[u(i)] *= HIGH
                share *= HIGH
                scaled += LOG_HIGH
            ahead[u(s)] = share
            coming[u(s + 1)] = 0.0
        often = float(counts[u(k)])
        likelihood += often * (math.log(ahead[u(0)]) - scaled)
        coming[u(0)] = often
        for s in range(n):
            here = coming[u(s)] / total[u(s)]
            for i in range(stop[u(s + 1)], stop[u(s)]):
                value = here * part[u(i)]
                expected[u(piece[u(i)])] += value
                coming[u(s + length[u(piece[u(i)])])] += value
    return likelihood


@kernel
def count_best(
    offsets: Longs,
    counts: Longs,
    deepest: Ints,
    parent: Ints,
    length: Ints,
    score: Floats,
    first: Int,
    last: Int,
    used: Longs,
) -> None:
    """Add how often each piece stands in the best cuts of the stretches from `first` to `last`.

    score: float64[v], log-probabilities. used: int64[v]. Of equally good pieces at a symbol the
    longest is taken.
    """
    most = ZERO
    for k in range(first, last):
        most = max(most, offsets[u(k + 1)] - offsets[u(k)])
    ahead = np.empty(most + 1, np.float64)
    choice = np.empty(most + 1, np.int32)
    for k in range(first, last):
        begin = ZERO + offsets[u(k)]
        n = offsets[u(k + 1)] - begin
        ahead[u(n)] = 0.0
        for s in range(n - 1, -1, -1):
            found = ZERO + deepest[u(begin + s)]
            best = -np.inf
            taken = found
            while found >= 0:
                value = score[u(found)] + ahead[u(s + length[u(found)])]
                if value > best:
                    best = value
                    taken = found
                found = ZERO + parent[u(found)]
            ahead[u(s)] = best
            choice[u(s)] = taken
        at = ZERO
        while at < n:
            taken = ZERO + choice[u(at)]
            used[u(taken)] += counts[u(k)]
            at += length[u(taken)]


@kernel
def alternatives(
    deepest: Ints,
    parent: Ints,
    length: Ints,
    example: Longs,
    score: Floats,
    longest: int,
    starts: Longs,
    parts: Ints,
    keep: Bytes,
) -> None:
    """Write the best cut of each piece into other pieces.

    example: int64[v], a place where each piece stands. starts: int64[v + 1], where the parts of
    each begin in `parts`, int32 with room for the symbols of all pieces; a single symbol has none.
    keep: uint8[v], 0 where those parts are more probable than the piece.
    """
    ahead = np.empty(longest + 1, np.float64)
    choice = np.empty(longest + 1, np.int32)
    write = ZERO
    starts[u(0)] = 0
    for v in range(length.size):
        n = ZERO + length[u(v)]
        begin = ZERO + example[u(v)]
        keep[u(v)] = 1
        if n > 1:
            ahead[u(n)] = 0.0
            for s in range(n - 1, -1, -1):
                found = ZERO + deepest[u(begin + s)]
                best = -np.inf
                taken = found
                while found >= 0:
                    end = s + length[u(found)]
                    if end <= n and found != v:
                        value = score[u(found)] + ahead[u(end)]
                        if value > best:
                            best = value
                            taken = found
                    found = ZERO + parent[u(found)]
                ahead[u(s)] = best
                choice[u(s)] = taken
            if ahead[u(0)] > score[u(v)]:
                keep[u(v)] = 0
            at = ZERO
            while at < n:
                parts[u(write)] = choice[u(at)]
                write += 1
                at += length[u(choice[u(at)])]
        starts[u(v + 1)] = write
