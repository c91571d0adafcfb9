"""The lines of a language with the tokens that each takes in each open model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt

from app.draw.isolate import isolate
from app.models.table import Index, Table
from engine.display import visible

SHOWN = 160
"""Characters of a line that its row shows; the tool tip has more."""


NUMBER, LINE, COUNTS = range(3)


class LinesModel(Table):
    """Columns: number, the line, then one count a model."""

    texts = frozenset((LINE,))

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

    def titles(self) -> tuple[str, ...]:
        return self.tr("No."), self.tr("Line"), *(letter for letter, _ in self._counts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == LINE:
            return self.lines[index.row()][:2000]
        return super().data(index, role)

    def shown(self, row: int, column: int) -> str:
        if column == NUMBER:
            return str(row + 1)
        if column == LINE:
            return isolate(_one_line(self.lines[row][:SHOWN]))
        return f"{self._counts[column - COUNTS][1][row]:,}"


def _one_line(text: str) -> str:
    """Return a text that a table cell can show: controls as marks, blanks as they are."""
    return "".join(c if c.isprintable() else visible(c.encode()) for c in text)
