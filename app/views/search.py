"""One field over actions, workspaces, models, examples, files and pieces."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QSizePolicy, QWidget

from app.icons import paint_icon
from app.theme import SIZE_NOTE, Theme

if TYPE_CHECKING:
    from app.views.found import EntryModel, FoundList

ROWS = 12
"""Rows of the list that are seen at once."""

LEAST, MOST = 160, 360
"""Width of the field, in pixels."""

GLASS, FRAME = 22, 24
"""Pixels for the sign at the left of the words, and for border and padding."""


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
        self._window = window
        self._list: FoundList | None = None
        self._entries: list[Entry] = []
        self._back: QWidget | None = None
        self.setPlaceholderText(self.tr("Find action, model, piece"))
        self.setAccessibleName(self.tr("Find an action, model, piece of the vocabulary or file"))
        self.setToolTip(self.accessibleName())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
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
    def list(self) -> FoundList:
        """The list, made when it is first wanted: the first window does without."""
        if self._list is None:
            from app.views.found import FoundList

            self._list = FoundList(self._theme, self._window)
            self._list.clicked.connect(lambda _index: self.run())
            self._restyle()
        return self._list

    @property
    def found(self) -> EntryModel:
        """What is in the list."""
        return self.list.found

    @property
    def listing(self) -> bool:
        """Whether the list is on show."""
        return self._list is not None and self._list.isVisible()

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
        self._hide_list()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, row, last = event.key(), self.list.currentIndex().row(), len(self.found.entries) - 1
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run()
        elif key == Qt.Key.Key_Escape:
            self._end()
        elif key == Qt.Key.Key_Down:
            self.list.go(row + 1 if row < last else 0)
        elif key == Qt.Key.Key_Up:
            self.list.go(row - 1 if row > 0 else last)
        elif key == Qt.Key.Key_PageDown:
            self.list.go(min(row + ROWS - 1, last))
        elif key == Qt.Key.Key_PageUp:
            self.list.go(max(row - ROWS + 1, 0))
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.listing:
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
        self._hide_list()
        back = self._back
        if back is not None and back.isVisible():
            back.setFocus()
        else:
            self.clearFocus()

    def _hide_list(self) -> None:
        if self._list is not None:
            self._list.hide()

    def _filter(self, query: str) -> None:
        found = matches([*self._entries, *self._spelled(query)], query)
        if not found:
            nothing = self.tr("Nothing is called “{words}”").format(words=query)
            found = [Entry(nothing, "", "", lambda: None, enabled=False)]
        self.found.show(found)
        self._place()
        self.list.go(0)
        self.list.show()
        self.list.raise_()

    def _place(self) -> None:
        window = self.list.parentWidget()
        assert window is not None
        corner = self.mapTo(window, QPoint(self.width(), self.height() + 4))
        from app.views import found

        rows = min(max(len(self.found.entries), 1), ROWS)
        wide = min(found.WIDTH, window.width() - 16)
        room = window.height() - corner.y() - 8
        self.list.setGeometry(corner.x() - wide, corner.y(), wide, min(rows * found.ROW + 10, room))

    def _restyle(self) -> None:
        if self._list is not None:
            line, panel = self._theme.color("line2").name(), self._theme.color("panel").name()
            self._list.setStyleSheet(
                f"QListView, QListView:focus {{ background: {panel}; border: 1px solid {line};"
                " border-radius: 4px; padding: 4px 0; }"
            )
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.listing:
            self._place()
