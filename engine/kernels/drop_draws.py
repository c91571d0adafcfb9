"""Many draws of one text by BPE-dropout; `engine.kernels.dropout` makes each of them."""

from __future__ import annotations

from engine.kernels.bpe import Merging, Pairs
from engine.kernels.dropout import encode_dropping
from engine.kernels.jit import kernel
from engine.kernels.trie import ZERO, Bytes, Int, Ints, Longs, u


@kernel
def draw_dropping(
    data: Bytes,
    starts: Longs,
    ends: Longs,
    model: Merging,
    scan_limit: int,
    longest: int,
    rule: int,
    p: float,
    keys: Pairs,
    out_ids: Ints,
    out_starts: Longs,
    out_ends: Longs,
    bounds: Longs,
) -> Int:
    """Do what `encode_dropping` does once for each key, one draw behind the other.

    keys: uint64[d], streams of random numbers. bounds: int64[d + 1]; gets where each draw begins
    and ends. The number of all tokens is returned.
    """
    count = ZERO
    for draw in range(keys.size):
        count += encode_dropping(
            data,
            starts,
            ends,
            model,
            scan_limit,
            longest,
            rule,
            p,
            keys[u(draw)],
            out_ids[count:],
            out_starts[count:],
            out_ends[count:],
        )
        bounds[u(draw + 1)] = count
    return count
