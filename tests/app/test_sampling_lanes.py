"""The lanes of the Sampling workspace: coins, steps in words, and the keys that drive them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt

import engine
from app.draw.coins import column_at, rows_in_view
from app.draw.isolate import isolate
from app.draw.lane import edge_text
from app.draw.numbers import share_text
from app.draw.viewport import GUTTER, STEP
from app.session import Session
from app.theme import Theme
from app.views.sampling import FIRST
from engine.bundled import model_path
from engine.traces.passes import trace_perfect
from tests.app.sampling import BOTH, LONG, Make, draws, make, seek_piece, sentences, settle
from tests.app.turning import turn

__all__ = ["make"]

pytestmark = pytest.mark.screen


def test_three_equal_edges_have_the_chances_1_half_third(make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    seek_piece(workspace, "ing")
    column = workspace.lanes["perfect"].column
    assert column is not None
    rows = [row for row in column.rows if row.arrival.chance > 1e-9]
    assert [row.label for row in rows] == ["watching", "ching", "ing"]
    assert [share_text(row.arrival.chance) for row in rows] == ["1", "1/2", "1/3"]
    outcomes = workspace.results.law.outcomes
    assert outcomes is not None
    assert outcomes.labels == ("watching", "wat|ching", "watch|ing")
    assert [share_text(float(p)) for p in outcomes.exact] == ["1/3", "1/3", "1/3"]
    assert float(outcomes.exact.sum()) == pytest.approx(1.0)


def test_the_event_is_told_in_words(make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    k = seek_piece(workspace, "ing")
    passes = workspace.passes
    assert passes is not None
    u = float(passes.perfect.u[k - 1])
    fate = "taken." if u < 1 / 3 else "kept out."
    expected = (
        f"ing arrives with weight −6.00 against −5.31 so far: chance 1/3, u = {u:.3f}, {fate}"
    )
    assert sentences(workspace)[0] == expected
    assert workspace.lanes["perfect"].accessibleDescription() == expected
    # Viterbi at the same step meets a tie.
    assert "a tie with what is held: the first stays" in sentences(workspace)[1]


def test_verdicts_follow_the_needle(make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    passes = workspace.passes
    assert passes is not None
    lattice = passes.analysis.lattice
    seen = set()
    for draw in range(12):
        trace = trace_perfect(lattice, seed=7, draw=draw)
        column = column_at(trace, len(trace))
        assert [row.open for row in column.rows] == [False] * len(column.rows)
        winners = [row for row in column.rows if row.won]
        assert len(winners) == 1
        for row in column.rows:
            assert row.arrival.taken == (row.arrival.u < row.arrival.chance)
            if not row.arrival.taken:
                assert row.verdict == "kept out ×"
            seen.add(row.verdict)
        held = next(i for i, row in enumerate(column.rows) if row.won)
        assert not any(row.arrival.taken for row in column.rows[held + 1 :])
    assert seen >= {"kept out ×", "held ✓", "taken ✓", "replaced ×"}


def test_lanes_can_be_shown_alone(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    workspace.controls.methods.choose("perfect")
    qtbot.waitUntil(lambda: workspace.trace_name() == "viterbi" and not session.busy)
    assert not workspace.lanes["perfect"].isVisibleTo(workspace)
    assert workspace.trace_name() == "viterbi"
    passes = workspace.passes
    assert passes is not None
    assert workspace.player.length == len(passes.viterbi)
    assert workspace.events.rowCount() == len(passes.viterbi)
    workspace.choose_trace("perfect")
    settle(qtbot, workspace, session)
    assert workspace.trace_name() == "perfect"
    assert workspace.lanes["perfect"].isVisibleTo(workspace)


def test_the_step_table_is_the_trace(make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    k = seek_piece(workspace, "ing")
    events = workspace.events
    row = [str(events.data(events.index(k - 1, column))) for column in range(8)]
    passes = workspace.passes
    assert passes is not None
    u = float(passes.perfect.u[k - 1])
    verdict = "taken" if u < 1 / 3 else "kept out"
    assert row == [str(k), "8", "ing", "−6.000", "−5.307", "1/3", f"{u:.3f}", verdict]
    assert workspace.event_table.selectionModel().currentIndex().row() == k - 1
    workspace.event_table.selectRow(0)
    assert workspace.player.position == 1


def test_clicking_an_arc_selects_its_edge(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    lane = workspace.lanes["perfect"]
    picture = lane.picture()
    assert picture is not None
    shown, heights, base = picture.shapes(lane.lattice_rect)
    lattice = picture.places.lattice
    place = next(i for i, edge in enumerate(shown.tolist()) if lattice.edge_text(edge) == "watch")
    edge = int(shown[place])
    rect = lane.lattice_rect
    middle = (picture.places.x0[edge] + picture.places.x1[edge]) / 2
    # The viewport counts from its gutter; the lane has none.
    x = picture.viewport.screen(float(middle)) - GUTTER + rect.left()
    spot = QPointF(x, base - heights[place]).toPoint()
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=spot)
    assert session.selection.edge == edge
    assert session.selection.span == (0, 5)
    assert session.selection.piece == int(lattice.piece[edge])


def test_clicking_a_coin_goes_to_its_step(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    lane = workspace.lanes["perfect"]
    column, rect = lane.column, lane.column_rect
    assert column is not None
    assert len(rows_in_view(rect, column)) == len(column.rows)
    spot = QPointF(rect.left() + 5, rect.top() + 28 + 4).toPoint()
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=spot)
    assert workspace.player.position == column.rows[0].arrival.step + 1


def test_needle_moves_only_where_motion_is_wanted(make: Make, theme: Theme) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    lane = workspace.lanes["perfect"]
    k = seek_piece(workspace, "ing")
    workspace.player.seek(k - 1)
    workspace.player.seek(k)
    assert lane.progress == 1.0
    theme.reduce_motion(False)
    workspace.player.seek(k - 1)
    workspace.player.seek(k)
    assert lane.progress < 1.0
    assert lane.position == k


def test_the_node_at_work_is_in_view(make: Make) -> None:
    workspace = make(LONG, "everyday-unigram", BOTH)
    passes, lane = workspace.passes, workspace.lanes["perfect"]
    assert passes is not None
    for position in (0, 40, passes.perfect.n_forward // 2, passes.perfect.n_forward, 25):
        workspace.player.seek(position)
        picture = lane.picture()
        assert picture is not None
        x = float(picture.places.node[picture.node])
        first, last = picture.viewport.visible
        assert first <= x <= last
        for edge in picture.here:
            assert first <= float(picture.places.x0[edge]) <= last


def test_right_to_left_pieces_stay_in_their_place() -> None:
    assert isolate("abc") == "abc"
    assert isolate("سلام") == "\u2068سلام\u2069"
    lattice = engine.load(model_path("everyday-unigram")).lattice("سلام")
    texts = [edge_text(lattice, edge) for edge in range(lattice.n_edges)]
    arabic = [text for text in texts if any("\u0600" <= char <= "\u06ff" for char in text)]
    assert arabic
    assert all(text.startswith("\u2068") and text.endswith("\u2069") for text in arabic)


def test_a_touchpad_zooms_by_as_much_as_it_turns(make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    lane, viewport = workspace.lanes["perfect"], workspace.lanes["perfect"]._viewport
    before = viewport.zoom
    for _ in range(8):
        turn(lane, 15, Qt.KeyboardModifier.ControlModifier)
    assert viewport.zoom == pytest.approx(STEP * before)
    turn(lane, -120, Qt.KeyboardModifier.ControlModifier)
    turn(lane, 0, Qt.KeyboardModifier.ControlModifier)
    assert viewport.zoom == pytest.approx(before)


def test_keys_draw_and_step(qtbot: Any, make: Make) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    lane, player = workspace.lanes["perfect"], workspace.player
    lane.setFocus()
    assert player.position == player.length  # the result first
    qtbot.keyClick(lane, Qt.Key.Key_Home)
    assert player.position == 0
    qtbot.keyClick(lane, Qt.Key.Key_Right)
    assert lane.position == workspace.lanes["viterbi"].position == 1
    qtbot.keyClick(lane, Qt.Key.Key_Space)
    assert player.playing
    qtbot.keyClick(lane, Qt.Key.Key_Space)
    qtbot.keyClick(lane, Qt.Key.Key_R)
    draws(qtbot, workspace, FIRST + 1)
    assert workspace.shown_draw == FIRST
    qtbot.keyClick(workspace.results.law, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    draws(qtbot, workspace, FIRST + 1001)
    assert workspace.shown_draw == FIRST + 1000


def test_keys_choose_edges_in_reading_order(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "toy-watching", BOTH)
    lane, passes = workspace.lanes["perfect"], workspace.passes
    assert passes is not None
    lattice = passes.lattice
    order = sorted(range(lattice.n_edges), key=lambda e: (lattice.start[e], lattice.end[e]))
    for edge in order[:3]:
        qtbot.keyClick(lane, Qt.Key.Key_Down)
        assert session.selection.edge == lane.chosen == edge
        assert workspace.lanes["viterbi"].chosen == edge
        first, end = lattice.source(edge)
        said = lane.accessibleDescription()
        assert said.startswith(f"{edge_text(lattice, edge)} is chosen: score ")
        assert said.endswith(f"bytes {first} to {end} of the text.")
    qtbot.keyClick(lane, Qt.Key.Key_Up)
    assert session.selection.edge == order[1]
    assert session.selection.span == lattice.source(order[1])
    # A step of the player is said again.
    qtbot.keyClick(lane, Qt.Key.Key_Home)
    assert lane.accessibleDescription() == "The pass begins at node 0, with nothing held."
    assert lane.chosen == order[1]
    for _ in order:
        qtbot.keyClick(lane, Qt.Key.Key_Down)
    assert lane.chosen == order[-1]
    session.select(edge=None)
    assert lane.chosen == -1


def test_an_edge_chosen_by_keys_comes_into_view(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make(LONG, "everyday-unigram", BOTH)
    lane = workspace.lanes["perfect"]
    workspace.player.seek(0)
    for _ in range(60):
        qtbot.keyClick(lane, Qt.Key.Key_Down)
    picture = lane.picture()
    assert picture is not None
    first, last = picture.viewport.visible
    assert first <= float(picture.places.x0[lane.chosen]) <= last
    assert first > 0
