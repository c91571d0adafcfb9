"""The exact law: golden numbers, extreme temperatures, and what is refused."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import CoverageError, ParameterError
from engine.lattice import Lattice, Spelling
from engine.law import law
from engine.passes import (
    backward,
    backward_plain,
    best_plain,
    forward,
    forward_plain,
    reduced_weights,
)
from engine.pieces import Vocabulary
from engine.segmenter import EdgeKind, Edges
from tests.engine.lattices import all_paths, exact, lattice_of, prepared, random_lattice

COUNTS = {"a": 3, "b": 3, "c": 3, "ab": 2, "bc": 2, "abc": 1}


def counted() -> Lattice:
    return lattice_of({piece: math.log(n / 14) for piece, n in COUNTS.items()}, "abc")


@pytest.mark.parametrize(
    ("theta", "golden"),
    [
        (1.0, {"a|b|c": 0.069054, "a|bc": 0.214834, "ab|c": 0.214834, "abc": 0.501279}),
        (0.5, {"a|b|c": 0.138466, "a|bc": 0.244232, "ab|c": 0.244232, "abc": 0.373070}),
        (0.1, {"a|b|c": 0.224234, "a|bc": 0.251185, "ab|c": 0.251185, "abc": 0.273396}),
    ],
)
def test_golden_law_of_abc(theta: float, golden: dict[str, float]) -> None:
    found = {"|".join(path.pieces): path.probability for path in counted().nbest(10, theta)}
    assert found == pytest.approx(golden, abs=5e-7)


def test_golden_entropy_of_sentencepiece() -> None:
    scores = {"a": -2.0, "b": -2.0, "c": -2.0, "ab": -2.5, "bc": -2.6, "abc": -3.5}
    lattice = lattice_of(scores, "abc")
    assert lattice.law().entropy == pytest.approx(1.10503447, abs=5e-9)
    assert [path.score for path in lattice.nbest(9)] == pytest.approx([-3.5, -4.5, -4.6, -6.0])


def test_watching_has_three_equally_likely_cuts() -> None:
    scores = {"watching": -2.0, "watch": -1.0, "wat": -1.0, "ching": -1.0, "ing": -1.0}
    lattice = lattice_of(scores, "watching")
    found = lattice.law()
    assert [path.probability for path in lattice.nbest(4)] == pytest.approx([1 / 3] * 3)
    assert found.marginal.tolist() == pytest.approx([1 / 3] * 5)
    assert found.entropy == pytest.approx(math.log(3))
    assert found.effective == pytest.approx(3)
    assert found.node_marginal.tolist() == pytest.approx([1, 0, 0, 1 / 3, 0, 1 / 3, 0, 0, 1])


def test_theta_zero_is_uniform_and_knows_the_number_of_paths() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -7.0, "aaa": -2.0, "aaaa": 0.5}, "aaaa")
    found = lattice.law(0)
    assert found.log_partition == pytest.approx(math.log(8))
    assert found.entropy == pytest.approx(math.log(8))
    assert [path.probability for path in lattice.nbest(8, 0)] == pytest.approx([1 / 8] * 8)
    # `a` stands four times in 1+1+1+1, twice in three ways of 1+1+2, once in two of 1+3.
    singles = found.marginal[lattice.piece == 0].sum()
    assert singles == pytest.approx((4 + 3 * 2 + 2 * 1) / 8)


@pytest.mark.parametrize("theta", [1e3, 1e15, 1e300, 1.7e308])
def test_a_huge_theta_leads_to_the_viterbi_path_without_overflow(theta: float) -> None:
    lattice = lattice_of({"a": -1.0, "b": -2.0, "ab": -3.5, "ba": -2.9}, "abab" * 5)
    found = lattice.law(theta)
    best = lattice.viterbi(theta)
    wanted = np.zeros(lattice.n_edges)
    wanted[best.edges] = 1.0
    np.testing.assert_allclose(found.marginal, wanted, atol=1e-12)
    assert (best.probability, found.entropy) == (pytest.approx(1.0), pytest.approx(0.0, abs=1e-9))
    assert np.isfinite(found.alpha).all()
    assert np.isfinite(found.beta).all()
    assert lattice.sample(theta=theta, count=3).counts.tolist() == [3]
    assert found.probability(best) == pytest.approx(1.0)
    assert found.probability(lattice.nbest(2, theta)[1]) == pytest.approx(0.0)


def test_paths_that_tie_share_the_law_at_any_theta() -> None:
    lattice = lattice_of({"a": -1.0, "b": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0}, "abc")
    assert [path.probability for path in lattice.nbest(5, 1e12)] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("theta", [-0.1, math.nan, math.inf, -math.inf])
def test_a_bad_theta_is_refused(theta: float) -> None:
    lattice = counted()
    for function in (lattice.law, lambda t: lattice.nbest(2, t), lambda t: lattice.sample(theta=t)):
        with pytest.raises(ParameterError, match="inverse temperature"):
            function(theta)


def test_marginals_cross_every_cut_once() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -1.7, "aaa": -2.1, "aaaaa": -3.0}, "a" * 60)
    found = lattice.law(0.8)
    for cut in range(60):
        crossing = (lattice.start <= cut) & (lattice.end > cut)
        assert found.marginal[crossing].sum() == pytest.approx(1.0)
    assert found.alpha[-1] == pytest.approx(found.beta[0])
    path = lattice.viterbi()
    assert found.probability(path) == pytest.approx(lattice.viterbi(0.8).probability)


def test_nodes_out_of_reach_have_no_weight() -> None:
    dead = lattice_of({"ab": -1.0, "bc": -1.0, "c": -0.5}, "abc")
    assert dead.law().alpha.tolist() == [0.0, -math.inf, -1.0, -1.5]
    assert dead.law().beta.tolist() == [-1.5, -math.inf, -0.5, 0.0]
    assert dead.law().marginal.tolist() == [1.0, 0.0, 1.0]


def test_a_piece_of_probability_zero_is_never_used() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -math.inf}, "aa")
    assert lattice.law().marginal.tolist() == [1.0, 0.0, 1.0]
    assert lattice.law(0).marginal.tolist() == [1.0, 0.0, 1.0]
    assert lattice.viterbi().pieces == ["a", "a"]


def unknowns(spelling: Spelling) -> Lattice:
    """`aéßb` with unknown edges for é and ß, and a piece that covers both."""
    pieces = [b"a", b"b", "éß".encode(), b"<unk>"]
    start, end = np.array([0, 1, 1, 3, 5], np.int32), np.array([1, 3, 5, 5, 6], np.int32)
    piece = np.array([0, 3, 2, 3, 1], np.int32)
    kind = np.array([0, 1, 0, 1, 0], np.uint8)
    score = np.array([-1.0, -2.0, -4.5, -2.0, -1.0])
    edges = Edges(start, end, piece, score, np.full(5, -1, np.int32), kind)
    vocabulary = Vocabulary.build(pieces, np.array([-1.0, -1.0, -4.5, 0.0]))
    return Lattice(prepared("aéßb"), vocabulary, edges, piece[:0], spelling)


@pytest.mark.parametrize(
    "spelling",
    [Spelling(3), Spelling(3, fuse=True), Spelling(3, np.arange(10, 266, dtype=np.int32))],
)
def test_expected_tokens_count_what_the_model_writes(spelling: Spelling) -> None:
    lattice = unknowns(spelling)
    truth = exact(lattice, 0.6)
    wanted = sum(p * len(lattice.spell(np.array(path))) for path, p in truth.items())
    assert law(lattice, 0.6).expected_tokens == pytest.approx(wanted)


def test_unknown_neighbours_fuse_only_within_a_pretoken() -> None:
    start, end = np.array([0, 2, 4], np.int32), np.array([2, 4, 6], np.int32)
    none = np.full(3, -1, np.int32)
    edges = Edges(start, end, none, np.full(3, -2.0), none, np.full(3, EdgeKind.UNKNOWN, np.uint8))
    vocabulary = Vocabulary.build([b"a"], np.array([-1.0]))
    cuts = np.array([0, 2, 6], dtype=np.int32)
    ready = replace(prepared("éßé"), cuts=cuts, fixed=none[:2])
    for fuse, count in ((True, 2), (False, 3)):
        lattice = Lattice(ready, vocabulary, edges, none[:0], Spelling(7, fuse=fuse))
        assert lattice.viterbi().ids == [7] * count
        assert lattice.law().expected_tokens == pytest.approx(count)


def test_characters_that_are_dropped_are_no_tokens() -> None:
    lattice = unknowns(Spelling())
    kind = np.where(lattice.kind == EdgeKind.UNKNOWN, EdgeKind.DROPPED, lattice.kind)
    edges = Edges(
        *(getattr(lattice.edges, name) for name in ("start", "end", "piece")),
        lattice.score,
        lattice.rank,
        kind.astype(np.uint8),
    )
    dropped = Lattice(lattice.prepared, lattice.vocabulary, edges, lattice.taken, Spelling())
    truth = exact(dropped, 1.0)
    wanted = sum(p * len(dropped.spell(np.array(path))) for path, p in truth.items())
    assert law(dropped).expected_tokens == pytest.approx(wanted)
    assert {len(dropped.spell(np.array(path))) for path in all_paths(dropped)} == {2, 3}


def test_long_lattices_go_to_kernels_that_agree_with_their_plain_twins() -> None:
    rng = random.Random(5)
    scores = {"a" * n: rng.uniform(-3 * n, -n) for n in range(1, 7)}
    lattice = lattice_of(scores, "a" * 3000)
    assert lattice.n_edges > 4096
    order, start, end, n = lattice.by_end, lattice.start, lattice.end, lattice.n_nodes
    weight = reduced_weights(lattice, 0.7)
    np.testing.assert_allclose(
        forward(lattice, weight), forward_plain(order, start, end, weight, n), rtol=1e-12, atol=1e-9
    )
    np.testing.assert_allclose(
        backward(lattice, weight), backward_plain(start, end, weight, n), rtol=1e-12, atol=1e-9
    )
    total, holder = best_plain(order, start, end, lattice.score, n)
    np.testing.assert_array_equal(lattice.best_pass.total, total)
    np.testing.assert_array_equal(lattice.best_pass.holder, holder)


def test_random_lattices_without_a_path_are_refused() -> None:
    rng = random.Random(1)
    refused = 0
    for _ in range(300):
        lattice = random_lattice(rng, whole=False)
        if all_paths(lattice):
            assert lattice.law().marginal.sum() > 0
        else:
            refused += 1
            with pytest.raises(CoverageError, match="no sequence of pieces"):
                lattice.law()
    assert refused > 20
