"""Cells of text that are painted quickly: for tables that follow a player."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.theme import SIZE_DATA, Theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

SIDE = 6
"""Pixels between a cell's side and its text."""


class PlainCells(QStyledItemDelegate):
    """Paints text and the selection, past the style sheet, which takes five times as long.

    pieces, numbers: the columns in the font of pieces, and those at the right. So a cell is asked
    for its text alone.
    """

    def __init__(
        self, theme: Theme, pieces: Container[int], numbers: Container[int], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._theme, self._pieces, self._numbers = theme, pieces, numbers
        fonts = theme.font(SIZE_DATA), theme.piece_font(SIZE_DATA)
        self._fonts = tuple((font, QFontMetrics(font)) for font in fonts)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme = self._theme
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.color("selection"))
        text = index.data(Qt.ItemDataRole.DisplayRole)
        if not text:
            return
        column = index.column()
        font, metrics = self._fonts[column in self._pieces]
        room = rect.adjusted(SIDE, 0, -SIDE, 0)
        if metrics.horizontalAdvance(text) > room.width():
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        painter.drawText(room, RIGHT if column in self._numbers else LEFT, text)
