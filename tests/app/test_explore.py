"""Explore as a person uses it: type, click arcs and tokens, walk with keys, turn θ, copy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget

from app.draw.viewport import GUTTER
from app.views.explore.theta import TICKS, theta_at, tick_at
from engine.display import visible
from tests.app.exploring import apex, hover, settle

pytestmark = pytest.mark.screen

KEY, LEFT, CTRL = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


# Typing


def test_typing_shows_tokens_then_the_lattice(qtbot, session, explore):
    workspace = explore("")
    field = workspace.text_bar.field
    field.setFocus()
    qtbot.keyClicks(field, "lovely")
    assert session.text.string == "lovely"
    settle(qtbot, session)
    placed = workspace.placed
    for opened in session.models:
        assert placed.bands[opened.key].total == len(session.encoding(opened.key))
    assert placed.analysis.text is session.text
    assert placed.arcs.total == placed.analysis.lattice.n_edges > 0
    assert workspace.text_bar.counts.text() == "6 graphemes · 6 bytes"


def test_a_pasted_text_keeps_its_lines_and_shows_their_ends(qtbot, session, explore):
    workspace = explore("")
    field = workspace.text_bar.field
    QGuiApplication.clipboard().setText("one\ttwo\nthree")
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_V, CTRL)
    assert session.text.string == "one\ttwo\nthree"
    settle(qtbot, session)
    assert [label for label in workspace.placed.axis.labels if label in "→↵"] == ["→", "↵"]
    qtbot.keyClick(field, KEY.Key_A, CTRL)
    qtbot.keyClick(field, KEY.Key_Backspace)
    assert session.text.string == ""


def test_return_leaves_the_field_and_shift_return_breaks_the_line(qtbot, session, explore):
    workspace = explore("ab")
    field = workspace.text_bar.field
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_End)
    qtbot.keyClick(field, KEY.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert session.text.string == "ab\n"
    qtbot.keyClick(field, KEY.Key_Return)
    assert session.text.string == "ab\n"
    assert workspace.focusWidget() is workspace.lattice


def test_a_text_with_windows_line_ends_stays_as_given_until_it_is_edited(qtbot, session, explore):
    workspace = explore("a\r\nb")
    assert session.text.string == "a\r\nb"
    assert workspace.text_bar.field.text() == "a\nb"


def test_a_long_line_is_drawn_from_its_start_and_says_so(qtbot, session, explore):
    workspace = explore("The weather is lovely. " * 2000)
    axis = workspace.placed.axis
    assert axis.shown == 20_000
    assert axis.text is session.text
    assert workspace.lattice_title.note.text() == "of the first 20,000 of 46,000 bytes"
    key = session.models[0].key
    assert workspace.placed.bands[key].total == len(session.encoding(key))
    assert workspace.placed.viewport.overflows
    workspace.grab()


@pytest.mark.parametrize(
    "text",
    ["", "a", "\n", "👨‍👩‍👧‍👦", "مرحبا بالعالم 123", "हिन्दी", "สวัสดี", "\u200d\u0301", "a\x00b"],
)
@pytest.mark.parametrize("unit", ["grapheme", "byte"])
def test_any_text_can_be_drawn(qtbot, session, explore, text, unit):
    names = ("everyday-unigram", "everyday-bpe", "everyday-wordpiece", "toy-weather")
    workspace = explore(text, names)
    session.change_settings(unit=unit)
    for opened in session.models:
        session.set_active(opened.key)
        settle(qtbot, session)
        assert workspace.placed.analysis.model_key == opened.key
        workspace.grab()


def test_the_units_switch_changes_axis_and_session(qtbot, session, explore):
    workspace = explore("今天")
    qtbot.mouseClick(workspace.text_bar.units.button("byte"), LEFT)
    assert session.settings.unit == "byte"
    assert workspace.placed.axis.unit == "byte"
    assert workspace.edges_title.note.text().endswith("bytes of the text")
    session.change_settings(unit="grapheme")
    assert workspace.text_bar.units.value() == "grapheme"


def test_the_table_holds_every_edge_and_selects(qtbot, session, explore):
    workspace = explore()
    table, model = workspace.edges, workspace.edges.edges
    assert model.rowCount() == 0  # behind another pane it follows nothing
    workspace.pane("edges").raise_()
    lattice, law = workspace.placed.analysis.lattice, workspace.placed.analysis.law
    assert model.rowCount() == lattice.n_edges
    assert "probability" in model.columns
    column = model.columns.index("probability")
    table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
    ordered = [law.marginal[model.edge(row)] for row in range(model.rowCount())]
    assert ordered == sorted(ordered, reverse=True)
    table.setFocus()
    table.selectRow(4)
    edge = model.edge(4)
    assert session.selection.edge == edge
    assert session.selection.span == lattice.source(edge)
    qtbot.keyClick(table, KEY.Key_Down)
    assert session.selection.edge == model.edge(5)
    workspace.lattice.select_edge(model.edge(9))
    assert table.selectionModel().selectedRows()[0].row() == 9


def test_the_table_passes_the_model_tester(qtmodeltester, session, explore):
    workspace = explore()
    workspace.pane("edges").raise_()
    qtmodeltester.check(workspace.edges.edges)


def test_positions_in_the_table_count_the_unit(qtbot, session, explore):
    workspace = explore("今天天气", ("toy-weather",))
    workspace.pane("edges").raise_()
    model = workspace.edges.edges
    ends = {model.index(row, 1).data() for row in range(model.rowCount())}
    session.change_settings(unit="byte")
    bytewise = {model.index(row, 1).data() for row in range(model.rowCount())}
    assert max(int(end) for end in ends) == 4
    assert max(int(end) for end in bytewise) == 12


# θ


def test_the_slider_runs_from_uniform_over_one_to_viterbi():
    assert theta_at(0) == 0
    assert theta_at(TICKS // 2) == pytest.approx(1)
    assert theta_at(TICKS) == pytest.approx(10)
    for theta in (0.0, 0.2, 1.0, 3.0, 10.0):
        assert theta_at(tick_at(theta)) == pytest.approx(theta, abs=0.03)
    assert tick_at(500) == TICKS


def test_theta_changes_the_law_live(qtbot, session, explore):
    workspace = explore()
    lattice = workspace.placed.analysis.lattice
    workspace.theta.slider.setValue(0)
    assert session.settings.theta == 0
    settle(qtbot, session)
    analysis = workspace.placed.analysis
    assert analysis.lattice is lattice
    assert analysis.law.entropy == pytest.approx(np.log(float(lattice.paths)))
    assert "θ = 0." in workspace.lattice.legend()
    workspace.theta.field.setText("2.5")
    qtbot.keyClick(workspace.theta.field, KEY.Key_Return)
    assert session.settings.theta == 2.5
    qtbot.mouseClick(workspace.theta.reset, LEFT)
    assert session.settings.theta == 1.0
    assert workspace.theta.field.text() == "1.00"
    settle(qtbot, session)


def test_a_wrong_theta_changes_nothing(qtbot, session, explore):
    workspace = explore()
    workspace.theta.field.setText("much")
    qtbot.keyClick(workspace.theta.field, KEY.Key_Return)
    assert session.settings.theta == 1.0
    assert workspace.theta.field.text() == "1.00"


def test_the_old_law_stays_with_a_note_until_the_new_one_is_there(qtbot, session, explore):
    workspace = explore()
    before = workspace.placed.arcs
    session.change_settings(theta=0.5)
    assert workspace.placed.arcs is before
    assert workspace.placed.stale_theta
    assert workspace.lattice_title.note.text().startswith("for θ = 1;")
    settle(qtbot, session)
    assert not workspace.placed.stale_theta
    assert workspace.lattice_title.note.text() == ""


def test_without_a_law_there_is_no_theta_and_the_legend_says_why(qtbot, session, explore):
    workspace = explore(names=("everyday-bpe",))
    workspace.pane("edges").raise_()
    assert workspace.theta.isHidden()
    assert workspace.placed.analysis.lattice.no_law in workspace.lattice.legend()
    assert "probability" not in workspace.edges.edges.columns
    assert "rank" in workspace.edges.edges.columns
    assert workspace.paths_title.title.text() == "The path taken"
    assert len(workspace.placed.rows) == 1
    workspace.lattice.select_edge(int(workspace.placed.analysis.best.edges[1]))
    settle(qtbot, session)
    assert workspace.inspector.why_title.text() == "Why is it a token here?"
    assert workspace.inspector.why.text().startswith("Rule ")


def test_wordpiece_is_explained_by_the_longest_match(qtbot, session, explore):
    workspace = explore(names=("everyday-wordpiece",))
    lattice = workspace.placed.analysis.lattice
    taken = set(workspace.placed.analysis.best.edges.tolist())
    edge = next(e for e in range(lattice.n_edges) if e not in taken)
    workspace.lattice.select_edge(edge)
    settle(qtbot, session)
    assert workspace.inspector.state.text() == "Matches, but is not on the path taken"
    assert workspace.inspector.reason.kind in ("longer", "passed")


# Words


def test_the_summary_tells_share_count_and_spread(qtbot, session, explore):
    workspace = explore("watching", ("toy-watching",))
    session.change_settings(nbest=3)
    settle(qtbot, session)
    assert workspace.paths_title.title.text() == "Best 3 paths"
    note = workspace.paths_title.note.text()
    assert note.startswith("together 1.000 of all probability · ")
    assert note.endswith("entropy 1.099 nats, as if 3.0 equal paths")
    assert workspace.paths.ties() == [1, 2]


def test_while_a_new_text_is_analysed_the_old_lattice_stays_on_its_own_axis(
    qtbot, session, explore
):
    workspace = explore("lovely")
    old = workspace.placed.lattice_viewport.axis
    seen = []

    def look():
        # The moment at which the new axis is shown: its lattice isn't there yet.
        placed = workspace.placed
        new = placed.viewport.axis.text is session.text
        seen.append((new, placed.lattice_viewport.axis is old))
        assert placed.stale_text
        workspace.grab()

    workspace.placed.axis_changed.connect(look)
    session.set_text("lovely weather")
    settle(qtbot, session)
    assert seen == [(True, True)]
    assert workspace.placed.lattice_viewport.axis is workspace.placed.viewport.axis


def test_closing_the_last_model_empties_the_pictures(qtbot, session, explore):
    workspace = explore(names=("everyday-bpe",))
    workspace.pane("edges").raise_()
    assert workspace.edges.edges.rowCount() > 0
    session.close_model(session.models[0].key)
    assert workspace.placed.arcs is None
    assert workspace.placed.rows == ()
    assert workspace.edges.edges.rowCount() == 0
    assert workspace.inspector.hint.text() == "Open a model to see how it cuts this text."
    workspace.grab()


# Doing


def test_the_lattice_is_copied_as_text_json_and_svg(qtbot, session, explore):
    workspace = explore("lovely")
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    workspace.lattice.setFocus()
    workspace.inspector.copy("text")
    settle(qtbot, session)
    first = clipboard.text().split("\n")[0].split("\t")
    assert float(first[0]) == pytest.approx(workspace.placed.paths()[0].probability, abs=1e-6)
    assert first[2] == " ".join(workspace.placed.paths()[0].pieces)
    workspace.inspector.copy("json")
    settle(qtbot, session)
    assert len(json.loads(clipboard.text())["edges"]) == workspace.placed.arcs.total
    workspace.inspector.copy("svg")
    settle(qtbot, session)
    assert clipboard.mimeData().data("image/svg+xml").startsWith(b"<svg")


def test_show_in_vocabulary_asks_for_that_workspace(qtbot, session, explore):
    workspace = explore()
    assert workspace.inspector.show_button.isHidden()
    workspace.lattice.select_edge(int(workspace.placed.paths()[0].edges[1]))
    with qtbot.waitSignal(workspace.go_to) as signal:
        qtbot.mouseClick(workspace.inspector.show_button, LEFT)
    assert signal.args == ["vocabulary"]


def test_every_picture_and_control_has_a_name(qtbot, session, explore):
    workspace = explore()
    for widget in (
        workspace.text_bar.field, workspace.text_bar.units, workspace.bands, workspace.lattice,
        workspace.paths, workspace.edges, workspace.inspector, workspace.theta.slider,
        workspace.theta.field,
    ):  # fmt: skip
        assert widget.accessibleName()
        assert widget.focusPolicy() != Qt.FocusPolicy.NoFocus or widget is workspace.text_bar.units
    assert str(workspace.placed.arcs.total) in workspace.lattice.accessibleDescription()
    ends = len(workspace.placed.rows) - 1
    qtbot.waitUntil(lambda: workspace.paths.accessibleDescription().count("\n") == ends)


def test_panes_have_names_and_come_back(qtbot, session, explore):
    workspace = explore()
    names = {dock.objectName() for dock in workspace.findChildren(QDockWidget)}
    panes = {"paths", "edges", "pipeline", "inspector"}
    assert names == {f"explore.{name}" for name in panes}
    workspace.pane("inspector").hide()
    workspace.restore_default()
    assert workspace.pane("inspector").isVisible()


def test_hovering_lights_the_same_bytes_in_every_row(qtbot, session, explore):
    workspace = explore()
    edge = int(workspace.placed.paths()[0].edges[1])
    placed, place = workspace.placed, apex(workspace, edge)
    span = placed.analysis.lattice.source(edge)
    hover(qtbot, workspace.lattice, place, lambda: placed.lit() == span)
    assert workspace.lattice.light().span == span
    workspace.grab()
    outside = QPoint(int(GUTTER) + 4, 4)
    hover(qtbot, workspace.lattice, outside, lambda: placed.lit() is None)
    session.select(span=(0, 3))
    assert workspace.placed.lit() == (0, 3)


def test_a_line_without_a_place_to_break_is_begun_in_the_field_and_can_be_replaced(
    qtbot, session, explore
):
    workspace = explore("a" * 30_000)
    field = workspace.text_bar.field
    assert field.text() == "a" * 5_000
    assert field.isReadOnly()
    assert session.text.n_bytes == 30_000
    assert workspace.text_bar.note.text() == "start shown, not editable"
    assert workspace.text_bar.note.isVisible()
    QGuiApplication.clipboard().setText("ab")
    qtbot.keyClick(field, KEY.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert session.text.string == "ab"
    assert not field.isReadOnly()
    assert field.text() == "ab"
    session.set_text("b" * 30_000)
    qtbot.keyClick(field, KEY.Key_Backspace)
    assert session.text.string == ""
    settle(qtbot, session)


def test_a_long_paste_reaches_the_session_whole(qtbot, session, explore):
    workspace = explore("x🙂y")
    field = workspace.text_bar.field
    cursor = field.textCursor()
    cursor.setPosition(3)
    field.setTextCursor(cursor)
    QGuiApplication.clipboard().setText("a" * 20_000)
    qtbot.keyClick(field, KEY.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert session.text.string == "x🙂" + "a" * 20_000 + "y"
    assert field.isReadOnly()
    settle(qtbot, session)


def test_bands_of_the_start_of_a_long_text_are_those_of_the_start_alone(qtbot, session, explore):
    line = "The weather is lovely. "
    workspace = explore(line * 900)
    key = session.models[1].key
    long = workspace.placed.bands[key]
    session.set_text(line * 800)
    settle(qtbot, session)
    alone = workspace.placed.bands[key]
    count = alone.n_groups - 2
    assert count > 3_000
    assert np.array_equal(long.start[:count], alone.start[:count])
    assert np.array_equal(long.end[:count], alone.end[:count])
    assert np.array_equal(long.rect_right[:count], alone.rect_right[:count])


def test_a_hidden_workspace_catches_up_when_it_is_shown(qtbot, session, explore):
    workspace = explore()
    before = workspace.placed.analysis
    workspace.hide()
    session.change_settings(theta=0.5)
    settle(qtbot, session)
    assert workspace.placed.analysis is before
    session.set_text("The weather is bad")
    settle(qtbot, session)
    workspace.show()
    assert workspace.placed.analysis is session.analysis
    assert workspace.placed.analysis.settings.theta == 0.5
    assert workspace.placed.arcs.lattice is session.analysis.lattice
    edge = int(session.analysis.best.edges[0])
    workspace.hide()
    workspace.lattice.select_edge(edge)
    workspace.show()
    settle(qtbot, session)
    assert workspace.inspector.piece.text() == visible(session.analysis.lattice.bytes(edge))


def test_a_text_that_the_model_cannot_write_is_said_and_drawn(qtbot, session, explore):
    workspace = explore("watching", ("toy-watching",))
    workspace.pane("edges").raise_()
    failures = []
    session.failed.connect(lambda error, _: failures.append(error))
    session.set_text("watch!ing")
    settle(qtbot, session)
    assert [error.place for error in failures] == ["character 5"]
    note = workspace.lattice_title.note.text()
    assert "no sequence of its pieces leads past '!' (character 5)" in note
    assert workspace.placed.analysis.lattice.paths == 0
    assert workspace.edges.edges.rowCount() == 3
    session.select(edge=0)
    settle(qtbot, session)
    assert "No segmentation uses it" in workspace.inspector.why.text()
    workspace.grab()
    session.change_settings(theta=0.5, nbest=2)
    session.set_text("watching")
    settle(qtbot, session)
    assert len(workspace.placed.rows) == 2
