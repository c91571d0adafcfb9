"""Facts as rows of name and value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QWidget

from app.theme import SIZE_BODY, SIZE_DATA, Theme
from app.widgets.selectable import SelectableLabel

NAME_WIDTH, ACROSS, DOWN = 92, 8, 4
"""Pixels: of names at least, between a name and its value, and between rows."""


@dataclass(frozen=True)
class Fact:
    """A name and its value. piece: the value is text under analysis. tip: what the name means."""

    name: str
    value: str
    piece: bool = False
    bold: bool = False
    tip: str = ""


class _Row:
    """A name and a value beside it, and how high they are at the width that they were given."""

    def __init__(self, parent: QWidget) -> None:
        self.name, self.value = QLabel(parent), SelectableLabel(parent)
        self.name.setProperty("role", "second")
        self.fact: Fact | None = None
        self.name_size = QSize()
        self._value_height: tuple[int, int] | None = None
        """The room that the value had, and its height then."""

    def fill(self, fact: Fact, theme: Theme) -> None:
        """Show a fact."""
        before, self.fact, self._value_height = self.fact, fact, None
        if before is None or replace(before, value=fact.value) != fact:
            self.name.setText(fact.name)
            self.name.setFont(theme.font(SIZE_DATA))
            self.name.setToolTip(fact.tip)
            self.name_size = self.name.sizeHint()
            font = theme.piece_font if fact.piece else theme.font
            self.value.setFont(font(SIZE_DATA if fact.piece else SIZE_BODY, bold=fact.bold))
            self.value.setToolTip(fact.tip)
        self.value.setText(fact.value)
        self.value.setAccessibleName(f"{fact.name} {fact.value}")

    def value_height(self, room: int) -> int:
        """Return the pixels that the value takes in a room of so many."""
        if self._value_height is None or self._value_height[0] != room:
            self._value_height = room, self.value.heightForWidth(room)
        return self._value_height[1]

    def height(self, room: int) -> int:
        """Return the pixels that both take where the value has `room`."""
        return max(self.name_size.height(), self.value_height(room))


class KeyValue(QWidget):
    """Rows of facts; values can be selected and copied. Rows are kept and filled anew.

    It lays its rows out itself: facts change at each key, and a layout of Qt's has all that is
    around it laid out and painted anew for each text, also where it is as high as the one before.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()
        self._rows: list[_Row] = []
        self._laid: tuple[int, ...] = ()
        """Where values begin, what room they have and how high they are, as they are laid out."""
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._dress)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self._facts

    def value(self, name: str) -> str:
        """Return the value of a fact, "" where there is none of that name."""
        return next((fact.value for fact in self._facts if fact.name == name), "")

    def set_facts(self, facts: Sequence[Fact]) -> None:
        """Show other facts."""
        if tuple(facts) == self._facts:
            return
        self._facts = tuple(facts)
        self._fill()

    def _fill(self) -> None:
        facts = self._facts
        while len(self._rows) < len(facts):
            self._rows.append(_Row(self))
        for place, row in enumerate(self._rows):
            seen = place < len(facts)
            if seen is row.name.isHidden():
                row.name.setVisible(seen)
                row.value.setVisible(seen)
            if seen and row.fact != facts[place]:
                row.fill(facts[place], self._theme)
        if self._lay_out():
            self.updateGeometry()

    def _dress(self) -> None:
        for row in self._rows:
            row.fact = None
        self._fill()

    # Its own layout

    @property
    def _shown(self) -> list[_Row]:
        return self._rows[: len(self._facts)]

    def _room(self, width: int) -> tuple[int, int]:
        """Return where values begin, behind the widest name, and the room that they have."""
        names = (row.name_size.width() for row in self._shown)
        left = max(NAME_WIDTH, *names, 0) + ACROSS
        return left, max(width - left, 0)

    def heightForWidth(self, width: int) -> int:
        _, room = self._room(width)
        return _total(row.height(room) for row in self._shown)

    def sizeHint(self) -> QSize:
        tall = (max(row.name_size.height(), row.value.sizeHint().height()) for row in self._shown)
        return QSize(self._room(0)[0], _total(tall))

    def minimumSizeHint(self) -> QSize:
        tall = (
            max(row.name_size.height(), row.value.minimumSizeHint().height()) for row in self._shown
        )
        return QSize(self._room(0)[0], _total(tall))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def _lay_out(self) -> bool:
        """Give the rows their places; False where they have them."""
        (left, room), rows = self._room(self.width()), self._shown
        laid = (left, room, *(row.value_height(room) for row in rows))
        if laid == self._laid:
            return False
        self._laid, top = laid, 0
        for row in rows:
            name = QRect(0, top, left - ACROSS, row.name_size.height())
            row.name.setGeometry(self._mirrored(name))
            value = QRect(left, top, room, row.value_height(room))
            row.value.setGeometry(self._mirrored(value))
            top += row.height(room) + DOWN
        return True

    def _mirrored(self, rect: QRect) -> QRect:
        return QStyle.visualRect(self.layoutDirection(), self.rect(), rect)


def _total(heights: Iterable[int]) -> int:
    """Return the height of rows with the gaps between them."""
    rows = list(heights)
    return sum(rows) + DOWN * max(len(rows) - 1, 0)
