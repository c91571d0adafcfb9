"""The sample on show: drawn in the background, counted as it grows."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.session import Session
from app.views.sampling.passes import draw_in_chunks
from app.views.sampling.tally import Listing, Tally

MOST = 1_000_000
"""Draws that a sample may grow to."""

LOOK = 80
"""Milliseconds between two looks at a running sample: its chunks come faster."""

_JOB = "sampling draws"


class GrowingSample(QObject):
    """Draws 0 … n − 1 of a seed from one law.

    `grew` comes a few times a second while draws arrive, `complete` with the number of the draw
    to be shown, or None, when all that were asked for are there.
    """

    grew = Signal()
    complete = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._tally: Tally | None = None
        self._look = QTimer(self, singleShot=True, interval=LOOK)
        self._look.timeout.connect(self.grew)

    @property
    def tally(self) -> Tally | None:
        """What was drawn so far; None before `begin`."""
        return self._tally

    @property
    def n(self) -> int:
        """How many were drawn."""
        return 0 if self._tally is None else self._tally.n

    @property
    def stale(self) -> bool:
        """Whether the sample was drawn at another θ or seed than the present ones."""
        tally, settings = self._tally, self._session.settings
        return tally is not None and (tally.theta != settings.theta or tally.seed != settings.seed)

    @property
    def running(self) -> bool:
        """Whether draws are under way."""
        return any(job.key == _JOB for job in self._session.jobs.running)

    def begin(self, listing: Listing) -> None:
        """Begin an empty sample of a law, at the present seed."""
        self.stop()
        self._tally = Tally(listing, self._session.settings.seed)

    def stop(self) -> None:
        """Draw no further; what is drawn stays."""
        self._session.jobs.cancel(_JOB)

    def drop(self) -> None:
        """Have no sample any more."""
        self.stop()
        self._tally = None

    def more(self, count: int, *, show: bool) -> None:
        """Draw `count` more, `MOST` in all. show: the last of them is to be shown."""
        tally = self._tally
        if tally is None:
            return
        first, last = tally.n, min(tally.n + count, MOST)
        if last <= first:
            return
        lattice, theta, seed = tally.listing.lattice, tally.theta, tally.seed
        self._session.jobs.start(
            _JOB,
            self.tr("Drawing segmentations"),
            lambda report, give: draw_in_chunks(lattice, theta, seed, first, last, report, give),
            lambda _result: self._drawn(last - 1 if show else None),
            lambda error: self._session.failed.emit(error, self.tr("Nothing was drawn")),
            part=self._count,
        )

    def _count(self, paths: object) -> None:
        assert self._tally is not None
        assert isinstance(paths, list)
        self._tally.add(paths)
        if not self._look.isActive():
            self._look.start()

    def _drawn(self, show: int | None) -> None:
        self._look.stop()
        self.grew.emit()
        self.complete.emit(show)
