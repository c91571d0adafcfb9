"""The picture of WordPiece's tries in a word: a row each, what is looked up over its letters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.draw.merge_grid import PAD, SMALLEST, Needs, RowGrid
from app.draw.merge_labels import Labels
from app.draw.merge_rows import fit_label
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme
from engine.matching import unit_starts
from engine.traces.longest import LongestTrace, Try, TryKind
from engine.wordpiece import WordPiece

ROW, BRICK = 48.0, 32.0
"""Height of a row and of a brick."""

TOP = 10.0
GAP = 8.0
"""Pixels between two letters."""

MARKS = {TryKind.MISS: "×", TryKind.HIT: "✓", TryKind.FAIL: "?", TryKind.TOO_LONG: "?"}

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TriedWord:
    """Pre-token number `pretoken` of a trace of tries; row r is after its first r tries."""

    trace: LongestTrace
    pretoken: int

    @cached_property
    def steps(self) -> range:
        return self.trace.steps_of(self.pretoken)

    @property
    def n_rows(self) -> int:
        return len(self.steps) + 1

    @cached_property
    def span(self) -> tuple[int, int]:
        """Its bytes in the prepared text."""
        cuts = self.trace.prepared.cuts
        return int(cuts[self.pretoken]), int(cuts[self.pretoken + 1])

    @cached_property
    def units(self) -> Ints:
        """Where each of its characters starts in the prepared text, and its end: int64[c + 1]."""
        segmenter = self.trace.model.segmenter
        assert isinstance(segmenter, WordPiece)
        alphabet = segmenter.alphabet
        start, end = self.span
        data = self.trace.prepared.data[start:end].tobytes()
        return np.array([*unit_starts(data, 0, len(data), alphabet), len(data)]) + start

    def tried(self, row: int) -> Try:
        """Return the try that leads to a row, 1 … n_rows − 1."""
        return self.trace.event(self.steps.start + row - 1)

    def cells(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and last character of a span of bytes."""
        first = int(np.searchsorted(self.units, start))
        return first, max(int(np.searchsorted(self.units, end)) - 1, first)

    def text(self, cell: int) -> bytes:
        """Return the bytes of a character."""
        return self.trace.prepared.data[self.units[cell] : self.units[cell + 1]].tobytes()


def tried_needs(word: TriedWord, theme: Theme) -> Needs:
    """Measure the letters of a word."""
    metrics = QFontMetricsF(theme.piece_font(SIZE_NOTE))
    shown = {word.text(i).decode("utf-8", errors="replace") for i in range(len(word.units) - 1)}
    widest = max((metrics.horizontalAdvance(text) for text in shown), default=0.0)
    gaps = np.full(max(len(word.units) - 2, 0), GAP)
    return Needs(max(widest + 2 * PAD, SMALLEST), gaps, GAP)


def paint_tries(
    painter: QPainter,
    word: TriedWord,
    grid: RowGrid,
    labels: Labels,
    theme: Theme,
    current: int,
    rows: tuple[int, int],
    view: tuple[float, float],
) -> None:
    """Paint the rows rows[0] … rows[1] as far as view[0] … view[1] shows them.

    current: the row of the player; what comes after it is dotted.
    """
    for row in range(rows[0], rows[1] + 1):
        _paint_row(painter, word, grid, labels, theme, row, row > current, view)


def _paint_row(
    painter: QPainter,
    word: TriedWord,
    grid: RowGrid,
    labels: Labels,
    theme: Theme,
    row: int,
    ahead: bool,
    view: tuple[float, float],
) -> None:
    top = TOP + row * ROW + (ROW - BRICK) / 2
    event = word.tried(row) if row else None
    taken = word.trace.taken(word.pretoken, word.steps.start + row)
    done = 0
    for piece, start, end in zip(
        taken.piece.tolist(), taken.start.tolist(), taken.end.tolist(), strict=True
    ):
        cells = word.cells(start, end)
        done = cells[1] + 1
        new = event is not None and event.kind != TryKind.MISS and end == int(taken.end[-1])
        text, _ = labels.written(piece, inside=start > word.span[0])
        rect = QRectF(grid.left(*cells), top, grid.size(*cells), BRICK)
        unknown = new and event is not None and event.kind >= TryKind.FAIL
        _paint_brick(painter, theme, rect, text, "unknown" if unknown else "new" if new else "old",
                     ahead)  # fmt: skip
    tried = None
    if event is not None and event.kind == TryKind.MISS:
        tried = word.cells(event.start, event.end)
    low, high = grid.cells_in(*view)
    painter.setFont(theme.piece_font(SIZE_BODY))
    for cell in range(max(done, low), min(high, len(word.units) - 2) + 1):
        inside = tried is not None and tried[0] <= cell <= tried[1]
        painter.setPen(theme.color("ink" if inside and not ahead else "ink3"))
        rect = QRectF(grid.left(cell, cell), top, grid.size(cell, cell), BRICK)
        text = word.text(cell).decode("utf-8", errors="replace")
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    if tried is not None:
        _paint_miss(painter, theme, QRectF(grid.left(*tried), top, grid.size(*tried), BRICK), ahead)


def _paint_brick(
    painter: QPainter, theme: Theme, rect: QRectF, text: str, style: str, ahead: bool
) -> None:
    line = {"new": "best", "old": "line2", "unknown": "ink"}[style]
    fill = {"new": "fill_best", "old": "panel", "unknown": "ink"}[style]
    pen = QPen(theme.color("line2" if ahead else line), 2 if style == "new" else 1.2)
    if ahead:
        pen.setDashPattern([3, 3])
    painter.setPen(pen)
    painter.setBrush(theme.color("canvas" if ahead else fill))
    painter.drawRoundedRect(rect, 4, 4)
    font, shown = fit_label(theme, text, rect.width() - 2 * PAD)
    painter.setFont(font)
    painter.setPen(theme.color("ink3" if ahead else "canvas" if style == "unknown" else "ink"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)


def _paint_miss(painter: QPainter, theme: Theme, rect: QRectF, ahead: bool) -> None:
    """Frame what was looked up in vain, with a cross at its end."""
    ink = theme.color("line2" if ahead else "ink3")
    pen = QPen(ink, 1.2)
    pen.setDashPattern([3, 3])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect, 4, 4)
    painter.setPen(QPen(ink, 1.8))
    at = QPointF(rect.right() + GAP / 2 + 4, rect.center().y())
    for way in (-1, 1):
        painter.drawLine(at + QPointF(-4, -4 * way), at + QPointF(4, 4 * way))


def heading_of(event: Try) -> str:
    """Return the sign of what came of a try."""
    return MARKS[event.kind]


def paint_heading(
    painter: QPainter, theme: Theme, rect: QRectF, title: str, text: str, ahead: bool
) -> None:
    """Write the head of a row at the left: its number, and what was looked up."""
    left, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
    upper, lower = QRectF(rect), QRectF(rect)
    upper.setBottom(rect.center().y())
    lower.setTop(rect.center().y())
    painter.setFont(theme.font(SIZE_BODY, bold=not ahead))
    painter.setPen(theme.color("ink3" if ahead else "ink"))
    painter.drawText(upper, left | middle, title)
    font = theme.piece_font(SIZE_DATA)
    shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, rect.width())
    painter.setFont(font)
    painter.setPen(theme.color("ink3" if ahead else "ink2"))
    painter.drawText(lower, left | middle, shown)
