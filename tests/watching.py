"""A look at the event loop: how long the GUI thread was away from it, and what it did there."""

from __future__ import annotations

import faulthandler
import re
import tempfile
import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer

TICK = 5
"""Milliseconds between two looks."""

NOTICED = 0.03
"""Seconds without a tick after which is noted what the GUI thread does."""


@dataclass(frozen=True)
class Stall:
    """A gap between two ticks: seconds by the clock and of the GUI thread's CPU, and where.

    A gap with little CPU is somebody else's: another thread that holds Python's lock, or a machine
    that is busy. where: lines of the GUI thread's stack, the innermost first.
    """

    wall: float
    cpu: float
    where: tuple[str, ...]


class LoopWatch(QObject):
    """Notes the gaps between the ticks of a timer in this thread, from `start` until `stop`.

    The stack is written by `faulthandler`, which takes no reference to a frame: one would keep a
    painter alive beyond its paint event.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stalls: list[Stall] = []
        self._timer = QTimer(self, interval=TICK, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._wall = self._cpu = 0.0
        self._stacks = tempfile.TemporaryFile()  # noqa: SIM115 - as long as this lives

    def start(self) -> None:
        """Begin to watch."""
        self.stalls.clear()
        self._begin()
        self._timer.start()

    def stop(self) -> list[Stall]:
        """Stop watching and return the stalls, the one of most CPU first."""
        self._tick()
        self._timer.stop()
        faulthandler.cancel_dump_traceback_later()
        return sorted(self.stalls, key=lambda stall: stall.cpu, reverse=True)

    def _begin(self) -> None:
        self._wall, self._cpu = time.monotonic(), time.thread_time()
        faulthandler.dump_traceback_later(NOTICED, file=self._stacks)

    def _tick(self) -> None:
        gap, spent = time.monotonic() - self._wall, time.thread_time() - self._cpu
        if gap > NOTICED:
            faulthandler.cancel_dump_traceback_later()
            self._stacks.seek(0)
            self.stalls.append(Stall(gap, spent, _main_stack(self._stacks.read().decode())))
            self._stacks.seek(0)
            self._stacks.truncate()
        self._begin()


def _main_stack(dump: str) -> tuple[str, ...]:
    """Return the lines of the main thread, which a dump of all threads has last."""
    thread = dump.rpartition("Thread ")[2]
    lines = re.findall(r'File ".*?([^/"]+)", line (\d+) in (\S+)', thread)
    return tuple(f"{file}:{line} {name}" for file, line, name in lines)
