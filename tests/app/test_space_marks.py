"""Spaces that the eye would miss are marked in the text field."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from app.theme import Theme
from app.views.explore.text_bar import TextBar, TextField
from app.widgets.space_marks import ODD, SPACE, TAB, space_marks

pytestmark = pytest.mark.screen


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("one two", {}),
        (" one", {0: SPACE}),
        ("one ", {3: SPACE}),
        ("a  b c", {1: SPACE, 2: SPACE}),
        ("a\tb", {1: TAB}),
        ("a \tb", {1: SPACE, 2: TAB}),
        ("a\u00a0b\u3000c", {1: ODD, 3: ODD}),
        ("   ", {0: SPACE, 1: SPACE, 2: SPACE}),
        (" ", {0: SPACE}),
        ("a \n b ", {5: SPACE}),
        ("", {}),
    ],
)
def test_only_what_would_be_missed_is_marked(text: str, places: dict[int, str]) -> None:
    assert dict(space_marks(text)) == places


def test_places_are_counted_in_units_of_qt() -> None:
    assert space_marks("𝌆 𝌆  𝌆\t") == ((5, SPACE), (6, SPACE), (9, TAB))


@pytest.fixture
def field(qtbot: Any, theme: Theme) -> TextField:
    made = TextField(theme)
    qtbot.addWidget(made)
    made.resize(420, 80)
    with qtbot.waitExposed(made):
        made.show()
    return made


def ink(field: TextField) -> np.ndarray:
    """Return which pixels of the field's inside aren't paper."""
    field.clearFocus()
    image = field.viewport().grab().toImage()
    pixels = np.array(image.constBits()).reshape(image.height(), image.width(), 4)[..., :3]
    return np.abs(pixels.astype(int) - pixels[-1, -1].astype(int)).max(axis=2) > 40


def test_spaces_at_both_ends_are_seen(field: TextField) -> None:
    field.set_text("xx yy")
    plain = ink(field)
    cell = field.fontMetrics().horizontalAdvance("x")
    field.set_text("  xx yy  ")
    marked = ink(field)
    letters = np.flatnonzero(plain.any(axis=0))
    wide = letters[-1] - letters[0] + 1
    seen = np.flatnonzero(marked.any(axis=0))
    # Two marks on each side make what is seen three cells wider at least.
    assert seen[-1] - seen[0] + 1 >= wide + 2.5 * cell
    # A single space between words shows nothing.
    gap = slice(round(letters[0] + 2 * cell), round(letters[0] + 3 * cell) - 2)
    assert not plain[:, gap].any()


def test_marks_stand_in_their_cells_behind_an_astral_character(field: TextField) -> None:
    field.set_text("𝌆𝌆𝌆  x")
    cursor = field.textCursor()
    places = []
    for unit in (6, 7, 8):
        cursor.setPosition(unit)
        places.append(field.cursorRect(cursor).center().x())
    seen = ink(field).any(axis=0)
    for left, right in pairwise(places):
        inside = np.flatnonzero(seen[left + 1 : right - 1])
        assert len(inside)
        assert abs(inside.mean() - (right - left - 2) / 2) < 2.5


def test_a_screen_reader_is_told(session: Any, theme: Theme, qtbot: Any) -> None:
    bar = TextBar(session, theme)
    qtbot.addWidget(bar)
    session.set_text("  two before, one after ")
    assert "2 spaces at the start, 1 space at the end" in bar.field.accessibleDescription()
    session.set_text("none")
    assert "space" not in bar.field.accessibleDescription()
