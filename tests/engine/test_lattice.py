"""The lattice itself, and 10,000 random ones against enumeration."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.law import law
from engine.nbest import nbest
from engine.search import count_paths, gap, tied, viterbi
from tests.engine.lattices import exact, lattice_of, path_score, random_lattice

THETAS = (0.0, 0.1, 1.0, 5.0, 50.0)


@pytest.mark.parametrize("seed", range(10))
def test_thousand_random_lattices_equal_enumeration(seed: int) -> None:
    rng = random.Random(seed)
    for i in range(1000):
        lattice = random_lattice(rng, ties=i % 4 == 0)
        theta = THETAS[i % len(THETAS)]
        truth = exact(lattice, theta)
        paths = list(truth)
        scores = [path_score(lattice, path) for path in paths]
        probabilities = np.array(list(truth.values()))

        assert count_paths(lattice) == len(paths)
        best = viterbi(lattice, theta)
        assert tuple(best.edges.tolist()) == paths[0]
        assert best.score == scores[0]
        assert math.isclose(best.probability, probabilities[0], rel_tol=1e-12)

        n = len(paths) + 3 if i % 2 else rng.randint(1, len(paths))
        found = nbest(lattice, n, theta)
        assert [tuple(path.edges.tolist()) for path in found] == paths[:n]
        assert [path.score for path in found] == scores[:n]
        close([path.probability for path in found], probabilities[:n])

        to_second = scores[0] - scores[1] if len(paths) > 1 else math.inf
        assert math.isclose(gap(lattice), to_second, abs_tol=1e-12)
        assert tied(lattice) == (to_second < 1e-13)

        check_law(lattice, theta, paths, np.array(scores), probabilities)


def close(found, wanted) -> None:
    # np.testing.assert_allclose would take most of the time of this file.
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert bool((np.abs(found - wanted) <= 1e-12 + 1e-9 * np.abs(wanted)).all()), (found, wanted)


def check_law(lattice, theta, paths, scores, probabilities) -> None:
    found = law(lattice, theta)
    marginal = np.zeros(lattice.n_edges)
    for path, p in zip(paths, probabilities, strict=True):
        marginal[list(path)] += p
    nodes = np.bincount(lattice.end, weights=marginal, minlength=lattice.n_nodes)
    nodes[0] = 1.0
    some = probabilities[probabilities > 0]
    entropy = -math.fsum(some * np.log(some))
    log_partition = theta * scores[0] + math.log(math.fsum(np.exp(theta * (scores - scores[0]))))
    close(found.marginal, marginal)
    close(found.node_marginal, nodes)
    close(
        [found.entropy, found.log_partition, found.beta[0], found.expected_tokens],
        [entropy, log_partition, log_partition, np.dot(probabilities, [len(p) for p in paths])],
    )
    close(found.expected_score, np.dot(probabilities, scores))


def test_by_end_meets_the_longest_edge_first() -> None:
    lattice = lattice_of({"a": -1.0, "b": -1.0, "ab": -1.0, "c": -1.0, "abc": -1.0}, "abc")
    order = [(int(lattice.start[e]), int(lattice.end[e])) for e in lattice.by_end]
    assert order == [(0, 1), (0, 2), (1, 2), (0, 3), (2, 3)]


def test_path_knows_ids_pieces_and_nodes() -> None:
    lattice = lattice_of({"wat": -1.0, "watch": -1.0, "ching": -1.0, "ing": -1.5}, "watching")
    best = lattice.viterbi()
    assert best.pieces == ["wat", "ching"]
    assert best.ids == [0, 2]
    assert best.nodes.tolist() == [0, 3, 8]
    assert len(best) == 2
    assert lattice.source(int(best.edges[1])) == (3, 8)


def test_an_empty_text_has_one_empty_path() -> None:
    lattice = lattice_of({"a": -1.0}, "")
    assert lattice.paths == 1
    assert lattice.viterbi().score == 0.0
    assert [len(path) for path in lattice.nbest(5)] == [0]
    found = lattice.law(0.5)
    assert (found.log_partition, found.entropy, found.expected_tokens) == (0.0, 0.0, 0.0)
    assert found.node_marginal.tolist() == [1.0]


def test_a_text_that_no_path_covers_is_an_error_that_says_where() -> None:
    lattice = lattice_of({"a": -1.0, "c": -1.0}, "aabc")
    assert count_paths(lattice) == 0
    for function in (lattice.viterbi, lattice.law, lambda: lattice.nbest(3)):
        with pytest.raises(ParameterError, match="byte 2 "):
            function()


def test_without_a_law_only_the_number_of_paths_is_known() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -1.0}, "aaaa", no_law="ranks are no probabilities")
    assert lattice.paths == 5
    for function in (lattice.viterbi, lattice.law, lambda: lattice.nbest(3)):
        with pytest.raises(ParameterError, match="ranks are no probabilities"):
            function()
