"""MaxMatch-dropout: golden numbers, brute force, and the lattice that has its law."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from engine import load
from engine.dropout.maxmatch import DroppingWordPiece
from engine.lattice import Lattice
from engine.law import law
from engine.matching import check_spans
from engine.pieces import Vocabulary
from engine.sample import sample
from engine.sample_lines import sample_lines
from engine.sampler import SamplingSettings
from engine.wordpiece import WordPiece
from tests.engine.cutting import parts, tokens
from tests.laws import maxmatch, wordpiece_model

PIECES = ["a", "b", "c", "d", "ab", "bc", "cd", "abc", "bcd"]


def lattice_of(folder: Path, pieces: list[str], text: str, mark: str = "") -> Lattice:
    """Return the lattice of a text under a WordPiece model; without a mark pieces go anywhere."""
    return wordpiece_model(folder, pieces, mark).lattice(text)


def exact_law(lattice: Lattice, p: float) -> dict[tuple[str, ...], float]:
    exact = sample(lattice, "maxmatch-dropout", dropout=p).exact
    assert exact is not None
    listed = {}
    for path in exact:
        if path.probability > 0.0:
            ids = [lattice.vocabulary.text(i) for i in path.ids]
            listed[tuple(ids)] = path.probability
    return listed


def test_golden_numbers(tmp_path: Path) -> None:
    law_ = exact_law(lattice_of(tmp_path, PIECES, "abcd"), 0.3)
    golden = {"abc|d": 0.7, "ab|cd": 0.147, "ab|c|d": 0.063, "a|bcd": 0.063}
    golden |= {"a|bc|d": 0.0189, "a|b|cd": 0.00567, "a|b|c|d": 0.00243}
    assert {"|".join(cut): share for cut, share in law_.items()} == pytest.approx(golden, abs=1e-9)


def test_random_vocabularies_against_brute_force(tmp_path: Path) -> None:
    rng = random.Random(6)
    for i in range(30):
        letters = "abc" if i % 3 else "ab"
        pieces = {"".join(rng.choice("abc") for _ in range(rng.randint(1, 4))) for _ in range(7)}
        pieces |= set(letters)
        word = "".join(rng.choice("abc") for _ in range(rng.randint(1, 6)))
        p = rng.choice([0.1, 0.5, 0.9, 1.0])
        found = exact_law(lattice_of(tmp_path, sorted(pieces), word), p)
        assert found == pytest.approx(maxmatch(pieces, word, p), rel=1e-9)


def test_words_are_independent_and_the_law_adds_up(tmp_path: Path) -> None:
    lattice = lattice_of(tmp_path, ["a", "##b", "ab", "##c", "##bc"], "abc ab", "##")
    draws = sample(lattice, "maxmatch-dropout", count=3000, seed=5, dropout=0.4)
    exact = draws.law.paths
    assert exact is not None
    assert math.fsum(path.probability for path in exact) == pytest.approx(1.0)
    listed = {tuple(path.pieces): path.probability for path in exact}
    # ab|##c .6, a|##bc .4·.6, a|##b|##c .4·.4; ab .6, a|##b .4
    assert listed["ab", "##c", "ab"] == pytest.approx(0.36)
    assert listed["a", "##bc", "a", "##b"] == pytest.approx(0.096)
    assert draws.chi2 is not None
    assert draws.chi2.p_value > 1e-4
    # All that a law gives comes from the same scores.
    whole = law(draws.lattice)
    assert whole.log_partition == pytest.approx(0.0, abs=1e-12)
    tokens_of = {path: len(path.ids) * path.probability for path in exact}
    assert whole.expected_tokens == pytest.approx(math.fsum(tokens_of.values()))


def test_a_word_may_fail_only_by_dropping(tmp_path: Path) -> None:
    lattice = lattice_of(tmp_path, ["ab", "abc", "c"], "abc")
    assert lattice.path.pieces == ["abc"]
    draws = sample(lattice, "maxmatch-dropout", count=2000, seed=2, dropout=0.5)
    assert draws.exact is not None
    found = {tuple(path.ids): path.probability for path in draws.exact if path.probability}
    assert found == pytest.approx({(2,): 0.5, (1, 3): 0.25, (0,): 0.25})
    assert draws.chi2 is not None
    assert draws.chi2.p_value > 1e-4
    assert sample(lattice, "maxmatch-dropout", dropout=1.0).paths[0].ids == [0]
    plain = sample(lattice, "maxmatch-dropout", count=4, dropout=0.0)
    assert [path.pieces for path in plain.paths] == [["abc"]]
    assert plain.paths[0].probability == 1.0


def test_kernel_and_twin_toss_the_same_coins() -> None:
    rng = random.Random(8)
    for key in range(40):
        texts = ["".join(rng.choice("abé") for _ in range(rng.randint(1, 3))) for _ in range(8)]
        names = ["[UNK]", *sorted(set(texts) | {"a", "b"})]
        inner = np.array([i > 0 and rng.random() < 0.5 for i in range(len(names))])
        vocabulary = Vocabulary.build([name.encode() for name in names], None, None, inner)
        model = WordPiece(vocabulary, unknown=0 if key % 2 else -1, max_chars=6)
        words = ["".join(rng.choice("abé") for _ in range(rng.randint(1, 7))) for _ in range(5)]
        spans = check_spans(*parts([word.encode() for word in words]))
        dropping = DroppingWordPiece(model, 0.5, key)
        plain, compiled = dropping.segment_plain(*spans), dropping.segment_compiled(*spans)
        assert tokens(plain) == tokens(compiled)


def test_lines_of_a_corpus(tmp_path: Path) -> None:
    lattice_of(tmp_path, PIECES, "abcd")
    model = load(tmp_path / "tokenizer.json")
    settings = SamplingSettings(dropout=0.3)
    (batch,) = sample_lines(model, ["abcd abcd", "", "x"] * 40, "maxmatch-dropout", settings, 9)
    assert len({tuple(batch[i].tolist()) for i in range(0, 120, 3)}) > 5
    assert [batch[i].tolist() for i in (1, 2)] == [[], [0]]
