"""What a vocabulary is trained with: the corpus and the settings, as controls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.counts import counted
from app.learning import ALGORITHMS, Request
from app.session import Session
from app.theme import SIZE_DATA, Theme
from app.views.training.bpe_options import BpeOptions
from app.views.training.form_rows import MOST, FormRows
from app.views.training.other_options import BytePieceOptions, UnigramOptions, WordPieceOptions
from app.views.training.sentences import algorithm_sentences, complaint
from app.widgets.elided import ElidedLabel
from app.widgets.segmented import SegmentedControl
from engine import bundled
from engine.errors import SegscopeError
from engine.formats.bert import SPECIALS
from engine.train.wordpiece import WordPieceSettings

USUAL_SIZE = 2_000

Options = BpeOptions | WordPieceOptions | UnigramOptions | BytePieceOptions


class TrainingForm(FormRows):
    """The corpus, the algorithm, the size, and the options of the algorithm."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._session = session
        self._chosen: tuple[Path, ...] = ()
        self._folder = ""
        self._column.setContentsMargins(16, 14, 16, 14)
        self._add_corpus()
        self._add_algorithm()
        self._add_size()
        self._add_options()
        self._column.addStretch(1)
        self._follow_session()
        self._algorithm_changed()
        session.corpus_changed.connect(self._follow_session)
        session.text_changed.connect(self._follow_session)

    # Controls

    def _add_corpus(self) -> None:
        self.add_section(self.tr("Corpus"))
        self.corpus = QComboBox()
        self.corpus.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.corpus.currentIndexChanged.connect(self._corpus_changed)
        tip = self.tr("The texts to learn from")
        self.add_row(self.tr("&Texts"), self.corpus, tip)
        self.corpus_note = ElidedLabel(
            self._theme, size=SIZE_DATA, token="ink2", mode=Qt.TextElideMode.ElideMiddle
        )
        self.corpus_note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.add_under(self.corpus_note)
        self.files_button = QPushButton(self.tr("F&iles…"))
        self.files_button.setToolTip(self.tr("Learn from text files"))
        self.files_button.clicked.connect(self._ask_files)
        self.folder_button = QPushButton(self.tr("F&older…"))
        self.folder_button.setToolTip(self.tr("Learn from all text files of a folder"))
        self.folder_button.clicked.connect(self._ask_folder)
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for button in (self.files_button, self.folder_button):
            button.setAutoDefault(False)
            row.addWidget(button, 1)
        self.add_under(buttons)
        self.invalid = QComboBox()
        self.invalid.addItem(self.tr("stop with an error"), "refuse")
        self.invalid.addItem(self.tr("leave the line out"), "skip")
        self.invalid.addItem(self.tr("put U+FFFD in their place"), "replace")
        self.invalid.addItem(self.tr("take them as bytes"), "bytes")
        self.invalid.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.invalid.currentIndexChanged.connect(self.changed)
        tip = self.tr(
            "What becomes of lines that aren't UTF-8. The error says the line and the byte; they "
            "can stay bytes only where bytes are the base symbols of BPE"
        )
        self.add_row(self.tr("&Wrong bytes"), self.invalid, tip)

    def _add_algorithm(self) -> None:
        self.add_section(self.tr("Algorithm"))
        names = [
            ("bpe", "BPE"),
            ("wordpiece", "WordPiece"),
            ("unigram", "Unigram"),
            ("bytepiece", "BytePiece"),
        ]
        self.algorithm = SegmentedControl(names, self._theme)
        self.algorithm.setAccessibleName(self.tr("Algorithm"))
        self.algorithm.changed.connect(lambda _name: self._algorithm_changed())
        self._column.addWidget(self.algorithm)
        self.algorithm_note = QLabel()
        self.algorithm_note.setWordWrap(True)
        self.algorithm_note.setProperty("role", "second")
        self._column.addWidget(self.algorithm_note)

    def _add_size(self) -> None:
        self.size_field = self.add_number(
            self.tr("Vocabulary &size"),
            self.tr("Pieces in all: base symbols, what is learnt, and special tokens"),
            self.tr("pieces"), 1, USUAL_SIZE,
        )  # fmt: skip
        self.specials = QPlainTextEdit()
        self.specials.setTabChangesFocus(True)
        self.specials.setFont(self._theme.piece_font(SIZE_DATA))
        self.specials.setPlaceholderText(self.tr("one a line"))
        self.specials.document().setDocumentMargin(8)
        self.specials.setFixedHeight(52)
        self.specials.textChanged.connect(self.changed)
        tip = self.tr("Texts that are tokens of their own, one a line")
        self.add_row(self.tr("Special to&kens"), self.specials, tip)

    def _add_options(self) -> None:
        self.bpe = BpeOptions(self._session.jobs, self._theme)
        self.wordpiece, self.unigram = WordPieceOptions(self._theme), UnigramOptions(self._theme)
        self.bytepiece = BytePieceOptions(self._theme)
        self.options: dict[str, Options] = {
            "bpe": self.bpe, "wordpiece": self.wordpiece, "unigram": self.unigram,
            "bytepiece": self.bytepiece,
        }  # fmt: skip
        for options in self.options.values():
            options.changed.connect(self.changed)
            self._column.addWidget(options)

    def _algorithm_changed(self) -> None:
        name = self.algorithm.value()
        for other, options in self.options.items():
            options.setVisible(other == name)
        self.specials.setEnabled(name != "bytepiece")
        self.algorithm_note.setText(algorithm_sentences()[name])
        self.changed.emit()

    # The corpus

    def _follow_session(self) -> None:
        """List what can be learnt from; the choice stays, though it may be gone for now."""
        session, before = self._session, self.corpus.currentData()
        self.corpus.blockSignals(True)
        self.corpus.clear()
        if session.corpus is not None or before == "corpus":
            self.corpus.addItem(self.tr("The open corpus"), "corpus")
        self.corpus.addItem(self.tr("Bundled sentences"), "bundled")
        if session.text.string or before == "text":
            self.corpus.addItem(self.tr("The text in the window"), "text")
        if self._chosen:
            self.corpus.addItem(self.tr("Chosen files and folders"), "chosen")
        place = self.corpus.findData(before)
        self.corpus.setCurrentIndex(max(place, 0))
        self.corpus.blockSignals(False)
        self._corpus_changed()

    def _corpus_changed(self) -> None:
        self.corpus_note.setText(self._about_corpus())
        self.changed.emit()

    def _about_corpus(self) -> str:
        kind, session = self.corpus.currentData(), self._session
        if kind == "corpus" and session.corpus is not None:
            name = session.corpus.title or session.corpus.name
            languages = counted(len(session.corpus), "language")
            return self.tr("{name}: {languages}").format(name=name, languages=languages)
        if kind == "corpus":
            return self.tr("no corpus is open")
        if kind == "text":
            return counted(session.text.n_bytes, "byte")
        if kind == "chosen":
            return ", ".join(path.name for path in self._chosen)
        return self.tr("one sentence after the other, in many languages")

    def _ask_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(
            self, self.tr("Texts to learn from"), self._folder,
            ";;".join((self.tr("Texts (*.txt)"), self.tr("All files (*)"))),
        )  # fmt: skip
        if names:
            self.choose([Path(name) for name in names])

    def _ask_folder(self) -> None:
        title = self.tr("A folder of texts to learn from")
        name = QFileDialog.getExistingDirectory(self, title, self._folder)
        if name:
            self.choose([Path(name)])

    def choose(self, paths: list[Path]) -> None:
        """Learn from these files and folders."""
        self._chosen, self._folder = tuple(paths), str(paths[0].parent)
        if self.corpus.findData("chosen") < 0:
            self.corpus.addItem(self.tr("Chosen files and folders"), "chosen")
        self.corpus.setCurrentIndex(self.corpus.findData("chosen"))
        self._corpus_changed()

    # What it says

    def settings(self) -> Any:
        """Return the settings as the controls have them, of the type of the algorithm."""
        lines = self.specials.toPlainText().split("\n")
        options = self.options[self.algorithm.value()]
        return options.settings(self.size_field.value(), tuple(line for line in lines if line))

    def request(self) -> Request:
        """Return the run that the controls ask for."""
        kind, session, settings = self.corpus.currentData(), self._session, self.settings()
        if kind == "text":
            return Request(settings, text=session.text.string, given=self._given)
        paths: tuple[Path, ...] = (bundled.corpus_path(),)
        if kind == "chosen":
            paths = self._chosen
        elif kind == "corpus" and session.corpus is not None:
            paths = tuple(language.path for language in session.corpus)
        return Request(settings, paths, invalid=self.invalid.currentData(), given=self._given)

    @property
    def _given(self) -> Path | None:
        return self.bpe.given.path if self.algorithm.value() == "bpe" else None

    @property
    def n_given(self) -> int:
        """Merges that are given to begin with, as far as is known."""
        return (self.bpe.given.count or 0) if self._given is not None else 0

    def faults(self) -> dict[QWidget | None, str]:
        """Return what can't be trained so, by the control that says it; None for all together."""
        settings, options = self.settings(), self.options[self.algorithm.value()]
        found: dict[QWidget | None, str] = {}
        source = self.corpus.currentData()
        if source == "text" and not self._session.text.string:
            found[self.corpus] = self.tr(
                "The text in the window is empty: type one, or choose other texts."
            )
        elif source == "corpus" and self._session.corpus is None:
            found[self.corpus] = self.tr("No corpus is open: open one, or choose other texts.")
        if isinstance(options, BpeOptions):
            for control, text in options.faults(settings).items():
                found[control or self.size_field] = text
        as_bytes = self.invalid.currentData() == "bytes"
        if as_bytes and not (isinstance(options, BpeOptions) and options.by_bytes):
            found[self.invalid] = self.tr(
                "Wrong bytes can be taken as bytes only where bytes are the base symbols: choose "
                "something else, or BPE on bytes."
            )
        check = ALGORITHMS[type(settings)].check
        try:
            check(settings)
        except SegscopeError as error:
            found.setdefault(self._culprit(settings, check), complaint(error))
        return found

    def _culprit(self, settings: Any, check: Callable[[Any], None]) -> QWidget | None:
        """Return the control without which the settings could be."""
        suspects: dict[QWidget, dict[str, Any]] = {self.size_field: {"size": MOST}}
        if self.specials.isEnabled():
            own = SPECIALS if isinstance(settings, WordPieceSettings) else ()
            suspects[self.specials] = {"specials": own}
        suspects.update(self.options[self.algorithm.value()].suspects())
        for control, values in suspects.items():
            with suppress(SegscopeError):
                check(replace(settings, **values))
                return control
        return None

    def problem(self) -> str:
        """Return what can't be trained so, "" where nothing speaks against it."""
        return next(iter(self.faults().values()), "")

    def tell_faults(self) -> None:
        """Say beside the controls what is wrong with them."""
        faults = {control: text for control, text in self.faults().items() if control is not None}
        self.show_faults(faults)
