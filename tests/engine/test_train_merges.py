"""Merges as the kernel and its plain twin learn them, beside a reference of its own and peers."""

from __future__ import annotations

import io
import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.progress import Cancelled, silent
from engine.train.compiled import learn_compiled
from engine.train.merges import TIE_BREAKS, Rules, learn_merges
from engine.train.plain import learn_plain
from engine.train.units import byte_units, character_units
from engine.train.words import words_of

CORPORA = 2_000
"""Random corpora for each tie rule."""


def reference(corpus, merges, rule, least):
    """Learn merges of strings in the most obvious way; return pairs with count and ties.

    corpus: (symbols, count) pairs. Symbols are (string, id, length).
    """
    words = [(list(symbols), times) for symbols, times in corpus]
    fresh = max((symbol[1] for word, _ in words for symbol in word), default=0)
    learnt = []
    while len(learnt) < merges:
        found = Counter()
        for word, times in words:
            for pair in pairwise(word):
                found[pair] += times
        best = max(found.values(), default=0)
        if best < least:
            break
        tied = [pair for pair in found if found[pair] == best]
        if rule == "lexicographic-smallest":
            chosen = min(tied, key=lambda p: (p[0][0], p[1][0], p[0][1], p[1][1]))
        elif rule == "lexicographic-largest":
            chosen = max(tied, key=lambda p: (p[0][0], p[1][0], -p[0][1], -p[1][1]))
        elif rule == "lowest-ids":
            chosen = min(tied, key=lambda p: (p[0][1], p[1][1]))
        elif rule == "shortest-then-smallest":
            chosen = min(
                tied,
                key=lambda p: (p[0][2] + p[1][2], p[0][0] + p[1][0], p[0][2], p[0][1], p[1][1]),
            )
        else:
            chosen = tied[0]  # a Counter keeps the order in which pairs were seen
        fresh += 1
        left, right = chosen
        new = (left[0] + right[0], fresh, left[2] + right[2])
        learnt.append((left[0], right[0], best, len(tied)))
        for word, _ in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == chosen:
                    word[i : i + 2] = [new]
                i += 1
    return learnt


def random_counts(rng):
    """Return a small random corpus: strings with counts."""
    alphabet = rng.choice(["ab", "abcd", "abéλ今"])
    words = Counter()
    for _ in range(rng.randint(1, 8)):
        size = rng.choice([1, 2, 3, 5, 9, 16])
        words["".join(rng.choice(alphabet) for _ in range(size))] += rng.choice([1, 1, 2, 3])
    return words


def units_of(counts, mark=""):
    return character_units(words_of((w.encode(), n) for w, n in counts.items()), mark)


def rows(learnt):
    """Return merges as the reference gives them."""
    symbols = [symbol.decode() for symbol in learnt.symbols]
    return [
        (symbols[left], symbols[right], count, ties)
        for left, right, count, ties in zip(
            learnt.left.tolist(), learnt.right.tolist(), learnt.count.tolist(),
            learnt.ties.tolist(), strict=True,
        )
    ]  # fmt: skip


def same(one, other):
    parts = ("left", "right", "count", "ties", "rival_left", "rival_right", "rival_count", "tokens")
    assert one.ended == other.ended
    for part in parts:
        assert np.array_equal(getattr(one, part), getattr(other, part)), part


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_random_corpora_give_the_merges_of_the_reference(rule):
    rng = random.Random(rule)
    for _ in range(CORPORA):
        counts = random_counts(rng)
        units = units_of(counts)
        number = {symbol.decode(): i for i, symbol in enumerate(units.base)}
        corpus = [([(c, number[c], 1) for c in word], n) for word, n in counts.items()]
        merges, least = rng.choice([2, 6, 20]), rng.choice([1, 2])
        learnt = learn_compiled(units, Rules(merges, rule, least), silent)
        assert rows(learnt) == reference(corpus, merges, rule, least), (counts, least)


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_the_plain_twin_does_the_same_under_every_setting(rule):
    rng = random.Random(rule)
    for _ in range(150):
        counts = random_counts(rng)
        units = units_of(counts, rng.choice(["", "</w>"]))
        given = []
        if rng.random() < 0.3:
            size = len(units.base)
            for step in range(rng.randint(1, 3)):
                given.append((rng.randrange(size + step), rng.randrange(size + step)))
        veto = (lambda a, b: (len(a) + len(b)) % 3 == 0) if rng.random() < 0.3 else None
        longest = rng.choice([2, 3, 5]) if not given and rng.random() < 0.3 else 1 << 30
        rules = Rules(
            rng.choice([1, 4, 30]) + len(given), rule, rng.choice([1, 2, 3]), longest, given, veto
        )
        same(learn_compiled(units, rules, silent), learn_plain(units, rules, silent))


def test_one_corpus_and_five_rules_give_five_vocabularies():
    units = units_of({"cda": 2, "bac": 2, "ecb": 2, "acc": 2})
    second = {rule: rows(learn_merges(units, Rules(2, rule)))[1][:2] for rule in TIE_BREAKS}
    assert second == {
        "lexicographic-smallest": ("ac", "c"),
        "lexicographic-largest": ("e", "c"),
        "lowest-ids": ("b", "ac"),
        "shortest-then-smallest": ("c", "b"),
        "first-seen": ("c", "d"),
    }


def test_the_order_of_the_words_matters_under_first_seen_only():
    rng = random.Random(5)
    differed = 0
    for _ in range(60):
        counts = random_counts(rng)
        turned = dict(reversed(list(counts.items())))
        for rule in TIE_BREAKS:
            one, other = (
                learn_merges(units_of(given), Rules(20, rule, 1)).symbols
                for given in (counts, turned)
            )
            if rule == "first-seen":
                differed += one != other
            else:
                assert one == other
    assert differed > 5


# Peers


def test_lowest_ids_on_characters_are_the_tokenizers_librarys():
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    rng = random.Random(1)
    for _ in range(120):
        counts = random_counts(rng)
        lines = [word for word, n in counts.items() for _ in range(n)]
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        units = units_of(counts)
        trainer = trainers.BpeTrainer(
            vocab_size=len(units.base) + 12, min_frequency=2, show_progress=False
        )
        tokenizer.train_from_iterator(lines, trainer)
        vocabulary = tokenizer.get_vocab()
        theirs = sorted(vocabulary, key=vocabulary.__getitem__)
        ours = learn_compiled(units, Rules(12, "lowest-ids"), silent)
        # Where two pairs join to one string, the library has one entry for both.
        assert list(dict.fromkeys(s.decode() for s in ours.symbols))[: len(theirs)] == theirs


def test_lowest_ids_on_bytes_are_rustbpes():
    rustbpe = pytest.importorskip("rustbpe")
    rng = random.Random(2)
    for _ in range(40):
        counts = random_counts(rng)
        lines = [word for word, n in counts.items() for _ in range(n)]
        tokenizer = rustbpe.Tokenizer()
        tokenizer.train_from_iterator(iter(lines), 256 + 10, pattern=r"[\s\S]+")
        theirs = [bytes(token) for token, _ in sorted(tokenizer.get_mergeable_ranks(), key=rank)]
        units = byte_units(words_of((w.encode(), n) for w, n in counts.items()))
        ours = learn_compiled(units, Rules(10, "lowest-ids", 1), silent)
        assert list(ours.symbols)[: len(theirs)] == theirs
        assert len(theirs) == len(set(ours.symbols))


def rank(pair):
    return pair[1]


def test_the_largest_pair_is_subword_nmts():
    learn_bpe = pytest.importorskip("subword_nmt.learn_bpe")
    rng = random.Random(3)
    for _ in range(120):
        counts = random_counts(rng)
        # In a run of one character that package loses count of the pair.
        counts = {w: n for w, n in counts.items() if all(a != b for a, b in pairwise(w))}
        if max(map(len, counts), default=0) < 2:
            continue  # without a pair that package fails
        text = io.StringIO("\n".join(w for w, n in counts.items() for _ in range(n)) + "\n")
        written = io.StringIO()
        learn_bpe.learn_bpe(text, written, 8, 2)
        theirs = [tuple(line.split(" ")) for line in written.getvalue().splitlines()[1:]]
        ours = rows(
            learn_compiled(units_of(counts, "</w>"), Rules(8, "lexicographic-largest"), silent)
        )
        assert [row[:2] for row in ours] == theirs, counts


def test_first_seen_is_minbpes():
    rng = random.Random(4)
    for _ in range(100):
        text = "".join(rng.choice("abc") for _ in range(rng.randint(2, 60)))
        ids, made = list(text.encode()), []
        for k in range(10):
            pairs = {}
            for pair in pairwise(ids):
                pairs[pair] = pairs.get(pair, 0) + 1
            if not pairs:
                break
            chosen = max(pairs, key=pairs.get)
            made.append(chosen)
            out = []
            while ids:
                if tuple(ids[:2]) == chosen:
                    out.append(256 + k)
                    del ids[:2]
                else:
                    out.append(ids.pop(0))
            ids = out
        units = byte_units(words_of([(text.encode(), 1)]))
        ours = learn_compiled(units, Rules(10, "first-seen", 1), silent)
        assert list(zip(ours.left.tolist(), ours.right.tolist(), strict=True)) == made


# Cases


def test_c02_overlapping_pairs_count_as_often_as_they_stand():
    learnt = learn_merges(units_of({"aaaaa": 1, "bc": 3}), Rules(2))
    assert rows(learnt) == [("a", "a", 4, 1), ("b", "c", 3, 1)]
    assert learnt.tokens.tolist() == [11, 9, 6]  # but only two of the four can be replaced


def test_c03_every_merge_occurs_when_the_corpus_is_replayed():
    counts = {"abababab": 1, "abab": 1, "ababab": 1, "cdcdcd": 1}
    learnt = learn_merges(units_of(counts), Rules(30, least=1, longest=4))
    assert (learnt.count >= 1).all()
    assert max(len(symbol) for symbol in learnt.symbols) == 4
    assert learnt.ended == "count"


def test_c06_one_merge_at_a_time():
    learnt = learn_merges(units_of({"xyz": 3}), Rules(2))
    assert rows(learnt) == [("x", "y", 3, 2), ("xy", "z", 3, 1)]


def test_rivals_tokens_and_ties_are_told():
    learnt = learn_merges(
        units_of({"low": 5, "lower": 2, "newest": 6, "widest": 3}, "</w>"), Rules(3)
    )
    assert rows(learnt) == [("e", "s", 9, 2), ("es", "t</w>", 9, 1), ("l", "o", 7, 1)]
    symbols = learnt.symbols
    rivals = [(symbols[a].decode(), symbols[b].decode()) for a, b in
              zip(learnt.rival_left, learnt.rival_right, strict=True)]  # fmt: skip
    assert rivals == [("s", "t</w>"), ("l", "o"), ("e", "w")]
    assert learnt.rival_count.tolist() == [9, 7, 6]
    assert learnt.tokens.tolist() == [79, 70, 61, 54]


def test_a_long_run_is_taken_in_time():
    """A word of a million letters is one run; each merge takes it once."""
    units = byte_units(words_of([(b"a" * 1_000_000, 1)]))
    learnt = learn_compiled(units, Rules(19, least=1), silent)
    assert learnt.tokens.tolist()[:4] == [1_000_000, 500_000, 250_000, 125_000]
    assert len(learnt.symbols[-1]) == 1 << 19


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Rules(-1), "-1 merges"),
        (Rules(5, "alphabetic"), "no tie rule 'alphabetic', choose one of lexicographic-smallest"),
        (Rules(5, least=0), "a lowest pair count of 0"),
        (Rules(1, given=[(0, 0), (0, 0)]), "2 merges are given, 1 asked for"),
        (Rules(3, given=[(0, 9)]), "given merge 1 joins the symbols 0 and 9"),
        (Rules(3, longest=2, given=[(0, 0), (2, 0)]), "given merge 2 makes a symbol of 3"),
    ],
)
def test_rules_that_cannot_be_followed_are_named(rules, words):
    with pytest.raises(ParameterError) as caught:
        learn_merges(units_of({"ab": 1}), rules)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("learn", [learn_compiled, learn_plain])
def test_what_is_learnt_so_far_can_be_watched(learn, monkeypatch):
    monkeypatch.setattr("engine.train.compiled.BUDGET", 1)  # as a long run stops now and then
    units, seen = units_of({"abcdefgh" * 5: 2}), []
    learnt = learn(units, Rules(12), silent, seen.append)
    assert [len(part) for part in seen] == sorted({len(part) for part in seen})
    assert len(seen) >= 5
    for part in seen:
        assert part.ended == "under way"
        assert part.symbols == learnt.symbols[: len(part.symbols)]
        assert np.array_equal(part.tokens, learnt.tokens[: len(part) + 1])


@pytest.mark.parametrize("learn", [learn_compiled, learn_plain])
def test_learning_can_be_cancelled_between_merges(learn):
    def report(done, total):
        if done:
            raise Cancelled

    units = units_of({"abcdefgh" * 5: 2})
    with pytest.raises(Cancelled):
        learn(units, Rules(30, veto=lambda a, b: False), report)
