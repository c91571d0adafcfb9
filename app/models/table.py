"""What the table models share: titles, tool tips of them, and on which side cells stand."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex


class Table(QAbstractTableModel):
    """Columns with titles; a table says what they are called and what its cells show.

    Columns of `texts` stand on the left, all others are numbers and stand on the right.
    """

    texts: frozenset[int] = frozenset()

    def titles(self) -> tuple[str, ...]:
        """Return the titles of the columns."""
        raise NotImplementedError

    def mark(self, column: int) -> str:
        """Return what stands behind a title, as `sort_mark` gives it; empty for nothing."""
        return ""

    def tip(self, column: int) -> str:
        """Return what the tool tip of a title says; empty for none."""
        return ""

    def shown(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        raise NotImplementedError

    def is_text(self, column: int) -> bool:
        """Whether a column is text, which stands on the left."""
        return column in self.texts

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.titles())

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        titles = self.titles()
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(titles):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{titles[section]} {self.mark(section)}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(section) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.shown(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        return None

    def _alignment(self, column: int) -> int:
        left = self.is_text(column)
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
        return int(side | Qt.AlignmentFlag.AlignVCenter)


def sort_mark(*, descending: bool) -> str:
    """Return the mark of the column that a table is sorted by."""
    return "▼" if descending else "▲"
