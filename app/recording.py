"""What a training run has done so far: looks that come while it goes on, put together.

BPE and WordPiece learn merges, a step each. Unigram and BytePiece go through rounds, each of which
leaves a vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from engine.train.bpe import BpeSettings, TrainedBpe, units_of
from engine.train.merges import LearntMerges
from engine.train.pair_runs import PairRuns
from engine.train.replay import Replay, rows_of
from engine.train.round_cuts import Cut, RoundCuts
from engine.train.units import Units
from engine.train.wordpiece import MARK, TrainedWordPiece, WordPieceSettings
from engine.train.wordpiece_words import WordPieceUnits, cut_wordpiece_words, wordpiece_units
from engine.train.words import cut, words_of

MergeSettings = BpeSettings | WordPieceSettings


@dataclass(frozen=True)
class MergeRow:
    """A merge. step: from 1. ties: pairs that had its count. rival: the pair that came next."""

    step: int
    left: bytes
    right: bytes
    count: int
    ties: int
    rival: tuple[bytes, bytes] | None
    rival_count: int
    piece: bytes
    """What the merge makes."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Bytes a token by vocabulary size: before the first merge and after each, or after each round.

    size: int64[s], pieces. tokens: int64[s], of the corpus. ratio: float64[s], bytes of the corpus
    a token.
    """

    size: NDArray[np.int64]
    tokens: NDArray[np.int64]
    ratio: NDArray[np.float64]
    of: Literal["merges", "rounds"] = "merges"

    def __len__(self) -> int:
        return len(self.size)


@dataclass(frozen=True, eq=False)
class Look:
    """What a run has learnt since the look before.

    first: merges of the looks before. part: the merges from there on, with the base symbols in the
    first look only; its `tokens` are of before and after each. made: the bytes of what each of them
    makes. n_bytes: of the corpus. wanted: merges asked for. share: how much of the work is done,
    from 0 to 1, see `app.learning.share_done`.
    """

    first: int
    part: LearntMerges
    made: tuple[bytes, ...]
    n_bytes: int
    wanted: int
    share: float

    @property
    def done(self) -> int:
        """Merges learnt by now."""
        return self.first + len(self.part)


COLUMNS = ("left", "right", "count", "ties", "rival_left", "rival_right", "rival_count")


def look_at(
    trained: TrainedBpe | TrainedWordPiece,
    first: int,
    wanted: int,
    share: float,
    symbols: list[bytes],
    end: int | None = None,
) -> Look:
    """Return a look at a run whose looks before ended at the merge `first`.

    symbols: the bytes of all symbols as far as they are known; what is new is added to them. end:
    the look goes up to that merge only, else to the last.
    """
    merges = trained.merges
    end = len(merges) if end is None else end
    columns: dict[str, Any] = {name: getattr(merges, name)[first:end] for name in COLUMNS}
    base, tokens, unwritten = merges.base, merges.tokens[first : end + 1], 0
    if isinstance(trained, TrainedWordPiece):
        base, tokens = written(trained.symbols), tokens + trained.symbols.left_out
        # What follows in a word is written with a mark of its own.
        unwritten = len(MARK)
    if not symbols:
        symbols.extend(base)
    known = len(symbols) - len(base)
    new = merges.left[known:end].tolist(), merges.right[known:end].tolist()
    for left, right in zip(*new, strict=True):
        symbols.append(symbols[left] + symbols[right][unwritten:])
    part = replace(merges, base=() if first else base, tokens=tokens, **columns)
    made = tuple(symbols[len(base) + first : len(base) + end])
    return Look(first, part, made, trained.words.n_bytes, wanted, share)


def written(symbols: WordPieceUnits) -> tuple[bytes, ...]:
    """Return base symbols of WordPiece as they are written, those inside words with their mark."""
    base, mark = symbols.units.base, MARK.encode()
    return (*base[: symbols.inside], *(mark + symbol for symbol in base[symbols.inside :]))


@dataclass(frozen=True)
class RoundRow:
    """A round. number: from 1. name: of what it did, "" where all do the same. objective: in nats
    a word, None where there is none. ratio: bytes of the corpus a token. cut: of the run's sample,
    None where there were no pieces yet."""

    number: int
    name: str
    pieces: int
    objective: float | None
    tokens: int
    ratio: float
    cut: Cut | None = None


@dataclass(frozen=True)
class RoundLook:
    """All rounds of a run by now. share: as in `Look`, 0 where it isn't known. sample: the text
    that is cut after each round, as the run sees it."""

    rows: tuple[RoundRow, ...]
    share: float
    sample: bytes = b""


class RoundRecording:
    """The rounds of a run as far as they are known. text: what is cut after each of them."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.rows: tuple[RoundRow, ...] = ()
        self._sample = b""

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, look: RoundLook) -> None:
        """Take another look; looks come in order."""
        if look.rows[: len(self.rows)] != self.rows:
            raise ValueError(f"a look at {len(look.rows)} rounds that begins otherwise")
        self.rows, self._sample = look.rows, look.sample

    @property
    def cuts(self) -> RoundCuts:
        """The text after each round."""
        return RoundCuts(self._sample, [row.cut for row in self.rows])

    @property
    def curve(self) -> Curve:
        """Vocabulary size, tokens and bytes a token after each round."""
        return Curve(
            np.array([row.pieces for row in self.rows], dtype=np.int64),
            np.array([row.tokens for row in self.rows], dtype=np.int64),
            np.array([row.ratio for row in self.rows], dtype=np.float64),
            "rounds",
        )


class MergeRows(Sequence[MergeRow]):
    """Merges as rows, made when asked for."""

    def __init__(self, merges: LearntMerges, symbols: Sequence[bytes]) -> None:
        """Take the merges and the bytes of all symbols."""
        self._merges, self._symbols = merges, symbols

    def __len__(self) -> int:
        return len(self._merges)

    @overload
    def __getitem__(self, k: int) -> MergeRow: ...
    @overload
    def __getitem__(self, k: slice) -> list[MergeRow]: ...
    def __getitem__(self, k: int | slice) -> MergeRow | list[MergeRow]:
        if isinstance(k, slice):
            return [self[i] for i in range(*k.indices(len(self)))]
        merges, symbols = self._merges, self._symbols
        if not 0 <= k < len(merges):
            raise IndexError(k)
        one, other = int(merges.rival_left[k]), int(merges.rival_right[k])
        return MergeRow(
            k + 1,
            symbols[merges.left[k]],
            symbols[merges.right[k]],
            int(merges.count[k]),
            int(merges.ties[k]),
            (symbols[one], symbols[other]) if one >= 0 else None,
            int(merges.rival_count[k]),
            symbols[len(merges.base) + k],
        )


class Recording:
    """The merges of a run as far as they are known; it grows with each look.

    pairs: the merges that join pairs of symbols. symbols: the bytes of each.
    """

    def __init__(self, settings: MergeSettings) -> None:
        self.settings = settings
        self.n_bytes = 0
        self.symbols: list[bytes] = []
        self.pairs = PairRuns()
        self._looked: LearntMerges | None = None
        self._room: dict[str, NDArray[Any]] = {}
        self._length = 0
        self._curve: Curve | None = None

    def __len__(self) -> int:
        return self._length

    def add(self, look: Look) -> None:
        """Take another look; looks come in order and none is left out."""
        if look.first != self._length:
            raise ValueError(f"a look from merge {look.first} on, after {self._length}")
        part = look.part
        if not look.first:
            self.symbols.extend(part.base)
            self.n_bytes = look.n_bytes
            self._looked = part
        for name in COLUMNS:
            self._append(name, getattr(part, name), look.first)
        self._append("tokens", part.tokens, look.first)
        self.symbols.extend(look.made)
        self.pairs.add(part.left, part.right)
        self._length, self._curve = look.done, None

    def _append(self, name: str, values: NDArray[Any], first: int) -> None:
        """Put values behind the `first` ones of a column, which has room for twice as many."""
        room, end = self._room.get(name), first + len(values)
        if room is None or end > len(room):
            longer = np.empty(2 * end, dtype=values.dtype)
            if room is not None:
                longer[:first] = room[:first]
            room = self._room[name] = longer
        room[first:end] = values

    @property
    def base(self) -> tuple[bytes, ...]:
        """The base symbols."""
        return self._looked.base if self._looked is not None else ()

    @property
    def merges(self) -> LearntMerges:
        """All merges known by now. Raises `ValueError` before the first look."""
        if self._looked is None:
            raise ValueError("nothing was looked at yet")
        columns: dict[str, Any] = {name: self._room[name][: self._length] for name in COLUMNS}
        return replace(self._looked, tokens=self._room["tokens"][: self._length + 1], **columns)

    @property
    def rows(self) -> MergeRows:
        """A row for each merge."""
        return MergeRows(self.merges, self.symbols)

    @property
    def curve(self) -> Curve:
        """Vocabulary size, tokens and bytes a token, before the first merge and after each."""
        if self._curve is None:
            tokens = self.merges.tokens
            first = len(self.base) + len(self.settings.specials)
            size = np.arange(first, first + len(tokens), dtype=np.int64)
            self._curve = Curve(size, tokens, self.n_bytes / np.maximum(tokens, 1))
        return self._curve

    def cut(self, text: str, patience: float | None = None) -> Units:
        """Return a text as words of base symbols, as the run cuts its corpus.

        patience: seconds of work after which a pattern of one's own is given up, by `TimeoutError`.
        """
        settings = self.settings
        if isinstance(settings, BpeSettings):
            words = cut(text, settings.pre_tokenizer, patience)
            return units_of(words_of((word.encode(), 1) for word in words), settings)
        words = cut_wordpiece_words(text, settings.pre_tokenizer, settings.cleaning)
        counted = words_of((word.encode(), 1) for word in words)
        symbols = wordpiece_units(counted, settings.longest_word, None)
        return replace(symbols.units, base=written(symbols))

    def replay(self, units: Units) -> Replay:
        """Return what the merges known by now do to the words of a text."""
        replay = Replay(rows_of(units, self.base))
        replay.extend(self.pairs.find, len(self.base))
        return replay
