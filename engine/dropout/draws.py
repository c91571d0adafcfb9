"""Many draws of one text by a kernel that takes a stream of random numbers for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.matching import room_for_tokens
from engine.segmenter import Segmented

ROOM = 1 << 18
"""Tokens for which there is room at once."""

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Fill = Callable[[int, NDArray[np.uint64], Ints, Longs, Longs, Longs], object]
"""(longest span, keys, ids, starts, ends, bounds): writes the tokens of each key's draw one behind
the other, and where each draw ends to bounds[1:]."""


def cut_draws(starts: Longs, ends: Longs, keys: Sequence[int], fill: Fill) -> Iterator[Segmented]:
    """Yield the tokens of the spans for each key, drawn in blocks by `fill`."""
    longest, ids, at, to = room_for_tokens(starts, ends)
    size = max(1, len(ids))
    block = max(1, min(len(keys), ROOM // size))
    if block > 1:
        ids, at, to = (np.empty(block * size, dtype=room.dtype) for room in (ids, at, to))
    for first in range(0, len(keys), block):
        part = np.array(keys[first : first + block], dtype=np.uint64)
        bounds = np.zeros(len(part) + 1, dtype=np.int64)
        fill(longest, part, ids, at, to, bounds)
        for low, high in pairwise(bounds.tolist()):
            yield Segmented(ids[low:high], at[low:high], to[low:high])
