"""BPE-dropout drawn: kernel and twin toss the same coins, and samples follow the exact laws."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import load
from engine.bpe import Bpe
from engine.dropout import BPE_DROPOUTS, DropRule
from engine.dropout.segment import DroppingBpe
from engine.dropout.stretches import inner_pairs
from engine.errors import ParameterError
from engine.kernels.bpe import EMPTY, find
from engine.matching import check_spans
from engine.model import Model
from engine.sample import sample
from engine.sample_lines import sample_lines
from engine.sampler import SamplingSettings
from tests.engine.cutting import parts, sentencepiece_model, tokens
from tests.engine.documents import tokenizer, write_json
from tests.engine.dropping import ABAB, ABCD, Rules, bpe_of, random_merges
from tests.engine.test_bpe import build

METHODS = list(BPE_DROPOUTS)


def model_of(folder: Path, merges: Rules, letters: str = "abcd", **options: object) -> Model:
    """Return a tokenizer.json with these merges, opened."""
    names = list(dict.fromkeys([*letters, *(a + b for a, b in merges)]))
    vocab = {name: i for i, name in enumerate(names)}
    content = {"type": "BPE", "vocab": vocab, "merges": [list(pair) for pair in merges], **options}
    return load(write_json(folder, tokenizer(content)))


def both(bpe: Bpe, rule: DropRule, p: float, key: int, words: list[bytes]) -> list[list[object]]:
    spans = check_spans(*parts(words))
    dropping = DroppingBpe(bpe, rule, p, key)
    return [
        list(tokens(cut))
        for cut in (dropping.segment_plain(*spans), dropping.segment_compiled(*spans))
    ]


@pytest.mark.parametrize("rule", DropRule)
def test_kernel_and_twin_toss_the_same_coins(rule: DropRule) -> None:
    rng = random.Random(int(rule))
    for i in range(16):
        bpe = bpe_of(random_merges(rng), "abc")
        # Some longer than what is scanned.
        words = ["".join(rng.choice("abc") for _ in range(rng.choice([1, 5, 9]))) for _ in "abc"]
        words += ["".join(rng.choice("abc") for _ in range(70))] if i % 4 == 0 else []
        plain, compiled = both(
            bpe, rule, rng.choice([0.1, 0.5, 0.9]), i, [w.encode() for w in words]
        )
        assert plain == compiled


@pytest.mark.parametrize("rule", DropRule)
def test_kernel_and_twin_agree_on_odd_models(rule: DropRule) -> None:
    unknown = build("ab", [("a", "b")], pieces=["?"], unknown=0, fuse_unknown=True)
    spelled = build("ab", [("a", "b")], byte_pieces=np.arange(500, 756, dtype=np.int32))
    marked = build("lowe", [("o", "w</w>"), ("l", "ow</w>")], pieces=["w</w>"], suffix="</w>")
    left_out = build("ab", [("a", "b")])
    for model, word in (
        (unknown, "abéé中ab"),
        (spelled, "abéab"),
        (marked, "low"),
        (left_out, "aéb"),
    ):
        for key in range(12):
            plain, compiled = both(model, rule, 0.4, key, [word.encode(), b"ab"])
            assert plain == compiled


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_a_word_falls_apart_where_the_kernel_thinks(seed: int) -> None:
    bpe = bpe_of(random_merges(random.Random(seed)), "abc")
    inner = inner_pairs(bpe)
    assert inner is not None
    for left in range(3):
        for right in range(3):
            kept = find(left, right, bpe.tables.pairs, bpe.tables.bits) != EMPTY
            own = (left << 32 | right) in inner or bpe.pair(left, right) is not None
            assert kept == own


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("merges", "text"), [(ABCD, "abcd"), (ABAB, "abab")])
def test_samples_follow_the_exact_law(
    method: str, merges: Rules, text: str, tmp_path: Path
) -> None:
    lattice = model_of(tmp_path, merges).lattice(text)
    draws = sample(lattice, method, count=4000, seed=11, dropout=0.5)
    assert draws.exact is not None
    assert math.fsum(path.probability for path in draws.exact) == pytest.approx(1.0)
    assert draws.chi2 is not None
    assert draws.chi2.p_value > 1e-4
    # Every path that was drawn has the probability that the law lists.
    listed = {path.edges.tobytes(): path.probability for path in draws.exact}
    assert all(listed[path.edges.tobytes()] == path.probability for path in draws.paths)


def test_the_four_laws_are_told_apart(tmp_path: Path) -> None:
    lattice = model_of(tmp_path, [*ABCD, ("d", "d")]).lattice("abcd")
    laws = []
    for method in METHODS:
        exact = sample(lattice, method, dropout=0.5).exact
        assert exact is not None
        laws.append({"|".join(path.pieces): path.probability for path in exact})
    assert laws[0] == pytest.approx(laws[1])
    assert laws[0]["a|b|cd"] == pytest.approx(0.0625)
    assert laws[2]["a|b|cd"] == pytest.approx(0.046875)
    assert laws[3]["a|b|cd"] == pytest.approx(0.125)


@pytest.mark.parametrize("method", METHODS)
def test_edge_values(method: str, tmp_path: Path) -> None:
    lattice = model_of(tmp_path, ABCD).lattice("abcdab")
    plain = sample(lattice, method, count=3, dropout=0.0)
    assert [path.pieces for path in plain.paths] == [lattice.path.pieces]
    assert plain.exact is not None
    assert [path.probability for path in plain.exact] == [1.0]
    letters = sample(lattice, method, count=3, dropout=1.0)
    assert [path.pieces for path in letters.paths] == [list("abcdab")]
    for wrong in (-0.1, 1.5, math.nan, math.inf):
        with pytest.raises(ParameterError, match="drop probability"):
            sample(lattice, method, dropout=wrong)


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_text_has_one_empty_segmentation(method: str, tmp_path: Path) -> None:
    draws = sample(model_of(tmp_path, ABCD).lattice(""), method, count=2, dropout=0.3)
    assert draws.exact is not None
    assert [(path.pieces, path.probability) for path in draws.exact] == [([], 1.0)]


def test_the_same_seed_repeats_and_draws_stand_alone(tmp_path: Path) -> None:
    lattice = model_of(tmp_path, ABCD).lattice("abcdabcd")
    few = sample(lattice, "bpe-dropout", count=5, seed=-3, dropout=0.5)
    many = sample(lattice, "bpe-dropout", count=50, seed=-3, dropout=0.5)
    assert [few.paths[i].ids for i in few.order] == [many.paths[i].ids for i in many.order[:5]]
    other = sample(lattice, "bpe-dropout", count=50, seed=-4, dropout=0.5)
    assert [other.paths[i].ids for i in other.order] != [many.paths[i].ids for i in many.order]


def test_ignore_merges_does_not_count(tmp_path: Path) -> None:
    model = model_of(tmp_path, ABCD, ignore_merges=True)
    draws = sample(model.lattice("abcd"), "bpe-dropout", count=200, seed=1, dropout=0.5)
    assert len(draws.paths) == 7
    assert sample(model.lattice("abcd"), "bpe-dropout", dropout=0.0).paths[0].pieces == ["abcd"]


def test_lines_of_a_corpus(tmp_path: Path) -> None:
    model = model_of(tmp_path, ABCD)
    lines = ["abcd", "", "dcba", "abab"] * 30
    for method in METHODS:
        drawn = list(sample_lines(model, lines, method, SamplingSettings(dropout=0.5), 4))
        again = list(sample_lines(model, lines, method, SamplingSettings(dropout=0.5), 4))
        assert [batch.ids.tolist() for batch in drawn] == [batch.ids.tolist() for batch in again]
        cuts = {tuple(drawn[0][i].tolist()) for i in range(0, 120, 4)}
        assert len(cuts) > 3
        plain = list(sample_lines(model, lines, method, SamplingSettings(dropout=0.0), 4))
        assert plain[0].ids.tolist() == model.encode_lines(lines).ids.tolist()


def test_a_model_without_merges_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "u.model"
    path.write_bytes(sentencepiece_model([("<unk>", 0.0, 2), ("a", -1.0, 1)], 1))
    model = load(path)
    with pytest.raises(ParameterError, match="has none"):
        sample(model.lattice("a"), "bpe-dropout")
    with pytest.raises(ParameterError, match="has none"):
        list(sample_lines(model, ["a"], "bpe-dropout", SamplingSettings(), 0))
    with pytest.raises(ParameterError, match="WordPiece"):
        sample(model.lattice("a"), "maxmatch-dropout")
