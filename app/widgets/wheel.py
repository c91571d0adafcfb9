"""Turns of the wheel as whole notches."""

from __future__ import annotations

NOTCH = 120
"""What a mouse wheel turns from one notch to the next, in eighths of a degree."""


class Notches:
    """Counts notches. A touchpad turns by parts of one; they are summed until they make a whole."""

    def __init__(self) -> None:
        self._rest = 0

    def add(self, turn: int) -> int:
        """Take in a turn and return the whole notches that came of it, negative backwards."""
        whole = int((self._rest + turn) / NOTCH)
        self._rest += turn - whole * NOTCH
        return whole
