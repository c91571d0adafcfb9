"""The table twin of WordPiece's tries: one row a try, made when asked for."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from app.draw.merge_labels import Labels
from app.models.table import Index, Table
from app.theme import SIZE_DATA, Theme
from engine.traces.longest import LongestTrace, TryKind

STEP, WORD, TRIED, OUTCOME, TOKEN, BYTE = range(6)
_PIECES = frozenset((WORD, TRIED, TOKEN))


class TriesTableModel(Table):
    """Tries from 1, as the player counts them: row k is step k of the trace."""

    texts = frozenset((WORD, TRIED, OUTCOME, TOKEN))

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._trace: LongestTrace | None = None
        self._labels: Labels | None = None
        self._titles = (
            self.tr("Step"),
            self.tr("Word"),
            self.tr("Looked up"),
            self.tr("Outcome"),
            self.tr("Token"),
            self.tr("Byte"),
        )
        self._outcomes = {
            TryKind.MISS: self.tr("× no such piece"),
            TryKind.HIT: self.tr("✓ found"),
            TryKind.FAIL: self.tr("? word unknown"),
            TryKind.TOO_LONG: self.tr("? too long"),
        }

    def set_trace(self, trace: LongestTrace | None, labels: Labels | None) -> None:
        """Show another trace."""
        self.beginResetModel()
        self._trace, self._labels = trace, labels
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._trace is None else len(self._trace)

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.FontRole and index.column() in _PIECES:
            return self._theme.piece_font(SIZE_DATA)
        return super().data(index, role)

    def shown(self, row: int, column: int) -> str:
        trace, labels, k = self._trace, self._labels, row
        if trace is None or labels is None:
            return ""
        event = trace.event(k)
        first = int(trace.prepared.cuts[event.pretoken])
        if column == STEP:
            return f"{k + 1:,}"
        if column == WORD:
            return labels.pretoken(event.pretoken)
        if column == TRIED:
            return labels.looked_up(event.start, event.end, first)
        if column == OUTCOME:
            return self._outcomes[event.kind]
        if column == TOKEN:
            inside = event.kind == TryKind.HIT and event.start > first
            return labels.written(event.piece, inside=inside)[0] if event.piece >= 0 else ""
        return f"{trace.prepared.span(event.start, event.end)[0]:,}"
