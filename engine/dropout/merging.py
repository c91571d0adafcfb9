"""Merging with dropout in plain Python, one word at a time. Twin of `engine.kernels.dropout`.

By SentencePiece's law a pair has one coin, whatever happens elsewhere, so a word falls into
stretches that no merge can ever join, each merged by itself. By the others every merge gives what
was dropped a new chance, anywhere in the word. Coins are numbered in the order in which they are
tossed.
"""

from __future__ import annotations

import heapq
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from engine.bpe import Bpe
from engine.dropout import DropRule
from engine.dropout.stretches import stretches
from engine.rng import uniform
from engine.symbols import Merge, Word

Entry = tuple[int, int, int]
"""A pair that could merge: its rank, its left symbol, and the symbol after both."""


class Look(NamedTuple):
    """A pair that was taken out of the queue, and for which a coin was tossed.

    rank, left: as in `Entry`. right: the right symbol. beyond: the symbol after both. coin: the
    number of the random number in its stream; u: it. dropped: u < p. stale: another merge had
    taken one of the two symbols, so the pair doesn't merge even if it isn't dropped. steps: how
    many merges of the word came before.
    """

    rank: int
    left: int
    right: int
    beyond: int
    coin: int
    u: float
    dropped: bool
    stale: bool
    steps: int


class Coins:
    """Random numbers of a stream, in turn; `count` is how many were tossed."""

    def __init__(self, key: int) -> None:
        self.key, self.count = key, 0

    def toss(self) -> float:
        """Return the next number."""
        self.count += 1
        return uniform(self.key, self.count - 1)


def dropping(
    bpe: Bpe, rule: DropRule, p: float, coins: Coins, looks: list[Look] | None = None
) -> Merge:
    """Return what merges the symbols of a word with dropout; `looks` gets what was considered."""
    return partial(drop_merges, bpe, rule, p, coins, looks)


def drop_merges(
    bpe: Bpe, rule: DropRule, p: float, coins: Coins, looks: list[Look] | None, word: Word
) -> None:
    """Merge the symbols of a word in place, each merge dropped with probability p."""
    apart = rule == DropRule.SENTENCEPIECE
    for low, high in stretches(bpe, word.id) if apart else [(0, len(word.id))]:
        _Stretch(bpe, word, low, high, p, coins, looks).merge(rule)


class _Stretch:
    """The symbols low … high − 1 of a word, and the queue of the pairs that could merge."""

    def __init__(
        self,
        bpe: Bpe,
        word: Word,
        low: int,
        high: int,
        p: float,
        coins: Coins,
        looks: list[Look] | None,
    ) -> None:
        self.bpe, self.word, self.low, self.high = bpe, word, low, high
        self.p, self.coins, self.looks = p, coins, looks
        self.before = list(range(low - 1, high - 1))
        self.heap: list[Entry] = []
        for i, j in pairwise(range(low, high)):
            self.enter(i, j)

    def merge(self, rule: DropRule) -> None:
        """Merge until the queue is empty."""
        heap, aside = self.heap, list[Entry]()
        while heap:
            entry = heapq.heappop(heap)
            stale = self.stale(entry)
            if stale and rule != DropRule.HUGGINGFACE:
                continue
            if self.drops(entry, stale):
                if rule != DropRule.SENTENCEPIECE:
                    aside.append(entry)
                continue
            if not stale:
                made = [self.join(entry)]
                if rule == DropRule.SUBWORD_NMT:
                    self.join_the_like(entry[0], made, aside)
                self.enter_around(made)
            for kept in aside:
                heapq.heappush(heap, kept)
            aside.clear()

    def join_the_like(self, rank: int, made: list[int], aside: list[Entry]) -> None:
        """Merge the other places of the pair that was merged last, unless they are dropped."""
        pair = self.word.steps[-1][4:6]
        while self.heap and self.heap[0][0] == rank:
            entry = heapq.heappop(self.heap)
            if self.stale(entry):
                continue
            i = entry[1]
            same = (self.word.id[i], self.word.id[self.word.after[i]]) == pair
            if not same or self.drops(entry, stale=False):
                aside.append(entry)
            else:
                made.append(self.join(entry))

    def drops(self, entry: Entry, stale: bool) -> bool:
        """Toss a coin for an entry and return whether it is dropped."""
        u = self.coins.toss()
        dropped = u < self.p
        if self.looks is not None:
            rank, left, beyond = entry
            right = self.word.after[left]
            coin, steps = self.coins.count - 1, len(self.word.steps)
            self.looks.append(Look(rank, left, right, beyond, coin, u, dropped, stale, steps))
        return dropped

    def enter(self, i: int, j: int) -> None:
        """Put a pair of neighbours into the queue, if they merge."""
        word = self.word
        found = self.bpe.pair(word.id[i], word.id[j])
        if found is not None:
            rank, result = found
            heapq.heappush(self.heap, (rank, i, word.after[j]))
            word.split[result] = (word.id[i], word.id[j])

    def enter_around(self, made: list[int]) -> None:
        """Put the pairs of new symbols with their neighbours into the queue, from the left."""
        last = -1
        for i in made:
            before, after = self.before[i - self.low], self.word.after[i]
            if before >= self.low and before != last:
                self.enter(before, i)
            if after < self.high:
                self.enter(i, after)
            last = i

    def stale(self, entry: Entry) -> bool:
        """Whether another merge has taken a symbol of the pair.

        Symbols only grow, so the pair that starts and ends where it did is the same.
        """
        _, i, beyond = entry
        after = self.word.after
        return self.word.id[i] < 0 or after[i] >= self.high or after[after[i]] != beyond

    def join(self, entry: Entry) -> int:
        """Merge the pair of an entry and return its left symbol."""
        rank, i, beyond = entry
        word = self.word
        j = word.after[i]
        left, right = word.id[i], word.id[j]
        _, result = self.bpe.pair(left, right) or (rank, -1)
        word.steps.append((rank, i, j, beyond, left, right, result))
        word.id[i], word.id[j] = result, -1
        word.after[i] = beyond
        if beyond < self.high:
            self.before[beyond - self.low] = i
        return i
