"""The table twin of the lattice: every edge as a row, with the same selection."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QWidget

from app.models.edges import EdgeTableModel
from app.session import Session
from app.theme import Theme
from app.views.explore.placed import Placed
from app.widgets.rows_table import RowsTable

WIDTHS = {
    "start": 80, "end": 72, "piece": 200, "id": 84,
    "score": 104, "rank": 96, "probability": 104, "without": 152, "canonical": 96, "path": 84,
}  # fmt: skip


class EdgeTable(RowsTable):
    """All edges of the lattice; choosing a row selects the edge everywhere."""

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        self.edges = EdgeTableModel(theme)
        super().__init__(self.edges, "", theme, parent=parent)
        self.edges.setParent(self)
        self._placed = placed
        self._session: Session = placed.session
        self._showing = self._seen = self._late = False
        self.setAccessibleName(self.tr("Edges of the lattice"))
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicatorShown(False)  # the title says it
        self.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.selectionModel().selectionChanged.connect(self._row_selected)
        self.edges.modelReset.connect(self._show_selection)
        placed.lattice_changed.connect(self.refresh)
        self._session.selection_changed.connect(self._show_selection)
        self.refresh()

    def refresh(self) -> None:
        """Show the newest lattice."""
        analysis = self._placed.analysis
        # Nobody sees the table while its tab is behind: it is made when it comes in front.
        self._late = analysis is not None and not self._seen
        if self._late:
            return
        unit = self._session.settings.unit
        self._showing = True
        if analysis is None:
            self.edges.set_lattice(None, None, None, (), unit)
        else:
            solution = self._placed.solution
            free = None if solution is None else solution.free
            self.edges.set_lattice(
                analysis.lattice, analysis.law, analysis.best, analysis.nbest, unit, free
            )
        for place, column in enumerate(self.edges.columns):
            self.setColumnWidth(place, WIDTHS[column])
        self._showing = False
        self._show_selection()

    def set_seen(self, seen: bool) -> None:
        """Follow the lattice only while the pane is in front; Qt hides no pane behind another."""
        self._seen = seen
        if seen and self._late:
            self.refresh()

    def _row_selected(self) -> None:
        rows = self.selectionModel().selectedRows()
        analysis = self._placed.analysis
        if self._showing or not rows or analysis is None:
            return
        edge = self.edges.edge(rows[0].row())
        if edge == self._session.selection.edge:
            return
        piece = int(analysis.lattice.piece[edge])
        self._session.select(
            model=analysis.model_key,
            edge=edge,
            piece=piece if piece >= 0 else None,
            span=analysis.lattice.source(edge),
        )

    def _show_selection(self) -> None:
        if self._late:
            return  # the rows are those of an older lattice
        edge = self._session.selection.edge
        row = -1 if edge is None else self.edges.row_of(edge)
        self._showing = True
        if row < 0:
            self.clearSelection()
        elif not self.selectionModel().isRowSelected(row):
            index = self.edges.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag
            self.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self.scrollTo(index)
        self._showing = False
