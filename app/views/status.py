"""The status line: what is shown at the left, what it rests on at the right, jobs between."""

from __future__ import annotations

import time
from operator import attrgetter

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.counts import counted
from app.jobs import Job, Jobs
from app.session import Session
from app.theme import SIZE_NOTE, Theme
from app.widgets.elided import ElidedLabel
from app.widgets.icon_button import IconButton
from app.widgets.surface import set_opaque

HEIGHT = 24
WHOLE = 60
"""Milliseconds that a new text's facts wait for each other: most come sooner, and together."""

PATIENCE = 0.4
"""Seconds a job may take before the status line speaks of it."""
NOTE_TIME = 8000
"""Milliseconds a note stays."""
MANY = 1000
"""Parts of a job from which on their share is shown, not their number."""
COUNT_LIMIT = 20_000
"""Bytes up to which the graphemes of a text are counted for this line."""


class StatusLine(QWidget):
    """Facts of the session, a note for a while, and the oldest job that takes long."""

    share_changed = Signal(object)
    """How far the job that is shown is: 0 to 1, None where unknown, below 0 for no job."""

    def __init__(
        self, session: Session, jobs: tuple[Jobs, ...], theme: Theme, parent: QWidget | None = None
    ) -> None:
        """Take all `Jobs` whose work is to be shown, the most important first."""
        super().__init__(parent)
        self._session, self._jobs, self._theme = session, jobs, theme
        self.shown_job: Job | None = None
        self.setFixedHeight(HEIGHT)
        set_opaque(self)
        self.setAccessibleName(self.tr("Status"))
        self._job_seen = True
        # The facts change with each key.
        self._left = ElidedLabel(theme, size=SIZE_NOTE, token="ink2", steady=True)
        self._right, self._note, self._job = (QLabel() for _ in range(3))
        for label in (self._right, self._note, self._job):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "second")
        self._bar = ProgressLine(theme)
        self._bar.setFixedSize(96, HEIGHT)
        self.cancel_button = IconButton("close", self.tr("Cancel (Esc)"), theme, 14)
        self.cancel_button.setFixedSize(20, 20)
        self.cancel_button.clicked.connect(self.cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self._left, 1)
        row.addWidget(self._note)
        row.addSpacing(8)
        row.addWidget(self._job)
        row.addWidget(self._bar)
        row.addWidget(self.cancel_button)
        row.addSpacing(8)
        row.addWidget(self._right)
        self._clock = QTimer(self, interval=100)
        self._clock.timeout.connect(self._show_job)
        self._note_timer = QTimer(self, singleShot=True, interval=NOTE_TIME)
        self._note_timer.timeout.connect(lambda: self.note(""))
        for owner in jobs:
            owner.changed.connect(self._jobs_changed)
        self._later = QTimer(self, singleShot=True, interval=WHOLE)
        self._later.timeout.connect(self._show_facts)
        for signal in (session.active_changed, session.settings_changed, session.corpus_changed):
            signal.connect(self._show_facts)
        for part in (session.text_changed, session.encoding_changed, session.analysis_changed):
            part.connect(self._part_changed)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._show_facts()
        self._show_job()

    def note(self, text: str) -> None:
        """Show a short note; it goes by itself."""
        self._note.setText(text)
        if text:
            self._note_timer.start()

    def cancel(self) -> bool:
        """Cancel the job that is shown; False when there is none that can be cancelled."""
        job = self.shown_job
        for owner in self._jobs:
            if job is not None and job in owner.running and owner.cancel(job.key):
                self.note(self.tr("Cancelled: {what}").format(what=job.title))
                return True
        return False

    @property
    def facts(self) -> str:
        """What the left side says."""
        return self._left.text()

    @property
    def conditions(self) -> str:
        """What the right side says."""
        return self._right.text()

    @property
    def noted(self) -> str:
        """The note that is shown, "" without one."""
        return self._note.text()

    @property
    def job_text(self) -> str:
        """What is said of the job that is shown."""
        return self._job.text()

    # Facts

    def _part_changed(self) -> None:
        """Show a text's facts when all of them are there, or when they take long."""
        analysis = self._session.analysis
        if analysis is not None and analysis.text is self._session.text:
            self._show_facts()
        elif not self._later.isActive():
            self._later.start()

    def _show_facts(self) -> None:
        self._later.stop()
        session, parts = self._session, []
        opened, text = session.active, session.text
        if opened is not None:
            parts.append(f"{opened.letter} · {opened.name}")
        # Graphemes of a long text are counted where somebody needs them, not here.
        if text.n_bytes <= COUNT_LIMIT:
            counts = counted(text.n_graphemes, "grapheme"), counted(text.n_bytes, "byte")
            parts.append(", ".join(counts))
        else:
            parts.append(counted(text.n_bytes, "byte"))
        encoding = None if opened is None else session.encoding(opened.key)
        if encoding is not None:
            parts.append(counted(len(encoding), "token"))
        analysis = session.analysis
        if analysis is not None and analysis.text is text:
            parts.append(counted(analysis.lattice.n_edges, "edge"))
            if analysis.shown < text.n_bytes:
                part = self.tr("lattice of the first {bytes:,} bytes")
                parts.append(part.format(bytes=analysis.shown))
        self._left.setText("     ".join(parts))
        settings = session.settings
        units = {
            "byte": self.tr("bytes"),
            "char": self.tr("code points"),
            "grapheme": self.tr("graphemes"),
            "utf16": self.tr("UTF-16 units"),
        }
        right = [
            self.tr("offsets: {unit}").format(unit=units[settings.unit]),
            f"θ = {settings.theta:.2f}",
            self.tr("seed {seed}").format(seed=settings.seed),
        ]
        self._right.setText("     ".join(right))

    # Jobs

    def _jobs_changed(self) -> None:
        # A key starts and ends several jobs; most are over before anything is said of them.
        if self.shown_job is not None:
            self._show_job()
        elif not self._clock.isActive() and any(owner.running for owner in self._jobs):
            self._clock.start()

    def _show_job(self) -> None:
        running = [job for owner in self._jobs for job in owner.running]
        if not running:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()
        now = time.monotonic()
        late = [job for job in running if now - job.begun >= PATIENCE]
        job = min(late, key=attrgetter("begun"), default=None)
        if self._job_seen is not (job is not None):
            self._job_seen = job is not None
            for widget in (self._job, self._bar):
                widget.setVisible(job is not None)
        can_cancel = job is not None and not job.settled
        if self.cancel_button.isHidden() is can_cancel:
            self.cancel_button.setVisible(can_cancel)
        if job is not None:
            done, total = job.progress or (0, 0)
            share = done / total if total else None
            text = job.title
            if share is not None:
                # Few things are counted; of many a share says more. 100% is for what is done.
                count = self.tr("{title}: {done} of {total}")
                if total >= MANY:
                    count = self.tr("{title}: {percent}%")
                text = count.format(title=text, done=done, total=total, percent=int(share * 100))
            self._job.setText(text)
            self._bar.set_share(share)
            self.share_changed.emit(share)
        elif self.shown_job is not None:
            self.share_changed.emit(-1.0)
        self.shown_job = job

    def _restyle(self) -> None:
        for label in (self._right, self._note, self._job):
            label.setFont(self._theme.font(SIZE_NOTE))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("chrome"))
        painter.fillRect(0, 0, self.width(), 1, self._theme.color("line"))


class ProgressLine(QWidget):
    """How far a job is, as a line of 3 pixels; dashes where that isn't known."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._share = theme, 0.0
        self._known = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def set_share(self, share: float | None) -> None:
        self._known, self._share = share is not None, share or 0.0
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        line = QRectF(0, (self.height() - 3) / 2, self.width(), 3)
        painter.fillRect(line, self._theme.color("line"))
        ink = self._theme.color("ink")
        if self._known:
            painter.fillRect(QRectF(0, line.y(), line.width() * min(self._share, 1), 3), ink)
        else:
            for at in range(0, self.width(), 8):
                painter.fillRect(QRectF(at, line.y(), 4, 3), ink)
