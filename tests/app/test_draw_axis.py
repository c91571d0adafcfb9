"""Where each byte of a text stands, and which way it runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from app.draw.axis import BYTE_CELL, CELL, AxisFonts, _shape, build_axis, build_axis_apart
from app.draw.bidi import base_direction, has_right_to_left, levels, visual_order
from app.draw.viewport import GUTTER, MARGIN, Viewport
from engine.text import Text

ARABIC = "سلام"


@pytest.fixture
def axis(theme):
    def make(string, unit="grapheme", limit=20_000):
        return build_axis(Text(string), unit, theme.piece_font, limit)

    return make


def ascending(values):
    return bool((np.diff(values) > 0).all())


# Direction


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("abc", "000"),
        ("אבג", "111"),
        ("ab אב", "00011"),
        ("אב ab", "11122"),
        # W2, I1: digits after an Arabic letter run left to right inside the right-to-left text.
        ("سل 12", "11122"),
        # W4, W5: a separator between digits and a sign beside them belong to the number.
        ("א 1,2%", "112222"),
        # N1: a neutral between two of one direction takes it; N2: else the base's.
        ("a אב, ג b", "001111100"),
        # W1: a mark runs as what it stands on.
        ("א\u05b0b", "112"),
        # W5, W6: a sign beside a number is part of it, others are neutral. W7: digits after `a`.
        ("א $$1 $ a1$", "11222111222"),
        ("a א 1+ 1", "00112112"),
        ("", ""),
    ],
)
def test_levels_of_the_bidirectional_algorithm(string, expected):
    assert "".join(str(level) for level in levels(string)) == expected


def test_the_first_strong_character_gives_the_base_direction():
    assert base_direction("12 אב ab") == 1
    assert base_direction("12 ab אב") == 0
    assert base_direction("12") == 0
    assert has_right_to_left("ab א")
    assert not has_right_to_left("ab 今 é")


def test_visual_order_turns_runs_and_keeps_numbers_inside():
    assert visual_order(levels("ab אב")).tolist() == [0, 1, 2, 4, 3]
    # Right to left as a whole; the number inside reads left to right.
    assert visual_order(levels("אב 12 ג")).tolist() == [6, 5, 3, 4, 2, 1, 0]
    assert visual_order(levels("")).tolist() == []


# Cells


def test_cells_go_on_without_gaps_and_are_wide_enough(axis):
    made = axis("The 今天 👨‍👩‍👧")
    assert made.n_units == 8
    assert made.bounds[-1] == made.shown == len("The 今天 👨‍👩‍👧".encode())
    assert np.allclose(made.left[1:], made.right[:-1])
    assert made.right[-1] == pytest.approx(made.width)
    assert ((made.right - made.left) >= CELL).all()
    assert ascending(made.lead)
    assert np.array_equal(made.lead[1:], made.trail[1:])
    assert made.labels[3] == "␣"
    assert made.labels[7] == "👨‍👩‍👧"


def test_line_ends_and_tabs_are_shown_in_one_line(axis):
    assert axis("a\tb\nc\r\nd\u200b").labels == ["a", "→", "b", "↵", "c", "␍↵", "d", "U+200B"]


def test_bytes_share_the_width_of_their_grapheme(axis):
    made = axis("a今b")
    start, end = made.left[1], made.right[1]
    assert made.lead[1:5] == pytest.approx(np.linspace(start, end, 4))
    assert made.at(np.array([2.5]), end=False)[0] == pytest.approx(start + (end - start) / 2)
    assert made.x(2.5, end=False) == pytest.approx(start + (end - start) / 2)
    assert made.x(4, end=True) == end


def test_the_byte_axis_gives_every_byte_a_cell(axis):
    made = axis("a今", "byte")
    assert (np.diff(made.lead) >= BYTE_CELL - 1e-9).all()
    assert made.n_units == 2  # the character is drawn whole, over its bytes
    assert axis("a今").width < made.width


def test_letters_that_join_are_shaped_whole(axis):
    made = axis(f"a {ARABIC} b हिन्दी")
    assert ["".join(run.graphemes) for run in made.runs] == [ARABIC, "हिन्दी"]
    assert made.labels[2:6] == [""] * 4
    assert made.runs[0].left == pytest.approx(made.left[2:6].min())
    assert made.runs[0].right == pytest.approx(made.right[2:6].max())
    # Latin with marks of its own isn't such a script.
    assert axis("e\u0301a").runs == ()


def test_right_to_left_text_mirrors_the_axis(axis):
    made = axis("אבג")
    assert made.mirrored
    assert ascending(-made.lead)
    assert made.lead[0] == pytest.approx(made.width)
    assert made.trail[-1] == pytest.approx(0)
    assert made.intervals(0, 2) == [(pytest.approx(made.left[0]), pytest.approx(made.right[0]))]


def test_where_the_direction_turns_a_boundary_has_two_places(axis):
    made = axis("ab אב cd")
    assert not made.mirrored
    here = len(b"ab ")
    assert made.trail[here] == pytest.approx(made.right[2])
    assert made.lead[here] == pytest.approx(made.right[3])  # the first letter is the rightmost
    assert made.lead[here] > made.trail[here]
    # A stretch over the turn has two parts; alone each side has one.
    assert len(made.intervals(0, here + 2)) == 2
    assert len(made.intervals(0, here)) == 1
    spans, left, right = made.rectangles(np.array([0.0, 3.0, 0.0]), np.array([5.0, 7.0, 0.0]))
    assert spans.tolist() == [0, 0, 1]
    for span, first, last in ((0, 0, 5), (1, 3, 7)):
        rows = [(x, y) for s, x, y in zip(spans, left, right, strict=True) if s == span]
        assert made.intervals(first, last) == rows
    assert right - left == pytest.approx(
        [made.right[2] - made.left[0], *(made.right[3:5] - made.left[3:5])[:1],
         made.right[3] - made.left[4]]
    )  # fmt: skip


def test_a_place_on_the_axis_leads_back_to_its_byte(axis):
    made = axis("ab אב 今")
    for unit in range(made.n_units):
        middle = (made.left[unit] + made.right[unit]) / 2
        assert made.unit_at(middle) == unit
        assert made.bounds[unit] <= made.byte_at(middle) < made.bounds[unit + 1]
    assert made.unit_at(-50) == made.visual[0]
    assert made.unit_at(1e6) == made.visual[-1]


def test_an_empty_text_has_an_axis_of_no_width(axis):
    made = axis("")
    assert (made.n_units, made.width, made.shown) == (0, 0.0, 0)
    assert made.unit_at(3.0) == -1
    assert made.byte_at(3.0) == -1
    assert made.intervals(0, 0) == []
    assert made.at(np.zeros(1), end=False).tolist() == [0.0]


def test_a_long_text_is_cut_at_a_grapheme(axis):
    string = "é" * 50
    made = axis(string, limit=33)
    assert made.shown == 32
    assert made.text.string == string
    family = "👨‍👩‍👧"
    assert axis(f"ab{family}cd", limit=8).shown == 2


# The part in view


def test_a_short_text_is_enlarged_a_long_one_scrolled(axis):
    viewport = Viewport()
    viewport.set_width(800)
    viewport.set_axis(axis("watching"))
    assert viewport.zoom > 1
    assert not viewport.overflows
    viewport.set_axis(axis("watching " * 200))
    assert viewport.zoom == 1.0
    assert viewport.overflows
    assert viewport.scroll == 0
    viewport.set_axis(axis("אב " * 200))
    assert viewport.screen(viewport.axis.width) == pytest.approx(GUTTER + 800 - MARGIN)


def test_zooming_keeps_the_place_under_the_mouse(axis):
    viewport = Viewport()
    viewport.set_width(800)
    viewport.set_axis(axis("watching " * 200))
    viewport.pan(2000)
    place = viewport.from_screen(400)
    viewport.zoom_by(1.5, 400)
    assert viewport.from_screen(400) == pytest.approx(place)
    viewport.fit()
    assert (viewport.zoom, viewport.scroll, viewport.fitted) == (1.0, 0.0, True)


def test_reveal_scrolls_no_more_than_needed(axis):
    viewport = Viewport()
    viewport.set_width(800)
    viewport.set_axis(axis("watching " * 200))
    viewport.reveal(10, 40)
    assert viewport.scroll == 0
    viewport.reveal(5000, 5040)
    first, last = viewport.visible
    assert first <= 5000
    assert last >= 5040
    viewport.show_all()
    assert not viewport.overflows
    viewport.scroll_to(1e9)
    assert viewport.scroll == 0.0


@pytest.mark.parametrize("unit", ["grapheme", "byte"])
def test_another_thread_measures_the_same(axis, theme, unit):
    # What was shaped before may have been with the fonts of another window.
    _shape.cache_clear()
    text = Text(f"a {ARABIC} b हिन्दी 👨‍👩‍👧‍👦 שלום {ARABIC} สวัสดี 今天")
    here = build_axis(text, unit, theme.piece_font, 20_000)
    with ThreadPoolExecutor(1) as pool:
        fonts = AxisFonts.of(theme.piece_font)
        there = pool.submit(build_axis_apart, text, unit, fonts, 20_000).result()
    assert there.labels == here.labels
    for part in ("bounds", "left", "right", "turned", "advance", "lead", "trail", "stretches"):
        assert np.array_equal(getattr(there, part), getattr(here, part)), part
    assert [(r.graphemes, r.natural, r.left) for r in there.runs] == [
        (r.graphemes, r.natural, r.left) for r in here.runs
    ]
    assert len(there.runs) > 2
    # The line is shaped by who draws it.
    assert there.runs[0].line.naturalTextWidth() == here.runs[0].natural
