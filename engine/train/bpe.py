"""A BPE vocabulary trained from texts: how it was trained, and its merges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError, TrainingError
from engine.progress import Report, silent
from engine.terminal import counted
from engine.train.merges import (
    LONGEST,
    LearntMerges,
    Rules,
    TieBreak,
    Veto,
    Watch,
    check_rules,
    learn_merges,
)
from engine.train.units import Units, byte_units, character_units
from engine.train.words import NAMES, Words, check_pre_tokenizer, count_words

Style = Literal["bytes", "characters"]


@dataclass(frozen=True)
class BpeSettings:
    """How a BPE vocabulary is trained.

    size: pieces of the vocabulary: base symbols, merges and specials. style: the base symbols, all
    256 bytes or the characters of the corpus. pre_tokenizer: see `engine.train.words.count_words`.
    end_of_word: a mark on the last character of each word; characters only. specials: texts of
    special tokens, with ids after all others. least: the lowest count of a pair that merges.
    longest: base symbols of the longest piece. The text of
    a special token becomes no piece. given: merges to begin with, as pairs of bytes; characters
    that they hold are base symbols whether they occur or not. veto: asked for each pair that is
    about to merge, but not for given ones.
    """

    size: int
    style: Style = "bytes"
    pre_tokenizer: str = "cl100k"
    end_of_word: str = ""
    specials: tuple[str, ...] = ()
    tie_break: TieBreak = "lexicographic-smallest"
    least: int = 2
    longest: int = LONGEST
    given: Sequence[tuple[bytes, bytes]] = ()
    veto: Veto | None = field(default=None, compare=False)


@dataclass(frozen=True, eq=False)
class TrainedBpe:
    """A trained vocabulary. Ids: base symbols, then merges in the order learnt, then specials."""

    settings: BpeSettings
    words: Words
    merges: LearntMerges

    @property
    def size(self) -> int:
        """Pieces of the vocabulary."""
        return len(self.merges.base) + len(self.merges) + len(self.settings.specials)

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus, cut with the vocabulary."""
        return int(self.merges.tokens[-1])

    @property
    def bytes_per_token(self) -> NDArray[np.float64]:
        """Bytes of the corpus over its tokens, float64[m + 1]: before any merge, after each."""
        return self.words.n_bytes / np.maximum(self.merges.tokens, 1)

    @property
    def summary(self) -> str:
        """What the size is the sum of."""
        base, merges = len(self.merges.base), len(self.merges)
        kind = "byte" if self.settings.style == "bytes" else "character"
        parts = [counted(base, kind), counted(merges, "merge")]
        if self.settings.specials:
            parts.append(counted(len(self.settings.specials), "special token"))
        return f"{counted(self.size, 'piece')} = {' + '.join(parts)}"


def train_bpe(
    texts: Iterable[str],
    settings: BpeSettings,
    report: Report = silent,
    watch: Callable[[TrainedBpe], None] | None = None,
) -> TrainedBpe:
    """Train a BPE vocabulary.

    On bytes a text may hold U+DC80 … U+DCFF for bytes that aren't UTF-8 (`surrogateescape`). The
    same texts and settings give the same vocabulary, in every process; under any tie rule but
    `first-seen` also in whatever order the texts come. report: called while words are counted with
    (characters, 0), then with merges done and wanted. watch: called while merges are learnt, with
    the vocabulary as it is then. Raises `TrainingError` for texts without a
    word, line ends aside, and for a size that the base symbols already exceed; `ParameterError` for
    settings that can't be.
    """
    check_settings(settings)
    stray_bytes = settings.style == "bytes"
    words = count_words(texts, settings.pre_tokenizer, report, stray_bytes)
    if not (words.data != ord("\n")).any():
        lines = counted(words.n_texts, "line")
        if not len(words) and words.n_bytes > words.n_texts:  # more than the lines' ends
            raise TrainingError(
                f"the pre-tokenizer {settings.pre_tokenizer!r} finds no word",
                f"in {lines}",
                f"use one of {', '.join(NAMES)}, or a pattern that matches words",
            )
        raise TrainingError("the corpus holds no word", lines, "give a text that isn't empty")
    units = units_of(words, settings)
    _check_size(settings, len(units.base))
    given = _given(units, settings)
    merges = settings.size - len(units.base) - len(settings.specials)
    veto = _veto(units, words, settings)
    rules = Rules(merges, settings.tie_break, settings.least, settings.longest, given, veto)
    so_far: Watch | None = None
    if watch is not None:
        so_far = lambda learnt: watch(TrainedBpe(settings, words, learnt))  # noqa: E731
    return TrainedBpe(settings, words, learn_merges(units, rules, report, so_far))


def _check_size(settings: BpeSettings, base: int) -> None:
    """Raise `TrainingError` for a size that base symbols and specials exceed."""
    least = base + len(settings.specials)
    if settings.size < least:
        raise TrainingError(
            f"a vocabulary of {settings.size:,} pieces is smaller than its base symbols and "
            f"specials ({least:,})",
            "",
            f"ask for at least {least:,}",
        )


def _veto(units: Units, words: Words, settings: BpeSettings) -> Veto | None:
    """Return what keeps a special token's text from becoming a piece too, beside the own veto.

    Raises `TrainingError` for a special token whose text is a base symbol.
    """
    specials = {special.encode() for special in settings.specials}
    clash = specials & set(units.base)
    if clash:
        raise TrainingError(
            f"the special token {min(clash).decode()!r} is a base symbol too",
            "",
            "choose another text for it",
        )
    # To ask before each merge takes time, so nobody is asked where no word holds such a text.
    whole = words.data.tobytes()
    held = {special for special in specials if special in whole}
    own = settings.veto
    if not held:
        return own
    return lambda left, right: left + right in held or (own is not None and own(left, right))


def units_of(words: Words, settings: BpeSettings) -> Units:
    """Return words as the base symbols of a style."""
    if settings.style == "bytes":
        return byte_units(words)
    return character_units(words, settings.end_of_word, _given_characters(settings))


def check_settings(settings: BpeSettings) -> None:
    """Raise `ParameterError` for settings that can't be, whatever the texts."""
    for text in (settings.pre_tokenizer, settings.end_of_word, *settings.specials):
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise ParameterError(
                f"{text!r} isn't Unicode text", "", "leave out what isn't valid UTF-8"
            )
    check_pre_tokenizer(settings.pre_tokenizer)
    if settings.style == "bytes":
        _check_size(settings, 256)
    check_rules(Rules(0, settings.tie_break, settings.least, settings.longest))
    if settings.style not in ("bytes", "characters"):
        raise ParameterError(f"no style {settings.style!r}", "", "choose bytes or characters")
    if settings.end_of_word and settings.style == "bytes":
        raise ParameterError(
            "bytes take no end-of-word mark", "", "leave it out, or train on characters"
        )
    if len(set(settings.specials)) < len(settings.specials) or "" in settings.specials:
        raise ParameterError(
            "special tokens are empty or named twice",
            ", ".join(settings.specials),
            "name each once",
        )


def _given_characters(settings: BpeSettings) -> set[str]:
    """Return the base symbols of given merges, which the corpus need not hold."""
    made: set[bytes] = set()
    found: set[str] = set()
    mark = settings.end_of_word
    for place, pair in enumerate(settings.given, start=1):
        for part in pair:
            text = part.decode("utf-8", errors="replace")
            if part not in made:
                if len(text) != 1 and not (mark and text[1:] == mark):
                    raise _no_symbol(place, part, "character")
                found.add(text)
        made.add(pair[0] + pair[1])
    return found


def _no_symbol(place: int, part: bytes, unit: str) -> ParameterError:
    text = repr(part.decode("utf-8", errors="backslashreplace"))
    return ParameterError(
        f"given merge {place} joins {text}, which is no {unit}, and no merge before makes it",
        "",
        "give the merges that make it first",
    )


def _given(units: Units, settings: BpeSettings) -> list[tuple[int, int]]:
    """Return given merges as pairs of symbols.

    Raises `ParameterError` for a merge of what is no symbol yet, and for one that makes a special
    token's text.
    """
    number = {symbol: i for i, symbol in enumerate(units.base)}
    specials = {special.encode() for special in settings.specials}
    pairs = []
    for place, (left, right) in enumerate(settings.given, start=1):
        for part in (left, right):
            if part not in number:
                raise _no_symbol(place, part, settings.style.removesuffix("s"))
        if left + right in specials:
            raise ParameterError(
                f"given merge {place} makes the special token {(left + right).decode()!r}",
                "",
                "choose another text for the special token, or leave the merge out",
            )
        pairs.append((number[left], number[right]))
        number.setdefault(left + right, len(units.base) + place - 1)
    return pairs
