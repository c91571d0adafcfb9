"""The table of a training run: a row for each merge, made when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from app.draw.isolate import isolate
from app.models.table import Index, Table
from app.recording import MergeRow
from app.theme import SIZE_DATA, Theme
from engine.display import hexadecimal, is_text, plain, unseen, visible

STEP, LEFT, RIGHT, PIECE, COUNT, TIES, RIVAL, RIVAL_COUNT = range(8)
NUMBERS = frozenset((STEP, COUNT, TIES, RIVAL_COUNT))
SHOWN = 100
"""Characters, or bytes, of a piece that are shown: a corpus may make one of a million."""

PIECES = frozenset((LEFT, RIGHT, PIECE, RIVAL))


class RecordModel(Table):
    """Merges in whatever order they are given; nothing is kept for a row that isn't seen."""

    texts = PIECES

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: Sequence[MergeRow] = ()
        self._shown_rows = 0
        self._last: MergeRow | None = None
        titles_and_tips = (
            (self.tr("Step"), self.tr("Merges done, this one among them")),
            (self.tr("Left"), self.tr("The first of the two neighbours")),
            (self.tr("Right"), self.tr("The second of the two neighbours")),
            (self.tr("Piece"), self.tr("What the merge makes of the two")),
            (self.tr("Count"), self.tr("How often the pair stood in the corpus then")),
            (
                self.tr("Tied"),
                self.tr("How many pairs had that count; with several the tie rule chose"),
            ),
            (self.tr("Runner-up"), self.tr("The pair that would have come next")),
            (self.tr("Its count"), self.tr("How often the runner-up stood in the corpus then")),
        )
        self._titles, self._tips = zip(*titles_and_tips, strict=True)

    def set_rows(self, rows: Sequence[MergeRow]) -> None:
        """Show other merges."""
        self.beginResetModel()
        self._rows, self._shown_rows, self._last = rows, len(rows), None
        self.endResetModel()

    def grow(self, rows: Sequence[MergeRow]) -> None:
        """Show the same merges and those that have come since."""
        before, now = self._shown_rows, len(rows)
        if now == before:
            self._rows = rows
            return
        self.beginInsertRows(QModelIndex(), before, now - 1)
        self._rows, self._shown_rows = rows, now
        self.endInsertRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._shown_rows

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def tip(self, column: int) -> str:
        return self._tips[column]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = index.column()
        if column not in PIECES or not index.isValid():
            return super().data(index, role)
        if role == Qt.ItemDataRole.FontRole:
            return self._theme.piece_font(SIZE_DATA)
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            parts = _parts(self._row(index.row()), column)
            if role == Qt.ItemDataRole.EditRole:
                return " ".join(map(plain, parts))
            lines = [line for part in parts for line in _about(part)]
            return "\n".join(dict.fromkeys(lines))
        return super().data(index, role)

    def _row(self, place: int) -> MergeRow:
        """Return a row; a view asks for one cell of it after the other."""
        if self._last is None or self._last.step != place + 1:
            self._last = self._rows[place]
        return self._last

    def shown(self, row: int, column: int) -> str:
        merge = self._row(row)
        if column in PIECES:
            return " + ".join(map(piece_text, _parts(merge, column)))
        if column == RIVAL_COUNT:
            return f"{merge.rival_count:,}" if merge.rival is not None else ""
        return f"{ {STEP: merge.step, COUNT: merge.count, TIES: merge.ties}[column]:,}"


def _parts(row: MergeRow, column: int) -> tuple[bytes, ...]:
    """Return the bytes of the piece in a cell, or of the two pieces."""
    if column == RIVAL:
        return row.rival or ()
    return ({LEFT: row.left, RIGHT: row.right, PIECE: row.piece}[column],)


@lru_cache(maxsize=4096)
def piece_text(data: bytes) -> str:
    """Return a piece for the eye; one that isn't UTF-8 as digits, which `0x` tells from text."""
    if is_text(data):
        shown = visible(data[: 4 * SHOWN].decode("utf-8", errors="ignore")[:SHOWN].encode())
        return isolate(shown + ("…" if len(data.decode("utf-8")) > SHOWN else ""))
    return f"0x{hexadecimal(data[:SHOWN])}" + ("…" if len(data) > SHOWN else "")


def _about(data: bytes) -> list[str]:
    """Return the bytes of a piece, and the characters in it that have no glyph."""
    more = "…" if len(data) > SHOWN else ""
    return [hexadecimal(data[:SHOWN]) + more, *unseen(data[:SHOWN])]
