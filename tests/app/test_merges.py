"""The Merges workspace: what a person types, presses and clicks, and what is shown then."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

import engine
from app.draw.merge_rows import brick_rect, joint_rect, row_in_view
from app.draw.rank_line import LINE
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from app.views.merges.bricks import GUTTER
from app.widgets.report import Facts, Heading, Lines, Section, Sentence
from engine.bpe import Bpe
from engine.bundled import model_path
from tests.app.merging import open_merges, settle

pytestmark = pytest.mark.screen

Make = Callable[[str, str], MergesWorkspace]


@pytest.fixture
def make(qtbot: Any, session: Session, theme: Theme) -> Make:
    """Show the workspace with a text and a model: a bundled name, or a path."""

    def open_workspace(text: str, model: str) -> MergesWorkspace:
        return open_merges(qtbot, session, theme, text, model)

    return open_workspace


def follow_typing(qtbot: Any, workspace: MergesWorkspace, session: Session) -> None:
    def same() -> bool:
        followed = workspace.followed
        return followed is not None and followed.text is session.text

    qtbot.waitUntil(same, timeout=20_000)


def pieces(workspace: MergesWorkspace, row: int) -> list[str]:
    word = workspace.word
    assert word is not None
    vocabulary = word.trace.model.vocabulary
    return [vocabulary.text(int(piece)) for piece in word.row(row).piece]


def candidates(workspace: MergesWorkspace) -> list[tuple[str, str, str, str]]:
    lines = next(part for part in workspace.report.parts if isinstance(part, Lines))
    return [(line.mark, line.text, line.value, line.note) for line in lines.lines]


def cell(workspace: MergesWorkspace, row: int, column: int) -> str:
    return str(workspace.steps.data(workspace.steps.index(row, column)))


def click_item(qtbot: Any, workspace: MergesWorkspace, rect: Any) -> None:
    """Click the middle of a rectangle of the picture."""
    bricks = workspace.bricks
    x = rect.center().x() + GUTTER - bricks.horizontalScrollBar().value()
    y = rect.center().y() - bricks.verticalScrollBar().value()
    qtbot.mouseClick(bricks.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))


def test_the_order_of_merges_decides(make: Make) -> None:
    workspace = make("lower", "toy-lower")
    assert pieces(workspace, 0) == ["l", "o", "w", "e", "r"]
    assert pieces(workspace, 1) == ["l", "o", "w", "er"]
    word = workspace.word
    assert word is not None
    assert word.n_rows == 2
    assert word.row(0).rank.tolist() == [-1, -1, 1, 0, -1]
    assert word.merge(0) == ((3, 3), (4, 4))
    rules = word.rules
    assert list(zip(rules.rank.tolist(), rules.applied.tolist(), strict=True)) == [(0, 0), (1, -1)]
    # The result is what one sees first.
    assert workspace.player.position == 1
    assert workspace.bricks.row == 1
    assert candidates(workspace) == [
        ("✓", "e+r", "0", ""),
        ("×", "w+e", "1", "blocked: e is used up"),
    ]


def test_ranks_of_gpt2(make: Make, shared: Path) -> None:
    model = shared / "data/models/huggingface/gpt2.tokenizer.json"
    workspace = make("lower", str(model))
    rows = range(workspace.steps.rowCount())
    assert [cell(workspace, row, 2) for row in rows] == ["7", "66", "533", "20,781"]
    assert [cell(workspace, row, 5) for row in rows] == ["er", "ow", "ower", "lower"]
    word = workspace.word
    assert word is not None
    rules = word.rules
    outranked = rules.rank[rules.applied < 0].tolist()
    assert 9063 in outranked
    assert rules.rank[rules.applied >= 0].tolist() == [7, 66, 533, 20781]
    workspace.player.seek(3)
    parts = workspace.report.parts
    heading = next(part for part in parts if isinstance(part, Heading))
    assert (heading.small, heading.text, heading.result) == ("Step 3 of 4", "ow + er", "ower")
    facts = next(part for part in parts if isinstance(part, Facts))
    assert facts.rows == (
        ("Rank", "533"),
        ("Rules in the list", "50,000"),
        ("Token id", "789"),
        ("Bytes", "6F 77 65 72"),
    )
    said = [part.text.replace("\x01", "") for part in parts if isinstance(part, Sentence)]
    assert said[1].startswith("l+ow has rank 9,063. Rank 533 came first and made ower")
    assert said[1].endswith("The piece low (id 9319) exists, but this word never reaches it.")


def test_rows_equal_merging_by_hand(make: Make) -> None:
    workspace = make("internationalization of supercalifragilistic words", "everyday-bpe")
    followed = workspace.followed
    assert followed is not None
    trace, segmenter = followed.trace, followed.trace.model.segmenter
    assert isinstance(segmenter, Bpe)
    seen = 0
    for index in range(len(trace.prepared.fixed)):
        workspace.show_word(index)
        word = workspace.word
        assert word is not None
        now = word.row(0).piece.tolist()
        for row in range(word.n_rows):
            shown = word.row(row)
            assert shown.piece.tolist() == now
            found = [segmenter.pair(a, b) for a, b in pairwise(now)]
            assert shown.rank[:-1].tolist() == [-1 if f is None else f[0] for f in found]
            assert shown.first.tolist() == [0, *(shown.last[:-1] + 1).tolist()]
            ranked = [(f[0], i, f[1]) for i, f in enumerate(found) if f is not None]
            if not ranked:
                assert row == word.n_steps
                break
            _, i, result = min(ranked)
            assert word.merge(row) == (
                (shown.first[i], shown.last[i]),
                (shown.first[i + 1], shown.last[i + 1]),
            )
            now[i : i + 2] = [result]
            seen += 1
    assert seen == len(trace) > 20


def test_a_window_of_a_row_holds_what_is_in_it(make: Make) -> None:
    workspace = make("internationalization", "everyday-bpe")
    word = workspace.word
    assert word is not None
    whole = word.row(word.n_steps // 2)
    part = word.row(word.n_steps // 2, 5, 9)
    touched = (whole.last >= 5) & (whole.first <= 9)
    assert part.first.tolist() == whole.first[touched].tolist()
    assert part.piece.tolist() == whole.piece[touched].tolist()


def test_keys_drive_the_player(qtbot: Any, make: Make) -> None:
    workspace = make("lower newest", "everyday-bpe")
    player, bricks = workspace.player, workspace.bricks
    bricks.setFocus()
    qtbot.keyClick(bricks, Qt.Key.Key_Home)
    assert player.position == 0
    assert workspace.bricks.row == 0
    qtbot.keyClick(bricks, Qt.Key.Key_Right)
    qtbot.keyClick(bricks, Qt.Key.Key_Right)
    assert (player.position, bricks.row) == (2, 2)
    qtbot.keyClick(bricks, Qt.Key.Key_Left)
    assert bricks.row == 1
    qtbot.keyClick(bricks, Qt.Key.Key_L)
    assert player.speed == 2.0
    qtbot.keyClick(bricks, Qt.Key.Key_Space)
    assert player.playing
    qtbot.keyClick(bricks, Qt.Key.Key_Space)
    assert not player.playing
    qtbot.keyClick(bricks, Qt.Key.Key_End)
    assert player.position == player.length
    assert workspace.strip.current == 1


def test_the_word_follows_the_step(make: Make) -> None:
    workspace = make("lower newest", "everyday-bpe")
    followed = workspace.followed
    assert followed is not None
    first = len(followed.trace.steps_of(0))
    assert first > 0
    workspace.player.seek(0)
    for position in range(1, workspace.player.length + 1):
        workspace.player.step()
        word = workspace.word
        assert word is not None
        expected = 0 if position <= first else 1
        assert word.pretoken == workspace.strip.current == expected
        assert workspace.bricks.row == position - word.steps.start
    # Back again: the boundary belongs to the word one comes from.
    for position in range(workspace.player.length - 1, -1, -1):
        workspace.player.step(-1)
        word = workspace.word
        assert word is not None
        assert word.pretoken == (1 if position >= first else 0)


def test_a_move_never_decides_what_is_shown(qtbot: Any, make: Make, theme: Theme) -> None:
    workspace = make("lower", "toy-lower")
    workspace.player.seek(0)
    workspace.player.seek(1)
    assert workspace.bricks.progress == 1.0
    theme.reduce_motion(False)
    workspace.player.seek(0)
    assert workspace.bricks.progress == 1.0
    workspace.player.seek(1)
    assert workspace.bricks.row == 1
    assert workspace.bricks.progress < 1.0
    assert candidates(workspace)[0][1] == "e+r"
    qtbot.waitUntil(lambda: workspace.bricks.progress == 1.0, timeout=3000)


def test_clicking_a_brick_and_a_joint_selects(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower", "toy-lower")
    picture = workspace.bricks.picture
    assert picture is not None
    click_item(qtbot, workspace, brick_rect(picture.grid, 1, (3, 4)))
    vocabulary = picture.word.trace.model.vocabulary
    assert session.selection.span == (3, 5)
    assert session.selection.piece == vocabulary.index[b"er"]
    assert session.selection.step == 1
    sections = [p.title for p in workspace.report.parts if isinstance(p, Section)]
    assert "Selected symbol er" in sections
    click_item(qtbot, workspace, joint_rect(picture.grid, 0, (2, 2), (3, 3)))
    assert session.selection.span == (2, 4)
    assert session.selection.piece == vocabulary.index[b"we"]
    said = [p.text for p in workspace.report.parts if isinstance(p, Sentence)]
    expected = "Its rule has rank 1. Step 1 takes one of its symbols first: e+r has rank 0."
    assert any(text.replace("\x01", "") == expected for text in said)


def test_arrows_walk_along_the_row(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower", "toy-lower")
    items = workspace.bricks.items_of_row()
    assert items[:3] == [((0, 0),), ((0, 0), (1, 1)), ((1, 1),)]
    qtbot.keyClick(workspace.bricks, Qt.Key.Key_Down)
    assert session.selection.span == (0, 1)
    qtbot.keyClick(workspace.bricks, Qt.Key.Key_Down)
    assert session.selection.span == (0, 2)
    for _ in items:
        qtbot.keyClick(workspace.bricks, Qt.Key.Key_Down)
    assert session.selection.span == (3, 5)


def test_clicking_a_heading_goes_to_its_row(qtbot: Any, make: Make) -> None:
    workspace = make("lower", "toy-lower")
    qtbot.mouseClick(workspace.bricks.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(40, 40))
    assert workspace.player.position == 0


def test_the_rank_line_goes_to_the_step_of_a_rule(qtbot: Any, make: Make) -> None:
    workspace = make("lower", "everyday-bpe")
    word = workspace.word
    assert word is not None
    assert word.n_steps >= 2
    rule = int(np.flatnonzero(word.rules.applied == 1)[0])
    workspace.player.seek(0)
    x = float(workspace.ranks.scale.x(int(word.rules.rank[rule])))
    qtbot.mouseClick(workspace.ranks, Qt.MouseButton.LeftButton, pos=QPointF(x, LINE).toPoint())
    assert workspace.player.position == word.steps.start + 2


def test_rank_scale_is_logarithmic(make: Make) -> None:
    workspace = make("lower", "toy-lower")
    scale = workspace.ranks.scale
    assert float(scale.x(0)) == scale.left
    assert float(scale.x(scale.largest)) == pytest.approx(scale.right)
    assert scale.ticks[0] == 0
    assert scale.ticks[-1] == scale.largest


def test_typing_shows_the_word_that_is_typed(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower newest", "everyday-bpe")
    workspace.text_line.setCursorPosition(5)
    qtbot.keyClicks(workspace.text_line, "s")
    assert session.text.string == "lowers newest"
    follow_typing(qtbot, workspace, session)
    assert workspace.strip.current == 0
    assert "".join(pieces(workspace, 0)) == "lowers"
    workspace.text_line.setCursorPosition(len("lowers newest"))
    qtbot.keyClicks(workspace.text_line, "!")
    follow_typing(qtbot, workspace, session)
    word = workspace.word
    assert word is not None
    assert workspace.strip.current == workspace.strip.count - 1
    assert workspace.bricks.row == word.n_steps


def test_line_ends_are_marks_in_the_text_line(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower\nnew", "everyday-bpe")
    assert workspace.text_line.text() == "lower↵new"
    workspace.text_line.setCursorPosition(9)
    qtbot.keyClicks(workspace.text_line, "er")
    assert session.text.string == "lower\nnewer"
    session.set_text("a ↵ of its own")
    assert workspace.text_line.isReadOnly()


def test_words_are_chosen_by_keyboard(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower newest widest", "everyday-bpe")
    strip = workspace.strip
    assert strip.count == 3
    strip.setFocus()
    qtbot.keyClick(strip, Qt.Key.Key_End)
    assert strip.current == 2
    assert workspace.bricks.row == 0
    assert session.selection.span == (12, 19)
    qtbot.keyClick(strip, Qt.Key.Key_Left)
    assert strip.current == 1
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=strip.chips[0].rect.center().toPoint())
    assert strip.current == 0


def test_a_selection_made_elsewhere_brings_its_word(make: Make, session: Session) -> None:
    workspace = make("lower newest widest", "everyday-bpe")
    session.select(span=(13, 15))
    assert workspace.strip.current == 2


def test_the_table_seeks_and_follows(make: Make) -> None:
    workspace = make("lower newest", "everyday-bpe")
    table = workspace.table
    table.selectRow(2)
    assert workspace.player.position == 3
    workspace.player.seek(1)
    assert table.selectionModel().currentIndex().row() == 0
    assert [str(workspace.steps.headerData(i, Qt.Orientation.Horizontal)) for i in range(7)] == [
        "Step", "Word", "Rank", "Left", "Right", "Result", "Byte",
    ]  # fmt: skip
    followed = workspace.followed
    assert followed is not None
    last = workspace.steps.rowCount() - 1
    assert last + 1 == len(followed.trace)
    assert cell(workspace, last, 1) == "␣newest"


def test_table_model_is_sound(qtmodeltester: Any, make: Make) -> None:
    workspace = make("lower newest", "everyday-bpe")
    qtmodeltester.check(workspace.steps)


def test_only_what_is_in_view_is_read(make: Make) -> None:
    workspace = make("ab" * 3000, "everyday-bpe")
    word, picture = workspace.word, workspace.bricks.picture
    assert word is not None
    assert picture is not None
    assert word.n_steps > 1000
    workspace.player.seek(word.n_steps // 2)
    left = workspace.bricks.horizontalScrollBar().value()
    shown = row_in_view(word, picture.grid, 0, left, left + 1000)
    assert 5 < len(shown.piece) < 60
    assert workspace.bricks.grab().height() > 0
    # The row at hand is in view.
    top = workspace.bricks.verticalScrollBar().value()
    row_top = brick_rect(picture.grid, workspace.bricks.row, (0, 0)).top()
    assert top < row_top < top + workspace.bricks.viewport().height()


def test_a_word_too_long_for_its_room_is_shown_from_its_first_symbol(make: Make) -> None:
    workspace = make("counterrevolutionaries" * 3, "everyday-bpe")
    bricks = workspace.bricks
    assert workspace.row == bricks.row > 0
    assert bricks.horizontalScrollBar().maximum() > 0
    assert bricks.horizontalScrollBar().value() == 0


def test_bytes_of_cut_characters_are_fragments(make: Make) -> None:
    workspace = make("한", "everyday-bpe")
    picture, word = workspace.bricks.picture, workspace.word
    assert picture is not None
    assert word is not None
    row = word.row(0)
    shown = [
        picture.label(int(p), int(a), int(b))
        for p, a, b in zip(row.piece, row.start, row.end, strict=True)
    ]
    assert shown == [("ED", True), ("95", True), ("9C", True)]


def test_right_to_left_words_are_mirrored(make: Make) -> None:
    workspace = make("سلام", "everyday-bpe")
    picture = workspace.bricks.picture
    assert picture is not None
    assert picture.grid.mirrored
    first = brick_rect(picture.grid, 0, (0, 0))
    second = brick_rect(picture.grid, 0, (1, 1))
    assert first.left() > second.right()
    low, high = picture.grid.cells_in(second.left() + 1, second.right() - 1)
    assert low <= 1 <= high


def test_a_model_that_does_not_merge_says_so(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching")
    assert workspace.stack.currentWidget() is workspace.empty
    state = workspace.empty.state
    assert state is not None
    assert "toy-watching" in state.label.text()
    assert "Unigram" in state.label.text()
    assert workspace.player.length == 0
    assert state.buttons[0].text() == "Open the bundled BPE model"
    unigram = session.active
    session.add_model(engine.load(model_path("toy-lower")))
    settle(qtbot, session)
    assert workspace.stack.currentIndex() == 0
    assert unigram is not None
    session.set_active(unigram.key)
    state = workspace.empty.state
    assert state is not None
    qtbot.mouseClick(state.buttons[0], Qt.MouseButton.LeftButton)
    settle(qtbot, session)
    assert session.active is not None
    assert session.active.model.algorithm == "bpe"
    assert workspace.stack.currentIndex() == 0


def test_an_empty_text_shows_nothing(make: Make) -> None:
    workspace = make("", "everyday-bpe")
    assert workspace.word is None
    assert workspace.player.length == 0
    assert workspace.head.summary.text() == "The text is empty"


def test_closing_the_last_model_clears(make: Make, session: Session) -> None:
    workspace = make("lower", "everyday-bpe")
    assert session.active is not None
    session.close_model(session.active.key)
    assert workspace.word is None
    assert workspace.steps.rowCount() == 0


def test_a_scene_brings_word_and_step_back(
    qtbot: Any, make: Make, session: Session, theme: Theme
) -> None:
    workspace = make("lower newest", "everyday-bpe")
    workspace.show_word(1)
    workspace.player.step(2)
    state, position = workspace.view_state(), workspace.player.position
    again = MergesWorkspace(session, theme)
    qtbot.addWidget(again)
    again.restore_view_state(state)
    with qtbot.waitExposed(again):
        again.show()
    settle(qtbot, session)
    assert again.player.position == position
    assert again.strip.current == 1
    again.restore_view_state({"position": "odd"})
    assert again.player.position == position
