"""The trace of BPE-dropout: every pair for which a coin was tossed, merged or dropped.

The coins are those of a draw: number by number of the stream `engine.rng.key_of(seed, draw)`, so
the trace ends in the segmentation that `engine.sample` gives for that seed and draw. Symbols are
stored once with the states between which they stand, as in `engine.traces.merges`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.dropout import BPE_DROPOUTS, DropRule, check_dropout
from engine.dropout.merging import Coins, Look, drop_merges
from engine.errors import ParameterError
from engine.rng import Seed, key_of
from engine.symbols import Word
from engine.trace import Symbols
from engine.traces.merges import NEVER, SymbolArrays
from engine.traces.pretokens import PretokenSteps

if TYPE_CHECKING:
    from engine.model import Model
    from engine.pipeline import Prepared

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class DropStep:
    """A pair for which a coin was tossed.

    start, end: byte positions of the pair in the segmented bytes; middle: where its right symbol
    starts. left, right, result: ids. u: the random number; dropped: whether it is below p. stale:
    another merge had taken one of the symbols while the pair waited in the queue
    (`bpe-dropout-huggingface`), so nothing merges; middle and the ids are −1 then. coin: the number
    of the random number in its stream.
    """

    step: int
    pretoken: int
    start: int
    middle: int
    end: int
    left: int
    right: int
    result: int
    rank: int
    u: float
    dropped: bool
    stale: bool
    coin: int

    @property
    def merged(self) -> bool:
        """Whether the pair merges at this step."""
        return not (self.dropped or self.stale)


class LookArrays(NamedTuple):
    """All steps in order, one entry each; see `DropStep`. int32 but for u: float64, and bools."""

    start: Ints
    middle: Ints
    end: Ints
    left: Ints
    right: Ints
    result: Ints
    rank: Ints
    u: NDArray[np.float64]
    dropped: NDArray[np.bool_]
    stale: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DropTrace(PretokenSteps):
    """BPE-dropout of a text, coin by coin; state k is the text before step k.

    Pre-tokens come one after the other: the steps of pre-token i are step_cuts[i] …
    step_cuts[i + 1] − 1, its symbols likewise by symbol_cuts, both int64[pre-tokens + 1]. Coin
    number and step number are the same.
    """

    model: Model
    prepared: Prepared
    method: str
    p: float
    steps: LookArrays
    symbols: SymbolArrays
    step_cuts: NDArray[np.int64]
    symbol_cuts: NDArray[np.int64]

    @property
    def kind(self) -> Literal["dropout"]:
        """The kind of trace."""
        return "dropout"

    def event(self, k: int) -> DropStep:
        """Return step k."""
        pretoken, steps = self.pretoken_of(k), self.steps
        return DropStep(
            k,
            pretoken,
            int(steps.start[k]),
            int(steps.middle[k]),
            int(steps.end[k]),
            int(steps.left[k]),
            int(steps.right[k]),
            int(steps.result[k]),
            int(steps.rank[k]),
            float(steps.u[k]),
            bool(steps.dropped[k]),
            bool(steps.stale[k]),
            k,
        )

    def state(self, k: int, start: int = 0, end: int | None = None) -> Symbols:
        """Return the symbols before step k, 0 … len, that touch the bytes `start` … `end`."""
        self.check_state(k)
        end = len(self.prepared.data) if end is None else end
        symbols = self.symbols
        alive = (symbols.born <= k) & (symbols.died > k)
        found = np.flatnonzero(alive & (symbols.start < end) & (symbols.end > start))
        piece = symbols.piece[found]
        owner = np.searchsorted(self.symbol_cuts, found, side="right")
        rank = np.full(len(found), -1, dtype=np.int32)
        bpe = self.model.bpe
        for i in range(len(found) - 1):
            if bpe is not None and owner[i] == owner[i + 1]:
                pair = bpe.pair(int(piece[i]), int(piece[i + 1]))
                rank[i] = -1 if pair is None else pair[0]
        return Symbols(symbols.start[found], symbols.end[found], piece, rank)


def trace_dropout(
    model: Model, prepared: Prepared, method: str, p: float, seed: Seed = 0, draw: int = 0
) -> DropTrace:
    """Return the trace of one draw of a prepared text by a method of `BPE_DROPOUTS`.

    At p = 0 all coins are won; where a model's own encoding isn't what its merges lead to
    (`ignore_merges`), the trace still shows the merges. Raises `ParameterError` for another method,
    a bad p, and a model that doesn't merge.
    """
    bpe, p = model.bpe, check_dropout(p)
    if bpe is None:
        raise ParameterError(
            f"{model.name} is a {model.algorithm} model, which merges nothing",
            "",
            "open a BPE model to see merges dropped",
        )
    if method not in BPE_DROPOUTS:
        known = ", ".join(BPE_DROPOUTS)
        raise ParameterError(f"there is no BPE-dropout {method!r}", "method", f"use {known}")
    data, coins = prepared.data.tobytes(), Coins(key_of(seed, draw))
    steps: list[tuple[Any, ...]] = []
    symbols: list[list[int]] = []
    step_cuts, symbol_cuts = [0], [0]
    spans = zip(prepared.cuts[:-1].tolist(), prepared.cuts[1:].tolist(), strict=True)
    for (start, end), fixed in zip(spans, prepared.fixed.tolist(), strict=True):
        if fixed >= 0:
            symbols.append([start, end, fixed, 0, NEVER])
        else:
            _trace_word(bpe, BPE_DROPOUTS[method], p, coins, data[start:end], start, steps, symbols)
        step_cuts.append(len(steps))
        symbol_cuts.append(len(symbols))
    kinds = (np.int32,) * 7 + (np.float64, np.bool_, np.bool_)
    columns = list(zip(*steps, strict=True)) if steps else [()] * len(kinds)
    table = np.array(symbols, dtype=np.int32).reshape(-1, 5).T
    return DropTrace(
        model,
        prepared,
        method,
        p,
        LookArrays(*(np.array(c, dtype=kind) for c, kind in zip(columns, kinds, strict=True))),
        SymbolArrays(*table),
        np.array(step_cuts, dtype=np.int64),
        np.array(symbol_cuts, dtype=np.int64),
    )


def _trace_word(
    bpe: Bpe,
    rule: DropRule,
    p: float,
    coins: Coins,
    text: bytes,
    offset: int,
    steps: list[tuple[Any, ...]],
    symbols: list[list[int]],
) -> None:
    """Append the steps of a pre-token that starts at `offset`, and its symbols by their start."""
    word = bpe.word(text)
    first = zip(word.start, word.end, word.id, strict=True)
    standing = [[offset + at, offset + to, piece, 0, NEVER] for at, to, piece in first]
    made = list(standing)
    looks: list[Look] = []
    drop_merges(bpe, rule, p, coins, looks, word)
    merges = iter(word.steps)
    for look in looks:
        joined = None if look.stale or look.dropped else next(merges)
        steps.append(_row(bpe, word, look, standing, offset))
        if joined is not None:
            _, i, j, beyond, _, _, result = joined
            standing[i][4] = standing[j][4] = len(steps)
            new = [offset + word.start[i], offset + word.end[beyond - 1], result, len(steps), NEVER]
            standing[i] = new
            made.append(new)
    symbols += sorted(made, key=lambda symbol: (symbol[0], symbol[3]))


def _row(
    bpe: Bpe, word: Word, look: Look, standing: list[list[int]], offset: int
) -> tuple[Any, ...]:
    """Return a step's columns, see `LookArrays`."""
    start, end = offset + word.start[look.left], offset + word.end[look.beyond - 1]
    middle = left = right = result = -1
    if not look.stale:
        middle = offset + word.start[look.right]
        left, right = standing[look.left][2], standing[look.right][2]
        result = (bpe.pair(left, right) or (-1, -1))[1]
    return start, middle, end, left, right, result, look.rank, look.u, look.dropped, look.stale
