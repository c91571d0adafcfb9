"""A Unigram vocabulary trained from texts: how it was trained, and its pieces with their scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError, TrainingError
from engine.pieces import PieceKind
from engine.progress import Report, silent
from engine.terminal import counted
from engine.train.em import Inventory, best_counts, expected_counts, maximized, pruned
from engine.train.scripts import Constraints
from engine.train.seeds import seed_pieces
from engine.train.stretches import Normalizer, Stretches, spaced_words, stretches_of
from engine.train.words import SPACE, Words

Rule = Literal["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
RULES: tuple[Rule, ...] = get_args(Rule)
"""SentencePiece's normalizers by name; `identity` changes nothing but spaces."""

META = ("<unk>", "<s>", "</s>")
"""What every SentencePiece model has, as ids 0, 1 and 2."""

LONGEST = 32
"""Characters of the longest piece that can be asked for: sums over so many keep their digits."""

MOST_SEEDS = 1 << 30

SPARE = 1.1
"""Pruning ends at so many times the pieces wanted; of these the most probable are taken."""

DIGITS = 10
"""Decimals of a score. HuggingFace's library reads longer numbers in JSON to the last bit but one,
which would part ties there in another way."""

Ended = Literal["size", "corpus", "under way"]


_USUAL = Constraints()


@dataclass(frozen=True)
class UnigramSettings:
    """How a Unigram vocabulary is trained. The defaults are SentencePiece's.

    size: pieces of the vocabulary: `META`, specials, byte pieces, characters and longer pieces.
    normalizer: one of `RULES`. prefix: ▁ before each text. single_spaces: spaces at the ends of a
    text go, and all but one of a run. coverage: the share of the corpus's characters that have a
    piece of their own, over 0 up to 1. byte_fallback: 256 pieces for the bytes of other characters.
    specials: texts of special tokens, with the ids after `META`. constraints: what a piece may
    hold. longest: characters of the longest piece. seeds: longer pieces to begin with, at most.
    shrink: the share of the pieces that pruning leaves in a round. steps: EM steps in a round.
    """

    size: int
    normalizer: Rule = "nmt_nfkc"
    prefix: bool = True
    single_spaces: bool = True
    coverage: float = 0.9995
    byte_fallback: bool = False
    specials: tuple[str, ...] = ()
    constraints: Constraints = _USUAL
    longest: int = 16
    seeds: int = 1_000_000
    shrink: float = 0.75
    steps: int = 2

    @cached_property
    def first(self) -> tuple[tuple[bytes, PieceKind], ...]:
        """The pieces that have no score, which come first."""
        control = [*META[1:], *(text for text in self.specials if text not in META)]
        return (
            (META[0].encode(), PieceKind.UNKNOWN),
            *((text.encode(), PieceKind.CONTROL) for text in control),
            *((b"<0x%02X>" % byte, PieceKind.BYTE) for byte in range(256 * self.byte_fallback)),
        )


@dataclass(frozen=True)
class Round:
    """What a round came to: some EM steps, then, but for the last, pruning.

    pieces: pieces after the EM steps, those without a score too. objective: minus the
    log-likelihood of the corpus before the last step's M, nats a word. tokens: of the corpus in
    its best cut.
    """

    pieces: int
    objective: float
    tokens: int


@dataclass(frozen=True, eq=False)
class TrainedUnigram:
    """A trained vocabulary; the id of a piece is its index.

    pieces: bytes; those of byte pieces are written `<0xE4>`. scores: float64[n], log-probabilities,
    0 for pieces that have none; these come first, then the highest score. kinds: uint8[n],
    `PieceKind`. words: the words of the normalized corpus, each with its ▁. rounds: the record; the
    last one is of the vocabulary cut to its size. left_out: characters of the corpus without a
    piece. ended: why there are no more pieces: `size`, or `corpus` where it holds no more.
    """

    settings: UnigramSettings
    words: Words
    pieces: tuple[bytes, ...]
    scores: NDArray[np.float64]
    kinds: NDArray[np.uint8]
    rounds: tuple[Round, ...]
    left_out: int
    ended: Ended

    @property
    def size(self) -> int:
        """Pieces of the vocabulary."""
        return len(self.pieces)

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus in its best cut.

        A character without a piece counts as one, or as its bytes where there are byte pieces.
        """
        return self.rounds[-1].tokens

    @property
    def bytes_per_token(self) -> NDArray[np.float64]:
        """Bytes of the corpus over its tokens, float64, for each round."""
        tokens = np.array([row.tokens for row in self.rounds], dtype=np.float64)
        return self.words.n_bytes / np.maximum(tokens, 1)

    @cached_property
    def n_characters(self) -> int:
        """Pieces that are a single character."""
        return sum(len(text.decode()) == 1 for text in self.pieces[len(self.settings.first) :])

    @property
    def summary(self) -> str:
        """What the size is the sum of."""
        first, single = len(self.settings.first), self.n_characters
        parts = [counted(first - 256 * self.settings.byte_fallback, "special token")]
        if self.settings.byte_fallback:
            parts.append(counted(256, "byte"))
        parts += [counted(single, "character"), counted(self.size - first - single, "longer piece")]
        return f"{counted(self.size, 'piece')} = {' + '.join(parts)}"


Watch = Callable[[TrainedUnigram], None]
"""Called after each round with the vocabulary as it is then; `ended` is `under way`."""


def train_unigram(
    texts: Iterable[str],
    settings: UnigramSettings,
    report: Report = silent,
    watch: Watch | None = None,
) -> TrainedUnigram:
    """Train a Unigram vocabulary as Kudo, "Subword Regularization" (ACL 2018), says.

    The same texts and settings give the same vocabulary, in every process and in whatever order
    the texts come. A text is a line; its line end isn't part of it. report: called while words are
    counted with (characters, 0), then with rounds done and the rounds that are expected. Raises
    `TrainingError` for texts without a word, and for a size that characters and special tokens
    already exceed; `ParameterError` for settings that can't be.
    """
    check_settings(settings)
    normalizer = Normalizer(settings.normalizer, settings.prefix, settings.single_spaces)
    words = spaced_words(texts, normalizer, settings.constraints.by_space, report)
    look = partial(report, words.n_chars, 0)
    stretches = stretches_of(words, settings.constraints, settings.coverage, look)
    if set(stretches.alphabet.tolist()) <= {ord(SPACE)}:
        lines = counted(words.n_texts, "line")
        raise TrainingError("the corpus holds no word", lines, "give a text that isn't empty")
    _check_size(settings, len(stretches.alphabet))
    _check_specials(settings, stretches)
    run = _Run(settings, words, stretches, report)
    return run.train(watch)


class _Run:
    """One run: its corpus, and what its rounds came to."""

    def __init__(
        self, settings: UnigramSettings, words: Words, stretches: Stretches, report: Report
    ) -> None:
        self.settings, self.words, self.stretches = settings, words, stretches
        self.rounds: list[Round] = []
        self._report = report
        self._room = settings.size - len(settings.first)
        self._goal = max(int(self._room * SPARE), len(stretches.alphabet))
        """Pieces that pruning ends at, without those that have no score."""
        self._expected = 1

    def train(self, watch: Watch | None) -> TrainedUnigram:
        """Do rounds until few enough pieces are left, then take the best."""
        self._say()
        settings = self.settings
        pieces = seed_pieces(self.stretches, settings.seeds, settings.longest, self._say)
        while True:
            left = max(0.0, math.log(len(pieces) / self._goal))
            more = math.ceil(left / -math.log(self.settings.shrink) - 1e-9)
            self._expected = len(self.rounds) + more + 1
            for _ in range(self.settings.steps):
                expected, likelihood = expected_counts(self.stretches, pieces, self._say)
                pieces = maximized(pieces, expected)
            if len(pieces) <= self._goal:
                break
            used = best_counts(self.stretches, pieces, self._say)
            self._record(pieces, likelihood, used)
            if watch is not None:
                watch(self._trained(pieces, "under way"))
            fewer = max(self._goal, int(self.settings.shrink * len(pieces)))
            pieces = pruned(pieces, used, fewer)
        pieces = self._final(pieces)
        self._record(pieces, likelihood, best_counts(self.stretches, pieces, self._say))
        self._report(len(self.rounds), len(self.rounds))
        return self._trained(pieces, "size" if len(pieces) == self._room else "corpus")

    def _say(self, done: int = 0, total: int = 0) -> None:  # noqa: ARG002
        """Report rounds, whatever is done of the present one."""
        self._report(len(self.rounds), max(self._expected, len(self.rounds) + 1))

    def _record(self, pieces: Inventory, likelihood: float, used: NDArray[np.int64]) -> None:
        stretches = self.stretches
        left = stretches.left_bytes if self.settings.byte_fallback else stretches.left_out
        objective = -likelihood / max(self.words.total, 1)
        size = len(pieces) + len(self.settings.first)
        self.rounds.append(Round(size, objective, int(used.sum()) + left))

    def _final(self, pieces: Inventory) -> Inventory:
        """Return single characters and the most probable pieces, as many as there is room for.

        The text of a piece without a score becomes no piece.
        """
        single = pieces.length == 1
        taken = {text for text, _ in self.settings.first}
        able = ~single
        able[[i for i, text in enumerate(self._texts(pieces)) if text in taken]] = False
        longer = np.flatnonzero(able)
        best = longer[np.argsort(-pieces.score[longer], kind="stable")]
        keep = single.copy()
        keep[best[: self._room - int(single.sum())]] = True
        return pieces.kept(keep, pieces.score)

    def _texts(self, pieces: Inventory) -> list[bytes]:
        """Return the bytes of pieces."""
        stretches = self.stretches
        ends = np.cumsum(pieces.length, dtype=np.int64)
        index = np.repeat(pieces.example - (ends - pieces.length), pieces.length)
        index += np.arange(len(index))
        points = stretches.alphabet[stretches.symbols[index]]
        text = points.astype("<u4").tobytes().decode("utf-32-le")
        starts = (ends - pieces.length).tolist()
        return [text[a:b].encode() for a, b in zip(starts, ends.tolist(), strict=True)]

    def _trained(self, pieces: Inventory, ended: Ended) -> TrainedUnigram:
        first = self.settings.first
        order = np.argsort(-pieces.score, kind="stable")
        texts = self._texts(pieces)
        kinds = np.full(len(first) + len(pieces), PieceKind.NORMAL, dtype=np.uint8)
        kinds[: len(first)] = [kind for _, kind in first]
        return TrainedUnigram(
            self.settings,
            self.words,
            (*(text for text, _ in first), *(texts[i] for i in order.tolist())),
            np.concatenate((np.zeros(len(first)), np.round(pieces.score[order], DIGITS))),
            kinds,
            tuple(self.rounds),
            self.stretches.left_out,
            ended,
        )


def check_settings(settings: UnigramSettings) -> None:
    """Raise `ParameterError` or `TrainingError` for settings that can't be, whatever the texts."""
    if settings.normalizer not in RULES:
        raise ParameterError(
            f"no normalizer {settings.normalizer!r}", "", f"choose one of {', '.join(RULES)}"
        )
    for text in settings.specials:
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise ParameterError(
                f"{text!r} isn't Unicode text", "", "leave out what isn't valid UTF-8"
            )
    if len(set(settings.specials)) < len(settings.specials) or "" in settings.specials:
        raise ParameterError(
            "special tokens are empty or named twice",
            ", ".join(settings.specials),
            "name each once",
        )
    taken = {text.decode() for text, kind in settings.first if kind == PieceKind.BYTE}
    unable = [text for text in settings.specials if "\0" in text or text in taken]
    if unable:
        why = "holds a NUL character" if "\0" in unable[0] else "is the name of a byte piece"
        raise ParameterError(
            f"the special token {unable[0]!r} {why}", "", "choose another text for it"
        )
    if not 0.0 < settings.coverage <= 1.0:
        raise ParameterError(
            f"a character coverage of {settings.coverage}", "", "give more than 0 and at most 1"
        )
    if not 1 <= settings.longest <= LONGEST:
        raise ParameterError(
            f"a longest piece of {settings.longest:,} characters", "", f"give 1 to {LONGEST}"
        )
    if not 0 <= settings.seeds <= MOST_SEEDS:
        raise ParameterError(f"{settings.seeds:,} seed pieces", "", f"give 0 to {MOST_SEEDS:,}")
    if not 0.0 < settings.shrink < 1.0:
        raise ParameterError(
            f"a shrinking factor of {settings.shrink}", "", "give more than 0 and less than 1"
        )
    if settings.steps < 1:
        raise ParameterError(f"{settings.steps:,} EM steps in a round", "", "give 1 or more")
    _check_size(settings, 1)


def _check_size(settings: UnigramSettings, characters: int) -> None:
    """Raise `TrainingError` for a size that an alphabet and the special tokens exceed."""
    least = len(settings.first) + characters
    if settings.size < least:
        raise TrainingError(
            f"a vocabulary of {settings.size:,} pieces is smaller than its characters and special "
            f"tokens ({least:,})",
            "",
            f"ask for at least {least:,}, or for a lower character coverage",
        )


def _check_specials(settings: UnigramSettings, stretches: Stretches) -> None:
    """Raise `TrainingError` for a special token that is a character of the vocabulary too."""
    alphabet = {chr(code) for code in stretches.alphabet.tolist()}
    clash = alphabet.intersection(settings.specials)
    if clash:
        raise TrainingError(
            f"the special token {min(clash)!r} is a character of the corpus too",
            "",
            "choose another text for it",
        )
