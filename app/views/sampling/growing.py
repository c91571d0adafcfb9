"""The sample on show: drawn in the background by each method, counted as it grows."""

from __future__ import annotations

from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal

from app.session import Session
from app.views.sampling.methods import WITHOUT_REPLACEMENT
from app.views.sampling.passes import Passes, draw_into
from app.views.sampling.tally import SetTally, Tally

MOST = 1_000_000
"""Draws that a sample may grow to."""

PAINTED = 5
"""Milliseconds after which what was shown has been painted: the painting is due at once."""

_JOB = "sampling draws"


class GrowingSample(QObject):
    """Draws 0 … n − 1 of a seed by each of some methods, held against one law.

    `grew` comes a few times a second while draws arrive, `complete` with the number of the draw
    to be shown, or None, when all that were asked for are there.
    """

    grew = Signal()
    complete = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._passes: Passes | None = None
        self._tallies: dict[str, Tally] = {}

    @property
    def tallies(self) -> dict[str, Tally]:
        """What was drawn so far by each method, empty before `begin`."""
        return self._tallies

    @property
    def passes(self) -> Passes | None:
        """What the sample was begun for."""
        return self._passes

    @property
    def n(self) -> int:
        """How many were drawn by the method that has most."""
        return max((tally.n for tally in self._tallies.values()), default=0)

    @property
    def running(self) -> bool:
        """Whether draws are under way."""
        return any(job.key == _JOB for job in self._session.jobs.running)

    def begin(self, passes: Passes) -> None:
        """Begin an empty sample of what is shown."""
        self.stop()
        self._passes = passes
        seed = passes.wish.seed
        self._tallies = {
            kind: (SetTally if kind == WITHOUT_REPLACEMENT else Tally)(passes.listing, seed, kind)
            for kind in passes.wish.methods
        }

    def follow(self, passes: Passes) -> None:
        """Take other methods over the same law: draws of those that stay are kept."""
        if passes.wish.methods == tuple(self._tallies):
            self._passes = passes
            return
        known = self._tallies
        self.begin(passes)
        self._tallies |= {kind: known[kind] for kind in passes.wish.methods if kind in known}

    def stop(self) -> None:
        """Draw no further; what is drawn stays."""
        self._session.jobs.cancel(_JOB)
        for tally in self._tallies.values():
            tally.look()

    def drop(self) -> None:
        """Have no sample any more."""
        self.stop()
        self._passes, self._tallies = None, {}

    def more(self, count: int, *, show: bool) -> None:
        """Draw `count` more, `MOST` in all. show: the last of them is to be shown."""
        self.up_to(self.n + count, show=show)

    def up_to(self, last: int, *, show: bool) -> None:
        """Draw until each method has `last`, `MOST` at most."""
        passes, last = self._passes, min(last, MOST)
        tallies = dict(self._tallies)
        if passes is None or not tallies or min(t.added for t in tallies.values()) >= last:
            return
        lattice, settings = passes.lattice, passes.wish.settings
        self._session.jobs.start(
            _JOB,
            self.tr("Drawing segmentations"),
            lambda report, give: draw_into(tallies, lattice, settings, last, report, give),
            lambda _result: self._drawn(last - 1 if show else None),
            lambda error: self._session.failed.emit(error, self.tr("Nothing was drawn")),
            part=self._came,
        )

    def _came(self, shown: Event) -> None:
        self._show()
        QTimer.singleShot(PAINTED, shown.set)

    def _show(self) -> None:
        for tally in self._tallies.values():
            tally.look()
        self.grew.emit()

    def _drawn(self, show: int | None) -> None:
        self._show()
        self.complete.emit(show)
