"""Merges: what a step costs and says, what ranks are, still words, and the places of scenes."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

import engine
from app.draw.merge_labels import WHOLE, Labels, in_short
from app.draw.rank_line import place_labels, winners_painted
from app.draw.word import Rules, Word
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from app.views.merges.follow import WhatIf
from app.views.merges.head import StoryLine
from app.widgets.report import MARK, Facts, Heading, Sentence
from engine.bundled import model_path
from engine.traces.merges import MergeTrace
from tests.app.merging import open_merges, settle

pytestmark = pytest.mark.screen


@pytest.fixture
def workspace(qtbot: Any, session: Session, theme: Theme) -> MergesWorkspace:
    return open_merges(qtbot, session, theme, "watching a lower", "everyday-bpe")


def facts(workspace: MergesWorkspace) -> tuple[tuple[str, str], ...]:
    return next(part for part in workspace.report.parts if isinstance(part, Facts)).rows


# Steps


def test_a_step_looks_at_its_rivals_once(
    workspace: MergesWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, asked = MergeTrace.event, []
    monkeypatch.setattr(MergeTrace, "event", lambda self, k: asked.append(k) or whole(self, k))
    workspace.player.seek(2)
    workspace.player.seek(1)
    assert asked == [1, 0]


def test_rows_say_where_the_player_stands(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    rows, player = workspace.bricks, workspace.player
    player.seek(0)
    assert rows.accessibleDescription() == "Start: 8 symbols"
    player.seek(2)
    assert rows.accessibleDescription() == "Step 2 of 4: a + t, rank 99"
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert rows.accessibleDescription().startswith("w: token id 119")
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert rows.accessibleDescription() == "w+at: no merge rule"
    player.seek(3)
    assert rows.accessibleDescription() == "Step 3 of 4: c + h, rank 112"
    session.add_model(engine.load(model_path("everyday-wordpiece")))
    qtbot.waitUntil(lambda: workspace.longest.followed is not None)
    player.seek(0)
    assert workspace.longest.rows.accessibleDescription() == "Start"
    player.step(2)
    assert workspace.longest.rows.accessibleDescription() == "Try 2 ×: watchin"


def test_the_inspector_rests_between_steps(qtbot: Any, workspace: MergesWorkspace) -> None:
    report, shown = workspace.report, []
    qtbot.wait(300)
    report.document().contentsChanged.connect(lambda: shown.append(report.toPlainText()))
    for step in (0, 1, 2, 3):
        workspace.player.seek(step)
    assert shown == []
    qtbot.waitUntil(lambda: bool(shown) and "Step 3 of 4" in shown[-1])
    assert not any("Step 2 of 4" in text for text in shown)


def test_labels_of_a_step_are_those_of_the_whole_line(
    workspace: MergesWorkspace, theme: Theme
) -> None:
    view = workspace.ranks
    trace = engine.load(model_path("everyday-bpe")).merges("internationalization")
    word, labels = Word(trace, 0), Labels(trace)
    view.set_word(word, labels, 0, 2_742)
    rules = word.rules
    places = [(row, -1) for row in range(word.n_rows)] + [(3, i) for i in range(len(rules.rank))]
    for row, selected in places:
        view.set_row(row)
        view.select(selected)
        fresh = place_labels(view.scale, rules, row, view._name, theme, selected)
        for kind in ("winners", "outranked"):
            now, then = getattr(view.placement, kind), getattr(fresh, kind)
            assert [(p.rule, p.line, p.left) for p in now] == [
                (p.rule, p.line, p.left) for p in then
            ]


def test_marks_on_one_pixel_are_painted_once() -> None:
    rank = np.arange(1_000, dtype=np.int32)
    rules = Rules(rank, rank, rank, rank, rank)
    x = np.repeat(np.arange(10.0), 100)
    painted = winners_painted(x, rules, 500, {7, 950})
    # Ten pixels, those of the rules named, and the step at hand, which comes last.
    assert len(painted) == 10 + 2
    assert {7, 950} < set(painted)
    assert painted[-1] == 499
    assert {99, 199, 299, 399, 500, 600} < set(painted)


def test_a_long_word_is_written_short() -> None:
    text = "é" * WHOLE + "z"
    trace = engine.load(model_path("toy-lower")).merges(text)
    shown = Labels(trace).pretoken(0)
    assert len(shown) < WHOLE
    assert set(shown) == {"é", "…", "z"}
    assert shown.endswith("éz")


# Ranks


def test_ranks_of_a_list_and_of_another_rule(qtbot: Any, workspace: MergesWorkspace) -> None:
    workspace.player.seek(2)
    assert facts(workspace)[:2] == (("Rank", "99"), ("Rules in the list", "2,743"))
    workspace.player.seek(0)
    assert "its place in the model's list, counted from 0" in workspace.head.story.told
    workspace.what_ifs.ask(WhatIf("joined"))
    qtbot.waitUntil(lambda: workspace.followed.what_if is not None)
    workspace.player.seek(0)
    assert "is the rank of the text that they make together" in workspace.head.story.told
    workspace.player.seek(2)
    assert [name for name, _ in facts(workspace)] == ["Rank", "Token id", "Bytes"]


def test_ranks_of_a_rank_file_are_no_places(
    qtbot: Any, session: Session, theme: Theme, tmp_path: Path
) -> None:
    path = tmp_path / "few.tiktoken"
    pieces = [bytes([i]) for i in range(256)] + [b"lo", b"low"]
    lines = (f"{base64.b64encode(piece).decode()} {i}" for i, piece in enumerate(pieces))
    path.write_text("\n".join(lines) + "\n")
    workspace = open_merges(qtbot, session, theme, "low", str(path))
    workspace.player.seek(2)
    assert facts(workspace)[:2] == (("Rank", "257"), ("Pieces that merge", "2"))
    said = [p.text.replace(MARK, "") for p in workspace.report.parts if isinstance(p, Sentence)]
    assert said[0] == "lo+w (rank 257) is the only pair that a rule joins."
    workspace.player.seek(0)
    assert "is the rank of the text that they make together" in workspace.head.story.told


# Words


def test_a_word_in_which_nothing_happens_says_so(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    session.set_text("lower,")
    qtbot.waitUntil(lambda: workspace.followed.text is session.text)
    strip = workspace.strip
    tips = [strip.tip_at(chip.rect.center()) for chip in strip.chips]
    assert tips == ["Word 1 of 2: lower", "Word 2 of 2: ,. Nothing merges in it"]
    workspace.show_word(1)
    assert strip.accessibleName() == tips[1]
    # By its line, too, not by the colour of its ink alone.
    image = strip.grab().toImage()
    rect = strip.chips[1].rect
    workspace.show_word(0)
    image = strip.grab().toImage()
    row = round(rect.top()) + 1
    line = {image.pixel(x, row - 1) for x in range(round(rect.left()) + 5, round(rect.right()) - 5)}
    assert len(line) > 1


def test_a_long_word_leaves_room_for_its_counts(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    session.set_text("counterrevolutionaries" * 8)
    qtbot.waitUntil(lambda: workspace.followed.text is session.text)
    qtbot.wait(1)
    head = workspace.head
    assert head.title.width() < head.title.sizeHint().width()
    assert head.summary.width() >= head.summary.sizeHint().width()


def test_a_sentence_runs_from_the_left_whatever_its_first_piece(qtbot: Any, theme: Theme) -> None:
    line = StoryLine(theme)
    qtbot.addWidget(line)
    line.resize(800, 50)
    line.tell("ر and ت join.")
    image = line.grab().toImage()
    back = image.pixel(799, 49)
    inked = [x for x in range(800) if any(image.pixel(x, y) != back for y in range(50))]
    assert inked[0] < 100
    assert inked[-1] < 400


# Scenes


def test_a_scene_brings_back_a_place_in_wordpiece(
    qtbot: Any, session: Session, theme: Theme
) -> None:
    workspace = open_merges(qtbot, session, theme, "watching lower newest", "everyday-wordpiece")
    page = workspace.longest
    page.show_word(1)
    workspace.player.step(2)
    state, position = workspace.view_state(), workspace.player.position
    assert state["word"] == 1
    page.show_word(0)
    workspace.restore_view_state(state)
    assert (page.strip.current, workspace.player.position) == (1, position)
    # In a workspace that has yet to follow the text.
    again = MergesWorkspace(session, theme)
    qtbot.addWidget(again)
    again.restore_view_state(state)
    with qtbot.waitExposed(again):
        again.show()
    settle(qtbot, session)
    assert (again.longest.strip.current, again.player.position) == (1, position)


def test_a_place_belongs_to_its_model_and_text(qtbot: Any, session: Session, theme: Theme) -> None:
    text = "lower newest watching"
    workspace = open_merges(qtbot, session, theme, text, "everyday-wordpiece")
    workspace.restore_view_state({"word": 2, "position": 5})
    session.add_model(engine.load(model_path("everyday-bpe")))
    qtbot.waitUntil(lambda: workspace.followed is not None)
    assert workspace.strip.current == 0
    # Asked for, and before it is followed another text is there.
    workspace.hide()
    session.set_text(text + ".")
    workspace.restore_view_state({"word": 2, "position": 5})
    session.set_text("the lower newest watching")
    workspace.show()
    qtbot.waitUntil(lambda: workspace.followed.text is session.text)
    assert workspace.strip.current == 0


@pytest.mark.parametrize("model", ["toy-lower", "everyday-wordpiece"])
def test_the_heading_of_a_long_word_is_short(
    qtbot: Any, session: Session, theme: Theme, model: str
) -> None:
    workspace = open_merges(qtbot, session, theme, "x" * 5_000, model)
    workspace.player.seek(1)
    heading = next(part for part in workspace.report.parts if isinstance(part, Heading))
    assert heading.text == in_short("x" * 100)
