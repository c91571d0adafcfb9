"""The player's marks: the steps that touch what is selected, in Merges and in Sampling."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

import engine
from app.views.merges import MergesWorkspace
from app.views.sampling import SamplingWorkspace
from engine.bundled import model_path

pytestmark = pytest.mark.screen

TEXT = "lower newest lower"


@pytest.fixture
def make(qtbot, session, theme):
    def make(kind, model):
        theme.reduce_motion(True)
        session.set_text(TEXT)
        session.add_model(engine.load(model_path(model)))
        workspace = kind(session, theme)
        qtbot.addWidget(workspace)
        with qtbot.waitExposed(workspace):
            workspace.show()
        qtbot.waitUntil(lambda: not session.busy and workspace.player.length > 0)
        return workspace

    return make


def test_steps_of_merging_that_touch_the_selection(qtbot, make, session):
    workspace = make(MergesWorkspace, "everyday-bpe")
    player, trace = workspace.player, workspace.followed.trace
    assert len(player.marks) == 0
    session.select(span=(13, 18))  # the second "lower"
    places = [trace.prepared.span(int(a), int(b)) for a, b in zip(
        trace.steps.start, trace.steps.end, strict=True)]  # fmt: skip
    wanted = [k + 1 for k, (a, b) in enumerate(places) if b > 13 and a < 18]
    assert player.marks.tolist() == wanted
    assert 0 < len(wanted) < len(trace)
    player.seek(0)
    workspace.bricks.setFocus()
    qtbot.keyClick(workspace.bricks, Qt.Key.Key_Period)
    assert player.position == wanted[0]
    qtbot.keyClick(workspace.bricks, Qt.Key.Key_Period)
    assert player.position == wanted[1]
    qtbot.keyClick(workspace.bricks, Qt.Key.Key_Comma)
    assert player.position == wanted[0]
    # Its own steps change the selected step, not what is marked.
    assert player.marks.tolist() == wanted
    session.set_text(TEXT + " low")
    qtbot.waitUntil(lambda: workspace.followed.text is session.text)
    again = workspace.followed.trace
    ends = [again.prepared.span(int(a), int(b)) for a, b in zip(
        again.steps.start, again.steps.end, strict=True)]  # fmt: skip
    span = session.selection.span
    marked = [] if span is None else [
        k + 1 for k, (a, b) in enumerate(ends) if b > span[0] and a < span[1]
    ]  # fmt: skip
    assert player.marks.tolist() == marked


def test_tries_of_wordpiece_that_touch_the_selection(qtbot, make, session):
    workspace = make(MergesWorkspace, "everyday-wordpiece")
    player, trace = workspace.player, workspace.longest.followed.trace
    session.select(span=(6, 9))  # "new" of "newest"
    places = [trace.prepared.span(int(a), int(b)) for a, b in zip(
        trace.start, trace.end, strict=True)]  # fmt: skip
    wanted = [k + 1 for k, (a, b) in enumerate(places) if b > 6 and a < 9]
    assert player.marks.tolist() == wanted
    assert 0 < len(wanted) < len(trace)
    player.seek(0)
    rows = workspace.longest.rows
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Period)
    assert player.position == wanted[0]
    session.add_model(engine.load(model_path("toy-lower")))
    qtbot.waitUntil(lambda: workspace.followed is not None)
    steps = workspace.followed.trace.steps
    ends = zip(steps.start.tolist(), steps.end.tolist(), strict=True)
    assert player.marks.tolist() == [k + 1 for k, (a, b) in enumerate(ends) if b > 6 and a < 9]


def test_steps_of_a_pass_that_touch_the_selection(make, session):
    workspace = make(SamplingWorkspace, "everyday-unigram")
    trace = workspace.passes.perfect
    session.select(span=(6, 8))
    lattice = trace.lattice
    edges = [*trace.edge.tolist(), *trace.back.tolist()]
    spans = [lattice.source(edge) for edge in edges]
    wanted = [k + 1 for k, (a, b) in enumerate(spans) if b > 6 and a < 8]
    assert workspace.player.marks.tolist() == wanted
    assert 0 < len(wanted) < len(trace)
    session.select(span=None)
    assert len(workspace.player.marks) == 0
