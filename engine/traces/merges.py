"""The trace of BPE encoding: every merge of every pre-token, in the order of encoding.

Each symbol and each pair of neighbours is stored once with the states between which it stands
(`born` ≤ k < `died`), so any state is a filter over flat arrays and nothing is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.errors import ParameterError
from engine.pieces import PieceKind
from engine.subword_nmt import SubwordNmt
from engine.trace import MergeNote, MergePair, MergeStep, NoteRule, Rival, Symbols
from engine.traces.pretokens import PretokenSteps

if TYPE_CHECKING:
    from engine.model import Model
    from engine.pipeline import Prepared

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

RIVALS_SHOWN = 400
"""Rivals of a step that are listed at most, beside those that it blocks."""

NEVER = np.iinfo(np.int32).max
"""The state after the last: when a symbol that never merges ends."""


class StepArrays(NamedTuple):
    """All merges in order, int32[n] each; see `MergeStep`."""

    rank: Ints
    start: Ints
    middle: Ints
    end: Ints
    left: Ints
    right: Ints
    result: Ints


class SymbolArrays(NamedTuple):
    """All symbols that ever stand, int32[s] each, by pre-token, start and state.

    Alive in states born ≤ k < died. rank: of the rule with the symbol to its right, by pair below.
    """

    start: Ints
    end: Ints
    piece: Ints
    born: Ints
    died: Ints


class PairArrays(NamedTuple):
    """All pairs of neighbours with a merge rule that ever stand, int32[p] each, by pre-token.

    Alive in states born ≤ k < died; won: bool[p], whether the pair itself merges at step died − 1.
    """

    won: NDArray[np.bool_]
    start: Ints
    middle: Ints
    end: Ints
    left: Ints
    right: Ints
    result: Ints
    rank: Ints
    born: Ints
    died: Ints


class Near(NamedTuple):
    """Symbols and pairs on some bytes, whenever they stand there: int32 each, see the arrays."""

    start: Ints
    end: Ints
    piece: Ints
    born: Ints
    died: Ints
    pair_start: Ints
    rank: Ints
    pair_born: Ints
    pair_died: Ints


@dataclass(frozen=True, eq=False)
class MergeTrace(PretokenSteps):
    """BPE encoding of a text, step by step; state k is the text before step k.

    Pre-tokens are encoded one after the other: the steps of pre-token i are step_cuts[i] …
    step_cuts[i + 1] − 1, its symbols and pairs likewise by symbol_cuts and pair_cuts, all
    int64[pre-tokens + 1]. notes: pre-tokens whose tokens aren't what merging leads to.
    """

    model: Model
    prepared: Prepared
    steps: StepArrays
    symbols: SymbolArrays
    pairs: PairArrays
    step_cuts: Longs
    symbol_cuts: Longs
    pair_cuts: Longs
    notes: tuple[MergeNote, ...]

    @property
    def kind(self) -> Literal["merges"]:
        """The kind of trace."""
        return "merges"

    def event(self, k: int) -> MergeStep:
        """Return step k with its rivals, lowest rank first, of equal ranks the leftmost first.

        All that it blocks are listed, and of the others the nearest in rank up to a limit.
        """
        pretoken = self.pretoken_of(k)
        pairs = self.pairs
        low, high = self._slice(self.pair_cuts, pretoken)
        alive = (pairs.born[low:high] <= k) & (pairs.died[low:high] > k)
        found = low + np.flatnonzero(alive)
        # A pair that dies at this very step wins or is blocked.
        found = found[~(pairs.won[found] & (pairs.died[found] == k + 1))]
        found = found[np.lexsort((pairs.start[found], pairs.rank[found]))]
        blocked = pairs.died[found] == k + 1
        listed = blocked | (np.cumsum(~blocked) <= RIVALS_SHOWN)
        rivals = tuple(self._rival(i, k) for i in found[listed].tolist())
        return self._step(k, pretoken, rivals, int(np.count_nonzero(~listed)))

    def won_and_blocked(self) -> Iterator[MergeStep]:
        """Yield every step with only the rivals that it blocks, in the order of `event`.

        All steps together take one look at the pairs, where `event` takes one each; rivals that
        aren't blocked are neither listed nor counted.
        """
        pairs = self.pairs
        lost = np.flatnonzero(~pairs.won & (pairs.died != NEVER))
        lost = lost[np.lexsort((pairs.start[lost], pairs.rank[lost], pairs.died[lost]))]
        cuts = np.searchsorted(pairs.died[lost], np.arange(len(self) + 1), side="right").tolist()
        order = lost.tolist()
        for pretoken in range(len(self.prepared.fixed)):
            for k in self.steps_of(pretoken):
                rivals = tuple(self._rival(i, k) for i in order[cuts[k] : cuts[k + 1]])
                yield self._step(k, pretoken, rivals, 0)

    def _step(self, k: int, pretoken: int, rivals: tuple[Rival, ...], left_out: int) -> MergeStep:
        steps = self.steps
        return MergeStep(
            k,
            pretoken,
            int(steps.start[k]),
            int(steps.middle[k]),
            int(steps.end[k]),
            int(steps.left[k]),
            int(steps.right[k]),
            int(steps.result[k]),
            int(steps.rank[k]),
            rivals,
            left_out,
        )

    def state(self, k: int, start: int = 0, end: int | None = None) -> Symbols:
        """Return the symbols before step k, 0 … len, that touch the bytes `start` … `end`."""
        return self.state_near(k, self.near(start, end))

    def near(self, start: int = 0, end: int | None = None) -> Near:
        """Return what ever stands on the bytes `start` … `end`, for many states of them."""
        end = len(self.prepared.data) if end is None else end
        cuts, symbols, pairs = self.prepared.cuts, self.symbols, self.pairs
        # No symbol crosses a pre-token: look at those that the bytes touch.
        first = max(0, int(np.searchsorted(cuts, start, side="right")) - 1)
        last = max(first, int(np.searchsorted(cuts, end, side="left")))
        of_symbols = slice(int(self.symbol_cuts[first]), int(self.symbol_cuts[last]))
        of_pairs = slice(int(self.pair_cuts[first]), int(self.pair_cuts[last]))
        here: slice | NDArray[np.intp] = slice(None)
        joined: slice | NDArray[np.intp] = slice(None)
        if start > cuts[first] or end < cuts[last]:
            here = _touching(symbols.start[of_symbols], symbols.end[of_symbols], start, end)
            joined = _touching(pairs.start[of_pairs], pairs.end[of_pairs], start, end)
        return Near(
            symbols.start[of_symbols][here],
            symbols.end[of_symbols][here],
            symbols.piece[of_symbols][here],
            symbols.born[of_symbols][here],
            symbols.died[of_symbols][here],
            pairs.start[of_pairs][joined],
            pairs.rank[of_pairs][joined],
            pairs.born[of_pairs][joined],
            pairs.died[of_pairs][joined],
        )

    def state_near(self, k: int, near: Near) -> Symbols:
        """Return those symbols before step k, 0 … len, that are near."""
        self.check_state(k)
        found = np.flatnonzero((near.born <= k) & (near.died > k))
        starts = near.start[found]
        rank = np.full(len(found), -1, dtype=np.int32)
        joined = np.flatnonzero((near.pair_born <= k) & (near.pair_died > k))
        if len(found):
            pairs = near.pair_start[joined]
            place = np.minimum(np.searchsorted(starts, pairs), len(starts) - 1)
            same = starts[place] == pairs
            rank[place[same]] = near.rank[joined[same]]
        return Symbols(starts, near.end[found], near.piece[found], rank)

    def candidates(self, pretoken: int) -> tuple[MergePair, ...]:
        """Return every pair with a rule that ever stands in a pre-token, lowest rank first.

        Those that didn't win lost a symbol to the step that they name.
        """
        low, high = self._slice(self.pair_cuts, pretoken)
        order = low + np.lexsort(
            (self.pairs.born[low:high], self.pairs.start[low:high], self.pairs.rank[low:high])
        )
        return tuple(self._pair(int(i)) for i in order)

    def _named(self, i: int) -> tuple[int, int, int, int, int, int, int]:
        """Return start, middle, end, left, right, result and rank of a pair."""
        pairs = self.pairs
        return (
            int(pairs.start[i]),
            int(pairs.middle[i]),
            int(pairs.end[i]),
            int(pairs.left[i]),
            int(pairs.right[i]),
            int(pairs.result[i]),
            int(pairs.rank[i]),
        )

    def _rival(self, i: int, k: int) -> Rival:
        return Rival(*self._named(i), blocked=bool(self.pairs.died[i] == k + 1))

    def _pair(self, i: int) -> MergePair:
        pairs = self.pairs
        return MergePair(
            *self._named(i),
            int(pairs.born[i]),
            step=-1 if pairs.died[i] == NEVER else int(pairs.died[i]) - 1,
            won=bool(pairs.won[i]),
        )

    def _slice(self, cuts: Longs, pretoken: int) -> tuple[int, int]:
        return int(cuts[pretoken]), int(cuts[pretoken + 1])


def _touching(starts: Ints, ends: Ints, start: int, end: int) -> NDArray[np.intp]:
    """Return the numbers of those that touch the bytes `start` … `end`."""
    return np.flatnonzero((starts < end) & (ends > start))


def trace_merges(model: Model, prepared: Prepared) -> MergeTrace:
    """Return the trace of encoding a prepared text; equal pre-tokens are encoded once.

    Raises `ParameterError` for a model that doesn't merge.
    """
    segmenter = model.bpe
    if segmenter is None:
        raise ParameterError(
            f"{model.name} is a {model.algorithm} model, which merges nothing",
            "",
            "open a BPE model to see merges",
        )
    cuts = prepared.cuts.astype(np.int64)
    data = prepared.data.tobytes()
    index: dict[tuple[bytes, int], int] = {}
    histories: list[History] = []
    which = np.empty(len(prepared.fixed), dtype=np.int64)
    notes: list[MergeNote] = []
    spans = zip(cuts[:-1].tolist(), cuts[1:].tolist(), prepared.fixed.tolist(), strict=True)
    for i, (start, end, fixed) in enumerate(spans):
        key = (data[start:end], fixed)
        number = index.setdefault(key, len(histories))
        if number == len(histories):
            histories.append(
                _added_history(end - start, fixed)
                if fixed >= 0
                else word_history(segmenter, prepared.data[start:end])
            )
        which[i] = number
        if histories[number].note is not None:
            rule, piece = histories[number].note or ("added", -1)
            notes.append(MergeNote(i, rule, piece))
    steps, step_cuts = _gather([h.steps for h in histories], which, 7)
    symbols, symbol_cuts = _gather([h.symbols for h in histories], which, 5)
    pairs, pair_cuts = _gather([h.pairs for h in histories], which, 10)
    for columns, cut, places in (
        (steps, step_cuts, (1, 2, 3)),
        (symbols, symbol_cuts, (0, 1)),
        (pairs, pair_cuts, (0, 1, 2)),
    ):
        shift = np.repeat(cuts[:-1], np.diff(cut))
        for place in places:
            columns[place] += shift
    # States count over the whole text: each pre-token's begin where the steps before it end.
    for columns, cut, born in ((symbols, symbol_cuts, 3), (pairs, pair_cuts, 7)):
        before = np.repeat(step_cuts[:-1], np.diff(cut))
        columns[born] += np.where(columns[born] > 0, before, 0)
        columns[born + 1] += np.where(columns[born + 1] < NEVER, before, 0)
    pair_columns = [column.astype(np.int32) for column in pairs[:-1]]
    return MergeTrace(
        model,
        prepared,
        StepArrays(*(column.astype(np.int32) for column in steps)),
        SymbolArrays(*(column.astype(np.int32) for column in symbols)),
        PairArrays(pairs[-1].astype(np.bool_), *pair_columns),
        step_cuts,
        symbol_cuts,
        pair_cuts,
        tuple(notes),
    )


class History(NamedTuple):
    """What happens in one pre-token, positions and states counted from its own start.

    steps: int64[n, 7], symbols: int64[s, 5], pairs: int64[p, 10], columns as in the arrays above.
    """

    steps: Longs
    symbols: Longs
    pairs: Longs
    note: tuple[NoteRule, int] | None


def _rows(rows: list[Any], width: int) -> Longs:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _added_history(length: int, piece: int) -> History:
    symbols = _rows([(0, length, piece, 0, NEVER)], 5)
    return History(_rows([], 7), symbols, _rows([], 10), ("added", piece))


def word_history(segmenter: Bpe, data: NDArray[np.uint8]) -> History:
    """Return what happens in a pre-token, with one look at each step."""
    initial = segmenter.initial(data, 0, len(data))
    merged = segmenter.merge_steps(data, 0, len(data))
    starts, ends, ids = initial.starts.tolist(), initial.ends.tolist(), initial.ids.tolist()
    n = len(ids)
    # Slots are the places of the first symbols; a merge keeps the left slot and empties the right.
    slot_of = dict(zip(starts, range(n), strict=True))
    after, before = list(range(1, n + 1)), list(range(-1, n - 1))
    standing = list(range(n))
    symbols = [[starts[i], ends[i], ids[i], 0, NEVER] for i in range(n)]
    pairs: list[list[int]] = []
    pair_at: dict[int, int] = {}

    def enter(i: int, j: int, state: int) -> None:
        """Note the pair of slots i and j, if a rule merges it."""
        left, right = symbols[standing[i]], symbols[standing[j]]
        found = segmenter.pair(left[2], right[2])
        if found is not None:
            pair_at[i] = len(pairs)
            rank, result = found
            pairs.append(
                [left[0], right[0], right[1], left[2], right[2], result, rank, state, NEVER, 0]
            )

    def leave(i: int, state: int) -> int:
        """End the pair that begins at slot i, if there is one; return its number or −1."""
        number = pair_at.pop(i, -1)
        if number >= 0:
            pairs[number][8] = state
        return number

    for i in range(n - 1):
        enter(i, i + 1, 0)
    steps = np.stack([column.astype(np.int64) for column in merged], axis=1)
    for k, (_, start, middle, end, _, _, result) in enumerate(steps.tolist()):
        i, j = slot_of[start], slot_of[middle]
        for slot in (i, j):
            symbols[standing[slot]][4] = k + 1
        pairs[leave(i, k + 1)][9] = 1
        leave(j, k + 1)
        if before[i] >= 0:
            leave(before[i], k + 1)
        standing[i] = len(symbols)
        symbols.append([start, end, result, k + 1, NEVER])
        after[i] = after[j]
        if after[i] < n:
            before[after[i]] = i
            enter(i, after[i], k + 1)
        if before[i] >= 0:
            enter(before[i], i, k + 1)
    table = _rows(symbols, 5)
    return History(
        steps,
        table[np.lexsort((table[:, 3], table[:, 0]))],
        _rows(pairs, 10),
        _note(segmenter, data, table),
    )


def _note(segmenter: Bpe, data: NDArray[np.uint8], symbols: Longs) -> tuple[NoteRule, int] | None:
    vocabulary = segmenter.vocabulary
    if segmenter.ignore_merges:
        whole = vocabulary.index.get(data.tobytes())
        if whole is not None:
            return "ignore_merges", whole
    left = symbols[symbols[:, 4] == NEVER]
    final = left[np.argsort(left[:, 0]), 2].tolist()
    if isinstance(segmenter, SubwordNmt):
        return segmenter.note(final)
    for piece in final:
        if vocabulary.kind[piece] == PieceKind.UNUSED:
            return "unused", piece
    return None


def _gather(tables: list[Longs], which: Longs, width: int) -> tuple[list[Longs], Longs]:
    """Return the columns of the tables named by `which`, one after the other, and their cuts."""
    lengths = np.array([len(table) for table in tables], dtype=np.int64)
    joined = np.concatenate(tables) if tables else _rows([], width)
    firsts = np.cumsum(lengths) - lengths
    counts = lengths[which]
    cuts = np.concatenate(([0], np.cumsum(counts)))
    rows = np.arange(cuts[-1]) + np.repeat(firsts[which] - cuts[:-1], counts)
    return [joined[rows, column] for column in range(width)], cuts
