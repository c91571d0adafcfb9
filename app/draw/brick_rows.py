"""Painting of rows of bricks: the segmentations of `app.draw.bricks`, each in a line of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from app.draw.arcs import Arcs
from app.draw.bricks import BrickRow
from app.draw.edge_marks import EdgeMark, draw_over, with_sign
from app.draw.lettering import Lettering
from app.draw.marks import draw_brick, draw_hatch
from app.draw.tokens import DENSITY, TWO_TONES, ghost_box, ghost_in_view
from app.draw.viewport import GUTTER, Viewport
from app.draw.widths import Widths
from app.theme import SIZE_NOTE, Theme

# Members of enumerations are slow to reach, and these are asked for at each brick.
_NO_PEN, _NO_BRUSH, _CENTRE = Qt.PenStyle.NoPen, Qt.BrushStyle.NoBrush, Qt.AlignmentFlag.AlignCenter
_UNKNOWN, _BYTE = int(EdgeMark.UNKNOWN), int(EdgeMark.BYTE)
_ELIDE = Qt.TextElideMode.ElideRight


@dataclass(frozen=True)
class Words:
    """What rows say, translated. fragments: with {count}. same: the rest is as in path 1."""

    fragments: str
    same: str


class BrickPainter:
    """Paints rows of one axis. Path 1 has the colour of the best, others that of alternatives.

    arcs: gives the texts of edges; None where there are none yet.
    """

    def __init__(
        self, painter: QPainter, theme: Theme, viewport: Viewport, arcs: Arcs | None, words: Words
    ) -> None:
        self._painter, self._theme, self._viewport = painter, theme, viewport
        self._arcs, self._words = arcs, words
        self._fonts = {True: theme.font(SIZE_NOTE), False: theme.piece_font(SIZE_NOTE)}
        self._wide = {note: Widths(font) for note, font in self._fonts.items()}
        self._letters: dict[tuple[bool, str], Lettering] = {}
        self._hatch, self._canvas = theme.color("line2"), theme.color("canvas")

    def draw(
        self,
        row: BrickRow,
        rect: QRectF,
        lit: tuple[int, int] | None,
        *,
        best: bool,
    ) -> None:
        """Draw the part in view of a row that is too wide for single pixels.

        rect: the line, of which only the height counts. lit: a stretch of bytes whose bricks
        stand on the colour of what is selected.
        """
        if not len(row.first):
            return
        viewport = self._viewport
        mean = mean_width(row, viewport)
        if row.end[0] <= row.start[0] and mean >= TWO_TONES:
            self._draw_ghost(row, rect, best=best)
        first, last = viewport.visible
        seen = (row.rect_right >= first) & (row.rect_left <= last)
        shown = np.flatnonzero(seen & (row.start[row.rect_brick] < row.until))
        bricks = row.rect_brick[shown]
        lefts = (viewport.to_screen(row.rect_left[shown]) + 0.75).tolist()
        wides = ((row.rect_right[shown] - row.rect_left[shown]) * viewport.zoom - 1.5).tolist()
        top, high = rect.top(), rect.height()
        boxes = [QRectF(x, top, w, high) for x, w in zip(lefts, wides, strict=True)]
        differs = np.ones(len(shown), dtype=np.bool_) if best else row.differs[bricks]
        if mean < TWO_TONES:
            self._fill(boxes, differs, best=best)
            return
        if lit is not None:
            inside = (row.start[bricks] >= lit[0]) & (row.end[bricks] <= lit[1])
            for k in np.flatnonzero(inside).tolist():
                self._painter.fillRect(
                    boxes[k].adjusted(-1, -3, 1, 3), self._theme.color("selection")
                )
        unknown = row.mark[bricks] == _UNKNOWN
        self._outline(boxes, differs, unknown, best=best)
        hatched = ~unknown & ((row.fragments[bricks] > 0) | (row.mark[bricks] == _BYTE))
        for k in np.flatnonzero(hatched).tolist():
            draw_hatch(self._painter, boxes[k].adjusted(1, 1, -1, -1), self._hatch, 5)
        # Where a brick has several parts, the widest bears its text.
        for k in np.flatnonzero(row.widest[shown]).tolist():
            self._draw_label(row, int(bricks[k]), boxes[k], differs=bool(differs[k]))

    def draw_far(self, row: BrickRow, rect: QRectF, *, best: bool) -> None:
        """Draw a row too small for bricks: a bar, and where it differs from path 1."""
        painter, theme, viewport = self._painter, self._theme, self._viewport
        axis = viewport.axis
        assert axis is not None
        left, right = viewport.screen(0.0), viewport.screen(axis.width)
        fill = theme.color("fill_best" if best else "hair")
        painter.fillRect(QRectF(left, rect.top() + 2, right - left, rect.height() - 4), fill)
        color = self._line(best=best)
        for k in np.flatnonzero(row.differs[row.rect_brick]).tolist():
            x0 = viewport.screen(float(row.rect_left[k]))
            x1 = viewport.screen(float(row.rect_right[k]))
            painter.fillRect(QRectF(x0 - 0.5, rect.top(), max(x1 - x0, 2.0), rect.height()), color)

    def draw_same(self, rect: QRectF, start: float, right_end: float) -> None:
        """Draw the line that says that the rest, from a byte on, is as in path 1.

        right_end: the pixel at which the view ends.
        """
        painter, theme, viewport = self._painter, self._theme, self._viewport
        axis, words = viewport.axis, self._words.same
        assert axis is not None
        wide = self._wide[True](words)
        y = rect.center().y()
        for left, right in axis.intervals(start, axis.shown):
            x0 = max(viewport.screen(left) + 3, GUTTER)
            x1 = min(viewport.screen(right) - 1, right_end)
            if x1 <= x0:
                continue
            painter.setPen(QPen(theme.color("line"), 1))
            middle = (x0 + x1) / 2
            if x1 - x0 < wide + 16:
                painter.drawLine(QPointF(x0, y), QPointF(x1, y))
                continue
            painter.drawLine(QPointF(x0, y), QPointF(middle - wide / 2 - 4, y))
            painter.drawLine(QPointF(middle + wide / 2 + 4, y), QPointF(x1, y))
            box = QRectF(middle - wide / 2 - 2, rect.top(), wide + 4, rect.height())
            self._lettering("ink3", note=True).draw_centred(box, words)

    def _lettering(self, color: str, *, note: bool) -> Lettering:
        key = (note, color)
        if key not in self._letters:
            made = Lettering(self._painter, self._fonts[note], self._theme.color(color))
            self._letters[key] = made
        return self._letters[key]

    def _line(self, *, best: bool) -> QColor:
        return self._theme.color("best" if best else "alternative")

    def _fill(self, boxes: list[QRectF], differs: np.ndarray, *, best: bool) -> None:
        """Draw bricks without room for an outline."""
        line, hair = self._line(best=best), self._theme.color("hair")
        for box, differ in zip(boxes, differs.tolist(), strict=True):
            self._painter.fillRect(box, line if differ else hair)

    def _outline(
        self, boxes: list[QRectF], differs: np.ndarray, unknown: np.ndarray, *, best: bool
    ) -> None:
        """Draw the bricks themselves, those of one look after each other."""
        painter, theme = self._painter, self._theme
        filled = theme.color("fill_best" if best else "fill_alternative")
        for differ in (False, True):
            for odd in (False, True):
                some = np.flatnonzero((differs == differ) & (unknown == odd)).tolist()
                if not some:
                    continue
                painter.setPen(QPen(self._line(best=best) if differ else theme.color("line"), 1.2))
                if odd:
                    painter.setBrush(theme.color("ink" if differ else "ink3"))
                else:
                    painter.setBrush(QBrush(filled) if differ else _NO_BRUSH)
                for k in some:
                    painter.drawRoundedRect(boxes[k].adjusted(0.6, 0.6, -0.6, -0.6), 2, 2)

    def _draw_ghost(self, row: BrickRow, rect: QRectF, *, best: bool) -> None:
        """Draw the piece that stands before the text and for nothing in it."""
        if self._arcs is None or not ghost_in_view(self._viewport, float(row.start[0])):
            return
        painter, theme = self._painter, self._theme
        differs = best or bool(row.differs[0])
        box = ghost_box(self._viewport, rect.top(), rect.height(), float(row.start[0]))
        line = self._line(best=best) if differs else theme.color("line")
        draw_brick(painter, box, line, None, 1.0)
        painter.setFont(self._fonts[False])
        painter.setPen(theme.color("ink" if differs else "ink3"))
        painter.drawText(box, _CENTRE, self._arcs.label(int(row.path.edges[0])))

    def _draw_label(self, row: BrickRow, b: int, box: QRectF, *, differs: bool) -> None:
        if self._arcs is None:
            return
        painter, room = self._painter, box.width() - 2
        first, last, mark = int(row.first[b]), int(row.last[b]), int(row.mark[b])
        fragments = int(row.fragments[b])
        note = fragments > 0 and last - first > 1
        wide_of = self._wide[note]
        if note:
            text = self._words.fragments.format(count=fragments)
            if wide_of(text) + 4 > room:
                text = f"{fragments:,}"
        else:
            text = with_sign(self._arcs.label(int(row.path.edges[first])), mark)
        wide = wide_of(text)
        if wide > room:
            if room < wide_of("…"):
                return
            text = QFontMetricsF(self._fonts[note]).elidedText(text, _ELIDE, room)
            wide = wide_of(text)
            if len(text) < 2:
                return
        middle = box.center().x()
        unknown = mark == _UNKNOWN
        if not unknown and (fragments or mark == _BYTE):
            paper = QRectF(middle - wide / 2 - 3, box.top() + 2, wide + 6, box.height() - 4)
            painter.fillRect(paper, self._canvas)
        color = "canvas" if unknown else "ink" if differs else "ink3"
        self._lettering(color, note=note).draw_centred(box, text)
        if mark:
            over = QRectF(middle - wide / 2 - 1, box.top(), wide + 2, box.height())
            draw_over(painter, self._theme, over, mark)


def mean_width(row: BrickRow, viewport: Viewport) -> float:
    """Return the mean width of a row's bricks in pixels."""
    axis = viewport.axis
    return 0.0 if axis is None else axis.width * viewport.zoom / max(len(row.first), 1)


def is_far(row: BrickRow, viewport: Viewport) -> bool:
    """Whether a row is too small for bricks."""
    return mean_width(row, viewport) < DENSITY
