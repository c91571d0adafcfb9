"""The table twin of a merge trace: one row a step, made when asked for."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.draw.merge_labels import Labels
from app.theme import SIZE_DATA, Theme
from engine.display import plain
from engine.traces.merges import MergeTrace

Index = QModelIndex | QPersistentModelIndex

STEP, WORD, RANK, LEFT, RIGHT, RESULT, BYTE = range(7)
_NUMBERS = frozenset((STEP, RANK, BYTE))
_PIECES = frozenset((WORD, LEFT, RIGHT, RESULT))


class MergeTableModel(QAbstractTableModel):
    """Steps from 1, as the player counts them: row k is step k of the trace."""

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

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._titles[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trace, labels = self._trace, self._labels
        if not index.isValid() or trace is None or labels is None:
            return None
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._shown(trace, labels, index.row(), column)
        if role == Qt.ItemDataRole.EditRole and column in _PIECES:
            return self._real(trace, index.row(), column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.FontRole and column in _PIECES:
            return self._theme.piece_font(SIZE_DATA)
        return None

    def _shown(self, trace: MergeTrace, labels: Labels, k: int, column: int) -> str:
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


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
