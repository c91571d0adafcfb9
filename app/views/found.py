"""The list that hangs under the search field: made when the field is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.icons import paint_icon
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme

if TYPE_CHECKING:
    from app.views.search import Entry

ROW, WIDTH = 30, 480

Index = QModelIndex | QPersistentModelIndex


class EntryModel(QAbstractListModel):
    """The entries found."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Entry] = []

    def show(self, entries: list[Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.text, entry.kind, entry.keys) if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEnabled if self.entries[index.row()].enabled else flags


class FoundList(QListView):
    """The entries found; it never takes the focus from the field."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self.found = EntryModel(self)
        self.setObjectName("search.list")
        self.setModel(self.found)
        self.setItemDelegate(_Row(theme, self))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Found"))
        self.entered.connect(self.setCurrentIndex)
        self.hide()

    def go(self, row: int) -> None:
        """Make a row the current one, if there is such a row."""
        index = self.found.index(row)
        if index.isValid():
            self.setCurrentIndex(index)


class _Row(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(WIDTH, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._theme
        model = index.model()
        assert isinstance(model, EntryModel)
        entry, rect = model.entries[index.row()], QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.color("selection"))
        ink = theme.color("ink" if entry.enabled else "ink3")
        if entry.icon:
            place = QRectF(rect.x() + 10, rect.center().y() - 8, 16, 16)
            paint_icon(painter, entry.icon, place, theme.color("ink2"))
        right = rect.right() - 12
        middle = Qt.AlignmentFlag.AlignVCenter
        if entry.keys:
            font = theme.font(SIZE_NOTE)
            wide = QFontMetricsF(font).horizontalAdvance(entry.keys) + 12
            place = QRectF(right - wide, rect.center().y() - 9, wide, 18)
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
            painter.setFont(font)
            painter.setPen(theme.color("ink2"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, entry.keys)
            right -= wide + 8
        font = theme.font(SIZE_DATA)
        wide = QFontMetricsF(font).horizontalAdvance(entry.kind)
        painter.setFont(font)
        painter.setPen(theme.color("ink3"))
        kind = QRectF(right - wide - 2, rect.y(), wide + 2, rect.height())
        painter.drawText(kind, middle | Qt.AlignmentFlag.AlignRight, entry.kind)
        font = theme.font(SIZE_BODY)
        room = kind.left() - 12 - (rect.x() + 34)
        words = QFontMetricsF(font).elidedText(entry.text, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(font)
        painter.setPen(ink)
        place = QRectF(rect.x() + 34, rect.y(), room + 2, rect.height())
        painter.drawText(place, middle | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()
