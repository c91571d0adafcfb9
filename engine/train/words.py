"""The words of a corpus: what a pre-tokenizer cuts its texts into, each word once, with a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.encodings import PATTERNS
from engine.errors import ParameterError, TrainingError
from engine.pipeline import check_unicode
from engine.pipelines.characters import pack
from engine.pipelines.scanning import SCANS, Scan, scan
from engine.pipelines.splitting import Splitter
from engine.progress import Report, silent

SPACE = "\u2581"
"""SentencePiece's mark for a space."""

NAMES = (*PATTERNS, "whitespace", "metaspace", "none")
"""Pre-tokenizers by name: the published patterns; what stands between white space; the same with
SentencePiece's mark before each word; whole texts."""

CHUNK = 1 << 21
"""Characters that are cut and counted at a time."""

MOST = 0x7FFFFFFF


@dataclass(frozen=True, eq=False)
class Words:
    """Different words in the order in which they occur first.

    data: uint8, their bytes end to end. offsets: int64[w + 1], where they begin. counts: int64[w].
    n_texts, n_chars, n_bytes: of the whole corpus, as it was given.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_texts: int = 0
    n_chars: int = 0
    n_bytes: int = 0

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[bytes]:
        whole = self.data.tobytes()
        return (whole[a:b] for a, b in pairwise(self.offsets.tolist()))

    @cached_property
    def total(self) -> int:
        """Words of the corpus, each time that one occurs."""
        return int(self.counts.sum())


def words_of(counts: Iterable[tuple[bytes, int]]) -> Words:
    """Return words from pairs of word and count, as of a corpus that is nothing but these."""
    kept = list(counts)
    data = np.frombuffer(bytearray(b"".join(word for word, _ in kept)), dtype=np.uint8)
    lengths = np.array([len(word) for word, _ in kept], dtype=np.int64)
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    counts = np.array([count for _, count in kept], dtype=np.int64)
    return Words(data, offsets, counts, n_bytes=int(np.dot(lengths, counts)))


def count_words(
    texts: Iterable[str],
    pre_tokenizer: str = "cl100k",
    report: Report = silent,
    stray_bytes: bool = False,
) -> Words:
    """Cut texts into words and count them.

    pre_tokenizer: one of `NAMES`, or a pattern of the `regex` library whose matches are the words.
    Each text is cut by itself. report: called with the characters counted, the total unknown (0).
    stray_bytes: U+DC80 … U+DCFF stand for bytes that aren't UTF-8, as Python's `surrogateescape`
    reads them; a pattern sees a character that is neither letter, digit nor space. Raises
    `ParameterError` for a pattern that isn't one, `TextError` for any other lone surrogate.
    """
    pattern = PATTERNS.get(pre_tokenizer, pre_tokenizer)
    check_pre_tokenizer(pre_tokenizer)
    scanned = SCANS.get(pattern) if pre_tokenizer not in ("whitespace", "metaspace") else None
    split = _splitting(pre_tokenizer)
    encode = escaped if stray_bytes else unicode_bytes
    counter: _Counter = _Plain(split, encode)
    if scanned is not None:
        counter = _Scanned(scanned, split, encode)
    number = characters = size = 0
    for chunk in chunks_of(texts):
        report(characters, 0)
        number += len(chunk)
        characters += sum(map(len, chunk))
        size += counter.count(chunk)
    report(characters, characters)
    data, offsets, counts = counter.found()
    if len(counts) and int(counts.max()) > MOST:
        raise TrainingError(
            f"a word occurs {int(counts.max()):,} times", "", f"at most {MOST:,} can be counted"
        )
    return Words(data, offsets, counts, number, characters, size)


def cut(text: str, pre_tokenizer: str, patience: float | None = None) -> list[str]:
    """Return the words of a text in order, cut as `count_words` cuts.

    patience: seconds of work after which a pattern is given up, by `TimeoutError`; patterns may
    need time that is exponential in the length of the text. None: there is no limit. Raises
    `ParameterError` for a pattern that isn't one.
    """
    check_pre_tokenizer(pre_tokenizer)
    return list(_splitting(pre_tokenizer, patience)(text))


def check_pre_tokenizer(name: str) -> None:
    """Raise `ParameterError` for what is neither one of `NAMES` nor a pattern."""
    import regex

    if name in NAMES:
        return
    try:
        regex.compile(name)
    except regex.error as error:
        names = ", ".join(NAMES)
        raise ParameterError(
            f"{name!r} names no pre-tokenizer and is no pattern ({error})",
            "",
            f"use a regular expression or one of {names}",
        ) from None


def chunks_of(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in lists of `CHUNK` characters or a little more."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text)
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _splitting(name: str, patience: float | None = None) -> Callable[[str], Iterable[str]]:
    """Return what cuts one text into words. patience: as for `cut`."""
    import regex

    # What Unicode calls white space, as the libraries do; Python's own split knows four more.
    between = regex.compile(r"\P{White_Space}+").findall
    if name == "whitespace":
        found: Callable[[str], Iterable[str]] = between
        return found
    if name == "metaspace":
        # A mark that the text holds begins a word too, as with HuggingFace's Metaspace.
        marked = regex.compile(f"{SPACE}[^{SPACE}]*").findall
        return lambda text: [part for word in between(text) for part in marked(SPACE + word)]
    if name == "none":
        return lambda text: [text] if text else []
    splitter = Splitter(PATTERNS.get(name, name))
    return lambda text: [text[a:b] for a, b in splitter.spans(text, patience)]


Cut = Callable[[str], Iterable[str]]
Encode = Callable[[str], bytes]


def unicode_bytes(text: str) -> bytes:
    """Return a text in UTF-8. Raises `TextError` for a lone surrogate."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        check_unicode([text])
        raise


def escaped(text: str) -> bytes:
    """Return a text in UTF-8, U+DC80 … U+DCFF as the bytes that they stand for.

    Raises `TextError` for any other lone surrogate.
    """
    try:
        return text.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:
        check_unicode([text])
        raise


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class _Plain:
    """Counts the words that a function cuts."""

    def __init__(self, cut: Cut, encode: Encode) -> None:
        self._cut, self._encode = cut, encode
        self._counts: Counter[str] = Counter()

    def count(self, texts: Sequence[str]) -> int:
        """Count the words of some texts; return the texts' size in bytes."""
        for text in texts:
            self._counts.update(self._cut(text))
        return sum(len(self._encode(text)) for text in texts)

    def found(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return bytes, offsets and counts of the words."""
        words = words_of((self._encode(word), count) for word, count in self._counts.items())
        return words.data, words.offsets, words.counts


class WordTable:
    """Counts words by a kernel; they lie in flat arrays."""

    def __init__(self) -> None:
        self._table = np.full(1 << 16, -1, dtype=np.int32)
        self._hashes = np.empty(1 << 15, dtype=np.uint64)
        self._kept = np.empty(1 << 19, dtype=np.uint8)
        self._offsets = np.zeros((1 << 15) + 1, dtype=np.int64)
        self._counts = np.empty(1 << 15, dtype=np.int64)
        self._words = np.zeros(1, dtype=np.int64)

    def enter(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Count the words that lie end to end in `data`, where `ends` are."""
        from engine.kernels.count_words import count_words as kernel

        first = 0
        while True:
            first = int(kernel(
                data, ends, first, self._table, self._hashes, self._kept, self._offsets,
                self._counts, self._words,
            ))  # fmt: skip
            if first == len(ends):
                return
            longest = int(ends[first]) - (int(ends[first - 1]) if first else 0)
            self._widen(longest)

    def _widen(self, longest: int) -> None:
        """Give room for a word so long, and for many more."""
        from engine.kernels.count_words import enter_words

        number = int(self._words[0])
        if 2 * number + 2 > len(self._table) or number + 2 > len(self._offsets):
            room = 2 * len(self._hashes)
            self._hashes = _longer(self._hashes, room)
            self._counts = _longer(self._counts, room)
            self._offsets = _longer(self._offsets, room + 1)
            self._table = np.full(2 * room, -1, dtype=np.int32)
            enter_words(self._table, self._hashes, number)
        if int(self._offsets[number]) + longest > len(self._kept):
            self._kept = _longer(self._kept, 2 * len(self._kept) + longest)

    def found(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return bytes, offsets and counts of the words."""
        number = int(self._words[0])
        offsets = self._offsets[: number + 1].copy()
        return self._kept[: offsets[-1]].copy(), offsets, self._counts[:number].copy()


class _Scanned(WordTable):
    """Counts the pre-tokens of a pattern that a kernel runs."""

    def __init__(self, rule: Scan, cut: Cut, encode: Encode) -> None:
        super().__init__()
        self._rule, self._cut, self._encode = rule, cut, encode

    def count(self, texts: Sequence[str]) -> int:
        """Count the words of some texts; return the texts' size in bytes."""
        return sum(
            self._scan(list(run)) if whole else self._split(list(run))
            for whole, run in groupby(texts, _is_unicode)
        )

    def _split(self, texts: Sequence[str]) -> int:
        """Count the words of texts that hold stray bytes, which the kernel can't scan."""
        words = [self._encode(word) for text in texts for word in self._cut(text)]
        ends = np.cumsum([len(word) for word in words], dtype=np.int64)
        self.enter(np.frombuffer(bytearray(b"".join(words)), dtype=np.uint8), ends)
        return sum(len(self._encode(text)) for text in texts)

    def _scan(self, texts: Sequence[str]) -> int:
        data, line_ends = pack(texts)
        ends, _ = scan(self._rule, data, line_ends)
        self.enter(data, ends)
        return len(data)


_Counter = _Plain | _Scanned


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.zeros(size, dtype=array.dtype)
    longer[: len(array)] = array
    return longer
