"""The strip of pre-tokens: which word of the text is shown, and those around it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.draw.isolate import isolate
from app.draw.merge_labels import Labels, in_short
from app.theme import SIZE_BODY, Theme
from app.widgets.tips import Tips
from app.widgets.wheel import Notches
from engine.traces.longest import LongestTrace
from engine.traces.merges import MergeTrace

AnyTrace = MergeTrace | LongestTrace

HEIGHT, CHIP, GAP, SIDE = 40, 26, 4, 12
WIDEST = 200.0
EDGE = 26.0
"""Pixels at an end at which more words wait beyond it."""


@dataclass(frozen=True)
class Chip:
    """A pre-token in view."""

    index: int
    text: str
    rect: QRectF


class WordStrip(QWidget):
    """Chips of the pre-tokens around the current one; only those in view are measured."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._trace: AnyTrace | None = None
        self._labels: Labels | None = None
        self._current = 0
        self._first = 0
        self._notches = Notches()
        self._chips: list[Chip] | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        Tips(self, self.tip_at)
        theme.changed.connect(self._changed)

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    @property
    def current(self) -> int:
        """The pre-token shown."""
        return self._current

    @property
    def count(self) -> int:
        """Number of pre-tokens."""
        return len(self._trace.prepared.fixed) if self._trace is not None else 0

    def set_trace(self, trace: AnyTrace | None, labels: Labels | None, current: int) -> None:
        self._trace, self._labels = trace, labels
        self._first = 0
        self.set_current(current)

    def set_current(self, index: int) -> None:
        """Show another pre-token as the current one, and bring it into view."""
        self._current = min(max(index, 0), max(self.count - 1, 0))
        self._reveal()
        name = self.tr("Words of the text")
        if self._labels is not None and self.count:
            name = self.describe(self._current)
        self.setAccessibleName(name)
        self._changed()

    def describe(self, index: int) -> str:
        """Say which word it is, and where it is so that nothing happens in it."""
        assert self._trace is not None
        assert self._labels is not None
        text = self.tr("Word {n} of {count}: {text}")
        if not len(self._trace.steps_of(index)):
            if isinstance(self._trace, LongestTrace):
                text = self.tr("Word {n} of {count}: {text}. Nothing is looked up for it")
            else:
                text = self.tr("Word {n} of {count}: {text}. Nothing merges in it")
        return text.format(
            n=f"{index + 1:,}",
            count=f"{self.count:,}",
            text=isolate(in_short(self._labels.pretoken(index))),
        )

    def tip_at(self, place: QPointF) -> str:
        """Return what the tip at a pixel says: the word there."""
        chip = self.chip_at(place)
        return "" if chip is None else self.describe(chip.index)

    def _changed(self) -> None:
        self._chips = None
        self.update()

    def _width(self, index: int) -> tuple[str, float]:
        assert self._labels is not None
        metrics = QFontMetricsF(self._theme.piece_font(SIZE_BODY))
        text = self._labels.pretoken(index)
        if len(text) > 60:
            text = f"{text[:40]}…{text[-12:]}"
        text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, WIDEST)
        return text, max(metrics.horizontalAdvance(text) + 16, 24.0)

    @property
    def chips(self) -> list[Chip]:
        """The chips in view, from left to right."""
        if self._chips is None:
            self._chips = []
            x = SIDE + (EDGE if self._first > 0 else 0.0)
            for index in range(self._first, self.count):
                text, wide = self._width(index)
                if x + wide > self.width() - SIDE and self._chips:
                    break
                self._chips.append(Chip(index, text, QRectF(x, (HEIGHT - CHIP) / 2, wide, CHIP)))
                x += wide + GAP
        return self._chips

    def _reveal(self) -> None:
        if not self.count:
            return
        if self._current < self._first:
            self._first = self._current
        room = self.width() - 2 * SIDE - 2 * EDGE
        first, used = self._current, self._width(self._current)[1]
        while first > self._first:
            wide = self._width(first - 1)[1] + GAP
            if used + wide > room:
                break
            used += wide
            first -= 1
        self._first = max(self._first, first)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        if self._trace is None:
            return
        chips = self.chips
        for chip in chips:
            self._paint_chip(painter, chip, len(self._trace.steps_of(chip.index)) == 0)
        painter.setPen(theme.color("ink3"))
        painter.setFont(theme.font(SIZE_BODY))
        if self._first > 0:
            edge = QRectF(SIDE, 0, EDGE - 8, HEIGHT)
            painter.drawText(edge, Qt.AlignmentFlag.AlignCenter, "‹")
        if chips and chips[-1].index + 1 < self.count:
            edge = QRectF(self.width() - EDGE, 0, EDGE - 8, HEIGHT)
            painter.drawText(edge, Qt.AlignmentFlag.AlignCenter, "›")
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(0, HEIGHT - 1, self.width(), HEIGHT - 1)

    def _paint_chip(self, painter: QPainter, chip: Chip, still: bool) -> None:
        """Paint a word; one in which nothing happens has a dashed line around it."""
        theme, here = self._theme, chip.index == self._current
        pen = QPen(theme.color("ink" if here else "line2" if still else "line"), 2 if here else 1)
        if still:
            pen.setDashPattern([3, 3])
        inset = 0.0 if here else 0.5
        painter.setPen(pen)
        painter.setBrush(theme.color("selection" if here else "canvas" if still else "panel"))
        painter.drawRoundedRect(chip.rect.adjusted(inset, inset, -inset, -inset), 4, 4)
        if here and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 1))
            painter.drawRoundedRect(chip.rect.adjusted(-3, -3, 3, 3), 6, 6)
        painter.setFont(theme.piece_font(SIZE_BODY))
        painter.setPen(theme.color("ink" if here else "ink3" if still else "ink2"))
        painter.drawText(chip.rect, Qt.AlignmentFlag.AlignCenter, isolate(chip.text))

    def chip_at(self, place: QPointF) -> Chip | None:
        """Return the chip at a place."""
        return next((chip for chip in self.chips if chip.rect.contains(place)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        chip = self.chip_at(event.position())
        if chip is not None:
            self.chosen.emit(chip.index)
        elif self._first > 0 and event.position().x() < SIDE + EDGE:
            self._scroll(-4)
        elif event.position().x() > self.width() - EDGE - 4:
            self._scroll(4)

    def _scroll(self, by: int) -> None:
        last = self.chips[-1].index if self.chips else 0
        if by > 0 and last + 1 >= self.count:
            return
        self._first = min(max(self._first + by, 0), max(self.count - 1, 0))
        self._changed()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        notches = self._notches.add(turn)
        if notches:
            self._scroll(-2 * notches)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: self._current - 1,
            Qt.Key.Key_Right: self._current + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.count - 1,
            Qt.Key.Key_PageUp: self._current - 10,
            Qt.Key.Key_PageDown: self._current + 10,
        }
        target = moves.get(Qt.Key(event.key()))
        if target is None or not self.count:
            super().keyPressEvent(event)
            return
        target = min(max(target, 0), self.count - 1)
        if target != self._current:
            self.chosen.emit(target)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._reveal()
        self._changed()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
