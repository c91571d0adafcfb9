"""The best paths as rows of bricks on the shared axis, with their exact probabilities."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.counts import counted
from app.draw.bricks import BrickRow
from app.draw.contents import bricks_content
from app.draw.edge_marks import EdgeMark, draw_over, with_sign
from app.draw.lettering import Lettering
from app.draw.marks import draw_brick, draw_hatch
from app.draw.strips import Strips, update_moved
from app.draw.tokens import DENSITY, TWO_TONES, ghost_box
from app.draw.viewport import GUTTER, Viewport
from app.draw.widths import Widths
from app.session import Session
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from app.views.explore.placed import Placed
from app.views.explore.wheel import wheel, zoom_key
from engine.lattice import Path
from engine.model import ALGORITHM_NAMES
from engine.search import rounding

ROW, BRICK, TOP = 25, 19, 6
USUAL = 6
"""Rows that the pane has room for at first."""

PIECES_SPOKEN = 40
"""Pieces of a path that its accessible description names."""

RIGHT = Qt.AlignmentFlag.AlignRight
BAR_LEFT, BAR_WIDTH = 30.0, 58.0


class _Look:
    """Colours and letters of one row, asked for once at each paint of it."""

    def __init__(self, painter: QPainter, theme: Theme, *, best: bool) -> None:
        role = "best" if best else "alternative"
        self.line, self.fill = theme.color(role), theme.color(f"fill_{role}")
        self.plain, self.hair, self.hatch = (theme.color(x) for x in ("line", "hair", "line2"))
        self.canvas = theme.color("canvas")
        self.inverse = {True: theme.color("ink"), False: theme.color("ink3")}
        self._fonts = {True: theme.font(SIZE_NOTE), False: theme.piece_font(SIZE_NOTE)}
        self._letters = {
            (note, color): Lettering(painter, font, theme.color(color))
            for note, font in self._fonts.items()
            for color in ("ink", "ink3", "canvas")
        }

    def letters(self, *, note: bool, differs: bool, inverse: bool) -> Lettering:
        """Return what writes a piece, or a note in its place."""
        return self._letters[note, "canvas" if inverse else "ink" if differs else "ink3"]

    def elided(self, text: str, room: float, *, note: bool) -> str:
        """Return a text with its end left out, so that it fits."""
        metrics = QFontMetricsF(self._fonts[note])
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)


class PathsView(QWidget):
    """Rows of bricks: what differs from path 1 is filled. Up and down choose a path."""

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._theme = placed, theme
        self._session: Session = placed.session
        self._ties: frozenset[int] = frozenset()
        self._note_wide = Widths(theme.font(SIZE_NOTE))
        self._piece_wide = Widths(theme.piece_font(SIZE_NOTE))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(ROW + 2 * TOP)
        self.setAccessibleName(self.tr("Best paths"))
        self._strips = Strips(self._paint_bricks, self._content)
        placed.lattice_viewport.changed.connect(self._moved)
        placed.lattice_changed.connect(self._lattice_changed)
        placed.hover_changed.connect(self._refresh)
        self._session.selection_changed.connect(self._refresh)
        theme.changed.connect(self._refresh)
        self._lattice_changed()

    def sizeHint(self) -> QSize:
        return QSize(700, paths_height(max(len(self._placed.rows), USUAL)))

    @property
    def _viewport(self) -> Viewport:
        return self._placed.lattice_viewport

    def _lattice_changed(self) -> None:
        self.setMinimumHeight(paths_height(max(len(self._placed.rows), 1)))
        lines = [
            self.tr("Path {n}: {pieces}, probability {p}").format(
                n=place + 1, pieces=_begin(row.path), p=number(row.path.probability)
            )
            for place, row in enumerate(self._placed.rows)
        ]
        self.setAccessibleDescription("\n".join(lines))
        self._ties = frozenset(self.ties())
        self.setToolTip(
            self.tr("= marks a path whose score equals that of the path before")
            if self._ties
            else ""
        )
        self._strips.review()
        self.update()

    def _refresh(self) -> None:
        """Paint anew."""
        self._strips.clear()
        self.update()

    def _moved(self) -> None:
        update_moved(self)

    def row_rect(self, row: int) -> QRectF:
        """Return where the bricks of a path are drawn."""
        return QRectF(0, TOP + row * ROW + (ROW - BRICK) / 2, self.width(), BRICK)

    def row_at(self, y: float) -> int:
        """Return the path at a height, -1 where there is none."""
        row = int((y - TOP) // ROW)
        return row if 0 <= row < len(self._placed.rows) else -1

    def ties(self) -> list[int]:
        """Return the paths whose score is that of the path before, to rounding."""
        paths = [row.path for row in self._placed.rows]
        if len(paths) < 2 or not paths[0].lattice.has_law:
            return []
        close = rounding(paths[0].lattice)
        return [k for k in range(1, len(paths)) if paths[k - 1].score - paths[k].score <= close]

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.fillRect(event.rect(), theme.color("canvas"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_rows(painter)
        if event.rect().left() < GUTTER:
            for place, row in enumerate(self._placed.rows):
                self._paint_head(painter, place, row)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_rows(self, painter: QPainter) -> None:
        """Paint the bricks, as far as it can from what was painted before."""
        viewport, axis, rows = self._viewport, self._viewport.axis, self._placed.rows
        if axis is None:
            return
        if any(self._mean(row) < DENSITY for row in rows):
            painter.save()
            painter.setClipRect(QRectF(GUTTER, 0, self.width(), self.height()))
            self._paint_bricks(painter, viewport, 0)
            painter.restore()
        else:
            self._strips.draw(painter, viewport, self.height(), self._theme.color("canvas"))
        painter.save()
        painter.setClipRect(QRectF(GUTTER, 0, self.width(), self.height()))
        for place, row in enumerate(rows):
            stop = self._same_from(place, row)
            if stop < axis.shown and self._mean(row) >= DENSITY:
                self._paint_same(painter, self.row_rect(place), stop)
        painter.restore()

    def _mean(self, row: BrickRow) -> float:
        """Return the mean width of a row's bricks in pixels."""
        axis = self._viewport.axis
        return 0.0 if axis is None else axis.width * self._viewport.zoom / max(len(row.first), 1)

    def _content(self, viewport: Viewport) -> bytes | None:
        """Return what a strip shows; None where something is lit."""
        arcs = self._placed.arcs
        if arcs is None or self._placed.lit() is not None:
            return None
        return b"\0".join(
            bricks_content(row, arcs, viewport, self._same_from(place, row))
            for place, row in enumerate(self._placed.rows)
        )

    def _paint_bricks(self, painter: QPainter, viewport: Viewport, _: int) -> None:
        first, other = (_Look(painter, self._theme, best=best) for best in (True, False))
        for place, row in enumerate(self._placed.rows):
            self._paint_row(painter, viewport, first if place == 0 else other, place, row)

    def _paint_head(self, painter: QPainter, place: int, row: BrickRow) -> None:
        theme, rect = self._theme, self.row_rect(place)
        path = row.path
        color = theme.color("best" if place == 0 else "alternative")
        if self._session.selection.path == place:
            painter.fillRect(
                QRectF(4, rect.top() - 3, GUTTER - 2, rect.height() + 6), theme.color("selection")
            )
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font(SIZE_DATA, bold=place == 0))
        painter.setPen(theme.color("ink" if place == 0 else "ink2"))
        if not path.lattice.has_law:
            box = QRectF(12, rect.top(), GUTTER - 12, rect.height())
            solution = self._placed.solution
            name = self._algorithm()
            if solution is not None and solution.remaining:
                name = counted(len(path.ids), "token")
            painter.drawText(box, middle, name)
            return
        # "=2": this path's score is that of the path before.
        name = f"={place + 1}" if place in self._ties else str(place + 1)
        painter.drawText(QRectF(6, rect.top(), 20, rect.height()), middle | RIGHT, name)
        top = max(self._placed.rows[0].path.probability, 1e-300)
        wide = BAR_WIDTH * path.probability / top
        bar = QRectF(BAR_LEFT, rect.center().y() - 6, max(wide, 1.0), 12)
        painter.fillRect(bar, color)
        painter.setPen(theme.color("ink"))
        box = QRectF(BAR_LEFT, rect.top(), GUTTER - 6 - BAR_LEFT, rect.height())
        painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, number(path.probability))

    def _algorithm(self) -> str:
        """Return the name of the rule that cut the text."""
        analysis = self._placed.analysis
        opened = None if analysis is None else self._session.open_model(analysis.model_key)
        return "" if opened is None else ALGORITHM_NAMES[opened.model.algorithm]

    def _paint_row(
        self, painter: QPainter, viewport: Viewport, look: _Look, place: int, row: BrickRow
    ) -> None:
        rect = self.row_rect(place)
        if not len(row.first):
            return
        first, last = viewport.visible
        mean = self._mean(row)
        seen = (row.rect_right >= first) & (row.rect_left <= last)
        seen &= row.start[row.rect_brick] < self._same_from(place, row)
        if row.end[0] <= row.start[0] and mean >= TWO_TONES:
            self._paint_ghost(painter, viewport, place, row, rect)
        if mean < DENSITY:
            self._paint_far(painter, viewport, place, row, rect)
            return
        for k in np.flatnonzero(seen).tolist():
            b = int(row.rect_brick[k])
            left, right = float(row.rect_left[k]), float(row.rect_right[k])
            box = QRectF(
                viewport.screen(left) + 0.75,
                rect.top(),
                (right - left) * viewport.zoom - 1.5,
                rect.height(),
            )
            differs = place == 0 or bool(row.differs[b])
            self._paint_brick(painter, look, row, b, box, mean, differs)
            # Where a brick has several parts, the widest bears its text.
            if mean >= TWO_TONES and row.widest[k]:
                self._paint_label(painter, look, row, b, box, differs)

    def _paint_ghost(
        self, painter: QPainter, viewport: Viewport, place: int, row: BrickRow, rect: QRectF
    ) -> None:
        """Draw the piece that stands before the text and for nothing in it."""
        theme, arcs = self._theme, self._placed.arcs
        if arcs is None:
            return
        differs = place == 0 or bool(row.differs[0])
        role = "best" if place == 0 else "alternative"
        box = ghost_box(viewport, rect.top(), rect.height(), float(row.start[0]))
        draw_brick(painter, box, theme.color(role if differs else "line"), None, 1.0)
        painter.setFont(theme.piece_font(SIZE_NOTE))
        painter.setPen(theme.color("ink" if differs else "ink3"))
        label = arcs.label(int(row.path.edges[0]))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)

    def _paint_far(
        self, painter: QPainter, viewport: Viewport, place: int, row: BrickRow, rect: QRectF
    ) -> None:
        """Draw a row too small for bricks: a bar, and where it differs from path 1."""
        theme, axis = self._theme, viewport.axis
        assert axis is not None
        left, right = viewport.screen(0.0), viewport.screen(axis.width)
        role = "best" if place == 0 else "alternative"
        fill = theme.color("fill_best" if place == 0 else "hair")
        painter.fillRect(QRectF(left, rect.top() + 2, right - left, rect.height() - 4), fill)
        for k in np.flatnonzero(row.differs[row.rect_brick]).tolist():
            x0 = viewport.screen(float(row.rect_left[k]))
            x1 = viewport.screen(float(row.rect_right[k]))
            mark = QRectF(x0 - 0.5, rect.top(), max(x1 - x0, 2.0), rect.height())
            painter.fillRect(mark, theme.color(role))

    def _same_from(self, place: int, row: BrickRow) -> float:
        """Return the byte from which a row is only said to be as path 1: a brick after the last."""
        if place == 0:
            return math.inf
        after = np.flatnonzero(row.start >= row.same_from)
        # A line that says "same as 1" needs room; else the bricks themselves are shown.
        if len(after) < 3:
            return math.inf
        return float(row.end[after[0]])

    def _paint_brick(
        self,
        painter: QPainter,
        look: _Look,
        row: BrickRow,
        b: int,
        box: QRectF,
        mean: float,
        differs: bool,
    ) -> None:
        line = look.line if differs else look.plain
        if mean < TWO_TONES:
            painter.fillRect(box, line if differs else look.hair)
            return
        span = self._placed.lit()
        lit = span is not None and span[0] <= row.start[b] and row.end[b] <= span[1]
        if lit and not self._placed.stale_text:
            painter.fillRect(box.adjusted(-1, -3, 1, 3), self._theme.color("selection"))
        fill = look.fill if differs else None
        if row.mark[b] == EdgeMark.UNKNOWN:
            fill = look.inverse[differs]
        draw_brick(painter, box.adjusted(0.6, 0.6, -0.6, -0.6), line, fill)
        if row.mark[b] != EdgeMark.UNKNOWN and (row.fragments[b] or row.mark[b] == EdgeMark.BYTE):
            draw_hatch(painter, box.adjusted(1, 1, -1, -1), look.hatch, 5)

    def _paint_label(
        self, painter: QPainter, look: _Look, row: BrickRow, b: int, box: QRectF, differs: bool
    ) -> None:
        arcs = self._placed.arcs
        if arcs is None:
            return
        first, last, mark = int(row.first[b]), int(row.last[b]), int(row.mark[b])
        unknown = mark == EdgeMark.UNKNOWN
        note = bool(row.fragments[b]) and last - first > 1
        wide_of = self._note_wide if note else self._piece_wide
        if note:
            count = int(row.fragments[b])
            text = self.tr("{count:,} byte fragments").format(count=count)
            if wide_of(text) + 6 > box.width():
                text = f"{count:,}"
        else:
            text = with_sign(arcs.label(int(row.path.edges[first])), mark)
        wide = wide_of(text)
        if wide + 2 > box.width():
            if box.width() - 2 < wide_of("…"):
                return
            text = look.elided(text, box.width() - 2, note=note)
            wide = wide_of(text)
            if len(text) < 2:
                return
        if not unknown and (row.fragments[b] or mark == EdgeMark.BYTE):
            paper = QRectF(box.center().x() - wide / 2 - 3, box.top() + 2, wide + 6, BRICK - 4)
            painter.fillRect(paper, look.canvas)
        letters = look.letters(note=note, differs=differs, inverse=unknown)
        letters.draw_centred(box, text)
        over = QRectF(box.center().x() - wide / 2 - 1, box.top(), wide + 2, box.height())
        draw_over(painter, self._theme, over, mark)

    def _paint_same(self, painter: QPainter, rect: QRectF, stop: float) -> None:
        """Draw the line that says that the rest is as in path 1."""
        theme, axis = self._theme, self._viewport.axis
        assert axis is not None
        font = theme.font(SIZE_NOTE)
        words = self.tr("same as 1")
        wide = QFontMetricsF(font).horizontalAdvance(words)
        y = rect.center().y()
        for left, right in axis.intervals(stop, axis.shown):
            x0 = max(self._viewport.screen(left) + 3, GUTTER)
            x1 = min(self._viewport.screen(right) - 1, float(self.width()))
            if x1 <= x0:
                continue
            painter.setPen(QPen(theme.color("line"), 1))
            middle = (x0 + x1) / 2
            if x1 - x0 < wide + 16:
                painter.drawLine(QPointF(x0, y), QPointF(x1, y))
                continue
            painter.drawLine(QPointF(x0, y), QPointF(middle - wide / 2 - 4, y))
            painter.drawLine(QPointF(middle + wide / 2 + 4, y), QPointF(x1, y))
            painter.setFont(font)
            painter.setPen(theme.color("ink3"))
            painter.drawText(
                QRectF(middle - wide / 2 - 2, rect.top(), wide + 4, rect.height()),
                Qt.AlignmentFlag.AlignCenter,
                words,
            )

    # Mouse and keys

    def brick_at(self, place: QPointF) -> tuple[int, int] | None:
        """Return the path and the brick at a pixel."""
        row, axis = self.row_at(place.y()), self._viewport.axis
        if row < 0 or axis is None or place.x() < GUTTER:
            return None
        byte = axis.byte_at(self._viewport.from_screen(place.x()))
        bricks = self._placed.rows[row]
        found = int(np.searchsorted(bricks.start, byte, side="right")) - 1
        if found < 0 or byte >= bricks.end[found]:
            return None
        return row, found

    def select_path(self, place: int) -> None:
        """Select a path and bring the first place where it differs into view."""
        self._session.select(path=place, edge=None, span=None, piece=None)
        row = self._placed.rows[place]
        where = np.flatnonzero(row.differs[row.rect_brick])
        if len(where) and not self._placed.stale_text:
            left, right = row.rect_left[where[0]], row.rect_right[where[0]]
            self._placed.viewport.reveal(float(left), float(right))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        row = self.row_at(event.position().y())
        found = self.brick_at(event.position())
        analysis = self._placed.analysis
        if row < 0 or analysis is None:
            self._session.select(path=None)
            return
        if found is None:
            self.select_path(row)
            return
        bricks = self._placed.rows[row]
        first, last = int(bricks.first[found[1]]), int(bricks.last[found[1]])
        lattice = analysis.lattice
        edge = int(bricks.path.edges[first])
        span = (lattice.source(edge)[0], lattice.source(int(bricks.path.edges[last - 1]))[1])
        one = last - first == 1
        piece = int(lattice.piece[edge])
        self._session.select(
            model=analysis.model_key,
            path=row,
            edge=edge if one else None,
            piece=piece if one and piece >= 0 else None,
            span=span,
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        count = len(self._placed.rows)
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps and count:
            now = self._session.selection.path
            place = 0 if now is None else min(max(now + steps[key], 0), count - 1)
            self.select_path(place)
        elif Qt.Key.Key_1 <= key <= Qt.Key.Key_9 and int(key) - int(Qt.Key.Key_1) < count:
            self.select_path(int(key) - int(Qt.Key.Key_1))
        elif not zoom_key(event, self._placed.viewport):
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        wheel(event, self._placed.viewport)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


def paths_height(rows: int) -> int:
    """Return the pixels that a number of rows takes."""
    return 2 * TOP + ROW * rows


def number(p: float) -> str:
    """Return a probability to four places, a small one in powers of ten."""
    if math.isnan(p):
        return "–"
    if p == 0 or p >= 0.00005:
        return f"{p:.4f}"
    return f"{p:.1e}"


def _begin(path: Path) -> str:
    """Return the first pieces of a path."""
    return " ".join(path.lattice.edge_text(int(edge)) for edge in path.edges[:PIECES_SPOKEN])
