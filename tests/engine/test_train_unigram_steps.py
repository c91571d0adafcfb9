"""The steps of training a Unigram vocabulary, each beside a plain computation of the same."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
import regex

from engine.train import em, seeds, stretches
from engine.train.em import best_counts, digamma, expected_counts, maximized, pruned
from engine.train.scripts import CODES, Constraints, script_classes
from engine.train.seeds import seed_pieces
from engine.train.stretches import KEYS, Normalizer, Stretches, spaced_words, stretches_of
from engine.train.words import words_of


@pytest.fixture(params=["kernels", "twins"])
def loops(request, monkeypatch):
    """Have all loops served by kernels, then by their twins."""
    for module in (em, seeds, stretches):
        monkeypatch.setattr(module, "compiled", lambda size: request.param == "kernels")


def made(words: dict[str, int], constraints: Constraints = Constraints(by_script=False)):  # noqa: B008
    """Return the stretches of some words."""
    rows = ((word.encode(), count) for word, count in words.items())
    return stretches_of(words_of(rows), constraints, 1.0)


def texts_of(found: Stretches) -> dict[str, int]:
    """Return stretches as strings, with their counts."""
    text = "".join(map(chr, found.alphabet[found.symbols].tolist()))
    cuts = found.offsets.tolist()
    rows = [text[a:b] for a, b in pairwise(cuts)]
    assert len(set(rows)) == len(rows), "a stretch stands twice"
    return dict(zip(rows, found.counts.tolist(), strict=True))


def spelled(found: Stretches, pieces: em.Inventory) -> list[str]:
    """Return the texts of pieces."""
    text = "".join(map(chr, found.alphabet[found.symbols].tolist()))
    spans = zip(pieces.example.tolist(), pieces.length.tolist(), strict=True)
    return [text[a : a + n] for a, n in spans]


ACROSS = Constraints(by_space=False, by_script=False)


def random_words(draw: random.Random, letters: str = "abc") -> dict[str, int]:
    return {
        "".join(draw.choices(letters, k=draw.randint(1, 9))): draw.randint(1, 4)
        for _ in range(draw.randint(1, 12))
    }


# Stretches


def test_stretches_end_where_no_piece_may_stand():
    words = {"▁don't": 2, "▁die": 1, "▁x2y": 3, "▁東京タワー!": 1, "▁ab12": 1, "▁cafe\u0301é": 1}
    rows = texts_of(made(words, Constraints()))
    assert rows == {
        "▁don": 2, "'": 2, "t": 2, "▁die": 1, "▁x": 3, "2": 3, "y": 3, "▁東京タワー": 1, "!": 1,
        "▁ab": 1, "12": 1, "▁cafe\u0301é": 1,
    }  # fmt: skip
    rows = texts_of(made(words, Constraints(by_number=False)))
    assert {"▁x2y", "▁ab12"} <= set(rows)
    rows = texts_of(made(words, Constraints(single_digits=True)))
    assert (rows["1"], rows["2"], rows["▁ab"]) == (1, 4, 1)
    assert texts_of(made(words)) == words


def test_stretches_across_spaces_hold_the_mark_inside():
    words = {"▁new▁york▁new": 2, "▁a▁б": 1}
    rows = texts_of(made(words, Constraints(by_space=False)))
    assert rows == {"▁new▁york▁new": 2, "▁a▁": 1, "б": 1}


def test_equal_stretches_are_one_and_sorted_however_long():
    draw = random.Random(2)
    longer = "".join(draw.choices("ab", k=4 * KEYS))
    words = {
        longer[: draw.randint(10, 16)] + "".join(draw.choices("ab", k=draw.randint(0, 7))) + mark: 1
        for mark in ("", "!", "?", "!!")
        for _ in range(200)
    }
    expected = Counter()
    for word in words:
        for part in regex.findall(r"[ab]+|[!?]+", word):
            expected[part] += 1
    rows = texts_of(made(words, Constraints()))
    assert rows == expected
    assert list(rows) == sorted(rows)


def test_rare_characters_are_left_out_and_cut_words():
    words = words_of([(b"abc", 10), ("ab\u0416c".encode(), 1), (b"z", 1)])
    found = stretches_of(words, Constraints(), 0.94)
    assert "".join(map(chr, found.alphabet)) == "abc"
    assert texts_of(found) == {"abc": 10, "ab": 1, "c": 1}
    assert (found.left_out, found.left_bytes) == (2, 3)


def test_scripts_are_the_unicode_ones():
    text = "aéβжאعहা中ひカーー한ไ1!٣\u0301\u200d"
    found = script_classes(np.array(sorted({*map(ord, text)}), dtype=np.int32))
    classes = dict(zip(sorted(set(text)), found.tolist(), strict=True))
    assert classes["a"] == classes["é"]
    assert classes["中"] == classes["ひ"] == classes["カ"] == classes["ー"]
    assert classes["1"] == classes["!"]
    assert classes["\u0301"] == classes["\u200d"] not in (classes["1"], classes["a"])
    assert len({classes[c] for c in "aβжאعहা中한ไ1\u0301"}) == 12
    assert len(CODES) == len(set(CODES)) > 160


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("rule", ["identity", "nmt_nfkc"])
def test_words_are_those_of_the_normalized_lines(rule):
    from sentencepiece import SentencePieceNormalizer

    texts = ["The  weather\n", " ＡＢ ab", "", "\n", "a▁b c", "한국어 中文"] * 2
    whole = SentencePieceNormalizer(rule_name=rule).normalize([t.rstrip("\n") for t in texts])
    expected = Counter(w for t in whole for w in regex.findall("^[^▁]+|▁[^▁]*", t))
    words = spaced_words(texts, Normalizer(rule, True, True))
    counts = dict(zip(words, words.counts.tolist(), strict=True))
    assert counts == {w.encode(): n for w, n in expected.items()}
    assert (words.n_texts, words.n_chars) == (12, sum(map(len, texts)))
    assert words.n_bytes == len("".join(texts).encode())
    lines = spaced_words(texts, Normalizer(rule, True, True), by_space=False)
    assert Counter(dict(zip(lines, lines.counts.tolist(), strict=True))) == Counter(
        t.encode() for t in whole if t
    )


# Seeds


def repeated(found: Stretches, longest: int) -> dict[str, int]:
    """Return substrings that occur twice and aren't always followed by one symbol, with counts.

    What would end with the mark for a space is there without it.
    """
    count: Counter[str] = Counter()
    places: Counter[str] = Counter()
    after = defaultdict(set)
    for text, times in texts_of(found).items():
        for a in range(len(text)):
            for b in range(a + 2, min(len(text), a + longest) + 1):
                count[text[a:b]] += times
                places[text[a:b]] += 1
                after[text[a:b]].add(text[b : b + 1])
    kept = {
        text
        for text, times in count.items()
        if times >= 2
        and (
            len(after[text]) > 1 or "" in after[text] or (len(text) == longest and places[text] > 1)
        )
    }
    kept = {text.removesuffix("▁") for text in kept}
    return {t: count[t] for t in kept if len(t) > 1 and not t.endswith("▁")}


@pytest.mark.usefixtures("loops")
def test_seeds_are_the_substrings_that_occur_again():
    draw = random.Random(1)
    for _ in range(25):
        found = made(random_words(draw, draw.choice(["a", "ab", "abc中", "ab▁"])), ACROSS)
        longest = draw.randint(1, 10)
        expected = repeated(found, longest)
        pieces = seed_pieces(found, 10_000, longest)
        texts = spelled(found, pieces)
        assert texts == sorted({*map(chr, found.alphabet.tolist()), *expected})
        score = {text: times * len(text) for text, times in expected.items()}
        for text, times in texts_of(found).items():
            for symbol in text:
                score[symbol] = score.get(symbol, 0) + times
        total = sum(score.values())
        assert np.exp(pieces.score) * total == pytest.approx([score[text] for text in texts])
        best = set(sorted(expected, key=lambda text: -score[text])[:5])
        few = {t for t in spelled(found, seed_pieces(found, 5, longest)) if len(t) > 1}
        assert sorted(score[t] for t in few) == sorted(score[t] for t in best)


@pytest.mark.usefixtures("loops")
def test_every_piece_that_fits_is_an_edge():
    draw = random.Random(4)
    for _ in range(15):
        found = made(random_words(draw))
        pieces = seed_pieces(found, draw.randint(0, 30), 6)
        texts = spelled(found, pieces)
        whole = "".join(map(chr, found.alphabet[found.symbols].tolist()))
        for a, b in zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True):
            for start in range(a, b):
                chain, piece = set(), int(pieces.deepest[start])
                while piece >= 0:
                    chain.add(texts[piece])
                    piece = int(pieces.parent[piece])
                assert chain == {t for t in texts if whole[start:b].startswith(t)}


# EM


def cuts(text: str, known: dict[str, float]) -> Iterator[tuple[list[str], float]]:
    """Yield every cut of a text into known pieces, with its score."""
    if not text:
        yield [], 0.0
    for end in range(1, len(text) + 1):
        if text[:end] in known:
            for rest, score in cuts(text[end:], known):
                yield [text[:end], *rest], known[text[:end]] + score


@pytest.mark.usefixtures("loops")
def test_counts_are_those_of_all_cuts_and_of_the_best():
    draw = random.Random(7)
    for _ in range(12):
        found = made(random_words(draw))
        pieces = seed_pieces(found, 30, 5)
        texts = spelled(found, pieces)
        known = dict(zip(texts, pieces.score.tolist(), strict=True))
        expected: Counter[str] = Counter()
        likelihood, highest = 0.0, 0.0
        for text, times in texts_of(found).items():
            every = list(cuts(text, known))
            total = math.fsum(math.exp(score) for _, score in every)
            likelihood += times * math.log(total)
            highest += times * max(score for _, score in every)
            for path, score in every:
                for piece in path:
                    expected[piece] += times * math.exp(score) / total
        counts, log = expected_counts(found, pieces)
        assert log == pytest.approx(likelihood, rel=1e-12)
        assert counts == pytest.approx([expected[text] for text in texts], rel=1e-9, abs=1e-12)
        used = best_counts(found, pieces)
        assert float(np.dot(used, pieces.score)) == pytest.approx(highest, rel=1e-12)
        assert int(np.dot(used, pieces.length)) == int(np.dot(found.counts, np.diff(found.offsets)))


@pytest.mark.usefixtures("loops")
def test_a_long_stretch_has_the_likelihood_that_logarithms_give():
    draw = random.Random(8)
    text = "".join(draw.choices("ab", k=3_000))
    found = made({text: 3, "abab": 1, "ba": 2})
    pieces = maximized(*_first_step(found))
    known = dict(zip(spelled(found, pieces), pieces.score.tolist(), strict=True))
    longest = pieces.longest
    total = 0.0
    for stretch, times in texts_of(found).items():
        sums = [0.0] + [-math.inf] * len(stretch)
        for end in range(1, len(stretch) + 1):
            for start in range(max(0, end - longest), end):
                if stretch[start:end] in known:
                    sums[end] = np.logaddexp(sums[end], sums[start] + known[stretch[start:end]])
        total += times * sums[-1]
    assert total < -3_000
    counts, log = expected_counts(found, pieces)
    assert log == pytest.approx(total, rel=1e-10)
    symbols = int(np.dot(found.counts, np.diff(found.offsets)))
    assert float(np.dot(counts, pieces.length)) == pytest.approx(symbols, rel=1e-10)


def _first_step(found: Stretches) -> tuple[em.Inventory, np.ndarray]:
    pieces = seed_pieces(found, 50, 8)
    return pieces, expected_counts(found, pieces)[0]


@pytest.mark.usefixtures("loops")
def test_em_without_a_prior_raises_the_likelihood():
    """The property of EM; digamma's prior, which takes from the rare, doesn't keep it."""
    found = made(random_words(random.Random(9)))
    pieces = seed_pieces(found, 40, 6)
    before = -math.inf
    for _ in range(6):
        counts, likelihood = expected_counts(found, pieces)
        assert likelihood >= before - 1e-9
        before = likelihood
        score = np.log(np.maximum(counts, 1e-300)) - math.log(counts.sum())
        pieces = pieces.kept(np.ones(len(pieces), dtype=np.bool_), score)


def test_digamma_is_what_tables_say():
    """ψ(1) = −γ, ψ(½) = −γ − 2 ln 2, ψ(n + 1) = ψ(n) + 1/n."""
    gamma = 0.5772156649015329
    assert digamma(np.array([1.0, 0.5])).tolist() == pytest.approx(
        [-gamma, -gamma - 2 * math.log(2)], rel=1e-13
    )
    x = np.geomspace(0.1, 1e9, 200)
    assert digamma(x + 1) - digamma(x) == pytest.approx(1 / x, rel=1e-6, abs=1e-13)
    assert digamma(np.array([1e9])).tolist() == pytest.approx([math.log(1e9) - 5e-10], rel=1e-14)


def test_rare_pieces_are_dropped_but_characters_stay():
    found = made({"ab": 1, "abc": 1, "d": 1})
    pieces = seed_pieces(found, 10, 4)
    texts = spelled(found, pieces)
    assert texts == ["a", "ab", "b", "c", "d"]
    counts = np.array([0.0, 0.49, 2.0, 3.0, 0.6])
    left = maximized(pieces, counts)
    assert spelled(found, left) == ["a", "b", "c", "d"]
    kept = np.array([0.5, 2.0, 3.0, 0.6])
    assert left.score == pytest.approx(digamma(kept) - digamma(np.array([kept.sum()])))
    assert left.parent.tolist() == [-1] * 4


@pytest.mark.usefixtures("loops")
def test_pruning_takes_what_costs_least():
    """The loss of a piece is what the best cuts lose when its places go to its parts."""
    draw = random.Random(11)
    for _ in range(15):
        found = made(random_words(draw, "ab"))
        pieces = seed_pieces(found, 30, 5)
        pieces = maximized(pieces, expected_counts(found, pieces)[0])
        texts = spelled(found, pieces)
        known = dict(zip(texts, pieces.score.tolist(), strict=True))
        used = best_counts(found, pieces)
        count = dict(zip(texts, used.tolist(), strict=True))
        total = sum(count.values())
        loss = {}
        for text in texts:
            others = {t: s for t, s in known.items() if t != text}
            if len(text) == 1 or not count[text]:
                continue
            path, score = max(cuts(text, others), key=lambda row: row[1])
            if score > known[text]:
                continue
            own = count[text]
            grown = math.log(total + own * (len(path) - 1))
            apart = sum(math.log(count[t] + own) - grown for t in path)
            loss[text] = own / total * (math.log(own) - math.log(total) - apart)
        single = sum(len(text) == 1 for text in texts)
        room = len(loss) // 2
        left = pruned(pieces, used, single + room)
        kept = [loss[text] for text in spelled(found, left) if len(text) > 1]
        assert sorted(kept) == pytest.approx(sorted(loss.values())[len(loss) - room :])
        assert left.score.tolist() == [known[text] for text in spelled(found, left)]
