"""The lane of a dropout: the coins of a pre-token one under the other.

BPE-dropout drops or merges pairs, MaxMatch-dropout drops or takes pieces.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from app.draw.method_mark import paint_mark
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme
from app.views.sampling.drop_words import (
    DropRow,
    Trace,
    drop_sentence,
    row_of,
    symbols_text,
)
from app.views.sampling.lane import Keys
from app.views.sampling.methods import LOOKS, method_title
from engine.dropout import MAXMATCH_DROPOUT
from engine.traces.dropout import DropTrace

SIDE, HEAD, ROW, BAR = 16.0, 92.0, 26.0, 16.0


class DropLane(QWidget):
    """What stands of the pre-token at work, and each pair or piece that was considered."""

    step_clicked = Signal(int)
    """The number of a step, from 0."""

    def __init__(self, theme: Theme, keys: Keys, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._keys = theme, keys
        self._trace: Trace | None = None
        self._k = 0
        self.setMinimumHeight(220)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("What is dropped, step by step"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(700, 300)

    @property
    def trace(self) -> Trace | None:
        """The trace on show."""
        return self._trace

    def set_trace(self, trace: Trace | None) -> None:
        """Show a trace; its position comes with `set_position`."""
        self._trace, self._k = trace, 0
        self.update()

    def set_position(self, k: int) -> None:
        """Go to a state."""
        if self._trace is None:
            return
        self._k = min(k, len(self._trace))
        self.setAccessibleDescription(drop_sentence(self._trace, self._k))
        self.update()

    @property
    def pretoken(self) -> int:
        """The pre-token at work."""
        trace = self._trace
        if trace is None or not len(trace):
            return 0
        return trace.pretoken_of(max(self._k - 1, 0))

    def rows(self) -> tuple[DropRow, ...]:
        """Return the steps of the pre-token at work that are done, the last ones that fit."""
        trace = self._trace
        if trace is None or not len(trace):
            return ()
        steps = trace.steps_of(self.pretoken)
        fit = max(int((self.height() - HEAD - 8) // ROW), 1)
        done = range(steps.start, min(steps.stop, self._k))[-fit:]
        return tuple(row_of(trace, step) for step in done)

    def standing(self) -> str:
        """Return what stands of the pre-token at work with bars between."""
        trace = self._trace
        if trace is None or len(trace.prepared.cuts) < 2:
            return ""
        return symbols_text(trace, self._k, self.pretoken)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter, trace = self._theme, QPainter(self), self._trace
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        if trace is None:
            return
        wide = self.width() - 2 * SIDE
        method = trace.method if isinstance(trace, DropTrace) else MAXMATCH_DROPOUT
        look = LOOKS[method]
        color = theme.identity(look.identity)
        paint_mark(painter, look.shape, QPointF(SIDE + 6, 18), 5, color, theme.color("canvas"))
        title = QRectF(SIDE + 20, 8, wide - 20, 20)
        painter.setPen(theme.color("ink"))
        self._write(painter, title, method_title(method), SIZE_BODY, bold=True)
        line = QRectF(SIDE, 32, wide, 26)
        self._write(painter, line, self.standing(), SIZE_BODY + 4, piece=True)
        painter.setPen(theme.color("ink2"))
        sentence = QRectF(SIDE, 60, wide, 22)
        self._write(painter, sentence, drop_sentence(trace, self._k), SIZE_DATA)
        steps = self.rows()
        for i, step in enumerate(steps):
            row = QRectF(SIDE, HEAD + i * ROW, wide, ROW)
            self._paint_step(painter, row, trace.p, step, current=step.step == self._k - 1)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -1.5))

    def _paint_step(
        self, painter: QPainter, row: QRectF, p: float, step: DropRow, *, current: bool
    ) -> None:
        """Paint a coin: its name, bar from 0 to 1 filled up to p, needle at u, verdict."""
        theme = self._theme
        if current:
            painter.fillRect(row.adjusted(-6, 0, 6, -2), theme.color("panel"))
        painter.setPen(theme.color("ink" if step.won else "ink3"))
        name = QRectF(row.left(), row.top(), min(row.width() * 0.24, 180.0), row.height())
        self._write(painter, name, step.label, SIZE_DATA, bold=current, piece=True)
        left = name.right() + 12
        box = QRectF(left, row.center().y() - BAR / 2, row.right() - left - 200, BAR)
        tossed = not math.isnan(step.u)
        if tossed:
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.setBrush(theme.color("panel"))
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(QPen(theme.color("ink3"), 1.2))
            painter.setBrush(Qt.BrushStyle.BDiagPattern)
            painter.drawRect(QRectF(box.left(), box.top(), box.width() * p, BAR))
            x = box.left() + box.width() * step.u
            painter.setPen(QPen(theme.color("ink"), 2))
            painter.drawLine(QPointF(x, box.top() - 3), QPointF(x, box.bottom() + 3))
        painter.setPen(theme.color("sampled" if step.won else "ink2"))
        words = QRectF(box.right() + 12, row.top(), 96, row.height())
        self._write(painter, words, step.verdict, SIZE_DATA, bold=step.won)
        painter.setPen(theme.color("ink3"))
        number = QRectF(words.right(), row.top(), 88, row.height())
        text = self.tr("u = {u}").format(u=f"{step.u:.3f}") if tossed else ""
        self._write(painter, number, text, SIZE_NOTE)

    def _write(
        self,
        painter: QPainter,
        rect: QRectF,
        text: str,
        size: int,
        *,
        bold: bool = False,
        piece: bool = False,
    ) -> None:
        font = (self._theme.piece_font if piece else self._theme.font)(size, bold=bold)
        painter.setFont(font)
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = int((event.position().y() - HEAD) // ROW)
        rows = self.rows()
        if event.button() == Qt.MouseButton.LeftButton and 0 <= place < len(rows):
            self.step_clicked.emit(rows[place].step)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
