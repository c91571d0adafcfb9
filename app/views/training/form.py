"""What a vocabulary is trained with: the corpus and the settings, as controls."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.counts import counted
from app.learning import Request
from app.session import Session
from app.theme import SIZE_DATA, Theme
from app.views.training.sentences import BYTES, pre_tokenizer_names, tie_sentences
from app.widgets.elided import ElidedLabel
from app.widgets.integer_field import IntegerField
from app.widgets.segmented import SegmentedControl
from engine import bundled
from engine.encodings import PATTERNS
from engine.errors import ParameterError
from engine.train.bpe import BpeSettings, Style, check_settings
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.words import NAMES

PATTERN = "pattern"
USUAL = {"bytes": "cl100k", "characters": "whitespace"}
"""Pre-tokenizers by style, until a person chooses one."""

MOST, USUAL_SIZE, USUAL_LEAST = 10_000_000, 2_000, 2
LABEL_WIDTH = 116


class TrainingForm(QWidget):
    """Controls with labels; `changed` on every change of what they say."""

    changed = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._chosen: tuple[Path, ...] = ()
        self._folder = ""
        self._own_pre_tokenizer = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 14, 16, 14)
        self._column.setSpacing(8)
        self._add_corpus()
        self._add_words()
        self._add_size()
        self._column.addStretch(1)
        self._follow_session()
        self._style_changed()
        session.corpus_changed.connect(self._follow_session)
        session.text_changed.connect(self._follow_session)

    # Controls

    def _add_corpus(self) -> None:
        self._add_section(self.tr("Corpus"))
        self.corpus = QComboBox()
        self.corpus.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.corpus.currentIndexChanged.connect(self._corpus_changed)
        tip = self.tr("The texts to learn from")
        self._add_row(self.tr("&Texts"), self.corpus, tip)
        self.corpus_note = ElidedLabel(
            self._theme, size=SIZE_DATA, token="ink2", mode=Qt.TextElideMode.ElideMiddle
        )
        self.corpus_note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._add_under(self.corpus_note)
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
        self._add_under(buttons)
        self.invalid = QComboBox()
        self.invalid.addItem(self.tr("stop with an error"), "refuse")
        self.invalid.addItem(self.tr("leave the line out"), "skip")
        self.invalid.addItem(self.tr("put U+FFFD in their place"), "replace")
        self.invalid.currentIndexChanged.connect(self.changed)
        tip = self.tr("What becomes of lines that aren't UTF-8")
        self._add_row(self.tr("&Wrong bytes"), self.invalid, tip)

    def _add_words(self) -> None:
        self._add_section(self.tr("Symbols and words"))
        self.style_choice = SegmentedControl(
            [("bytes", self.tr("Bytes")), ("characters", self.tr("Characters"))], self._theme
        )
        self.style_choice.changed.connect(self._style_changed)
        tip = self.tr("What pieces are made of: all 256 bytes, or the characters of the corpus")
        self._add_row(self.tr("Base symbols"), self.style_choice, tip, stretch=False)
        self.pre_tokenizer = QComboBox()
        names = pre_tokenizer_names()
        for name in (*names, *(name for name in NAMES if name not in names)):
            self.pre_tokenizer.addItem(names.get(name, name), name)
        self.pre_tokenizer.addItem(self.tr("A pattern of your own"), PATTERN)
        self.pre_tokenizer.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.pre_tokenizer.activated.connect(self._pre_tokenizer_chosen)
        self.pre_tokenizer.currentIndexChanged.connect(self._pre_tokenizer_changed)
        tip = self.tr("What cuts the texts into words; no piece reaches over two words")
        self._add_row(self.tr("&Pre-tokenizer"), self.pre_tokenizer, tip)
        self.pattern = QLineEdit(PATTERNS["gpt2"])
        self.pattern.setFont(self._theme.piece_font(SIZE_DATA))
        self.pattern.setCursorPosition(0)
        self.pattern.textChanged.connect(self.changed)
        tip = self.tr("A regular expression; its matches are the words")
        self._pattern_label = self._add_row(self.tr("Patter&n"), self.pattern, tip)
        self.mark = QLineEdit()
        self.mark.setPlaceholderText(self.tr("none"))
        self.mark.setFont(self._theme.piece_font(SIZE_DATA))
        self.mark.textChanged.connect(self.changed)
        tip = self.tr("A mark on the last character of each word, such as </w>; characters only")
        self._add_row(self.tr("&End-of-word mark"), self.mark, tip)

    def _add_size(self) -> None:
        self._add_section(self.tr("Vocabulary"))
        self.size_field = self._add_number(
            self.tr("Vocabulary &size"),
            self.tr("Pieces in all: base symbols, merges and special tokens"),
            self.tr("pieces"), 1, USUAL_SIZE,
        )  # fmt: skip
        self.tie = QComboBox()
        self.tie.addItems(list(TIE_BREAKS))
        self.tie.currentIndexChanged.connect(self._tie_changed)
        self.tie.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        tip = self.tr("Which of equally frequent pairs merges first; the model file records it")
        self._add_row(self.tr("Tie &rule"), self.tie, tip)
        self.tie_note = QLabel()
        self.tie_note.setWordWrap(True)
        self.tie_note.setProperty("role", "second")
        self._add_under(self.tie_note)
        self.least = self._add_number(
            self.tr("&Lowest pair count"),
            self.tr("A pair that occurs less often never merges"),
            self.tr("times"), 1, USUAL_LEAST,
        )  # fmt: skip
        self.longest = self._add_number(
            self.tr("Lon&gest piece"),
            self.tr("Base symbols that a piece may have; 0: as many as it likes"),
            self.tr("symbols; 0: no limit"), 0, 0,
        )  # fmt: skip
        self.specials = QPlainTextEdit()
        self.specials.setTabChangesFocus(True)
        self.specials.setFont(self._theme.piece_font(SIZE_DATA))
        self.specials.setPlaceholderText(self.tr("one a line"))
        self.specials.document().setDocumentMargin(8)
        self.specials.setFixedHeight(68)
        self.specials.textChanged.connect(self.changed)
        tip = self.tr("Texts that are tokens of their own, one a line; their ids come last")
        self._add_row(self.tr("Special to&kens"), self.specials, tip)
        self._tie_changed()

    def _add_section(self, text: str) -> None:
        label = QLabel(text)
        label.setProperty("role", "section")
        if self._column.count():
            self._column.addSpacing(8)
        self._column.addWidget(label)

    def _add_row(
        self, text: str, control: QWidget, tip: str, *, stretch: bool = True, unit: str = ""
    ) -> QLabel:
        label = QLabel(text)
        label.setBuddy(control)
        label.setFixedWidth(LABEL_WIDTH)
        label.setToolTip(tip)
        control.setToolTip(tip)
        control.setAccessibleName(text.replace("&", ""))
        control.setAccessibleDescription(tip)
        row = QHBoxLayout()
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        tall = isinstance(control, QPlainTextEdit)
        row.addWidget(label, 0, top if tall else Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(control, 1 if stretch else 0)
        if unit:
            after = QLabel(unit)
            after.setProperty("role", "second")
            row.addWidget(after)
        if not stretch:
            row.addStretch(1)
        self._column.addLayout(row)
        return label

    def _add_number(self, text: str, tip: str, unit: str, low: int, value: int) -> IntegerField:
        field = IntegerField(low, MOST, text.replace("&", ""))
        field.set_value(value)
        field.entered.connect(lambda _value: self.changed.emit())
        self._add_row(text, field, tip, stretch=False, unit=unit)
        return field

    def _add_under(self, widget: QWidget) -> None:
        """Put a widget under the controls."""
        row = QHBoxLayout()
        row.addSpacing(LABEL_WIDTH + 8)
        row.addWidget(widget, 1)
        self._column.addLayout(row)

    # The corpus

    def _follow_session(self) -> None:
        """List what can be learnt from; the choice stays while it is there."""
        session, before = self._session, self.corpus.currentData()
        self.corpus.blockSignals(True)
        self.corpus.clear()
        if session.corpus is not None:
            self.corpus.addItem(self.tr("The open corpus"), "corpus")
        self.corpus.addItem(self.tr("Bundled sentences"), "bundled")
        if session.text.string:
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
            return f"{name}: {counted(len(session.corpus), 'language')}"
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

    # Words and size

    def _style_changed(self) -> None:
        style = self.style_choice.value()
        self.mark.setEnabled(style == "characters")
        if not self._own_pre_tokenizer:
            self.pre_tokenizer.setCurrentIndex(self.pre_tokenizer.findData(USUAL[style]))
        self._pre_tokenizer_changed()

    def _pre_tokenizer_chosen(self) -> None:
        self._own_pre_tokenizer = True

    def _pre_tokenizer_changed(self) -> None:
        own = self.pre_tokenizer.currentData() == PATTERN
        self.pattern.setVisible(own)
        self._pattern_label.setVisible(own)
        self.changed.emit()

    def _tie_changed(self) -> None:
        self.tie_note.setText(tie_sentences()[self.tie.currentText()])
        self.changed.emit()

    # What it says

    def settings(self) -> BpeSettings:
        """Return the settings as the controls have them."""
        style: Style = "bytes" if self.style_choice.value() == "bytes" else "characters"
        name = self.pre_tokenizer.currentData()
        lines = self.specials.toPlainText().split("\n")
        return BpeSettings(
            self.size_field.value(),
            style,
            self.pattern.text() if name == PATTERN else name,
            self.mark.text() if style == "characters" else "",
            tuple(line for line in lines if line),
            TIE_BREAKS[self.tie.currentIndex()],
            self.least.value(),
            self.longest.value() or LONGEST,
        )

    def request(self) -> Request:
        """Return the run that the controls ask for."""
        kind, session, settings = self.corpus.currentData(), self._session, self.settings()
        if kind == "text":
            return Request(settings, text=session.text.string)
        paths: tuple[Path, ...] = (bundled.corpus_path(),)
        if kind == "chosen":
            paths = self._chosen
        elif kind == "corpus" and session.corpus is not None:
            paths = tuple(language.path for language in session.corpus)
        return Request(settings, paths, invalid=self.invalid.currentData())

    def problem(self) -> str:
        """Return what can't be trained so, "" where nothing speaks against it."""
        settings = self.settings()
        if self.pre_tokenizer.currentData() == PATTERN and not settings.pre_tokenizer:
            return self.tr("The pattern is empty: write one, or choose a pre-tokenizer by name.")
        least = len(settings.specials) + (BYTES if settings.style == "bytes" else 1)
        if settings.size < least:
            if settings.style == "bytes":
                words = self.tr("The 256 bytes and the special tokens are {n} pieces already.")
            else:
                words = self.tr("A character and the special tokens are {n} pieces already.")
            return words.format(n=f"{least:,}")
        try:
            check_settings(settings)
        except ParameterError as error:
            parts = (error.what[:1].upper() + error.what[1:], error.where, error.remedy)
            return "; ".join(part for part in parts if part) + "."
        return ""
