"""The player bar: play, step, scrub, go to a step, loop and speed of the trace in front."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.player import SPEEDS, Player
from app.theme import SIZE_BODY, SIZE_DATA, Theme
from app.views.player_track import HEIGHT as TRACK_HEIGHT
from app.views.player_track import Track
from app.widgets import player_keys
from app.widgets.icon_button import IconButton
from app.widgets.integer_field import IntegerField

HEIGHT = 56
TITLE_WIDTH = 136


class PlayerBar(QWidget):
    """Shows one `Player` at a time; hidden while there is none.

    stacked: the track has a line of its own above the buttons, where a bar is narrow.
    """

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, stacked: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.player: Player | None = None
        self.setFixedHeight(HEIGHT + TRACK_HEIGHT - 8 if stacked else HEIGHT)
        self.setAccessibleName(self.tr("Player"))
        self.first = IconButton("first", self.tr("To the start (Home)"), theme, 18, "ink")
        self.back = IconButton("back", self.tr("Step back (←)"), theme, 18, "ink")
        self.play = _PlayButton(theme)
        self.next = IconButton("next", self.tr("Next step (→)"), theme, 18, "ink")
        self.last = IconButton("last", self.tr("To the end (End)"), theme, 18, "ink")
        self.title = _Title(theme)
        self.step_field = _StepField(self.tr("Number of the step to go to"))
        self.place = QStackedWidget()
        self.place.setFixedWidth(TITLE_WIDTH)
        self.place.addWidget(self.title)
        self.place.addWidget(self.step_field)
        self.track = Track(theme)
        self.mark_before = IconButton(
            "mark-before", self.tr("Step before that touches the selection (,)"), theme, 18, "ink"
        )
        self.next_mark = IconButton(
            "next-mark", self.tr("Next step that touches the selection (.)"), theme, 18, "ink"
        )
        self.marked_only = IconButton(
            "marked-only", self.tr("Play only steps that touch the selection (T)"), theme, 18, "ink"
        )
        self.loop = IconButton("loop", self.tr("Play in a loop (O)"), theme, 18, "ink")
        for button in (self.marked_only, self.loop):
            button.setCheckable(True)
        self.speed = QComboBox()
        self.speed.setAccessibleName(self.tr("Speed"))
        self.speed.setToolTip(self.tr("Speed (J slower, L faster)"))
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}×", speed)
        self.speed.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # A letter more than the longest text: the style cuts off fractions of pixels.
        longest = max(len(self.speed.itemText(at)) for at in range(self.speed.count()))
        self.speed.setMinimumContentsLength(longest + 1)
        self.speed.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._compose(stacked=stacked)
        self._wire()
        theme.changed.connect(self.update)
        self.set_player(None)

    def _compose(self, *, stacked: bool) -> None:
        row = QHBoxLayout()
        row.setSpacing(6)
        for button in (self.first, self.back, self.play, self.next, self.last):
            row.addWidget(button)
        row.addSpacing(8)
        row.addWidget(self.place)
        row.addSpacing(8)
        if stacked:
            row.addStretch(1)
        else:
            row.addWidget(self.track, 1)
            row.addSpacing(8)
        for button in (self.mark_before, self.next_mark, self.marked_only, self.loop):
            row.addWidget(button)
        row.addSpacing(4)
        row.addWidget(self.speed)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 1, 16, 0)
        column.setSpacing(0)
        if stacked:
            column.addWidget(self.track)
        column.addLayout(row, 1)

    def _wire(self) -> None:
        commands = (
            (self.first, "first"), (self.back, "back"), (self.play, "toggle"), (self.next, "next"),
            (self.last, "last"), (self.mark_before, "mark before"), (self.next_mark, "next mark"),
            (self.marked_only, "marked only"), (self.loop, "loop"),
        )  # fmt: skip
        for button, name in commands:
            button.clicked.connect(lambda _checked, name=name: self._do(player_keys.COMMANDS[name]))
        self.track.sought.connect(lambda at: self._do(lambda p: p.seek(at)))
        self.speed.activated.connect(
            lambda index: self._do(lambda p: p.set_speed(self.speed.itemData(index)))
        )
        self.title.pressed.connect(self.ask_step)
        self.step_field.given.connect(lambda at: self._do(lambda p: p.seek(at)))
        self.step_field.left.connect(self._show_title)

    def set_player(self, player: Player | None) -> None:
        """Show this player instead of the present one."""
        before = self.player
        if before is not None:
            for signal in _signals(before):
                signal.disconnect(self._show)
        self.player = player
        self.setVisible(player is not None)
        self._show_title()
        if player is not None:
            for signal in _signals(player):
                signal.connect(self._show)
            self._show()

    def ask_step(self) -> None:
        """Let a person type the number of a step to go to, in the place of the title."""
        player = self.player
        if player is None or not player.length:
            return
        self.step_field.set_high(player.length)
        self.step_field.set_value(player.position)
        self.place.setCurrentWidget(self.step_field)
        self.step_field.setFocus()
        self.step_field.selectAll()

    def _show_title(self) -> None:
        self.place.setCurrentWidget(self.title)

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
        self.mark_before.setEnabled(player.mark_before() is not None)
        self.next_mark.setEnabled(player.next_mark() is not None)
        self.marked_only.setEnabled(len(player.marks) > 0 or player.marked_only)
        self.marked_only.setChecked(player.marked_only)
        self.loop.setChecked(player.looping)
        if length == 0:
            heading = self.tr("No steps")
        elif at == 0:
            heading = self.tr("Start")
        else:
            heading = self.tr("Step {step:,}").format(step=at)
        words = self.tr("of {count:,} · {title}") if player.title else self.tr("of {count:,}")
        if not length:
            words = "{title}"
        self.title.set_text(heading, words.format(count=length, title=player.title))
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


def _signals(player: Player) -> tuple[SignalInstance, ...]:
    return (
        player.position_changed, player.length_changed, player.playing_changed,
        player.speed_changed, player.ways_changed,
    )  # fmt: skip


class _PlayButton(IconButton):
    """The main button: ink when it can be pressed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("play", "", theme, 18, "canvas")
        self._playing: bool | None = None
        self.setFixedSize(40, 34)
        self.set_playing(False)

    def set_playing(self, playing: bool) -> None:
        if playing is self._playing:
            return
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
        self.draw_icon(painter, self._token)


class _StepField(IntegerField):
    """A number that is typed and taken, or left with Esc.

    given: the number, on Return or when the focus goes elsewhere. left: there is nothing more to
    type.
    """

    given = Signal(int)
    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(0, 0, name)
        self.setMinimumWidth(0)
        self.setMaximumWidth(TITLE_WIDTH)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self.entered.connect(self.given)
        self.editingFinished.connect(self.left)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.setText(str(self.value()))
            self.left.emit()
            return
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class _Title(QWidget):
    """Two lines: the step, and of how many in what. A press asks for another step."""

    pressed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines = ("", "")
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    def set_text(self, first: str, second: str) -> None:
        if (first, second) == self._lines:
            return
        self._lines = (first, second)
        where = self.tr("{step} {of}").format(step=first, of=second).strip()
        self.setAccessibleName(where)
        tip = self.tr("{where}\nPress to type the number of a step (G)")
        self.setToolTip(tip.format(where=where))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        middle, wide = self.height() / 2, self.width()
        if self.underMouse():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.color("line2"), 1))
            box = QRectF(0.5, middle - 20, wide - 1, 40)
            painter.drawRoundedRect(box, 4, 4)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(SIZE_BODY, bold=True))
        painter.setPen(theme.color("ink"))
        alone = not self._lines[1]
        top = middle - 9 if alone else middle - 18
        painter.drawText(QRectF(4, top, wide - 8, 18), align, self._lines[0])
        font = theme.font(SIZE_DATA)
        elide = Qt.TextElideMode.ElideRight
        second = QFontMetricsF(font).elidedText(self._lines[1], elide, wide - 8)
        painter.setFont(font)
        painter.setPen(theme.color("ink2"))
        painter.drawText(QRectF(4, middle, wide - 8, 18), align, second)
