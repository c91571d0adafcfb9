"""The probability of every edge of many Unigram lattices, straight from bytes.

Twins: `engine.law` on each lattice, and for what leaves the range of floats
`marginals_in_logs`, which the kernel turns to by itself.

The sums of paths to a node are made while the trie is walked, and the sums from there on in one
pass back over the edges, which has the probabilities too. Sums are plain numbers, scaled by powers
of two as `engine.kernels.unigram.reservoir` does; the weights of edges that cross such a place are
scaled with them. So logarithms are left to the few pre-tokens whose weights are too far apart.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.ahead import AHEAD, look_ahead
from engine.kernels.jit import kernel
from engine.kernels.trie import STRAY, ZERO, Bytes, Floats, Int, Ints, Longs, read_symbols, u
from engine.kernels.unigram import HIGH, LEAST, LOW, MOST, rescale


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
    below: Ints,
    alone: Ints,
    logs: Floats,
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

    Also adds the probabilities to `counts`, float64[pieces + 1], whose last entry is that of
    unknown edges: how often each piece is used in the mean. With empty out_… that is all.

    units … alone: the trie with exp(θ·score) as weights, NaN where that may leave the range, and
    0 where no piece ends; see `engine.kernels.trie.Walk`. logs: float64[pieces + 1], θ·score, the
    last of an unknown edge. unknown: the piece of unknown edges, as it is written. reach: symbols
    of the longest piece. longest: bytes of the longest pre-token. room: edges of a pre-token to
    have room for. out_…: int32 and float64 of one length, or all empty. log_partition:
    float64[k]. Returns the number of edges written, −1 where there is no room for them, and
    −2 − k where no path leads through pre-token k.
    """
    symbols = np.empty(longest + AHEAD, np.int32)
    places = np.empty(longest + 1, np.int32)
    ahead = np.empty(AHEAD * longest, np.int32)
    alpha = np.empty(longest + AHEAD, np.float64)
    beta = np.empty(longest + 1, np.float64)
    source = np.empty(room, np.int32)
    target = np.empty(room, np.int32)
    piece = np.empty(room, np.int32)
    weight = np.empty(room, np.float64)
    nothing = below[u(below.size - 1)]
    stray = counts.size - 1
    written = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        look_ahead(symbols, n, units, width, below, alone, ahead)
        for node in range(n):
            beta[u(node)] = 0.0
        for node in range(n + AHEAD):
            alpha[u(node)] = 0.0
        alpha[u(0)] = 1.0
        sound = True
        scaled = 0.0
        count = ZERO
        for start in range(n):
            if count + reach + 1 >= room:
                return ZERO - 1
            before = alpha[u(start)]
            # Sums don't shrink to 0: a node with 0 is one that no path reaches.
            if sound and before != 0.0 and not LOW <= before <= HIGH:
                factor = rescale(alpha, start, min(n, start + reach))
                sound = factor > 0.0 and scale_crossing(
                    source, target, weight, count, start, reach, factor
                )
                if sound:
                    scaled += math.log(factor)
                before = alpha[u(start)]
            first = count
            # Where no piece ends, the weight is 0 and the next edge overwrites this one.
            unit = nothing
            for step in range(AHEAD):
                unit = ahead[u(AHEAD * start + step)]
                own = weights[u((unit >> shift) + after)]
                found = units[u(unit + 2)]
                alpha[u(start + step + 1)] += before * own
                source[u(count)] = start
                target[u(count)] = start + step + 1
                piece[u(count)] = stray if found == STRAY else found
                weight[u(count)] = own
                count += np.int64(found != -1)
            if unit != nothing:
                onward: Int = start + AHEAD
                while True:
                    child = units[u(unit)] + symbols[u(onward)]
                    if units[u(child + 1)] != unit:
                        break
                    unit = child
                    onward += 1
                    own = weights[u((child >> shift) + after)]
                    found = units[u(child + 2)]
                    alpha[u(onward)] += before * own
                    source[u(count)] = start
                    target[u(count)] = onward
                    piece[u(count)] = found
                    weight[u(count)] = own
                    count += np.int64(found >= 0)
            if before == 0.0:
                for i in range(first, count):
                    weight[u(i)] = 0.0
        total = alpha[u(n)]
        if sound and 0.0 < total < np.inf:
            log_partition[u(k)] = math.log(total) - scaled
            beta[u(n)] = 1.0 / total
            for i in range(count - 1, -1, -1):
                start = source[u(i)]
                onward = weight[u(i)] * beta[u(target[u(i)])]
                beta[u(start)] += onward
                part = alpha[u(start)] * onward
                weight[u(i)] = part
                counts[u(piece[u(i)])] += part
        else:
            for i in range(count):
                weight[u(i)] = logs[u(piece[u(i)])]
            log_partition[u(k)] = marginals_in_logs(n, count, source, target, weight, alpha, beta)
            if log_partition[u(k)] == -np.inf:
                return ZERO - 2 - k
            for i in range(count):
                counts[u(piece[u(i)])] += weight[u(i)]
        if out_end.size > 0:
            if written + count > out_end.size:
                return ZERO - 1
            for i in range(count):
                found = piece[u(i)]
                out_start[u(written)] = offset + places[u(source[u(i)])]
                out_end[u(written)] = offset + places[u(target[u(i)])]
                out_piece[u(written)] = unknown if found == stray else found
                out_marginal[u(written)] = weight[u(i)]
                written += 1
    return written


@kernel
def scale_crossing(
    source: Ints,
    target: Ints,
    weight: Floats,
    count: Int,
    node: Int,
    reach: Int,
    factor: float,
) -> bool:
    """Scale the weights of edges that start before a node and don't end before it.

    The `count` edges stand by start. Returns whether all digits are kept.
    """
    i = count - 1
    while i >= 0 and source[u(i)] + reach >= node:
        if target[u(i)] >= node:
            value = weight[u(i)] * factor
            if not (LEAST <= value <= MOST or weight[u(i)] == 0.0):
                return False
            weight[u(i)] = value
        i -= 1
    return True


@kernel
def marginals_in_logs(
    n: Int,
    count: Int,
    source: Ints,
    target: Ints,
    marginal: Floats,
    alpha: Floats,
    beta: Floats,
) -> float:
    """Turn the log-weights of a pre-token's edges into probabilities; return the log-partition.

    source, target: the symbols where each of the `count` edges starts and ends. marginal: in and
    out. alpha, beta: scratch.

    Weights are first reduced, see `engine.passes`, but from the end: nothing cancels at any θ.
    """
    for node in range(n):
        alpha[u(node)] = -np.inf
        beta[u(node)] = -np.inf
    alpha[u(n)] = 0.0
    beta[u(n)] = 0.0
    for i in range(count - 1, -1, -1):
        value = marginal[u(i)] + alpha[u(target[u(i)])]
        marginal[u(i)] = value
        if value > alpha[u(source[u(i)])]:
            alpha[u(source[u(i)])] = value
    end = count
    while end > 0:
        start = source[u(end - 1)]
        best = alpha[u(start)]
        highest = -np.inf
        first = end
        while first > 0 and source[u(first - 1)] == start:
            first -= 1
            if marginal[u(first)] > -np.inf:
                marginal[u(first)] -= best
            highest = max(highest, marginal[u(first)] + beta[u(target[u(first)])])
        if highest > -np.inf:
            spread = 0.0
            for i in range(first, end):
                spread += math.exp(marginal[u(i)] + beta[u(target[u(i)])] - highest)
            beta[u(start)] = highest + math.log(spread)
        end = first
    top = alpha[u(0)] + beta[u(0)]
    for node in range(n + 1):
        alpha[u(node)] = 0.0
    alpha[u(0)] = 1.0
    for i in range(count):
        start = source[u(i)]
        ahead = beta[u(target[u(i)])]
        part = 0.0
        if alpha[u(start)] > 0.0 and ahead > -np.inf:
            part = alpha[u(start)] * math.exp(marginal[u(i)] + ahead - beta[u(start)])
        marginal[u(i)] = part
        alpha[u(target[u(i)])] += part
    return float(top)
