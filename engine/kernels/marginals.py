"""The probability of every edge of many Unigram lattices, straight from bytes.

Twins: `engine.law` on each lattice, and for what leaves the range of floats
`marginals_in_logs`, which the kernel turns to by itself.

Sums are plain numbers with an exponent beside them: SCALE ** −exponent times the number is meant.
So a pass is multiplications and additions, and logarithms are left to the few pre-tokens whose
weights are too far apart for that.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Ints, Longs, read_symbols, u

SCALE, SMALL, LARGE = 2.0**400, 2.0**-400, 2.0**400
"""A sum below SMALL is multiplied by SCALE, one above LARGE divided by it."""


@kernel
def rescaled(value: float, steps: Int) -> float:
    """Return value · SCALE ** steps."""
    while steps > 0:
        value *= SCALE
        steps -= 1
    while steps < 0:
        value *= SMALL
        steps += 1
    return value


@kernel
def marginals(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    weights: Floats,
    width: int,
    shift: int,
    after: int,
    logs: Floats,
    unknown_weight: float,
    unknown_log: float,
    strays: bool,
    unknown: int,
    reach: int,
    longest: int,
    room: int,
    counts: Floats,
    out_start: Ints,
    out_end: Ints,
    out_piece: Ints,
    out_marginal: Floats,
    log_partition: Floats,
) -> Int:
    """Write the edges of all pre-tokens by start, then end, with their probabilities.

    Also adds the probabilities to `counts`, float64[pieces]: how often each piece is used in the
    mean. With empty out_… that is all.

    units … after: the trie with exp(θ·score) as weights, NaN where that may leave the range, and
    −1 where no piece ends; see `engine.kernels.trie.Walk`. logs: float64[pieces], θ·score.
    strays: whether an unknown character has an edge; its piece is `unknown`. reach: symbols of the
    longest piece. longest: bytes of the longest pre-token. room: edges of a pre-token to have room
    for. out_…: int32 and float64 of one length, or all empty. log_partition: float64[k]. Returns
    the number of edges written, −1 where there is no room for them, and −2 − k where no path leads
    through pre-token k.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    leaving = np.empty(longest + 2, np.int64)
    beta = np.empty(longest + 1, np.float64)
    exponent = np.empty(longest + 1, np.int32)
    chance = np.empty(longest + 1, np.float64)
    to = np.empty(room, np.int32)
    piece = np.empty(room, np.int32)
    stray = np.empty(room, np.uint8)
    weight = np.empty(room, np.float64)
    root = np.int64(units[u(0)])
    written = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        for node in range(n):
            symbols[u(node)] *= width
        count = ZERO
        for start in range(n):
            leaving[u(start)] = count
            if count + reach + 1 >= room:
                return ZERO - 1
            child = root + symbols[u(start)]
            if strays and (units[u(child + 1)] != 0 or units[u(child + 2)] < 0):
                to[u(count)], weight[u(count)], stray[u(count)] = start + 1, unknown_weight, 1
                piece[u(count)] = unknown
                count += 1
            node = start
            unit = ZERO
            base = root
            while node < n:
                child = base + symbols[u(node)]
                if units[u(child + 1)] != unit:
                    break
                unit = child
                base = np.int64(units[u(child)])
                node += 1
                own = weights[u((child >> shift) + after)]
                if own != -1.0:
                    to[u(count)], weight[u(count)], stray[u(count)] = node, own, 0
                    piece[u(count)] = units[u(child + 2)]
                    count += 1
        leaving[u(n)] = count
        power = ZERO
        beta[u(n)] = 1.0
        exponent[u(n)] = 0
        sound = True
        for start in range(n - 1, -1, -1):
            total = 0.0
            for i in range(leaving[u(start)], leaving[u(start + 1)]):
                node = to[u(i)]
                ahead = beta[u(node)]
                if exponent[u(node)] != power and ahead != 0.0:
                    ahead = rescaled(ahead, power - exponent[u(node)])
                total += weight[u(i)] * ahead
            if total < SMALL and total > 0.0:
                total *= SCALE
                power += 1
            elif total > LARGE:
                total *= SMALL
                power -= 1
            if total == 0.0:
                # Right only for a node that leads nowhere: nothing may have been lost on the way.
                for i in range(leaving[u(start)], leaving[u(start + 1)]):
                    sound = sound and (weight[u(i)] == 0.0 or beta[u(to[u(i)])] == 0.0)
            else:
                sound = sound and SMALL <= total <= LARGE
            beta[u(start)] = total
            exponent[u(start)] = power
        if sound and beta[u(0)] > 0.0:
            log_partition[u(k)] = math.log(beta[u(0)]) - exponent[u(0)] * math.log(SCALE)
            for node in range(n + 1):
                chance[u(node)] = 0.0
            chance[u(0)] = 1.0
            for start in range(n):
                share = 0.0
                if chance[u(start)] > 0.0:
                    share = chance[u(start)] / beta[u(start)]
                for i in range(leaving[u(start)], leaving[u(start + 1)]):
                    node = to[u(i)]
                    ahead = beta[u(node)]
                    if exponent[u(node)] != exponent[u(start)] and ahead != 0.0:
                        ahead = rescaled(ahead, exponent[u(start)] - exponent[u(node)])
                    part = weight[u(i)] * ahead * share
                    weight[u(i)] = part
                    chance[u(node)] += part
                    if piece[u(i)] >= 0:
                        counts[u(piece[u(i)])] += part
        else:
            for i in range(count):
                weight[u(i)] = unknown_log if stray[u(i)] else logs[u(piece[u(i)])]
            log_partition[u(k)] = marginals_in_logs(n, leaving, to, weight, beta, chance)
            if log_partition[u(k)] == -np.inf:
                return ZERO - 2 - k
            for i in range(count):
                if piece[u(i)] >= 0:
                    counts[u(piece[u(i)])] += weight[u(i)]
        if out_end.size > 0:
            if written + count > out_end.size:
                return ZERO - 1
            for start in range(n):
                for i in range(leaving[u(start)], leaving[u(start + 1)]):
                    at = written + i
                    out_start[u(at)] = offset + places[u(start)]
                    out_end[u(at)] = offset + places[u(to[u(i)])]
                    out_piece[u(at)] = piece[u(i)]
                    out_marginal[u(at)] = weight[u(i)]
            written += count
    return written


@kernel
def marginals_in_logs(
    n: Int,
    leaving: Longs,
    to: Ints,
    marginal: Floats,
    beta: Floats,
    alpha: Floats,
) -> float:
    """Turn the log-weights of a pre-token's edges into probabilities; return the log-partition.

    leaving: int64[n + 1], the first edge of each symbol, and the end. to: the symbol where each
    ends. marginal: in and out. beta, alpha: scratch.

    Weights are first reduced, see `engine.passes`, but from the end: nothing cancels at any θ.
    """
    alpha[u(n)] = 0.0
    for start in range(n - 1, -1, -1):
        best = -np.inf
        for i in range(leaving[u(start)], leaving[u(start + 1)]):
            marginal[u(i)] += alpha[u(to[u(i)])]
            best = max(best, marginal[u(i)])
        alpha[u(start)] = best
        for i in range(leaving[u(start)], leaving[u(start + 1)]):
            if marginal[u(i)] > -np.inf:
                marginal[u(i)] -= best
    top = alpha[u(0)]
    beta[u(n)] = 0.0
    for start in range(n - 1, -1, -1):
        highest = -np.inf
        for i in range(leaving[u(start)], leaving[u(start + 1)]):
            highest = max(highest, marginal[u(i)] + beta[u(to[u(i)])])
        spread = 0.0
        if highest > -np.inf:
            for i in range(leaving[u(start)], leaving[u(start + 1)]):
                spread += math.exp(marginal[u(i)] + beta[u(to[u(i)])] - highest)
        beta[u(start)] = highest + math.log(spread) if spread > 0.0 else -np.inf
    for node in range(n + 1):
        alpha[u(node)] = 0.0
    alpha[u(0)] = 1.0
    for start in range(n):
        for i in range(leaving[u(start)], leaving[u(start + 1)]):
            node = to[u(i)]
            part = 0.0
            if alpha[u(start)] > 0.0 and beta[u(node)] > -np.inf:
                lead = marginal[u(i)] + beta[u(node)] - beta[u(start)]
                part = alpha[u(start)] * math.exp(lead)
            marginal[u(i)] = part
            alpha[u(node)] += part
    return float(top + beta[u(0)])
