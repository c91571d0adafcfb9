"""Explore: a text, its tokens under each open model, the lattice, the best paths."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QDockWidget, QFrame, QScrollArea, QTabBar, QVBoxLayout, QWidget

from app.draw.viewport import GUTTER, MARGIN
from app.session import Session
from app.theme import Theme
from app.views.explore.bands_view import BandsView
from app.views.explore.constraining import constrain_selected
from app.views.explore.constraints import ConstraintStrip, edge_of
from app.views.explore.copying import copy_selected
from app.views.explore.edge_table import EdgeTable
from app.views.explore.inspector import Inspector
from app.views.explore.lattice_view import LatticeView
from app.views.explore.paths_view import USUAL, PathsView, paths_height
from app.views.explore.pipeline_pane import PipelinePane
from app.views.explore.placed import Placed
from app.views.explore.special_bar import SpecialBar
from app.views.explore.summary import edges_note, lattice_note, paths_note, paths_title
from app.views.explore.text_bar import TextBar
from app.views.explore.theta import ThetaControl
from app.views.explore.wheel import zoom
from app.widgets.pane_title import PaneTitle
from app.widgets.surface import set_opaque, set_surface
from app.workspace import Workspace, Zoom
from engine.constrain import Action, Constraint
from engine.scene_fields import as_number

ROWS_SEEN = 6
"""Models whose bands are seen at once; more are scrolled to."""

PATHS_SEEN = 3
"""Paths whose bricks are always seen."""


class ExploreWorkspace(Workspace):
    """The workspace of one text."""

    name = "explore"

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self.placed = Placed(session, theme, self)
        self.text_bar = TextBar(session, theme)
        self.special_bar = SpecialBar(session, theme)
        self.bands = BandsView(self.placed, theme)
        self.theta = ThetaControl(session)
        self.lattice_title = PaneTitle(theme, self.tr("Lattice"))
        self.lattice_title.add(self.theta)
        self.lattice = LatticeView(self.placed, theme)
        self.strip = ConstraintStrip(self.placed, theme)
        self.paths = PathsView(self.placed, theme)
        self.paths_title = PaneTitle(theme)
        self.edges = EdgeTable(self.placed, theme)
        self.edges_title = PaneTitle(theme, self.tr("Edges"))
        self.pipeline = PipelinePane(self.placed, theme)
        self.inspector = Inspector(self.placed, theme)
        for title in (self.lattice_title, self.paths_title, self.edges_title):
            title.set_note_left(round(GUTTER + MARGIN))
        for picture in (self.bands, self.lattice, self.paths):
            set_opaque(picture)
        set_surface(self.lattice_title, theme, "canvas")
        set_surface(self.inspector.body, theme, "panel")
        self.setCentralWidget(self._centre())
        self._add_panes()
        self.setTabOrder(self.text_bar.field, self.text_bar.units)
        self.inspector.show_piece.connect(lambda: self.go_to.emit("vocabulary"))
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.lattice)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(lambda: self.inspector.copy("text"))
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.bands)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(lambda: copy_selected(session))
        self.strip.chosen.connect(self._show_constraint)
        self.text_bar.field.left.connect(self.lattice.setFocus)
        self.placed.lattice_changed.connect(self._tell)
        session.models_changed.connect(self._fit_bands)
        self.placed.axis_changed.connect(self._fit_bands)
        self._ranked = True
        self._paths_given = 0
        self._fit_bands()
        self._tell()
        self.compose_default()

    def _centre(self) -> QWidget:
        centre = QFrame()
        set_surface(centre, self._theme, "canvas")
        self._bands_area = QScrollArea()
        self._bands_area.setFrameShape(QFrame.Shape.NoFrame)
        self._bands_area.setWidgetResizable(True)
        self._bands_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._bands_area.setWidget(self.bands)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (
            self.text_bar, self.special_bar, _line(), self._bands_area, _line(), self.lattice_title
        ):  # fmt: skip
            column.addWidget(widget)
        column.addWidget(self.strip)
        column.addWidget(self.lattice, 1)
        return centre

    def _add_panes(self) -> None:
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        right = Qt.DockWidgetArea.RightDockWidgetArea
        # The inspector stands beside everything, the paths only under the axis.
        self.setCorner(Qt.Corner.BottomRightCorner, right)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.paths)
        self._paths_area = area
        paths = self.add_pane(
            "paths", self.tr("Best paths"), area, bottom, self.paths_title, "canvas"
        )
        edges = self.add_pane(
            "edges", self.tr("Edges"), self.edges, bottom, self.edges_title, "canvas"
        )
        pipeline = self.add_pane(
            "pipeline",
            self.tr("Pipeline"),
            self.pipeline,
            bottom,
            self.pipeline.title,
            "canvas",
        )
        self.tabifyDockWidget(paths, edges)
        self.tabifyDockWidget(edges, pipeline)
        edges.visibilityChanged.connect(self.edges.set_seen)
        pipeline.visibilityChanged.connect(self._pipeline_seen)
        self.pipeline.work.changed.connect(self._fit_pipeline)
        self._pipeline_given = 0
        paths.raise_()
        self.add_pane(
            "inspector", self.tr("Inspector"), self.inspector, right, self.inspector.title
        )

    def pane(self, name: str) -> QDockWidget:
        """Return a pane by its short name: `paths`, `edges`, `pipeline` or `inspector`."""
        found = self.findChild(QDockWidget, f"{self.name}.{name}")
        assert isinstance(found, QDockWidget)
        return found

    def _fit_bands(self) -> None:
        rows = min(max(len(self._session.models), 1), ROWS_SEEN)
        self._bands_area.setFixedHeight(self.bands.height_of(rows))

    def constrain(self, action: Action) -> bool:
        """Pin or forbid the selected edge or boundary, or set it free."""
        return constrain_selected(self._session, self.placed, action)

    def zoom(self, how: Zoom) -> None:
        """Zoom all rows of the axis."""
        zoom(self.placed.viewport, how)

    def _show_constraint(self, constraint: Constraint) -> None:
        """Select the edge or the boundary of a constraint."""
        edge = edge_of(self.placed.solution, constraint)
        if edge is not None:
            self.lattice.select_edge(edge)
        elif constraint.nodes is not None:
            self.lattice.select_node(constraint.nodes[0])

    def _tell(self) -> None:
        """Say in words what the pictures show."""
        placed = self.placed
        rows = min(max(len(placed.rows), 1), PATHS_SEEN)
        self._paths_area.setMinimumHeight(paths_height(rows))
        self.lattice_title.note.setText(lattice_note(placed))
        self.paths_title.title.setText(paths_title(placed))
        self.paths_title.note.setText(paths_note(placed))
        self.edges_title.note.setText(edges_note(placed))
        analysis = placed.analysis
        law = analysis is None or analysis.lattice.has_law
        # Without a law there is nothing that a temperature could change; the legend says why.
        self.theta.setVisible(law)
        if analysis is not None:
            self._fit_paths(law)

    def _pipeline_seen(self, seen: bool) -> None:
        self.pipeline.set_seen(seen)
        self._pipeline_given = 0
        if seen:
            QTimer.singleShot(0, self, self._fit_pipeline)

    def _fit_pipeline(self) -> None:
        """Make room for all stages when they come to the front.

        A height that a person gives to the pane stays.
        """
        pane = self.pane("pipeline")
        wanted = self.pipeline.sizeHint().height() + self.pipeline.title.sizeHint().height()
        # The row of tabs is counted in.
        wanted += max((bar.sizeHint().height() for bar in self.findChildren(QTabBar)), default=0)
        seen = self.pipeline.seen and not pane.isFloating()
        if seen and wanted > max(self._pipeline_given, pane.height()):
            self._pipeline_given = wanted
            self.resizeDocks([pane], [wanted], Qt.Orientation.Vertical)

    def _fit_paths(self, ranked: bool) -> None:
        """Give the room of alternatives to the lattice where the model has none.

        A height that a person gave to the pane stays.
        """
        pane, extra = self.pane("paths"), self.paths_title.sizeHint().height()
        if ranked == self._ranked or pane.isFloating() or not pane.isVisible():
            return
        self._ranked = ranked
        if self._paths_given in (0, pane.height()):
            self._paths_given = extra + paths_height(USUAL if ranked else 1)
            self.resizeDocks([pane], [self._paths_given], Qt.Orientation.Vertical)
            QTimer.singleShot(0, self, self._note_paths_height)

    def _note_paths_height(self) -> None:
        """Keep what the pane got: it may not be as low as it was asked to be."""
        self._paths_given = self.pane("paths").height()

    def view_state(self) -> dict[str, Any]:
        """Zoom and scroll, where a person set them."""
        viewport = self.placed.viewport
        if viewport.fitted:
            return {}
        return {"zoom": round(viewport.zoom, 4), "scroll": round(viewport.scroll, 1)}

    def restore_view_state(self, state: dict[str, Any]) -> None:
        """Take back zoom and scroll; without numbers the text is fitted into the view."""
        zoom, scroll = as_number(state.get("zoom")), as_number(state.get("scroll", 0.0))
        if zoom is not None and scroll is not None:
            self.placed.viewport.restore(zoom, scroll)
        else:
            self.placed.viewport.fit()

    def activated(self) -> None:
        """Give the focus to the text, unless something here has it."""
        focus = self.focusWidget()
        if focus is None:
            self.text_bar.field.setFocus()


def _line() -> QFrame:
    line = QFrame()
    line.setFixedHeight(1)
    line.setAutoFillBackground(True)
    line.setBackgroundRole(QPalette.ColorRole.Mid)
    return line
