"""The trace of MaxMatch-dropout: each piece that matches, the longest first, dropped or taken.

The coins are those of a draw: number by number of the stream `engine.rng.key_of(seed, draw)`, so
the trace ends in the segmentation that `engine.sample` gives for that seed and draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from engine.dropout import check_dropout
from engine.dropout.maxmatch import Candidate, drop_pieces
from engine.dropout.merging import Coins
from engine.errors import ParameterError
from engine.rng import Seed, key_of
from engine.traces.longest import LongestTrace, Try, TryKind
from engine.wordpiece import WordPiece

if TYPE_CHECKING:
    from engine.model import Model
    from engine.pipeline import Prepared


@dataclass(frozen=True)
class DropTry(Try):
    """A piece that matches: HIT where it is taken, MISS where it is dropped.

    u: the random number, below p for what is dropped; NaN where no coin is tossed: for a piece of
    one character, and for a word that is unknown. coin: its number in the stream, −1 without one.
    """

    u: float
    coin: int


@dataclass(frozen=True, eq=False)
class MaxMatchTrace(LongestTrace):
    """MaxMatch-dropout of a text, piece by piece; state k is the text before step k.

    As `LongestTrace`, but only pieces that match are steps. p: the drop probability. u:
    float64[n] and coin: int32[n], see `DropTry`.
    """

    p: float
    u: NDArray[np.float64]
    coin: NDArray[np.int32]

    @property
    def kind(self) -> Literal["maxmatch-dropout"]:
        """The kind of trace."""
        return "maxmatch-dropout"

    def event(self, k: int) -> DropTry:
        """Return step k."""
        tried = super().event(k)
        return DropTry(**vars(tried), u=float(self.u[k]), coin=int(self.coin[k]))


def trace_maxmatch(
    model: Model, prepared: Prepared, p: float, seed: Seed = 0, draw: int = 0
) -> MaxMatchTrace:
    """Return the trace of one draw of a prepared text.

    At p = 0 no piece is dropped, and the first to match is taken. Raises `ParameterError` for a bad
    p and for a model that isn't WordPiece.
    """
    segmenter, p = model.segmenter, check_dropout(p)
    if not isinstance(segmenter, WordPiece):
        raise ParameterError(
            f"{model.name} is a {model.algorithm} model, which doesn't look for the longest piece",
            "",
            "open a WordPiece model to see pieces dropped",
        )
    text, coins = prepared.data.tobytes(), Coins(key_of(seed, draw))
    rows: list[tuple[int, int, int, TryKind, float, int]] = []
    cuts = [0]
    spans = zip(prepared.cuts[:-1].tolist(), prepared.cuts[1:].tolist(), strict=True)
    for (first, last), fixed in zip(spans, prepared.fixed.tolist(), strict=True):
        if fixed < 0 and first < last:
            seen: list[Candidate] = []
            found = drop_pieces(segmenter, p, text, first, last, coins, seen)
            for at, to, piece, coin, u, dropped in seen:
                rows.append((at, to, piece, TryKind.MISS if dropped else TryKind.HIT, u, coin))
            if found is None:
                long = segmenter.too_long(text, first, last)
                kind = TryKind.TOO_LONG if long else TryKind.FAIL
                rows.append((first, last, segmenter.unknown, kind, math.nan, -1))
        cuts.append(len(rows))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    return MaxMatchTrace(
        model,
        prepared,
        np.array(columns[0], dtype=np.int32),
        np.array(columns[1], dtype=np.int32),
        np.array(columns[2], dtype=np.int32),
        np.array(columns[3], dtype=np.uint8),
        np.array(cuts, dtype=np.int64),
        p,
        np.array(columns[4], dtype=np.float64),
        np.array(columns[5], dtype=np.int32),
    )
