"""Facts as rows of name and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.theme import SIZE_BODY, SIZE_DATA, Theme

NAME_WIDTH = 92


@dataclass(frozen=True)
class Fact:
    """A name and its value. piece: the value is text under analysis. tip: what the name means."""

    name: str
    value: str
    piece: bool = False
    bold: bool = False
    tip: str = ""


class KeyValue(QWidget):
    """Rows of facts; values can be selected and copied. Rows are kept and filled anew."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: tuple[Fact, ...] = ()
        self._shown: dict[int, Fact] = {}
        """What the rows hold."""
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnMinimumWidth(0, NAME_WIDTH)
        self._grid.setColumnStretch(1, 1)
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
            self._rows.append(self._row(len(self._rows)))
        for place, (name, value) in enumerate(self._rows):
            seen = place < len(facts)
            if seen is name.isHidden():
                name.setVisible(seen)
                value.setVisible(seen)
            if seen and self._shown.get(place) != facts[place]:
                fact = self._shown[place] = facts[place]
                name.setText(fact.name)
                name.setFont(self._theme.font(SIZE_DATA))
                name.setToolTip(fact.tip)
                font = self._theme.piece_font if fact.piece else self._theme.font
                value.setFont(font(SIZE_DATA if fact.piece else SIZE_BODY, bold=fact.bold))
                value.setText(fact.value)
                value.setAccessibleName(f"{fact.name} {fact.value}")
                value.setToolTip(fact.tip)

    def _dress(self) -> None:
        self._shown.clear()
        self._fill()

    def _row(self, row: int) -> tuple[QLabel, QLabel]:
        name, value = QLabel(), QLabel()
        name.setProperty("role", "second")
        value.setTextFormat(Qt.TextFormat.PlainText)
        value.setWordWrap(True)
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, row, 1, Qt.AlignmentFlag.AlignTop)
        return name, value
