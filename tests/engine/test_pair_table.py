"""The merge of each pair, beside a dict."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.pair_table import PairTable

NUMBERS = st.integers(0, 5) | st.integers(0, 2**31 - 1)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=40))
def test_pairs_are_found_as_in_a_dict(rows: list[tuple[int, int, int, int]]) -> None:
    table = PairTable(*np.array(rows, dtype=np.int32).reshape(-1, 4).T)
    expected: dict[tuple[int, int], tuple[int, int]] = {}
    for left, right, result, rank in rows:
        if (left, right) not in expected or rank <= expected[left, right][0]:
            expected[left, right] = (rank, result)
    assert len(table) == len(expected)
    for (left, right), (rank, result) in expected.items():
        assert table.get(left << 32 | right) == rank << 32 | result
    for left, right in ((0, 0), (5, 5), (2**31 - 1, 2**31 - 1)):
        if (left, right) not in expected:
            assert table.get(left << 32 | right) is None
    assert table.get(-1 << 32) is None
    # A model goes from one process to another with what was found in it.
    other = pickle.loads(pickle.dumps(table, protocol=5))
    assert all(other.get(a << 32 | b) == table.get(a << 32 | b) for a, b in expected)
