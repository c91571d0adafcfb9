"""What the tests of the dropout family share: small models, and the laws by naive recursion."""

from __future__ import annotations

import random
from itertools import pairwise, product

import numpy as np

from engine.bpe import Bpe
from engine.dropout import DropRule
from engine.pieces import Vocabulary

Rules = list[tuple[str, str]]
Cut = tuple[str, ...]

ABCD: Rules = [("a", "b"), ("b", "c"), ("ab", "c"), ("c", "d"), ("abc", "d"), ("ab", "cd")]
ABAB: Rules = [("a", "b"), ("ab", "ab")]


def bpe_of(merges: Rules, letters: str = "abcd") -> Bpe:
    """Return a model of listed pairs over characters."""
    names = list(dict.fromkeys([*letters, *(a + b for a, b in merges)]))
    index = {name: i for i, name in enumerate(names)}
    rows = [(index[a], index[b], index[a + b], rank) for rank, (a, b) in enumerate(merges)]
    table = np.array(rows, dtype=np.int32).reshape(-1, 4).T
    return Bpe(Vocabulary.build([name.encode() for name in names]), *table, alphabet="char")


def random_merges(rng: random.Random, letters: str = "abc", most: int = 8) -> Rules:
    """Return random merges, each of pieces that are there before it."""
    known, merges = list(letters), Rules()
    for _ in range(rng.randint(1, most)):
        pair = (rng.choice(known), rng.choice(known))
        if pair not in merges and len("".join(pair)) <= 5:
            merges.append(pair)
            known.append("".join(pair))
    return merges


def add(law: dict[Cut, float], cut: Cut, share: float) -> None:
    law[cut] = law.get(cut, 0.0) + share


def naive_law(merges: Rules, word: str, rule: DropRule, p: float) -> dict[Cut, float]:
    """The law by recursion over strings, all coins of a step tossed one way or the other."""
    rank = {pair: i for i, pair in enumerate(merges)}
    law: dict[Cut, float] = {}

    def candidates(cut: Cut) -> list[tuple[int, int]]:
        return sorted((rank[pair], i) for i, pair in enumerate(pairwise(cut)) if pair in rank)

    def step(cut: Cut, share: float) -> None:
        """The paper's and subword-nmt's: every subset of the candidates survives."""
        found = candidates(cut)
        for kept in product((True, False), repeat=len(found)):
            coins = share * (1 - p) ** sum(kept) * p ** (len(kept) - sum(kept))
            left = [candidate for candidate, k in zip(found, kept, strict=True) if k]
            if coins == 0.0:
                continue
            if not left:
                add(law, cut, coins)
                continue
            best = left[0]
            places = [i for r, i in left if r == best[0]] if rule == 1 else [best[1]]
            out: list[str] = []
            at = 0
            for i in places:
                if i >= at:
                    out += [*cut[at:i], cut[i] + cut[i + 1]]
                    at = i + 2
            step((*out, *cut[at:]), coins)

    def spans(cut: Cut) -> list[tuple[int, int]]:
        ends = np.cumsum([len(piece) for piece in cut]).tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def pairs(cut: Cut) -> dict[tuple[int, int], int]:
        """Start and end of each pair of neighbours, and its place."""
        where = spans(cut)
        return {(a[0], b[1]): i for i, (a, b) in enumerate(pairwise(where))}

    def entries(cut: Cut) -> list[tuple[int, int, int]]:
        where = spans(cut)
        return [(r, where[i][0], where[i + 1][1]) for r, i in candidates(cut)]

    def queue(cut: Cut, waiting: list[tuple[int, int, int]], aside: list, share: float) -> None:
        """HuggingFace's and SentencePiece's, coin by coin."""
        if not waiting or share == 0.0:
            if share:
                add(law, cut, share)
            return
        entry, rest = waiting[0], waiting[1:]
        place = pairs(cut).get(entry[1:])
        if rule == DropRule.SENTENCEPIECE and place is None:
            queue(cut, rest, [], share)
            return
        queue(cut, rest, [*aside, entry] if rule == DropRule.HUGGINGFACE else [], share * p)
        then = cut
        waiting = [*rest, *aside]
        if place is not None:
            then = (*cut[:place], cut[place] + cut[place + 1], *cut[place + 2 :])
            waiting += [e for e in entries(then) if e not in entries(cut)]
        queue(then, sorted(waiting), [], share * (1 - p))

    first = tuple(word)
    if rule in (DropRule.PAPER, DropRule.SUBWORD_NMT):
        step(first, 1.0)
    else:
        queue(first, sorted(entries(first)), [], 1.0)
    return law
