"""The trace of WordPiece: each candidate that is tried, the longest first, hit or miss.

Schuster & Nakajima, "Japanese and Korean Voice Search" (ICASSP 2012), as BERT applies it: from
each place of a word the whole rest is looked up, then the rest without its last character, and so
on. The first hit is a token, and the search goes on behind it. Where nothing matches, what was
found before is given up, and the word is the unknown token as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.matching import unit_end
from engine.traces.pretokens import PretokenSteps
from engine.wordpiece import WordPiece

if TYPE_CHECKING:
    from engine.model import Model
    from engine.pipeline import Prepared

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class TryKind(IntEnum):
    """What came of a step."""

    MISS = 0
    HIT = 1
    FAIL = 2
    """Nothing matches here, not even one character: the word is unknown."""
    TOO_LONG = 3
    """The word has more characters than the model looks at: it is unknown without a try."""


@dataclass(frozen=True)
class Try:
    """One step. start, end: bytes of the prepared text that were looked up.

    piece: what was found; for FAIL and TOO_LONG the unknown token, over the whole word; −1 for a
    miss, and where a model has no unknown token.
    """

    step: int
    pretoken: int
    start: int
    end: int
    piece: int
    kind: TryKind


class Taken(NamedTuple):
    """Tokens of a word: start, end (bytes of the prepared text) and piece, int32[t] each."""

    start: Ints
    end: Ints
    piece: Ints


@dataclass(frozen=True, eq=False)
class LongestTrace(PretokenSteps):
    """WordPiece encoding of a text, try by try; state k is the text before step k.

    start, end, piece: int32[n]; tried: uint8[n], `TryKind`; see `Try`. The steps of pre-token i
    are step_cuts[i] … step_cuts[i + 1] − 1, int64[pre-tokens + 1].
    """

    model: Model
    prepared: Prepared
    start: Ints
    end: Ints
    piece: Ints
    tried: NDArray[np.uint8]
    step_cuts: Longs

    @property
    def kind(self) -> Literal["longest", "maxmatch-dropout"]:
        """The kind of trace."""
        return "longest"

    def event(self, k: int) -> Try:
        """Return step k."""
        pretoken = self.pretoken_of(k)
        span = int(self.start[k]), int(self.end[k])
        return Try(k, pretoken, *span, int(self.piece[k]), TryKind(self.tried[k]))

    def taken(self, pretoken: int, k: int) -> Taken:
        """Return the tokens of a pre-token that stand before step k.

        Those of an unknown word are given up at its last step.
        """
        self.check_state(k)
        fixed = int(self.prepared.fixed[pretoken])
        if fixed >= 0:
            span = self.prepared.cuts[pretoken : pretoken + 2]
            return Taken(span[:1], span[1:], np.array([fixed], dtype=np.int32))
        steps = self.steps_of(pretoken)
        last = min(max(k, steps.start), steps.stop)
        found = steps.start + np.flatnonzero(self.tried[steps.start : last] != TryKind.MISS)
        if len(found) and self.tried[found[-1]] != TryKind.HIT:
            found = found[-1:]
            found = found[self.piece[found] >= 0]
        return Taken(self.start[found], self.end[found], self.piece[found])

    def failed(self, pretoken: int) -> bool:
        """Tell whether a pre-token is unknown as a whole."""
        steps = self.steps_of(pretoken)
        return bool(len(steps)) and self.tried[steps[-1]] >= TryKind.FAIL


def trace_longest(model: Model, prepared: Prepared) -> LongestTrace:
    """Return the trace of WordPiece over a prepared text; equal words are cut once.

    Raises `ParameterError` for a model of another algorithm.
    """
    segmenter = model.segmenter
    if not isinstance(segmenter, WordPiece):
        raise ParameterError(
            f"{model.name} is a {model.algorithm} model, which doesn't look for the longest piece",
            "",
            "open a WordPiece model",
        )
    cuts = prepared.cuts.astype(np.int64)
    data = prepared.data.tobytes()
    index: dict[bytes, int] = {}
    histories: list[Longs] = [np.zeros((0, 4), dtype=np.int64)]
    which = np.zeros(len(prepared.fixed), dtype=np.int64)
    for i, fixed in enumerate(prepared.fixed.tolist()):
        word = data[cuts[i] : cuts[i + 1]]
        if fixed >= 0 or not word:
            continue
        which[i] = index.setdefault(word, len(histories))
        if which[i] == len(histories):
            rows = np.array(_tries(segmenter, word), dtype=np.int64)
            histories.append(rows.reshape(-1, 4))
    counts = np.array([len(rows) for rows in histories], dtype=np.int64)[which]
    step_cuts = np.concatenate(([0], np.cumsum(counts)))
    steps = np.concatenate([histories[0], *(histories[number] for number in which.tolist())])
    shift = np.repeat(cuts[:-1], counts)
    return LongestTrace(
        model,
        prepared,
        (steps[:, 0] + shift).astype(np.int32),
        (steps[:, 1] + shift).astype(np.int32),
        steps[:, 2].astype(np.int32),
        steps[:, 3].astype(np.uint8),
        step_cuts,
    )


def _tries(segmenter: WordPiece, word: bytes) -> list[tuple[int, int, int, int]]:
    """Return (start, end, piece, kind) of each try in a word."""
    ends = []
    at = 0
    while at < len(word):
        at = unit_end(word, at, len(word), segmenter.alphabet)
        ends.append(at)
    if len(ends) > segmenter.max_chars:
        return [(0, len(word), segmenter.unknown, TryKind.TOO_LONG)]
    tries: list[tuple[int, int, int, int]] = []
    first = start = 0
    while first < len(ends):
        for last in range(len(ends) - 1, first - 1, -1):
            piece = segmenter.lookup(word[start : ends[last]], inside=start > 0)
            tries.append((start, ends[last], piece, TryKind.HIT if piece >= 0 else TryKind.MISS))
            if piece >= 0:
                break
        else:
            tries.append((0, len(word), segmenter.unknown, TryKind.FAIL))
            return tries
        first, start = last + 1, ends[last]
    return tries
