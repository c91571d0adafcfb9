"""Law against sample: the chart, the curve of distances, and the table twin of both."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from app.models.sampling import OutcomeTableModel
from app.theme import Theme
from app.views.sampling.charts import CurveView, LawView
from app.views.sampling.figures import (
    Tallies,
    curves_of,
    legend_html,
    outcomes_of,
    sample_note,
)
from app.views.sampling.lane import Keys
from app.views.sampling.listing import Listing
from app.views.sampling.passes import Passes
from app.widgets.pane_title import PaneTitle
from app.widgets.rows_table import RowsTable

NARROWEST = 74
"""Pixels of a column of numbers with a short title."""


class Results(QObject):
    """Makes the widgets, fills them together, and keeps one row selected in all of them."""

    chosen = Signal(int)
    """A row, by a click or a key."""

    def __init__(self, theme: Theme, keys: Keys, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._quiet = False
        self._listing: Listing | None = None
        self._row = -1
        self.law = LawView(theme, keys)
        self.law_title = PaneTitle(theme, self.tr("Law against sample"))
        self.law_title.end.setTextFormat(Qt.TextFormat.RichText)
        self.curve = CurveView(theme)
        self.curve_title = PaneTitle(theme, self.tr("Distance to the law"))
        self.curve_title.note.setText(self.tr("total variation, both axes log"))
        self.outcomes = OutcomeTableModel(theme, self)
        self.table = RowsTable(self.outcomes, self.tr("Law against sample"), theme, (260,))
        self.outcomes.modelReset.connect(self._fit_columns)
        self.law.row_clicked.connect(self.chosen)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)

    def show(self, passes: Passes, tallies: Tallies, *, stale: bool) -> None:
        """Show samples beside their law. stale: they belong to other settings or another seed."""
        outcomes = outcomes_of(passes, tallies, self._theme)
        note = sample_note(passes, tallies, stale=stale)
        self.law.show_outcomes(outcomes, stale=stale)
        self.law_title.note.setText(note)
        self.law_title.end.setText(legend_html(passes.wish.methods, self._theme))
        self.curve.show_curves(curves_of(passes, tallies, self._theme), stale=stale)
        self.outcomes.set_outcomes(outcomes)
        before, self._listing = self._listing, passes.listing
        row = self._row if before is passes.listing else _place_in(before, self._row, self._listing)
        row = row if row < len(outcomes.labels) else -1
        # The table has lost its row where its model was reset.
        if row != self._row or row != self.table.currentIndex().row():
            self.select(row)

    def clear(self) -> None:
        """Show nothing."""
        self.law.show_outcomes(None, stale=False)
        self.law_title.note.setText("")
        self.law_title.end.clear()
        self.curve.show_curves((), stale=False)
        self.outcomes.set_outcomes(None)
        self._listing = None
        self.select(-1)

    def select(self, row: int) -> None:
        """Mark a row everywhere; −1 for none."""
        self._row = row
        self.law.select(row)
        self._quiet = True
        if row >= 0:
            self.table.selectRow(row)
        else:
            self.table.selectionModel().clear()
        self._quiet = False

    def _fit_columns(self) -> None:
        """Make the columns of numbers as wide as their titles."""
        header = self.table.horizontalHeader()
        for column in range(1, self.outcomes.columnCount()):
            self.table.setColumnWidth(column, max(NARROWEST, header.sectionSizeHint(column)))

    def _row_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and not self._quiet:
            self.chosen.emit(current.row())


def _place_in(before: Listing | None, row: int, now: Listing) -> int:
    """Return the row of the path that stood in a row before, −1 where it has none now."""
    if before is None or before.lattice is not now.lattice or not 0 <= row < len(before.paths):
        return -1
    key = before.paths[row].edges.tobytes()
    return next((i for i, path in enumerate(now.paths) if path.edges.tobytes() == key), -1)
