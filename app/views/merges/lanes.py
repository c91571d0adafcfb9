"""The picture of a word under several rules: lanes that scroll, painted as far as they are seen."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.draw.bidi import base_direction
from app.draw.merge_lanes import (
    DIFFERENT,
    LANE,
    LaneGrid,
    LaneRow,
    paint_lane,
    paint_name,
    place_lanes,
)
from app.theme import SIZE_DATA, Theme
from app.views.merges.bricks import GUTTER

TOLD = 40
"""Tokens of a lane that are read out; of more of them the first ones."""


class LanesView(QAbstractScrollArea):
    """Lanes under one another; ↑ ↓ and a click choose one, ← → scroll."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lanes: tuple[LaneRow, ...] = ()
        self._note = ""
        self._grid: LaneGrid | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("The word under each rule of merging"))
        theme.changed.connect(self._fit)

    @property
    def lanes(self) -> tuple[LaneRow, ...]:
        """The lanes on show."""
        return self._lanes

    @property
    def grid(self) -> LaneGrid | None:
        """Where tokens and merges stand."""
        return self._grid

    def set_lanes(self, lanes: tuple[LaneRow, ...], note: str = "") -> None:
        """Show other lanes, or say why there are none."""
        before, self._lanes, self._note = self._lanes, lanes, note
        self.setAccessibleDescription("\n".join(self._said(lane) for lane in lanes) or note)
        self._fit()
        if not lanes:
            return
        old, new = (before or lanes)[0].word, lanes[0].word
        if not before or (old.trace.prepared, old.pretoken) != (new.trace.prepared, new.pretoken):
            across = self.horizontalScrollBar()
            across.setValue(across.maximum() if self._grid and self._grid.mirrored else 0)
        self._reveal()

    def _said(self, lane: LaneRow) -> str:
        pieces = " | ".join(
            f"{DIFFERENT} {text}" if new else text for text, new in lane.pieces(TOLD)
        )
        left = len(lane.tokens) - TOLD
        if left > 0:
            return self.tr("{name}: {pieces} and {n} more, {different} of them {sign}").format(
                name=lane.name,
                pieces=pieces,
                n=f"{left:,}",
                different=f"{int(lane.tokens[TOLD:].sum()):,}",
                sign=DIFFERENT,
            )
        return self.tr("{name}: {pieces}").format(name=lane.name, pieces=pieces)

    def _fit(self) -> None:
        """Lay the lanes out."""
        self._grid = None
        if self._lanes:
            word = self._lanes[0].word
            data = word.trace.prepared.data[slice(*word.span)].tobytes()
            mirrored = base_direction(data.decode("utf-8", errors="ignore")) == 1
            self._grid = place_lanes(self._lanes, self._theme, mirrored=mirrored)
        self._scroll()

    def _scroll(self) -> None:
        """Let scroll what has no room."""
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        room, page = self.viewport().width() - GUTTER, self.viewport().height()
        wide = 0.0
        if self._grid is not None:
            self._grid = replace(self._grid, room=room)
            wide = self._grid.width
        across.setRange(0, max(0, round(wide - room)))
        across.setPageStep(max(room, 1))
        across.setSingleStep(40)
        down.setRange(0, max(0, round(LANE * len(self._lanes) - page)))
        down.setPageStep(max(page, 1))
        down.setSingleStep(round(LANE / 2))
        self.viewport().update()

    def _reveal(self) -> None:
        """Bring the lane that the rows show into view."""
        number = next((i for i, lane in enumerate(self._lanes) if lane.shown), 0)
        down, page = self.verticalScrollBar(), self.viewport().height()
        top = round(number * LANE)
        if top < down.value() or page < LANE:
            down.setValue(top)
        elif top + LANE > down.value() + page:
            down.setValue(round(top + LANE - page))

    def sizeHint(self) -> QSize:
        return QSize(600, round(LANE * max(len(self._lanes), 2)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._scroll()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = self.viewport().rect()
        painter.fillRect(rect, theme.color("canvas"))
        if self._grid is None:
            painter.setFont(theme.font(SIZE_DATA))
            painter.setPen(theme.color("ink2"))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._note)
            return
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        view = float(across), float(across + rect.width() - GUTTER)
        painter.save()
        painter.setClipRect(GUTTER, 0, rect.width() - GUTTER, rect.height())
        painter.translate(GUTTER - across, -down)
        for i, places in enumerate(self._grid.lanes):
            paint_lane(painter, self._grid, places, theme, i * LANE, view)
        painter.restore()
        for i, lane in enumerate(self._lanes):
            paint_name(painter, lane, theme, i * LANE - down, GUTTER)
        if self.hasFocus():
            painter.setPen(theme.color("line2"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = int((event.position().y() + self.verticalScrollBar().value()) // LANE)
        if event.button() == Qt.MouseButton.LeftButton and 0 <= at < len(self._lanes):
            self.chosen.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None or not self._lanes:
            super().keyPressEvent(event)
            return
        here = next((i for i, lane in enumerate(self._lanes) if lane.shown), 0)
        self.chosen.emit(min(max(here + by, 0), len(self._lanes) - 1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()
