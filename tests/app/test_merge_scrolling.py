"""The rows of bricks scroll by whole rows, so that none is cut at the top."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.draw.merge_rows import BRICK, ROW, TOP
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from tests.app.merging import open_merges
from tests.app.turning import turn


@pytest.fixture
def workspace(qtbot: Any, session: Session, theme: Theme) -> MergesWorkspace:
    return open_merges(qtbot, session, theme, "tokenizers", "everyday-bpe", 620)


def whole_rows(workspace: MergesWorkspace) -> range:
    """Return the rows of which all bricks are in view; the topmost seen has to be among them."""
    bricks = workspace.bricks
    word = workspace.word
    assert word is not None
    top = bricks.verticalScrollBar().value()
    bottom = top + bricks.viewport().height()
    inset = TOP + (ROW - BRICK) / 2
    ends = [(inset + row * ROW, inset + row * ROW + BRICK) for row in range(word.n_rows)]
    whole = [row for row, (a, b) in enumerate(ends) if a >= top and b <= bottom]
    seen = [row for row, (a, b) in enumerate(ends) if b > top and a < bottom]
    assert whole
    assert seen[0] == whole[0]
    return range(whole[0], whole[-1] + 1)


@pytest.mark.parametrize("height", [560, 620, 660, 700])
def test_no_row_is_cut_at_the_top_wherever_the_player_stands(
    qtbot: Any, workspace: MergesWorkspace, height: int
) -> None:
    workspace.resize(1200, height)
    qtbot.wait(1)
    word = workspace.word
    assert word is not None
    rows = list(range(word.n_rows))
    assert len(rows) > 4
    assert workspace.bricks.verticalScrollBar().maximum() > 0
    for row in [*rows, *reversed(rows)]:
        workspace.player.seek(word.steps.start + row)
        whole = whole_rows(workspace)
        assert row in whole
        assert row == 0 or row - 1 in whole


def test_a_notch_of_the_wheel_is_a_row(qtbot: Any, workspace: MergesWorkspace) -> None:
    workspace.player.seek(0)
    bricks = workspace.bricks
    assert whole_rows(workspace)[0] == 0
    turn(bricks.viewport(), -120)
    assert whole_rows(workspace)[0] == 1


def test_parts_of_a_notch_add_up(qtbot: Any, workspace: MergesWorkspace, session: Session) -> None:
    bricks, control = workspace.bricks, Qt.KeyboardModifier.ControlModifier
    before = bricks._zoom
    for eighths in (15, -15) * 4:  # a finger that trembles
        turn(bricks.viewport(), eighths, control)
    assert bricks._zoom == before
    seen = []
    for _ in range(8):
        turn(bricks.viewport(), 30, control)
        seen.append(bricks._zoom)
    assert len(set(seen)) == 3
    assert seen[2] == before < seen[3] == seen[6] < seen[7]
    session.set_text("low " * 40)
    strip = workspace.strip
    qtbot.waitUntil(lambda: strip.count >= 40)
    turn(strip, -240)
    assert strip.chips[0].index == 4
    for eighths in (30, 30, 30, -90):
        turn(strip, eighths)
        assert strip.chips[0].index == 4
    turn(strip, 120)
    assert strip.chips[0].index == 2
