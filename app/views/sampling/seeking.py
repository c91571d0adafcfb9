"""The search for the next draw in which the methods part."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.session import Session
from app.views.sampling.passes import SEARCHED, Passes, find_parting

_JOB = "sampling next"


class PartingSearch(QObject):
    """Looks for a draw in the background, for what is shown while it is shown.

    `found` comes with the number of the draw, from 0; `ended` with what to say where there is none.
    """

    found = Signal(int)
    ended = Signal(str)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    def stop(self) -> None:
        """Look no further: something else is shown, or will be."""
        self._session.jobs.cancel(_JOB)

    def start(self, passes: Passes, first: int) -> None:
        """Look from draw `first` on."""
        kinds = passes.compared
        if not kinds:
            self.stop()
            self.ended.emit(
                self.tr("Nothing to compare: choose two methods that draw single segmentations")
            )
            return
        lattice, wish = passes.lattice, passes.wish
        words = self.tr("{n} draws looked at: the methods part in none")
        if "viterbi" in kinds and "viterbi" not in wish.methods:
            words = self.tr("{n} draws looked at: all are the best path")

        def done(draw: int | None) -> None:
            if draw is None:
                self.ended.emit(words.format(n=f"{SEARCHED:,}"))
            else:
                self.found.emit(draw)

        self._session.jobs.start(
            _JOB,
            self.tr("Looking for the next draw of that kind"),
            lambda report: find_parting(lattice, kinds, wish.settings, wish.seed, first, report),
            done,
            lambda error: self._session.failed.emit(error, self.tr("No draw was looked for")),
        )
