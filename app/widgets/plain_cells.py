"""Cells of text that are painted quickly: for tables that follow a player."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.theme import SIZE_DATA, Theme

SIDE = 6
"""Pixels between a cell's side and its text."""


class PlainCells(QStyledItemDelegate):
    """Paints text and the selection, past the style sheet, which takes five times as long."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

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
        font = index.data(Qt.ItemDataRole.FontRole)
        font = font if isinstance(font, QFont) else theme.font(SIZE_DATA)
        room = rect.adjusted(SIDE, 0, -SIDE, 0)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        painter.drawText(room, int(index.data(Qt.ItemDataRole.TextAlignmentRole)), shown)
