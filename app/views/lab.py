"""The small lab: a lesson in BPE, led through step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app import errors
from app import lab as lessons
from app.jobs import Job, Jobs
from app.recording import Recording
from app.theme import SIZE_INPUT, Theme
from app.views.banner import Banners, Message
from app.views.error_dialog import ErrorDialog
from app.views.lab_pages import (
    LONGEST_CORPUS,
    DecodePage,
    EncodePage,
    FactsPage,
    MergesPage,
    TrainPage,
)
from engine.errors import ParameterError
from engine.lab import MERGES, Lab, corpus_lines, run_lab
from engine.progress import Report

MESSAGE = "lab"
TRAINING, ENCODING, KEEPING = "lab train", "lab encode", "lab keep"
STEPS_WIDTH = 230


class LabWindow(QDialog):
    """At the left the steps, at the right the one that is read; those behind the first are open
    once there is a vocabulary."""

    open_wanted = Signal(object)
    """The path of the vocabulary, which is to be opened."""

    def __init__(
        self, jobs: Jobs, theme: Theme, folder: Path, parent: QWidget | None = None
    ) -> None:
        """Take `folder`: where the vocabulary is written when it is to be opened."""
        super().__init__(parent, Qt.WindowType.Window)
        self._jobs, self._theme, self._folder = jobs, theme, folder
        self._job: Job | None = None
        self.lab: Lab | None = None
        self.setWindowTitle(self.tr("A small lab"))
        self.resize(1060, 700)
        self.setMinimumSize(880, 560)
        self.steps = QListWidget()
        self.place = QLabel()
        self.head = QLabel()
        self.explanation = QLabel()
        self.notice = QLabel()
        self.banners = Banners(theme, self._show_detail)
        self.train_page = TrainPage(theme, "\n".join(corpus_lines()))
        self.merges_page = MergesPage(theme)
        self.encode_page = EncodePage(theme)
        self.decode_page = DecodePage(theme)
        self.check_page, self.ratio_page = FactsPage(theme), FactsPage(theme)
        self.pages = QStackedWidget()
        self.back_button = QPushButton(self.tr("&Back"))
        self.next_button = QPushButton(self.tr("&Next"))
        self.open_button = QPushButton(self.tr("&Open this model in the window"))
        self._compose()
        self._dress()
        self._wire()
        self._take(None, None)
        self.steps.setCurrentRow(lessons.TRAIN)

    def _compose(self) -> None:
        self.steps.addItems(
            [f"{place}. {title}" for place, title in enumerate(lessons.titles(), start=1)]
        )
        self.steps.setObjectName("steps")
        self.steps.setFixedWidth(STEPS_WIDTH)
        self.steps.setAccessibleName(self.tr("Steps of the lesson"))
        self.place.setProperty("role", "section")
        for label in (self.head, self.explanation, self.notice):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for page in (
            self.train_page, self.merges_page, self.encode_page, self.decode_page,
            self.check_page, self.ratio_page,
        ):  # fmt: skip
            self.pages.addWidget(page)
        self.next_button.setDefault(True)
        self.back_button.setAutoDefault(False)
        self.open_button.setAutoDefault(False)
        self.open_button.setProperty("primary", True)
        self.next_button.setProperty("primary", True)
        for button, key, tip in (
            (self.back_button, "Alt+Left", self.tr("To the step before ({keys})")),
            (self.next_button, "Alt+Right", self.tr("To the next step ({keys})")),
        ):
            shortcut = QShortcut(QKeySequence(key), self)  # beside the button's own letter
            shortcut.activated.connect(button.click)
            native = shortcut.key().toString(QKeySequence.SequenceFormat.NativeText)
            button.setToolTip(tip.format(keys=native))
        self.open_button.setToolTip(
            self.tr("The vocabulary is written to {folder} first").format(folder=self._folder)
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.back_button, self.next_button, self.open_button):
            buttons.addWidget(button)
        words = QVBoxLayout()
        words.setContentsMargins(20, 16, 20, 16)
        words.setSpacing(10)
        for widget in (self.place, self.head, self.explanation):
            words.addWidget(widget)
        words.addWidget(self.pages, 1)
        words.addWidget(self.notice)
        words.addLayout(buttons)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.banners)
        right.addLayout(words, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.steps)
        whole.addLayout(right, 1)

    def _dress(self) -> None:
        self.head.setFont(self._theme.font(SIZE_INPUT + 3, bold=True))

    def _wire(self) -> None:
        self._theme.changed.connect(self._dress)
        self.steps.currentRowChanged.connect(self._show_step)
        self.back_button.clicked.connect(lambda: self._go(-1))
        self.next_button.clicked.connect(lambda: self._go(1))
        self.open_button.clicked.connect(self.open_model)
        self.train_page.train_button.clicked.connect(self.train)
        self.train_page.changed.connect(self._text_changed)
        self.encode_page.typed.connect(self._encode)

    # The steps

    @property
    def step(self) -> int:
        """The step that is read, from 0."""
        return self.steps.currentRow()

    def _go(self, by: int) -> None:
        self.steps.setCurrentRow(min(max(self.step + by, 0), self.steps.count() - 1))

    def _show_step(self, _row: int = 0) -> None:
        """Say what the step is about, and allow what can be done."""
        step, last = self.step, self.steps.count() - 1
        words = lessons.words_of(step, self.lab)
        place = self.tr("Step {n} of {count}").format(n=step + 1, count=last + 1)
        self.place.setText(place)
        self.head.setText(words.title)
        self.explanation.setText(words.explanation)
        self.notice.setText(self.tr("Notice: {what}").format(what=words.notice))
        self.notice.setVisible(bool(words.notice))
        self.pages.setCurrentIndex(step)
        self.pages.setAccessibleName(words.title)
        self.pages.setAccessibleDescription(f"{words.explanation} {words.notice}")
        self.back_button.setEnabled(step > 0)
        self.next_button.setVisible(step < last)
        self.next_button.setEnabled(self.lab is not None)
        self.open_button.setVisible(step == last)

    def _take(self, lab: Lab | None, recording: Recording | None) -> None:
        """Show another vocabulary, or that there is none yet."""
        self.merges_page.show_recording(recording)
        self.encode_page.show_recording(recording)
        for row in range(1, self.steps.count()):
            item = self.steps.item(row)
            flags = item.flags()
            enabled = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags | enabled if lab is not None else flags & ~enabled)
        self._show_lab(lab)

    def _show_lab(self, lab: Lab | None) -> None:
        """Show the figures of a lab on every page."""
        self.lab = lab
        self.train_page.show_lab(lab)
        self.encode_page.show_lab(lab)
        self.decode_page.show_lab(lab)
        self.check_page.facts.set_facts(() if lab is None else lessons.check_facts(lab))
        self.ratio_page.facts.set_facts(() if lab is None else lessons.ratio_facts(lab))
        if self.step >= 0:
            self._show_step()

    # Work

    def _text_changed(self) -> None:
        """Give up what was learnt from another text."""
        for key in (TRAINING, ENCODING, KEEPING):
            self._jobs.cancel(key)
        self._job = None
        self._set_training(False)
        if self.lab is not None:
            self._take(None, None)

    def _set_training(self, on: bool) -> None:
        page = self.train_page
        page.train_button.setEnabled(not on)
        page.progress.set_share(None)
        page.progress.setVisible(on)

    def train(self) -> None:
        """Learn the merges from the text of the first page."""
        self.banners.withdraw(MESSAGE)
        doing = self.tr("Nothing was trained")
        corpus = self.train_page.corpus.toPlainText()
        if len(corpus) > LONGEST_CORPUS:
            self._failed(
                ParameterError(
                    self.tr("the text has {n} characters").format(n=f"{len(corpus):,}"),
                    "",
                    self.tr("take {n} at most; “Train a vocabulary…” takes as many as you like")
                    .format(n=f"{LONGEST_CORPUS:,}"),
                ),
                doing,
            )  # fmt: skip
            return
        text = self.encode_page.field.text()

        def work(report: Report) -> tuple[Lab, Recording]:
            lab = run_lab(text, MERGES, report, lessons.lines_of(corpus))
            _ = lab.decoded
            return lab, lessons.recording_of(lab)

        def done(made: tuple[Lab, Recording]) -> None:
            self._jobs.cancel(ENCODING)
            self._take(*made)
            if self.encode_page.field.text() != text:  # typed meanwhile
                self._encode()
            self.next_button.setFocus()

        self._set_training(True)
        job = self._job = self._jobs.start(
            TRAINING, self.tr("Training the small lab's vocabulary"), work, done,
            lambda error: self._failed(error, doing),
        )  # fmt: skip
        job.progressed.connect(
            lambda at, total: self.train_page.progress.set_share(at / total if total else None)
        )
        job.ended.connect(lambda: self._ended(job))

    def _ended(self, job: Job) -> None:
        if job is self._job:
            self._set_training(False)

    def _encode(self) -> None:
        """Encode the text of the third page."""
        lab, text = self.lab, self.encode_page.field.text()
        if lab is None:
            return
        self._jobs.start(
            ENCODING, self.tr("Encoding"), lambda _report: lessons.with_text(lab, text),
            self._show_lab, lambda error: self._failed(error, self.tr("The text was not encoded")),
        )  # fmt: skip

    def open_model(self) -> None:
        """Write the vocabulary to a file and ask for it to be opened."""
        lab, folder = self.lab, self._folder
        if lab is None:
            return
        doing = self.tr("The vocabulary was not opened")

        def kept(path: Path) -> None:
            words = self.tr("{name} is opened in the window").format(name=path.name)
            self.banners.say(Message("info", words, str(path), key=MESSAGE))
            self.open_wanted.emit(path)

        def work(_report: Report, settle: Callable[[], object]) -> Path:
            settle()
            return lessons.keep(lab, folder)

        self._jobs.start(
            KEEPING, self.tr("Saving the small lab's vocabulary"), work, kept,
            lambda error: self._failed(error, doing), settles=True,
        )  # fmt: skip

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
