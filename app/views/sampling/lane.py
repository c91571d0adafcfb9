"""A lane of the Sampling workspace: one method, its lattice, and the node it is working on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import (
    QEasingCurve,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
)
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

from app.draw.coins import HEAD, Column, column_at, paint_column, row_height, rows_in_view
from app.draw.lane import LanePicture, LanePlaces, paint_lane
from app.draw.method_mark import paint_mark
from app.draw.viewport import GUTTER, MARGIN, STEP, Viewport
from app.player import Player
from app.theme import SIZE_BODY, SIZE_DATA, Theme
from app.views.sampling.methods import LOOKS, method_note, method_title
from app.views.sampling.parting import parting_sentence
from app.views.sampling.pass_words import edge_sentence, event_sentence
from app.widgets.wheel import NOTCH
from engine.trace import Arrival
from engine.traces.passes import PassTrace

TITLE, SIDE, FOOT = 44, 16, 30
MOVE = 320
"""Milliseconds of a needle's way."""

Keys = Callable[[QKeyEvent], bool]


class LaneView(QWidget):
    """One method over the text, at the player's position."""

    edge_clicked = Signal(int)

    def __init__(
        self,
        kind: str,
        player: Player,
        viewport: Viewport,
        theme: Theme,
        keys: Keys,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.kind = kind
        self._player, self._viewport, self._theme, self._keys = player, viewport, theme, keys
        self._trace: PassTrace | None = None
        self._places: LanePlaces | None = None
        self._beside: PassTrace | None = None
        self._k, self._chosen = 0, -1
        self._picture: LanePicture | None = None
        self._move = QVariantAnimation(self)
        self._move.setStartValue(0.0)
        self._move.setEndValue(1.0)
        self._move.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._move.valueChanged.connect(lambda _value: self.update())
        self.setMinimumHeight(176)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title, self.subtitle = method_title(kind), method_note(kind)
        self.setAccessibleName(self.title)
        viewport.changed.connect(self.update)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(700, 216)

    @property
    def trace(self) -> PassTrace | None:
        return self._trace

    @property
    def position(self) -> int:
        """State of the trace that is shown."""
        return self._k

    @property
    def column(self) -> Column | None:
        """The node at work and what has arrived there."""
        return self._column() if self._trace is not None else None

    @property
    def progress(self) -> float:
        """How far the needle has come, 0 … 1."""
        if self._move.state() == QVariantAnimation.State.Stopped:
            return 1.0
        value = self._move.currentValue()
        return float(value) if value is not None else 1.0

    def _column(self) -> Column:
        assert self._trace is not None
        return column_at(self._trace, self._k, self._beside)

    def set_trace(
        self,
        trace: PassTrace | None,
        places: LanePlaces | None,
        beside: PassTrace | None = None,
    ) -> None:
        """Show a trace; its position comes with `set_position`.

        beside: that of the lane whose coins have the same random numbers.
        """
        self._move.stop()
        self._trace, self._places, self._picture = trace, places, None
        self._beside = beside
        self._k, self._chosen = 0, -1
        self.update()

    def set_position(self, k: int) -> None:
        """Go to a state; a step forward moves the needle unless motion is reduced."""
        trace = self._trace
        if trace is None:
            return
        k = min(k, len(trace))
        forward = k == self._k + 1 and k <= trace.n_forward
        self._k, self._picture = k, None
        self._move.stop()
        if forward and not self._theme.reduced_motion and self.isVisible():
            event = trace.event(k - 1)
            if isinstance(event, Arrival) and not event.first:
                self._move.setDuration(min(MOVE, round(self._player.interval * 0.8)))
                self._move.start()
        self.setAccessibleDescription(self._sentence())
        self.update()

    @property
    def chosen(self) -> int:
        """The edge that is marked, −1 for none."""
        return self._chosen

    def choose(self, edge: int) -> None:
        """Mark an edge and say it; −1 for none."""
        trace = self._trace
        if edge == self._chosen or trace is None:
            return
        self._chosen, self._picture = edge, None
        said = edge_sentence(trace.lattice, edge) if edge >= 0 else self._sentence()
        self.setAccessibleDescription(said)
        self.update()

    def picture(self) -> LanePicture | None:
        """Return what is painted now."""
        if self._trace is None or self._places is None:
            return None
        if self._picture is None:
            self._picture = LanePicture(
                self._places, self._trace, self._viewport, self._theme, self._k, self._chosen
            )
        return self._picture

    def _sentence(self, mark: str = "") -> str:
        """Say what the last step did; where the lanes part, that."""
        trace, other, step = self._trace, self._beside, self._k - 1
        if trace is None:
            return ""
        within = 0 <= step < trace.n_forward
        if other is not None and within and trace.taken[step] != other.taken[step]:
            return parting_sentence(trace, other, step, mark)
        return event_sentence(trace, self._k, mark)

    # Layout

    @property
    def lattice_rect(self) -> QRectF:
        wide = min(max(self.width() * 0.4, 240.0), 520.0)
        return QRectF(0, TITLE, wide, self.height() - TITLE - 4)

    @property
    def column_rect(self) -> QRectF:
        left = self.lattice_rect.right() + 24
        return QRectF(left, 10, self.width() - left - SIDE, self.height() - 10 - FOOT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._viewport.set_width(self.lattice_rect.width())

    def _restyle(self) -> None:
        self._picture = None
        self.update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.color("line"))
        look = LOOKS[self.kind]
        color = theme.identity(look.identity)
        paint_mark(painter, look.shape, QPointF(SIDE + 6, 18), 5.0, color, theme.color("canvas"))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        wide = self.lattice_rect.width() - SIDE - 24
        self._write(painter, QRectF(SIDE + 20, 8, wide, 20), self.title, bold=True)
        painter.setPen(theme.color("ink2"))
        self._write(painter, QRectF(SIDE + 20, 26, wide, 18), self.subtitle, bold=False)
        picture, trace = self.picture(), self._trace
        if picture is None or trace is None:
            painter.setPen(theme.color("ink3"))
            painter.drawText(self.lattice_rect.adjusted(SIDE, 0, 0, 0), left, "…")
            return
        paint_lane(painter, self.lattice_rect, picture)
        self._paint_window(painter)
        painter.save()
        column = self._column()
        paint_column(painter, self.column_rect, trace, column, theme, self.progress)
        painter.restore()
        foot = QRectF(self.column_rect.left(), self.height() - FOOT, self.column_rect.width(), 22)
        self._write_sentence(painter, foot, self._sentence("\x01"))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -1.5))

    def _write(self, painter: QPainter, rect: QRectF, text: str, *, bold: bool) -> None:
        font = self._theme.font(SIZE_BODY if bold else SIZE_DATA, bold=bold)
        painter.setFont(font)
        painter.setPen(self._theme.color("ink" if bold else "ink2"))
        text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _write_sentence(self, painter: QPainter, rect: QRectF, text: str) -> None:
        """Write a sentence in which what stands between marks is in the font of pieces."""
        x = rect.left()
        plain, piece = self._theme.font(SIZE_BODY), self._theme.piece_font(SIZE_BODY, bold=True)
        painter.setPen(self._theme.color("ink"))
        for i, part in enumerate(text.split("\x01")):
            font = piece if i % 2 else plain
            metrics = QFontMetricsF(font)
            shown = metrics.elidedText(part, Qt.TextElideMode.ElideRight, rect.right() - x)
            painter.setFont(font)
            line = QRectF(x, rect.top(), rect.right() - x + 1, rect.height())
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)
            x += metrics.horizontalAdvance(part)
            if x >= rect.right():
                return

    def _paint_window(self, painter: QPainter) -> None:
        """Show which part of a longer text is in view."""
        viewport, axis = self._viewport, self._viewport.axis
        if axis is None or not viewport.overflows or not axis.width:
            return
        rect = self.lattice_rect
        track = QRectF(rect.left() + SIDE, rect.bottom() - 1, rect.width() - 2 * SIDE, 3)
        painter.fillRect(track, self._theme.color("hair"))
        first, last = (min(max(x / axis.width, 0.0), 1.0) for x in viewport.visible)
        painter.fillRect(
            QRectF(
                track.left() + first * track.width(), track.top(), (last - first) * track.width(), 3
            ),
            self._theme.color("line2"),
        )

    # Mouse and keys

    def edge_at(self, place: QPointF) -> int:
        """Return the edge whose arc is nearest to a place, −1 for none in reach."""
        picture = self.picture()
        if picture is None or not self.lattice_rect.contains(place):
            return -1
        rect = self.lattice_rect
        return nearest_edge(picture, rect, place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._trace is None:
            return
        edge = self.edge_at(event.position())
        if edge >= 0:
            self.edge_clicked.emit(edge)
            return
        column, rect = self._column(), self.column_rect
        y = event.position().y() - rect.top() - HEAD
        if rect.contains(event.position()) and y >= 0:
            shown = rows_in_view(rect, column)
            place = int(y // row_height(rect, len(column.rows)))
            if place < len(shown):
                self._player.seek(column.rows[shown[place]].arrival.step + 1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            pixel = event.position().x() + GUTTER
            self._viewport.zoom_by(STEP ** (delta.y() / NOTCH), pixel)
        elif self._viewport.overflows:
            self._viewport.pan(-(delta.x() or delta.y()) / 2)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if self._keys(event):
            return
        if by is None or self._places is None or not self._places.lattice.n_edges:
            super().keyPressEvent(event)
            return
        edge = next_edge(self._places, self._viewport, self._chosen, by)
        left, right = (float(ends[edge]) for ends in self._places.reach)
        self._viewport.reveal(max(left - 12, 0.0), right + 12)
        self.edge_clicked.emit(edge)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()


def next_edge(places: LanePlaces, viewport: Viewport, edge: int, by: int) -> int:
    """Return the edge after or before another one in reading order, short ones first.

    edge: −1 for the first one that begins in view. At both ends it stays.
    """
    lattice = places.lattice
    order = np.lexsort((lattice.end, lattice.start))
    if edge < 0:
        left, right = viewport.visible
        at = places.x0[order]
        return int(order[np.argmax((at >= left - GUTTER) & (at <= right))])
    place = int(np.flatnonzero(order == edge)[0]) + by
    return int(order[min(max(place, 0), len(order) - 1)])


def nearest_edge(picture: LanePicture, rect: QRectF, place: QPointF, reach: float = 7.0) -> int:
    """Return the edge whose arc passes nearest to a place, −1 if none is in reach."""
    shown, heights, base = picture.shapes(rect)
    if not len(shown):
        return -1
    viewport, places = picture.viewport, picture.places
    shift = rect.left() - GUTTER
    x0 = viewport.to_screen(places.x0[shown]) + shift
    x1 = viewport.to_screen(places.x1[shown]) + shift
    t = np.linspace(0, 1, 49)
    along, up = 3 * t**2 - 2 * t**3, 4 * t * (1 - t)
    px = x0[:, None] + (x1 - x0)[:, None] * along
    py = base - heights[:, None] * up
    away = np.hypot(px - place.x(), py - place.y()).min(axis=1)
    nearest = int(np.argmin(away))
    return int(shown[nearest]) if away[nearest] <= reach + MARGIN / 12 else -1
