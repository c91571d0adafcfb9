"""The player's keys, for every picture that shows a trace."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from app.player import SPEEDS, Player


def press(player: Player, event: QKeyEvent) -> bool:
    """Do what a key means to a player: Space, ←/→, Home/End, J/L; False for any other key."""
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if plain != Qt.KeyboardModifier.NoModifier:
        return False
    key = event.key()
    if key == Qt.Key.Key_Space:
        player.toggle()
    elif key == Qt.Key.Key_Right:
        player.step()
    elif key == Qt.Key.Key_Left:
        player.step(-1)
    elif key == Qt.Key.Key_Home:
        player.seek(0)
    elif key == Qt.Key.Key_End:
        player.seek(player.length)
    elif key in (Qt.Key.Key_J, Qt.Key.Key_L):
        near = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - player.speed))
        step = 1 if key == Qt.Key.Key_L else -1
        player.set_speed(SPEEDS[min(max(near + step, 0), len(SPEEDS) - 1)])
    else:
        return False
    return True
