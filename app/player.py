"""The player of a trace: play, pause, step, seek, speed, loop, and steps that touch a selection.

It holds an integer position 0 … length (a trace of n steps has n + 1 states) and the positions that
are marked, and nothing of what happens there. A timer only goes to the next position; animation
between two positions is the views' matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

BASE_INTERVAL = 700
"""Milliseconds a step lasts at speed 1."""

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


class Player(QObject):
    """Position in a trace. `labels` (may be empty) name the steps for the track.

    A position is marked where the step that leads to it touches what is selected.
    """

    position_changed = Signal(int)
    length_changed = Signal(int)
    playing_changed = Signal(bool)
    speed_changed = Signal(float)
    ways_changed = Signal()
    """Whether it loops, whether it plays only marked positions, or which these are."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._position = 0
        self._length = 0
        self._speed = 1.0
        self._resume: int | None = None
        self._looping = self._marked_only = False
        self._mark(())
        self.title = ""
        self.labels: tuple[str, ...] = ()
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer)
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
    def looping(self) -> bool:
        """Whether it plays on from the start when it is at the end."""
        return self._looping

    @property
    def marked_only(self) -> bool:
        """Whether it plays only the marked positions, as long as there are any."""
        return self._marked_only

    @property
    def marks(self) -> NDArray[np.int64]:
        """The marked positions, rising: int64[m]."""
        return self._marks

    @property
    def interval(self) -> int:
        """Milliseconds from one step to the next at the present speed."""
        return max(16, round(BASE_INTERVAL / self._speed))

    def set_trace(
        self, length: int, position: int = 0, title: str = "", labels: tuple[str, ...] = ()
    ) -> None:
        """Begin a new trace of `length` steps at `position`, paused."""
        self.pause()
        self._mark(())
        if length and self._resume is not None:
            position, self._resume = self._resume, None
        self._length, self.title, self.labels = length, title, labels
        self._position = min(max(position, 0), length)
        self.length_changed.emit(length)
        self.position_changed.emit(self._position)

    def grow(self, length: int) -> None:
        """Take the trace to be longer than it was: it is still being recorded."""
        if length > self._length:
            self._length = length
            self.length_changed.emit(length)

    def set_marks(self, positions: ArrayLike) -> None:
        """Mark other positions: rising, of 1 … length."""
        self._mark(positions)
        self.ways_changed.emit()

    def _mark(self, positions: ArrayLike) -> None:
        import numpy as np  # by whoever makes a player, not by the first window

        self._marks: NDArray[np.int64] = np.asarray(positions, dtype=np.int64)

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

    def next_mark(self) -> int | None:
        """Return the first marked position after this one, None where there is none."""
        place = int(self._marks.searchsorted(self._position, side="right"))
        return int(self._marks[place]) if place < len(self._marks) else None

    def mark_before(self) -> int | None:
        """Return the last marked position before this one, None where there is none."""
        place = int(self._marks.searchsorted(self._position))
        return int(self._marks[place - 1]) if place else None

    def to_mark(self, way: int) -> None:
        """Go to the next marked position, or to the one before where `way` is negative."""
        target = self.next_mark() if way > 0 else self.mark_before()
        if target is not None:
            self.seek(target)

    def set_looping(self, on: bool) -> None:
        """Play on from the start at the end, or stop there."""
        self._looping = on
        self.ways_changed.emit()

    def set_marked_only(self, on: bool) -> None:
        """Play only the marked positions, or all."""
        self._marked_only = on
        self.ways_changed.emit()

    def play(self) -> None:
        """Play from here, from the start when at the end."""
        if self.playing or not self._length:
            return
        if self._ahead() is None:
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

    def _ahead(self) -> int | None:
        """Return the position to play next, None where there is none."""
        if self._marked_only and len(self._marks):
            return self.next_mark()
        return self._position + 1 if self._position < self._length else None

    def _tick(self) -> None:
        ahead = self._ahead()
        if ahead is not None:
            self.seek(ahead)
        elif self._looping:
            self.seek(0)
        if self._ahead() is None and not self._looping:
            self.pause()
