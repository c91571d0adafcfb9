"""The exact laws of BPE-dropout: golden numbers, and naive recursions over all coins."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine import load
from engine.bpe import Bpe
from engine.dropout import DropRule
from engine.dropout.laws import Budget, stretch_law
from tests.engine.cutting import sentencepiece_model
from tests.engine.dropping import ABAB, ABCD, Rules, bpe_of, naive_law, random_merges


def law_of(bpe: Bpe, word: str, rule: DropRule, p: float) -> dict[tuple[str, ...], float]:
    found = stretch_law(bpe, bpe.first_symbols(word.encode()), rule, p, Budget(10**7))
    assert found is not None
    return {tuple(word[at:to] for _, at, to in cut): share for cut, share in found.items()}


CUTS = ["a|b|c|d", "a|b|cd", "a|bc|d", "ab|c|d", "ab|cd", "abc|d", "abcd"]
MORE = ["a|b|a|b", "a|b|ab", "ab|a|b", "ab|ab", "abab"]
A, B, C, D = DropRule


@pytest.mark.parametrize(
    ("merges", "rule", "cuts", "golden"),
    [
        (ABCD, A, CUTS, [0.125, 0.0625, 0.25, 0.125, 0.09375, 0.125, 0.21875]),
        (ABCD, B, CUTS, [0.125, 0.0625, 0.25, 0.125, 0.09375, 0.125, 0.21875]),
        (ABCD, C, CUTS, [0.125, 0.046875, 0.25, 0.125, 0.1015625, 0.125, 0.2265625]),
        (ABCD, D, CUTS, [0.125, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.1875]),
        (ABAB, A, MORE, [0.25, 0.125, 0.25, 0.1875, 0.1875]),
        (ABAB, B, MORE, [0.25, 0.125, 0.125, 0.25, 0.25]),
        (ABAB, C, MORE, [0.25, 0.125, 0.25, 0.1875, 0.1875]),
        (ABAB, D, MORE, [0.25, 0.25, 0.25, 0.125, 0.125]),
    ],
)
def test_golden_numbers(
    merges: Rules, rule: DropRule, cuts: list[str], golden: list[float]
) -> None:
    law = law_of(bpe_of(merges), cuts[0].replace("|", ""), rule, 0.5)
    assert {"|".join(cut): share for cut, share in law.items()} == pytest.approx(
        dict(zip(cuts, golden, strict=True)), abs=1e-9
    )


def test_golden_numbers_of_merging_by_concatenation(tmp_path: Path) -> None:
    # SentencePiece also merges a and bc, which no merge of the other models does.
    pieces = [("<unk>", 0.0, 2), *((c, -9.0, 1) for c in "abcd")]
    pieces += [(text, -float(i), 1) for i, text in enumerate(["ab", "bc", "abc", "cd", "abcd"], 1)]
    path = tmp_path / "abcd.model"
    path.write_bytes(sentencepiece_model(pieces, 2))
    bpe = load(path).bpe
    assert bpe is not None
    law = law_of(bpe, "abcd", DropRule.SENTENCEPIECE, 0.5)
    golden = [0.125, 0.125, 0.125, 0.125, 0.0625, 0.1875, 0.25]
    assert {"|".join(cut): share for cut, share in law.items()} == pytest.approx(
        dict(zip(CUTS, golden, strict=True)), abs=1e-9
    )


@pytest.mark.parametrize("rule", DropRule)
def test_random_models_against_all_coins(rule: DropRule) -> None:
    rng = random.Random(int(rule) + 20)
    for _ in range(40):
        merges = random_merges(rng)
        word = "".join(rng.choice("abc") for _ in range(rng.randint(1, 5)))
        p = rng.choice([0.1, 0.5, 0.83])
        law = law_of(bpe_of(merges), word, rule, p)
        assert law == pytest.approx(naive_law(merges, word, rule, p), rel=1e-9)
        assert sum(law.values()) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("rule", DropRule)
def test_all_dropped_leaves_the_first_symbols(rule: DropRule) -> None:
    assert law_of(bpe_of(ABCD), "abcd", rule, 1.0) == {("a", "b", "c", "d"): 1.0}


def test_overlapping_places_of_a_pair_merge_from_the_left() -> None:
    law = law_of(bpe_of([("a", "a")], "a"), "aaa", DropRule.SUBWORD_NMT, 0.5)
    # Both places survive in a quarter, and then the left one takes the middle letter. What is
    # left of a pair's letter can't merge again.
    assert law == pytest.approx({("aa", "a"): 0.5, ("a", "aa"): 0.25, ("a", "a", "a"): 0.25})


def test_too_much_work_is_not_done() -> None:
    bpe = bpe_of(ABCD)
    symbols = bpe.first_symbols(b"abcd")
    assert stretch_law(bpe, symbols, DropRule.HUGGINGFACE, 0.5, Budget(50)) is None
