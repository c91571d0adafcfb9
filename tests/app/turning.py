"""The wheel of a mouse, and a touchpad, over a widget."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

PLAIN = Qt.KeyboardModifier.NoModifier


def turn(widget: QWidget, eighths: int, keys: Qt.KeyboardModifier = PLAIN) -> None:
    """Turn the wheel over the middle of a widget by eighths of a degree; a notch is 120."""
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle, widget.mapToGlobal(middle), QPoint(), QPoint(0, eighths),
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
