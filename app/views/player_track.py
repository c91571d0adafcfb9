"""The track of the player bar: the trace as a line with a playhead, ticks, labels and marks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.player import Player
from app.theme import SIZE_NOTE, Theme
from app.widgets.wheel import Notches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEIGHT = 54
HALF, TALL = 3, 6
"""Half the width of a mark's triangle, and its height."""

APART = 8
"""Pixels at least between two labels."""


class Track(QWidget):
    """The trace as a line with a playhead; steps have ticks where they are apart enough.

    A triangle above the line marks a position whose step touches the selection.
    """

    sought = Signal(int)

    MARGIN = 10
    TICK_ROOM = 7
    """Pixels between ticks below which only round steps have one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._length, self._at = 0, 0
        self._labels: tuple[str, ...] = ()
        self._marks: NDArray[np.int64] | None = None
        self._marked: list[float] = []
        self._marked_for: tuple[NDArray[np.int64] | None, int, int] = (None, 0, 0)
        self._triangles = QPainterPath()
        self._notches = Notches()
        self._labelled: list[tuple[int, str, QRectF]] = []
        self._labelled_for: tuple[int, tuple[str, ...], int, int] | None = None
        self._hover: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def show_player(self, player: Player) -> None:
        self._length, self._at, self._labels = player.length, player.position, player.labels
        self._marks = marks = player.marks
        name = self.tr("Position {step:,} of {count:,}")
        self.setAccessibleName(name.format(step=self._at, count=self._length))
        marked = self.tr("{n:,} steps touch the selection").format(n=len(marks))
        self.setAccessibleDescription(marked if len(marks) else "")
        self.update()

    def x_of(self, step: int) -> float:
        """Return where a position lies."""
        room = self.width() - 2 * self.MARGIN
        return self.MARGIN + (room * step / self._length if self._length else 0)

    def step_at(self, x: float) -> int:
        """Return the position nearest to a place."""
        room = max(self.width() - 2 * self.MARGIN, 1)
        return min(max(round((x - self.MARGIN) / room * self._length), 0), self._length)

    def ticks(self) -> list[int]:
        """Return the positions that have a tick: all, or round ones where all are too many."""
        room = self.width() - 2 * self.MARGIN
        for every in _round_steps():
            if room * every / max(self._length, 1) >= self.TICK_ROOM:
                return list(range(0, self._length + 1, every))
        return []

    def marked(self) -> list[float]:
        """Return where marked positions lie, of those that share a pixel one."""
        marks, size = self._marks, (self._length, self.width())
        # By what it is, not by what is in it: that would be as long to compare as to place.
        if self._marked_for[0] is not marks or self._marked_for[1:] != size:
            self._marked_for, self._marked = (marks, *size), self._place_marks()
            self._triangles = self._draw_marks()
        return self._marked

    def _place_marks(self) -> list[float]:
        import numpy as np

        if self._marks is None:
            return []
        room = max(self.width() - 2 * self.MARGIN, 1)
        places = self.MARGIN + room * self._marks / max(self._length, 1)
        return [float(x) for x in np.unique(np.round(places))]

    def _draw_marks(self) -> QPainterPath:
        """Return the outline of all triangles over the line, their tips at the height 0.

        Triangles that overlap have one outline: to fill each would take as long as to place them.
        """
        path = QPainterPath()
        before = -math.inf
        for x in self._marked:
            apart = x - before
            if apart >= 2 * HALF:
                if before > -math.inf:
                    path.lineTo(before + HALF, -TALL)
                path.moveTo(x - HALF, -TALL)
            else:
                path.lineTo(x - apart / 2, -TALL * apart / (2 * HALF))
            path.lineTo(x, 0)
            before = x
        if self._marked:
            path.lineTo(before + HALF, -TALL)
        return path

    def labelled(self) -> list[tuple[int, str, QRectF]]:
        """Return the ticks that have a label, with its text and place; labels don't touch."""
        key = (self._length, self._labels, self.width(), self.height())
        if key != self._labelled_for:
            self._labelled_for, self._labelled = key, self._label()
        return self._labelled

    def _label(self) -> list[tuple[int, str, QRectF]]:
        metrics = QFontMetricsF(self._theme.piece_font(SIZE_NOTE))
        own = len(self._labels) == self._length
        ticks = self.ticks() if own else self._numbered(metrics)
        wanted = [0, self._length, *ticks] if self._length else []
        placed: list[tuple[int, str, QRectF]] = []
        for step in dict.fromkeys(wanted):
            text = f"{step:,}"
            if step == 0:
                text = self.tr("start")
            elif own:
                text = metrics.elidedText(self._labels[step - 1], Qt.TextElideMode.ElideRight, 110)
            wide = metrics.horizontalAdvance(text) + 2
            left = min(max(self.x_of(step) - wide / 2, 0), self.width() - wide)
            rect = QRectF(left, self.height() / 2 + 8, wide, 16)
            apart = rect.adjusted(-APART, 0, APART, 0)
            if not any(apart.intersects(other) for _, _, other in placed):
                placed.append((step, text, rect))
        return placed

    def _numbered(self, metrics: QFontMetricsF) -> range:
        """Return the ticks that bear their number: equally far from each other."""
        room, length = self.width() - 2 * self.MARGIN, max(self._length, 1)
        wide = metrics.horizontalAdvance(f"{length:,}") + 2 + APART
        ticks = self.ticks()
        gap = ticks[1] if len(ticks) > 1 else 1
        for every in _round_steps():
            if every % gap == 0 and room * every / length >= wide:
                return range(every, self._length, every)
        return range(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        y, here = self.height() / 2 - 4, self.x_of(self._at)
        ink, line = theme.color("ink"), theme.color("line2")
        painter.fillRect(QRectF(self.MARGIN, y - 0.75, self.width() - 2 * self.MARGIN, 1.5), line)
        painter.fillRect(QRectF(self.MARGIN, y - 1.5, here - self.MARGIN, 3), ink)
        for step in self.ticks():
            x = self.x_of(step)
            painter.fillRect(QRectF(x - 0.75, y - 6, 1.5, 12), ink if step <= self._at else line)
        if self.marked():
            painter.translate(0, y - 8)
            painter.fillPath(self._triangles, theme.color("best"))
            painter.translate(0, 8 - y)
        painter.setFont(theme.piece_font(SIZE_NOTE))
        for step, text, rect in self.labelled():
            painter.setPen(theme.color("ink" if step == self._at else "ink3"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        if self._hover is not None and self._hover != self._at:
            painter.setPen(QPen(theme.color("ink2"), 1.5))
            painter.setBrush(theme.color("chrome"))
            painter.drawEllipse(QPointF(self.x_of(self._hover), y), 4, 4)
        painter.setPen(QPen(ink, 2.5))
        painter.setBrush(theme.color("canvas"))
        painter.drawEllipse(QPointF(here, y), 6.5, 6.5)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ink, 1))
            painter.drawEllipse(QPointF(here, y), 10, 10)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.sought.emit(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        step = self.step_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(step)
        if step != self._hover:
            self._hover = step
            own = len(self._labels) == self._length and step > 0
            label = self._labels[step - 1] if own else ""
            self.setToolTip(f"{step:,}  {label}".strip())
            self.update()

    def leaveEvent(self, event: object) -> None:
        self._hover = None
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = self._notches.add(event.angleDelta().y())
        if steps:
            self.sought.emit(min(max(self._at - steps, 0), self._length))


def _round_steps() -> Iterator[int]:
    every = 1
    while every < 10**9:
        yield every
        yield every * 2
        yield every * 5
        every *= 10
