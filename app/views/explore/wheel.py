"""What the wheel and the keys of zoom do over every row of the axis."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent

from app.draw.viewport import STEP, Viewport
from app.workspace import Zoom

KEYS: dict[Qt.Key, Zoom] = {
    Qt.Key.Key_Plus: "in",
    Qt.Key.Key_Equal: "in",
    Qt.Key.Key_Minus: "out",
    Qt.Key.Key_0: "fit",
    Qt.Key.Key_F: "all",
}


def zoom(viewport: Viewport, how: Zoom) -> None:
    """Zoom by a step, to what is legible, or to all of the text."""
    if how == "fit":
        viewport.fit()
    elif how == "all":
        viewport.show_all()
    else:
        viewport.zoom_by(STEP if how == "in" else 1 / STEP)


def zoom_key(event: QKeyEvent, viewport: Viewport) -> bool:
    """Do what a key of zoom says; False for another key."""
    # Plus needs Shift on many keyboards, and has its own modifier on the number pad.
    other = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
    how = KEYS.get(Qt.Key(event.key()))
    if how is None or event.modifiers() & ~other:
        return False
    zoom(viewport, how)
    return True


def wheel(event: QWheelEvent, viewport: Viewport) -> None:
    """Zoom about the mouse with Ctrl, else pan; what can't pan is left to the parent."""
    turn = event.angleDelta()
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        viewport.zoom_by(STEP ** (turn.y() / 120), event.position().x())
        event.accept()
        return
    sideways = turn.x() or turn.y()
    if viewport.overflows and sideways:
        moved = event.pixelDelta().x() or event.pixelDelta().y() or sideways * 0.8
        viewport.pan(-moved)
        event.accept()
    else:
        event.ignore()
