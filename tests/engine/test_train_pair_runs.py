"""The first merge of each pair, beside a dict."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.train.pair_runs import PairRuns
from engine.train.replay import MISSING

PAIR = st.tuples(st.integers(0, 4), st.integers(0, 4) | st.integers(2**31 - 3, 2**31 - 1))


@given(st.lists(st.lists(PAIR, max_size=12), max_size=9))
def test_the_first_merge_of_a_pair_is_found_whatever_came_with_it(parts):
    runs = PairRuns()
    for part in parts:
        runs.add(*np.array(part, dtype=np.int32).reshape(-1, 2).T)
    order = [pair for part in parts for pair in part]
    assert len(runs) == len(order)
    for pair in order:
        assert runs.find(*pair) == order.index(pair)
    for pair in ((9, 9), (0, 9), (MISSING, 0), (0, MISSING), (MISSING, MISSING)):
        assert runs.find(*pair) == -1
