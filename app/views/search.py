"""One field over actions, workspaces, models, examples, files and pieces."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.icons import paint_icon
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme

ROW, ROWS, WIDTH = 30, 12, 480
LEAST, MOST = 160, 360
"""Width of the field, in pixels."""

GLASS, FRAME = 22, 24
"""Pixels for the sign at the left of the words, and for border and padding."""

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Entry:
    """Something that can be found. kind: the word at its right; keys: its shortcut."""

    text: str
    kind: str
    icon: str
    call: Callable[[], object]
    keys: str = ""
    enabled: bool = True
    words: str = ""
    """Further words that find it."""


def matches(entries: Iterable[Entry], query: str) -> list[Entry]:
    """Return the entries that hold every word of the query, the best first.

    A word at the start of the text counts more than one at the start of a word, that more than
    one inside. Case, accents and width make no difference. Entries of equal worth keep their
    order; what can't be done now comes last.
    """
    words = _plain(query).split()
    ranked: list[tuple[bool, int, int, Entry]] = []
    for order, entry in enumerate(entries):
        text = _plain(entry.text)
        other = _plain(f"{entry.kind} {entry.words}")
        cost = 0
        for word in words:
            if text.startswith(word):
                continue
            if f" {word}" in f" {text}":
                cost += 1
            elif word in text:
                cost += 2
            elif word in other:
                cost += 4
            else:
                break
        else:
            ranked.append((not entry.enabled, cost, order, entry))
    return [entry for *_, entry in sorted(ranked, key=lambda item: item[:3])]


def _plain(text: str) -> str:
    # A piece begins a word at its mark for a space.
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("␣", " ").replace("▁", " "))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


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


class SearchField(QLineEdit):
    """The field; while it has the focus the list of what it finds hangs under it.

    gather: called when the search begins, gives everything that can be found. spelled: gives what
    is found besides for the very text that was typed.
    """

    def __init__(
        self,
        gather: Callable[[], list[Entry]],
        spelled: Callable[[str], list[Entry]],
        keys: str,
        theme: Theme,
        window: QWidget,
    ) -> None:
        super().__init__()
        self._gather, self._spelled, self._keys, self._theme = gather, spelled, keys, theme
        self._entries: list[Entry] = []
        self._back: QWidget | None = None
        self.setPlaceholderText(self.tr("Find action, model, piece"))
        self.setAccessibleName(self.tr("Find an action, model, piece of the vocabulary or file"))
        self.setToolTip(self.accessibleName())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.found = EntryModel(self)
        self.list = QListView(window)
        self.list.setObjectName("search.list")
        self.list.setModel(self.found)
        self.list.setItemDelegate(_Row(theme, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(self.tr("Found"))
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(lambda _index: self.run())
        self.list.hide()
        self.textEdited.connect(self._filter)
        self.textChanged.connect(self._make_room)
        theme.changed.connect(self._restyle)
        window.installEventFilter(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)
        self._make_room()
        self._restyle()

    @property
    def badge(self) -> QRectF:
        """Where the shortcut is written; empty while there is something else to read or write."""
        if self.text() or self.hasFocus():
            return QRectF()
        wide = self._badge_room() - 8
        return QRectF(self.width() - wide - 6, self.height() / 2 - 9, wide, 18)

    def sizeHint(self) -> QSize:
        """Return room for the words and the shortcut beside them."""
        words = QFontMetricsF(self.font()).horizontalAdvance(self.placeholderText())
        wide = math.ceil(words) + GLASS + self._badge_room() + FRAME
        return QSize(min(max(wide, LEAST), MOST), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST, super().minimumSizeHint().height())

    def _badge_room(self) -> int:
        wide = QFontMetricsF(self._theme.font(SIZE_NOTE)).horizontalAdvance(self._keys)
        return math.ceil(wide) + 12 + 8

    def _make_room(self) -> None:
        """Keep the words clear of the shortcut: they are shortened where both don't fit."""
        self.setTextMargins(
            GLASS, 0, 0 if self.text() or self.hasFocus() else self._badge_room(), 0
        )

    def begin(self) -> None:
        """Take the focus and show everything."""
        self.window().activateWindow()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def run(self) -> None:
        """Do what is current in the list."""
        row = self.list.currentIndex().row()
        if not 0 <= row < len(self.found.entries) or not self.found.entries[row].enabled:
            return
        entry = self.found.entries[row]
        self._end()
        entry.call()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._make_room()
        self._entries = self._gather()
        self._filter(self.text())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._make_room()
        self.list.hide()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, row, last = event.key(), self.list.currentIndex().row(), len(self.found.entries) - 1
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run()
        elif key == Qt.Key.Key_Escape:
            self._end()
        elif key == Qt.Key.Key_Down:
            self._go(row + 1 if row < last else 0)
        elif key == Qt.Key.Key_Up:
            self._go(row - 1 if row > 0 else last)
        elif key == Qt.Key.Key_PageDown:
            self._go(min(row + ROWS - 1, last))
        elif key == Qt.Key.Key_PageUp:
            self._go(max(row - ROWS + 1, 0))
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.list.isVisible():
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        glass = QRectF(8, self.height() / 2 - 8, 16, 16)
        paint_icon(painter, "search", glass, theme.color("ink2"))
        place = self.badge
        if place.isEmpty():
            return
        painter.setPen(theme.color("line"))
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setFont(theme.font(SIZE_NOTE))
        painter.setPen(theme.color("ink3"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self._keys)

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        if new is self and old is not None:
            self._back = old

    def _end(self) -> None:
        self.clear()
        self.list.hide()
        back = self._back
        if back is not None and back.isVisible():
            back.setFocus()
        else:
            self.clearFocus()

    def _go(self, row: int) -> None:
        index = self.found.index(row)
        if index.isValid():
            self.list.setCurrentIndex(index)

    def _filter(self, query: str) -> None:
        found = matches([*self._entries, *self._spelled(query)], query)
        if not found:
            nothing = self.tr("Nothing is called “{words}”").format(words=query)
            found = [Entry(nothing, "", "", lambda: None, enabled=False)]
        self.found.show(found)
        self._place()
        self._go(0)
        self.list.show()
        self.list.raise_()

    def _place(self) -> None:
        window = self.list.parentWidget()
        assert window is not None
        corner = self.mapTo(window, QPoint(self.width(), self.height() + 4))
        rows = min(max(len(self.found.entries), 1), ROWS)
        wide = min(WIDTH, window.width() - 16)
        room = window.height() - corner.y() - 8
        self.list.setGeometry(corner.x() - wide, corner.y(), wide, min(rows * ROW + 10, room))

    def _restyle(self) -> None:
        line, panel = self._theme.color("line2").name(), self._theme.color("panel").name()
        self.list.setStyleSheet(
            f"QListView, QListView:focus {{ background: {panel}; border: 1px solid {line};"
            " border-radius: 4px; padding: 4px 0; }"
        )
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.list.isVisible():
            self._place()


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
