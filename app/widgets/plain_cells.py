"""Cells of text that are painted quickly: for tables that follow a player."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.theme import SIZE_DATA, Theme

SIDE = 8
"""Pixels between a cell's side and its text, as in the header."""

SELECTED = QStyle.StateFlag.State_Selected
SHOWN = Qt.ItemDataRole.DisplayRole


class PlainCells(QStyledItemDelegate):
    """Paints text and the selection, past the style sheet, which takes five times as long.

    pieces, numbers: the columns in the font of pieces, and those at the right. So a cell is asked
    for its text alone. All texts of a row stand on one line, whatever fonts their scripts need.
    """

    def __init__(
        self, theme: Theme, pieces: Container[int], numbers: Container[int], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._theme, self._pieces, self._numbers = theme, pieces, numbers
        fonts = theme.font(SIZE_DATA), theme.piece_font(SIZE_DATA)
        self._fonts = tuple((font, QFontMetrics(font)) for font in fonts)
        self._dress()
        theme.changed.connect(self._dress)

    def _dress(self) -> None:
        self._ink, self._fill = self._theme.color("ink"), self._theme.color("selection")

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        rect: QRect = option.rect
        if SELECTED in option.state:
            painter.fillRect(rect, self._fill)
        text = index.data(SHOWN)
        if not text:
            return
        column = index.column()
        piece = column in self._pieces
        font, metrics = self._fonts[piece]
        room, wide = rect.width() - 2 * SIDE, metrics.horizontalAdvance(text)
        if wide > room:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            wide = metrics.horizontalAdvance(text)
        left = rect.x() + SIDE + (max(room - wide, 0) if column in self._numbers else 0)
        line = rect.y() + (rect.height() - metrics.height()) // 2 + metrics.ascent()
        painter.setFont(font)
        painter.setPen(self._ink)
        # At a point: to place a text in a rectangle takes as long again as to draw it.
        painter.drawText(left, line, text)
