"""Python's cyclic collector, on the GUI thread only.

The collector runs in whatever thread asks for memory. In a worker thread it would destroy Qt
objects that belong to the GUI thread, and the process would crash. So it is switched off and
called from a timer instead.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL = 100
"""Milliseconds between looks."""


class Collector(QObject):
    """Collects when Python would have, a little later, until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=INTERVAL)
        self._timer.timeout.connect(self.collect)
        gc.disable()
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that is full, and those under it."""
        full = [
            generation
            for generation, (count, limit) in enumerate(
                zip(gc.get_count(), gc.get_threshold(), strict=True)
            )
            if count > limit
        ]
        if full:
            gc.collect(max(full))
        if 2 in full:
            self.settle()

    @staticmethod
    def settle() -> None:
        """Leave out what lives now: a model or a library isn't looked through again each time.

        Looking through all of it takes longer than a frame of the screen.
        """
        gc.freeze()

    def stop(self) -> None:
        """Give the collector back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
