"""Marks for spaces that the eye would miss: at both ends of a line, several in a row, odd ones."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextLayout, QTextLine

SPACE, TAB, ODD = "·", "→", "°"

# Spaces other than U+0020 look like it, and are other tokens.
_RUNS = re.compile("[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


def space_marks(text: str, before: str = "", after: str = "") -> list[tuple[int, str]]:
    """Return the places in `text` that get a mark, and the mark.

    A single plain space between two other characters gets none. before, after: the characters
    beside the text; empty at an end of the line.
    """
    marks: list[tuple[int, str]] = []
    whole, shift = before + text + after, len(before)
    for run in _RUNS.finditer(whole):
        inside = run.start() > 0 and run.end() < len(whole)
        if run.group() == " " and inside:
            continue
        for place in range(max(run.start(), shift), min(run.end(), shift + len(text))):
            sign = {" ": SPACE, "\t": TAB}.get(whole[place], ODD)
            marks.append((place - shift, sign))
    return marks


def draw_space_marks(
    painter: QPainter, layout: QTextLayout, text: str, top: QPointF, room: QRectF, color: QColor
) -> None:
    """Draw the marks of a paragraph's lines that are in `room`.

    layout: the paragraph's, and text its characters. top: where the layout begins.
    """
    units = text.encode("utf-16-le", "surrogatepass")
    last = len(units) // 2
    painter.setPen(color)
    painter.setFont(layout.font())
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        place = line.rect().translated(top)
        if place.bottom() < room.top() or place.top() > room.bottom():
            continue
        start, end = line.textStart(), min(line.textStart() + line.textLength(), last)
        # One unit beside it is enough to tell whether it is a space.
        before, inside, after = (
            units[2 * max(a, 0) : 2 * b].decode("utf-16-le", "replace")
            for a, b in ((start - 1, start), (start, end), (end, end + 1))
        )
        at = start
        done = 0
        for index, sign in space_marks(inside, before, after):
            at += len(inside[done:index].encode("utf-16-le", "surrogatepass")) // 2
            done = index
            left, right = sorted((_x(line, at), _x(line, at + 1)))
            cell = QRectF(top.x() + left, place.top(), right - left, place.height())
            painter.drawText(
                cell.adjusted(-8, 0, 8, 0),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip,
                sign,
            )


def _x(line: QTextLine, unit: int) -> float:
    x: Any = line.cursorToX(unit)
    return float(x[0] if isinstance(x, tuple) else x)
