"""Drawing from the exact law of Unigram models in two passes, straight from bytes to tokens.

Twin: `engine.samplers.lines.Ffbs.draw_plain`.

From the end back, each node gets the sum of all ways onward, while the trie is walked; each edge
is noted with the running sum at its start. Then one random number for each token chooses among the
edges that leave: forward filtering, backward sampling, seen from the other end, so that tokens come
in reading order and neither the trie nor the sums are needed again.

Sums are plain numbers, scaled by powers of two. Where the weights of a pre-token are too far apart
for that, its sums are made again in logarithms.
"""

from __future__ import annotations

import math

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Floats, Int, Ints, Longs, Trie, read_symbols, u
from engine.kernels.unigram import HIGH, LOW, U64, random_number

FARTHEST = 1e4
"""Logarithms of sums are moved back to 0 when they are this far off: they lose no digits."""


WIDTH = 4
"""Words of a unit: base · WIDTH (−1 without children), check · WIDTH (−1 for none), the weight."""


def packed(trie: Trie, weights: Floats) -> tuple[Ints, Floats]:
    """Return the units of a trie with a weight for each piece, and the weights' view of them.

    weights: float64[pieces]. The weight of the unit at place t is the view's number t / 2 + 1; it
    is 0 where no piece ends.
    """
    units = np.full((len(trie.ids), WIDTH), -1, dtype=np.int32)
    units[:, 0] = WIDTH * trie.units[0::4]
    inner = trie.units[1::4] >= 0
    inner[0] = False
    units[inner, 1] = WIDTH * trie.units[1::4][inner]
    childless = np.ones(len(units), dtype=np.bool_)
    childless[trie.units[1::4][inner]] = False
    childless[0] = False
    units[childless, 0] = -1
    flat = units.reshape(-1)
    view = flat.view(np.float64)
    view[1::2] = np.where(trie.ids >= 0, weights[trie.ids], 0.0)
    return flat, view


@kernel
def draw_tokens(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    table: Ints,
    by_char: bool,
    units: Ints,
    weights: Floats,
    ids: Ints,
    lone: Ints,
    logs: Floats,
    stray_weight: float,
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

    units: int32[4n], the trie as `packed` lays it out, and weights the same memory. ids, lone: of
    the trie. logs: float64[pieces + 1], θ·score, the last of an unknown edge; stray_weight: the
    same as a weight. reach: symbols of the longest piece. Number i of stream `key` decides edge i
    of all paths. longest: bytes of the longest pre-token. room: edges of a pre-token to have room
    for; −1 is returned where it isn't enough, and −2 − k where no path leads through pre-token k.
    """
    strays = unknown >= 0 or byte_pieces.size > 0
    symbols = np.empty(longest + 1, np.int32)
    places = np.empty(longest + 1, np.int32)
    total = np.empty(longest + 1, np.float64)
    # Edges by start, the last start first: those that leave node i are close[i + 1] … close[i].
    close = np.empty(longest + 1, np.int32)
    target = np.empty(room, np.int32)
    unit_of = np.empty(room, np.int32)
    so_far = np.empty(room, np.float64)
    root = np.int64(units[u(0)])
    number = U64(0)
    written = ZERO
    spans = out_starts.size > 0
    out_cuts[u(0)] = 0
    for k in range(starts.size):
        offset = starts[u(k)]
        n = read_symbols(data, offset, ends[u(k)], table, by_char, symbols, places)
        total[u(n)] = 1.0
        close[u(n)] = 0
        count = ZERO
        sound = True
        for start in range(n - 1, -1, -1):
            if count + reach + 1 >= room:
                return ZERO - 1
            running = 0.0
            if strays and lone[u(symbols[u(start)])] < 0:
                running = stray_weight * total[u(start + 1)]
                target[u(count)] = start + 1
                unit_of[u(count)] = -1
                so_far[u(count)] = running
                count += 1
            symbols[u(start)] *= WIDTH
            node = start
            unit = ZERO
            base = root
            # A unit without children has base −1.
            while node < n and base >= 0:
                child = base + symbols[u(node)]
                if units[u(child + 1)] != unit:
                    break
                unit = child
                base = np.int64(units[u(child)])
                node += 1
                # Where no piece ends, the weight is 0 and the next edge overwrites this one.
                own = weights[u((child >> 1) + 1)]
                running += own * total[u(node)]
                target[u(count)] = node
                unit_of[u(count)] = child
                so_far[u(count)] = running
                count += np.int64(own != 0.0)
            total[u(start)] = running
            close[u(start)] = count
            # Sums don't shrink to 0: a node with 0 is one from which no path leads on.
            if running != 0.0 and not LOW <= running <= HIGH:
                sound = sound and bring_back(total, start, min(n, start + reach))
        if not (sound and 0.0 < total[u(0)] < np.inf):
            sum_in_logs(n, reach, close, target, unit_of, ids, logs, total, so_far)
            if n > 0 and total[u(0)] == -np.inf:
                return ZERO - 2 - k
        at = ZERO
        fused = False
        while at < n:
            first = np.int64(close[u(at + 1)])
            last = np.int64(close[u(at)]) - 1
            level = random_number(key, number) * so_far[u(last)]
            number += U64(1)
            place = first
            while place < last and not level < so_far[u(place)]:
                place += 1
            onward = np.int64(target[u(place)])
            begin, end = offset + places[u(at)], offset + places[u(onward)]
            child = np.int64(unit_of[u(place)])
            at = onward
            if child >= 0:
                out_ids[u(written)] = ids[u(child >> 2)]
                fused = False
            elif byte_pieces.size > 0:
                for byte in range(begin, end):
                    out_ids[u(written)] = byte_pieces[u(data[u(byte)])]
                    if spans:
                        out_starts[u(written)] = byte
                        out_ends[u(written)] = byte + 1
                    written += 1
                continue
            elif fused:
                if spans:
                    out_ends[u(written - 1)] = end
                continue
            else:
                out_ids[u(written)] = unknown
                fused = fuse
            if spans:
                out_starts[u(written)] = begin
                out_ends[u(written)] = end
            written += 1
        out_cuts[u(k + 1)] = written
    return written


@kernel
def bring_back(total: Floats, first: Int, last: Int) -> bool:
    """Scale the sums first … last by a power of two, so that they may be multiplied again.

    Returns whether all of them lie between LOW and HIGH then, but for those that are 0.
    """
    largest = 0.0
    for node in range(first, last + 1):
        largest = max(largest, total[u(node)])
    if not 0.0 < largest < np.inf:
        return False
    factor = 2.0 ** -math.floor(math.log2(largest))
    for node in range(first, last + 1):
        scaled = total[u(node)] * factor
        if not (LOW <= scaled <= HIGH or total[u(node)] == 0.0):
            return False
        total[u(node)] = scaled
    return True


@kernel
def sum_in_logs(
    n: Int,
    reach: int,
    close: Ints,
    target: Ints,
    unit_of: Ints,
    ids: Ints,
    logs: Floats,
    total: Floats,
    so_far: Floats,
) -> None:
    """Make the sums of a pre-token, whose edges are noted, in log space.

    logs: float64[pieces + 1], the last of an unknown edge. so_far: running sums of each start,
    relative to its greatest weight.
    """
    stray = logs.size - 1
    total[u(n)] = 0.0
    for start in range(n - 1, -1, -1):
        first, last = close[u(start + 1)], close[u(start)]
        highest = -np.inf
        for i in range(first, last):
            child = np.int64(unit_of[u(i)])
            piece = stray if child < 0 else np.int64(ids[u(child >> 2)])
            value = logs[u(piece)] + total[u(target[u(i)])]
            so_far[u(i)] = value
            highest = max(highest, value)
        running = 0.0
        for i in range(first, last):
            if highest > -np.inf:
                running += math.exp(so_far[u(i)] - highest)
            so_far[u(i)] = running
        total[u(start)] = highest + math.log(running) if running > 0.0 else -np.inf
        if running > 0.0 and abs(total[u(start)]) > FARTHEST:
            move = total[u(start)]
            for node in range(start, min(n, start + reach) + 1):
                total[u(node)] -= move
