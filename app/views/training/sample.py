"""A sample text under the first merges of a run, as bricks that are watched while they merge."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import (
    QEasingCurve,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.draw.sample_bricks import (
    ROW,
    Brick,
    SampleGrid,
    SamplePicture,
    label_of,
    paint_sample,
    place_words,
)
from app.player import Player
from app.recording import Recording
from app.theme import SIZE_BODY, Theme
from app.widgets import player_keys
from engine.train.replay import MISSING, Part, Replay, Span
from engine.train.round_cuts import RoundCuts
from engine.train.units import Units

SIDE, TOP = 16, 4
MOVE = 320
"""Milliseconds of a move of two bricks."""

READ = 40
"""Pieces that a screen reader is told at most."""


class SampleBricks(QAbstractScrollArea):
    """The bricks of the sample at the player's position; a brick can be selected."""

    selected = Signal()
    """Another brick, or none, is selected."""

    def __init__(self, player: Player, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player, self._theme = player, theme
        self._recording: Recording | None = None
        self._message = ""
        self._units: Units | None = None
        self._states: Replay | RoundCuts | None = None
        self._symbols: list[bytes] = []
        self._grid: SampleGrid | None = None
        self._done = 0
        self._span: Span | None = None
        self._move = QVariantAnimation(self)
        self._move.setStartValue(0.0)
        self._move.setEndValue(1.0)
        self._move.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._move.valueChanged.connect(lambda _value: self._repaint_move())
        self._move.finished.connect(self._repaint_move)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Sample text at this step"))
        self.setFixedHeight(round(2 * ROW + 2 * TOP))
        self.verticalScrollBar().setSingleStep(round(ROW / 2))
        theme.changed.connect(self._layout)

    def sizeHint(self) -> QSize:
        return QSize(600, self.height())

    # What is shown

    def set_sample(self, recording: Recording | None, units: Units | None) -> None:
        """Show a text, as `Recording.cut` cuts it, under the merges of a recording; or nothing."""
        self._clear()
        self._recording = recording
        if recording is not None and units is not None and recording.base:
            self._units, self._symbols = units, recording.symbols
            self._states = recording.replay(units)
        self._layout()

    def set_cuts(self, cuts: RoundCuts) -> None:
        """Show a text after each round of a run; the selected brick stays if it can."""
        before, span = self._units, self._span
        self._clear()
        self._units, self._states, self._symbols = cuts.units, cuts, cuts.symbols
        if before is not None and before.base == cuts.units.base:
            self._span = span
        self._layout()

    def set_message(self, message: str) -> None:
        """Show a sentence in the place of bricks."""
        self._clear()
        self._message = message
        self._layout()

    def _clear(self) -> None:
        self._move.stop()
        self._recording = self._units = self._states = self._span = None
        self._message = ""

    def grow(self) -> None:
        """Take in the merges that the recording has got since."""
        if self._recording is not None and isinstance(self._states, Replay):
            self._states.extend(self._recording.pairs.find, len(self._recording.base))

    @property
    def replay(self) -> Replay | RoundCuts | None:
        """What the run does to the words of the sample."""
        return self._states

    @property
    def span(self) -> Span | None:
        """The base symbols that the selected brick was made of."""
        return self._span

    @property
    def n_tokens(self) -> int:
        """Symbols of the sample at the player's position."""
        replay = self._states
        if replay is None:
            return 0
        return sum(len(replay.state(word, self._done)) for word in range(len(replay)))

    def pieces(self) -> list[str]:
        """Return the symbols at the player's position, as they are written in the bricks."""
        picture = self.picture
        return [picture.label(b.word, b.part)[0] for b in picture.bricks()] if picture else []

    def go_to(self, done: int) -> None:
        """Show the sample after so many merges; the next one that joins something is a move."""
        before, self._done = self._done, done
        replay = self._states
        if replay is None:
            return
        self._move.stop()
        steps = replay.touching()
        low, high = sorted((before, done))
        passed = int(((steps > low) & (steps <= high)).sum())
        if passed or replay.made(before) or replay.made(done):
            if passed == 1 and before < done and replay.made(done):
                self._begin_move()
            if replay.made(done):
                self._reveal(replay.made(done)[0])
            self._describe()
            spans = (*replay.made(before), *replay.made(done))
            if passed > 1 or not spans:
                self.viewport().update()
            else:
                self._repaint(spans)

    def _begin_move(self) -> None:
        if not self._theme.reduced_motion and self.isVisible():
            self._move.setDuration(min(MOVE, round(self._player.interval * 0.8)))
            self._move.start()

    @property
    def progress(self) -> float:
        """How far the move of the last merge has come, 0 … 1."""
        if self._move.state() == QVariantAnimation.State.Stopped:
            return 1.0
        value = self._move.currentValue()
        return float(value) if value is not None else 1.0

    def _repaint_move(self) -> None:
        """Have those bricks painted anew that move."""
        if self._states is not None:
            self._repaint(self._states.made(self._done))

    def _repaint(self, spans: Iterable[Span]) -> None:
        for span in spans if self._grid is not None else ():
            assert self._grid is not None
            for rect in self._grid.rects(*span):
                place = rect.translated(self._origin()).adjusted(-6, -6, 6, 6)
                self.viewport().update(place.toAlignedRect())

    @property
    def picture(self) -> SamplePicture | None:
        """What is painted now."""
        if self._states is None or self._grid is None:
            return None
        return SamplePicture(
            self._states, self._grid, self._label, self._theme, self._done, self.progress,
            self._selected_now(),
        )  # fmt: skip

    def _label(self, word: int, part: Part) -> tuple[str, bool]:
        assert self._units is not None
        if part.symbol == MISSING:
            units, at = self._units, int(self._units.offsets[word])
            own = units.symbols[at + part.first : at + part.last + 1].tolist()
            return "?" + label_of(b"".join(units.base[i] for i in own))[0], False
        return label_of(self._symbols[part.symbol])

    def _selected_now(self) -> Span | None:
        """Return the brick that the selected base symbols are in now."""
        span, replay = self._span, self._states
        if span is None or replay is None:
            return None
        for part in replay.state(span.word, self._done):
            if part.first <= span.first <= part.last:
                return Span(span.word, part.first, part.last)
        return None

    def _describe(self) -> None:
        if self._message:
            self.setAccessibleDescription(self._message)
            return
        pieces = self.pieces()
        more = "…" if len(pieces) > READ else ""
        self.setAccessibleDescription(" | ".join(pieces[:READ]) + more)

    # Layout

    def _layout(self) -> None:
        room = self.viewport().width() - 2 * SIDE
        self._grid = None
        if self._units is not None:
            self._grid = place_words(self._units, max(room, 40), self._theme)
        high = 0 if self._grid is None else self._grid.height + 2 * TOP
        self.verticalScrollBar().setRange(0, max(round(high - self.viewport().height()), 0))
        self.verticalScrollBar().setPageStep(self.viewport().height())
        self._describe()
        self.viewport().update()

    def _paint_message(self, painter: QPainter) -> None:
        painter.setPen(self._theme.color("ink2"))
        painter.setFont(self._theme.font(SIZE_BODY))
        room = QRectF(self.viewport().rect()).adjusted(SIDE, TOP, -SIDE, -TOP)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        painter.drawText(room, flags | Qt.TextFlag.TextWordWrap, self._message)

    def _reveal(self, span: Span) -> None:
        """Scroll so that a brick is in view."""
        if self._grid is None:
            return
        rect, bar = self._grid.rects(*span)[0], self.verticalScrollBar()
        if rect.top() < bar.value():
            bar.setValue(round(rect.top() - TOP))
        elif rect.bottom() + TOP > bar.value() + self.viewport().height():
            bar.setValue(round(rect.bottom() + 2 * TOP - self.viewport().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), theme.color("canvas"))
        picture = self.picture
        if self._message:
            self._paint_message(painter)
        elif picture is not None:
            painter.save()
            painter.translate(self._origin())
            # The old and the new brick may stand far apart, with bricks between that stay.
            region: Iterable[QRect] = event.region()  # type: ignore[assignment]
            seen = [QRectF(part).translated(-self._origin()) for part in region]
            paint_sample(painter, picture, seen)
            painter.restore()
        if self.hasFocus():
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _origin(self) -> QPointF:
        return QPointF(SIDE, TOP - self.verticalScrollBar().value())

    # Choosing

    def brick_at(self, place: QPointF) -> Brick | None:
        """Return the brick at a place of the view."""
        picture, spot = self.picture, place - self._origin()
        if picture is None:
            return None
        for brick in picture.bricks():
            if any(rect.contains(spot) for rect in brick.rects):
                return brick
        return None

    def select(self, span: Span | None) -> None:
        """Select what some base symbols of a word belong to, or nothing."""
        self._span = span
        if span is not None:
            self._reveal(span)
        self.viewport().update()
        self.selected.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        brick = self.brick_at(event.position())
        span = None if brick is None else _span_of(brick)
        self.select(None if span == self._selected_now() else span)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._choose_next(1 if event.key() == Qt.Key.Key_Down else -1)
        elif not player_keys.press(self._player, event):
            event.ignore()

    def _choose_next(self, by: int) -> None:
        picture, now = self.picture, self._selected_now()
        spans = [_span_of(brick) for brick in picture.bricks()] if picture else []
        if spans:
            at = spans.index(now) + by if now in spans else (0 if by > 0 else len(spans) - 1)
            self.select(spans[min(max(at, 0), len(spans) - 1)])

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()


def _span_of(brick: Brick) -> Span:
    return Span(brick.word, brick.part.first, brick.part.last)
