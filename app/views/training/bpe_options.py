"""What a BPE vocabulary is trained with, as controls."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget

from app.theme import SIZE_DATA, Theme
from app.views.training.form_rows import FormRows
from app.views.training.sentences import BYTES, pre_tokenizer_names, tie_sentences
from app.widgets.segmented import SegmentedControl
from engine.encodings import PATTERNS
from engine.train.bpe import BpeSettings, Style
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.words import NAMES

PATTERN = "pattern"
USUAL = {"bytes": "cl100k", "characters": "whitespace"}
"""Pre-tokenizers by style, until a person chooses one."""

USUAL_LEAST = 2


class BpeOptions(FormRows):
    """Base symbols, pre-tokenizer, tie rule and limits."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._own_pre_tokenizer = False
        self.add_section(self.tr("Symbols and words"))
        self.style_choice = SegmentedControl(
            [("bytes", self.tr("Bytes")), ("characters", self.tr("Characters"))], theme
        )
        self.style_choice.changed.connect(self._style_changed)
        tip = self.tr("What pieces are made of: all 256 bytes, or the characters of the corpus")
        self.add_row(self.tr("Base symbols"), self.style_choice, tip, stretch=False)
        self._add_words(theme)
        self.add_section(self.tr("Merges"))
        self.tie = QComboBox()
        self.tie.addItems(list(TIE_BREAKS))
        self.tie.currentIndexChanged.connect(self._tie_changed)
        self.tie.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        tip = self.tr("Which of equally frequent pairs merges first; the model file records it")
        self.add_row(self.tr("Tie &rule"), self.tie, tip)
        self.tie_note = self.add_note()
        self.least = self.add_number(
            self.tr("&Lowest pair count"),
            self.tr("A pair that occurs less often never merges"),
            self.tr("times"), 1, USUAL_LEAST,
        )  # fmt: skip
        self.longest = self.add_number(
            self.tr("Lon&gest piece"),
            self.tr("Base symbols that a piece may have; 0: as many as it likes"),
            self.tr("symbols; 0: no limit"), 0, 0,
        )  # fmt: skip
        self._style_changed()
        self._tie_changed()

    def _add_words(self, theme: Theme) -> None:
        self.pre_tokenizer = QComboBox()
        names = pre_tokenizer_names()
        for name in (*names, *(name for name in NAMES if name not in names)):
            self.pre_tokenizer.addItem(names.get(name, name), name)
        self.pre_tokenizer.addItem(self.tr("A pattern of your own"), PATTERN)
        self.pre_tokenizer.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.pre_tokenizer.activated.connect(self._pre_tokenizer_chosen)
        self.pre_tokenizer.currentIndexChanged.connect(self._pre_tokenizer_changed)
        tip = self.tr("What cuts the texts into words; no piece reaches over two words")
        self.add_row(self.tr("&Pre-tokenizer"), self.pre_tokenizer, tip)
        self.pattern = QLineEdit(PATTERNS["gpt2"])
        self.pattern.setFont(theme.piece_font(SIZE_DATA))
        self.pattern.setCursorPosition(0)
        self.pattern.textChanged.connect(self.changed)
        tip = self.tr("A regular expression; its matches are the words")
        self._pattern_label = self.add_row(self.tr("Patter&n"), self.pattern, tip)
        self.mark = QLineEdit()
        self.mark.setPlaceholderText(self.tr("none"))
        self.mark.setFont(theme.piece_font(SIZE_DATA))
        self.mark.textChanged.connect(self.changed)
        tip = self.tr("A mark on the last character of each word, such as </w>; characters only")
        self.add_row(self.tr("&End-of-word mark"), self.mark, tip)

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

    def settings(self, size: int, specials: tuple[str, ...]) -> BpeSettings:
        """Return the settings as the controls have them."""
        style: Style = "bytes" if self.style_choice.value() == "bytes" else "characters"
        name = self.pre_tokenizer.currentData()
        return BpeSettings(
            size,
            style,
            self.pattern.text() if name == PATTERN else name,
            self.mark.text() if style == "characters" else "",
            specials,
            TIE_BREAKS[self.tie.currentIndex()],
            self.least.value(),
            self.longest.value() or LONGEST,
        )

    def problem(self, settings: BpeSettings) -> str:
        """Return what can't be trained so and the engine doesn't say, "" for nothing."""
        if self.pre_tokenizer.currentData() == PATTERN and not settings.pre_tokenizer:
            return self.tr("The pattern is empty: write one, or choose a pre-tokenizer by name.")
        least = len(settings.specials) + (BYTES if settings.style == "bytes" else 1)
        if settings.size >= least:
            return ""
        if settings.style == "bytes":
            words = self.tr("The 256 bytes and the special tokens are {n} pieces already.")
        else:
            words = self.tr("A character and the special tokens are {n} pieces already.")
        return words.format(n=f"{least:,}")
