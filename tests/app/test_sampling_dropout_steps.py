"""The steps of a dropout: table, coins in the lane, those that touch the selection."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

import engine
from app.session import Session
from app.views.sampling import SamplingWorkspace
from app.views.sampling.drop_lane import HEAD, ROW
from engine.bundled import model_path
from engine.traces.dropout import DropTrace
from tests.app.sampling import Make, make, settle

__all__ = ["make"]

pytestmark = pytest.mark.screen

TEXT = "lower newest lower"


@pytest.fixture(params=["everyday-bpe", "everyday-wordpiece"])
def workspace(request: pytest.FixtureRequest, make: Make) -> SamplingWorkspace:
    return make(TEXT, request.param)


def cells(workspace: SamplingWorkspace, row: int) -> list[str]:
    model = workspace.events
    return [str(model.data(model.index(row, column))) for column in range(model.columnCount())]


def test_the_table_of_steps_is_the_trace(
    qtbot: Any, qtmodeltester: Any, workspace: SamplingWorkspace
) -> None:
    passes, model = workspace.passes, workspace.events
    assert passes is not None
    trace = passes.dropped
    assert trace is not None
    assert model.rowCount() == len(trace) == workspace.player.length > 3
    titles = [str(model.headerData(c, Qt.Orientation.Horizontal)) for c in range(5)]
    whole = not isinstance(trace, DropTrace)
    assert titles == ["Step", "Word", "Piece" if whole else "Pair", "u", "Verdict"]
    for row in range(len(trace)):
        event, shown = trace.event(row), cells(workspace, row)
        assert shown[:2] == [str(row + 1), str(event.pretoken + 1)]
        if event.u == event.u:
            assert shown[3] == f"{event.u:.3f}"
            assert shown[4].startswith("dropped") == (event.u < trace.p)
    workspace.player.seek(2)
    assert workspace.event_table.currentIndex().row() == 1
    workspace.event_table.selectRow(2)
    assert workspace.player.position == 3
    qtmodeltester.check(model)


def test_a_click_on_a_coin_goes_to_its_step(qtbot: Any, workspace: SamplingWorkspace) -> None:
    lane = workspace.rows.dropped
    rows = lane.rows()
    assert len(rows) > 1
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=QPoint(40, round(HEAD + ROW / 2)))
    assert workspace.player.position == rows[0].step + 1
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=QPoint(40, 10))
    assert workspace.player.position == rows[0].step + 1


def test_steps_that_touch_the_selection_are_marked(
    qtbot: Any, workspace: SamplingWorkspace, session: Session
) -> None:
    passes, player = workspace.passes, workspace.player
    assert passes is not None
    trace = passes.dropped
    assert trace is not None
    session.select(span=(13, 18))  # the second "lower"
    events = [trace.event(k) for k in range(len(trace))]
    spans = [trace.prepared.span(event.start, event.end) for event in events]
    wanted = [k + 1 for k, (a, b) in enumerate(spans) if b > 13 and a < 18]
    assert player.marks.tolist() == wanted
    assert 0 < len(wanted) < len(trace)
    player.seek(0)
    qtbot.keyClick(workspace.rows.dropped, Qt.Key.Key_Period)
    assert player.position == wanted[0]


def test_each_kind_of_model_keeps_its_methods(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower", "toy-watching", ("viterbi", "perfect", "ffbs"))
    merging = session.add_model(engine.load(model_path("everyday-bpe")))
    first = session.models[0].key
    session.set_active(merging.key)
    settle(qtbot, workspace, session)
    assert workspace.methods == ("bpe-dropout",)
    workspace.choose_methods(("bpe-dropout-huggingface", "uniform"))
    settle(qtbot, workspace, session)
    session.set_active(first)
    settle(qtbot, workspace, session)
    assert workspace.methods == ("viterbi", "perfect", "ffbs")
    state = workspace.view_state()
    workspace.choose_methods(("nbest",))
    workspace.restore_view_state(state)
    settle(qtbot, workspace, session)
    assert workspace.methods == ("viterbi", "perfect", "ffbs")
    session.set_active(merging.key)
    settle(qtbot, workspace, session)
    assert workspace.methods == ("bpe-dropout-huggingface", "uniform")
