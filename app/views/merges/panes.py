"""The panes around the rows of the Merges workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget

from app.theme import Theme
from app.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from app.views.merges import MergesWorkspace

LOW, HIGH = 184, 240
"""Height of the panes under the rows: for the ranks, and for lanes and trees."""


def add_panes(workspace: MergesWorkspace, theme: Theme) -> None:
    """Put the inspector beside everything; ranks, steps, rules and trees only under the rows."""
    side, bottom = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
    workspace.setCorner(Qt.Corner.BottomRightCorner, side)
    scale = PaneTitle(
        theme, workspace.tr("Every rule that could act on this word, on the rank scale")
    )
    scale.end.setText(workspace.tr("● applied   ○ still to come   × outranked every time"))
    lanes = PaneTitle(theme, workspace.tr("The word under three rules of merging"))
    lanes.add(workspace.compare.total)
    forest = PaneTitle(theme, workspace.tr("What was merged from what"))
    forest.add(workspace.tree.said)
    forest.add(workspace.tree.what)
    ranks = workspace.add_pane(
        "ranks", workspace.tr("Ranks"), workspace.ranks, bottom, scale, "canvas"
    )
    steps = workspace.add_pane(
        "steps", workspace.tr("Steps"), workspace.tables, bottom, surface="canvas"
    )
    rules = workspace.add_pane(
        "rules", workspace.tr("Rules"), workspace.compare, bottom, lanes, "canvas"
    )
    trees = workspace.add_pane(
        "tree", workspace.tr("Tree"), workspace.tree, bottom, forest, "canvas"
    )
    for before, pane in ((ranks, steps), (steps, rules), (rules, trees)):
        workspace.tabifyDockWidget(before, pane)
    ranks.raise_()
    inspector = workspace.add_pane("inspector", workspace.tr("Inspector"), workspace.report, side)
    workspace.resizeDocks([inspector], [300], Qt.Orientation.Horizontal)
    workspace.resizeDocks([ranks], [LOW], Qt.Orientation.Vertical)

    def grow(dock: QDockWidget, on: bool) -> None:
        """Give a pane that comes to the front the room that it needs."""
        if on and workspace.isVisible() and not dock.isFloating() and dock.height() < HIGH - 40:
            workspace.resizeDocks([dock], [HIGH], Qt.Orientation.Vertical)

    rules.visibilityChanged.connect(lambda on: grow(rules, on))
    trees.visibilityChanged.connect(lambda on: grow(trees, on))
    rules.visibilityChanged.connect(workspace.compare.set_seen)
    trees.visibilityChanged.connect(workspace.tree.set_seen)
