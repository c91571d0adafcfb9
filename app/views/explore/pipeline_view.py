"""The stages of the tokenizer one above the other on the shared axis, each over the same bytes."""

from __future__ import annotations

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

from app.draw.axis import Axis
from app.draw.glyphs import draw_text
from app.draw.stage_rows import StageCells
from app.draw.viewport import GUTTER
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme
from app.views.explore.pipeline_row import RowPainter
from app.views.explore.pipeline_words import count_words, describe_piece, rule_words, spoken, titles
from app.views.explore.pipeline_work import PipelineWork, Staged, StagePicture
from app.views.explore.placed import Placed
from app.views.explore.wheel import wheel
from app.widgets.tips import Tips
from engine.pieces import PieceKind

TOP, GAP, TEXT_ROW, ROW, TWO_LINES, WITH_BYTES = 4, 5, 26, 28, 40, 36
"""Heights: of the text as given, of a stage, of one that writes two lines in its pieces, and of
text that has its bytes under it."""

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class PipelineView(QWidget):
    """A row for the text as given and one for each stage. Arrow keys walk pieces and stages."""

    def __init__(
        self, work: PipelineWork, placed: Placed, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._work, self._placed, self._theme = work, placed, theme
        self._session = placed.session
        self._hover: tuple[int, int] | None = None
        self._row = 2
        self._painter = RowPainter(theme)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        Tips(self, self.tip_at)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Pipeline"))
        work.viewport.changed.connect(self.update)
        work.changed.connect(self._changed)
        placed.axis_changed.connect(self._changed)
        placed.hover_changed.connect(self.update)
        self._session.selection_changed.connect(self.update)
        theme.changed.connect(self.update)
        self._changed()

    def sizeHint(self) -> QSize:
        return QSize(700, self._bottom(4))

    def _changed(self) -> None:
        self._hover = None
        self.setMinimumHeight(self._bottom(4))
        self.setAccessibleDescription(spoken(self._work))
        self.update()

    # Places

    def _height(self, row: int) -> int:
        """Return the height of row 0 (the text as given) or of stage `row` - 1."""
        picture = self._work.picture
        axis = self._placed.axis if picture is None else picture.axis
        if row in (0, 1, 4) and axis.unit == "byte":
            return WITH_BYTES
        if row == 0:
            return TEXT_ROW
        mapped = picture is not None and picture.staged.stages.mapped
        return TWO_LINES if row == 3 or (row == 2 and mapped) else ROW

    def _bottom(self, row: int) -> int:
        return TOP + sum(self._height(r) + GAP for r in range(row + 1))

    def row_rect(self, row: int) -> QRectF:
        """Return where row 0 (the text as given) or stage `row` - 1 is drawn."""
        top = self._bottom(row) - GAP - self._height(row)
        return QRectF(0, top, self.width(), self._height(row))

    def row_at(self, y: float) -> int:
        """Return the row at a height, -1 where there is none."""
        return next((r for r in range(5) if self.row_rect(r).top() <= y < self._bottom(r)), -1)

    def cell_at(self, place: QPointF) -> tuple[int, int] | None:
        """Return the stage and its cell at a pixel."""
        row = self.row_at(place.y())
        if row < 1 or place.x() < GUTTER or not self._work.cells:
            return None
        cell = self._work.cells[row - 1].cell_at(self._work.viewport.from_screen(place.x()))
        return (row - 1, cell) if cell >= 0 else None

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme.color("canvas"))
        picture = self._work.picture
        if picture is None:
            painter.setFont(theme.font(SIZE_BODY))
            painter.setPen(theme.color("ink3"))
            around = self.rect().adjusted(12, 0, -12, 0)
            words = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(around, words, self._nothing())
        else:
            for row in range(5):
                self._paint_row(painter, row, picture)
            if self._work.stale:
                painter.setPen(QPen(theme.color("line2"), 2, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(GUTTER, 1), QPointF(self.width(), 1))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def _nothing(self) -> str:
        if self._session.active is None:
            return self.tr("Open a model: the way of the text through it appears here.")
        if self._session.forbidden:
            return self.tr(
                "The text holds special strings, and they are forbidden: it is not encoded."
            )
        if self._work.problem:
            return self._work.problem
        return "" if self._session.busy else self.tr("Type a text above.")

    def _paint_row(self, painter: QPainter, row: int, picture: StagePicture) -> None:
        theme, rect, viewport = self._theme, self.row_rect(row), self._work.viewport
        staged = picture.staged
        self._paint_head(painter, row, rect, staged)
        painter.save()
        painter.setClipRect(QRectF(GUTTER, rect.top() - 2, self.width(), rect.height() + 4))
        self._paint_light(painter, rect, picture.axis)
        if row == 0:
            draw_text(painter, viewport, theme, rect, theme.color("ink"))
            for start, end in self._special_spans(staged):
                for left, right in picture.axis.intervals(start, end):
                    self._painter.outline_special(
                        painter, rect, viewport.screen(left), viewport.screen(right)
                    )
        else:
            cells = picture.cells[row - 1]
            self._painter.paint(painter, viewport, staged, row - 1, cells, rect)
            self._paint_hover(painter, row, rect, cells)
        painter.restore()

    def _paint_head(self, painter: QPainter, row: int, rect: QRectF, staged: Staged) -> None:
        theme = self._theme
        title = titles()[row]
        count = count_words(staged, row)
        bold = theme.font(SIZE_DATA, bold=True)
        note = theme.font(SIZE_NOTE)
        # Two lines, a little closer than the row is high.
        middle = rect.center().y()
        painter.setFont(bold)
        painter.setPen(theme.color("ink"))
        painter.drawText(QRectF(12, middle - 15, GUTTER - 20, 15), LEFT, title)
        painter.setFont(note)
        painter.setPen(theme.color("ink3"))
        metrics = QFontMetricsF(note)
        words = " · ".join(part for part in (count, rule_words(staged, row)) if part)
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, GUTTER - 20)
        painter.drawText(QRectF(12, middle - 1, GUTTER - 18, 14), LEFT, shown)

    @staticmethod
    def _special_spans(staged: Staged) -> list[tuple[int, int]]:
        bounds = staged.stages.text.char_bounds
        return [
            (int(bounds[s.start_char]), int(bounds[s.start_char + len(s.text)]))
            for s in staged.stages.found
        ]

    def _paint_light(self, painter: QPainter, rect: QRectF, axis: Axis) -> None:
        """Light the bytes that are hovered or selected, as every row of the axis does."""
        span = self._placed.lit()
        if span is None or self._work.stale or span[1] > axis.shown:
            return
        viewport = self._work.viewport
        for left, right in axis.intervals(*span):
            x0, x1 = viewport.screen(left), viewport.screen(right)
            box = QRectF(x0 - 1, rect.top() - 2, x1 - x0 + 2, rect.height() + 4)
            painter.fillRect(box, self._theme.color("selection"))
            line = QRectF(x0, rect.bottom() + 0.5, x1 - x0, 1.5)
            painter.fillRect(line, self._theme.color("ink"))

    def _paint_hover(self, painter: QPainter, row: int, rect: QRectF, cells: StageCells) -> None:
        if self._hover is None or self._hover[0] != row - 1:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("ink"), 1.5))
        for k in np.flatnonzero(cells.rect_cell == self._hover[1]).tolist():
            x0 = self._work.viewport.screen(float(cells.rect_left[k]))
            x1 = self._work.viewport.screen(float(cells.rect_right[k]))
            painter.drawRect(QRectF(x0, rect.top() - 0.5, x1 - x0, rect.height() + 1))

    # Mouse

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.cell_at(event.position())
        if found != self._hover:
            self._set_hover(found)

    def _set_hover(self, found: tuple[int, int] | None) -> None:
        self._hover = found
        if found is None or self._work.stale:
            self._placed.hover(None)
        else:
            cells = self._work.cells[found[0]]
            self._placed.hover((int(cells.start[found[1]]), int(cells.end[found[1]])))
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        found = self.cell_at(event.position())
        if found is not None:
            self.select_cell(*found)
        else:
            self._session.select(span=None, piece=None, edge=None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        wheel(event, self._placed.viewport)

    def tip_at(self, place: QPointF) -> str:
        """Return what the tip at a pixel says: the rule of a stage, or what a piece is."""
        staged, row = self._work.staged, self.row_at(place.y())
        if staged is None or row < 0:
            return ""
        if place.x() < GUTTER:
            parts = (titles()[row], count_words(staged, row), rule_words(staged, row))
            return "\n".join(part for part in parts if part)
        found = self.cell_at(place)
        if found is None:
            return ""
        cells = self._work.cells[found[0]]
        pieces = range(int(cells.first[found[1]]), int(cells.last[found[1]]))
        lines = [describe_piece(staged, found[0], i) for i in pieces[:12]]
        return "\n".join(lines) + ("\n…" if len(pieces) > 12 else "")

    # Selection and keys

    def select_cell(self, stage: int, cell: int) -> None:
        """Select the bytes that a cell comes from and, where it is one token, its piece."""
        staged = self._work.staged
        if staged is None or self._work.stale:
            return
        cells, pieces = self._work.cells[stage], staged.stages.all[stage]
        self._row = stage
        span = (int(cells.start[cell]), int(cells.end[cell]))
        first, last = int(cells.first[cell]), int(cells.last[cell])
        piece = edge = None
        if pieces.name == "model":
            nodes = int(pieces.start[first]), int(pieces.end[last - 1])
            piece = int(pieces.piece[first]) if last - first == 1 else None
            if staged.shown == staged.text.n_bytes:
                kind = staged.stages.model.vocabulary.kind
                known = None if piece is None or kind[piece] == PieceKind.UNKNOWN else piece
                edge = self._placed.edge_of(*nodes, known)
        self._session.select(model=staged.key, span=span, piece=piece, edge=edge)
        self._placed.viewport.reveal(*self._placed.stretch(*span))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        rows = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps:
            mirrored = self._placed.axis.mirrored
            self._walk(-steps[key] if mirrored else steps[key], 0)
        elif key in rows:
            self._walk(0, rows[key])
        elif key == Qt.Key.Key_Escape:
            self._session.select(edge=None, span=None, piece=None, path=None)
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int, rows: int) -> None:
        if not self._work.cells:
            return
        stage = min(max(self._row + rows, 0), 3)
        cells, span = self._work.cells[stage], self._session.selection.span
        if not len(cells):
            self._row = stage
            return
        cell = 0 if span is None else cells.cell_of(span[0]) + step
        self.select_cell(stage, min(max(cell, 0), len(cells) - 1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
