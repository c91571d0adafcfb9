"""The player bar: play, step, scrub and speed of the trace in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from app.player import SPEEDS, Player
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme
from app.widgets.icon_button import IconButton

HEIGHT = 56


class PlayerBar(QWidget):
    """Shows one `Player` at a time; hidden while there is none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.player: Player | None = None
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(self.tr("Player"))
        self.first = IconButton("first", self.tr("To the start (Home)"), theme, 18, "ink")
        self.back = IconButton("back", self.tr("Step back (←)"), theme, 18, "ink")
        self.play = _PlayButton(theme)
        self.next = IconButton("next", self.tr("Next step (→)"), theme, 18, "ink")
        self.last = IconButton("last", self.tr("To the end (End)"), theme, 18, "ink")
        self.title = _Title(theme)
        self.track = Track(theme)
        self.speed = QComboBox()
        self.speed.setAccessibleName(self.tr("Speed"))
        self.speed.setToolTip(self.tr("Speed (J slower, L faster)"))
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}×", speed)
        self.speed.setFixedWidth(76)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 1, 16, 0)
        row.setSpacing(6)
        for button in (self.first, self.back, self.play, self.next, self.last):
            row.addWidget(button)
        row.addSpacing(8)
        row.addWidget(self.title)
        row.addSpacing(8)
        row.addWidget(self.track, 1)
        row.addSpacing(16)
        row.addWidget(self.speed)
        self.first.clicked.connect(lambda: self._do(lambda p: p.seek(0)))
        self.back.clicked.connect(lambda: self._do(lambda p: p.step(-1)))
        self.play.clicked.connect(lambda: self._do(lambda p: p.toggle()))
        self.next.clicked.connect(lambda: self._do(lambda p: p.step(1)))
        self.last.clicked.connect(lambda: self._do(lambda p: p.seek(p.length)))
        self.track.sought.connect(lambda at: self._do(lambda p: p.seek(at)))
        self.speed.activated.connect(
            lambda index: self._do(lambda p: p.set_speed(self.speed.itemData(index)))
        )
        theme.changed.connect(self.update)
        self.set_player(None)

    def set_player(self, player: Player | None) -> None:
        """Show this player instead of the present one."""
        before = self.player
        if before is not None:
            before.position_changed.disconnect(self._show)
            before.length_changed.disconnect(self._show)
            before.playing_changed.disconnect(self._show)
            before.speed_changed.disconnect(self._show)
        self.player = player
        self.setVisible(player is not None)
        if player is not None:
            player.position_changed.connect(self._show)
            player.length_changed.connect(self._show)
            player.playing_changed.connect(self._show)
            player.speed_changed.connect(self._show)
            self._show()

    def _do(self, call: Callable[[Player], object]) -> None:
        if self.player is not None:
            call(self.player)

    def _show(self, _value: object = None) -> None:
        player = self.player
        if player is None:
            return
        at, length = player.position, player.length
        for button in (self.first, self.back):
            button.setEnabled(at > 0)
        for button in (self.next, self.last):
            button.setEnabled(at < length)
        self.play.setEnabled(length > 0)
        self.play.set_playing(player.playing)
        if length == 0:
            heading = self.tr("No steps")
        elif at == 0:
            heading = self.tr("Start")
        else:
            heading = self.tr("Step {step:,}").format(step=at)
        count = self.tr("of {count:,}").format(count=length) if length else ""
        self.title.set_text(heading, " · ".join(part for part in (count, player.title) if part))
        self.track.show_player(player)
        index = self.speed.findData(player.speed)
        if index >= 0:
            self.speed.setCurrentIndex(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Space on a button presses it; elsewhere in the bar the window plays and pauses.
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("chrome"))
        painter.fillRect(0, 0, self.width(), 1, self._theme.color("line"))


class _PlayButton(IconButton):
    """The main button: ink when it can be pressed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("play", "", theme, 18, "canvas")
        self._playing = False
        self.setFixedSize(40, 34)
        self.set_playing(False)

    def set_playing(self, playing: bool) -> None:
        self._playing = playing
        self.set_icon("pause" if playing else "play")
        self.set_words(self.tr("Pause (Space)") if playing else self.tr("Play (Space)"))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        fill = "line" if not self.isEnabled() else "ink2" if self.underMouse() else "ink"
        painter.setBrush(theme.color(fill))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(rect, 4, 4)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("canvas"), 1))
            painter.drawRoundedRect(rect.adjusted(3, 3, -3, -3), 2, 2)
        size = self.iconSize()
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(rect.center())
        self.icon().paint(painter, place.toRect())


class _Title(QWidget):
    """Two lines: the step, and of how many in what."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines = ("", "")
        self.setFixedWidth(136)
        theme.changed.connect(self.update)

    def set_text(self, first: str, second: str) -> None:
        self._lines = (first, second)
        self.setAccessibleName(f"{first} {second}")
        self.setToolTip(second)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        middle, wide = self.height() / 2, self.width()
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(SIZE_BODY, bold=True))
        painter.setPen(theme.color("ink"))
        painter.drawText(QRectF(0, middle - 18, wide, 18), align, self._lines[0])
        font = theme.font(SIZE_DATA)
        elide = Qt.TextElideMode.ElideRight
        second = QFontMetricsF(font).elidedText(self._lines[1], elide, wide)
        painter.setFont(font)
        painter.setPen(theme.color("ink2"))
        painter.drawText(QRectF(0, middle, wide, 18), align, second)


class Track(QWidget):
    """The trace as a line with a playhead; steps have ticks where they are apart enough."""

    sought = Signal(int)

    MARGIN = 10
    TICK_ROOM = 7
    """Pixels between ticks below which only round steps have one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._length, self._at = 0, 0
        self._labels: tuple[str, ...] = ()
        self._hover: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT - 2)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT - 2)

    def show_player(self, player: Player) -> None:
        self._length, self._at, self._labels = player.length, player.position, player.labels
        name = self.tr("Position {step:,} of {count:,}")
        self.setAccessibleName(name.format(step=self._at, count=self._length))
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

    def labelled(self) -> list[tuple[int, str, QRectF]]:
        """Return the ticks that have a label, with its text and place; labels don't touch."""
        metrics = QFontMetricsF(self._theme.piece_font(SIZE_NOTE))
        own = len(self._labels) == self._length
        ticks = self.ticks()
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
            apart = rect.adjusted(-8, 0, 8, 0)
            if not any(apart.intersects(other) for _, _, other in placed):
                placed.append((step, text, rect))
        return placed

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
        steps = event.angleDelta().y() // 120
        if steps:
            self.sought.emit(min(max(self._at - steps, 0), self._length))


def _round_steps() -> Iterator[int]:
    every = 1
    while every < 10**9:
        yield every
        yield every * 2
        yield every * 5
        every *= 10
