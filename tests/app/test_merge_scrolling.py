"""The rows of bricks scroll by whole rows, so that none is cut at the top."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from app.draw.merge_rows import BRICK, ROW, TOP
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace
from tests.app.merging import open_merges


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
    centre = QPointF(bricks.viewport().rect().center())
    down = QWheelEvent(
        centre, bricks.viewport().mapToGlobal(centre), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(bricks.viewport(), down)
    assert whole_rows(workspace)[0] == 1
