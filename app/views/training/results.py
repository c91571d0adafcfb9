"""What can be done with a trained vocabulary: save it, open it, export its record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QPushButton, QWidget

from app.learning import Outcome, export_apart, save_apart
from app.reading import read_by
from app.session import Session
from app.theme import Theme
from app.views.training.saving import ENDINGS, ask, check_place, format_names, proposal
from engine.errors import ParameterError
from engine.files import check_over
from engine.progress import Report
from engine.train.bpe import BpeSettings
from engine.train.kinds import KINDS
from engine.train.save import places

Saved = tuple[tuple[str, ...], dict[Path, str]]
"""Notes on a vocabulary that was saved, and its files, links followed."""

Then = Callable[[Path], object]


class ResultBar(QWidget):
    """The buttons under the table. A format that can't hold the vocabulary says why in its tip."""

    saved = Signal(object, object)
    """The path of a vocabulary that was saved, and notes on it."""
    kept = Signal(object)
    """The outcome whose vocabulary was saved."""
    exported = Signal(object)
    """The path of a record."""
    open_wanted = Signal(object)
    failed = Signal(object, str)
    """An error, and what was being done."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs, self._theme = session, session.jobs, theme
        self._outcome: Outcome | None = None
        self._vocabularies: dict[Path, str] = {}
        self._records: dict[Path, str] = {}
        self._folder = ""
        self._kept: tuple[Outcome | None, Path | None] = (None, None)
        self.format = QComboBox()
        self.format.setAccessibleName(self.tr("Format"))
        self.format.setToolTip(self.tr("The format that the vocabulary is saved in"))
        self._kind: type = BpeSettings
        self._list_formats()
        label = QLabel(self.tr("&Format"))
        label.setBuddy(self.format)
        self.save_button = QPushButton(self.tr("Save &as…"))
        self.save_button.setToolTip(self.tr("Write the vocabulary to a model file"))
        self.open_button = QPushButton(self.tr("&Open"))
        self.open_button.setToolTip(
            self.tr(
                "Open the saved vocabulary in the main window; it is saved first where it isn't yet"
            )
        )
        self.export_button = QPushButton(self.tr("E&xport the record…"))
        self.export_button.setToolTip(self.tr("Write a row for each step as CSV or JSON"))
        self.save_button.clicked.connect(lambda _checked: self.save_as())
        self.open_button.clicked.connect(self._open)
        self.export_menu = QMenu(self)
        plain = self.export_menu.addAction(self.tr("A row for each step…"))
        plain.triggered.connect(lambda _checked: self._export())
        with_ties = self.export_menu.addAction(self.tr("With the whole tie sets…"))
        with_ties.setToolTip(
            self.tr("Each merge with all pairs that were as good; the run is done again for it")
        )
        with_ties.triggered.connect(lambda: self._export(ties=True))
        self.export_menu.setToolTipsVisible(True)
        self.export_button.clicked.connect(self._ask_export)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 14)
        row.setSpacing(8)
        row.addWidget(label)
        row.addWidget(self.format)
        for button in (self.save_button, self.open_button):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.export_button)
        self.set_outcome(None)

    def _list_formats(self) -> None:
        self.format.clear()
        for name, words in format_names(self._kind).items():
            self.format.addItem(words, name)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def set_outcome(self, outcome: Outcome | None) -> None:
        """Offer another vocabulary, or none."""
        self._outcome = outcome
        if outcome is not None and type(outcome.trained.settings) is not self._kind:
            self._kind = type(outcome.trained.settings)
            self._list_formats()
        for widget in (self.format, self.save_button, self.open_button, self.export_button):
            widget.setEnabled(outcome is not None)
        refusals = {} if outcome is None else outcome.refusals
        items = self.format.model()
        assert isinstance(items, QStandardItemModel)
        for row in range(self.format.count()):
            name = self.format.itemData(row)
            reason = refusals.get(name, "")
            items.item(row).setEnabled(not reason)
            self.format.setItemData(row, reason, Qt.ItemDataRole.ToolTipRole)
        if self.format.currentData() in refusals:
            able = [name for name in format_names(self._kind) if name not in refusals]
            self.format.setCurrentIndex(self.format.findData(able[0]) if able else 0)
        self.save_button.setEnabled(outcome is not None and len(refusals) < self.format.count())

    @property
    def place(self) -> Path | None:
        """Where the vocabulary was saved last."""
        outcome, path = self._kept
        return path if outcome is self._outcome else None

    def _open(self) -> None:
        if self.place is not None:
            self.open_wanted.emit(self.place)
        else:
            self.save_as(self.open_wanted.emit)

    def save_as(self, then: Then = lambda _path: None) -> None:
        """Ask for a place, save the vocabulary there, and then do what is asked for."""
        name = self.format.currentData()
        kinds = {ENDINGS[name]: self.format.currentText()}
        title = self.tr("Save the vocabulary")
        path = ask(self, title, self._folder, proposal(name, self._kind), kinds)
        if path is not None:
            self.save_to(path, name, then)

    def save_to(self, path: Path, format_name: str, then: Then = lambda _path: None) -> None:
        """Write the vocabulary to a file in the background. then: called once it is saved."""
        outcome = self._outcome
        if outcome is None:
            return
        self._folder = str(path.parent)
        doing = self.tr("{name} was not saved").format(name=path.name)
        try:
            check_place(path, format_name)
        except ParameterError as error:
            self.failed.emit(error, doing)
            return

        reads = read_by(self._session)
        saved, records = dict(self._vocabularies), dict(self._records)

        def work(report: Report, settle: Callable[[], object]) -> Saved:
            # What was saved here may be saved anew, though it is open by now.
            others = {file: what for file, what in reads().items() if file not in saved}
            written = dict.fromkeys(places(path, format_name), "the vocabulary")
            check_over(written, others | outcome.read | records)
            notes = save_apart(outcome.trained, path, format_name, report, settle)
            return notes, {file.resolve(): what for file, what in written.items()}

        def done(made: Saved) -> None:
            notes, files = made
            self._vocabularies |= files
            self._kept = outcome, path
            self.kept.emit(outcome)
            self.saved.emit(path, notes)
            then(path)

        self._jobs.start(
            f"save {path}", self.tr("Saving {name}").format(name=path.name), work, done,
            lambda error: self.failed.emit(error, doing), settles=True,
        )  # fmt: skip

    def _ask_export(self) -> None:
        """Ask what the record is to hold, where there is a choice."""
        if KINDS[self._kind].record_ties is None:
            self._export()
            return
        above = self.export_menu.sizeHint().height()
        self.export_menu.popup(self.export_button.mapToGlobal(QPoint(0, -above)))

    def _export(self, *, ties: bool = False) -> None:
        kinds = {"csv": self.tr("Table, a row for each step"), "json": self.tr("JSON")}
        path = ask(self, self.tr("Export the record"), self._folder, "record.csv", kinds)
        if path is not None:
            self.export_to(path, ties=ties)

    def export_to(self, path: Path, *, ties: bool = False) -> None:
        """Write the record to a file in the background, as CSV or JSON by its ending.

        ties: with the whole tie set of each merge.
        """
        outcome = self._outcome
        if outcome is None:
            return
        self._folder = str(path.parent)
        doing = self.tr("{name} was not saved").format(name=path.name)

        reads, saved = read_by(self._session), dict(self._vocabularies)

        def work(report: Report, settle: Callable[[], object]) -> None:
            check_over({path: "the record"}, reads() | outcome.read | saved)
            export_apart(outcome.trained, path, ties, report, settle)

        def done(_: None) -> None:
            self._records[path] = "the record"
            self.exported.emit(path)

        self._jobs.start(
            f"save {path}", self.tr("Saving {name}").format(name=path.name), work, done,
            lambda error: self.failed.emit(error, doing), settles=True,
        )  # fmt: skip
