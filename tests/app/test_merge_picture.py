"""The pictures of Merges: how a word fits its room, what stays in view, which rules are named."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF

import engine
from app.draw.merge_grid import MARGIN, NARROW, Needs, fit_grid, needs_of, rank_widths
from app.draw.merge_labels import Labels
from app.draw.merge_rows import brick_rect
from app.draw.rank_line import LINE, Placed, Placement, RankScale, place_labels, rules_at
from app.draw.word import Rules, Word
from app.player import Player
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from app.views.merges.bricks import GUTTER, BrickRows
from app.views.merges.rank_view import RankView
from engine.bundled import model_path
from engine.model import Model
from engine.text import Text

LONG = "counterrevolutionaries" * 3


@pytest.fixture(scope="module")
def model() -> Model:
    return engine.load(model_path("everyday-bpe"))


def word_of(model: Model, text: str) -> tuple[Word, Labels]:
    trace = model.merges(Text(text))
    return Word(trace, 0), Labels(trace)


# Room


def test_a_word_is_as_wide_as_its_room_while_that_suffices() -> None:
    needs = Needs(18.0, np.array([16.0, 40.0, 30.0]), 50.0)
    least = 4 * 18 + 86 + 2 * MARGIN
    for room in (least, least + 40, least + 100, 500.0):
        grid = fit_grid(needs, room)
        assert grid.width == pytest.approx(room)
        assert grid.cell >= needs.symbol
        assert (grid.joints >= needs.joints - 1e-9).all()
    assert fit_grid(needs, least - 30).width == pytest.approx(least)
    roomy = fit_grid(needs, 480.0)
    assert roomy.joints.tolist() == [50.0, 50.0, 50.0]
    assert roomy.cell > NARROW
    assert roomy.rank_size == SIZE_DATA
    assert fit_grid(needs, least).rank_size == SIZE_NOTE


def test_bricks_stand_side_by_side_and_over_their_symbols() -> None:
    needs = Needs(18.0, np.array([16.0, 40.0, 30.0]), 50.0)
    for mirrored in (False, True):
        grid = fit_grid(needs, 300.0, mirrored=mirrored)
        places = sorted((grid.left(i, i), i) for i in range(4))
        assert [i for _, i in places] == ([3, 2, 1, 0] if mirrored else [0, 1, 2, 3])
        assert places[0][0] == pytest.approx(MARGIN)
        for (a, i), (b, j) in pairwise(places):
            assert b - (a + grid.size(i, i)) == pytest.approx(grid.joints[min(i, j)])
        assert grid.left(1, 2) == pytest.approx(min(grid.left(1, 1), grid.left(2, 2)))
        assert grid.size(1, 2) == pytest.approx(2 * grid.cell + grid.joints[1])
        for i in range(4):
            low, high = grid.cells_in(grid.left(i, i) + 1, grid.left(i, i) + grid.cell - 1)
            assert low <= i <= high


def test_every_rank_fits_its_joint(model: Model, theme: Theme, qtbot: Any) -> None:
    word, labels = word_of(model, "unbelievableness")
    needs = needs_of(word, labels.symbol, theme)
    winner, plain = rank_widths(theme, SIZE_NOTE)
    checked = 0
    for r in range(word.n_rows):
        row = word.row(r)
        won = word.merge(r)[0][1] if r < word.n_steps else -1
        for last, rank in zip(row.last[:-1].tolist(), row.rank[:-1].tolist(), strict=True):
            if rank >= 0:
                digits = len(str(rank))
                need = winner[digits] if last == won else plain[digits]
                assert needs.joints[last] > need
                checked += 1
    assert checked > word.n_steps
    metrics = QFontMetricsF(theme.piece_font(SIZE_NOTE))
    assert needs.symbol > max(metrics.horizontalAdvance(char) for char in "unbelievableness")


# Scrolling


@pytest.fixture
def rows(qtbot: Any, theme: Theme) -> BrickRows:
    theme.reduce_motion(True)
    rows = BrickRows(Player(), theme)
    qtbot.addWidget(rows)
    rows.resize(900, 500)
    with qtbot.waitExposed(rows):
        rows.show()
    return rows


def test_a_word_of_twelve_letters_needs_no_scrolling(rows: BrickRows, model: Model) -> None:
    word, labels = word_of(model, "watchfulness")
    rows.set_word(word, labels, word.n_steps)
    assert rows.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("text", [LONG, "الديمقراطيةالاجتماعيةالاشتراكية"])
def test_a_long_word_starts_at_its_first_symbol(rows: BrickRows, model: Model, text: str) -> None:
    word, labels = word_of(model, text)
    rows.set_word(word, labels, word.n_steps)
    across = rows.horizontalScrollBar()
    assert across.maximum() > 0
    picture = rows.picture
    assert picture is not None
    for width in (900, 700, 820):
        rows.resize(width, 500)
        first = brick_rect(picture.grid, 0, (0, 0))
        room = rows.viewport().width() - GUTTER
        assert across.value() <= first.left()
        assert first.right() <= across.value() + room


@pytest.mark.parametrize("text", [LONG, "الديمقراطيةالاجتماعيةالاشتراكية"])
def test_each_merge_is_in_view_with_its_neighbours(
    rows: BrickRows, model: Model, text: str
) -> None:
    word, labels = word_of(model, text)
    rows.set_word(word, labels, 0)
    picture = rows.picture
    assert picture is not None
    across, room = rows.horizontalScrollBar(), rows.viewport().width() - GUTTER
    moved = set()
    for row in range(1, word.n_rows):
        rows.set_row(row)
        (first, seam), (_, last) = word.merge(row - 1)
        around = max(first - 1, 0), min(last + 1, word.symbols - 1)
        rect = brick_rect(picture.grid, row, around)
        left, right = across.value(), across.value() + room
        if rect.width() < room - 60:
            assert left <= rect.left()
            assert rect.right() <= right
        else:  # then at least the seam
            one = brick_rect(picture.grid, row, (seam, seam))
            assert left <= one.center().x() <= right
        moved.add(left)
    assert len(moved) > 1


# Rank line


def boxes(placed: tuple[Placed, ...]) -> list[tuple[Placed, Placed]]:
    return [(a, b) for i, a in enumerate(placed) for b in placed[i + 1 :]]


def test_labels_never_meet_and_those_left_out_are_counted(model: Model, theme: Theme) -> None:
    word, labels = word_of(model, "internationalization")
    rules, scale = word.rules, RankScale(200.0, 900.0, 5000)

    def name(i: int) -> str:
        return labels.rule(int(rules.left[i]), int(rules.right[i]))

    for row in range(word.n_rows):
        placed = place_labels(scale, rules, row, name, theme)
        for kind in (placed.winners, placed.outranked):
            for a, b in boxes(kind):
                assert not a.box.intersects(b.box)
        won = int((rules.applied >= 0).sum())
        assert len(placed.winners) + placed.winners_left == won
        assert len(placed.outranked) + placed.outranked_left == len(rules.rank) - won
        if row:
            at_hand = {i for i in range(len(rules.rank)) if rules.applied[i] == row - 1}
            assert at_hand <= {label.rule for label in placed.winners}


def crowded(count: int) -> Rules:
    """Rules with neighbouring ranks, none of them ever applied."""
    rank = np.arange(1000, 1000 + count, dtype=np.int32)
    return Rules(rank, rank, rank, rank, np.full(count, -1, dtype=np.int32))


def test_a_selected_rule_takes_the_room_of_another(theme: Theme) -> None:
    rules, scale = crowded(30), RankScale(200.0, 900.0, 5000)

    def placement(selected: int) -> Placement:
        return place_labels(scale, rules, 0, lambda i: f"rule{i}", theme, selected)

    before = placement(-1)
    assert len(before.outranked) < 30
    assert before.outranked_left == 30 - len(before.outranked)
    named = {label.rule for label in before.outranked}
    hidden = next(i for i in range(30) if i not in named)
    after = placement(hidden)
    assert hidden in {label.rule for label in after.outranked}
    assert after.outranked_left == 30 - len(after.outranked)


def test_a_place_gives_all_rules_near_it_and_a_label_its_own(theme: Theme) -> None:
    rules, scale = crowded(4), RankScale(200.0, 900.0, 5000)
    placed = place_labels(scale, rules, 0, lambda i: f"rule{i}", theme)
    x = float(scale.x(1002))
    found = rules_at(scale, rules, placed, x, LINE)
    assert found[0] == 2
    assert sorted(found) == [0, 1, 2, 3]
    label = placed.outranked[0]
    assert rules_at(scale, rules, placed, label.box.center().x(), label.box.center().y()) == [
        label.rule
    ]
    assert rules_at(scale, rules, placed, 205.0, LINE) == []


def test_arrows_reach_every_rule_and_say_which_it_is(
    qtbot: Any, model: Model, theme: Theme
) -> None:
    word, labels = word_of(model, "internationalization")
    view = RankView(Player(), theme)
    qtbot.addWidget(view)
    view.resize(500, 150)
    view.set_word(word, labels, 0, 5000)
    view.chosen.connect(view.select)
    told = []
    for _ in word.rules.rank:
        qtbot.keyClick(view, Qt.Key.Key_Down)
        told.append(view.accessibleDescription())
    assert len(set(told)) == len(word.rules.rank)
    lost = [text for text in told if text.endswith("outranked every time")]
    assert len(lost) == int((word.rules.applied < 0).sum()) > 0
    kinds = view.placement
    assert view.selected in {label.rule for label in (*kinds.winners, *kinds.outranked)}
    assert view.rules_at(QPointF(float(view.scale.x(0)) - 20, LINE)) == []
