"""Viterbi and perfect sampling for Unigram models, straight from bytes to tokens.

Each pre-token is read into symbols, passed over from left to right along the trie, and traced
back; no lattice is stored. Twins: `Unigram.segment_plain`, `engine.reservoir`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.ahead import AHEAD, look_ahead
from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Ints, Longs, child_of, read_symbols, u

Coins = NDArray[np.uint64]
Scores = NDArray[Any]
"""float32 or float64."""

U64 = np.uint64
GOLDEN = U64(0x9E3779B97F4A7C15)
FIRST_FACTOR = U64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = U64(0x94D049BB133111EB)
INVERSE_2_53 = 1.0 / 9007199254740992.0

LOW, HIGH = 2.0**-300, 2.0**300
"""A sum is scaled back between these before it is multiplied."""

LEAST, MOST = 2.0**-1000, 2.0**1000
"""What sums may shrink or grow to on the way. No float in between loses digits."""

STEEPEST = 485.0
"""Logarithms of weights up to this, either way: times LOW or HIGH they stay in bounds."""


@kernel
def random_number(key: np.uint64, index: np.uint64) -> float:
    """Return number `index` of stream `key`, uniform in [0, 1): `engine.rng.uniform`."""
    value = key + (index + U64(1)) * GOLDEN
    value = (value ^ (value >> U64(30))) * FIRST_FACTOR
    value = (value ^ (value >> U64(27))) * SECOND_FACTOR
    value ^= value >> U64(31)
    return np.float64(value >> U64(11)) * INVERSE_2_53


@kernel
def spell_path(
    data: Bytes,
    offset: int,
    n: int,
    places: Ints,
    holder: Ints,
    held: Ints,
    path: Ints,
    unknown: int,
    fuse: bool,
    byte_pieces: Ints,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
    count: Int,
) -> Int:
    """Trace a path back over n symbols, append its tokens and return their new number.

    holder, held: int32, for each node the symbol where the edge to it starts, and its piece (less
    than 0 for an unknown edge). path: int32 scratch. byte_pieces: int32[256], or empty for none.
    """
    top = 0
    node = n
    while node > 0:
        path[u(top)] = node
        top += 1
        node = holder[u(node)]
    first = 0
    fused = False
    while top > 0:
        top -= 1
        node = path[u(top)]
        piece = held[u(node)]
        start, end = offset + places[u(first)], offset + places[u(node)]
        first = node
        if piece >= 0:
            out_ids[u(count)] = piece
            out_starts[u(count)] = start
            out_ends[u(count)] = end
            count += 1
            fused = False
        elif byte_pieces.size > 0:
            for at in range(start, end):
                out_ids[u(count)] = byte_pieces[u(data[u(at)])]
                out_starts[u(count)] = at
                out_ends[u(count)] = at + 1
                count += 1
        elif unknown >= 0:
            if fused:
                out_ends[u(count - 1)] = end
            else:
                out_ids[u(count)] = unknown
                out_starts[u(count)] = start
                out_ends[u(count)] = end
                count += 1
            fused = fuse
    return count


@kernel
def viterbi(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    weights: Scores,
    width: int,
    shift: int,
    after: int,
    below: Ints,
    alone: Ints,
    unknown: int,
    fuse: bool,
    byte_pieces: Ints,
    longest: int,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of the best path of each pre-token and return their number.

    units … alone: the trie with scores as weights, −inf where no piece ends, see
    `engine.kernels.trie.Walk`. Sums have the type of the weights. longest: bytes of the longest
    pre-token. out_ids, out_starts, out_ends: room for one token a byte. Returns −2 − k where no
    path leads through pre-token k: there may be no unknown edges.

    The best sums so far of the next `AHEAD` nodes, and the edges that hold them, are kept apart
    from those of nodes further on, to which few edges lead: they are compared without a branch.
    """
    symbols = np.empty(longest + AHEAD, np.int32)
    places = np.empty(longest + 1, np.int32)
    ahead = np.empty(AHEAD * longest, np.int32)
    total = np.empty(longest + AHEAD + 1, weights.dtype)
    # The start of an edge, and in the lower half its unit.
    edge = np.empty(longest + AHEAD + 1, np.int64)
    holder = np.empty(longest + 1, np.int32)
    held = np.empty(longest + 1, np.int32)
    path = np.empty(longest + 1, np.int32)
    nothing = below[u(below.size - 1)]
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        look_ahead(symbols, n, units, width, below, alone, ahead)
        for node in range(n + AHEAD + 1):
            total[u(node)] = -np.inf
            edge[u(node)] = 0
        total[u(0)] = 0.0
        before, best_1, best_2, best_3 = total[u(0)], total[u(1)], total[u(2)], total[u(3)]
        edge_1, edge_2, edge_3 = edge[u(1)], edge[u(2)], edge[u(3)]
        for start in range(n):
            own = np.int64(start) << 32
            slot = AHEAD * start
            best_4, edge_4 = total[u(start + 4)], edge[u(start + 4)]
            unit = np.int64(ahead[u(slot)])
            value = before + weights[u((unit >> shift) + after)]
            if value > best_1:
                best_1, edge_1 = value, own | unit
            unit = np.int64(ahead[u(slot + 1)])
            value = before + weights[u((unit >> shift) + after)]
            if value > best_2:
                best_2, edge_2 = value, own | unit
            unit = np.int64(ahead[u(slot + 2)])
            value = before + weights[u((unit >> shift) + after)]
            if value > best_3:
                best_3, edge_3 = value, own | unit
            unit = np.int64(ahead[u(slot + 3)])
            value = before + weights[u((unit >> shift) + after)]
            if value > best_4:
                best_4, edge_4 = value, own | unit
            if unit != nothing:
                onward: Int = start + AHEAD
                while True:
                    child = np.int64(units[u(unit)]) + symbols[u(onward)]
                    if units[u(child + 1)] != unit:
                        break
                    unit = child
                    onward += 1
                    value = before + weights[u((child >> shift) + after)]
                    if value > total[u(onward)]:
                        total[u(onward)] = value
                        edge[u(onward)] = own | child
            holder[u(start + 1)] = edge_1 >> 32
            held[u(start + 1)] = units[u((edge_1 & 0xFFFFFFFF) + 2)]
            before, best_1, best_2, best_3 = best_1, best_2, best_3, best_4
            edge_1, edge_2, edge_3 = edge_2, edge_3, edge_4
        if before == -np.inf:
            return ZERO - 2 - k
        count = spell_path(
            data,
            offset,
            n,
            places,
            holder,
            held,
            path,
            unknown,
            fuse,
            byte_pieces,
            out_ids,
            out_starts,
            out_ends,
            count,
        )
    return count


@kernel
def arrivals(
    symbols: Ints,
    n: Int,
    units: Ints,
    ids: Ints,
    lone: Ints,
    strays: bool,
    reach: int,
    number: np.uint64,
    to: Ints,
    unit_of: Ints,
    coin: Coins,
) -> bool:
    """List the edges of a pre-token by start, then end; return whether there was room for them.

    to, unit_of: int32, the node where each edge ends, and its unit in the trie, -1 for an unknown
    edge (only if `strays`); an entry with `to` 0 closes the edges of one start. coin:
    uint64[n + 2], gets the number of the first coin of each node, and of the first after all:
    edges are numbered by end node from `number` on. reach: symbols of the longest piece.
    """
    for node in range(n + 2):
        coin[u(node)] = 0
    count = 0
    for start in range(n):
        if count + reach + 2 > to.size:
            return False
        if strays and lone[u(symbols[u(start)])] < 0:
            to[u(count)], unit_of[u(count)] = start + 1, -1
            coin[u(start + 2)] += U64(1)
            count += 1
        node = start
        unit: Int = 0
        while node < n:
            child = child_of(unit, symbols[u(node)], units)
            if child < 0:
                break
            unit = child
            node += 1
            if ids[u(child)] >= 0:
                to[u(count)], unit_of[u(count)] = node, child
                coin[u(node + 1)] += U64(1)
                count += 1
        to[u(count)] = 0
        count += 1
    coin[u(0)] = number
    for node in range(n + 1):
        coin[u(node + 1)] += coin[u(node)]
    return True


@kernel
def weights_of(logs: Floats) -> Floats:
    """Return exp(logs) as `reservoir` wants it: NaN where it can't be multiplied in safety.

    By C's `exp`, as Python's `math`: numpy's last digit depends on what the processor can do.
    """
    weights = np.empty(logs.size, np.float64)
    for i in range(logs.size):
        log = logs[u(i)]
        if abs(log) <= STEEPEST:
            weights[u(i)] = math.exp(log)
        else:
            weights[u(i)] = 0.0 if log == -np.inf else np.nan
    return weights


@kernel
def rescale(total: Floats, first: Int, last: Int) -> float:
    """Scale the sums first … last so that the largest is about 1, the others with it.

    Returns the factor; 0 where not all digits are kept or the first sum isn't fit to be multiplied.
    """
    largest = 0.0
    for node in range(first, last + 1):
        largest = max(largest, total[u(node)])
    if not 0.0 < largest < np.inf:
        return 0.0
    # A power of two changes no digit.
    factor = 2.0 ** -math.floor(math.log2(largest))
    for node in range(first, last + 1):
        scaled = total[u(node)] * factor
        if not (LEAST <= scaled <= MOST or total[u(node)] == 0.0):
            return 0.0
        total[u(node)] = scaled
    return factor if LOW <= total[u(first)] <= HIGH else 0.0


@kernel
def reservoir(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    ids: Ints,
    lone: Ints,
    weights: Floats,
    logs: Floats,
    unknown_log: float,
    unknown_weight: float,
    reach: int,
    key: np.uint64,
    unknown: int,
    fuse: bool,
    byte_pieces: Ints,
    longest: int,
    room: int,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Draw one path of each pre-token from the exact law, write its tokens, return their number.

    The sum at each node grows by each arriving edge's weight, and the newcomer replaces what the
    node holds with probability (its weight) / (the sum): BytePiece's perfect sampling. Sums are
    kept as plain numbers, scaled by powers of two as they leave the range; where one pre-token's
    sums spread too far for that, it is done again in logarithms.

    logs, weights: float64[units], θ·score and what `weights_of` makes of it. unknown_log,
    unknown_weight: the same of an unknown edge. reach: symbols of the longest piece. Edge number
    i over all pre-tokens, by end node and then start, is decided by number i of stream `key`; a
    node's first edge needs no coin. room: edges and symbols of a pre-token to have room for; -1
    is returned where it isn't enough, and −2 − k where no path leads through pre-token k.
    """
    strays = unknown >= 0 or byte_pieces.size > 0
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    total = np.empty(longest + 1, np.float64)
    holder = np.empty(longest + 1, np.int32)
    held = np.empty(longest + 1, np.int32)
    path = np.empty(longest + 1, np.int32)
    coin = np.empty(longest + 2, np.uint64)
    to = np.empty(room, np.int32)
    unit_of = np.empty(room, np.int32)
    number = U64(0)
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        if not arrivals(symbols, n, units, ids, lone, strays, reach, number, to, unit_of, coin):
            return ZERO - 1
        after_all = coin[u(n + 1)]
        for node in range(n + 1):
            total[u(node)] = 0.0
            holder[u(node)] = node - 1
            held[u(node)] = -1
        total[u(0)] = 1.0
        sound = True
        edge = 0
        for start in range(n):
            before = total[u(start)]
            # Sums don't shrink to 0: a node with 0 is one that no path reaches.
            if before != 0.0 and not LOW <= before <= HIGH:
                sound = rescale(total, start, min(n, start + reach)) > 0.0
                before = total[u(start)]
                if not sound:
                    break
            while to[u(edge)] > 0:
                node, unit = to[u(edge)], unit_of[u(edge)]
                edge += 1
                arriving = before * (weights[u(unit)] if unit >= 0 else unknown_weight)
                after = total[u(node)] + arriving
                total[u(node)] = after
                if after == arriving or random_number(key, coin[u(node)]) * after < arriving:
                    holder[u(node)] = start
                    held[u(node)] = ids[u(unit)] if unit >= 0 else -1
                coin[u(node)] += U64(1)
            edge += 1
        if not (sound and 0.0 < total[u(n)] < np.inf):
            arrivals(symbols, n, units, ids, lone, strays, reach, number, to, unit_of, coin)
            reservoir_in_logs(
                n, ids, logs, unknown_log, key, to, unit_of, coin, total, holder, held
            )
            if total[u(n)] == -np.inf:
                return ZERO - 2 - k
        number = after_all
        count = spell_path(
            data,
            offset,
            n,
            places,
            holder,
            held,
            path,
            unknown,
            fuse,
            byte_pieces,
            out_ids,
            out_starts,
            out_ends,
            count,
        )
    return count


@kernel
def reservoir_in_logs(
    n: Int,
    ids: Ints,
    logs: Floats,
    unknown_log: float,
    key: np.uint64,
    to: Ints,
    unit_of: Ints,
    coin: Coins,
    total: Floats,
    holder: Ints,
    held: Ints,
) -> None:
    """Do the pass of one pre-token of `reservoir` in log space; its edges have been listed."""
    for node in range(n + 1):
        total[u(node)] = -np.inf
        holder[u(node)] = node - 1
        held[u(node)] = -1
    total[u(0)] = 0.0
    edge = 0
    for start in range(n):
        before = total[u(start)]
        while to[u(edge)] > 0:
            node, unit = to[u(edge)], unit_of[u(edge)]
            edge += 1
            arriving = before + (logs[u(unit)] if unit >= 0 else unknown_log)
            so_far = total[u(node)]
            if arriving == -np.inf:
                taken = False
            elif so_far == -np.inf:
                total[u(node)] = arriving
                taken = True
            else:
                high, low = max(so_far, arriving), min(so_far, arriving)
                total[u(node)] = high + math.log1p(math.exp(low - high))
                chance = math.exp(arriving - total[u(node)])
                taken = random_number(key, coin[u(node)]) < chance
            if taken:
                holder[u(node)] = start
                held[u(node)] = ids[u(unit)] if unit >= 0 else -1
            coin[u(node)] += U64(1)
        edge += 1
