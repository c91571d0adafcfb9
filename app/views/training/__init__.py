"""The window in which a BPE vocabulary is trained, watched, looked through and saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app import errors
from app.counts import counted
from app.learning import Outcome
from app.recording import MergeSettings, RoundRecording
from app.session import Session
from app.theme import SIZE_DATA, Theme
from app.training import Recorded, Trainer
from app.views.banner import Banners, Message
from app.views.error_dialog import ErrorDialog
from app.views.status import ProgressLine
from app.views.training.form import TrainingForm
from app.views.training.results import ResultBar
from app.views.training.run import RunView
from app.views.training.sentences import (
    corpus_line,
    ending,
    stage_line,
    sum_line,
    sum_of,
    time_left,
)
from app.widgets.elided import ElidedLabel
from app.widgets.surface import set_surface

NARROWEST, WIDEST = 345, 400
"""Pixels of the settings' column."""

SAMPLE = 60
"""Characters of the window's text that the sample begins with."""

MESSAGE = "training"

FRAME = 16
"""Milliseconds from what a run has learnt until it is shown."""

LONG = 60
"""Seconds of a run whose vocabulary isn't given up without a question."""


class TrainingWindow(QDialog):
    """At the left what to train with, at the right the run and what came out.

    Closing the window leaves a run alone; Esc cancels it, and closes when there is none.
    """

    open_wanted = Signal(object)
    """The path of a saved vocabulary that is to be opened."""

    def __init__(
        self, session: Session, trainer: Trainer, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._trainer, self._theme = trainer, theme
        self.setWindowTitle(self.tr("Train a vocabulary"))
        self.resize(1280, 860)
        self.setMinimumSize(960, 600)
        self.form = TrainingForm(session, theme)
        self.sum = QLabel()
        self.problem = QLabel()
        self.train_button = QPushButton(self.tr("&Train"))
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.banners = Banners(theme, self._show_detail)
        self.head = QLabel()
        self.about = ElidedLabel(theme, size=SIZE_DATA, token="ink2", steady=True)
        self.bar = ProgressLine(theme)
        self.bar.setFixedHeight(7)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        self.run = RunView(session.jobs, theme, session.text.string[:SAMPLE])
        self.results = ResultBar(session, theme)
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._show_progress)
        # Of all that comes within a frame once, and in a turn of the event loop of its own.
        self._soon = QTimer(self, singleShot=True, interval=FRAME)
        self._soon.timeout.connect(self._show_run)
        self._compose()
        self._wire()
        self._form_changed()
        self._show_state()

    def _compose(self) -> None:
        self.sum.setWordWrap(True)
        self.sum.setAccessibleName(self.tr("Sum of the vocabulary"))
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.train_button.setProperty("primary", True)
        self.train_button.setDefault(True)
        self.train_button.setToolTip(self.tr("Train with these settings (Enter)"))
        self.cancel_button.setAutoDefault(False)
        self.cancel_button.setToolTip(self.tr("Stop the run; nothing of it stays (Esc)"))
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.form)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.train_button, 1)
        buttons.addWidget(self.cancel_button)
        foot = QVBoxLayout()
        foot.setContentsMargins(16, 10, 16, 14)
        foot.setSpacing(8)
        foot.addWidget(self.sum)
        foot.addWidget(self.problem)
        foot.addLayout(buttons)
        left = QWidget()
        left.setMinimumWidth(NARROWEST)
        left.setMaximumWidth(WIDEST)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll, 1)
        column.addWidget(self._line(QFrame.Shape.HLine))
        column.addLayout(foot)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(left)
        whole.addWidget(self._line(QFrame.Shape.VLine))
        whole.addWidget(self._right(), 1)

    def _right(self) -> QWidget:
        right = QWidget()
        right.setObjectName("run")
        set_surface(right, self._theme, "canvas")
        self.head.setProperty("role", "title")
        self.head.setTextFormat(Qt.TextFormat.PlainText)
        self.head.setWordWrap(True)
        words = QVBoxLayout()
        words.setContentsMargins(16, 14, 16, 8)
        words.setSpacing(4)
        words.addWidget(self.head)
        words.addWidget(self.about)
        words.addWidget(self.bar)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banners)
        column.addLayout(words)
        column.addWidget(self.run, 1)
        column.addWidget(self._line(QFrame.Shape.HLine))
        column.addWidget(self.results)
        return right

    def _line(self, shape: QFrame.Shape) -> QFrame:
        line = QFrame()
        line.setObjectName("line")
        if shape == QFrame.Shape.HLine:
            line.setFixedHeight(1)
        else:
            line.setFixedWidth(1)
        set_surface(line, self._theme, "line")
        return line

    def _wire(self) -> None:
        trainer, results = self._trainer, self.results
        self.form.changed.connect(self._form_changed)
        self.train_button.clicked.connect(self.train)
        self.cancel_button.clicked.connect(trainer.cancel)
        self.run.failed.connect(self._failed)
        results.saved.connect(self._saved)
        results.kept.connect(trainer.keep)
        results.exported.connect(
            lambda path: self._say(self.tr("Saved {name}").format(name=path.name), str(path))
        )
        results.failed.connect(self._failed)
        results.open_wanted.connect(self.open_wanted)
        trainer.changed.connect(self._show_state)
        trainer.moved.connect(self._moved)
        self._theme.changed.connect(self._show_problem)

    # Before a run

    def _form_changed(self) -> None:
        self._show_problem()
        self._allow()

    def _show_problem(self) -> None:
        self.form.tell_faults()
        text = self.form.problem()
        self.sum.setText("" if text else sum_line(self.form.settings(), self.form.n_given))
        self.sum.setHidden(bool(text))
        self.problem.setText(f"⚠ {text}" if text else "")
        self.problem.setVisible(bool(text))
        self.problem.setStyleSheet(f"color: {self._theme.color('error').name()}")

    def _allow(self) -> None:
        trainer = self._trainer
        self.form.setEnabled(not trainer.busy)
        self.train_button.setEnabled(not trainer.busy and not self.form.problem())
        self.cancel_button.setEnabled(trainer.state == "running")

    def train(self) -> None:
        """Begin a run with what the form says; ask first where one that took long would be lost."""
        trainer = self._trainer
        if trainer.busy or self.form.problem():
            return
        if trainer.outcome is not None and trainer.unsaved and trainer.outcome.seconds >= LONG:
            self._ask(trainer.outcome)
        else:
            self._begin()

    def _begin(self) -> None:
        if not self._trainer.busy and not self.form.problem():
            self.banners.withdraw(MESSAGE)
            sample = self.run.sample_field.text()
            self._trainer.start(replace(self.form.request(), sample=sample))

    def _ask(self, outcome: Outcome) -> None:
        """Ask what becomes of a vocabulary that the next one would take the place of."""
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.tr("Train a vocabulary"))
        box.setText(self.tr("The vocabulary that was trained before isn't saved."))
        words = self.tr("It took {n} s, and the new one takes its place.")
        box.setInformativeText(words.format(n=f"{outcome.seconds:,.0f}"))
        save = box.addButton(self.tr("&Save…"), QMessageBox.ButtonRole.AcceptRole)
        again = box.addButton(self.tr("&Train"), QMessageBox.ButtonRole.DestructiveRole)
        box.setEscapeButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.setDefaultButton(save)

        def answered() -> None:
            if box.clickedButton() is save:
                self.results.save_as(lambda _path: self._begin())
            elif box.clickedButton() is again:
                self._begin()

        box.finished.connect(answered)
        box.open()

    # During and after a run

    def _show_state(self) -> None:
        trainer = self._trainer
        self._soon.stop()  # what it would show is of the state before
        self._allow()
        self.bar.setVisible(trainer.busy)
        if trainer.busy:
            self._clock.start()
            self.results.set_outcome(None)
            request = trainer.request
            by_merges = request is not None and isinstance(request.settings, MergeSettings)
            self.run.begin(by_rounds=not by_merges)
            self.about.setText("")
            self._show_progress()
            return
        self._clock.stop()
        if trainer.state == "failed" and trainer.error is not None:
            self._failed(trainer.error, self.tr("Nothing was trained"))
        elif trainer.state == "cancelled":
            self._say(self.tr("Training was cancelled"), self.tr("Nothing of it was kept."))
        self._show_outcome()

    def _show_progress(self) -> None:
        """Say how far the run is."""
        trainer = self._trainer
        progress = trainer.progress
        if trainer.state == "stopping":
            self.head.setText(self.tr("Stopping"))
            return
        left = time_left(trainer.seconds_left)
        line = stage_line(progress)
        if left:
            line = self.tr("{stage} · {left}").format(stage=line, left=left)
        self.head.setText(line)
        known = progress is not None and progress.total > 0
        self.bar.set_share(progress.done / progress.total if progress and known else None)

    def _moved(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _show_run(self) -> None:
        trainer, recording = self._trainer, self._trainer.recording
        self._show_progress()
        if recording is not None and trainer.request is not None and trainer.look is not None:
            self.run.grow(recording, trainer.request.settings.size)
            self.about.setText(self._about_run(recording))

    def _about_run(self, recording: Recorded) -> str:
        if isinstance(recording, RoundRecording):
            return self.tr("The newest round at the end")
        words = self.tr("{base}, then a merge a step; the newest at the end")
        return words.format(base=counted(len(recording.base), "base symbol"))

    def _show_outcome(self) -> None:
        """Show the last vocabulary that was trained, if there is one."""
        outcome, recording = self._trainer.outcome, self._trainer.recording
        self.results.set_outcome(outcome)
        if outcome is None or recording is None:
            self.run.clear()
            self.head.setText(self.tr("No vocabulary yet"))
            self.about.setText(self.tr("Choose a corpus and settings, then press Train."))
            return
        self.run.show_whole(recording, outcome.trained)
        self.head.setText(sum_of(outcome))
        parts = (ending(outcome), corpus_line(outcome), *outcome.notes)
        self.about.setText("  ·  ".join(part for part in parts if part))

    # Saying

    def _say(self, what: str, where: str = "", remedy: str = "") -> None:
        self.banners.say(Message("info", what, where, remedy, key=MESSAGE))

    def _saved(self, path: Path, notes: tuple[str, ...]) -> None:
        self._say(
            self.tr("Saved {name}").format(name=path.name),
            str(path),
            "\n".join(note[:1].upper() + note[1:] for note in notes),
        )

    def _failed(self, error: BaseException, doing: str) -> None:
        fault = errors.describe(error, doing)
        if not fault.expected:
            errors.LOG.error("%s", fault.what, exc_info=error)
        self.banners.say(
            Message("error", fault.what, fault.where, fault.remedy, fault.detail, MESSAGE)
        )

    def _show_detail(self, message: Message) -> None:
        explanation = "\n".join(part for part in (message.where, message.remedy) if part)
        dialog = ErrorDialog(message.what, explanation, message.detail, self._theme, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and self.run.isAncestorOf(self.focusWidget()):
            return  # trains where settings are written, not where a result is read
        super().keyPressEvent(event)

    def reject(self) -> None:
        """Cancel the run; close the window where there is none."""
        if self._trainer.busy:
            self._trainer.cancel()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
