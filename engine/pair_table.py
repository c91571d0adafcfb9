"""The merge of each pair of symbols, found by bisection.

Half a million pairs in a dict take a third of a second to fill, with Python's lock held, and sixty
bytes each; sorted arrays are made without it, and a look into them takes a microsecond.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray


class PairTable:
    """Rank and result of pairs, both packed: (left << 32 | right) → rank << 32 | result.

    left, right, result, rank: int32[m], one row a pair; of a pair that is there twice the lowest
    rank counts, and of equal ranks the last row.
    """

    def __init__(
        self,
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        result: NDArray[np.int32],
        rank: NDArray[np.int32],
    ) -> None:
        left, right, result, rank = (column[::-1] for column in (left, right, result, rank))
        keys = left.astype(np.int64) << 32 | right
        order = np.lexsort((rank, keys))
        keys = keys[order]
        first = np.ones(len(keys), dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        values = rank[order].astype(np.int64) << 32 | result[order]
        # Python reads numbers from these five times as fast as from numpy's arrays.
        self._keys, self._values = keys[first].data, values[first].data

    def __getstate__(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return np.asarray(self._keys), np.asarray(self._values)

    def __setstate__(self, state: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
        self._keys, self._values = (numbers.data for numbers in state)

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, key: int) -> int | None:
        """Return what stands at a key, None where nothing does."""
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            return None
        return self._values[at]
