"""Viterbi and perfect sampling for Unigram models, straight from bytes to tokens.

Each pre-token is read into symbols, passed over from left to right along the trie, and traced
back; no lattice is stored. Twins: `Unigram.segment_plain` and `engine.sample`.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Ints, Longs, read_symbols, u

U64 = np.uint64
GOLDEN = U64(0x9E3779B97F4A7C15)
FIRST_FACTOR = U64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = U64(0x94D049BB133111EB)
INVERSE_2_53 = 1.0 / 9007199254740992.0

LOW, HIGH = 2.0**-600, 2.0**600
"""Sums outside this range are scaled back into it."""

FAINT = 2.0**-900
"""A sum below this, seen beside others of its stretch, may have lost what underflowed."""


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

    holder, held: int32, for each node the symbol where the edge to it starts, and its piece (-1
    for an unknown edge). path: int32 scratch. byte_pieces: int32[256], or empty for none.
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
    weights: Floats,
    ids: Ints,
    lone: Ints,
    unknown_score: float,
    single: bool,
    unknown: int,
    fuse: bool,
    byte_pieces: Ints,
    longest: int,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of the best path of each pre-token and return their number.

    units, weights: the trie with scores as weights, −inf where no piece ends. longest: bytes of
    the longest pre-token. out_ids, out_starts, out_ends: room for one token a byte.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    total = np.empty(longest + 1, np.float64)
    holder = np.empty(longest + 1, np.int32)
    held = np.empty(longest + 1, np.int32)
    path = np.empty(longest + 1, np.int32)
    root = units[u(0)]
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        for node in range(n + 1):
            total[u(node)] = -np.inf
            holder[u(node)] = node - 1
            held[u(node)] = -1
        total[u(0)] = 0.0
        for start in range(n):
            before = total[u(start)]
            node = start
            unit = 0
            base = root
            while node < n:
                child = base + symbols[u(node)]
                if units[u((child << 2) + 1)] != unit:
                    break
                unit = child
                base = units[u(child << 2)]
                node += 1
                value = before + weights[u((child << 1) + 1)]
                if single:
                    value = np.float64(np.float32(value))
                if value > total[u(node)]:
                    total[u(node)] = value
                    holder[u(node)] = start
                    held[u(node)] = ids[u(child)]
            if lone[u(symbols[u(start)])] < 0:
                value = before + unknown_score
                if single:
                    value = np.float64(np.float32(value))
                if value > total[u(start + 1)]:
                    total[u(start + 1)] = value
                    holder[u(start + 1)] = start
                    held[u(start + 1)] = -1
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
def reservoir(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    weights: Floats,
    logs: Floats,
    ids: Ints,
    lone: Ints,
    unknown_log: float,
    reach: int,
    key: np.uint64,
    unknown: int,
    fuse: bool,
    byte_pieces: Ints,
    longest: int,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Draw one path of each pre-token from the exact law, write its tokens, return their number.

    The sum at each node grows by each arriving edge's weight, and the newcomer replaces what the
    node holds with probability (its weight) / (the sum): BytePiece's perfect sampling. Sums are
    kept as plain numbers, scaled by powers of two as they leave the range; where one pre-token's
    sums spread too far for that, it is done again in logarithms.

    units, weights: the trie with exp(θ·score) as weights, −1 where no piece ends. logs:
    float64[units], θ·score. unknown_log: the same of an unknown edge. reach: symbols of the
    longest piece. Edges are numbered by start, then end, over all pre-tokens; edge i is decided
    by number i of stream `key`, and not at all where it is the first at its node.
    """
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    total = np.empty(longest + 1, np.float64)
    holder = np.empty(longest + 1, np.int32)
    held = np.empty(longest + 1, np.int32)
    path = np.empty(longest + 1, np.int32)
    root = units[u(0)]
    unknown_weight = math.exp(unknown_log)
    edge = U64(0)
    count = ZERO
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        first_edge = edge
        for node in range(n + 1):
            total[u(node)] = 0.0
            holder[u(node)] = node - 1
            held[u(node)] = -1
        total[u(0)] = 1.0
        sound = True
        for start in range(n):
            before = total[u(start)]
            if before < LOW or before > HIGH:
                last = min(n, start + reach)
                largest = before
                for node in range(start + 1, last + 1):
                    largest = max(largest, total[u(node)])
                # A power of two, so that scaling changes no digit.
                factor = 2.0 ** -math.floor(math.log2(largest)) if largest > 0.0 else 1.0
                for node in range(start, last + 1):
                    total[u(node)] *= factor
                before = total[u(start)]
                if not before >= FAINT or not before < np.inf:
                    sound = False
                    break
            if lone[u(symbols[u(start)])] < 0:
                arriving = before * unknown_weight
                after = total[u(start + 1)] + arriving
                total[u(start + 1)] = after
                if after == arriving or random_number(key, edge) * after < arriving:
                    holder[u(start + 1)] = start
                    held[u(start + 1)] = -1
                edge += U64(1)
            node = start
            unit = 0
            base = root
            while node < n:
                child = base + symbols[u(node)]
                if units[u((child << 2) + 1)] != unit:
                    break
                unit = child
                base = units[u(child << 2)]
                node += 1
                weight = weights[u((child << 1) + 1)]
                if weight < 0.0:
                    continue
                arriving = before * weight
                after = total[u(node)] + arriving
                total[u(node)] = after
                if after == arriving or random_number(key, edge) * after < arriving:
                    holder[u(node)] = start
                    held[u(node)] = ids[u(child)]
                edge += U64(1)
        if sound and n > 0:
            sound = total[u(n)] >= FAINT and total[u(n)] < np.inf
        if not sound:
            edge = reservoir_in_logs(
                symbols,
                n,
                units,
                logs,
                ids,
                lone,
                unknown_log,
                key,
                first_edge,
                total,
                holder,
                held,
            )
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
    symbols: Ints,
    n: int,
    units: Ints,
    logs: Floats,
    ids: Ints,
    lone: Ints,
    unknown_log: float,
    key: np.uint64,
    edge: np.uint64,
    total: Floats,
    holder: Ints,
    held: Ints,
) -> np.uint64:
    """Do one pre-token of `reservoir` in log space; return the number of the next edge."""
    for node in range(n + 1):
        total[u(node)] = -np.inf
        holder[u(node)] = node - 1
        held[u(node)] = -1
    total[u(0)] = 0.0
    for start in range(n):
        before = total[u(start)]
        node = start
        unit = 0
        base = units[u(0)]
        fresh = lone[u(symbols[u(start)])] < 0
        while fresh or node < n:
            if fresh:
                fresh = False
                to, piece, arriving = start + 1, -1, before + unknown_log
            else:
                child = base + symbols[u(node)]
                if units[u((child << 2) + 1)] != unit:
                    break
                unit = child
                base = units[u(child << 2)]
                node += 1
                if ids[u(child)] < 0:
                    continue
                to, piece, arriving = node, ids[u(child)], before + logs[u(child)]
            sum_before = total[u(to)]
            if sum_before == -np.inf:
                total[u(to)] = arriving
                taken = arriving > -np.inf
            else:
                high, low = max(sum_before, arriving), min(sum_before, arriving)
                total[u(to)] = high + math.log1p(math.exp(low - high))
                taken = random_number(key, edge) < math.exp(arriving - total[u(to)])
            if taken:
                holder[u(to)] = start
                held[u(to)] = piece
            edge += U64(1)
    return edge
