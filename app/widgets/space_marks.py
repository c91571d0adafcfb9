"""Marks for spaces that the eye would miss: at both ends of a line, several in a row, odd ones."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextLayout, QTextLine

SPACE, TAB, ODD = "·", "→", "°"

# Spaces other than U+0020 look like it, and are other tokens.
_ODD = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
# All runs but a single plain space between two other characters.
_MISSED = re.compile(rf"[ {_ODD}]{{2,}}|[{_ODD}]|\A | \Z")


@lru_cache(maxsize=64)  # at a key one paragraph of those in view is another
def space_marks(text: str) -> tuple[tuple[int, str], ...]:
    """Return the places in a paragraph that get a mark, in UTF-16 units, and the mark.

    A single plain space between two other characters gets none.
    """
    marks: list[tuple[int, str]] = []
    unit = done = 0
    for run in _MISSED.finditer(text):
        unit += len(text[done : run.start()].encode("utf-16-le", "surrogatepass")) // 2
        for char in run.group():
            marks.append((unit, {" ": SPACE, "\t": TAB}.get(char, ODD)))
            unit += 1
        done = run.end()
    return tuple(marks)


def draw_space_marks(
    painter: QPainter, layout: QTextLayout, text: str, top: QPointF, room: QRectF, color: QColor
) -> None:
    """Draw the marks of a paragraph's lines that are in `room`.

    layout: the paragraph's, and text its characters. top: where the layout begins.
    """
    marks = space_marks(text)
    if not marks:
        return
    painter.setPen(color)
    painter.setFont(layout.font())
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        place = line.rect().translated(top)
        if place.bottom() < room.top() or place.top() > room.bottom():
            continue
        start, end = line.textStart(), line.textStart() + line.textLength()
        for unit, sign in marks[bisect_left(marks, (start,)) : bisect_left(marks, (end,))]:
            left, right = sorted((_x(line, unit), _x(line, unit + 1)))
            cell = QRectF(top.x() + left, place.top(), right - left, place.height())
            painter.drawText(
                cell.adjusted(-8, 0, 8, 0),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip,
                sign,
            )


def _x(line: QTextLine, unit: int) -> float:
    x: Any = line.cursorToX(unit)
    return float(x[0] if isinstance(x, tuple) else x)
