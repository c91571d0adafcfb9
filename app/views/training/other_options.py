"""What WordPiece, Unigram and BytePiece vocabularies are trained with, as controls."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from app.theme import Theme
from app.views.training.form_rows import FormRows
from app.views.training.more import MoreOptions
from engine.formats.bert import SPECIALS
from engine.train.bytepiece import BytePieceSettings
from engine.train.merges import LONGEST, SELECTS, TIE_BREAKS
from engine.train.scripts import Constraints
from engine.train.unigram import RULES, UnigramSettings
from engine.train.wordpiece import PRE_TOKENIZERS, WordPieceSettings
from engine.train.wordpiece_words import Cleaning


class WordPieceOptions(FormRows):
    """How words are cut, and which pair merges next."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.add_section(self.tr("Words"))
        self.pre_tokenizer = self.add_choice(
            self.tr("&Pre-tokenizer"),
            self.tr("What cuts the texts into words; no piece reaches over two words"),
            {
                "bert": self.tr("bert: at spaces and round punctuation"),
                "whitespace": self.tr("whitespace: at spaces, texts as they are"),
            },
        )
        self.lower_case = self.add_check(
            self.tr("Lower &case, no accents"),
            self.tr("Texts are lower-cased and lose their accents first, as for BERT uncased"),
            on=False,
        )
        self.add_section(self.tr("Merges"))
        names = {
            "likelihood": self.tr("likelihood: more often together than by chance"),
            "frequency": self.tr("frequency: most often together, as BPE"),
        }
        self.select = self.add_choice(
            self.tr("C&hosen by"), self.tr("Which pair of neighbours merges next"), names
        )
        assert set(names) == set(SELECTS)
        rules = [rule for rule in TIE_BREAKS if rule != "first-seen"]
        self.tie = self.add_choice(
            self.tr("Tie &rule"), self.tr("Which of equal pairs merges first"),
            {rule: rule for rule in rules},
        )  # fmt: skip
        self._add_more(theme)
        assert set(PRE_TOKENIZERS) == {"bert", "whitespace"}
        self.changed.connect(self._allow)
        self._allow()

    def _add_more(self, theme: Theme) -> None:
        usual = WordPieceSettings(0)
        self.more = MoreOptions(theme)
        self.add_rows(self.more)
        rows = self.more.rows
        self.least = rows.add_number(
            self.tr("&Lowest pair count"),
            self.tr("A pair that occurs less often never merges"),
            self.tr("times"), 1, usual.least,
        )  # fmt: skip
        self.longest = rows.add_number(
            self.tr("Lon&gest piece"),
            self.tr("Characters that a piece may have; 0: as many as it likes"),
            self.tr("characters"), 0, 0,
        )  # fmt: skip
        self.longest_word = rows.add_number(
            self.tr("Longest wor&d"),
            self.tr("A longer word is unknown as a whole, and nothing is learnt from it"),
            self.tr("characters"), 1, usual.longest_word,
        )  # fmt: skip
        self.alphabet = rows.add_number(
            self.tr("Alpha&bet"),
            self.tr(
                "Characters at most, the most frequent ones; nothing is learnt from words with "
                "others; 0: all characters"
            ),
            self.tr("characters"), 0, 0,
        )  # fmt: skip
        names = {
            None: self.tr("go with lower case"),
            False: self.tr("are kept"),
            True: self.tr("go"),
        }
        self.accents = rows.add_choice(
            self.tr("Acce&nts"), self.tr("What becomes of accents before words are cut"), names
        )
        self.spaced_chinese = rows.add_check(
            self.tr("Chinese characters apart"),
            self.tr("Each Chinese character is a word, as for BERT; else they are like others"),
            on=True,
        )

    def _allow(self) -> None:
        cleans = self.pre_tokenizer.currentData() == "bert"
        for control in (self.lower_case, self.accents, self.spaced_chinese):
            control.setEnabled(cleans)

    def settings(self, size: int, specials: tuple[str, ...]) -> WordPieceSettings:
        """Return the settings as the controls have them; BERT's special tokens come first."""
        pre_tokenizer = self.pre_tokenizer.currentData()
        cleaning = Cleaning(
            self.lower_case.isChecked(),
            self.accents.currentData(),
            self.spaced_chinese.isChecked(),
        )
        return WordPieceSettings(
            size,
            pre_tokenizer,
            cleaning if pre_tokenizer == "bert" else Cleaning(),
            (*SPECIALS, *(text for text in specials if text not in SPECIALS)),
            self.select.currentData(),
            self.tie.currentData(),
            self.least.value(),
            self.longest.value() or LONGEST,
            self.longest_word.value(),
            self.alphabet.value() or None,
        )

    def suspects(self) -> dict[QWidget, dict[str, Any]]:
        """Return values that can't be wrong for what the controls set."""
        return {self.least: {"least": 1}, self.longest: {"longest": LONGEST}}


class UnigramOptions(FormRows):
    """How texts are prepared, and what a piece may hold."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        usual = UnigramSettings(0)
        self.add_section(self.tr("Texts"))
        self.normalizer = self.add_choice(
            self.tr("&Normalizer"), self.tr("What texts go through first; SentencePiece's names"),
            {rule: rule for rule in RULES},
        )  # fmt: skip
        self.prefix = self.add_check(
            self.tr("▁ before each line"),
            self.tr("A word at the start of a line is the same as one after a space"),
            on=usual.prefix,
        )
        self.coverage = self.add_share(
            self.tr("Co&verage"),
            self.tr("The share of the corpus's characters that get a piece of their own, up to 1"),
            usual.coverage,
            whole=True,
        )
        self.fallback = self.add_check(
            self.tr("Other ones as &bytes"),
            self.tr("256 pieces for the bytes of characters that have no piece; else unknown"),
            on=usual.byte_fallback,
        )
        self.add_section(self.tr("Pieces"))
        self.longest = self.add_number(
            self.tr("Lon&gest piece"), self.tr("Characters that a piece may have, 1 to 32"),
            self.tr("characters"), 1, usual.longest,
        )  # fmt: skip
        self.by_space = self.add_check(
            self.tr("Cut at spaces"), self.tr("No piece reaches over two words"), on=True
        )
        self.by_script = self.add_check(
            self.tr("Cut between scripts"),
            self.tr("No piece holds letters of two scripts"),
            on=True,
        )
        self.by_number = self.add_check(
            self.tr("Cut digits from letters"),
            self.tr("No piece holds digits and letters"), on=True,
        )  # fmt: skip
        self.single_digits = self.add_check(
            self.tr("Each digit by itself"), self.tr("No piece holds two digits"), on=False
        )
        self._add_more(theme, usual)

    def _add_more(self, theme: Theme, usual: UnigramSettings) -> None:
        self.more = MoreOptions(theme)
        self.add_rows(self.more)
        rows = self.more.rows
        self.keep_spaces = rows.add_check(
            self.tr("Keep every space"),
            self.tr("Else spaces at the ends of a line go, and all but one of a run"),
            on=not usual.single_spaces,
        )
        self.seeds = rows.add_number(
            self.tr("See&d pieces"),
            self.tr("Frequent substrings to begin with, at most"),
            self.tr("pieces"), 0, usual.seeds,
        )  # fmt: skip
        self.shrink = rows.add_share(
            self.tr("Share &left"),
            self.tr("The share of the pieces that a round leaves, under 1"),
            usual.shrink,
            whole=False,
        )
        self.steps = rows.add_number(
            self.tr("EM st&eps"),
            self.tr("How often a round fits the probabilities before it drops pieces"),
            self.tr("in each round"), 1, usual.steps,
        )  # fmt: skip

    def settings(self, size: int, specials: tuple[str, ...]) -> UnigramSettings:
        """Return the settings as the controls have them."""
        return UnigramSettings(
            size,
            self.normalizer.currentData(),
            self.prefix.isChecked(),
            not self.keep_spaces.isChecked(),
            self.coverage.share,
            byte_fallback=self.fallback.isChecked(),
            specials=specials,
            constraints=Constraints(
                self.by_space.isChecked(),
                self.by_script.isChecked(),
                self.by_number.isChecked(),
                self.single_digits.isChecked(),
            ),
            longest=self.longest.value(),
            seeds=self.seeds.value(),
            shrink=self.shrink.share,
            steps=self.steps.value(),
        )

    def suspects(self) -> dict[QWidget, dict[str, Any]]:
        """Return values that can't be wrong for what the controls set."""
        return {self.longest: {"longest": 1}}


class BytePieceOptions(FormRows):
    """What a piece may be."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        usual = BytePieceSettings(0)
        self.add_section(self.tr("Pieces"))
        self.least = self.add_number(
            self.tr("&Lowest count"),
            self.tr("What occurs less often becomes no piece, single bytes excepted"),
            self.tr("times"), 1, usual.least,
        )  # fmt: skip
        self.longest = self.add_number(
            self.tr("Lon&gest piece"), self.tr("Bytes that a piece may have"),
            self.tr("bytes"), 1, usual.longest,
        )  # fmt: skip
        self.whole_characters = self.add_check(
            self.tr("Whole characters"),
            self.tr("No piece but single bytes begins or ends inside a character"),
            on=usual.whole_characters,
        )
        self.single_digits = self.add_check(
            self.tr("Each digit by itself"),
            self.tr("No piece holds a digit beside anything"),
            on=usual.single_digits,
        )

    def settings(self, size: int, _specials: tuple[str, ...]) -> BytePieceSettings:
        """Return the settings as the controls have them; special tokens are always the same."""
        return BytePieceSettings(
            size,
            self.least.value(),
            self.longest.value(),
            self.whole_characters.isChecked(),
            self.single_digits.isChecked(),
        )

    def suspects(self) -> dict[QWidget, dict[str, Any]]:
        """Return values that can't be wrong for what the controls set."""
        return {self.least: {"least": 1}, self.longest: {"longest": 1}}
