"""Painting one stage: what stays as in the text is written with it, what changes stands in boxes.

Dotted box: inserted. Line with ×: nothing is left. Pointed ends: cut out as a token of its own.
Ink box: unknown. Hatch with a count: several pieces of one character.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.draw.glyphs import draw_text
from app.draw.isolate import isolate
from app.draw.marks import draw_count, draw_hatch, notched
from app.draw.stage_rows import StageCells
from app.draw.tokens import TWO_TONES, ghost_box
from app.draw.viewport import MARGIN, Viewport
from app.draw.widths import Widths
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from app.views.explore.pipeline_work import Staged
from engine.changes import Change

SMALL = 10
"""Pixels of the second line in a piece."""

CENTRE = Qt.AlignmentFlag.AlignCenter
LEAST = 13.0
"""Pixels of a piece that shares its stretch with others, from which on each has its own box."""


class RowPainter:
    """Paints the cells of a stage that are in view."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._wide = Widths(theme.piece_font(SIZE_DATA))
        self._small_wide = {1: Widths(theme.piece_font(SMALL)), 2: Widths(theme.font(SMALL))}

    def paint(
        self,
        painter: QPainter,
        viewport: Viewport,
        staged: Staged,
        number: int,
        cells: StageCells,
        rect: QRectF,
    ) -> None:
        """Paint stage `number` into a row."""
        theme = self._theme
        first, last = viewport.visible
        slack = MARGIN / viewport.zoom
        near = (cells.rect_right >= first - slack) & (cells.rect_left <= last + slack)
        seen = np.flatnonzero(near)
        lefts = viewport.to_screen(cells.rect_left[seen])
        rights = viewport.to_screen(cells.rect_right[seen])
        flows = number in (0, 3)
        if flows:
            draw_text(painter, viewport, theme, rect, theme.color("ink2"))
        far = len(seen) > 0 and float(np.mean(rights - lefts)) < TWO_TONES
        columns = (lefts, rights, cells.rect_cell[seen], cells.widest[seen])
        for left, right, k, widest in zip(*(c.tolist() for c in columns), strict=True):
            inside = slice(int(cells.first[k]), int(cells.last[k]))
            if flows and all(staged.same[number][inside]):
                continue
            gap = min(1.5, (right - left) / 4)
            box = QRectF(left + gap / 2, rect.top(), max(right - left - gap, 1.0), rect.height())
            if far:
                plain = not flows and all(staged.same[number][inside])
                token = ("line2" if k % 2 else "line") if plain else "ink2"
                painter.fillRect(box, theme.color(token))
                continue
            self._paint_cell(painter, staged, number, inside, k, box, widest)
        lost = (cells.lost_right >= first) & (cells.lost_left <= last)
        for i in np.flatnonzero(lost).tolist():
            x0 = viewport.screen(float(cells.lost_left[i]))
            x1 = viewport.screen(float(cells.lost_right[i]))
            self._paint_lost(painter, QRectF(x0, rect.top(), x1 - x0, rect.height()))
        if cells.ghost and len(cells) and not far:
            label = "".join(staged.labels[number][: int(cells.last[0])])
            self._paint_ghost(painter, viewport, rect, label, int(cells.start[0]))

    def _upper(self, staged: Staged, number: int, rect: QRectF) -> QRectF:
        """Return where the first line of a row with two stands."""
        two = number == 2 or (number == 1 and staged.stages.mapped)
        return rect.adjusted(0, 1, 0, -14) if two else rect

    def _paint_cell(
        self,
        painter: QPainter,
        staged: Staged,
        number: int,
        inside: slice,
        k: int,
        box: QRectF,
        bears_text: bool,
    ) -> None:
        theme, count = self._theme, inside.stop - inside.start
        if count == 1 or not bears_text:
            self._paint_piece(painter, staged, number, inside.start, k, box, bears_text)
            return
        wide = box.width() / count
        labels = staged.labels[number][inside]
        needed = max(self._wide(label) for label in labels) + 3
        if wide >= max(LEAST, needed):
            for j in range(count):
                part = QRectF(box.left() + j * wide, box.top(), wide, box.height())
                part = part.adjusted(0.5 if j else 0, 0, -0.5 if j < count - 1 else 0, 0)
                self._paint_piece(painter, staged, number, inside.start + j, k + j, part, True)
            return
        painter.setPen(QPen(theme.color("line2"), 1))
        painter.setBrush(theme.color("panel"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        draw_hatch(painter, box.adjusted(1, 1, -1, -1), theme.color("line"))
        draw_count(painter, theme, box.center(), count, SIZE_NOTE)

    def _paint_piece(
        self,
        painter: QPainter,
        staged: Staged,
        number: int,
        i: int,
        k: int,
        box: QRectF,
        bears_text: bool,
    ) -> None:
        theme, stage = self._theme, staged.stages.all[number]
        change = Change(stage.change[i])
        ink = theme.color("ink")
        inner = box.adjusted(0.6, 0.6, -0.6, -0.6)
        painter.setBrush(theme.color("canvas"))
        if change in (Change.SPECIAL, Change.ADDED):
            painter.setPen(QPen(theme.color("special"), 1.2))
            painter.drawPath(notched(inner))
        elif change == Change.UNKNOWN:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.drawRoundedRect(box, 2, 2)
            ink = theme.color("canvas")
        elif change == Change.INSERTED:
            painter.setPen(QPen(theme.color("line2"), 1, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(inner, 2, 2)
        elif number in (1, 2):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.band(k))
            painter.drawRoundedRect(box, 2, 2)
            if change == Change.BYTE:
                draw_hatch(painter, box, theme.color("line2"))
        else:
            light = change in (Change.SPACE, Change.WHITE_SPACE)
            painter.setBrush(theme.color("panel"))
            token = "warning" if number == 3 else "line" if light else "line2"
            painter.setPen(QPen(theme.color(token), 1.2))
            painter.drawRoundedRect(inner, 2, 2)
        if bears_text:
            self._write(painter, staged, number, i, box, ink)

    def _write(
        self, painter: QPainter, staged: Staged, number: int, i: int, box: QRectF, ink: QColor
    ) -> None:
        """Write a piece into its box, and under it the id or the bytes' alphabet."""
        theme, upper = self._theme, self._upper(staged, number, box)
        font = theme.piece_font(SIZE_DATA)
        label = staged.labels[number][i]
        if (
            staged.stages.all[number].change[i] == Change.UNKNOWN
            and self._wide(label) > box.width()
        ):
            label = "?"
        self._label(painter, label, self._wide, font, upper, ink)
        below = ""
        if number == 2:
            below = str(int(staged.stages.tokens.piece[i]))
        elif number == 1:
            below = staged.stages.written(i)
        if number == 2 and self._small_wide[2](below) > box.width() - 1:
            return  # a part of an id would be another id
        if below and upper != box:
            lower = QRectF(box.left(), box.bottom() - 15, box.width(), 13)
            small = theme.piece_font(SMALL) if number == 1 else theme.font(SMALL)
            faint = ink if ink != theme.color("ink") else theme.color("ink2")
            self._label(painter, below, self._small_wide[number], small, lower, faint)

    @staticmethod
    def _label(
        painter: QPainter, text: str, wide: Widths, font: QFont, box: QRectF, ink: QColor
    ) -> None:
        """Write a text into the middle of a box, shortened; nothing where nothing fits."""
        shown = isolate(text)
        if wide(shown) > box.width() - 1:
            shown = QFontMetricsF(font).elidedText(
                shown, Qt.TextElideMode.ElideRight, box.width() - 1
            )
            if len(shown.strip("\u2068\u2069")) < 2:
                return
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(box, CENTRE, shown)

    def _paint_lost(self, painter: QPainter, box: QRectF) -> None:
        """Draw the line with × of what was left out, over nothing."""
        theme = self._theme
        if box.width() < TWO_TONES:
            return
        painter.fillRect(box.adjusted(0.5, 0, -0.5, 0), theme.color("canvas"))
        middle = box.center()
        painter.setPen(QPen(theme.color("ink3"), 1))
        size = min(3.0, box.width() / 3)
        if box.width() > 4 * size:
            y = middle.y()
            painter.drawLine(QPointF(box.left() + 2, y), QPointF(middle.x() - size - 2, y))
            painter.drawLine(QPointF(middle.x() + size + 2, y), QPointF(box.right() - 2, y))
        painter.setPen(QPen(theme.color("ink3"), 1.4))
        for slope in (1, -1):
            painter.drawLine(
                middle + QPointF(-size, -size * slope), middle + QPointF(size, size * slope)
            )

    def _paint_ghost(
        self, painter: QPainter, viewport: Viewport, rect: QRectF, label: str, byte: int
    ) -> None:
        theme = self._theme
        if viewport.axis is None:
            return
        box = ghost_box(viewport, rect.top(), rect.height(), byte)
        painter.setPen(QPen(theme.color("line2"), 1, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 2, 2)
        painter.setPen(theme.color("ink2"))
        painter.setFont(theme.piece_font(SIZE_NOTE))
        painter.drawText(box, CENTRE, label[:2])

    def outline_special(self, painter: QPainter, rect: QRectF, left: float, right: float) -> None:
        """Mark a special string in the text as given."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("special"), 1.2))
        painter.drawPath(notched(QRectF(left, rect.top() + 1, right - left, rect.height() - 2)))
