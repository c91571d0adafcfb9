"""The panes of the workspaces: one kind of title, put away when empty, floated by the menu."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.widgets.pane_title import PaneTitle
from engine import bundled

pytestmark = pytest.mark.screen

NAMES = ("explore", "merges", "sampling", "languages", "vocabulary")


@pytest.mark.parametrize("name", NAMES)
def test_every_pane_has_the_same_kind_of_title(qtbot, make_window, name):
    window = make_window()
    window.show_workspace(name)
    qtbot.waitUntil(lambda: not window.session.busy, timeout=20_000)
    panes = window.workspace.panes()
    assert f"{name}.inspector" in [pane.objectName() for pane in panes]
    for pane in panes:
        assert isinstance(pane.titleBarWidget(), PaneTitle)
        assert pane.windowTitle()


def shown(workspace):
    return {pane.objectName() for pane in workspace.panes() if not pane.isHidden()}


MERGES = {f"merges.{name}" for name in ("inspector", "ranks", "steps", "rules", "tree")}


def test_panes_without_anything_to_show_are_put_away(qtbot, make_window):
    window = make_window()
    session = window.session
    unigram, bpe = session.models
    session.set_active(unigram.key)
    window.show_workspace("merges")
    qtbot.waitUntil(lambda: not session.busy, timeout=20_000)
    assert shown(window.workspace) == set()
    session.set_active(bpe.key)
    assert shown(window.workspace) == MERGES


def test_a_pane_closed_by_a_person_stays_closed_when_the_others_come_back(qtbot, make_window):
    window = make_window()
    session = window.session
    unigram, bpe = session.models
    session.set_active(bpe.key)
    window.show_workspace("merges")
    qtbot.waitUntil(lambda: not session.busy, timeout=20_000)
    pane = next(p for p in window.workspace.panes() if p.objectName() == "merges.steps")
    pane.close()
    session.set_active(unigram.key)
    kept = window.workspace.layout_state()
    session.set_active(bpe.key)
    assert shown(window.workspace) == MERGES - {"merges.steps"}
    assert window.workspace.layout_state() == kept
    window.restore_layout()
    assert shown(window.workspace) == MERGES


def test_the_menu_floats_a_pane_and_docks_it_again(qtbot, make_window):
    window = make_window()
    panes = next(
        action.menu()
        for action in window.menus.menus["view"].actions()
        if action.menu() is not None and action.text() == "&Panes"
    )
    inspector = next(p for p in window.workspace.panes() if p.objectName() == "explore.inspector")
    for floating in (True, False):
        panes.aboutToShow.emit()
        action = next(a for a in panes.actions() if a.text() == "Float Inspector")
        assert action.isChecked() != floating
        action.trigger()
        assert inspector.isFloating() == floating


def test_a_model_named_at_the_start_has_a_text_to_cut(qtbot, make_window):
    window = make_window(begin=False)
    path = bundled.model_path("everyday-bpe")
    window.begin([path], restore=False)
    qtbot.waitUntil(lambda: window.session.analysis is not None, timeout=20_000)
    assert [opened.name for opened in window.session.models] == ["everyday-bpe"]
    assert window.session.text.n_bytes > 0
    assert window.session.analysis.lattice.n_edges > 0


@pytest.mark.parametrize("name", ["merges", "sampling"])
def test_a_player_has_its_keys_in_front_and_pauses_behind(qtbot, make_window, name):
    window = make_window()
    session = window.session
    session.set_text("watching")
    wanted = "bpe" if name == "merges" else "unigram"
    session.set_active(next(m.key for m in session.models if m.model.algorithm == wanted))
    window.show_workspace(name)
    qtbot.waitUntil(lambda: window.player.length > 0 and not session.busy, timeout=20_000)
    focus = window.workspace.focusWidget()
    qtbot.keyClick(focus, Qt.Key.Key_Home)
    assert window.player.position == 0
    qtbot.keyClick(focus, Qt.Key.Key_Right)
    assert window.player.position == 1
    qtbot.keyClick(focus, Qt.Key.Key_End)
    assert window.player.position == window.player.length
    player = window.player
    player.set_looping(True)
    player.play()
    window.show_workspace("explore")
    assert not player.playing
    window.show_workspace(name)
    assert not player.playing  # a person says when it goes on
    player.play()
    for opened in list(session.models):
        session.close_model(opened.key)
    assert not player.playing
