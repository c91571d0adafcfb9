"""The lines of a language with the tokens that each takes in each open model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from app.draw.isolate import isolate
from app.models.languages import Index
from engine.display import visible

SHOWN = 160
"""Characters of a line that its row shows; the tool tip has more."""


class LinesModel(QAbstractTableModel):
    """Columns: number, the line, then one count a model."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: list[str] = []
        self._counts: list[tuple[str, NDArray[np.int64]]] = []

    def show(self, lines: list[str], counts: list[tuple[str, NDArray[np.int64]]]) -> bool:
        """Show lines, with (model letter, int64[lines]) for each model counted.

        Returns False where they are shown already, so that a view keeps its place.
        """
        if lines is self.lines and len(counts) == len(self._counts):
            pairs = zip(counts, self._counts, strict=True)
            if all(a[0] == b[0] and np.array_equal(a[1], b[1]) for a, b in pairs):
                return False
        self.beginResetModel()
        self.lines, self._counts = lines, counts
        self.endResetModel()
        return True

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 2 + len(self._counts)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = [self.tr("No."), self.tr("Line"), *(letter for letter, _ in self._counts)]
            return names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            if column == 0:
                return str(row + 1)
            if column == 1:
                return isolate(_one_line(self.lines[row][:SHOWN]))
            return f"{self._counts[column - 2][1][row]:,}"
        if role == Qt.ItemDataRole.ToolTipRole and column == 1:
            return self.lines[row][:2000]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        return None

    @staticmethod
    def _alignment(column: int) -> int:
        side = Qt.AlignmentFlag.AlignLeft if column == 1 else Qt.AlignmentFlag.AlignRight
        return int(side | Qt.AlignmentFlag.AlignVCenter)


def _one_line(text: str) -> str:
    """Return a text that a table cell can show: controls as marks, blanks as they are."""
    return "".join(c if c.isprintable() else visible(c.encode()) for c in text)
