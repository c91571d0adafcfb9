"""A table of plain text that is painted quickly: for rows that follow a player."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme import SIZE_DATA, Theme
from app.widgets.rows_table import RowsTable

SIDE = 8
"""Pixels between a cell's side and its text, as in the header."""

SHOWN, ELIDE = Qt.ItemDataRole.DisplayRole, Qt.TextElideMode.ElideRight


class PlainTable(RowsTable):
    """Paints the texts and the chosen row itself: to ask a delegate takes four times as long.

    pieces, numbers: the columns in the font of pieces, and those at the right. So a cell is asked
    for its text alone. All texts of a row stand on one line, whatever fonts their scripts need.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        name: str,
        theme: Theme,
        pieces: Container[int],
        numbers: Container[int] = (),
        widths: tuple[int, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(model, name, theme, widths, parent)
        self._pieces, self._numbers = pieces, numbers

    def paintEvent(self, event: QPaintEvent) -> None:
        first, last = self.rowAt(event.rect().top()), self.rowAt(event.rect().bottom())
        if first < 0:
            return
        if last < 0:
            last = self.model().rowCount() - 1
        painter, theme = QPainter(self.viewport()), self._theme
        chosen = self._chosen()
        if first <= chosen <= last:
            top, high = self.rowViewportPosition(chosen), self.rowHeight(chosen)
            painter.fillRect(0, top, self.viewport().width(), high, theme.color("selection"))
        painter.setPen(theme.color("ink"))
        groups = [
            (font, QFontMetrics(font), self._columns(is_piece))
            for is_piece, font in enumerate((theme.font(SIZE_DATA), theme.piece_font(SIZE_DATA)))
        ]
        for row in range(first, last + 1):
            for font, metrics, columns in groups:
                painter.setFont(font)
                self._paint(painter, metrics, columns, row)

    def _chosen(self) -> int:
        """Return the row that is selected, −1 for none."""
        selection: QItemSelectionModel = self.selectionModel()
        rows = selection.selectedRows()
        return rows[0].row() if rows else -1

    def _columns(self, is_piece: int) -> list[tuple[int, int, int]]:
        """Return the columns in one of the two fonts: number, left and width."""
        header = self.horizontalHeader()
        return [
            (column, header.sectionViewportPosition(column), header.sectionSize(column))
            for column in range(header.count())
            if (column in self._pieces) == is_piece and not header.isSectionHidden(column)
        ]

    def _paint(
        self,
        painter: QPainter,
        metrics: QFontMetrics,
        columns: list[tuple[int, int, int]],
        row: int,
    ) -> None:
        """Paint some cells of a row."""
        model, numbers = self.model(), self._numbers
        above = (self.rowHeight(row) - metrics.height()) // 2 + metrics.ascent()
        line = self.rowViewportPosition(row) + above
        for column, left, width in columns:
            text = model.index(row, column).data(SHOWN)
            if not text:
                continue
            room, wide = width - 2 * SIDE, metrics.horizontalAdvance(text)
            if wide > room:
                text = metrics.elidedText(text, ELIDE, room)
                wide = metrics.horizontalAdvance(text)
            right = max(room - wide, 0) if column in numbers else 0
            # At a point: to place a text in a rectangle takes as long again as to draw it.
            painter.drawText(left + SIDE + right, line, text)
