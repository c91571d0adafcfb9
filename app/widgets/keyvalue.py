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
        self._heights: tuple[int, int, int] | None = None
        """The room that the value had, and the pixels that both take then."""

    def fill(self, fact: Fact, theme: Theme) -> None:
        """Show a fact."""
        before, self.fact, self._heights = self.fact, fact, None
        if before is None or replace(before, value=fact.value) != fact:
            self.name.setText(fact.name)
            self.name.setFont(theme.font(SIZE_DATA))
            self.name.setToolTip(fact.tip)
            font = theme.piece_font if fact.piece else theme.font
            self.value.setFont(font(SIZE_DATA if fact.piece else SIZE_BODY, bold=fact.bold))
            self.value.setToolTip(fact.tip)
        self.value.setText(fact.value)
        self.value.setAccessibleName(f"{fact.name} {fact.value}")

    def heights(self, room: int) -> tuple[int, int]:
        """Return the pixels that name and value take where the value has `room`."""
        if self._heights is None or self._heights[0] != room:
            self._heights = room, self.name.sizeHint().height(), self.value.heightForWidth(room)
        return self._heights[1:]


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
        self._laid: tuple[int, int] | None = None
        """Where values begin and how high the rows are, as what is around was told."""
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
        laid = self._value_left(), self.heightForWidth(self.width())
        if laid != self._laid:
            self._laid = laid
            self.updateGeometry()
        self._lay_out()

    def _dress(self) -> None:
        for row in self._rows:
            row.fact = None
        self._fill()

    # Its own layout

    @property
    def _shown(self) -> list[_Row]:
        return self._rows[: len(self._facts)]

    def _value_left(self) -> int:
        """Return where values begin: behind the widest name."""
        names = (row.name.sizeHint().width() for row in self._shown)
        return max(NAME_WIDTH, *names, 0) + ACROSS

    def heightForWidth(self, width: int) -> int:
        room = max(width - self._value_left(), 0)
        return _total(max(row.heights(room)) for row in self._shown)

    def sizeHint(self) -> QSize:
        tall = (
            max(row.name.sizeHint().height(), row.value.sizeHint().height()) for row in self._shown
        )
        return QSize(self._value_left(), _total(tall))

    def minimumSizeHint(self) -> QSize:
        tall = (
            max(row.name.sizeHint().height(), row.value.minimumSizeHint().height())
            for row in self._shown
        )
        return QSize(self._value_left(), _total(tall))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        left, top = self._value_left(), 0
        room = max(self.width() - left, 0)
        for row in self._shown:
            name, value = row.heights(room)
            row.name.setGeometry(self._mirrored(QRect(0, top, left - ACROSS, name)))
            row.value.setGeometry(self._mirrored(QRect(left, top, room, value)))
            top += max(name, value) + DOWN

    def _mirrored(self, rect: QRect) -> QRect:
        return QStyle.visualRect(self.layoutDirection(), self.rect(), rect)


def _total(heights: Iterable[int]) -> int:
    """Return the height of rows with the gaps between them."""
    rows = list(heights)
    return sum(rows) + DOWN * max(len(rows) - 1, 0)
