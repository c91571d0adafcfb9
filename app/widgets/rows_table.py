"""A table of rows that are read and chosen, never edited."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.theme import SIZE_DATA, Theme


class RowsTable(QTableView):
    """Whole rows are selected, one at a time. widths: of the first columns, in pixels.

    Copy takes the current cell: what the model has under `EditRole` (a piece's real characters),
    else what is shown.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        name: str,
        theme: Theme,
        widths: tuple[int, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setModel(model)
        dress_rows(self, name)
        # One of its own: the header would be painted anew at each row that is chosen.
        self.horizontalHeader().setSelectionModel(QItemSelectionModel(model, self))
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultSectionSize(74)
        self.horizontalHeader().setStretchLastSection(True)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        self._dress()
        theme.changed.connect(self._dress)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if not event.matches(QKeySequence.StandardKey.Copy) or not index.isValid():
            super().keyPressEvent(event)
            return
        real = index.data(Qt.ItemDataRole.EditRole)
        shown = index.data(Qt.ItemDataRole.DisplayRole)
        QGuiApplication.clipboard().setText(str(shown if real is None else real))

    def _dress(self) -> None:
        self.setFont(self._theme.font(SIZE_DATA))


def dress_rows(table: QTableView, name: str, height: int = 24) -> None:
    """Make a table one of whole rows: no grid, no editing, tab leaves it.

    name: for screen readers. height: of a row, in pixels.
    """
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(height)
