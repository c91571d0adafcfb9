"""The panes of rules and trees: they work only in front, and long words are laid out and scroll."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt

from app.draw import merge_tree
from app.draw.merge_grid import MARGIN
from app.draw.merge_lanes import LANE, LaneRow
from app.session import Session
from app.theme import Theme
from app.views.merges import MergesWorkspace, compare
from app.views.merges.bricks import GUTTER
from app.views.merges.follow import WhatIf
from app.views.merges.lanes import TOLD, LanesView
from tests.app.merging import open_merges, settle

pytestmark = pytest.mark.screen

LONG = "there" * 60
Make = Callable[[str, str], MergesWorkspace]


@pytest.fixture
def make(qtbot: Any, session: Session, theme: Theme) -> Make:
    def show(text: str, model: str) -> MergesWorkspace:
        return open_merges(qtbot, session, theme, text, model)

    return show


def bring(qtbot: Any, workspace: MergesWorkspace, session: Session, name: str) -> None:
    """Bring a pane to the front, and wait for what it has computed."""
    next(d for d in workspace.panes() if d.objectName() == f"merges.{name}").raise_()
    qtbot.wait(1)
    settle(qtbot, session)


def in_view(view: LanesView, rect: QRectF) -> bool:
    left = view.horizontalScrollBar().value()
    return rect.left() >= left and rect.right() <= left + view.viewport().width() - GUTTER


def test_all_of_a_long_word_can_be_seen(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make(LONG, "toy-there")
    bring(qtbot, workspace, session, "rules")
    view = workspace.compare.view
    grid, across = view.grid, view.horizontalScrollBar()
    assert grid is not None
    assert [len(places.x0) for places in grid.lanes] == [240, 180, 180]
    last = [grid.rect(float(lane.x0[-1]), float(lane.x1[-1]), 0, 1) for lane in grid.lanes]
    assert not any(in_view(view, rect) for rect in last)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert across.value() > 0
    for rect in last:
        across.setValue(round(rect.left()) - 100)
        assert in_view(view, rect)
    # Where lanes have the same border, it stands at the same place.
    ends = [dict(zip(p.lane.row.end.tolist(), p.x1.tolist(), strict=True)) for p in grid.lanes]
    same = set(ends[0]) & set(ends[1])
    assert len(same) > 100
    assert all(ends[0][byte] == ends[1][byte] for byte in same)
    for places in grid.lanes:
        assert (places.x0[1:] > places.x1[:-1]).all()
    # Merges scroll, too.
    assert all(grid.width >= float(places.m1[-1]) + 2 * MARGIN for places in grid.lanes)


def test_a_word_from_right_to_left_begins_at_the_right(
    qtbot: Any, make: Make, session: Session
) -> None:
    workspace = make("الديمقراطيةالاجتماعيةالاشتراكيةالديمقراطية", "everyday-bpe")
    bring(qtbot, workspace, session, "rules")
    view = workspace.compare.view
    grid = view.grid
    assert grid is not None
    lane = grid.lanes[0]
    first, second = (grid.rect(float(lane.x0[i]), float(lane.x1[i]), 0, 1) for i in (0, 1))
    assert first.left() > second.right()
    assert view.horizontalScrollBar().maximum() > 0
    assert in_view(view, first)
    assert list(grid.seen(lane.x0, lane.x1, (first.left() + 1, first.right()))) == [0]


def test_a_paint_looks_only_at_what_is_in_view(
    qtbot: Any, make: Make, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make(LONG * 4, "toy-there")
    bring(qtbot, workspace, session, "rules")
    view, asked = workspace.compare.view, []
    whole = LaneRow.piece
    monkeypatch.setattr(LaneRow, "piece", lambda self, i: asked.append(i) or whole(self, i))
    view.horizontalScrollBar().setValue(4_000)
    asked.clear()
    view.grab()
    assert 0 < len(asked) < 200
    assert min(asked) > 20
    told = view.accessibleDescription().splitlines()
    assert [line.count("|") for line in told] == [TOLD - 1] * 3
    assert told[1].endswith("| ≠ the and 680 more, 226 of them ≠")


def test_a_word_that_is_too_long_is_told(
    qtbot: Any, make: Make, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "LONGEST", 200)
    workspace = make(LONG, "toy-there")
    bring(qtbot, workspace, session, "rules")
    view = workspace.compare.view
    assert view.lanes == ()
    assert view.accessibleDescription() == "A word of more than 200 bytes isn't shown in lanes"
    assert "1 word under “By rank of the joined string”" in workspace.compare.total.text()


def test_rules_and_trees_do_nothing_behind_another_tab(
    qtbot: Any, make: Make, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make("lower newest", "toy-lower")
    asked: list[str] = []
    under = compare.under_each_rule

    def counted(*given: Any) -> Any:
        asked.append(given[0].model.name)
        return under(*given)

    monkeypatch.setattr(compare, "under_each_rule", counted)
    assert workspace.compare.lanes == []
    assert workspace.tree.view.tree is None
    bring(qtbot, workspace, session, "rules")
    assert len(workspace.compare.view.lanes) == 3
    assert len(asked) == 1
    bring(qtbot, workspace, session, "tree")
    assert workspace.tree.view.tree is not None
    shown, tree = workspace.compare.view.lanes, workspace.tree.view.tree
    bring(qtbot, workspace, session, "ranks")
    session.set_text("newer lower")
    qtbot.waitUntil(lambda: workspace.followed.text is session.text)
    workspace.show_word(1)
    settle(qtbot, session)
    assert len(asked) == 1
    assert workspace.compare.view.lanes is shown
    assert workspace.tree.view.tree is tree
    # They catch up in front; behind another workspace they rest as well.
    bring(qtbot, workspace, session, "rules")
    assert len(asked) == 2
    assert workspace.compare.view.lanes[0].word.pretoken == 1
    workspace.hide()
    session.set_text("newer lowest lower")
    qtbot.wait(1)
    settle(qtbot, session)
    assert len(asked) == 2
    workspace.show()
    qtbot.waitUntil(lambda: len(asked) == 3 and len(workspace.compare.view.lanes) == 3)
    assert workspace.tree.view.tree is tree


def test_the_lane_of_a_swap_leads_nowhere_else(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("lower", "toy-lower")
    bring(qtbot, workspace, session, "rules")
    swap = WhatIf(swap=(0, 1))
    workspace.what_ifs.ask(swap)
    view = workspace.compare.view
    qtbot.waitUntil(lambda: len(view.lanes) == 4)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(400, round(LANE / 2)))
    assert workspace.what_ifs.what_if == swap
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert workspace.what_ifs.what_if == swap
    view.chosen.emit(3)
    assert workspace.what_ifs.what_if == WhatIf("vocabulary")


def test_a_tree_is_painted_as_far_as_it_is_seen(
    qtbot: Any, make: Make, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make(LONG, "everyday-bpe")
    bring(qtbot, workspace, session, "tree")
    view, painted = workspace.tree.view, []
    tree = view.tree
    assert tree is not None
    node = merge_tree._paint_node

    def noted(painter: Any, of: Any, theme: Any, number: int, *more: Any) -> None:
        painted.append(number)
        node(painter, of, theme, number, *more)

    monkeypatch.setattr(merge_tree, "_paint_node", noted)
    part = tree.box(150).adjusted(-100, -400, 100, 400).toRect()
    view.grab(part)
    assert set(painted) >= {n for n in range(len(tree.widths)) if tree.box(n).intersects(part)}
    assert 0 < len(painted) < len(tree.widths) / 4
    spot = tree.box(150).center()
    assert tree.node_at(spot) == 150


def test_a_step_leaves_the_tree_of_a_piece_alone(qtbot: Any, make: Make, session: Session) -> None:
    workspace = make("watching", "everyday-bpe")
    bring(qtbot, workspace, session, "tree")
    workspace.tree.what.button("piece").click()
    assert session.active is not None
    session.select(piece=session.active.model.vocabulary.index[b"ing"])
    view = workspace.tree.view
    view.select(2)
    tree = view.tree
    workspace.player.seek(1)
    assert view.tree is tree
    assert view.selected == 2
