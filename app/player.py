"""The player of a trace: play, pause, step, seek, speed.

It holds an integer position 0 … length (a trace of n steps has n + 1 states) and nothing else. A
timer only calls `step`; animation between two positions is the views' matter.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

BASE_INTERVAL = 700
"""Milliseconds a step lasts at speed 1."""

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class Player(QObject):
    """Position in a trace. `labels` (may be empty) name the steps for the track."""

    position_changed = Signal(int)
    length_changed = Signal(int)
    playing_changed = Signal(bool)
    speed_changed = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._position = 0
        self._length = 0
        self._speed = 1.0
        self._resume: int | None = None
        self.title = ""
        self.labels: tuple[str, ...] = ()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    @property
    def position(self) -> int:
        return self._position

    @property
    def length(self) -> int:
        return self._length

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    @property
    def speed(self) -> float:
        return self._speed

    @property
    def interval(self) -> int:
        """Milliseconds from one step to the next at the present speed."""
        return max(16, round(BASE_INTERVAL / self._speed))

    def set_trace(
        self, length: int, position: int = 0, title: str = "", labels: tuple[str, ...] = ()
    ) -> None:
        """Begin a new trace of `length` steps at `position`, paused."""
        self.pause()
        if length and self._resume is not None:
            position, self._resume = self._resume, None
        self._length, self.title, self.labels = length, title, labels
        self._position = min(max(position, 0), length)
        self.length_changed.emit(length)
        self.position_changed.emit(self._position)

    def resume_at(self, position: int) -> None:
        """Let the next trace begin at this position: it is still being computed."""
        self._resume = position

    def seek(self, position: int) -> None:
        """Go to a position, clamped to the trace."""
        self._resume = None
        position = min(max(position, 0), self._length)
        if position != self._position:
            self._position = position
            self.position_changed.emit(position)

    def step(self, steps: int = 1) -> None:
        """Go `steps` forward, or back when negative."""
        self.seek(self._position + steps)

    def play(self) -> None:
        """Play from here, from the start when at the end."""
        if self.playing or not self._length:
            return
        if self._position >= self._length:
            self.seek(0)
        self._timer.start(self.interval)
        self.playing_changed.emit(True)

    def pause(self) -> None:
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        if self.playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        self._speed = speed
        if self.playing:
            self._timer.setInterval(self.interval)
        self.speed_changed.emit(speed)

    def _tick(self) -> None:
        self.step()
        if self._position >= self._length:
            self.pause()
