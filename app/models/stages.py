"""The table of the pipeline's stages: every piece of each, as rows in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from app.models.table import Index, Table
from app.theme import SIZE_DATA, Theme


@dataclass(frozen=True)
class StageEntry:
    """A row. stage, piece: which; -1 for a stretch that a stage leaves out. texts: the cells."""

    stage: int
    piece: int
    start: int
    end: int
    texts: tuple[str, ...]


STAGE, START, END, SOURCE, PIECE, ID, ABOUT = range(7)


class StageTableModel(Table):
    """Stage, stretch of the text, what stood there and what stands there now."""

    texts = frozenset((STAGE, SOURCE, PIECE, ABOUT))

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

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.FontRole and index.column() in (SOURCE, PIECE):
            return self._theme.piece_font(SIZE_DATA)
        return super().data(index, role)

    def shown(self, row: int, column: int) -> str:
        return self._entries[row].texts[column]
