"""The exact law of BPE-dropout over the segmentations of a short stretch of symbols.

A state is what stands and what waits in the queue. Each step leads to states with fewer symbols, or
with as many and a shorter queue, so going through them in that order adds up the probability of
each before it is left: a memoised recursion without its depth. The rules are those of
`engine.dropout`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from engine.bpe import Bpe
from engine.dropout import DropRule

Symbol = tuple[int, int, int]
"""Piece, start and end."""

Symbols = tuple[Symbol, ...]
Entry = tuple[int, int, int]
"""A pair in the queue: its rank, where its left symbol starts, and where its right one ends."""

Queue = tuple[Entry, ...]
State = tuple[Symbols, Queue]
Step = Callable[[Bpe, Symbols, Queue, float], Iterator[tuple[State | None, float]]]
"""From a state to the next ones and their probabilities; None stands for the end."""


class Budget:
    """How much work may still be done, for all stretches of a text together.

    A state takes one unit of work for each pair of a symbol and a way to go on.
    """

    def __init__(self, work: int) -> None:
        self.work = work

    def spend(self, work: int) -> bool:
        """Take so much, and return whether there was enough."""
        self.work -= work
        return self.work >= 0


def stretch_law(
    bpe: Bpe, symbols: Sequence[Symbol], rule: DropRule, p: float, budget: Budget
) -> dict[Symbols, float] | None:
    """Return the probability of all that can be left of first symbols side by side.

    None where that takes more work than is left.
    """
    if not symbols:
        return {(): 1.0}
    step = _STEPS[rule]
    first: Symbols = tuple(symbols)
    queued = rule in (DropRule.HUGGINGFACE, DropRule.SENTENCEPIECE)
    queue = tuple(sorted(_entries(bpe, first))) if queued else ()
    levels: dict[int, dict[int, dict[State, float]]] = defaultdict(dict)
    levels[len(first)][len(queue)] = {(first, queue): 1.0}
    law: dict[Symbols, float] = {}
    for size in range(len(first), 0, -1):
        level = levels.pop(size, {})
        while level:
            for state, probability in level.pop(max(level)).items():
                usual = max(size, len(state[1]))
                if not budget.spend(size * usual):
                    return None
                for way, (then, share) in enumerate(step(bpe, *state, p)):
                    # By subword-nmt's law the ways double with each place of a pair.
                    if way > usual and not budget.spend(size):
                        return None
                    if share <= 0.0:
                        continue
                    if then is None:
                        law[state[0]] = law.get(state[0], 0.0) + probability * share
                        continue
                    fewer = len(then[0])
                    where = (level if fewer == size else levels[fewer]).setdefault(len(then[1]), {})
                    where[then] = where.get(then, 0.0) + probability * share
    return law


def _paper(
    bpe: Bpe, symbols: Symbols, queue: Queue, p: float
) -> Iterator[tuple[State | None, float]]:
    left = 1.0
    for _, i, result in _candidates(bpe, symbols):
        yield (_joined(symbols, i, result), queue), left * (1.0 - p)
        left *= p
    yield None, left


def _subword_nmt(
    bpe: Bpe, symbols: Symbols, queue: Queue, p: float
) -> Iterator[tuple[State | None, float]]:
    groups: dict[tuple[int, int, int], list[int]] = {}
    results: dict[tuple[int, int, int], int] = {}
    # By rank and place, a group where its first place stands.
    for rank, i, result in _candidates(bpe, symbols):
        key = (rank, symbols[i][0], symbols[i + 1][0])
        groups.setdefault(key, []).append(i)
        results[key] = result
    left = 1.0
    for key, places in groups.items():
        for merged, share in _survivors(places, p):
            then = symbols
            for i in reversed(merged):
                then = _joined(then, i, results[key])
            if merged:
                yield (then, queue), left * share
        left *= p ** len(places)
    yield None, left


def _survivors(places: list[int], p: float) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield the places that merge together, from the left and without overlaps."""
    todo: list[tuple[int, tuple[int, ...], float]] = [(0, (), 1.0)]
    while todo:
        at, merged, share = todo.pop()
        if at == len(places):
            yield merged, share
        elif merged and merged[-1] + 1 == places[at]:
            todo.append((at + 1, merged, share))
        else:
            todo.append((at + 1, merged, share * p))
            todo.append((at + 1, (*merged, places[at]), share * (1.0 - p)))


def _huggingface(
    bpe: Bpe, symbols: Symbols, queue: Queue, p: float
) -> Iterator[tuple[State | None, float]]:
    alive = _pairs_by_span(symbols)
    left = 1.0
    for m, entry in enumerate(queue):
        rest = queue[:m] + queue[m + 1 :]
        i = alive.get(entry[1:])
        then = (symbols, rest) if i is None else _merged(bpe, symbols, rest, i)
        yield then, left * (1.0 - p)
        left *= p
    yield None, left


def _sentencepiece(
    bpe: Bpe, symbols: Symbols, queue: Queue, p: float
) -> Iterator[tuple[State | None, float]]:
    if not queue:
        yield None, 1.0
        return
    rest = queue[1:]
    yield (symbols, rest), p
    then, waiting = _merged(bpe, symbols, rest, _pairs_by_span(symbols)[queue[0][1:]])
    alive = _pairs_by_span(then)
    yield (then, tuple(entry for entry in waiting if entry[1:] in alive)), 1.0 - p


_STEPS: dict[DropRule, Step] = {
    DropRule.PAPER: _paper,
    DropRule.SUBWORD_NMT: _subword_nmt,
    DropRule.HUGGINGFACE: _huggingface,
    DropRule.SENTENCEPIECE: _sentencepiece,
}


def _candidates(bpe: Bpe, symbols: Symbols) -> list[tuple[int, int, int]]:
    """Return (rank, place, result) of each pair that could merge, in the order of trying."""
    found = []
    for i, (left, right) in enumerate(pairwise(symbols)):
        pair = bpe.pair(left[0], right[0])
        if pair is not None:
            found.append((pair[0], i, pair[1]))
    return sorted(found)


def _entries(bpe: Bpe, symbols: Symbols) -> Iterator[Entry]:
    for left, right in pairwise(symbols):
        pair = bpe.pair(left[0], right[0])
        if pair is not None:
            yield pair[0], left[1], right[2]


def _pairs_by_span(symbols: Symbols) -> dict[tuple[int, int], int]:
    """Return the place of each pair of neighbours by its start and end."""
    return {(left[1], right[2]): i for i, (left, right) in enumerate(pairwise(symbols))}


def _joined(symbols: Symbols, i: int, result: int) -> Symbols:
    return (*symbols[:i], (result, symbols[i][1], symbols[i + 1][2]), *symbols[i + 2 :])


def _merged(bpe: Bpe, symbols: Symbols, queue: Queue, i: int) -> State:
    """Return the state after the merge at a place; the new symbol's pairs join the queue."""
    _, result = bpe.pair(symbols[i][0], symbols[i + 1][0]) or (-1, -1)
    then = _joined(symbols, i, result)
    new = _entries(bpe, then[max(0, i - 1) : i + 2])
    return then, tuple(sorted((*queue, *new)))
