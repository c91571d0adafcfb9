"""N best paths and marginals of many lines: the same as line by line."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from engine import bundled, load, nbest
from engine.bulk import marginal_lines, nbest_lines
from engine.errors import CoverageError, ParameterError
from engine.kernels.nbest import best_paths
from engine.model import Model
from engine.pieces import Vocabulary
from engine.unigram import Unigram
from tests.engine.cutting import parts
from tests.engine.lattices import lattice_of, random_lattice

LINES = ["watching the rain", "", "今天天气不错", "aaaa  bb", "🦊 a🦊🦊b", "x", "Доброе утро, мир"]


@pytest.fixture(scope="module")
def model() -> Model:
    return load(bundled.model_path("everyday-unigram"))


@pytest.mark.parametrize("n", [1, 7, 200])
def test_paths_of_lines_are_those_of_their_lattices(model: Model, n: int) -> None:
    found = nbest_lines(model, LINES, n)
    assert len(found) == len(LINES)
    for i, line in enumerate(LINES):
        paths = model.lattice(line).nbest(n)
        assert [ids.tolist() for ids in found[i]] == [path.ids for path in paths]
        scores = found.scores[found.cuts[i] : found.cuts[i + 1]]
        assert scores.tolist() == [path.score for path in paths]


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0, 40.0])
def test_marginals_of_lines_are_those_of_their_lattices(model: Model, theta: float) -> None:
    found = marginal_lines(model, LINES, theta)
    shift = 0
    for i, line in enumerate(LINES):
        lattice = model.lattice(line)
        law = lattice.law(theta)
        own = slice(found.cuts[i], found.cuts[i + 1])
        assert (found.start[own] - shift).tolist() == lattice.start.tolist()
        assert (found.end[own] - shift).tolist() == lattice.end.tolist()
        assert found.piece[own].tolist() == lattice.piece.tolist()
        np.testing.assert_allclose(found.marginal[own], law.marginal, atol=1e-12)
        assert found.log_partition[i] == pytest.approx(law.log_partition, rel=1e-12, abs=1e-12)
        shift += lattice.n_nodes - 1
    counts = np.bincount(found.piece, found.marginal, minlength=len(model.vocabulary))
    np.testing.assert_allclose(found.counts, counts, atol=1e-12)
    alone = marginal_lines(model, LINES, theta, edges=False)
    assert len(alone.start) == 0
    assert alone.counts.tolist() == found.counts.tolist()
    assert alone.log_partition.tolist() == found.log_partition.tolist()


def test_fused_unknown_tokens_are_spelled_once() -> None:
    model = load(bundled.model_path("toy-weather"))
    assert model.spelling.byte_pieces is None
    lines = ["今天", "§§今§天§§", "§"]
    found = nbest_lines(model, lines, 5)
    for i, line in enumerate(lines):
        paths = model.lattice(line).nbest(5)
        assert [ids.tolist() for ids in found[i]] == [path.ids for path in paths]


@pytest.mark.parametrize("seed", range(20))
def test_kernel_and_plain_paths(seed: int) -> None:
    lattice = random_lattice(random.Random(seed), ties=seed % 2 > 0)
    n = (1, 3, 50)[seed % 3]
    first, last = np.zeros(1, np.int64), np.array([lattice.n_nodes - 1])
    found = best_paths(lattice.start, lattice.end, lattice.score, first, last, n)
    plain = nbest.best_plain(lattice, n)
    assert found.scores.tolist() == [score for score, _ in plain]
    got = [found.edges[a:b].tolist() for a, b in pairwise(found.offsets.tolist())]
    assert got == [edges.tolist() for _, edges in plain]


def test_many_lattices_and_much_room() -> None:
    """Equal scores everywhere, more paths than room is made for at first, and a gap between."""
    edges = [(i, i + 1, -1.0) for i in range(12)] + [(i, i + 2, -2.0) for i in range(11)]
    start, end, score = (np.array(column) for column in zip(*sorted(edges), strict=True))
    twice = (np.append(start, start + 20), np.append(end, end + 20), np.append(score, score))
    found = best_paths(*twice, np.array([0, 20]), np.array([12, 32]), 1000)
    # Fibonacci: 233 ways to write 12 as a sum of ones and twos.
    assert found.cuts.tolist() == [0, 233, 466]
    assert set(found.scores.tolist()) == {-12.0}
    paths = {tuple(found.edges[a:b]) for a, b in pairwise(found.offsets.tolist())}
    assert len(paths) == 466


def test_bad_indices_are_refused() -> None:
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    score = np.zeros(1)
    for start, end, first, last in (
        (zero, zero, zero, one),
        (zero, one + 1, zero, one),
        (one, one + 1, zero, one),
        (zero, one, one, zero),
    ):
        with pytest.raises(ValueError, match=r"edge|lattices"):
            best_paths(start, end, score, first, last, 2)


def unigram(scores: dict[str, float]) -> Unigram:
    pieces = [piece.encode() for piece in scores]
    return Unigram(Vocabulary.build(pieces, np.array(list(scores.values()))), -1, 0.0)


@pytest.mark.parametrize("score", [-0.5, -300.0, -480.0, -2000.0, 480.0, -1e9])
def test_weights_of_any_size(score: float) -> None:
    """Sums leave the range of floats again and again, or in a single step."""
    text = "ab" * 300 + "aab"
    scores = {"a": score, "b": score - 1, "ab": score * 2 - 0.5, "aa": 2 * score}
    found = unigram(scores).marginals(*parts([text.encode()]))
    law = lattice_of(scores, text).law(1.0)
    np.testing.assert_allclose(found.marginal, law.marginal, atol=1e-9)
    assert found.log_partition[0] == pytest.approx(law.log_partition, rel=1e-12)


def test_what_cannot_be_written_is_named(model: Model) -> None:
    rule = unigram({"a": -1.0, "ab": -2.0, "ba": -3.0})
    with pytest.raises(CoverageError):
        rule.marginals(*parts([b"ab", b"abb", b"a"]))
    bpe = load(bundled.model_path("everyday-bpe"))
    for call in (lambda: nbest_lines(bpe, ["a"], 2), lambda: marginal_lines(bpe, ["a"])):
        with pytest.raises(ParameterError, match="ranks"):
            call()
    with pytest.raises(ParameterError, match="best paths"):
        nbest_lines(model, ["a"], 0)
    with pytest.raises(ParameterError, match="θ"):
        marginal_lines(model, ["a"], -1.0)
