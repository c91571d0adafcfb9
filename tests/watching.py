"""A look at the event loop: how long the GUI thread was away from it, and what it did there."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from operator import attrgetter, itemgetter

from PySide6.QtCore import QObject, Qt, QTimer

TICK = 5
"""Milliseconds between two looks."""

NOTICED = 0.02
"""Seconds without a tick after which is noted what the GUI thread does."""

DEPTH = 3
"""Functions that are noted, the innermost first."""


@dataclass(frozen=True)
class Stall:
    """A gap between two ticks: seconds by the clock and of the GUI thread's CPU, and where.

    A gap with little CPU is somebody else's: another thread that holds Python's lock, or a machine
    that is busy. where: functions of the GUI thread, the innermost first.
    """

    wall: float
    cpu: float
    where: tuple[str, ...]


class LoopWatch(QObject):
    """Notes the gaps between the ticks of a timer in this thread, from `start` until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stalls: list[Stall] = []
        self._timer = QTimer(self, interval=TICK, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._wall = self._cpu = 0.0
        self._where: tuple[str, ...] = ()
        self._over = threading.Event()
        self._looker: threading.Thread | None = None
        self._thread = threading.get_ident()

    def start(self) -> None:
        """Begin to watch."""
        self.stalls.clear()
        self._over.clear()
        self._wall, self._cpu = time.monotonic(), time.thread_time()
        self._looker = threading.Thread(target=self._look, name="loop-watch", daemon=True)
        self._looker.start()
        self._timer.start()

    def stop(self) -> list[Stall]:
        """Stop watching and return the stalls, the one of most CPU first."""
        self._tick()
        self._timer.stop()
        self._over.set()
        if self._looker is not None:
            self._looker.join()
        return sorted(self.stalls, key=lambda stall: stall.cpu, reverse=True)

    def _tick(self) -> None:
        wall, cpu = time.monotonic(), time.thread_time()
        gap, spent = wall - self._wall, cpu - self._cpu
        if gap > NOTICED:
            self.stalls.append(Stall(gap, spent, self._where))
        self._wall, self._cpu, self._where = wall, cpu, ()

    def _look(self) -> None:
        back = ("f_back." * level for level in range(DEPTH))
        parts = ("f_code.co_filename", "f_lineno", "f_code.co_name")
        names = [level + part for level in back for part in parts]
        # One call into C from frame to names: a frame that was held while the GUI thread goes on
        # would keep a painter alive beyond its paint event.
        frames = map(itemgetter(self._thread), iter(sys._current_frames, None))
        stacks = map(attrgetter(*names), frames)
        while not self._over.wait(TICK / 1000):
            if time.monotonic() - self._wall > NOTICED and not self._where:
                try:
                    found = next(stacks)
                except AttributeError:  # nothing of ours runs
                    continue
                lines = (found[at : at + 3] for at in range(0, len(found), 3))
                self._where = tuple(f"{f.rpartition('/')[2]}:{n} {name}" for f, n, name in lines)
