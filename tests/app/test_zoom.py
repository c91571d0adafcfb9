"""Zoom of the axis by keys and by the menu: a step, what is legible, all of the text."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.draw.lattice import is_far
from app.draw.tokens import DENSITY
from app.draw.viewport import GUTTER
from tests.app.exploring import open_explore, settle

pytestmark = pytest.mark.screen

KEY = Qt.Key
LONG = "the weather is lovely today and so it stays " * 150


@pytest.fixture
def workspace(qtbot: Any, session: Any, theme: Any, models: Any) -> Any:
    return open_explore(qtbot, session, theme, [models["everyday-unigram"]], LONG)


def test_f_shows_all_of_a_long_text_as_density(qtbot: Any, session: Any, workspace: Any) -> None:
    placed = workspace.placed
    view = placed.viewport
    assert view.overflows
    assert "F: all of the text" in workspace.lattice.legend()
    qtbot.keyClick(workspace.lattice, KEY.Key_F)
    settle(qtbot, session)
    assert not view.overflows
    assert view.screen(0.0) >= GUTTER
    assert view.screen(view.axis.width) <= GUTTER + view.width
    # What can't be drawn one by one is drawn as density, in both pictures.
    assert is_far(placed.arcs, placed.lattice_viewport)
    bands = placed.bands[session.active.key]
    assert bands.usual_width * view.zoom < DENSITY
    assert "0: readable again" in workspace.lattice.legend()
    assert "F: all of the text" not in workspace.lattice.legend()
    qtbot.keyClick(workspace.lattice, KEY.Key_0)
    assert view.fitted
    assert view.overflows


@pytest.mark.parametrize("name", ["lattice", "bands", "paths"])
def test_the_keys_work_in_each_picture_on_the_axis(qtbot: Any, workspace: Any, name: str) -> None:
    picture, view = getattr(workspace, name), workspace.placed.viewport
    first = view.zoom
    qtbot.keyClick(picture, KEY.Key_Plus, Qt.KeyboardModifier.ShiftModifier)
    assert view.zoom > first
    qtbot.keyClick(picture, KEY.Key_Minus)
    assert view.zoom == pytest.approx(first)
    qtbot.keyClick(picture, KEY.Key_F)
    assert not view.overflows
    qtbot.keyClick(picture, KEY.Key_F, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(picture, KEY.Key_0)
    assert view.zoom == first


def test_the_menu_zooms_explore_only(qtbot: Any, make_window: Any) -> None:
    window = make_window()
    window.session.set_text(LONG)
    settle(qtbot, window.session)
    actions = window.table.actions
    view = window.workspace.placed.viewport
    assert view.overflows
    actions["zoom.all"].trigger()
    assert not view.overflows
    small = view.zoom
    actions["zoom.in"].trigger()
    assert view.zoom > small
    actions["zoom.out"].trigger()
    assert view.zoom == pytest.approx(small)
    actions["zoom.fit"].trigger()
    assert view.fitted
    lattice = window.menus.menus["lattice"]
    assert actions["zoom.all"] in lattice.actions()
    assert actions["zoom.all"].isEnabled()
    window.show_workspace("vocabulary")
    assert not actions["zoom.all"].isEnabled()
