"""WordPiece in the Merges workspace: each try in the player, the table, the inspector, in words."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

import engine
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from app.widgets.report import Heading, Lines
from engine.bundled import model_path
from engine.traces.longest import TryKind
from tests.app.merging import open_merges

pytestmark = pytest.mark.screen


@pytest.fixture
def workspace(qtbot: Any, session: Session, theme: Theme) -> MergesWorkspace:
    return open_merges(qtbot, session, theme, "watching q☃y", "everyday-wordpiece")


def told(workspace: MergesWorkspace) -> str:
    return workspace.longest.head.story.told


def column(workspace: MergesWorkspace, number: int) -> list[str]:
    model = workspace.longest.steps
    return [str(model.data(model.index(row, number))) for row in range(model.rowCount())]


def test_each_try_is_a_step(workspace: MergesWorkspace) -> None:
    page = workspace.longest
    assert page.isVisible()
    looked_up = column(workspace, 2)
    assert looked_up[:8] == [
        "watching", "watchin", "watchi", "watch", "watc", "wat", "wa", "##tching",
    ]  # fmt: skip
    assert column(workspace, 3)[6:8] == ["✓ found", "× no such piece"]
    assert [text for text in column(workspace, 4) if text] == [
        "wa", "##t", "##ch", "##ing", "q", "[UNK]",
    ]  # fmt: skip
    assert workspace.player.length == len(looked_up) == 24
    # The result is what one sees first.
    assert page.word is not None
    assert workspace.player.position == page.word.steps.stop == 18


def test_the_player_says_what_each_try_does(workspace: MergesWorkspace) -> None:
    player = workspace.player
    player.seek(0)
    assert told(workspace).startswith("The whole word watching is looked up first")
    player.step()
    assert told(workspace) == "watching isn't in the vocabulary: one letter less is tried next."
    player.seek(7)
    assert told(workspace) == (
        "wa is in the vocabulary: a token. The search goes on with ##tching, where ## says that "
        "it is inside of a word."
    )
    lines = next(part for part in workspace.report.parts if isinstance(part, Lines))
    assert [line.text for line in lines.lines] == ["wa"]
    player.seek(18)
    assert told(workspace) == "##ing is in the vocabulary. It is the last of 4 tokens."


def test_a_failure_gives_up_what_was_found(workspace: MergesWorkspace) -> None:
    workspace.player.seek(23)
    page = workspace.longest
    assert page.word is not None
    assert page.word.pretoken == workspace.longest.strip.current == 1
    assert told(workspace) == "##☃ isn't in the vocabulary, and no letter is left to drop."
    lines = next(part for part in workspace.report.parts if isinstance(part, Lines))
    assert [line.text for line in lines.lines] == ["q"]
    workspace.player.step()
    assert told(workspace).endswith("the word as a whole is [UNK]. What was found before, q, is "
                                    "given up.")  # fmt: skip
    heading = next(part for part in workspace.report.parts if isinstance(part, Heading))
    assert (heading.text, heading.result) == ("q☃y", "[UNK]")
    assert page.word.tried(6).kind == TryKind.FAIL
    assert workspace.tries.currentIndex().row() == 23


def test_keys_and_the_table_move_the_player(qtbot: Any, workspace: MergesWorkspace) -> None:
    rows = workspace.longest.rows
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Home)
    assert (workspace.player.position, rows.row) == (0, 0)
    qtbot.keyClick(rows, Qt.Key.Key_Right)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert rows.row == 2
    assert rows.heading(2) == ("Try 2 ×", "watchin")
    workspace.tries.selectRow(20)
    assert workspace.player.position == 21
    assert workspace.longest.strip.current == 1
    assert rows.row == 3


def test_typing_is_followed(qtbot: Any, workspace: MergesWorkspace, session: Session) -> None:
    page = workspace.longest
    qtbot.keyClicks(page.top.text_line, " we")
    qtbot.waitUntil(
        lambda: page.followed is not None and page.followed.text is session.text, timeout=20_000
    )
    assert session.text.string == "watching q☃y we"
    assert page.strip.current == 2
    assert column(workspace, 2)[-1] == "we"


def test_another_model_brings_the_bricks_back(
    qtbot: Any, workspace: MergesWorkspace, session: Session
) -> None:
    session.add_model(engine.load(model_path("toy-lower")))
    qtbot.waitUntil(lambda: workspace.followed is not None, timeout=20_000)
    assert not workspace.longest.isVisible()
    assert workspace.longest.followed is None
    assert workspace.bricks.isVisible()
    assert workspace.steps.rowCount() == workspace.player.length == 0
    session.set_active(session.models[0].key)
    qtbot.waitUntil(lambda: workspace.longest.followed is not None, timeout=20_000)
    assert workspace.player.length == 24
    assert workspace.word is None
