"""Search: ties, exhaustion, size, and the count of paths."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.formats import load
from engine.nbest import nbest, useful_edges
from engine.search import count_paths, cut_nodes, decimal, gap, tied, viterbi
from tests.engine.lattices import all_paths, lattice_of, path_score, random_lattice


def test_of_equal_scores_the_edge_that_starts_first_wins() -> None:
    # abc = ab|c = a|bc = a|b|c = −3 each.
    scores = {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0, "abc": -3.0}
    lattice = lattice_of(scores, "abc")
    assert viterbi(lattice).pieces == ["abc"]
    found = ["|".join(path.pieces) for path in nbest(lattice, 10)]
    assert found == ["abc", "a|bc", "ab|c", "a|b|c"]
    assert gap(lattice) == 0.0
    assert lattice.tied


def test_of_equal_spans_the_lower_piece_wins() -> None:
    rng = random.Random(0)
    lattice = random_lattice(rng)
    while not any(
        (a, b) == (c, d)
        for (a, b), (c, d) in itertools.pairwise(zip(lattice.start, lattice.end, strict=True))
    ):
        lattice = random_lattice(rng)
    lattice.edges.score[:] = -1.0
    best = viterbi(lattice)
    for edge in best.edges:
        same = (lattice.start == lattice.start[edge]) & (lattice.end == lattice.end[edge])
        assert lattice.piece[edge] == lattice.piece[same].min()


def test_scores_that_differ_by_rounding_alone_tie() -> None:
    # 0.1 + 0.2 isn't 0.3 in binary.
    lattice = lattice_of({"a": -0.1, "b": -0.2, "ab": -0.3}, "ab")
    assert 0 < gap(lattice) < 1e-15
    assert tied(lattice)
    assert not tied(lattice_of({"a": -0.1, "b": -0.2, "ab": -0.3000001}, "ab"))


def test_one_path_has_no_rival() -> None:
    lattice = lattice_of({"a": -1.0}, "aaa")
    assert gap(lattice) == math.inf
    assert not tied(lattice)
    assert len(nbest(lattice, 1000)) == 1


@pytest.mark.parametrize("ties", [False, True])
def test_few_best_paths_are_the_first_of_all(ties: bool) -> None:
    rng = random.Random(31)
    for _ in range(12):
        scores = {"a" * n: rng.choice((-1.0, -2.0)) for n in range(1, 5)}
        if not ties:
            scores = {piece: -len(piece) - rng.random() for piece in scores}
        lattice = lattice_of({**scores, "b": -1.0, "ab": -2.0, "ba": -2.5}, "aaaabbaaaaba")
        every = nbest(lattice, lattice.paths)
        assert len(every) == lattice.paths > 200
        for n in (1, 2, 3, 7, 40, 150):
            few = nbest(lattice, n)
            assert [p.edges.tolist() for p in few] == [p.edges.tolist() for p in every[:n]]
            assert [p.score for p in few] == [p.score for p in every[:n]]


def test_edges_that_no_good_path_uses_are_left_out() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -1.5, "aaa": -9.0}, "a" * 50)
    useful = useful_edges(lattice, 3)
    assert not useful[lattice.piece == 2].any()
    for path in nbest(lattice, 3):
        assert useful[path.edges].all()
    assert useful_edges(lattice, 10**30).all()


@pytest.mark.parametrize("n", [0, -3])
def test_no_best_paths_are_refused(n: int) -> None:
    with pytest.raises(ParameterError, match="best paths"):
        nbest(lattice_of({"a": -1.0}, "a"), n)


def test_thousands_of_best_paths_of_a_lattice_with_a_hundred_thousand_edges() -> None:
    rng = random.Random(2)
    scores = {"a" * n: -1.5 * n + rng.uniform(-0.4, 0.4) for n in range(1, 6)}
    lattice = lattice_of(scores, "a" * 20_000)
    assert lattice.n_edges > 99_000
    # Nothing here may use the call stack: 20,000 nodes would overflow it.
    paths = nbest(lattice, 30)
    assert [path.score for path in paths] == sorted((p.score for p in paths), reverse=True)
    assert len({path.edges.tobytes() for path in paths}) == 30
    small = lattice_of(scores, "a" * 40)
    many = nbest(small, 3000)
    assert len({path.edges.tobytes() for path in many}) == 3000
    assert all(a.score >= b.score for a, b in itertools.pairwise(many))
    for path in many[::100]:
        assert path.score == path_score(small, tuple(path.edges.tolist()))
        np.testing.assert_array_equal(small.start[path.edges[1:]], small.end[path.edges[:-1]])


def test_the_number_of_paths_is_exact_however_large() -> None:
    # Cuts of a^n into 1 and 2: Fibonacci numbers.
    lattice = lattice_of({"a": -1.0, "aa": -1.0}, "a" * 5000)
    a, b = 1, 1
    for _ in range(4999):
        a, b = b, a + b
    assert count_paths(lattice) == b
    # All cuts: 2^(n − 1).
    lattice = lattice_of({"a" * n: -1.0 for n in range(1, 31)}, "a" * 30)
    assert count_paths(lattice) == 2**29


def test_count_is_a_product_over_the_nodes_that_no_edge_crosses() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -1.0, "b": -1.0, "bb": -1.0}, "aabaaabb" * 300)
    assert cut_nodes(lattice).tolist()[:7] == [0, 2, 3, 6, 8, 10, 11]
    # aa: 2 ways, b: 1, aaa: 3, bb: 2.
    assert count_paths(lattice) == (2 * 1 * 3 * 2) ** 300


def test_count_of_random_lattices_with_dead_ends() -> None:
    rng = random.Random(9)
    for _ in range(500):
        lattice = random_lattice(rng, whole=False)
        assert count_paths(lattice) == len(all_paths(lattice))


@pytest.mark.parametrize(
    "value",
    [0, 7, -12, 10**4000, 10**9001 - 1, 3**40_000],
    ids=["zero", "one digit", "negative", "short", "nines", "long"],
)
def test_decimal_digits_of_any_length(value: int) -> None:
    digits = decimal(value)
    total, sign = 0, -1 if digits.startswith("-") else 1
    bare = digits.lstrip("-")
    assert bare == "0" or not bare.startswith("0")
    for i in range(0, len(bare), 1000):
        part = bare[i : i + 1000]
        total = total * 10 ** len(part) + int(part)
    assert sign * total == value


def test_n_best_paths_are_those_of_the_sentencepiece_library(shared: Path) -> None:
    import sentencepiece

    path = shared / "data" / "models" / "sentencepiece" / "unigram_en_1k.model"
    model = load(path)
    peer = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in ("Hello world, this is a test.", "unaffable", "the", "international relations"):
        wanted = peer.nbest_encode(text, nbest_size=50, out_type=int)
        found = model.lattice(text).nbest(50)
        scores = [sum(model.vocabulary.score[ids].tolist()) for ids in wanted]
        # The library adds up in single precision, so close scores may change places.
        assert [path.score for path in found] == pytest.approx(scores, rel=1e-6)
        assert sorted(path.ids for path in found) == sorted(wanted)
