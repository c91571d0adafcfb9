"""Merges learnt by likelihood: the kernel, its plain twin, and a reference of strings."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from engine.errors import ParameterError, TrainingError
from engine.kernels import learn_likelihood
from engine.progress import silent
from engine.train import ties
from engine.train.by_likelihood import learn_by_likelihood
from engine.train.merges import Rules, learn_merges
from engine.train.plain import learn_plain
from engine.train.units import Units, character_units
from engine.train.words import words_of

TIE_BREAKS = ("lexicographic-smallest", "lexicographic-largest", "lowest-ids",
              "shortest-then-smallest")  # fmt: skip
CORPORA = 160

FIELDS = ("left", "right", "count", "ties", "rival_left", "rival_right", "rival_count", "tokens")


def units_of(counts):
    return character_units(words_of((word.encode(), n) for word, n in counts.items()))


def random_units(rng):
    alphabet = rng.choice(["ab", "abcd", "abéλ今", "abcdefghijklm"])
    words = Counter()
    for _ in range(rng.randint(1, 12)):
        size = rng.choice([1, 2, 3, 5, 9, 16])
        words["".join(rng.choice(alphabet) for _ in range(size))] += rng.choice([1, 1, 2, 3, 40])
    return units_of(words)


def reference(words, merges, least):
    """Learn merges of strings in the most obvious way; return pairs with quotient and ties."""
    words = [(list(word), times) for word, times in words.items()]
    learnt = []
    while len(learnt) < merges:
        alone, found = Counter(), Counter()
        for word, times in words:
            for symbol in word:
                alone[symbol] += times
            for pair in pairwise(word):
                found[pair] += times
        worth = {
            (a, b): Fraction(n, alone[a] * alone[b]) for (a, b), n in found.items() if n >= least
        }
        if not worth:
            break
        best = max(worth.values())
        tied = [pair for pair in worth if worth[pair] == best]
        chosen = min(tied)
        learnt.append((*chosen, best, len(tied)))
        for word, _ in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == chosen:
                    word[i : i + 2] = ["".join(chosen)]
                i += 1
    return learnt


def same(one, other):
    for field in FIELDS:
        assert getattr(one, field).tolist() == getattr(other, field).tolist(), field
    assert one.ended == other.ended


def test_by_hand():
    # q and u are rare and always together: 2 / (2 · 2); t and h are frequent: 5 / (6 · 6).
    units = units_of({"the": 5, "that": 1, "quh": 2})
    learnt = learn_merges(units, Rules(1, select="likelihood"))
    assert [units.base[i] for i in (learnt.left[0], learnt.right[0])] == [b"q", b"u"]
    assert learnt.count[0] == 2
    by_count = learn_merges(units, Rules(1))
    assert [units.base[i] for i in (by_count.left[0], by_count.right[0])] == [b"t", b"h"]


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_the_kernel_does_what_its_plain_twin_does(rule):
    rng = random.Random(f"likelihood {rule}")
    for _ in range(CORPORA // 4):
        units = random_units(rng)
        longest = rng.choice([1 << 30, 2, 3, 5])
        rules = Rules(
            rng.choice([3, 12, 60]), rule, rng.choice([1, 1, 2, 3]), longest, select="likelihood"
        )
        same(learn_plain(units, rules, silent), learn_by_likelihood(units, rules, silent))


def test_a_veto_keeps_both_from_the_same_pairs():
    rng = random.Random("veto")
    for _ in range(40):
        units = random_units(rng)
        barred = rng.choice([b"a", b"ab", b"ba"])
        rules = Rules(
            20, least=1, select="likelihood",
            veto=lambda left, right, barred=barred: (left + right).startswith(barred),
        )  # fmt: skip
        learnt = learn_by_likelihood(units, rules, silent)
        same(learn_plain(units, rules, silent), learnt)
        assert not any(s.startswith(barred) for s in learnt.symbols[len(units.base) :])


def test_both_do_what_a_reference_of_strings_does():
    rng = random.Random("reference")
    for _ in range(CORPORA):
        words = Counter()
        for _ in range(rng.randint(1, 8)):
            word = "".join(rng.choice("abc") for _ in range(rng.choice([2, 3, 5, 9])))
            words[word] += rng.choice([1, 2, 3])
        least = rng.choice([1, 2])
        units = units_of(words)
        learnt = learn_by_likelihood(units, Rules(15, least=least, select="likelihood"), silent)
        symbols = [symbol.decode() for symbol in learnt.symbols]
        pairs = [
            (symbols[a], symbols[b], int(n))
            for a, b, n in zip(learnt.left, learnt.right, learnt.ties, strict=True)
        ]
        wanted = reference(words, 15, least)
        assert pairs == [(left, right, ties) for left, right, _, ties in wanted]


@pytest.mark.parametrize("kernels", [False, True])
def test_the_whole_tie_sets_are_those_of_exact_fractions(monkeypatch, kernels):
    monkeypatch.setattr(ties, "compiled", lambda _size: kernels)
    rng = random.Random("ties")
    for _ in range(30):
        units, least = random_units(rng), rng.choice([1, 2])
        learnt = learn_plain(units, Rules(12, least=least, select="likelihood"), silent)
        sets = list(ties.tie_sets(units, learnt, silent, "likelihood", least))
        assert [len(found) for found in sets] == learnt.ties.tolist()
        symbols = units.symbols.tolist()
        words = [symbols[a:b] for a, b in pairwise(units.offsets.tolist())]
        merges = zip(learnt.left.tolist(), learnt.right.tolist(), strict=True)
        for step, (left, right) in enumerate(merges):
            alone, pairs = Counter(), Counter()
            for word, times in zip(words, units.counts.tolist(), strict=True):
                for symbol in word:
                    alone[symbol] += times
                for pair in pairwise(word):
                    pairs[pair] += times
            worth = {
                (a, b): Fraction(n, alone[a] * alone[b])
                for (a, b), n in pairs.items()
                if n >= least
            }
            assert sets[step] == sorted(p for p in worth if worth[p] == worth[left, right])
            assert sets[step] == ties.ties_at(units, learnt, step, "likelihood", least)
            for word in words:
                k = 0
                while k + 1 < len(word):
                    if word[k : k + 2] == [left, right]:
                        word[k : k + 2] = [len(units.base) + step]
                    k += 1


def test_the_order_of_words_changes_nothing():
    rng = random.Random("order")
    words = {"".join(rng.choice("abcdef") for _ in range(rng.randint(2, 9))): n for n in range(80)}
    words = {word: n + 1 for word, n in words.items()}
    rules = Rules(60, select="likelihood")
    one = learn_merges(units_of(words), rules)
    shuffled = list(words.items())
    rng.shuffle(shuffled)
    same(one, learn_merges(units_of(dict(shuffled)), rules))


@pytest.mark.parametrize(
    ("ab", "a", "b", "cd", "c", "d"),
    [
        # Quotients that float64 can't tell apart: n / (n (n + 1)) and its neighbours.
        (3, 3, 94_906_267, 3, 3, 94_906_266),
        (1, 4_294_967_295, 4_294_967_293, 1, 4_294_967_294, 4_294_967_294),
        (4_294_967_290, 4_294_967_295, 4_294_967_291, 4_294_967_289, 4_294_967_294, 4_294_967_291),
        (2, 4, 6, 3, 6, 6),
        (7, 7, 7, 7, 7, 7),
    ],
)
def test_quotients_are_compared_exactly(ab, a, b, cd, c, d):
    keys = np.array([0 << 32 | 1, 2 << 32 | 3], dtype=np.uint64)
    order = learn_likelihood.order_of(
        np.int64(0), np.int64(1), keys, np.array([ab, cd]), np.array([a, b, c, d])
    )
    one, other = Fraction(ab, a * b), Fraction(cd, c * d)
    assert order == (one > other) - (one < other)


def test_rules_that_likelihood_does_not_know():
    units = units_of({"ab": 3})
    with pytest.raises(ParameterError, match="first-seen"):
        learn_merges(units, Rules(1, "first-seen", select="likelihood"))
    with pytest.raises(ParameterError, match="given merges"):
        learn_merges(units, Rules(1, given=[(0, 1)], select="likelihood"))
    with pytest.raises(ParameterError, match="selection 'chance'"):
        learn_merges(units, Rules(1, select="chance"))


def test_more_characters_than_can_be_compared_are_refused():
    units = units_of({"ab": 3})
    many = Units(units.base, np.tile(units.symbols, 2), np.array([0, 2, 4]),
                 np.array([0x7FFFFFFF, 0x7FFFFFFF]))  # fmt: skip
    with pytest.raises(TrainingError, match="8,589,934,588 characters"):
        learn_by_likelihood(many, Rules(1, select="likelihood"), silent)
