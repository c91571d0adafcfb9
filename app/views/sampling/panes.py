"""The panes of the Sampling workspace and where they stand at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt

if TYPE_CHECKING:
    from app.views.sampling import SamplingWorkspace
    from app.views.sampling.boundary import BoundaryPane

translate = QCoreApplication.translate


def compose_panes(workspace: SamplingWorkspace, prompt: BoundaryPane) -> None:
    """Put results, tables, inspector and prompt boundary under and beside the lanes."""
    side = Qt.DockWidgetArea.RightDockWidgetArea
    bottom = Qt.DockWidgetArea.BottomDockWidgetArea
    # The inspector stands beside everything, the charts only under the lanes.
    workspace.setCorner(Qt.Corner.BottomRightCorner, side)
    results = workspace.results
    law = workspace.add_pane(
        "law",
        translate("Sampling", "Law against sample"),
        results.law,
        bottom,
        results.law_title,
        "canvas",
    )
    curve = workspace.add_pane(
        "distance",
        translate("Sampling", "Distance to the law"),
        results.curve,
        bottom,
        results.curve_title,
        "canvas",
    )
    events = workspace.add_pane(
        "events", translate("Sampling", "Steps"), workspace.event_table, bottom, surface="canvas"
    )
    outcomes = workspace.add_pane(
        "outcomes", translate("Sampling", "Outcomes"), results.table, bottom, surface="canvas"
    )
    workspace.splitDockWidget(law, curve, Qt.Orientation.Horizontal)
    workspace.tabifyDockWidget(law, events)
    workspace.tabifyDockWidget(events, outcomes)
    law.raise_()
    inspector = workspace.add_pane(
        "inspector", translate("Sampling", "Inspector"), workspace.report, side
    )
    boundary = workspace.add_pane(
        "boundary", translate("Sampling", "Prompt boundary"), prompt, side, surface="canvas"
    )
    boundary.visibilityChanged.connect(prompt.set_seen)
    workspace.tabifyDockWidget(inspector, boundary)
    inspector.raise_()
    workspace.resizeDocks([inspector], [300], Qt.Orientation.Horizontal)
    workspace.resizeDocks([law, curve], [660, 400], Qt.Orientation.Horizontal)
    workspace.resizeDocks([law], [300], Qt.Orientation.Vertical)
