"""A whole number in a line: Return or leaving the field takes it, ↑ and ↓ step by one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget


class IntegerField(QLineEdit):
    """A number from `low` to `high`; anything else is put back. Separators are ignored."""

    entered = Signal(int)

    def __init__(self, low: int, high: int, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value, self._low, self._high = low, low, high
        self.setFixedWidth(84)
        self.setAccessibleName(name)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.editingFinished.connect(self._enter)
        self._show()

    def value(self) -> int:
        """Return the number that was last set or entered."""
        return self._value

    def set_value(self, value: int) -> None:
        """Show a number; `entered` is not emitted."""
        self._value = value
        self._show()

    def set_high(self, high: int) -> None:
        """Change the largest number."""
        self._high = high

    def _show(self) -> None:
        text = str(self._value)
        if text != self.text():
            self.setText(text)

    def _take(self, value: int) -> None:
        value = min(max(value, self._low), self._high)
        changed = value != self._value
        self._value = value
        self._show()
        if changed:
            self.entered.emit(value)

    def _enter(self) -> None:
        written = self.text().replace(",", "").replace("\u202f", "").replace(" ", "")
        try:
            self._take(int(written))
        except ValueError:
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._take(self._value + step)
