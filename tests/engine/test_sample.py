"""Sampling: perfect draws follow the exact law, repeatably; and the statistics that say so."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.goodness import chi_square, share_interval, total_variation, upper_gamma
from engine.lattice import Lattice
from engine.reservoir import reservoir
from engine.rng import key_of, uniform
from engine.sample import sample
from engine.sampler import SamplingSettings
from engine.samplers import gibbs
from engine.samplers.gibbs import exact_law
from engine.search import count_paths, follow
from tests.engine.lattices import exact, lattice_of, random_lattice

COUNTS = {"a": 3, "b": 3, "c": 3, "ab": 2, "bc": 2, "abc": 1}
WATCHING = {"watching": -2.0, "watch": -1.0, "wat": -1.0, "ching": -1.0, "ing": -1.0}


def counted() -> Lattice:
    return lattice_of({piece: math.log(n / 14) for piece, n in COUNTS.items()}, "abc")


def reservoir_law(lattice: Lattice, theta: float) -> dict[tuple[int, ...], float]:
    """The law of the coins themselves: the chance that exactly these edges are held."""
    coins = reservoir(lattice, theta)
    place = {int(edge): i for i, edge in enumerate(lattice.by_end)}
    law = {}
    for path in exact(lattice, theta):
        p = 1.0
        for edge in path:
            at = place[edge]
            p *= coins.chance[at]
            for later in range(at + 1, lattice.n_edges):
                if lattice.end[lattice.by_end[later]] == lattice.end[edge]:
                    p *= 1.0 - coins.chance[later]
        law[path] = p
    return law


@pytest.mark.parametrize(
    ("theta", "golden"),
    [
        (1.0, [0.501279, 0.214834, 0.214834, 0.069054]),
        (0.5, [0.373070, 0.244232, 0.244232, 0.138466]),
        (0.1, [0.273396, 0.251185, 0.251185, 0.224234]),
    ],
)
def test_golden_law_of_the_reservoir(theta: float, golden: list[float]) -> None:
    found = reservoir_law(counted(), theta)
    assert sorted(found.values(), reverse=True) == pytest.approx(golden, abs=5e-7)


def test_blind_lattice_is_uniform() -> None:
    lattice = lattice_of({"a": 0.0, "aa": 0.0, "aaa": 0.0, "aaaa": 0.0}, "aaaa")
    assert list(reservoir_law(lattice, 1.0).values()) == pytest.approx([1 / 8] * 8)


def test_coins_of_random_lattices_give_the_exact_law() -> None:
    rng = random.Random(4)
    for i in range(300):
        lattice = random_lattice(rng, ties=i % 3 == 0)
        theta = (0.0, 0.1, 1.0, 5.0, 50.0)[i % 5]
        assert reservoir_law(lattice, theta) == pytest.approx(
            exact(lattice, theta), rel=1e-9, abs=1e-15
        )


@pytest.mark.parametrize("theta", [0.0, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_perfect_sampling_passes_chi_square(theta: float, seed: int) -> None:
    scores = {"a": -1.0, "aa": -1.8, "aaa": -3.1, "ab": -2.0, "b": -1.2, "ba": -2.2, "bab": -2.9}
    lattice = lattice_of(scores, "aabaaab")
    draws = sample(lattice, "perfect", theta, 20_000, seed)
    assert draws.chi2 is not None
    assert draws.chi2.p_value > 1e-4
    assert draws.tv_distance is not None
    assert draws.tv_distance < 0.03
    assert int(draws.counts.sum()) == len(draws) == 20_000


def test_a_wrong_law_fails_chi_square() -> None:
    lattice = lattice_of(WATCHING, "watching")
    draws = sample(lattice, "perfect", 1.0, 3000, 7)
    assert draws.exact_counts is not None
    # The law of the older method: a quarter, a quarter, a half.
    wrong = np.array([0.25, 0.25, 0.5])
    refuted = chi_square(draws.exact_counts, wrong)
    assert refuted is not None
    assert refuted.p_value < 1e-12


def test_watching_is_drawn_in_thirds() -> None:
    draws = sample(lattice_of(WATCHING, "watching"), "perfect", 1.0, 9000, 7)
    assert draws.exact is not None
    assert [path.probability for path in draws.exact] == pytest.approx([1 / 3] * 3)
    cuts = {"|".join(path.pieces) for path in draws.paths}
    assert cuts == {"wat|ching", "watch|ing", "watching"}
    for count in draws.counts.tolist():
        low, high = share_interval(count, 9000, z=3.9)
        assert low < 1 / 3 < high


def one_by_one(lattice: Lattice, theta: float, seed: int, draw: int) -> list[int]:
    """The definition, edge by edge."""
    coins, key = reservoir(lattice, theta), key_of(seed, draw)
    held = np.full(lattice.n_nodes, -1, dtype=np.int32)
    for place, edge in enumerate(lattice.by_end.tolist()):
        if uniform(key, place) < coins.chance[place]:
            held[lattice.end[edge]] = edge
    return follow(lattice, held).tolist()


def test_many_draws_at_once_equal_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    # Few numbers at a time: draws fall into several blocks.
    monkeypatch.setattr(gibbs, "BLOCK", 100)
    rng = random.Random(8)
    for seed in range(20):
        lattice = random_lattice(rng)
        draws = sample(lattice, "perfect", 0.7, 30, seed)
        found = [draws.paths[i].edges.tolist() for i in draws.order]
        assert found == [one_by_one(lattice, 0.7, seed, draw) for draw in range(30)]
        # A draw doesn't depend on how many are asked for.
        fewer = sample(lattice, "perfect", 0.7, 11, seed)
        assert [fewer.paths[i].edges.tolist() for i in fewer.order] == found[:11]


def test_the_kernel_draws_what_the_matrix_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(12)
    small = [random_lattice(rng) for _ in range(20)]
    long = lattice_of({"a" * n: -1.2 * n for n in range(1, 6)}, "a" * 1500)
    for lattice, count in [*((lattice, 25) for lattice in small), (long, 3)]:
        drawn = []
        for kernels in (False, True):
            monkeypatch.setattr(gibbs, "compiled", lambda size, kernels=kernels: kernels)
            draws = sample(lattice, "perfect", 0.4, count, 99)
            drawn.append([draws.paths[i].edges.tolist() for i in draws.order])
            later = gibbs.draw_perfect(lattice, SamplingSettings(0.4), 99, range(1, count))
            assert [edges.tolist() for edges in later] == drawn[-1][1:]
        assert drawn[0] == drawn[1]
        assert drawn[0][0] == one_by_one(lattice, 0.4, 99, 0)


def test_draws_are_counted_in_the_order_of_their_first_sight() -> None:
    lattice = lattice_of(WATCHING, "watching")
    draws = sample(lattice, count=50, seed=3)
    seen: list[int] = []
    for i in draws.order.tolist():
        if i not in seen:
            seen.append(i)
    assert seen == list(range(len(draws.paths)))
    assert draws.counts.tolist() == [draws.order.tolist().count(i) for i in seen]
    assert draws.places is not None
    assert draws.exact is not None
    for path, place in zip(draws.paths, draws.places, strict=True):
        assert path.edges.tolist() == draws.exact[place].edges.tolist()
        assert path.probability == pytest.approx(draws.exact[place].probability)
    counts = draws.counts_after(10)
    assert counts is not None
    assert counts.sum() == 10
    assert draws.distance_after(50) == draws.tv_distance


def test_viterbi_always_gives_the_best_path() -> None:
    lattice = counted()
    draws = sample(lattice, "viterbi", 0.5, 25, 1)
    assert [path.pieces for path in draws.paths] == [["abc"]]
    assert draws.counts.tolist() == [25]
    assert draws.paths[0].probability == 1.0
    assert draws.exact is not None
    assert [(p.pieces, p.probability) for p in draws.exact] == [(["abc"], 1.0)]
    assert (draws.tv_distance, draws.chi2) == (0.0, None)


def test_too_many_paths_have_no_listed_law() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -1.0}, "a" * 25)
    assert count_paths(lattice) == 121_393
    draws = sample(lattice, count=100, seed=2)
    assert (draws.exact, draws.tv_distance, draws.chi2, draws.exact_counts) == (None,) * 4
    with pytest.raises(ParameterError, match="more than 10,000"):
        exact_law(lattice)
    assert len(exact_law(lattice_of({"a": -1.0, "aa": -1.0}, "a" * 19))) == 6765


def test_an_empty_text_is_drawn_as_the_empty_path() -> None:
    draws = sample(lattice_of({"a": -1.0}, ""), count=4)
    assert [len(path) for path in draws.paths] == [0]
    assert draws.counts.tolist() == [4]
    assert draws.paths[0].probability == 1.0


def test_a_generator_gives_a_seed_that_can_be_used_again() -> None:
    lattice = lattice_of(WATCHING, "watching")
    draws = sample(lattice, count=20, seed=np.random.default_rng(5))
    again = sample(lattice, count=20, seed=draws.seed)
    assert draws.order.tolist() == again.order.tolist()
    other = sample(lattice, count=20, seed=draws.seed + 1)
    assert draws.order.tolist() != other.order.tolist()


def test_bad_parameters_are_refused() -> None:
    lattice = counted()
    with pytest.raises(ParameterError, match=r"no sampling method 'dice'.*viterbi, viterbi-v1"):
        sample(lattice, "dice")
    with pytest.raises(ParameterError, match="0 draws"):
        sample(lattice, count=0)
    with pytest.raises(ParameterError, match="from 1 to 10,000,000"):
        sample(lattice, count=10**14)
    with pytest.raises(ParameterError, match="ranks"):
        sample(lattice_of({"a": -1.0}, "a", no_law="ranks are not a law"))


@pytest.mark.parametrize(
    ("a", "x", "wanted"),
    [
        # Q(1, x) = exp(−x), Q(1/2, x) = erfc(√x), Q(3, x) = exp(−x)(1 + x + x²/2).
        (1.0, 0.3, math.exp(-0.3)),
        (1.0, 40.0, math.exp(-40)),
        (0.5, 0.01, math.erfc(0.1)),
        (0.5, 9.0, math.erfc(3.0)),
        (3.0, 2.0, math.exp(-2) * 5),
        (3.0, 30.0, math.exp(-30) * 481),
        (7.0, 0.0, 1.0),
        # The median of χ² with 100 degrees is 99.334129235988.
        (50.0, 99.334129235988 / 2, 0.5),
    ],
)
def test_upper_incomplete_gamma(a: float, x: float, wanted: float) -> None:
    assert upper_gamma(a, x) == pytest.approx(wanted, rel=1e-11)


def test_upper_gamma_of_many_degrees_ends() -> None:
    assert upper_gamma(5000.0, 5000.0) == pytest.approx(0.5, abs=0.005)
    assert upper_gamma(5000.0, 9000.0) < 1e-200


def test_chi_square_pools_what_is_rare() -> None:
    # Expectations 50, 44, 3, 2, 1: the last three are one cell of 6.
    p = np.array([0.5, 0.44, 0.03, 0.02, 0.01])
    found = chi_square(np.array([60, 35, 1, 2, 2]), p)
    assert found is not None
    assert found.degrees == 2
    assert found.statistic == pytest.approx(100 / 50 + 81 / 44 + 1 / 6)
    assert found.p_value == pytest.approx(math.exp(-found.statistic / 2))
    # 95, 3, 2 pool to 95 and 5.
    found = chi_square(np.array([90, 6, 4]), np.array([0.95, 0.03, 0.02]))
    assert found is not None
    assert (found.degrees, found.statistic) == (1, pytest.approx(25 / 95 + 25 / 5))


def test_chi_square_without_two_cells_tests_nothing() -> None:
    assert chi_square(np.array([3, 1]), np.array([0.5, 0.5])) is None
    assert chi_square(np.array([100]), np.array([1.0])) is None


def test_chi_square_of_the_impossible_is_refuted() -> None:
    found = chi_square(np.array([99, 1]), np.array([1.0, 0.0]))
    assert found is not None
    assert found.p_value == 0.0


def test_total_variation() -> None:
    assert total_variation(np.array([1, 1, 2]), np.array([0.5, 0.25, 0.25])) == 0.25
    assert total_variation(np.array([4, 0]), np.array([0.0, 1.0])) == 1.0


def test_share_interval_is_wilsons() -> None:
    low, high = share_interval(0, 10)
    assert (low, high) == (0.0, pytest.approx(0.277533, abs=1e-6))
    # Its ends are the probabilities that lie 1.96 of their own standard deviations away.
    for bound in share_interval(319, 1000):
        deviation = math.sqrt(bound * (1 - bound) / 1000)
        assert abs(0.319 - bound) / deviation == pytest.approx(1.959964)
