"""The merge of each pair, while merges become known one after the other.

A dict would take as long to free as to fill, with Python's lock held: tenths of a second for some
hundred thousand pairs. Here they lie in a few sorted arrays.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray


class PairRuns:
    """From pairs of symbols to the first merge that joins them.

    The merges are in runs of rising length, the newest one shortest, and each run is sorted by
    pairs: few to look into, and each merge is sorted again only as often as the number of them
    doubles.
    """

    def __init__(self) -> None:
        self._length = 0
        self._runs: list[tuple[memoryview, memoryview]] = []

    def __len__(self) -> int:
        """Return the number of merges, also of those whose pair an earlier one joins."""
        return self._length

    def add(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> None:
        """Take the merges that come next, of the pairs of symbols (left, right): int32[m] each."""
        keys = left.astype(np.int64) << 32 | right
        places = np.arange(self._length, self._length + len(keys), dtype=np.int64)
        self._length += len(keys)
        run = _sorted(keys, places)
        while self._runs and len(self._runs[-1][0]) < 2 * len(run[0]):
            before = self._runs.pop()
            run = _sorted(*(np.concatenate(pair) for pair in zip(before, run, strict=True)))
        # Python reads numbers from these five times as fast as from numpy's arrays.
        self._runs.append((run[0].data, run[1].data))

    def find(self, left: int, right: int) -> int:
        """Return the place of the first merge that joins a pair, from 0; −1 where none does."""
        key = left << 32 | right
        for keys, places in self._runs:
            at = bisect_left(keys, key)
            if at < len(keys) and keys[at] == key:
                return int(places[at])
        return -1


def _sorted(
    keys: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs in their order, of equal ones the first; places rise where pairs are equal."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first], places[order][first]
