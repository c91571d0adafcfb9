"""Labels at the ends of lines keep their distance and stay in the picture."""

from __future__ import annotations

import pytest

from app.draw.law_chart import spread


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        ([50.0, 120.0], [50.0, 120.0]),
        ([100.0, 100.0], [100.0, 130.0]),
        ([110.0, 100.0], [130.0, 100.0]),
        ([200.0, 200.0], [170.0, 200.0]),
        ([-5.0, 199.0, 198.0], [10.0, 200.0, 170.0]),
    ],
)
def test_labels_at_line_ends_are_apart_and_inside(places, wanted):
    assert spread(places, 30.0, 10.0, 200.0) == wanted


def test_where_there_is_no_room_for_all_none_leaves_the_picture():
    assert all(10.0 <= place <= 50.0 for place in spread([20.0, 30.0, 40.0], 30.0, 10.0, 50.0))
