"""Learning merges in plain Python: every count is made anew before every merge.

Slow, short and easily seen to be right: it serves small corpora and is what
`engine.kernels.learn` is tested against.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.progress import Report
from engine.train.merges import Ended, LearntMerges, Rules, Watch
from engine.train.units import Units

Pair = tuple[int, int]


def learn_plain(
    units: Units, rules: Rules, report: Report, watch: Watch | None = None
) -> LearntMerges:
    """Do what `engine.train.merges.learn_merges` does."""
    flat, cuts = units.symbols.tolist(), units.offsets.tolist()
    words = [flat[a:b] for a, b in pairwise(cuts)]
    counts = units.counts.tolist()
    symbols, sizes = list(units.base), [1] * len(units.base)
    barred: set[Pair] = set()
    rows: list[tuple[int, ...]] = []
    ended: Ended = "size"
    while len(rows) < rules.merges:
        report(len(rows), rules.merges)
        if watch is not None and rows:
            watch(from_rows(units, rules, _table(rows), "under way"))
        found = _counted(words, counts)
        worth = found if rules.select == "frequency" else _likelihood(found, words, counts)
        ranked = _ranked(found, worth, rules, symbols, sizes, barred)
        if len(rows) < len(rules.given):
            left, right = rules.given[len(rows)]
            rows.append((left, right, found[left, right], 0, -1, -1, -1))
        else:
            while rules.veto and ranked and rules.veto(*(symbols[s] for s in ranked[0])):
                barred.add(ranked.pop(0))
            if not ranked:
                ended = "count"
                break
            left, right = ranked[0]
            count = found[left, right]
            ties = sum(worth[pair] == worth[ranked[0]] for pair in ranked)
            rival = (*ranked[1], found[ranked[1]]) if len(ranked) > 1 else (-1, -1, -1)
            rows.append((left, right, count, ties, *rival))
        symbols.append(symbols[left] + symbols[right])
        sizes.append(sizes[left] + sizes[right])
        for word in words:
            _merge(word, left, right, len(symbols) - 1)
        rows[-1] += (sum(len(w) * n for w, n in zip(words, counts, strict=True)),)
    report(rules.merges, rules.merges)
    return from_rows(units, rules, _table(rows), ended)


def _table(rows: list[tuple[int, ...]]) -> np.ndarray[Any, Any]:
    return np.array(rows, dtype=np.int64).reshape(-1, 8)


def from_rows(units: Units, rules: Rules, rows: np.ndarray[Any, Any], ended: Ended) -> LearntMerges:
    """Return merges from their log, int64[m, 8]; see `engine.kernels.learn.learn`."""
    left, right, count, ties, rival_left, rival_right, rival_count, tokens = rows.T
    return LearntMerges(
        units.base,
        left.astype(np.int32),
        right.astype(np.int32),
        count.copy(),
        ties.astype(np.int32),
        rival_left.astype(np.int32),
        rival_right.astype(np.int32),
        rival_count.copy(),
        np.concatenate(([units.tokens], tokens)),
        rules.tie_break,
        len(rules.given),
        ended,
    )


def _likelihood(
    found: Counter[Pair], words: list[list[int]], counts: list[int]
) -> dict[Pair, Fraction]:
    """Return count(ab) / (count(a) · count(b)) of each pair."""
    alone: Counter[int] = Counter()
    for word, times in zip(words, counts, strict=True):
        for symbol in word:
            alone[symbol] += times
    return {(a, b): Fraction(n, alone[a] * alone[b]) for (a, b), n in found.items()}


def _ranked(
    found: Counter[Pair],
    worth: Mapping[Pair, Fraction | int],
    rules: Rules,
    symbols: list[bytes],
    sizes: list[int],
    barred: set[Pair],
) -> list[Pair]:
    """Return the pairs that may merge, the next one first. worth: what they are chosen by."""
    order = {pair: place for place, pair in enumerate(found)}
    keys: dict[str, Callable[[Pair], Any]] = {
        "lexicographic-smallest": lambda p: (symbols[p[0]], symbols[p[1]]),
        "lexicographic-largest": lambda p: (symbols[p[0]], symbols[p[1]]),
        "lowest-ids": lambda p: p,
        "shortest-then-smallest": lambda p: (
            sizes[p[0]] + sizes[p[1]], symbols[p[0]] + symbols[p[1]], sizes[p[0]]
        ),
        "first-seen": lambda p: order[p],
    }  # fmt: skip
    able = [
        pair
        for pair, count in found.items()
        if count >= rules.least
        and pair not in barred
        and sizes[pair[0]] + sizes[pair[1]] <= rules.longest
    ]
    able.sort()  # what the rule leaves equal goes by ids
    able.sort(key=keys[rules.tie_break], reverse=rules.tie_break == "lexicographic-largest")
    able.sort(key=lambda pair: -worth[pair])
    return able


def _merge(word: list[int], left: int, right: int, new: int) -> None:
    """Put a symbol in the place of a pair in a word, from left to right."""
    i = 0
    while i + 1 < len(word):
        if word[i] == left and word[i + 1] == right:
            word[i : i + 2] = [new]
        i += 1


def pairs_after(
    units: Units, rules: Rules, report: Report
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the pairs, left << 32 | right, and how often each stands after the given merges.

    Pairs that stand nowhere may be among them, with a count of 0.
    """
    words, weights = _words(units), units.counts.tolist()
    for place, (left, right) in enumerate(rules.given):
        report(place, len(rules.given))
        for word in words:
            _merge(word, left, right, len(units.base) + place)
    return _state(_counted(words, weights))


def pair_states(
    units: Units, rules: Rules, report: Report
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """Yield before each given merge of the rules what `pairs_after` gives after those before it."""
    words, weights = _words(units), units.counts.tolist()
    for step, (left, right) in enumerate(rules.given):
        report(step, len(rules.given))
        yield _state(_counted(words, weights))
        for word in words:
            _merge(word, left, right, len(units.base) + step)
    report(len(rules.given), len(rules.given))


def _words(units: Units) -> list[list[int]]:
    flat, cuts = units.symbols.tolist(), units.offsets.tolist()
    return [flat[a:b] for a, b in pairwise(cuts)]


def _state(found: Counter[Pair]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    keys = np.array([left << 32 | right for left, right in found], dtype=np.uint64)
    return keys, np.array(list(found.values()), dtype=np.int64)


def _counted(words: list[list[int]], counts: list[int]) -> Counter[Pair]:
    """Return how often each pair stands, in the order in which pairs are seen."""
    found: Counter[Pair] = Counter()
    for word, times in zip(words, counts, strict=True):
        for pair in pairwise(word):
            found[pair] += times
    return found
