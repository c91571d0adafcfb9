"""Drawing from the exact law of Unigram models in two passes, straight from bytes to tokens.

Twin: `engine.samplers.lines.Ffbs.draw_plain`.

From the end back, each node gets the sum of all ways onward; the running sums over the edges that
leave it are kept. Then one random number for each token chooses among them: forward filtering,
backward sampling, seen from the other end, so that tokens come in reading order and neither the
trie nor the weights are needed again. Edges of up to `AHEAD` symbols have fixed places, those of
no weight too, so that both passes go over them without a branch; longer ones stand in a list.

Sums are plain numbers, scaled by powers of two. Where the weights of a pre-token are too far apart
for that, its sums are made again in logarithms.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.ahead import AHEAD, look_ahead
from engine.kernels.jit import kernel
from engine.kernels.trie import STRAY, ZERO, Bytes, Floats, Int, Ints, Longs, read_symbols, u
from engine.kernels.unigram import STEEPEST, U64, random_number

SPAN = 1000
"""Powers of two that a sum may shrink or grow to. No float in between loses digits."""

FARTHEST = 1e4
"""Logarithms of sums are moved back to 0 when they are this far off: they lose no digits."""


@kernel
def draw_tokens(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    width: int,
    below: Ints,
    alone: Ints,
    weights: Floats,
    logs: Floats,
    lowest: float,
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
    out_cuts: Longs,
) -> Int:
    """Draw one path of each pre-token, write its tokens, return their number.

    out_starts, out_ends: room for as many as out_ids, or both empty: then spans aren't written.
    out_cuts: int64[pre-tokens + 1], gets the first token of each pre-token, and their number.

    units, width, below, alone: see `engine.kernels.trie.Walk`; the weights there aren't used.
    logs: float64[pieces + 2], θ·score, of an unknown edge first, then of no edge, −inf, then of
    each piece; weights: what `weights_of` makes of them. lowest: sums are kept between this and
    its inverse; see `lowest_sum`. reach: symbols of the longest piece. Number i of stream `key`
    decides edge i of all paths. longest: bytes of the longest pre-token. room: edges of more than
    `AHEAD` symbols of a pre-token to have room for; −1 is returned where it isn't enough, and
    −2 − k where no path leads through pre-token k.
    """
    symbols = np.empty(longest + AHEAD, np.int32)
    places = np.empty(longest + 1, np.int32)
    ahead = np.empty(AHEAD * longest, np.int32)
    total = np.empty(longest + AHEAD, np.float64)
    sums = np.empty(AHEAD * longest, np.float64)
    whole = np.empty(longest, np.float64)
    # Long edges by start, the last start first: those from node i are close[i + 1] … close[i].
    close = np.empty(longest + 1, np.int32)
    target = np.empty(room, np.int32)
    piece_of = np.empty(room, np.int32)
    so_far = np.empty(room, np.float64)
    stops = np.empty(longest + 1, np.int32)
    nothing = below[u(below.size - 1)]
    number = U64(0)
    written = ZERO
    out_cuts[u(0)] = 0
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        look_ahead(symbols, n, units, width, below, alone, ahead)
        total[u(n)] = 1.0
        for node in range(n + 1, n + AHEAD):
            total[u(node)] = 0.0
        close[u(n)] = 0
        count = ZERO
        sound = True
        after_1, after_2, after_3, after_4 = 1.0, 0.0, 0.0, 0.0
        for start in range(n - 1, -1, -1):
            slot = AHEAD * start
            running = weights[u(units[u(ahead[u(slot)] + 2)] - STRAY)] * after_1
            sums[u(slot)] = running
            running += weights[u(units[u(ahead[u(slot + 1)] + 2)] - STRAY)] * after_2
            sums[u(slot + 1)] = running
            running += weights[u(units[u(ahead[u(slot + 2)] + 2)] - STRAY)] * after_3
            sums[u(slot + 2)] = running
            unit = np.int64(ahead[u(slot + 3)])
            running += weights[u(units[u(unit + 2)] - STRAY)] * after_4
            sums[u(slot + 3)] = running
            if unit != nothing:
                if count + reach >= room:
                    return ZERO - 1
                onward: Int = start + AHEAD
                while True:
                    child = np.int64(units[u(unit)]) + symbols[u(onward)]
                    if units[u(child + 1)] != unit:
                        break
                    unit = child
                    onward += 1
                    piece = np.int64(units[u(child + 2)])
                    running += weights[u(piece - STRAY)] * total[u(onward)]
                    # Where no piece ends, the next edge overwrites this one.
                    target[u(count)] = onward
                    piece_of[u(count)] = piece
                    so_far[u(count)] = running
                    count += np.int64(piece >= 0)
            total[u(start)] = running
            whole[u(start)] = running
            close[u(start)] = count
            after_4, after_3, after_2, after_1 = after_3, after_2, after_1, running
            # Sums don't shrink to 0: a node with 0 is one from which no path leads on.
            if not lowest <= running <= 1.0 / lowest and running != 0.0:
                sound = sound and bring_back(total, start, min(n, start + reach), lowest)
                after_1, after_2 = total[u(start)], total[u(start + 1)]
                after_3, after_4 = total[u(start + 2)], total[u(start + 3)]
        if n > 0 and not (sound and 0.0 < total[u(0)] < np.inf):
            sum_in_logs(
                n, reach, units, ahead, close, target, piece_of, logs, total, sums, whole, so_far
            )
            if total[u(0)] == -np.inf:
                return ZERO - 2 - k
        first = written
        here = ZERO
        fused = False
        while here < n:
            place = AHEAD * here
            level = random_number(key, number) * whole[u(here)]
            number += U64(1)
            steps = np.int64(level >= sums[u(place)])
            steps += np.int64(level >= sums[u(place + 1)])
            steps += np.int64(level >= sums[u(place + 2)])
            steps += np.int64(level >= sums[u(place + 3)])
            before = here
            if steps < AHEAD:
                here = before + steps + 1
                piece = np.int64(units[u(ahead[u(place + steps)] + 2)])
            else:
                edge = np.int64(close[u(before + 1)])
                last = np.int64(close[u(before)]) - 1
                while edge < last and level >= so_far[u(edge)]:
                    edge += 1
                here = np.int64(target[u(edge)])
                piece = np.int64(piece_of[u(edge)])
            end = places[u(here)]
            if piece >= 0:
                out_ids[u(written)] = piece
                fused = False
            elif byte_pieces.size > 0:
                for byte in range(places[u(before)], end):
                    out_ids[u(written)] = byte_pieces[u(data[u(offset + byte)])]
                    stops[u(written - first)] = byte + 1
                    written += 1
                continue
            elif fused:
                stops[u(written - first - 1)] = end
                continue
            else:
                out_ids[u(written)] = unknown
                fused = fuse
            stops[u(written - first)] = end
            written += 1
        if out_starts.size > 0:
            begin = offset
            for i in range(first, written):
                out_starts[u(i)] = begin
                begin = offset + stops[u(i - first)]
                out_ends[u(i)] = begin
        out_cuts[u(k + 1)] = written
    return written


def lowest_sum(logs: Floats) -> float:
    """Return the least sum that may be multiplied by any of the weights exp(logs), a power of two.

    The product keeps all its digits, and so does that with the inverse: to scale seldom is fast.
    """
    sizes = np.abs(logs)
    steepest = float(sizes[sizes <= STEEPEST].max(initial=0.0))
    return math.ldexp(1.0, math.ceil(steepest / math.log(2.0)) - SPAN)


@kernel
def bring_back(total: Floats, first: Int, last: Int, lowest: float) -> bool:
    """Scale the sums first … last by the power of two that makes the first of them about 1.

    Returns whether all of them lie between `lowest` and its inverse then, but for those that are 0.
    Where they don't, they may hold anything.
    """
    if not 0.0 < total[u(first)] < np.inf:
        return False
    _, power = math.frexp(total[u(first)])
    factor = math.ldexp(1.0, -power)
    sound = True
    for node in range(first, last + 1):
        value = total[u(node)]
        total[u(node)] = value * factor
        sound = sound and (lowest <= value * factor <= 1.0 / lowest or value == 0.0)
    return sound


@kernel
def sum_in_logs(
    n: Int,
    reach: int,
    units: Ints,
    ahead: Ints,
    close: Ints,
    target: Ints,
    piece_of: Ints,
    logs: Floats,
    total: Floats,
    sums: Floats,
    whole: Floats,
    so_far: Floats,
) -> None:
    """Make the sums of a pre-token, whose edges are noted, in log space.

    ahead … piece_of, logs: see `draw_tokens`. total: the logarithms of the sums of all ways from
    each node. sums, whole, so_far: running sums of each start, relative to its greatest weight.
    """
    total[u(n)] = 0.0
    for node in range(n + 1, n + AHEAD):
        total[u(node)] = -np.inf
    for start in range(n - 1, -1, -1):
        first, last = close[u(start + 1)], close[u(start)]
        highest = -np.inf
        for step in range(AHEAD):
            piece = units[u(ahead[u(AHEAD * start + step)] + 2)]
            value = logs[u(piece - STRAY)] + total[u(start + step + 1)]
            sums[u(AHEAD * start + step)] = value
            highest = max(highest, value)
        for i in range(first, last):
            value = logs[u(piece_of[u(i)] - STRAY)] + total[u(target[u(i)])]
            so_far[u(i)] = value
            highest = max(highest, value)
        running = 0.0
        for step in range(AHEAD):
            if highest > -np.inf:
                running += math.exp(sums[u(AHEAD * start + step)] - highest)
            sums[u(AHEAD * start + step)] = running
        for i in range(first, last):
            if highest > -np.inf:
                running += math.exp(so_far[u(i)] - highest)
            so_far[u(i)] = running
        whole[u(start)] = running
        total[u(start)] = highest + math.log(running) if running > 0.0 else -np.inf
        if running > 0.0 and abs(total[u(start)]) > FARTHEST:
            move = total[u(start)]
            for node in range(start, min(n, start + reach) + 1):
                total[u(node)] -= move
