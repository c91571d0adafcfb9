"""Colours by identity: the colour is the id's own, neighbours differ, only whole tokens take it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.draw.looks import COLORS, LINES, looks_of

ids = st.lists(st.integers(0, 300_000), max_size=60)


@given(ids, st.lists(st.integers(0, 300_000), max_size=3))
def test_a_colour_depends_on_nothing_but_the_id(row, before):
    color, _ = looks_of(np.array(row, dtype=np.int64))
    moved, _ = looks_of(np.array(before + row, dtype=np.int64))
    assert moved[len(before) :].tolist() == color.tolist()


@given(ids.map(lambda row: [i for i in row for _ in range(3)]))
def test_neighbours_differ_also_where_a_token_repeats(row):
    color, line = looks_of(np.array(row, dtype=np.int64))
    looks = list(zip(color.tolist(), line.tolist(), strict=True))
    assert all(a != b for a, b in pairwise(looks))
    assert all(0 <= c < COLORS and 0 <= u < LINES for c, u in looks)


@pytest.mark.parametrize("first", [0, 50_000, 250_000])
def test_ids_spread_over_all_looks(first):
    row = np.arange(first, first + 12_000)
    looks = [tuple(int(part[0]) for part in looks_of(np.array([i]))) for i in row[::10]]
    count = {look: looks.count(look) for look in looks}
    assert len(count) == COLORS * LINES
    assert max(count.values()) < 1.5 * min(count.values())
