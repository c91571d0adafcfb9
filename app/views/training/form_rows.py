"""Controls under each other, each with its label: what the training form is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme
from app.views.training.share_field import ShareField
from app.widgets.integer_field import IntegerField

LABEL_WIDTH = 116
MOST = 10_000_000


class FormRows(QWidget):
    """A column of rows; `changed` on every change of what the controls say."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._boxes: list[QCheckBox] = []
        self._rows: dict[QWidget, QHBoxLayout] = {}
        self._faults: dict[QWidget, QLabel] = {}
        theme.changed.connect(self._dress)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)

    def add_section(self, text: str) -> None:
        """Begin a part with a title."""
        label = QLabel(text)
        label.setProperty("role", "section")
        if self._column.count():
            self._column.addSpacing(8)
        self._column.addWidget(label)

    def add_rows(self, rows: FormRows) -> None:
        """Put other rows under these, which tell of their changes too."""
        rows.changed.connect(self.changed)
        self._column.addWidget(rows)

    def add_row(
        self, text: str, control: QWidget, tip: str, *, stretch: bool = True, unit: str = ""
    ) -> QLabel:
        """Put a control behind its label, and return that."""
        label = QLabel(text)
        label.setBuddy(control)
        label.setFixedWidth(LABEL_WIDTH)
        label.setToolTip(tip)
        control.setToolTip(tip)
        control.setAccessibleName(text.replace("&", ""))
        control.setAccessibleDescription(tip)
        row = QHBoxLayout()
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        tall = isinstance(control, QPlainTextEdit)
        row.addWidget(label, 0, top if tall else Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(control, 1 if stretch else 0)
        if unit:
            after = QLabel(unit)
            after.setProperty("role", "second")
            row.addWidget(after)
        if not stretch:
            row.addStretch(1)
        self._column.addLayout(row)
        self._rows[control] = row
        return label

    def add_number(self, text: str, tip: str, unit: str, low: int, value: int) -> IntegerField:
        """Add a whole number from `low` on."""
        field = IntegerField(low, MOST, text.replace("&", ""))
        field.set_value(value)
        field.entered.connect(lambda _value: self.changed.emit())
        self.add_row(text, field, tip, stretch=False, unit=unit)
        return field

    def add_choice(self, text: str, tip: str, options: Mapping[Any, str]) -> QComboBox:
        """Add a choice of values with what each is called."""
        box = QComboBox()
        for value, words in options.items():
            box.addItem(words, value)
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.currentIndexChanged.connect(self.changed)
        self.add_row(text, box, tip)
        return box

    def add_share(self, text: str, tip: str, value: float, *, whole: bool) -> ShareField:
        """Add a share over 0; whole: 1 is one too."""
        field = ShareField(value, whole=whole)
        field.entered.connect(self.changed)
        self.add_row(text, field, tip, stretch=False)
        return field

    def add_check(self, text: str, tip: str, *, on: bool) -> QCheckBox:
        """Add something that is so or not."""
        box = QCheckBox(text)
        box.setChecked(on)
        box.setToolTip(tip)
        box.setAccessibleDescription(tip)
        box.toggled.connect(lambda _on: self.changed.emit())
        self._boxes.append(box)
        self._dress()
        self.add_under(box)
        return box

    def _dress(self) -> None:
        """Give the boxes of checks an outline that is seen in either theme.

        The style draws it a good deal darker than a window's colour.
        """
        for box in self._boxes:
            palette = box.palette()
            palette.setColor(QPalette.ColorRole.Window, self._theme.color("line2").lighter(160))
            box.setPalette(palette)
        for label in self._faults.values():
            label.setStyleSheet(f"color: {self._theme.color('error').name()}")

    def show_faults(self, faults: dict[QWidget, str]) -> None:
        """Say under each control of this column what is wrong with it, and nothing elsewhere."""
        for part in self.findChildren(FormRows, options=Qt.FindChildOption.FindDirectChildrenOnly):
            part.show_faults(faults)
        for control, text in faults.items():
            if control in self._rows and control not in self._faults:
                self._faults[control] = self._room_under(control)
                self._dress()
            if control in self._faults:
                self._faults[control].setText(f"⚠ {text}")
        for control, label in self._faults.items():
            label.setVisible(control in faults)

    def _room_under(self, control: QWidget) -> QLabel:
        """Make room for a sentence under the row of a control."""
        label = QLabel()
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout()
        row.addSpacing(LABEL_WIDTH + 8)
        row.addWidget(label, 1)
        self._column.insertLayout(self._column.indexOf(self._rows[control]) + 1, row)
        return label

    def add_note(self) -> QLabel:
        """Add room for a sentence under a control."""
        note = QLabel()
        note.setWordWrap(True)
        note.setProperty("role", "second")
        self.add_under(note)
        return note

    def add_under(self, widget: QWidget) -> None:
        """Put a widget under the controls."""
        row = QHBoxLayout()
        row.addSpacing(LABEL_WIDTH + 8)
        row.addWidget(widget, 1)
        self._column.addLayout(row)
