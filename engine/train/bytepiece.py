"""A BytePiece vocabulary trained from texts.

Su, BytePiece (2023). A language model of byte n-grams, up to six bytes long, cuts the text where it
is best cut; the pieces that come of it are counted, and those that a Unigram model over all of them
would cut otherwise disappear. So the trainer knows no words: pieces may hold spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError, TrainingError
from engine.formats.bytepiece import SPECIALS
from engine.kernels import compiled
from engine.pieces import Vocabulary
from engine.pipeline import check_unicode
from engine.progress import Report, silent
from engine.terminal import counted
from engine.train.words import Words, chunks_of
from engine.unigram import Unigram

CHUNK = 10_000
"""Characters of the longest chunk."""

_SPACE = np.frombuffer(b"\t\n\r ", dtype=np.uint8)

BLOCK = 1 << 20
"""Bytes of pieces that are cut between two reports."""

MOST_LEAST = 1 << 60
LONGEST = 1 << 20


@dataclass(frozen=True)
class BytePieceSettings:
    """How a BytePiece vocabulary is trained.

    size: pieces of the vocabulary at most: the 256 bytes, what is learnt, and padding, begin and
    end. least: the lowest count of an n-gram and of a piece, the 256 bytes excepted. longest:
    bytes of the longest piece. whole_characters: no piece but single bytes begins or ends inside a
    character (`ensure_unicode`). single_digits: no piece holds a digit beside anything
    (`isolate_digits`).
    """

    size: int
    least: int = 2
    longest: int = 36
    whole_characters: bool = True
    single_digits: bool = False
    specials: tuple[str, ...] = field(default=SPECIALS, init=False)


class Round(NamedTuple):
    """What a step of training left: its name, the pieces that there were and how many tokens they
    cut the corpus into. Steps: `cut` by the language model, `rare` pieces gone, `prune`d the ones
    that others cut better, `cap` at the size, `encode` the corpus by what is left."""

    step: str
    pieces: int
    tokens: int


@dataclass(frozen=True, eq=False)
class TrainedBytePiece:
    """A trained vocabulary. Ids: 0, 1 and 2 for padding, begin and end, then pieces as listed.

    words: the chunks' sums and the pieces that the language model cut. pieces: sorted by length,
    then bytes. counts: int64, how often each one is used to cut the corpus; bytes that the language
    model cut nowhere as pieces count one more.
    """

    settings: BytePieceSettings
    words: Words
    pieces: tuple[bytes, ...]
    counts: NDArray[np.int64]
    rounds: tuple[Round, ...]

    @property
    def size(self) -> int:
        """Pieces of the vocabulary."""
        return len(self.settings.specials) + len(self.pieces)

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus, cut with the vocabulary."""
        return self.rounds[-1].tokens

    @property
    def bytes_per_token(self) -> NDArray[np.float64]:
        """Bytes of the corpus over its tokens, float64[rounds]: after each."""
        tokens = np.array([max(step.tokens, 1) for step in self.rounds])
        return self.words.n_bytes / tokens

    @property
    def summary(self) -> str:
        """What the size is the sum of."""
        parts = (
            counted(len(self.settings.specials), "special token"),
            counted(256, "byte"),
            f"{counted(len(self.pieces) - 256, 'piece')} learnt",
        )
        return f"{counted(self.size, 'piece')} = {' + '.join(parts)}"


def train_bytepiece(
    texts: Iterable[str],
    settings: BytePieceSettings,
    report: Report = silent,
    watch: Callable[[TrainedBytePiece], None] | None = None,
) -> TrainedBytePiece:
    """Train a BytePiece vocabulary.

    The same texts and settings give the same vocabulary, in every process and in whatever order
    the texts come. report: called with (characters, 0) while texts are read, then with bytes done
    and wanted: each is counted once and cut once; then, in rounds whose number isn't known, with
    the pieces cut and to cut. watch: called after each round, with the vocabulary as it is then.
    Raises `TrainingError` for texts of nothing but white space, `ParameterError` for settings that
    can't be.
    """
    check_settings(settings)
    corpus = _read(texts, settings.single_digits, report)
    if np.isin(corpus.data, _SPACE).all():
        raise TrainingError(
            "the corpus holds nothing but white space",
            counted(corpus.n_texts, "line"),
            "give a text that isn't empty",
        )
    words = _cut(corpus, settings, report)
    rounds: list[Round] = []
    kept = _able(words, settings)
    held = _Pieces.of_words(words, kept)
    # Bytes that are no words count 1 all the same.
    unused = int(held.counts.sum()) - int(words.counts[kept].sum())
    rounds.append(Round("cut", len(words), words.total))

    def done(step: str, pieces: _Pieces) -> None:
        rounds.append(Round(step, len(pieces.texts), int(pieces.counts.sum()) - unused))
        if watch is not None:
            watch(_trained(settings, words, pieces, rounds))

    held = held.with_parts(*_chosen(words, ~kept), report)
    done("rare", held)
    held = _prune(held, done, report)
    most = settings.size - len(settings.specials)
    if len(held.texts) > most:
        first = held.first(most)
        held = held.only(first).with_parts(*held.only(~first).flat, report)
        done("cap", held)
        held = _prune(held, done, report)
    # Pieces were cut on, never joined: the whole text is cut better.
    once = np.ones(len(corpus.ends), dtype=np.int64)
    tokens = int(held.uses(corpus.data, corpus.ends, once, report).sum())
    rounds.append(Round("encode", len(held.texts), tokens))
    return _trained(settings, words, held, rounds)


class _Corpus(NamedTuple):
    """Chunks end to end, where each ends, and the sums of the texts as given."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    n_texts: int
    n_chars: int
    n_bytes: int


def _read(texts: Iterable[str], single_digits: bool, report: Report) -> _Corpus:
    """Return texts composed (NFC) and cut into chunks.

    A chunk ends after a run of newlines, or at `CHUNK` characters.
    """
    plain = r"[^\n\d]" if single_digits else r"[^\n]"
    pattern = rf"{plain}{{0,{CHUNK - 1}}}\n+|{plain}{{1,{CHUNK}}}"
    find = re.compile(rf"\d|{pattern}" if single_digits else pattern).findall
    number = characters = size = 0
    parts, lengths = [], []
    for some in chunks_of(texts):
        report(characters, 0)
        check_unicode(some)
        number += len(some)
        characters += sum(map(len, some))
        found = []
        for text in some:
            size += len(text.encode())
            found += [chunk.encode() for chunk in find(unicodedata.normalize("NFC", text))]
        parts.append(b"".join(found))
        lengths.append(np.fromiter(map(len, found), dtype=np.int64, count=len(found)))
    data = np.frombuffer(b"".join(parts), dtype=np.uint8)
    ends = np.cumsum(np.concatenate(lengths)) if lengths else np.zeros(0, dtype=np.int64)
    return _Corpus(data, ends, number, characters, size)


def _cut(corpus: _Corpus, settings: BytePieceSettings, report: Report) -> Words:
    """Return the pieces that the language model cuts the corpus into."""
    if compiled(len(corpus.data)):
        from engine.train.bytepiece_compiled import cut_corpus
    else:
        from engine.train.bytepiece_plain import cut_corpus
    data, offsets, counts = cut_corpus(
        corpus.data, corpus.ends, settings.least, settings.whole_characters, report
    )
    return Words(data, offsets, counts, corpus.n_texts, corpus.n_chars, corpus.n_bytes)


Flat = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]
"""Texts end to end, where each ends, and how often each one counts."""


def _able(words: Words, settings: BytePieceSettings) -> NDArray[np.bool_]:
    """Return which words are short and frequent enough, and whole if they must be, or one byte."""
    lengths = np.diff(words.offsets)
    able = (lengths <= settings.longest) & (words.counts >= settings.least)
    if settings.whole_characters:
        able &= _whole(words.data, words.offsets)
    able |= lengths == 1
    return able


def _whole(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which stretches of valid UTF-8 begin and end between characters."""
    starts, ends = offsets[:-1], offsets[1:]
    # Behind a stretch that ends inside a character, more of its bytes are wanted.
    wanted = np.zeros(len(starts), dtype=np.int64)
    for back, lowest in ((1, 0xC0), (2, 0xE0), (3, 0xF0)):
        place = np.maximum(ends - back, 0)
        wanted[(ends - back >= starts) & (data[place] >= lowest)] = 1
    whole: NDArray[np.bool_] = (data[starts] & 0xC0 != 0x80) & (wanted == 0)
    return whole


def _chosen(words: Words, chosen: NDArray[np.bool_]) -> Flat:
    """Return the words that are chosen."""
    lengths = np.diff(words.offsets)
    return (
        words.data[np.repeat(chosen, lengths)],
        np.cumsum(lengths[chosen]),
        words.counts[chosen],
    )


class _Pieces(NamedTuple):
    """Pieces in the order of their bytes, and how often each one is used; all bytes among them."""

    texts: list[bytes]
    counts: NDArray[np.int64]

    @classmethod
    def of_words(cls, words: Words, chosen: NDArray[np.bool_]) -> _Pieces:
        """Return words as pieces, with all bytes: one that is no word counts 1 from the start."""
        found = dict.fromkeys((bytes((byte,)) for byte in range(256)), 1)
        whole, starts, ends = words.data.tobytes(), words.offsets[:-1], words.offsets[1:]
        for start, end, count in zip(
            starts[chosen].tolist(), ends[chosen].tolist(), words.counts[chosen].tolist(),
            strict=True,
        ):  # fmt: skip
            found[whole[start:end]] = count
        texts = sorted(found)
        return cls(texts, np.array([found[text] for text in texts], dtype=np.int64))

    @property
    def flat(self) -> Flat:
        """The pieces end to end."""
        data = np.frombuffer(b"".join(self.texts), dtype=np.uint8)
        return data, np.cumsum(self.lengths), self.counts

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The bytes of each piece."""
        return np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self.texts))

    def only(self, kept: NDArray[np.bool_]) -> _Pieces:
        """Return the pieces that are kept."""
        return _Pieces(list(compress(self.texts, kept.tolist())), self.counts[kept])

    def first(self, most: int) -> NDArray[np.bool_]:
        """Return which pieces to keep where there may be only so many: bytes first, then by
        higher count, more bytes, and in the order of bytes."""
        lengths = self.lengths
        order = np.lexsort((-lengths, -self.counts, lengths > 1))
        kept = np.zeros(len(self.texts), dtype=np.bool_)
        kept[order[:most]] = True
        return kept

    def with_parts(
        self,
        data: NDArray[np.uint8],
        ends: NDArray[np.int64],
        times: NDArray[np.int64],
        report: Report,
    ) -> _Pieces:
        """Return the pieces with what texts count besides, which are cut into them."""
        used = self.uses(data, ends, times, report)
        return _Pieces(self.texts, self.counts + used)

    def uses(
        self,
        data: NDArray[np.uint8],
        ends: NDArray[np.int64],
        times: NDArray[np.int64],
        report: Report,
    ) -> NDArray[np.int64]:
        """Cut texts by the Unigram model of the pieces; return how often each piece is used.

        A piece scores the logarithm of its share of all counts.
        """
        score = np.log(self.counts) - np.log(self.counts.sum())
        rule = Unigram(
            Vocabulary.build(self.texts, score=score),
            unknown=-1,
            unknown_score=float(score.min()) - 10.0,
            fuse_unknown=False,
            alphabet="byte",
        )
        # Sums below 2⁵³ are exact.
        used = np.zeros(len(self.texts))
        begun, first = 0, 0
        while first < len(ends):
            report(first, len(ends))
            last = max(first + 1, int(np.searchsorted(ends, begun + BLOCK, side="right")))
            stops = ends[first:last] - begun
            starts = np.concatenate((np.zeros(1, dtype=np.int64), stops[:-1]))
            cut = rule.segment(data[begun : ends[last - 1]], starts, stops)
            whose = np.searchsorted(stops, cut.starts, side="right")
            weight = times[first:last][whose].astype(np.float64)
            used += np.bincount(cut.ids, weight, minlength=len(used))
            first, begun = last, int(ends[last - 1])
        return used.astype(np.int64)


def _prune(pieces: _Pieces, done: Callable[[str, _Pieces], None], report: Report) -> _Pieces:
    """Drop pieces that others cut better, until there are none; their counts go on to these.

    A best cut is made of pieces that are their own best cuts: what goes is never a part.
    """
    while True:
        used = pieces.uses(*pieces.flat, report)
        kept = (pieces.lengths == 1) | (used > 0)
        if kept.all():
            return pieces
        pieces = _Pieces(pieces.texts, used).only(kept)
        done("prune", pieces)


def _trained(
    settings: BytePieceSettings, words: Words, pieces: _Pieces, rounds: list[Round]
) -> TrainedBytePiece:
    order = sorted(range(len(pieces.texts)), key=lambda i: (len(pieces.texts[i]), pieces.texts[i]))
    counts = pieces.counts[order]
    texts = tuple(pieces.texts[i] for i in order)
    return TrainedBytePiece(settings, words, texts, counts, tuple(rounds))


def check_settings(settings: BytePieceSettings) -> None:
    """Raise `ParameterError` or `TrainingError` for settings that can't be, whatever the texts."""
    if not 1 <= settings.least <= MOST_LEAST:
        raise ParameterError(
            f"a lowest count of {settings.least:,}", "", f"give one from 1 to {MOST_LEAST:,}"
        )
    if not 1 <= settings.longest <= LONGEST:
        raise ParameterError(
            f"a longest piece of {settings.longest:,} bytes", "", f"give 1 to {LONGEST:,}"
        )
    fewest = 256 + len(settings.specials)
    if settings.size < fewest:
        raise TrainingError(
            f"a vocabulary of {settings.size:,} pieces is smaller than the 256 bytes and "
            f"{counted(len(settings.specials), 'special token')}",
            "",
            f"ask for at least {fewest:,}",
        )
