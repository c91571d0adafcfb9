"""The lattice itself, and 10,000 random ones against enumeration."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.law import law
from engine.search import count_paths, gap, nbest, tied, viterbi
from tests.engine.lattices import (
    all_paths,
    exact,
    lattice_of,
    order_key,
    path_score,
    random_lattice,
)

THETAS = (0.0, 0.1, 1.0, 5.0, 50.0)


@pytest.mark.parametrize("seed", range(10))
def test_thousand_random_lattices_equal_enumeration(seed: int) -> None:
    rng = random.Random(seed)
    for i in range(1000):
        lattice = random_lattice(rng, ties=i % 4 == 0)
        paths = sorted(all_paths(lattice), key=lambda path: order_key(lattice, path))
        theta = THETAS[i % len(THETAS)]
        law_ = exact(lattice, theta)

        assert count_paths(lattice) == len(paths)
        best = viterbi(lattice, theta)
        assert tuple(best.edges.tolist()) == paths[0]
        assert best.score == path_score(lattice, paths[0])
        assert best.probability == pytest.approx(law_[paths[0]], rel=1e-12)

        wanted = len(paths) + 3 if i % 2 else rng.randint(1, len(paths))
        found = nbest(lattice, wanted, theta)
        assert [tuple(path.edges.tolist()) for path in found] == paths[:wanted]
        assert [path.probability for path in found] == pytest.approx(
            [law_[path] for path in paths[:wanted]], rel=1e-9, abs=1e-300
        )
        expected_gap = math.inf
        if len(paths) > 1:
            expected_gap = path_score(lattice, paths[0]) - path_score(lattice, paths[1])
        assert gap(lattice) == pytest.approx(expected_gap, abs=1e-12)
        assert tied(lattice) == (expected_gap < 1e-13)

        check_law(lattice, theta, law_)


def check_law(lattice, theta, law_) -> None:
    found = law(lattice, theta)
    marginal = np.zeros(lattice.n_edges)
    nodes = np.zeros(lattice.n_nodes)
    for path, p in law_.items():
        marginal[list(path)] += p
        nodes[[0, *lattice.end[list(path)]]] += p
    np.testing.assert_allclose(found.marginal, marginal, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(found.node_marginal, nodes, rtol=1e-9, atol=1e-14)
    entropy = -math.fsum(p * math.log(p) for p in law_.values() if p)
    assert found.entropy == pytest.approx(entropy, abs=1e-11)
    assert found.expected_tokens == pytest.approx(
        math.fsum(p * len(path) for path, p in law_.items()), rel=1e-11
    )
    assert found.expected_score == pytest.approx(
        math.fsum(p * path_score(lattice, path) for path, p in law_.items()), rel=1e-11, abs=1e-12
    )
    best = max(path_score(lattice, path) for path in law_)
    log_partition = theta * best + math.log(
        math.fsum(math.exp(theta * (path_score(lattice, path) - best)) for path in law_)
    )
    assert found.log_partition == pytest.approx(log_partition, abs=1e-10)
    assert found.beta[0] == pytest.approx(found.log_partition, abs=1e-10)


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
