"""The training run of the window: starts it, follows it, keeps what it made."""

from __future__ import annotations

import time
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from app.jobs import Job, Jobs
from app.learning import Outcome, Progress, Request, Seen, learn_apart
from app.recording import Look, MergeSettings, Recording, RoundLook, RoundRecording
from engine.progress import Report

Recorded = Recording | RoundRecording
State = Literal["idle", "running", "stopping", "done", "failed", "cancelled"]

SOONEST = 0.5
"""Seconds of learning before there is an idea of how long it will take."""


class Trainer(QObject):
    """One run at a time. What the last good run made is kept until another one is done."""

    changed = Signal()
    """The state is another one."""
    moved = Signal()
    """The run went on: `progress` or `look` is a new one."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self._begun = self._looked = 0.0
        self.state: State = "idle"
        self.request: Request | None = None
        """What the newest run was asked for."""
        self.progress: Progress | None = None
        self.look: Look | RoundLook | None = None
        self.outcome: Outcome | None = None
        """What the last run that came to its end has made."""
        self._kept: Outcome | None = None
        self._record: Recorded | None = None
        self._growing: Recorded | None = None
        self.error: BaseException | None = None

    @property
    def busy(self) -> bool:
        """Whether a run is under way."""
        return self.state in ("running", "stopping")

    @property
    def unsaved(self) -> bool:
        """Whether the vocabulary of the last run is nowhere but here."""
        return self.outcome is not self._kept

    def keep(self, outcome: Outcome | None) -> None:
        """Note that what a run made is saved, or that nobody wants it."""
        if outcome is self.outcome:
            self._kept = outcome

    @property
    def recording(self) -> Recorded | None:
        """What the run under way has done by now, or the last one that came to its end."""
        return self._growing if self.busy else self._record

    def start(self, request: Request) -> None:
        """Begin a run; one at a time."""
        if self.busy:
            return

        def work(report: Report, give: Any) -> Outcome:
            if isinstance(request.settings, MergeSettings):
                # A pattern that is compiled here is at hand when the window cuts its sample.
                Recording(request.settings).cut("")
            return learn_apart(request, report, give)

        self.request, self.progress, self.look, self.error = request, None, None, None
        self._growing, self._begun, self._looked = None, 0.0, 0.0
        self._job = self._jobs.start(
            "train", self.tr("Training a vocabulary"), work, self._done, self._failed, self._part
        )
        self._job.ended.connect(self._ended)
        self._become("running")

    def cancel(self) -> None:
        """Stop the run; its process is killed, and nothing of it stays."""
        if self.state == "running":
            self._become("stopping")
            self._jobs.cancel("train")

    @property
    def seconds_left(self) -> float | None:
        """How long learning will go on, by the work that is done; None while unknown."""
        progress, look = self.progress, self.look
        if look is None or progress is None or progress.done >= progress.total:
            return None
        took = self._looked - self._begun
        if took < SOONEST or look.share <= 0:
            return None
        left = took * (1 - look.share) / look.share - (time.monotonic() - self._looked)
        return max(left, 0.0)

    def _part(self, part: Seen) -> None:
        if self.state != "running":
            return
        now = time.monotonic()
        if isinstance(part, (Look, RoundLook)):
            self.look, self._looked = part, now
            self._record_look(part)
        else:
            self.progress = part
            if part.stage == "learning" and part.total and not self._begun:
                self._begun = now
        self.moved.emit()

    def _record_look(self, look: Look | RoundLook) -> None:
        assert self.request is not None
        if isinstance(look, Look):
            if not isinstance(self._growing, Recording):
                self._growing = Recording(self.request.settings)
            self._growing.add(look)
        else:
            if not isinstance(self._growing, RoundRecording):
                self._growing = RoundRecording(self.request.sample)
            self._growing.add(look)

    def _done(self, outcome: Outcome) -> None:
        self.outcome, self._record = outcome, self._growing
        self._become("done")

    def _failed(self, error: BaseException) -> None:
        self.error = error
        self._become("failed")

    def _ended(self) -> None:
        self._job = None
        if self.busy:  # cancelled, here or in the status line
            self._become("cancelled")

    def _become(self, state: State) -> None:
        self.state = state
        if state != "running":
            self.progress = self.look = None
        if not self.busy:
            self._growing = None
        self.changed.emit()
