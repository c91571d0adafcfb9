"""What of a picture looks different: between which pixels, and where that can't be told."""

from __future__ import annotations

import numpy as np
import pytest

from app.draw.contents import EVERYWHERE, NOWHERE, Content, Layer, Step


def layer(looks, order=None):
    """Return things of ten pixels each, side by side."""
    left = 10.0 * np.arange(len(looks))
    order = None if order is None else np.array(order)
    return Layer(left, left + 10, 100 * left[:, None], (np.array(looks),), order)


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
    assert layer(list(after)).change(layer(list(before))) == span


def test_things_painted_over_each_other_otherwise_differ_anywhere():
    before = layer(list("abc"), [2, 0, 1])
    assert layer(list("abc"), [2, 0, 1]).change(before) == NOWHERE
    assert layer(list("abc"), [2, 1, 0]).change(before) == EVERYWHERE
    # One more in the middle of the order leaves that of the others as it was.
    assert layer(list("abcd"), [2, 3, 0, 1]).change(before) == (30, 40)
    assert layer(list("abcd"), [0, 3, 2, 1]).change(before) == EVERYWHERE


def test_numbers_of_several_columns_and_nan_are_compared_by_row():
    rows = np.array([[1.0, np.nan], [2.0, 3.0]]).view(np.int64)
    other = np.array([[1.0, np.nan], [2.0, 4.0]]).view(np.int64)
    left = np.array([0.0, 10.0])
    places = 100 * left[:, None]
    before = Layer(left, left + 10, places, (rows,))
    assert Layer(left, left + 10, places, (rows.copy(),)).change(before) == NOWHERE
    assert Layer(left, left + 10, places, (other,)).change(before) == (10, 20)


def test_content_joins_what_its_layers_say_and_what_is_nowhere():
    one = Content(("light",), (layer(list("abc")), layer(list("xy"))))
    other = Content(("light",), (layer(list("abz")), layer(list("wy"))))
    assert other.change(one) == (0, 30)
    assert one.change(one) == NOWHERE
    assert Content(("dark",), one.layers).change(one) == EVERYWHERE
    assert (one + Content((3,), ())).change(one) == EVERYWHERE


@pytest.mark.parametrize(
    ("before", "after", "step", "span"),
    [
        ("abcd", "xabcd", Step(10), (0, 10)),
        ("abcd", "abxcd", Step(10), (20, 30)),
        ("abcd", "abd", Step(-10), (20, 20)),  # what stood there is gone, nothing is painted
        ("abcd", "ayd", Step(-10), (10, 20)),
        ("abcd", "abcdx", Step(10), (40, 50)),
        ("abcd", "abcd", Step(10), (np.inf, 40)),  # all stayed
        ("abcd", "abxyd", Step(10), (20, 40)),
    ],
)
def test_what_moved_by_the_step_asked_about_is_no_change(before, after, step, span):
    assert layer(list(after)).change(layer(list(before)), step) == span


def test_where_text_begins_at_the_right_what_comes_first_moves():
    def mirrored(looks):
        """Return things of ten pixels each, the first at the right."""
        left = 10.0 * np.arange(len(looks))[::-1]
        return Layer(left, left + 10, 100 * left[:, None], (np.array(looks),))

    step = Step(10, first=True)
    assert mirrored(list("abxcd")).change(mirrored(list("abcd")), step) == (20, 30)
    assert mirrored(list("abcdx")).change(mirrored(list("abcd")), step) == (0, 10)
    assert mirrored(list("xabcd")).change(mirrored(list("abcd")), step) == (40, 50)


def test_a_thing_that_stayed_right_of_one_that_moved_is_painted_anew():
    left, right = np.array([50.0, 0.0, 10.0]), np.array([60.0, 10.0, 20.0])
    before = Layer(left, right, 100 * left[:, None], (np.array(list("abc")),))
    left, right = np.array([50.0, 0.0, 10.0, 20.0]), np.array([60.0, 10.0, 20.0, 30.0])
    after = Layer(left, right, 100 * left[:, None], (np.array(list("axbc")),))
    assert after.change(before, Step(10)) == (0, 60)
