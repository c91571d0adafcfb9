"""What of a picture looks different: between which pixels, and where that can't be told."""

from __future__ import annotations

import numpy as np
import pytest

from app.draw.contents import STAYED, Change, Content, Layer, Move


def layer(looks, left=None):
    """Return things of ten pixels each, side by side unless told otherwise."""
    left = 10.0 * np.arange(len(looks)) if left is None else np.array(left, dtype=np.float64)
    numbers = np.array([ord(look) for look in looks], dtype=np.int64)[:, None]
    return placed(left, left + 10, left, numbers)


def placed(left, right, place, looks):
    """Return things that may touch these pixels, each at one place, with rows of looks."""
    table = np.column_stack((np.rint(100 * place).astype(np.int64), looks))
    return Layer(left, right, table, 1)


def spans(after, before, move=STAYED):
    """Return the pixels to paint, far spans apart."""
    change = Content((), (after,)).change(Content((), (before,)), move)
    assert change.move == move
    return change.spans


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("abcd", "abcd", ()),
        ("abcd", "abxd", ((20, 30),)),
        ("abcd", "abcde", ((40, 50),)),
        ("abcd", "abc", ((30, 40),)),
        ("abcd", "xbcy", ((0, 40),)),  # near each other: painted as one
        ("", "ab", ((0, 20),)),
        ("ab", "", ((0, 20),)),
        ("", "", ()),
        ("a" * 30, "b" + "a" * 28 + "b", ((0, 10), (290, 300))),
    ],
)
def test_what_is_unlike_is_painted(before, after, expected):
    assert spans(layer(after), layer(before)) == expected


def test_things_are_compared_whatever_their_order():
    before = layer("abc", [50, 0, 10])
    assert spans(layer("bca", [0, 10, 50]), before) == ()
    assert spans(layer("bcx", [0, 10, 50]), before) == ((50, 60),)


def test_numbers_of_several_columns_and_nan_are_looked_at():
    rows = np.array([[1.0, np.nan], [2.0, 3.0]]).view(np.int64)
    other = np.array([[1.0, np.nan], [2.0, 4.0]]).view(np.int64)
    left = np.array([0.0, 500.0])
    before = placed(left, left + 10, left, rows)
    assert spans(placed(left, left + 10, left, rows.copy()), before) == ()
    assert spans(placed(left, left + 10, left, other), before) == ((500, 510),)


def test_content_joins_what_its_layers_say_and_what_is_nowhere():
    one = Content(("light",), (layer("abc"), layer("xy", [300, 310])))
    other = Content(("light",), (layer("abz"), layer("wy", [300, 310])))
    assert other.change(one) == Change(STAYED, ((20, 30), (300, 310)))
    assert one.change(one) == Change(STAYED, ())
    assert Content(("dark",), one.layers).change(one) is None
    assert (one + Content((3,), ())).change(one) is None


@pytest.mark.parametrize(
    ("before", "after", "move", "expected"),
    [
        ("abcd", "xabcd", Move(0, 10), ((0, 10),)),
        ("abcd", "abxcd", Move(20, 10), ((20, 30),)),
        ("abcd", "abd", Move(30, -10), ((20, 20),)),  # what stood there is gone
        ("abcd", "ayd", Move(30, -10), ((10, 20),)),
        ("abcd", "abxyd", Move(30, 10), ((20, 40),)),
        ("abcd", "abcd", Move(20, 10), ((20, 50),)),  # it didn't move
        ("a" * 30, "x" + "a" * 30, Move(0, 10), ((0, 10),)),
    ],
)
def test_what_moved_is_no_change(before, after, move, expected):
    assert spans(layer(after), layer(before), move) == expected


@pytest.mark.parametrize(("step", "expected"), [(20, (230, 280)), (-20, (210, 260))])
def test_what_reaches_over_the_cut_is_painted_there(step, expected):
    def things(shift):
        left = np.array([0.0, 200.0, 400.0 + shift])
        right = left + np.array([10, 60, 10])
        return placed(left, right, left, np.zeros((3, 1), dtype=np.int64))

    # The part of the second one that is right of 230 went with the third one.
    assert spans(things(step), things(0), Move(230, step)) == (expected,)


def test_what_reaches_over_the_cut_from_the_right_is_painted_there():
    def things(shift):
        places = np.array([0.0, 230.0 + shift])
        looks = np.zeros((2, 1), dtype=np.int64)
        return placed(places - 8, places + 8, places, looks)

    assert spans(things(20), things(0), Move(230, 20)) == ((222, 250),)
    assert spans(things(-20), things(0), Move(230, -20)) == ((202, 210),)
