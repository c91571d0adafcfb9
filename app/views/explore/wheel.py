"""What the wheel does over every row of the axis: pan, and zoom with Ctrl."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent

from app.draw.viewport import STEP, Viewport


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
