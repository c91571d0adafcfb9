"""The dialog of sampled texts in bulk: one text many times, or every line of a corpus once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app import errors
from app.counts import counted
from app.jobs import Work
from app.models.sampling import INCLUSION, DrawsTableModel
from app.session import Session
from app.theme import Theme
from app.views.sampling.bulk_work import (
    Manner,
    TextWish,
    Written,
    draw_text,
    shortfall,
    write_lines,
)
from app.views.sampling.bulk_work import write_text as write_draws_of_text
from app.views.sampling.growing import MOST
from app.views.sampling.methods import fitting, method_title, settings_of
from app.views.status import ProgressLine
from app.widgets.integer_field import IntegerField
from app.widgets.rows_table import RowsTable
from app.widgets.segmented import SegmentedControl
from engine.sample import Draws
from engine.sampled_files import Form
from engine.sampler import SamplingSettings

FIRST = 1_000
"""Draws of a text that are proposed."""

ENDINGS = {"text": "txt", "ids": "ids", "json": "json"}

_JOB = "sampled texts"


class BulkDialog(QDialog):
    """What is drawn and how, the list of draws of a text, and the file they are written to.

    Esc cancels what is running, and closes when nothing is.

    settings: returns θ, p and ℓ as the workspace has them; the seed is the session's.
    """

    def __init__(
        self,
        session: Session,
        theme: Theme,
        settings: Callable[[], SamplingSettings],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._settings = session, settings
        self._draws: Draws | None = None
        self._drawn: TextWish | None = None
        self._drawing: TextWish | None = None
        self._files: tuple[Path, ...] = ()
        self._folder = ""
        self.setWindowTitle(self.tr("Sample in bulk"))
        self.resize(760, 620)
        self.source = SegmentedControl(
            (
                ("text", self.tr("This text")),
                ("corpus", self.tr("Lines of the corpus")),
                ("files", self.tr("Lines of files")),
            ),
            theme,
        )
        self.choose_button = QPushButton(self.tr("Choose &files…"))
        self.invalid = QComboBox()
        self.invalid.setToolTip(self.tr("What becomes of lines that aren't UTF-8"))
        self.invalid.addItem(self.tr("stop with an error"), "refuse")
        self.invalid.addItem(self.tr("leave the line out"), "skip")
        self.invalid.addItem(self.tr("put U+FFFD in their place"), "replace")
        self.count = IntegerField(1, MOST, self.tr("Number of draws"))
        self.count.set_value(FIRST)
        self.what, self.how, self.state = QLabel(), QLabel(), QLabel()
        self.method = QComboBox()
        self.method.setAccessibleName(self.tr("Method"))
        self.form = SegmentedControl(
            (("text", self.tr("Text")), ("json", self.tr("JSON")), ("ids", self.tr("Ids"))), theme
        )
        self.rows = DrawsTableModel(theme, self)
        self.table = RowsTable(
            self.rows, self.tr("Sampled segmentations"), theme, (80, 80, 110, 90)
        )
        self.draw_button = QPushButton(self.tr("&Draw"))
        self.save_button = QPushButton(self.tr("&Save as…"))
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.bar = ProgressLine(theme)
        self.bar.setFixedHeight(7)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        self.bar.hide()
        self.cancel_button.setEnabled(False)
        self._compose()
        self._connect()
        self.refresh()

    def _compose(self) -> None:
        for label in (self.what, self.how, self.state):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setProperty("role", "second")
        self.state.setAccessibleName(self.tr("What was drawn or written"))
        self.draw_button.setToolTip(self.tr("Draw the text and list its segmentations"))
        self.save_button.setToolTip(
            self.tr("Write the draws to a file, the same bytes each time for one seed")
        )
        self.cancel_button.setToolTip(self.tr("Stop; no file is left half written"))
        source = QHBoxLayout()
        source.setSpacing(8)
        for widget in (self.source, self.count, self.choose_button):
            source.addWidget(widget)
        source.addStretch(1)
        form = self._rows = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.addRow(self.tr("Draw"), source)
        form.addRow("", self.what)
        form.addRow(self.tr("&Wrong bytes"), self.invalid)
        form.addRow(self.tr("&Method"), self.method)
        form.addRow("", self.how)
        form.addRow(self.tr("Write as"), self.form)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.bar, 1)
        for button in (self.cancel_button, self.draw_button, self.save_button):
            button.setAutoDefault(False)
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 14)
        column.setSpacing(12)
        column.addLayout(form)
        self._place = QStackedWidget()
        self._place.addWidget(self.table)
        self._place.addWidget(QWidget())
        column.addWidget(self._place, 1)
        column.addWidget(self.state)
        column.addLayout(foot)

    def _connect(self) -> None:
        session = self._session
        self.source.changed.connect(self._source_changed)
        self.count.entered.connect(self.refresh)
        self.method.currentIndexChanged.connect(self.refresh)
        self.choose_button.clicked.connect(self._ask_files)
        self.draw_button.clicked.connect(self.draw)
        self.save_button.clicked.connect(self._ask_place)
        self.cancel_button.clicked.connect(self.cancel)
        for signal in (
            session.active_changed,
            session.models_changed,
            session.text_changed,
            session.corpus_changed,
            session.settings_changed,
        ):
            signal.connect(self._session_changed)
        session.jobs.changed.connect(self._show_running)

    # What is asked for

    @property
    def draws(self) -> Draws | None:
        """The draws in the list."""
        return self._draws

    @property
    def running(self) -> bool:
        """Whether draws are being made or written."""
        return any(job.key == _JOB for job in self._session.jobs.running)

    def choose_method(self, method: str) -> None:
        """Draw by a method, where the model allows it."""
        at = self.method.findData(method)
        if at >= 0:
            self.method.setCurrentIndex(at)

    def choose_files(self, paths: tuple[Path, ...]) -> None:
        """Draw the lines of these files."""
        self._files, self._folder = paths, str(paths[0].parent)
        self.source.set_value("files")
        self._source_changed()

    def _manner(self) -> Manner | None:
        opened, method = self._session.active, self.method.currentData()
        if opened is None or not method:
            return None
        return Manner(opened.model, method, self._settings(), self._session.settings.seed)

    def _text_wish(self) -> TextWish | None:
        manner, session = self._manner(), self._session
        if manner is None:
            return None
        return TextWish(manner, session.text, session.settings.special, self.count.value())

    # Showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def reject(self) -> None:
        """Cancel what is running; close the dialog where there is nothing."""
        if self.running:
            self.cancel()
        else:
            super().reject()

    def _source_changed(self) -> None:
        self.state.setText(self._summary() if self.source.value() == "text" else "")
        self.refresh()

    def _session_changed(self) -> None:
        if self.isVisible():  # else it is done when the dialog is shown
            self.refresh()

    def refresh(self) -> None:
        """Show what is open and set now; draws of another wish leave the list."""
        self._list_methods()
        kind, session = self.source.value(), self._session
        self.count.setVisible(kind == "text")
        self.choose_button.setVisible(kind == "files")
        self._rows.setRowVisible(self.invalid, kind == "files")
        self.draw_button.setVisible(kind == "text")
        self._place.setCurrentIndex(0 if kind == "text" else 1)
        self.what.setText(self._what(kind))
        self.how.setText(self._how())
        wish = self._text_wish()
        if self._drawn is not None and self._drawn != wish:
            self._show_draws(None, None)
            self.state.clear()
        if self._drawing is not None and self._drawing != wish:
            self._give_up()
        ready = {"text": bool(session.text.n_bytes), "corpus": session.corpus is not None}
        able = self._manner() is not None and ready.get(kind, bool(self._files))
        self.save_button.setEnabled(able and not self.running)
        self.draw_button.setEnabled(able and not self.running)

    def _list_methods(self) -> None:
        opened = self._session.active
        able = () if opened is None else fitting(opened.model)
        if able == tuple(self.method.itemData(i) for i in range(self.method.count())):
            return
        before = self.method.currentData()
        self.method.blockSignals(True)
        self.method.clear()
        for kind in able:
            self.method.addItem(method_title(kind), kind)
        self.method.setCurrentIndex(max(0, self.method.findData(before)))
        self.method.blockSignals(False)

    def _what(self, kind: str) -> str:
        corpus = self._session.corpus
        if kind == "text":
            if not self._session.text.n_bytes:
                return self.tr("The text of the window is empty; write one there")
            return self.tr("The text of the window, so many times; a line for each draw")
        if kind == "files":
            if not self._files:
                return self.tr("No files are chosen")
            names = ", ".join(path.name for path in self._files)
            return self.tr("{files}: every line once").format(files=names)
        if corpus is None:
            return self.tr("No corpus is open; open one from the File menu")
        lines = sum(len(corpus.lines(language)) for language in corpus)
        words = self.tr("{corpus}, {lines}: every line once")
        return words.format(corpus=corpus.title or corpus.name, lines=counted(lines, "line"))

    def _how(self) -> str:
        manner = self._manner()
        if manner is None:
            return self.tr("No open model can be drawn from")
        settings = manner.settings
        parts = {
            "theta": f"θ = {settings.theta:g}",
            "dropout": f"p = {settings.dropout:.2f}",
            "nbest_size": f"ℓ = {settings.nbest_size:,}",
        }
        read = [parts[name] for name in settings_of((manner.method,))]
        seed = self.tr("seed {seed}").format(seed=manner.seed)
        return ", ".join((manner.model.name, *read, seed))

    def _show_running(self) -> None:
        running = self.running
        if self.cancel_button.isEnabled() != running:
            self.bar.setVisible(running)
            self.cancel_button.setEnabled(running)
            self.refresh()

    def _show_draws(self, draws: Draws | None, wish: TextWish | None) -> None:
        self._draws, self._drawn = draws, wish
        self.rows.set_draws(draws)
        self.table.setColumnHidden(INCLUSION, draws is None or draws.inclusion is None)

    def _summary(self) -> str:
        draws = self._draws
        if draws is None:
            return ""
        different = self.tr("{n} different").format(n=f"{len(draws.paths):,}")
        parts = [counted(len(draws), "draw"), different]
        if draws.tv_distance is not None:
            words = self.tr("distance to the exact law {distance}")
            parts.append(words.format(distance=f"{draws.tv_distance:.4f}"))
        wanted = len(draws) if self._drawn is None else self._drawn.count
        return "\n".join((", ".join(parts), *shortfall(draws, wanted)))

    # Drawing and writing

    def draw(self) -> None:
        """Draw the text in the background and list the draws."""
        wish = self._text_wish()
        if wish is None:
            return
        self._drawing = wish
        doing = self.tr("The text was not drawn")
        self._start(partial(draw_text, wish), partial(self._list, wish), doing)

    def _list(self, wish: TextWish, draws: Draws) -> None:
        """List what was drawn, if it is still what is asked for."""
        if wish != self._text_wish():
            self._give_up()
            return
        self._drawing = None
        self._show_draws(draws, wish)
        if self.source.value() == "text":
            self.state.setText(self._summary())

    def _give_up(self) -> None:
        """Leave draws that aren't wanted any more, and say so."""
        self._drawing = None
        self._session.jobs.cancel(_JOB)
        self.state.setText(
            self.tr("Model, text or settings changed before all was drawn: nothing is listed")
        )

    def write(self, path: Path) -> None:
        """Write what is asked for to a file, in the background."""
        kind, manner, wish = self.source.value(), self._manner(), self._text_wish()
        form: Form = self.form.value()  # type: ignore[assignment]
        source = self._files if kind == "files" else self._session.corpus
        work: Work
        if kind == "text" and wish is not None:
            draws = self._draws if wish == self._drawn else None
            work = partial(write_draws_of_text, wish, draws, path, form)
        elif manner is not None and source:
            invalid = self.invalid.currentData()
            work = partial(write_lines, manner, source, path, form, invalid)
        else:
            return
        doing = self.tr("{name} was not written").format(name=path.name)
        self._start(work, self._written, doing, settles=True)

    def cancel(self) -> None:
        """Stop what is running; nothing of it stays."""
        drawing, self._drawing = self._drawing, None
        if self._session.jobs.cancel(_JOB):
            written = self.tr("Cancelled; nothing was written")
            drawn = self.tr("Cancelled; nothing was drawn")
            self.state.setText(written if drawing is None else drawn)

    def _start(
        self, work: Work, done: Callable[..., object], doing: str, *, settles: bool = False
    ) -> None:
        self.state.clear()
        self.bar.set_share(None)
        job = self._session.jobs.start(
            _JOB,
            self.tr("Sampling in bulk"),
            work,
            done,
            lambda error: self._failed(error, doing),
            settles=settles,
        )
        job.progressed.connect(lambda n, total: self.bar.set_share(n / total if total else None))

    def _written(self, written: Written) -> None:
        words = self.tr("{path}: {lines}, {tokens}").format(
            path=written.path,
            lines=counted(written.lines, "line"),
            tokens=counted(written.tokens, "token"),
        )
        self.state.setText("\n".join((words, *written.notes)))

    def _failed(self, error: BaseException, doing: str) -> None:
        self._drawing = None
        fault = errors.describe(error, doing)
        if not fault.expected:
            errors.LOG.error("%s", fault.what, exc_info=error)
        self.state.setText(
            "\n".join(part for part in (fault.what, fault.where, fault.remedy) if part)
        )

    def _ask_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(
            self,
            self.tr("Texts to draw line by line"),
            self._folder,
            ";;".join((self.tr("Texts (*.txt)"), self.tr("All files (*)"))),
        )
        if names:
            self.choose_files(tuple(Path(name) for name in names))

    def _ask_place(self) -> None:
        proposal = Path(self._folder, f"sampled.{ENDINGS[self.form.value()]}")
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save the sampled texts"), str(proposal), self.tr("All files (*)")
        )
        if name:
            self._folder = str(Path(name).parent)
            self.write(Path(name))
