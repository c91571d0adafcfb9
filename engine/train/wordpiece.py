"""A WordPiece vocabulary trained from texts.

Schuster & Nakajima, "Japanese and Korean Voice Search" (ICASSP 2012): begin with characters, and
join the pair of neighbours that makes the training text most likely, over and over. As it is
commonly told, that is the pair of the highest count(ab) / (count(a) · count(b)). The trainer of
the `tokenizers` library takes the most frequent pair instead, as BPE does; both are here.

The quotient favours what is rare: with `least` at 2, letters that stand together twice and never
apart come first. What it learns compresses text worse than what frequency learns; a higher `least`
brings the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError, TrainingError
from engine.formats.bert import SPECIALS, UNKNOWN
from engine.pieces import Vocabulary
from engine.progress import Report, silent
from engine.terminal import counted
from engine.train.merges import (
    LONGEST,
    LearntMerges,
    Rules,
    Select,
    TieBreak,
    Veto,
    Watch,
    check_rules,
    learn_merges,
)
from engine.train.wordpiece_words import (
    Cleaning,
    PreTokenizer,
    WordPieceUnits,
    count_wordpiece_words,
    wordpiece_units,
)
from engine.train.words import Words
from engine.wordpiece import WordPiece

MARK = "##"
"""What continuation pieces are written with."""

PRE_TOKENIZERS: tuple[PreTokenizer, ...] = ("bert", "whitespace")


@dataclass(frozen=True)
class WordPieceSettings:
    """How a WordPiece vocabulary is trained.

    size: pieces of the vocabulary: special tokens, base symbols and merges. pre_tokenizer: `bert`
    splits at white space and around punctuation after `cleaning`, `whitespace` takes text as it is
    and splits at white space. specials: texts of special tokens, ids 0 and up; one is `[UNK]`.
    select, tie_break: which pair merges next, see `engine.train.merges`; texts are compared without
    the mark, and of equal ones the piece for the start of a word comes first. least: the lowest
    count of a pair that merges. longest: characters of the longest piece. longest_word: a longer
    word is unknown as a whole, and not learnt from. alphabet: characters at most, the most
    frequent; words with others aren't learnt from; None takes all. No piece for the start of a word
    begins with the mark, and none is a special token's text.
    """

    size: int
    pre_tokenizer: PreTokenizer = "bert"
    cleaning: Cleaning = field(default_factory=Cleaning)
    specials: tuple[str, ...] = SPECIALS
    select: Select = "likelihood"
    tie_break: TieBreak = "lexicographic-smallest"
    least: int = 2
    longest: int = LONGEST
    longest_word: int = 100
    alphabet: int | None = None


@dataclass(frozen=True, eq=False)
class TrainedWordPiece:
    """A trained vocabulary. Ids: special tokens, then base symbols, then merges as learnt."""

    settings: WordPieceSettings
    words: Words
    symbols: WordPieceUnits
    merges: LearntMerges

    @property
    def size(self) -> int:
        """Pieces of the vocabulary."""
        return len(self.settings.specials) + len(self.merges.base) + len(self.merges)

    @cached_property
    def continues(self) -> NDArray[np.bool_]:
        """Whether each symbol stands inside a word, bool[base symbols and merges]."""
        base = len(self.merges.base)
        inside = [i >= self.symbols.inside for i in range(base)]
        for left in self.merges.left.tolist():
            inside.append(inside[left])
        return np.array(inside, dtype=np.bool_)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """The pieces by id, as a vocab.txt writes them."""
        marks = ("", MARK)
        own = zip(self.merges.symbols, self.continues.tolist(), strict=True)
        return (
            *self.settings.specials,
            *(marks[inside] + symbol.decode() for symbol, inside in own),
        )

    @property
    def bytes_per_token(self) -> NDArray[np.float64]:
        """Bytes of the corpus over its tokens, float64[m + 1]: before any merge, after each.

        Tokens are what the merges make of each word; one that isn't learnt from is one token.
        """
        tokens = self.merges.tokens + self.symbols.left_out
        return self.words.n_bytes / np.maximum(tokens, 1)

    @cached_property
    def n_tokens(self) -> int:
        """Tokens of the corpus, cut with the vocabulary: each time the longest piece that fits."""
        words, specials = self.words, self.settings.specials
        data = [special.encode() for special in specials]
        inside = np.concatenate((np.zeros(len(specials), dtype=np.bool_), self.continues))
        vocabulary = Vocabulary.build(
            [*data, *self.merges.symbols], np.zeros(self.size), None, inside, mark=MARK
        )
        rule = WordPiece(vocabulary, specials.index(UNKNOWN), self.settings.longest_word)
        cut = rule.segment(words.data, words.offsets[:-1], words.offsets[1:])
        word = np.searchsorted(words.offsets, cut.starts, side="right") - 1
        return int(words.counts[word].sum())

    @property
    def summary(self) -> str:
        """What the size is the sum of."""
        base, merges = len(self.merges.base), len(self.merges)
        parts = [
            counted(len(self.settings.specials), "special token"),
            counted(base, "character"),
            counted(merges, "merge"),
        ]
        return f"{counted(self.size, 'piece')} = {' + '.join(parts)}"


def train_wordpiece(
    texts: Iterable[str],
    settings: WordPieceSettings,
    report: Report = silent,
    watch: Callable[[TrainedWordPiece], None] | None = None,
) -> TrainedWordPiece:
    """Train a WordPiece vocabulary.

    The same texts and settings give the same vocabulary, in every process and in whatever order
    the texts come. report: called while words are counted with (characters, 0), then with merges
    done and wanted. watch: called while merges are learnt, with the vocabulary as it is then.
    Raises `TrainingError` for texts without a word to learn from, and for a size that special
    tokens and characters already exceed; `ParameterError` for settings that can't be.
    """
    check_settings(settings)
    words = count_wordpiece_words(texts, settings.pre_tokenizer, settings.cleaning, report)
    symbols = wordpiece_units(words, settings.longest_word, settings.alphabet)
    if not len(symbols.units):
        _refuse_empty(words, settings)
    base = len(symbols.units.base)
    least = base + len(settings.specials)
    if settings.size < least:
        raise TrainingError(
            f"a vocabulary of {settings.size:,} pieces is smaller than its "
            f"{counted(base, 'character')} (those inside words count apart) and "
            f"{counted(len(settings.specials), 'special token')}",
            "",
            f"ask for at least {least:,}, or for a smaller alphabet",
        )
    rules = Rules(
        settings.size - least,
        settings.tie_break,
        settings.least,
        settings.longest,
        veto=_veto(words, symbols, settings),
        select=settings.select,
    )
    so_far: Watch | None = None
    if watch is not None:
        so_far = lambda learnt: watch(  # noqa: E731
            TrainedWordPiece(settings, words, symbols, learnt)
        )
    merges = learn_merges(symbols.units, rules, report, so_far)
    return TrainedWordPiece(settings, words, symbols, merges)


def _refuse_empty(words: Words, settings: WordPieceSettings) -> None:
    lines = counted(words.n_texts, "line")
    if len(words):
        raise TrainingError(
            f"no word of the corpus has at most {counted(settings.longest_word, 'character')} "
            "of the alphabet",
            lines,
            "allow longer words or more characters, or split the text otherwise",
        )
    raise TrainingError("the corpus holds no word", lines, "give a text that isn't empty")


def _veto(words: Words, symbols: WordPieceUnits, settings: WordPieceSettings) -> Veto | None:
    """Return what keeps pieces from being written as a special token is, or as others are.

    Raises `TrainingError` for a special token that is written as a base symbol is.
    """
    mark = MARK.encode()
    written = {special.encode() for special in settings.specials}
    base = symbols.units.base
    single = {*base[: symbols.inside], *(mark + symbol for symbol in base[symbols.inside :])}
    clash = written & single
    if clash:
        raise TrainingError(
            f"the special token {min(clash).decode()!r} is a base symbol too",
            "",
            "choose another text for it",
        )
    texts = written | {special.removeprefix(mark) for special in written}
    # To ask before each merge takes time, so nobody is asked where no word holds such a text.
    whole = words.data.tobytes()
    held = {text for text in texts if text in whole}
    if not held and mark not in whole:
        return None

    def barred(left: bytes, right: bytes) -> bool:
        text = left + right
        return text in held or (text.startswith(mark) and text != mark)

    return barred


def check_settings(settings: WordPieceSettings) -> None:
    """Raise `ParameterError` for settings that can't be, whatever the texts."""
    for text in settings.specials:
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise ParameterError(
                f"{text!r} isn't Unicode text", "", "leave out what isn't valid UTF-8"
            )
        if not text.strip() or "\n" in text or "\r" in text:
            raise ParameterError(
                f"a special token {text!r}", "", "give one that is a line of text by itself"
            )
    if len(set(settings.specials)) < len(settings.specials):
        raise ParameterError(
            "special tokens are named twice", ", ".join(settings.specials), "name each once"
        )
    if UNKNOWN not in settings.specials:
        raise ParameterError(
            f"no special token is {UNKNOWN}", "", "add it: words that can't be cut become it"
        )
    if settings.pre_tokenizer not in PRE_TOKENIZERS:
        names = ", ".join(PRE_TOKENIZERS)
        raise ParameterError(
            f"no pre-tokenizer {settings.pre_tokenizer!r} for WordPiece", "", f"choose of {names}"
        )
    if settings.pre_tokenizer == "whitespace" and settings.cleaning != Cleaning():
        raise ParameterError(
            "splitting at white space alone takes text as it is",
            "",
            "leave lower case, accents and Chinese characters as they are, or split as BERT does",
        )
    if settings.tie_break == "first-seen":
        raise ParameterError(
            "a WordPiece vocabulary has no tie rule first-seen", "", "choose another rule"
        )
    if not 1 <= settings.longest_word <= LONGEST:
        raise ParameterError(
            f"a longest word of {settings.longest_word:,} characters", "", f"give 1 to {LONGEST:,}"
        )
    if settings.alphabet is not None and settings.alphabet < 1:
        raise ParameterError(
            f"an alphabet of {settings.alphabet:,} characters", "", "give 1 or more"
        )
    check_rules(
        Rules(0, settings.tie_break, settings.least, settings.longest, select=settings.select)
    )
