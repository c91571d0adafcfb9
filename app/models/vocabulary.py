"""The table model of a vocabulary: a view of `PieceTable` through an array of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt

from app.draw.numbers import signed
from app.models.table import Index, Table, sort_mark
from app.theme import SIZE_DATA, Theme
from engine.display import hexadecimal, is_text, plain, unseen, visible
from engine.piece_table import COLUMNS, Column, PieceTable
from engine.pieces import PieceKind, Vocabulary

_TEXTS: frozenset[str] = frozenset(("text", "script", "kind", "canonical"))


class VocabularyTableModel(Table):
    """Columns as `engine.piece_table.COLUMNS`; `rows` says which pieces, in which order."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._table: PieceTable | None = None
        self._vocabulary: Vocabulary | None = None
        self._all: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._rows: NDArray[np.int64] = self._all
        self._column: Column = "id"
        self._descending = False
        titles = {
            "id": self.tr("Id"),
            "text": self.tr("Piece"),
            "bytes": self.tr("Bytes"),
            "chars": self.tr("Characters"),
            "script": self.tr("Script"),
            "kind": self.tr("Kind"),
            "score": self.tr("Score (nats)"),
            "rank": self.tr("Merge rank"),
            "canonical": self.tr("Canonical"),
        }
        self._titles = tuple(titles[column] for column in COLUMNS)
        self._kinds = {
            PieceKind.NORMAL: self.tr("normal"),
            PieceKind.UNKNOWN: self.tr("unknown"),
            PieceKind.CONTROL: self.tr("control"),
            PieceKind.USER_DEFINED: self.tr("user-defined"),
            PieceKind.UNUSED: self.tr("unused"),
            PieceKind.BYTE: self.tr("byte"),
            PieceKind.ADDED: self.tr("added"),
        }

    def set_table(self, table: PieceTable | None, vocabulary: Vocabulary | None) -> None:
        """Show another vocabulary, unfiltered, in the present order."""
        self.beginResetModel()
        self._table, self._vocabulary = table, vocabulary
        self._all = np.arange(len(table) if table else 0, dtype=np.int64)
        self._rows = self._sorted(self._all)
        self.endResetModel()

    def set_rows(self, rows: NDArray[np.int64]) -> None:
        """Show only these rows of the table, in the present order."""
        self.beginResetModel()
        self._rows = self._sorted(rows)
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self.beginResetModel()
        self._column = COLUMNS[column]
        self._descending = order == Qt.SortOrder.DescendingOrder
        self._rows = self._sorted(self._rows)
        self.endResetModel()

    def _sorted(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        if self._table is None:
            return rows
        return self._table.sort(rows, self._column, self._descending)

    def piece(self, row: int) -> int:
        """Return the id of the piece in a row of the view."""
        assert self._table is not None
        return int(self._table.ids[self._rows[row]])

    def row_of(self, piece: int) -> int:
        """Return the row of the view that shows a piece, -1 where it is filtered out."""
        if self._table is None:
            return -1
        found = np.flatnonzero(self._rows == self._table.row_of(piece))
        return int(found[0]) if len(found) else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def mark(self, column: int) -> str:
        sorted_by = COLUMNS[column] == self._column
        return sort_mark(descending=self._descending) if sorted_by else ""

    def is_text(self, column: int) -> bool:
        return COLUMNS[column] in _TEXTS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        vocabulary = self._vocabulary
        if not index.isValid() or vocabulary is None:
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.EditRole and column == "text":
            return plain(vocabulary.bytes(self.piece(index.row())))
        if role == Qt.ItemDataRole.ToolTipRole and column == "text":
            data = vocabulary.bytes(self.piece(index.row()))
            return "\n".join([hexadecimal(data), *unseen(data)])
        if role == Qt.ItemDataRole.ToolTipRole and column == "canonical":
            return self.tr("whether merging the piece's own symbols gives it back")
        if role == Qt.ItemDataRole.FontRole and column == "text":
            return self._theme.piece_font(SIZE_DATA + 1)
        return super().data(index, role)

    def shown(self, row: int, column: int) -> str:
        table, vocabulary = self._table, self._vocabulary
        if table is None or vocabulary is None:
            return ""
        return self._cell(table, vocabulary, int(self._rows[row]), COLUMNS[column])

    def _cell(self, table: PieceTable, vocabulary: Vocabulary, row: int, column: Column) -> str:
        piece = int(table.ids[row])
        if column == "id":
            return str(piece)
        if column == "text":
            return piece_text(vocabulary, piece)
        if column == "bytes":
            return str(table.n_bytes[row])
        if column == "chars":
            return str(table.n_chars[row])
        if column == "script":
            return table.scripts[table.script[row]]
        if column == "kind":
            return self._kinds[PieceKind(table.kind[row])]
        if column == "score":
            score = float(table.score[row])
            return "" if np.isnan(score) else signed(score, 4)
        if column == "canonical":
            return ("", self.tr("no"), self.tr("yes"))[int(table.canonical[row]) + 1]
        return f"{table.rank[row]:,}" if table.has_rank(row) else ""


def piece_text(vocabulary: Vocabulary, piece: int) -> str:
    """Return a piece for the eye: marks for whitespace, hexadecimal digits for stray bytes.

    What isn't UTF-8 has its bytes beside it: `80` is a byte or two digits, `80 · 0x80` a byte.
    """
    if vocabulary.kind[piece] == PieceKind.BYTE:
        return vocabulary.text(piece)
    data = vocabulary.bytes(piece)
    shown = visible(data)
    if not is_text(data):
        shown = f"{shown} · 0x{hexadecimal(data)}"
    if vocabulary.continuation is not None and vocabulary.continuation[piece]:
        return vocabulary.mark + shown
    return shown
