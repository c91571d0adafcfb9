"""The best paths as rows of bricks on the shared axis, with their exact probabilities."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.counts import counted
from app.draw.brick_rows import BrickPainter, Words, is_far
from app.draw.bricks import BrickRow, BrickTable
from app.draw.contents import MANY, Content, bricks_content
from app.draw.lettering import Lettering
from app.draw.sheet import Sheet, update_moved
from app.draw.viewport import GUTTER, Viewport
from app.session import Session
from app.theme import SIZE_DATA, Theme
from app.views.explore.placed import Placed
from app.views.explore.wheel import wheel, zoom_key
from engine.lattice import Path
from engine.model import ALGORITHM_NAMES
from engine.search import rounding

ROW, BRICK, TOP = 25, 19, 6
USUAL = 6
"""Rows that the pane has room for at first."""

TELLING = 200
"""Milliseconds after which the description follows: nobody is read it between two keys."""

PIECES_SPOKEN = 40
"""Pieces of a path that its accessible description names."""

BAR_LEFT, BAR_WIDTH = 30.0, 58.0


class PathsView(QWidget):
    """Rows of bricks: what differs from path 1 is filled. Up and down choose a path."""

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._theme = placed, theme
        self._session: Session = placed.session
        self._ties: frozenset[int] = frozenset()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(ROW + 2 * TOP)
        self.setAccessibleName(self.tr("Best paths"))
        self._sheet = Sheet(self._paint_bricks, self._content)
        self._telling = QTimer(self, singleShot=True, interval=TELLING)
        self._telling.timeout.connect(self._tell)
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
        self._telling.start()
        self._table = BrickTable(self._placed.rows)
        self._ties = frozenset(self.ties())
        self.setToolTip(
            self.tr("= marks a path whose score equals that of the path before")
            if self._ties
            else ""
        )
        self._sheet.review()
        self.update()

    def _tell(self) -> None:
        """Say in words what the rows show."""
        pieces: dict[int, str] = {}  # most are of several paths
        lines = [
            self.tr("Path {n}: {pieces}, probability {p}").format(
                n=place + 1, pieces=_begin(row.path, pieces), p=number(row.path.probability)
            )
            for place, row in enumerate(self._placed.rows)
        ]
        self.setAccessibleDescription("\n".join(lines))

    def _refresh(self) -> None:
        """Paint anew."""
        self._sheet.clear()
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
        if any(is_far(row, viewport) for row in rows):
            painter.save()
            painter.setClipRect(QRectF(GUTTER, 0, self.width(), self.height()))
            self._paint_bricks(painter, viewport)
            painter.restore()
        else:
            self._sheet.draw(painter, viewport, self.height(), self._theme.color("canvas"))
        same = [
            place
            for place, row in enumerate(rows)
            if row.until < axis.shown and not is_far(row, viewport)
        ]
        if not same:
            return
        painter.save()
        painter.setClipRect(QRectF(GUTTER, 0, self.width(), self.height()))
        bricks = self._painter_of(painter, viewport)
        for place in same:
            bricks.draw_same(rows[place], self.row_rect(place), float(self.width()))
        painter.restore()

    def _content(self, viewport: Viewport) -> Content | None:
        """Return what the picture shows; None where something is lit, or of a long text."""
        arcs, analysis = self._placed.arcs, self._placed.analysis
        if arcs is None or analysis is None or self._placed.lit() is not None:
            return None
        if len(self._table.row) > MANY:
            return None
        key = (analysis.model_key, self._theme.scheme)
        return Content(key, ()) + bricks_content(self._table, arcs, viewport)

    def _paint_bricks(self, painter: QPainter, viewport: Viewport) -> None:
        bricks = self._painter_of(painter, viewport)
        lit = None if self._placed.stale_text else self._placed.lit()
        for place, row in enumerate(self._placed.rows):
            rect, best = self.row_rect(place), place == 0
            if is_far(row, viewport):
                bricks.draw_far(row, rect, best=best)
            else:
                bricks.draw(row, rect, lit, best=best)

    def _painter_of(self, painter: QPainter, viewport: Viewport) -> BrickPainter:
        words = Words(self.tr("{count:,} byte fragments"), self.tr("same as 1"))
        return BrickPainter(painter, self._theme, viewport, self._placed.arcs, words)

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
        names = Lettering(painter, painter.font(), painter.pen().color())
        names.draw_left(QPointF(26 - names.width(name), rect.center().y()), name)
        top = max(self._placed.rows[0].path.probability, 1e-300)
        wide = BAR_WIDTH * path.probability / top
        bar = QRectF(BAR_LEFT, rect.center().y() - 6, max(wide, 1.0), 12)
        painter.fillRect(bar, color)
        painter.setPen(theme.color("ink"))
        text = number(path.probability)
        # Nothing in a number is kerned: its width is known without shaping another text.
        left = GUTTER - 6 - sum(names.width(figure) for figure in text)
        painter.drawText(QPointF(left, names.base(rect.center().y())), text)

    def _algorithm(self) -> str:
        """Return the name of the rule that cut the text."""
        analysis = self._placed.analysis
        opened = None if analysis is None else self._session.open_model(analysis.model_key)
        return "" if opened is None else ALGORITHM_NAMES[opened.model.algorithm]

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


def _begin(path: Path, known: dict[int, str]) -> str:
    """Return the first pieces of a path. known: texts of edges, found so far."""
    edges = path.edges[:PIECES_SPOKEN].tolist()
    for edge in edges:
        if edge not in known:
            known[edge] = path.lattice.edge_text(edge)
    return " ".join(known[edge] for edge in edges)
