"""The table of the pipeline's stages: every piece of each, as rows in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.theme import SIZE_DATA, Theme

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class StageEntry:
    """A row. stage, piece: which; -1 for a stretch that a stage leaves out. texts: the cells."""

    stage: int
    piece: int
    start: int
    end: int
    texts: tuple[str, ...]


class StageTableModel(QAbstractTableModel):
    """Stage, stretch of the text, what stood there and what stands there now."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: Sequence[StageEntry] = ()
        self._titles = (
            self.tr("Stage"), self.tr("Start byte"), self.tr("End byte"), self.tr("In the text"),
            self.tr("Piece"), self.tr("Id"), self.tr("What it is"),
        )  # fmt: skip

    def set_entries(self, entries: Sequence[StageEntry]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, row: int) -> StageEntry:
        """Return what a row shows."""
        return self._entries[row]

    def row_of(self, span: tuple[int, int], stage: int) -> int:
        """Return the row of a stage that covers the start of a span; -1 where there is none."""
        for row, entry in enumerate(self._entries):
            if entry.stage == stage and entry.start <= span[0] < max(entry.end, entry.start + 1):
                return row
        return -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._titles):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._entries[index.row()].texts[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        if role == Qt.ItemDataRole.FontRole:
            return self._theme.piece_font(SIZE_DATA) if column in (3, 4) else None
        return None

    @staticmethod
    def _alignment(column: int) -> int:
        right = column in (1, 2, 5)
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)
