"""Which labels are drawn where boxes compete: first come, first served."""

from __future__ import annotations

from PySide6.QtCore import QRectF


class Room:
    """Boxes already taken. Boxes are asked for in the order of their weight."""

    def __init__(self, bounds: QRectF) -> None:
        self._bounds = bounds
        self._taken: list[tuple[float, float, float, float]] = []

    def take(self, box: QRectF, *, force: bool = False) -> bool:
        """Take a box if it is free and in bounds; return whether it was."""
        left, top, right, bottom = box.left(), box.top(), box.right(), box.bottom()
        if not force:
            bounds = self._bounds
            if right < bounds.left() or left > bounds.right() or top < bounds.top():
                return False
            for l1, t1, r1, b1 in self._taken:
                if left < r1 and l1 < right and top < b1 and t1 < bottom:
                    return False
        self._taken.append((left, top, right, bottom))
        return True
