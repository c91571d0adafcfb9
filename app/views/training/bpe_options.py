"""What a BPE vocabulary is trained with, as controls."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget

from app.counts import counted
from app.jobs import Jobs
from app.theme import SIZE_DATA, Theme
from app.views.training.form_rows import FormRows
from app.views.training.given import GivenMerges
from app.views.training.more import MoreOptions
from app.views.training.sentences import BYTES, complaint, pre_tokenizer_names, tie_sentences
from app.widgets.segmented import SegmentedControl
from engine.encodings import PATTERNS
from engine.errors import ParameterError
from engine.train.bpe import BpeSettings, Style
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.veto import PatternVeto
from engine.train.words import NAMES

PATTERN = "pattern"
USUAL = {"bytes": "cl100k", "characters": "whitespace"}
"""Pre-tokenizers by style, until a person chooses one."""

USUAL_LEAST = 2


class BpeOptions(FormRows):
    """Base symbols, pre-tokenizer, tie rule and limits."""

    def __init__(self, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
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
        self._add_more(jobs, theme)
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

    def _add_more(self, jobs: Jobs, theme: Theme) -> None:
        self.more = MoreOptions(theme)
        self.add_rows(self.more)
        rows = self.more.rows
        self.least = rows.add_number(
            self.tr("&Lowest pair count"),
            self.tr("A pair that occurs less often never merges"),
            self.tr("times"), 1, USUAL_LEAST,
        )  # fmt: skip
        self.longest = rows.add_number(
            self.tr("Lon&gest piece"),
            self.tr("Base symbols that a piece may have; 0: as many as it likes"),
            self.tr("symbols"), 0, 0,
        )  # fmt: skip
        self.given = GivenMerges(jobs, theme)
        self.given.changed.connect(self.changed)
        tip = self.tr(
            "Merges that are done first, whatever their counts: those of a BPE model, or a list "
            "of two symbols a line"
        )
        rows.add_row(self.tr("&Begin with"), self.given, tip)
        self.veto = QLineEdit()
        self.veto.setPlaceholderText(self.tr("none"))
        self.veto.setFont(theme.piece_font(SIZE_DATA))
        self.veto.textChanged.connect(self.changed)
        tip = self.tr("A regular expression; no merge makes a piece in which it finds a match")
        rows.add_row(self.tr("&Veto"), self.veto, tip)

    @property
    def by_bytes(self) -> bool:
        """Whether bytes are the base symbols."""
        return self.style_choice.value() == "bytes"

    def _style_changed(self) -> None:
        style = self.style_choice.value()
        self.given.set_style("bytes" if self.by_bytes else "characters")
        self.mark.setEnabled(not self.by_bytes)
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
        """Return the settings as the controls have them, without given merges.

        Without a veto too where the pattern isn't one.
        """
        style: Style = "bytes" if self.by_bytes else "characters"
        veto = None
        with suppress(ParameterError):
            veto = PatternVeto(self.veto.text()) if self.veto.text() else None
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
            veto=veto,
        )

    def faults(self, settings: BpeSettings) -> dict[QWidget | None, str]:
        """Return what can't be trained so and the engine doesn't say, by control.

        None stands for the size, which is no control of these.
        """
        found: dict[QWidget | None, str] = {}
        if self.pre_tokenizer.currentData() == PATTERN and not settings.pre_tokenizer:
            found[self.pattern] = self.tr(
                "The pattern is empty: write one, or choose a pre-tokenizer by name."
            )
        if self.veto.text() and settings.veto is None:
            found[self.veto] = self._no_veto()
        if self.given.fault:
            found[self.given] = self.given.fault
        least = len(settings.specials) + (BYTES if settings.style == "bytes" else 1)
        given = self.given.count or 0
        if settings.size < least:
            if settings.style == "bytes":
                words = self.tr("The 256 bytes and the special tokens are {n} pieces already.")
            else:
                words = self.tr("A character and the special tokens are {n} pieces already.")
            found[None] = words.format(n=f"{least:,}")
        elif settings.size < least + given:
            words = self.tr("{merges} to begin with have no room: ask for at least {pieces}.")
            found[None] = words.format(
                merges=counted(given, "merge"), pieces=counted(least + given, "piece")
            )
        return found

    def _no_veto(self) -> str:
        try:
            PatternVeto(self.veto.text())
        except ParameterError as error:
            return complaint(error)
        return ""

    def suspects(self) -> dict[QWidget, dict[str, Any]]:
        """Return values that can't be wrong for what the controls set."""
        return {
            self.pattern: {"pre_tokenizer": "none"},
            self.least: {"least": 1},
            self.longest: {"longest": LONGEST},
        }
