"""What of a picture looks different: between which pixels, and where that can't be told."""

from __future__ import annotations

import numpy as np
import pytest

from app.draw.contents import EVERYWHERE, NOWHERE, Content, Layer


def layer(looks, order=None):
    """Return things of ten pixels each, side by side."""
    left = 10.0 * np.arange(len(looks))
    order = None if order is None else np.array(order)
    return Layer(left, left + 10, (np.array(looks),), order)


@pytest.mark.parametrize(
    ("before", "after", "span"),
    [
        ("abcd", "abcd", NOWHERE),
        ("abcd", "abxd", (20, 30)),
        ("abcd", "abcde", (40, 50)),
        ("abcd", "abc", (30, 40)),
        ("aaa", "aaaa", (30, 40)),
        ("abcd", "xbcy", (0, 40)),
        ("", "ab", (0, 20)),
        ("ab", "", (0, 20)),
        ("", "", NOWHERE),
    ],
)
def test_a_layer_differs_from_its_first_to_its_last_change(before, after, span):
    assert layer(list(after)).differs(layer(list(before))) == span


def test_things_painted_over_each_other_otherwise_differ_anywhere():
    before = layer(list("abc"), [2, 0, 1])
    assert layer(list("abc"), [2, 0, 1]).differs(before) == NOWHERE
    assert layer(list("abc"), [2, 1, 0]).differs(before) == EVERYWHERE
    # One more in the middle of the order leaves that of the others as it was.
    assert layer(list("abcd"), [2, 3, 0, 1]).differs(before) == (30, 40)
    assert layer(list("abcd"), [0, 3, 2, 1]).differs(before) == EVERYWHERE


def test_numbers_of_several_columns_and_nan_are_compared_by_row():
    rows = np.array([[1.0, np.nan], [2.0, 3.0]]).view(np.int64)
    other = np.array([[1.0, np.nan], [2.0, 4.0]]).view(np.int64)
    left = np.array([0.0, 10.0])
    before = Layer(left, left + 10, (rows,))
    assert Layer(left, left + 10, (rows.copy(),)).differs(before) == NOWHERE
    assert Layer(left, left + 10, (other,)).differs(before) == (10, 20)


def test_content_joins_what_its_layers_say_and_what_is_nowhere():
    one = Content(("light",), (layer(list("abc")), layer(list("xy"))))
    other = Content(("light",), (layer(list("abz")), layer(list("wy"))))
    assert other.differs(one) == (0, 30)
    assert one.differs(one) == NOWHERE
    assert Content(("dark",), one.layers).differs(one) == EVERYWHERE
    assert (one + Content((3,), ())).differs(one) == EVERYWHERE
