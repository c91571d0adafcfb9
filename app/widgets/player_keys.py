"""What a player can be told, by name, and its keys, for every picture that shows a trace."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from app.player import SPEEDS, Player


def change_speed(player: Player, by: int) -> None:
    """Choose the speed that is so many places faster than the present one."""
    near = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - player.speed))
    player.set_speed(SPEEDS[min(max(near + by, 0), len(SPEEDS) - 1)])


COMMANDS: dict[str, Callable[[Player], object]] = {
    "toggle": lambda player: player.toggle(),
    "next": lambda player: player.step(1),
    "back": lambda player: player.step(-1),
    "first": lambda player: player.seek(0),
    "last": lambda player: player.seek(player.length),
    "next mark": lambda player: player.to_mark(1),
    "mark before": lambda player: player.to_mark(-1),
    "marked only": lambda player: player.set_marked_only(not player.marked_only),
    "loop": lambda player: player.set_looping(not player.looping),
    "slower": lambda player: change_speed(player, -1),
    "faster": lambda player: change_speed(player, 1),
}

KEYS = {
    Qt.Key.Key_Space: "toggle",
    Qt.Key.Key_Right: "next",
    Qt.Key.Key_Left: "back",
    Qt.Key.Key_Home: "first",
    Qt.Key.Key_End: "last",
    Qt.Key.Key_Period: "next mark",
    Qt.Key.Key_Comma: "mark before",
    Qt.Key.Key_T: "marked only",
    Qt.Key.Key_O: "loop",
    Qt.Key.Key_J: "slower",
    Qt.Key.Key_L: "faster",
}


def press(player: Player, event: QKeyEvent) -> bool:
    """Do what a key means to a player; False for a key that means nothing to it."""
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    name = KEYS.get(Qt.Key(event.key())) if plain == Qt.KeyboardModifier.NoModifier else None
    if name is None:
        return False
    COMMANDS[name](player)
    return True
