"""The words of a corpus as a WordPiece trainer sees them: normalized, and split BERT's way or at
white space, by the rules of the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.progress import Report
from engine.train.units import Units
from engine.train.words import MOST, Words, WordTable, chunks_of

if TYPE_CHECKING:
    from engine.pipelines.words import WordTable as Fates

PreTokenizer = Literal["bert", "whitespace"]


@dataclass(frozen=True)
class Cleaning:
    """BERT's normalizer: control characters go, white space becomes spaces, and as is chosen.

    lower_case: text is lower-cased. strip_accents: accents go; None does what `lower_case` does.
    spaced_cjk: each Chinese character is a word.
    """

    lower_case: bool = False
    strip_accents: bool | None = None
    spaced_cjk: bool = True


def components(pre_tokenizer: PreTokenizer, cleaning: Cleaning) -> tuple[Any, Any]:
    """Return the library's normalizer, None for white space, and its pre-tokenizer."""
    from tokenizers import normalizers, pre_tokenizers

    if pre_tokenizer == "whitespace":
        return None, pre_tokenizers.WhitespaceSplit()
    normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=cleaning.spaced_cjk,
        strip_accents=cleaning.strip_accents,
        lowercase=cleaning.lower_case,
    )
    return normalizer, pre_tokenizers.BertPreTokenizer()


def count_wordpiece_words(
    texts: Iterable[str], pre_tokenizer: PreTokenizer, cleaning: Cleaning, report: Report
) -> Words:
    """Count the words of texts. Sums of texts, characters and bytes are of the texts as given.

    report: called with the characters counted, the total unknown (0). Raises `TextError` for a
    lone surrogate.
    """
    from engine.pipelines.words import WordTable as Fates

    fates = Fates(*components(pre_tokenizer, cleaning))
    counter = WordTable()
    number = characters = size = 0
    for chunk in chunks_of(texts):
        report(characters, 0)
        number += len(chunk)
        characters += sum(map(len, chunk))
        found = fates.split(chunk)
        counter.enter(*(found[:2] if found else _by_library(chunk, fates)))
        size += sum(len(text.encode()) for text in chunk)
    report(characters, characters)
    data, offsets, counts = counter.found()
    if len(counts) and int(counts.max()) > MOST:
        raise TrainingError(
            f"a word occurs {int(counts.max()):,} times", "", f"at most {MOST:,} can be counted"
        )
    return Words(data, offsets, counts, number, characters, size)


def cut_wordpiece_words(text: str, pre_tokenizer: PreTokenizer, cleaning: Cleaning) -> list[str]:
    """Return the words of a text in order, cut as `count_wordpiece_words` cuts."""
    normalizer, splitter = components(pre_tokenizer, cleaning)
    shown = text if normalizer is None else normalizer.normalize_str(text)
    return [word for word, _ in splitter.pre_tokenize_str(shown)]


def _by_library(texts: Sequence[str], fates: Fates) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the words of texts end to end, and where each ends, from the library itself."""
    words = []
    for text in texts:
        if fates.normalizer is not None:
            text = fates.normalizer.normalize_str(text)
        words += [word.encode() for word, _ in fates.pre_tokenizer.pre_tokenize_str(text)]
    ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
    return np.frombuffer(b"".join(words), dtype=np.uint8), ends


@dataclass(frozen=True, eq=False)
class WordPieceUnits:
    """Words as base symbols: characters at the start of a word, and characters inside one.

    units: the words that are learnt from. Its base symbols are characters without a mark; from
    number `inside` on they stand inside words. left_out: how many words of the corpus are left
    out, each time that one occurs: they are too long, or hold a character outside the alphabet.
    """

    units: Units
    inside: int
    left_out: int


def wordpiece_units(words: Words, longest_word: int, alphabet: int | None) -> WordPieceUnits:
    """Return words of valid UTF-8 as base symbols.

    Every character of the alphabet is a base symbol for the start of a word, by code point; those
    that stand inside a word follow for there. longest_word: characters of the longest word that
    is learnt from. alphabet: how many characters it has at most, the most frequent ones; of equally
    frequent ones the lowest code points. None: all.
    """
    starts_character = (words.data & 0xC0) != 0x80
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(starts_character)))
    lengths = np.diff(before[words.offsets])
    text = words.data.tobytes().decode("utf-8").encode("utf-32-le")
    code = np.frombuffer(text, dtype=np.uint32).astype(np.int64)
    able = lengths <= longest_word
    if alphabet is not None:
        able &= _inside_alphabet(code, lengths, words.counts, able, alphabet)
    code, lengths, counts = code[np.repeat(able, lengths)], lengths[able], words.counts[able]
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    first = np.zeros(len(code), dtype=np.bool_)
    first[offsets[:-1]] = True
    initial = np.unique(code)
    inner = np.unique(code[~first])
    symbols = np.where(
        first, np.searchsorted(initial, code), len(initial) + np.searchsorted(inner, code)
    )
    base = tuple(chr(c).encode() for c in (*initial.tolist(), *inner.tolist()))
    units = Units(base, symbols.astype(np.int32), offsets, counts)
    return WordPieceUnits(units, len(initial), words.total - int(counts.sum()))


def _inside_alphabet(
    code: NDArray[np.int64],
    lengths: NDArray[np.int64],
    counts: NDArray[np.int64],
    able: NDArray[np.bool_],
    most: int,
) -> NDArray[np.bool_]:
    """Return which words hold none but the most frequent characters of the words that are able."""
    # Sums below 2⁵³ are exact.
    weight = np.repeat(np.where(able, counts, 0).astype(np.float64), lengths)
    frequency = np.bincount(code, weight)
    order = np.argsort(-frequency, kind="stable")[:most]
    kept = np.zeros(len(frequency), dtype=np.bool_)
    kept[order[frequency[order] > 0]] = True
    strange = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(~kept[code])))
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    none: NDArray[np.bool_] = np.diff(strange[offsets]) == 0
    return none
