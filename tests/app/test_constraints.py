"""Pin and forbid in the window: by key, click, menu and button; what is told; what is kept."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from engine.constrain import Constraint, edge_constraint, node_constraint
from engine.place import arc_points
from engine.scene import SceneConstraint, read_scene, write_scene
from tests.app.exploring import open_explore, settle

pytestmark = pytest.mark.screen

KEY, LEFT, SHIFT = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def explore(qtbot, session, theme, models):
    """Make the workspace with some models open and a text given."""

    def make(text="watching", names=("toy-watching",)):
        return open_explore(qtbot, session, theme, [models[name] for name in names], text)

    return make


def edge_named(workspace, name):
    lattice = workspace.placed.analysis.lattice
    return next(e for e in range(lattice.n_edges) if lattice.bytes(e).decode() == name)


def apex(workspace, edge):
    """Return a pixel on an edge's arc."""
    shapes = workspace.lattice.shapes()
    k = int(np.flatnonzero(shapes.edge == edge)[0])
    x, up = arc_points(shapes.x0[k : k + 1], shapes.x1[k : k + 1], shapes.height[k : k + 1])[0][12]
    return QPoint(round(x), round(workspace.lattice.place.base - up))


def foot(workspace, node):
    """Return the pixel of a boundary, a little under the axis."""
    view = workspace.lattice
    x = view.viewport.screen(float(workspace.placed.nodes.places[node]))
    return QPoint(round(x), round(view.place.base) + 4)


def said(workspace):
    values = workspace.inspector.values
    return {fact.name: fact.value for fact in values.facts}


def press(qtbot, session, workspace, key):
    qtbot.keyClick(workspace.lattice, key)
    settle(qtbot, session)


def test_x_forbids_the_selected_edge_and_p_pins_it(qtbot, session, explore):
    workspace = explore()
    placed = workspace.placed
    whole = edge_named(workspace, "watching")
    qtbot.mouseClick(workspace.lattice, LEFT, pos=apex(workspace, whole))
    assert session.selection.edge == whole
    press(qtbot, session, workspace, KEY.Key_X)
    lattice = session.analysis.lattice
    assert session.constraints.asked == (edge_constraint(lattice, whole, "forbid"),)
    assert [path.probability for path in placed.paths()] == pytest.approx([0.5, 0.5])
    assert placed.analysis.law.marginal[whole] == 0
    assert placed.arcs.marks.forbidden == {whole}
    assert placed.arcs.marks.former == {whole}
    assert placed.arcs.row_of[whole] >= 0
    # Sampling goes on with the law of the whole lattice.
    assert session.analysis.law.marginal[whole] == pytest.approx(1 / 3)
    assert workspace.inspector.state.text() == "Forbidden: no segmentation uses it"
    assert said(workspace)["Probability"] == "0.0000"
    assert said(workspace)["Without constraints"] == "0.3333"
    assert workspace.strip.isVisible()
    assert workspace.strip.words == ["Forbidden watching, 0 → 8"]
    told = workspace.strip.cost.text()
    assert "The best score stays the same" in told
    assert "0.6667 of all probability obeys" in told
    assert "entropy 0.693 nats (without 1.099)" in told
    assert "mean tokens 2.00 (without 1.67)" in told
    assert "2 of 3 segmentations are left" in told
    # P on what is forbidden pins it instead, P again sets it free.
    press(qtbot, session, workspace, KEY.Key_P)
    assert [c.action for c in session.constraints.asked] == ["pin"]
    assert [path.pieces for path in placed.paths()] == [["watching"]]
    press(qtbot, session, workspace, KEY.Key_P)
    assert session.constraints.asked == ()
    assert placed.solution is None
    assert placed.analysis is session.analysis
    assert not workspace.strip.isVisible()


def test_what_a_worse_best_path_costs(qtbot, session, explore):
    workspace = explore("The weather is lovely", ("everyday-unigram",))
    best = session.analysis.best
    gap = session.analysis.nbest[0].score
    edge = int(best.edges[1])
    session.constraints.toggle(edge_constraint(session.analysis.lattice, edge, "forbid"))
    settle(qtbot, session)
    after = workspace.placed.paths()[0]
    assert edge not in after.edges
    cost = workspace.placed.solution.cost
    assert cost.score == pytest.approx(after.score - gap)
    assert cost.ratio == pytest.approx(np.exp(gap - after.score))
    words = f"Best path −{gap - after.score:.3f} nats, "
    assert workspace.strip.cost.text().startswith(words)
    # Without a bound on θ the constraints stay, the figures follow.
    session.change_settings(theta=0.5)
    settle(qtbot, session)
    assert len(session.constraints.asked) == 1
    halved = workspace.placed.solution.cost
    assert halved.theta == workspace.placed.analysis.law.theta == 0.5
    assert halved.ratio == pytest.approx(np.sqrt(cost.ratio))


def test_a_boundary_is_chosen_by_click_and_by_key(qtbot, session, explore):
    workspace = explore()
    view = workspace.lattice
    qtbot.mouseClick(view, LEFT, pos=foot(workspace, 5))
    assert (session.selection.node, session.selection.edge) == (5, None)
    assert workspace.inspector.title.title.text() == "Boundary"
    assert said(workspace)["Probability"] == "0.3333"
    press(qtbot, session, workspace, KEY.Key_P)
    assert session.constraints.asked == (Constraint("pin", 5, 5, None, (5, 5)),)
    assert [path.pieces for path in workspace.placed.paths()] == [["watch", "ing"]]
    assert workspace.placed.arcs.marks.pinned_nodes == {5}
    assert said(workspace)["Probability"] == "1.0000"
    assert workspace.strip.words == ["Boundary pinned at 5"]
    press(qtbot, session, workspace, KEY.Key_X)
    assert workspace.placed.analysis.law.node_marginal[5] == 0
    assert workspace.inspector.state.text() == "Forbidden: no segmentation cuts here"
    # Shift and the arrows walk the boundaries; an edge's end is where they start.
    qtbot.keyClick(view, KEY.Key_Left, SHIFT)
    assert session.selection.node == 4
    workspace.lattice.select_edge(edge_named(workspace, "wat"))
    assert session.selection.node is None
    qtbot.keyClick(view, KEY.Key_Right, SHIFT)
    assert session.selection.node == 3
    qtbot.keyClick(view, KEY.Key_Escape)
    assert session.selection.node is None


def test_the_menu_of_an_arc_and_of_a_node(qtbot, session, explore):
    workspace = explore()
    view = workspace.lattice

    def menu_at(place):
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place))
        QApplication.sendEvent(view, event)
        return next(m for m in view.findChildren(QMenu) if m.isVisible())

    menu = menu_at(apex(workspace, edge_named(workspace, "wat")))
    words = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert words == ["Pin this edge", "Forbid this edge", "Clear all constraints"]
    menu.actions()[0].trigger()
    menu.close()
    settle(qtbot, session)
    assert [path.pieces for path in workspace.placed.paths()] == [["wat", "ching"]]
    menu = menu_at(foot(workspace, 5))
    assert [a.text() for a in menu.actions()][:2] == ["Pin this boundary", "Forbid this boundary"]
    menu.actions()[3].trigger()
    menu.close()
    settle(qtbot, session)
    assert session.constraints.asked == ()


def test_a_contradiction_is_refused_and_says_why(qtbot, session, explore):
    workspace = explore()
    lattice = session.analysis.lattice
    session.constraints.toggle(edge_constraint(lattice, edge_named(workspace, "watch"), "pin"))
    settle(qtbot, session)
    session.constraints.toggle(node_constraint(lattice, 5, "forbid"))
    settle(qtbot, session)
    assert [c.target for c in session.constraints.asked] == ["edge"]
    assert [path.pieces for path in workspace.placed.paths()] == [["watch", "ing"]]
    note = workspace.strip.note.text()
    assert "the pinned edge “watch”, graphemes 0 to 5" in note
    assert "the forbidden boundary at grapheme 5 exclude each other" in note
    assert not workspace.strip.undo_button.isVisible()
    qtbot.mouseClick(workspace.strip.close_button, LEFT)
    assert not workspace.strip.note.isVisible()
    assert workspace.strip.isVisible()


def test_a_constraint_that_the_lattice_does_not_have_is_left_out(qtbot, session, explore, models):
    workspace = explore()
    session.constraints.restore(session.models[0].key, (Constraint("pin", 0, 4),))
    settle(qtbot, session)
    assert session.constraints.asked == ()
    assert "no piece covers the pinned span" in workspace.strip.note.text()
    # Out of a scene it comes before there is a lattice, which is shown all the same.
    opened = session.add_model(models["toy-lower"])
    session.constraints.restore(opened.key, (Constraint("pin", 0, 40),))
    settle(qtbot, session)
    assert workspace.placed.analysis.model_key == opened.key
    assert workspace.placed.analysis is session.analysis
    assert "lies outside of the text" in workspace.strip.note.text()


def test_chips_take_away_select_and_clear(qtbot, session, explore):
    workspace = explore()
    lattice = session.analysis.lattice
    for node in (3, 4):
        session.constraints.toggle(node_constraint(lattice, node, "forbid"))
    session.constraints.toggle(edge_constraint(lattice, edge_named(workspace, "ing"), "pin"))
    settle(qtbot, session)
    strip = workspace.strip
    assert strip.words == ["No boundary at 3", "No boundary at 4", "Pinned ing, 5 → 8"]
    qtbot.mouseClick(strip.chip(2).label, LEFT)
    assert session.selection.edge == edge_named(workspace, "ing")
    qtbot.mouseClick(strip.chip(0).label, LEFT)
    assert session.selection.node == 3
    qtbot.mouseClick(strip.chip(1).close_button, LEFT)
    settle(qtbot, session)
    assert strip.words == ["No boundary at 3", "Pinned ing, 5 → 8"]
    qtbot.mouseClick(strip.clear_button, LEFT)
    settle(qtbot, session)
    assert workspace.placed.solution is None


def test_another_text_drops_them_and_undo_brings_them_back(qtbot, session, explore):
    workspace = explore()
    asked = (node_constraint(session.analysis.lattice, 5, "pin"),)
    session.constraints.toggle(asked[0])
    settle(qtbot, session)
    session.set_text("watch")
    assert session.constraints.asked == ()
    session.set_text("watchin")
    settle(qtbot, session)
    strip = workspace.strip
    assert strip.note.text() == "The text is another one, so its constraint was dropped."
    assert workspace.placed.solution is None
    qtbot.mouseClick(strip.undo_button, LEFT)
    settle(qtbot, session)
    assert session.text.string == "watching"
    assert session.constraints.asked == asked
    assert [path.pieces for path in workspace.placed.paths()] == [["watch", "ing"]]
    assert not strip.note.isVisible()


def test_each_model_has_its_own(qtbot, session, explore):
    workspace = explore("watching", ("toy-watching", "everyday-bpe"))
    first, second = session.models
    session.constraints.toggle(node_constraint(session.analysis.lattice, 5, "pin"))
    settle(qtbot, session)
    session.set_active(second.key)
    settle(qtbot, session)
    assert session.constraints.asked == ()
    assert workspace.placed.analysis.model_key == second.key
    assert workspace.placed.solution is None
    session.set_active(first.key)
    settle(qtbot, session)
    assert len(session.constraints.asked) == 1
    assert [path.pieces for path in workspace.placed.paths()] == [["watch", "ing"]]


def test_merges_have_no_law_but_tell_what_is_left(qtbot, session, explore):
    workspace = explore("lower", ("toy-lower",))
    placed = workspace.placed
    lattice = session.analysis.lattice
    model_path = session.analysis.best.edges.tolist()
    apart = {placed.arcs.label(e) for e in np.flatnonzero(placed.arcs.marks.apart)}
    assert apart == {"we", "e", "r"}
    assert "Non-canonical: in the vocabulary" in workspace.lattice.legend()
    workspace.lattice.select_edge(edge_named(workspace, "er"))
    assert said(workspace)["Canonical"] == "yes, on the path"
    workspace.pane("edges").raise_()
    table = workspace.edges.edges
    column = table.columns.index("canonical")
    shown = [table.data(table.index(row, column)) for row in range(table.rowCount())]
    assert sorted(shown) == ["no", "no", "no", "yes", "yes", "yes", "yes"]
    press(qtbot, session, workspace, KEY.Key_X)
    assert len(placed.analysis.best) == 0
    assert placed.arcs.marks.former == set(model_path)
    assert [path.pieces for path in placed.paths()] == [
        ["l", "o", "we", "r"], ["l", "o", "w", "e", "r"],
    ]  # fmt: skip
    assert workspace.paths_title.title.text() == "Left by the constraints"
    told = workspace.strip.cost.text()
    assert told == "The model's own path doesn't obey · 2 of 3 segmentations are left"
    session.constraints.clear()
    session.constraints.toggle(edge_constraint(lattice, edge_named(workspace, "l"), "pin"))
    settle(qtbot, session)
    assert workspace.strip.cost.text().startswith("The model's own path obeys")
    assert workspace.paths_title.title.text() == "The path taken"


def test_copies_hold_the_constraints(qtbot, session, explore):
    workspace = explore()
    session.constraints.toggle(node_constraint(session.analysis.lattice, 5, "pin"))
    settle(qtbot, session)
    workspace.inspector.copy("json")
    settle(qtbot, session)
    document = json.loads(QGuiApplication.clipboard().text())
    assert [(c["action"], c["target"], c["start"]) for c in document["constraints"]] == [
        ("pin", "boundary", 5)
    ]
    assert document["nbest"][0]["pieces"] == ["watch", "ing"]
    assert document["without"]["paths"] == "3"
    workspace.inspector.copy("svg")
    settle(qtbot, session)
    assert "under 1 constraint" in QGuiApplication.clipboard().text()
    workspace.inspector.copy("text")
    settle(qtbot, session)
    assert QGuiApplication.clipboard().text() == "1.000000\t-6.0000\twatch ing"


def test_a_scene_keeps_them(qtbot, make_window, tmp_path):
    window = make_window()
    session = window.session
    model = session.models[1]
    session.set_active(model.key)
    session.set_text("lower lovely")
    settle(qtbot, session)
    edge = int(session.analysis.best.edges[-1])
    constraint = edge_constraint(session.analysis.lattice, edge, "pin")
    window.show_workspace("explore")
    window.workspace.lattice.select_edge(edge)
    qtbot.waitUntil(window.table.actions["pin"].isEnabled, timeout=5_000)
    window.table.actions["pin"].trigger()
    settle(qtbot, session)
    assert session.constraints.asked == (constraint,)
    qtbot.waitUntil(window.table.actions["constraints.clear"].isEnabled, timeout=5_000)
    scene = window.scenes.capture("explore")
    assert scene.constraints == (SceneConstraint(1, constraint),)
    path = tmp_path / "scene.json"
    write_scene(scene, path)
    assert read_scene(path).constraints == scene.constraints
    window.table.actions["constraints.clear"].trigger()
    settle(qtbot, session)
    assert session.constraints.asked == ()
    with qtbot.waitSignal(window.scenes.opened, timeout=20_000):
        window.scenes.open(path)
    settle(qtbot, session)
    assert session.constraints.asked == (constraint,)
    assert session.constraints.dropped is None
    assert window.workspace.placed.solution.constrained.constraints == (constraint,)


def test_right_to_left_and_cjk_boundaries_are_where_they_are_clicked(qtbot, session, explore):
    workspace = explore("مرحبا 今天 नमस्ते", ("everyday-unigram",))
    nodes, lattice = workspace.placed.nodes, session.analysis.lattice
    cuts = [int(n) for n in session.analysis.best.nodes[1:-1]]
    source = lattice.prepared.node_sources()
    places = nodes.places[cuts]
    for node in cuts:
        if np.count_nonzero(np.abs(places - nodes.places[node]) < 1) > 1:
            continue  # where the direction turns two boundaries may stand at one place
        workspace.placed.viewport.reveal(*[float(nodes.places[node])] * 2)
        qtbot.mouseClick(workspace.lattice, LEFT, pos=foot(workspace, node))
        assert source[session.selection.node] == source[node]
