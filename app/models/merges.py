"""The table twin of a merge trace: one row a step, made when asked for."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from app.draw.merge_labels import Labels
from app.models.table import Index, Table
from app.theme import SIZE_DATA, Theme
from engine.display import plain
from engine.traces.merges import MergeTrace

STEP, WORD, RANK, LEFT, RIGHT, RESULT, BYTE = range(7)
_PIECES = frozenset((WORD, LEFT, RIGHT, RESULT))


class MergeTableModel(Table):
    """Steps from 1, as the player counts them: row k is step k of the trace."""

    texts = _PIECES

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._trace: MergeTrace | None = None
        self._labels: Labels | None = None
        self._titles = (
            self.tr("Step"),
            self.tr("Word"),
            self.tr("Rank"),
            self.tr("Left"),
            self.tr("Right"),
            self.tr("Result"),
            self.tr("Byte"),
        )

    def set_trace(self, trace: MergeTrace | None, labels: Labels | None) -> None:
        """Show another trace."""
        self.beginResetModel()
        self._trace, self._labels = trace, labels
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._trace is None else len(self._trace)

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._trace is not None and index.column() in _PIECES:
            if role == Qt.ItemDataRole.EditRole:
                return self._real(self._trace, index.row(), index.column())
            if role == Qt.ItemDataRole.FontRole:
                return self._theme.piece_font(SIZE_DATA)
        return super().data(index, role)

    def shown(self, row: int, column: int) -> str:
        trace, labels, k = self._trace, self._labels, row
        if trace is None or labels is None:
            return ""
        steps = trace.steps
        if column == STEP:
            return f"{k + 1:,}"
        if column == WORD:
            return labels.pretoken(trace.pretoken_of(k))
        if column == RANK:
            return f"{int(steps.rank[k]):,}"
        if column == BYTE:
            return f"{trace.prepared.span(int(steps.start[k]), int(steps.end[k]))[0]:,}"
        return labels.piece(_piece(trace, k, column))[0]

    def _real(self, trace: MergeTrace, k: int, column: int) -> str:
        """Return the characters of a word or a piece as they are."""
        if column == WORD:
            word = trace.pretoken_of(k)
            first, last = trace.prepared.cuts[word : word + 2].tolist()
            return plain(trace.prepared.data[first:last].tobytes())
        return plain(trace.model.vocabulary.bytes(_piece(trace, k, column)))


def _piece(trace: MergeTrace, k: int, column: int) -> int:
    steps = trace.steps
    return int({LEFT: steps.left, RIGHT: steps.right, RESULT: steps.result}[column][k])
