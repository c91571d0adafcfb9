"""BPE encoding without a single merge: longest pieces first, checked pair by pair.

Two neighbouring tokens can stand side by side in what merging gives exactly if merging the bytes
of both leaves them apart, and a sequence is what merging gives exactly if all neighbours in it are
such. So tokens are taken from left to right, the longest first, a shorter one where the pair isn't
possible, and one step back where none is left; a place that turned out to lead nowhere is marked.
The idea is that of GitHub's `bpe` crate (van Antwerpen & Neubeck, "So many tokens, so little time",
2024). It takes time proportional to the text, also in long stretches without a cut.

It needs a time for each token: the rank of the merge that makes it last, later than those that
make its halves. `find_halves` finds them, `engine.kernels.bpe_tables` checks that they are all.
Twin: `Bpe.segment_plain`.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.bpe import HALF, NO_RANK, Pairs, find
from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, u

U64 = np.uint64
GOLDEN = U64(0x9E3779B97F4A7C15)

TIME, LEFT, RIGHT, LENGTH, SHORTER, FIELDS = 0, 1, 2, 3, 4, 8
"""Places in the row of a token, and how long the row is: the rank of its last merge (-1 for a
first symbol), the halves that this joins, its bytes, and the longest token that it starts with."""

TOKEN, ALONE = 2, 3
"""Places in a unit of the trie, after base and check: the token that ends there, and the one that
a pre-token spelled like this is (it may be one that merging never gives); -1 for none."""

CACHE_BITS = 16


@kernel
def stand_apart(left: Int, right: Int, limit: Int, tokens: Ints, pairs: Pairs, bits: int) -> bool:
    """Return whether no merge earlier than `limit` joins two neighbouring tokens.

    Undoes the later of both last merges again and again: what then stands left and right of the
    border was there until that merge, and merges if it is a pair of an earlier rank. Of equal
    ranks the leftmost pair goes first.
    """
    while True:
        if np.int64(find(left, right, pairs, bits) >> HALF) < limit:
            return False
        before, after = tokens[u(FIELDS * left + TIME)], tokens[u(FIELDS * right + TIME)]
        if before > after:
            limit = np.int64(before)
            left = np.int64(tokens[u(FIELDS * left + RIGHT)])
        elif after >= 0:
            limit = np.int64(after) + 1
            right = np.int64(tokens[u(FIELDS * right + LEFT)])
        else:
            return True


@kernel
def find_halves(
    order: Longs,
    left: Ints,
    right: Ints,
    result: Ints,
    rank: Ints,
    pairs: Pairs,
    bits: int,
    tokens: Ints,
    known: Bytes,
) -> None:
    """Fill in time and halves of every token that merging its own bytes gives.

    order: int64, the rows of the merge table by rank. known: uint8[pieces], 1 for first symbols;
    becomes 1 for each token found.
    """
    for i in range(order.size):
        row = order[u(i)]
        made, time = np.int64(result[u(row)]), np.int64(rank[u(row)])
        one, other = np.int64(left[u(row)]), np.int64(right[u(row)])
        if known[u(made)] or not known[u(one)] or not known[u(other)]:
            continue
        late = max(tokens[u(FIELDS * one + TIME)], tokens[u(FIELDS * other + TIME)])
        if late < time and stand_apart(one, other, time, tokens, pairs, bits):
            known[u(made)] = 1
            tokens[u(FIELDS * made + TIME)] = time
            tokens[u(FIELDS * made + LEFT)] = one
            tokens[u(FIELDS * made + RIGHT)] = other


@kernel
def find_shorter(data: Bytes, offsets: Longs, known: Bytes, units: Ints, tokens: Ints) -> None:
    """Fill in the length of every known token, and the longest token that it starts with."""
    for piece in range(known.size):
        if not known[u(piece)]:
            continue
        start, end = offsets[u(piece)], offsets[u(piece + 1)]
        shorter = -1
        unit: Int = 0
        for at in range(start, end - 1):
            unit = np.int64(units[u(unit << 2)]) + data[u(at)]
            if units[u((unit << 2) + TOKEN)] >= 0:
                shorter = units[u((unit << 2) + TOKEN)]
        tokens[u(FIELDS * piece + LENGTH)] = end - start
        tokens[u(FIELDS * piece + SHORTER)] = shorter


@kernel
def encode_linear(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    units: Ints,
    tokens: Ints,
    pairs: Pairs,
    bits: int,
    cache: Pairs,
    longest: int,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
) -> Int:
    """Write the tokens of each pre-token and return their number.

    units: the trie with tokens in it, see `TOKEN`. tokens: int32[8·pieces], see `TIME`. cache:
    uint64[2^CACHE_BITS], answers of `stand_apart`, each overwritten by the next of its slot:
    left << 33 | right << 2 | answer << 1 | 1. longest: bytes of the longest pre-token. out_ids,
    out_starts, out_ends: room for one token a byte.
    """
    dead = np.zeros(longest + 1, np.uint8)
    root = np.int64(units[u(0)])
    never = np.int64(NO_RANK)
    count = ZERO
    for k in range(starts.size):
        start, end = starts[u(k)], ends[u(k)]
        first = count
        at = start
        steps_back = ZERO
        token = np.int64(-1)
        last = np.int64(-1)
        while at < end:
            if token < 0:
                unit = np.int64(0)
                base = root
                stop = at
                while stop < end:
                    child = base + data[u(stop)]
                    if units[u((child << 2) + 1)] != unit:
                        break
                    unit = child
                    base = np.int64(units[u(child << 2)])
                    stop += 1
                    if units[u((child << 2) + TOKEN)] >= 0:
                        token = np.int64(units[u((child << 2) + TOKEN)])
                if stop == end and at == start and units[u((unit << 2) + ALONE)] >= 0:
                    out_ids[u(count)] = units[u((unit << 2) + ALONE)]
                    out_starts[u(count)] = start
                    out_ends[u(count)] = end
                    count += 1
                    break
            stop = at + tokens[u(FIELDS * token + LENGTH)]
            good = dead[u(stop - start)] == 0
            if good and last >= 0:
                key = U64(last) << U64(31) | U64(token)
                slot = (key * GOLDEN) >> U64(64 - CACHE_BITS)
                kept = cache[u(slot)]
                if kept >> U64(2) == key and kept & U64(1) != U64(0):
                    good = kept & U64(2) != U64(0)
                else:
                    good = stand_apart(last, token, never, tokens, pairs, bits)
                    cache[u(slot)] = key << U64(2) | U64(3 if good else 1)
            if good:
                out_ids[u(count)] = token
                out_starts[u(count)] = at
                out_ends[u(count)] = stop
                count += 1
                at = stop
                last = token
                token = np.int64(-1)
                continue
            token = np.int64(tokens[u(FIELDS * token + SHORTER)])
            if token < 0:
                if count == first:
                    return ZERO - 1
                dead[u(at - start)] = 1
                steps_back += 1
                count -= 1
                at = out_starts[u(count)]
                token = last
                last = np.int64(out_ids[u(count - 1)]) if count > first else np.int64(-1)
        if steps_back > 0:
            for place in range(end - start + 1):
                dead[u(place)] = 0
    return count
