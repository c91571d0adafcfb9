"""A text under the first merges of a run: what each merge does to it, so that any step can be seen.

Sennrich, Haddow & Birch (ACL 2016), section 3.2: merges are applied to a word in the order in which
they were learnt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.train.units import Units

MISSING = -1
"""A base symbol that the vocabulary doesn't have."""


class Part(NamedTuple):
    """A symbol of a word, and the first and the last base symbol that it is made of."""

    symbol: int
    first: int
    last: int


class Span(NamedTuple):
    """Base symbols of a word, from the first to the last."""

    word: int
    first: int
    last: int


class States(Protocol):
    """The words of a text at each step of a run."""

    def __len__(self) -> int:
        """Return the number of words."""

    def state(self, word: int, done: int) -> tuple[Part, ...]:
        """Return the parts of a word after so many steps."""

    def made(self, done: int) -> tuple[Span, ...]:
        """Return what the last of so many steps joined."""

    def touching(self, where: Span | None = None) -> NDArray[np.int64]:
        """Return after how many steps something changed; where: that touches these base symbols."""


class Replay:
    """The words of a text under merges that become known one after the other.

    A merge joins its pair wherever it stands, from left to right, as it does in the corpus. Only
    later merges name what it makes, so the states of a word follow each other in the merges' order.
    """

    def __init__(self, words: Sequence[Sequence[int]]) -> None:
        """Take words as rows of base symbols, `MISSING` for what is none."""
        self._after: list[list[int]] = [[0] for _ in words]
        self._states = [
            [tuple(Part(symbol, place, place) for place, symbol in enumerate(word))]
            for word in words
        ]
        self._made: dict[int, list[Span]] = {}
        """By merges done, what the last of them made."""

    def __len__(self) -> int:
        return len(self._states)

    def extend(self, find: Callable[[int, int], int], base: int) -> None:
        """Go on with all merges known by now.

        find: the place of the merge that joins a pair in their order, from 0, −1 where none does.
        base: the number of base symbols; merge k makes symbol base + k. What was known before must
        be among them.
        """
        for word, states in enumerate(self._states):
            parts = states[-1]
            while True:
                found = [find(a.symbol, b.symbol) for a, b in pairwise(parts)]
                k = min((k for k in found if k >= 0), default=-1)
                if k < 0:
                    break
                parts = self._joined(word, parts, found, k, base)
                states.append(parts)
                self._after[word].append(k + 1)

    def _joined(
        self, word: int, parts: tuple[Part, ...], found: list[int], k: int, base: int
    ) -> tuple[Part, ...]:
        """Return the word after merge k, and note what it made."""
        joined = []
        place = 0
        while place < len(parts):
            part = parts[place]
            if place < len(found) and found[place] == k:
                part = Part(base + k, part.first, parts[place + 1].last)
                self._made.setdefault(k + 1, []).append(Span(word, part.first, part.last))
                place += 1
            joined.append(part)
            place += 1
        return tuple(joined)

    def state(self, word: int, done: int) -> tuple[Part, ...]:
        """Return the symbols of a word after so many merges."""
        return self._states[word][bisect_right(self._after[word], done) - 1]

    def made(self, done: int) -> tuple[Span, ...]:
        """Return what the last of so many merges made."""
        return tuple(self._made.get(done, ()))

    def touching(self, where: Span | None = None) -> NDArray[np.int64]:
        """Return after how many merges something changed, rising: int64[c].

        where: only what touches these base symbols.
        """
        found = [
            done
            for done, spans in self._made.items()
            if where is None or any(_meet(span, where) for span in spans)
        ]
        return np.array(sorted(found), dtype=np.int64)


def _meet(one: Span, other: Span) -> bool:
    return one.word == other.word and one.first <= other.last and other.first <= one.last


def rows_of(units: Units, base: Sequence[bytes]) -> list[list[int]]:
    """Return the words of a text by the base symbols of a run, `MISSING` for what is none.

    units: the words as the run's own style cuts them, whatever their numbers.
    """
    number = {symbol: i for i, symbol in enumerate(base)}
    own = [number.get(symbol, MISSING) for symbol in units.base]
    symbols = units.symbols.tolist()
    return [[own[i] for i in symbols[a:b]] for a, b in pairwise(units.offsets.tolist())]
