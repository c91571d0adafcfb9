"""Picking in Explore: arcs, tokens, bricks and boundaries by mouse and keys, and what it tells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from app.draw.viewport import GUTTER
from engine.display import visible
from tests.app.exploring import apex, hover, settle

pytestmark = pytest.mark.screen

KEY, LEFT, CTRL = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def bricks_of(workspace):
    return [line.pieces for line in workspace.inspector.bricks.lines]


def test_a_click_on_an_arc_selects_the_edge_everywhere(qtbot, session, explore):
    workspace = explore()
    workspace.pane("edges").raise_()
    edge = int(workspace.placed.paths()[0].edges[1])
    lattice_view = workspace.lattice
    hover(qtbot, lattice_view, apex(workspace, edge), lambda: lattice_view.hover == edge)
    qtbot.mouseClick(workspace.lattice, LEFT, pos=apex(workspace, edge))
    lattice = workspace.placed.analysis.lattice
    assert session.selection.edge == edge
    assert session.selection.piece == lattice.piece[edge]
    assert session.selection.span == lattice.source(edge)
    rows = workspace.edges.selectionModel().selectedRows()
    assert [workspace.edges.edges.edge(row.row()) for row in rows] == [edge]
    assert workspace.inspector.piece.text() == visible(lattice.bytes(edge))
    values = workspace.inspector.values
    assert values.value("Id") == str(lattice.piece[edge])
    assert float(values.value("Probability")) == pytest.approx(
        workspace.placed.analysis.law.marginal[edge], abs=5e-5
    )
    settle(qtbot, session)
    assert workspace.inspector.reason.on_path
    assert workspace.inspector.why_title.text() == "Why is it on the best path?"


def test_an_edge_beside_the_path_is_explained_by_two_ways_to_cut(qtbot, session, explore):
    workspace = explore()
    placed = workspace.placed.arcs.placement
    edge = int(placed.edge[placed.role == 1][0])
    workspace.lattice.select_edge(edge)
    settle(qtbot, session)
    reason, analysis = workspace.inspector.reason, workspace.placed.analysis
    assert reason.kind == "beaten"
    assert workspace.inspector.state.text().startswith("In alternative")
    best, other = (analysis.lattice.bytes(int(e)).decode() for e in (reason.best[0], edge))
    first, second = bricks_of(workspace)
    assert first[0] == best
    assert other in second
    assert f"{reason.gap:.3f} nats" in workspace.inspector.why_end.text()
    session.select(edge=None, span=None, piece=None)
    assert workspace.inspector.bricks.isHidden()


def test_a_click_beside_the_arcs_clears_the_selection(qtbot, session, explore):
    workspace = explore()
    workspace.lattice.select_edge(0)
    qtbot.mouseClick(workspace.lattice, LEFT, pos=QPoint(int(GUTTER) + 4, 4))
    assert session.selection.edge is None
    assert session.selection.span is None
    assert workspace.inspector.title.title.text() == "Text"


def test_a_click_on_a_token_selects_it_and_its_edge(qtbot, session, explore):
    workspace = explore()
    bands = workspace.bands
    viewport, placed = workspace.placed.viewport, workspace.placed.bands[session.models[0].key]
    middle = viewport.screen(float(placed.rect_left[2] + placed.rect_right[2]) / 2)
    place = QPointF(middle, bands.row_rect(0).center().y()).toPoint()
    qtbot.mouseClick(bands, LEFT, pos=place)
    encoding = session.encoding(session.models[0].key)
    assert session.selection.model == session.models[0].key
    assert session.selection.piece == encoding.ids[2]
    assert session.selection.span == (encoding.start[2], encoding.end[2])
    lattice = workspace.placed.analysis.lattice
    assert lattice.piece[session.selection.edge] == encoding.ids[2]
    assert lattice.start[session.selection.edge] == encoding.node_start[2]


def test_a_token_of_another_model_tells_who_cuts_it_how(qtbot, session, explore):
    workspace = explore()
    other = session.models[1]
    workspace.bands.select_group(other, 1)
    encoding = session.encoding(other.key)
    assert session.selection.model == other.key
    assert session.selection.edge is None
    assert workspace.inspector.title.title.text() == "Token"
    assert workspace.inspector.values.value("Id") == str(encoding.ids[1])
    names = [row.accessibleName() for row in workspace.inspector.elsewhere.rows]
    assert len(names) == 1
    assert names[0].startswith("everyday-unigram: ")
    assert not workspace.inspector.activate_button.isHidden()
    qtbot.mouseClick(workspace.inspector.activate_button, LEFT)
    assert session.active is other


def test_a_character_cut_into_bytes_is_selected_whole(qtbot, session, explore):
    workspace = explore("aᚠ", ("everyday-bpe",))
    workspace.bands.select_group(session.models[0], 1)
    assert session.selection.span == (1, 4)
    assert session.selection.piece is None
    assert workspace.inspector.state.text() == "3 tokens of everyday-bpe"
    assert workspace.bands.describe(session.models[0], 1).count("\n") == 2


def test_a_click_on_a_model_name_makes_it_active(qtbot, session, explore):
    workspace = explore()
    place = workspace.bands.row_rect(1).center()
    qtbot.mouseClick(workspace.bands, LEFT, pos=QPoint(40, int(place.y())))
    assert session.active is session.models[1]


# Keys


def test_arrow_keys_walk_the_path_and_the_edges_at_a_node(qtbot, session, explore):
    workspace = explore()
    lattice = workspace.placed.analysis.lattice
    best = workspace.placed.paths()[0].edges.tolist()
    view = workspace.lattice
    view.setFocus()
    for edge in best[:3]:
        qtbot.keyClick(view, KEY.Key_Right)
        assert session.selection.edge == edge
    qtbot.keyClick(view, KEY.Key_Left)
    assert session.selection.edge == best[1]
    qtbot.keyClick(view, KEY.Key_Down)
    beside = session.selection.edge
    assert beside != best[1]
    assert lattice.start[beside] == lattice.start[best[1]]
    qtbot.keyClick(view, KEY.Key_Up)
    assert session.selection.edge == best[1]
    qtbot.keyClick(view, KEY.Key_Escape)
    assert session.selection.edge is None


def test_right_to_left_text_is_walked_to_the_left(qtbot, session, explore):
    workspace = explore("שלום עולם")
    best = workspace.placed.paths()[0].edges.tolist()
    qtbot.keyClick(workspace.lattice, KEY.Key_Left)
    qtbot.keyClick(workspace.lattice, KEY.Key_Left)
    assert session.selection.edge == best[1]


def test_a_digit_selects_a_path_and_the_bricks_show_it(qtbot, session, explore):
    workspace = explore()
    qtbot.keyClick(workspace.lattice, KEY.Key_2)
    assert session.selection.path == 1
    assert workspace.lattice.light().path == frozenset(workspace.placed.paths()[1].edges.tolist())
    assert workspace.inspector.title.title.text() == "Path 2"
    qtbot.keyClick(workspace.paths, KEY.Key_Down)
    assert session.selection.path == 2
    gap = workspace.placed.paths()[0].score - workspace.placed.paths()[2].score
    assert workspace.inspector.values.value("Behind 1") == f"{gap:.3f} nats"


def test_plus_minus_and_zero_zoom(qtbot, session, explore):
    workspace = explore()
    viewport = workspace.placed.viewport
    before = viewport.zoom
    qtbot.keyClick(workspace.lattice, KEY.Key_Plus)
    qtbot.keyClick(workspace.lattice, KEY.Key_Plus)
    assert viewport.zoom > before
    assert workspace.placed.lattice_viewport.zoom == viewport.zoom
    assert workspace.view_state()["zoom"] == round(viewport.zoom, 4)
    state = workspace.view_state()
    qtbot.keyClick(workspace.lattice, KEY.Key_0)
    assert viewport.zoom == before
    assert workspace.view_state() == {}
    workspace.restore_view_state(state)
    assert viewport.zoom == pytest.approx(state["zoom"])
    workspace.restore_view_state({"zoom": "large"})
    assert viewport.fitted


def test_tokens_are_walked_by_keys(qtbot, session, explore):
    workspace = explore()
    qtbot.keyClick(workspace.bands, KEY.Key_Right)
    qtbot.keyClick(workspace.bands, KEY.Key_Right)
    first = session.encoding(session.models[0].key)
    assert session.selection.span == (first.start[1], first.end[1])
    qtbot.keyClick(workspace.bands, KEY.Key_Down)
    assert session.selection.model == session.models[1].key
    assert session.selection.span[0] <= first.start[1] < session.selection.span[1]


# Bricks and table


def test_a_click_on_a_brick_selects_edge_and_path(qtbot, session, explore):
    workspace = explore()
    row = workspace.placed.rows[1]
    b = int(np.flatnonzero(row.differs)[0])
    k = int(np.flatnonzero(row.rect_brick == b)[0])
    x = workspace.placed.viewport.screen(float(row.rect_left[k] + row.rect_right[k]) / 2)
    place = QPointF(x, workspace.paths.row_rect(1).center().y()).toPoint()
    qtbot.mouseClick(workspace.paths, LEFT, pos=place)
    assert session.selection.path == 1
    assert session.selection.edge == row.path.edges[row.first[b]]
