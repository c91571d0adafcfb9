"""The samplers' exact laws: golden numbers, brute force, and draws that follow them."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from engine.errors import CoverageError, ParameterError
from engine.goodness import chi_square, share_interval
from engine.lattice import Lattice
from engine.law import law
from engine.law_figures import covering, kl_divergence, law_distance, law_figures
from engine.sample import SAMPLERS, sample
from engine.sampler import PathLaw, SamplingSettings
from engine.samplers import gibbs, gumbel, pairwise
from engine.samplers.gibbs import all_paths as every_path
from engine.search import viterbi
from tests.engine.lattices import all_paths, exact, lattice_of, random_lattice
from tests.laws import compare, every_coin

COUNTS = {"a": 3, "b": 3, "c": 3, "ab": 2, "bc": 2, "abc": 1}
WATCHING = {"watching": -2.0, "watch": -1.0, "wat": -1.0, "ching": -1.0, "ing": -1.0}
UNI_TINY = {"a": -1.0, "aa": -1.5}
"""`aaa` has weights e^-3, e^-2.5 and e^-2.5."""

LATTICE_METHODS = ("viterbi-v1", "viterbi-v1.5", "perfect", "ffbs", "nbest", "uniform")


def counted() -> Lattice:
    return lattice_of({piece: math.log(n / 14) for piece, n in COUNTS.items()}, "abc")


def blind() -> Lattice:
    return lattice_of({"a": 0.0, "aa": 0.0, "aaa": 0.0, "aaaa": 0.0}, "aaaa")


def law_of(lattice: Lattice, method: str, theta: float = 1.0, nbest_size: int = 64) -> PathLaw:
    settings = SamplingSettings(theta, nbest_size=nbest_size)
    return SAMPLERS[method].law(lattice, settings)


def by_pieces(found: PathLaw) -> dict[str, float]:
    assert found.paths is not None
    return {"|".join(path.pieces): path.probability for path in found.paths}


@pytest.mark.parametrize(
    ("method", "theta", "golden"),
    [
        ("perfect", 1.0, (0.069054, 0.214834, 0.214834, 0.501279)),
        ("ffbs", 0.5, (0.138466, 0.244232, 0.244232, 0.373070)),
        ("nbest", 0.1, (0.224234, 0.251185, 0.251185, 0.273396)),
        ("viterbi-v1", 1.0, (0.038366, 0.168736, 0.272432, 0.520465)),
        ("viterbi-v1", 0.5, (0.110984, 0.217603, 0.278843, 0.392570)),
        ("viterbi-v1", 0.1, (0.217285, 0.245816, 0.258343, 0.278556)),
        ("viterbi-v1.5", 1.0, (0.021393, 0.241191, 0.174636, 0.562780)),
        ("viterbi-v1.5", 0.5, (0.066289, 0.297839, 0.180915, 0.454956)),
        ("viterbi-v1.5", 0.1, (0.141238, 0.329286, 0.171072, 0.358403)),
        ("uniform", 1.0, (0.25, 0.25, 0.25, 0.25)),
    ],
)
def test_golden_laws_of_abc(method: str, theta: float, golden: tuple[float, ...]) -> None:
    wanted = dict(zip(("a|b|c", "a|bc", "ab|c", "abc"), golden, strict=True))
    lattice = counted()
    found = law_of(lattice, method, theta)
    assert by_pieces(found) == pytest.approx(wanted, abs=1e-6)
    assert found.paths is not None
    for path in found.paths:
        assert found.probability(path.edges) == path.probability
    assert sample(lattice, method, theta, 3000, 3).chi2.p_value > 1e-3  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("theta", "v1", "other"), [(1.0, 0.0768, 0.0879), (0.5, 0.0541, 0.1355), (0.1, 0.0123, 0.1631)]
)
def test_golden_distances_to_the_exact_law(theta: float, v1: float, other: float) -> None:
    lattice = counted()
    true = by_pieces(law_of(lattice, "perfect", theta))
    for method, wanted in (("viterbi-v1", v1), ("viterbi-v1.5", other)):
        own = by_pieces(law_of(lattice, method, theta))
        assert 0.5 * sum(abs(own[p] - true[p]) for p in true) == pytest.approx(wanted, abs=5e-5)


def test_blind_lattice_of_equal_scores() -> None:
    assert list(by_pieces(law_of(blind(), "viterbi-v1")).values()) == pytest.approx([1 / 8] * 8)
    found = by_pieces(law_of(blind(), "viterbi-v1.5"))
    assert (min(found.values()), max(found.values())) == pytest.approx((1 / 24, 1 / 4))
    assert (found["aaaa"], found["aaa|a"]) == pytest.approx((1 / 4, 1 / 12))


def test_watching_shows_the_bias_of_v1() -> None:
    lattice = lattice_of(WATCHING, "watching")
    assert by_pieces(law_of(lattice, "viterbi-v1")) == pytest.approx(
        {"watching": 0.25, "wat|ching": 0.25, "watch|ing": 0.5}
    )
    assert by_pieces(law_of(lattice, "perfect")) == pytest.approx(
        {"watching": 1 / 3, "wat|ching": 1 / 3, "watch|ing": 1 / 3}
    )


def test_case_c56_of_alpha_and_nbest_size() -> None:
    lattice = lattice_of(UNI_TINY, "aaa")
    wanted = {"a|a|a": 0.2327, "a|aa": 0.3837, "aa|a": 0.3837}
    for method in ("perfect", "ffbs", "nbest", "without-replacement"):
        assert by_pieces(law_of(lattice, method)) == pytest.approx(wanted, abs=5e-5)
        assert by_pieces(law_of(lattice, method, 0.0)) == pytest.approx(
            dict.fromkeys(wanted, 1 / 3)
        )
        # A steep law leaves the two best, which tie.
        steep = by_pieces(law_of(lattice, method, 1e6))
        assert steep == pytest.approx({"a|a|a": 0.0, "a|aa": 0.5, "aa|a": 0.5})
    assert by_pieces(law_of(lattice, "nbest", nbest_size=513)) == pytest.approx(wanted, abs=5e-5)
    # The one that starts with the longer piece last is the best of the two: see `engine.search`.
    assert by_pieces(law_of(lattice, "nbest", nbest_size=1)) == {"a|aa": 1.0}
    two = law_of(lattice, "nbest", nbest_size=2)
    assert by_pieces(two) == pytest.approx({"a|aa": 0.5, "aa|a": 0.5})
    assert two.lost == pytest.approx(0.2327, abs=5e-5)
    assert law_of(lattice, "nbest", nbest_size=3).lost == 0.0
    assert law(lattice).entropy == pytest.approx(1.07437, abs=5e-6)


@pytest.mark.parametrize("method", list(SAMPLERS))
def test_a_bad_setting_is_refused_by_name_even_where_it_is_not_read(method: str) -> None:
    lattice = lattice_of(UNI_TINY, "aaa")
    for theta in (-1.0, -1e-9, math.inf, -math.inf, math.nan):
        with pytest.raises(ParameterError, match="inverse temperature"):
            sample(lattice, method, theta)
    for dropout in (-0.1, 1.1, math.nan):
        with pytest.raises(ParameterError, match="drop probability"):
            sample(lattice, method, dropout=dropout)
    for size in (0, -1, 1_000_001):
        with pytest.raises(ParameterError, match="best paths"):
            sample(lattice, method, nbest_size=size)


@pytest.mark.parametrize("method", ["viterbi", *LATTICE_METHODS, "without-replacement"])
def test_empty_texts_and_texts_without_a_path(method: str) -> None:
    draws = sample(lattice_of(UNI_TINY, ""), method, count=3)
    assert [len(path) for path in draws.paths] == [0]
    assert draws.paths[0].probability == pytest.approx(1.0)
    assert draws.exact is not None
    assert [path.probability for path in draws.exact] == pytest.approx([1.0])
    with pytest.raises(CoverageError):
        sample(lattice_of({"a": -1.0, "bc": -1.0}, "abb"), method)


def test_pairwise_laws_are_what_every_coin_gives() -> None:
    rng = random.Random(11)
    biased = 0
    for _ in range(60):
        lattice = random_lattice(rng)
        if lattice.n_edges > 12:
            continue
        theta = rng.choice((0.1, 0.5, 1.0, 3.0))
        for version in ("v1", "v1.5"):
            found = pairwise.law(version, lattice, SamplingSettings(theta))
            assert found.paths is not None
            own = {tuple(path.edges.tolist()): path.probability for path in found.paths}
            wanted = every_coin(lattice, theta, version == "v1.5")
            assert own == pytest.approx(wanted, rel=1e-9, abs=1e-12)
            true = exact(lattice, theta)
            biased += max(abs(own.get(path, 0.0) - p) for path, p in true.items()) > 0.01
    assert biased > 20


def test_draws_of_random_lattices_follow_brute_force() -> None:
    # A slice of `tests/laws.py`.
    found = compare(6)
    own = ("viterbi-v1", "maxmatch-dropout")
    for method in ("perfect", "ffbs", "nbest", "uniform", "without-replacement", *own):
        tests, _, corrected = found[method]
        assert tests >= 2
        assert corrected > 1e-3
    assert found["viterbi-v1 as Gibbs"][2] < 1e-6


def test_other_laws_are_those_of_brute_force() -> None:
    rng = random.Random(5)
    for _ in range(150):
        lattice = random_lattice(rng)
        theta, size = rng.choice((0.0, 0.3, 1.0, 4.0)), rng.randint(1, 6)
        true, paths = exact(lattice, theta), all_paths(lattice)
        assert sorted(every_path(lattice)) == sorted(paths)
        best = dict(list(true.items())[:size])
        kept = sum(best.values())
        for method, wanted, lost in (
            ("ffbs", true, 0.0),
            ("nbest", {path: p / kept for path, p in best.items()}, 1 - kept),
            ("uniform", dict.fromkeys(paths, 1 / len(paths)), 0.0),
        ):
            found = law_of(lattice, method, theta, size)
            assert found.paths is not None
            own = {tuple(path.edges.tolist()): path.probability for path in found.paths}
            assert own == pytest.approx(wanted, rel=1e-9, abs=1e-12)
            assert found.lost == pytest.approx(lost, abs=1e-12)


def successive(shares: list[float], k: int) -> list[float]:
    """Inclusion probabilities by every order in which k can be drawn."""
    found = [0.0] * len(shares)
    for order in permutations(range(len(shares)), k):
        p, left = 1.0, list(shares)
        for i in order:
            p *= shares[i] / math.fsum(left)
            left[i] = 0.0
        for i in order:
            found[i] += p
    return found


@pytest.mark.parametrize(
    "shares",
    [
        (0.5, 0.5),
        (0.6, 0.3, 0.1),
        (0.9, 0.05, 0.03, 0.015, 0.005),
        (1 - 1e-9 - 1e-12, 1e-9, 1e-12),
    ],
)
def test_inclusion_probabilities_are_exact(shares: tuple[float, ...]) -> None:
    for k in range(1, len(shares) + 1):
        found = gumbel.inclusion(np.array(shares), k)
        assert found == pytest.approx(successive(list(shares), k), abs=1e-9)
        assert found.sum() == pytest.approx(k)


@pytest.mark.parametrize("rare", [1e-290, 1e-307, 1e-310, 1e-320])
def test_inclusion_probabilities_of_the_rarest_outcomes(rare: float) -> None:
    # Two of three: the likely one, and one of the others in proportion.
    found = gumbel.inclusion(np.array([1.0, rare, 3 * rare]), 2)
    assert found == pytest.approx([1.0, 0.25, 0.75], rel=1e-3)
    one = gumbel.inclusion(np.array([1.0, rare, 3 * rare]), 1)
    assert one[1:] / rare == pytest.approx([1.0, 3.0], rel=1e-3)


def test_without_replacement_follows_the_law_of_ordered_draws() -> None:
    lattice = counted()
    true = exact(lattice, 1.0)
    pairs = {(a, b): true[a] * true[b] / (1 - true[a]) for a, b in permutations(true, 2)}
    drawn: Counter[tuple[tuple[int, ...], ...]] = Counter()
    n = 3000
    for seed in range(n):
        drawn[tuple(tuple(e.tolist()) for e in gumbel.top_keys(lattice, 1.0, seed, 2).paths)] += 1
    found = chi_square(
        np.array([drawn[pair] for pair in pairs]), np.array([pairs[pair] for pair in pairs])
    )
    assert sum(drawn[pair] for pair in pairs) == n
    assert found is not None
    assert found.p_value > 1e-3


def test_without_replacement_gives_all_paths_once() -> None:
    rng = random.Random(2)
    for seed in range(40):
        lattice = random_lattice(rng)
        paths = all_paths(lattice)
        draws = sample(lattice, "without-replacement", 0.7, len(paths) + 3, seed)
        assert sorted(tuple(path.edges.tolist()) for path in draws.paths) == sorted(paths)
        assert draws.inclusion == [1.0] * len(paths)
        assert (draws.tv_distance, draws.chi2) == (None, None)
        found = gumbel.top_keys(lattice, 0.7, seed, len(paths))
        assert (np.diff(found.keys) <= 0).all()
        # The first ones don't depend on how many are asked for.
        fewer = gumbel.top_keys(lattice, 0.7, seed, 1)
        assert fewer.paths[0].tolist() == found.paths[0].tolist()
        assert fewer.keys.tolist() == found.keys[:1].tolist()


def test_sets_hold_paths_as_often_as_inclusion_says() -> None:
    lattice = counted()
    k, n = 2, 3000
    sets = gumbel.draw_sets(lattice, 0.8, 5, range(n), k)
    assert all(len({path.tobytes() for path in one}) == k for one in sets)
    again = gumbel.draw_sets(lattice, 0.8, 5, range(7, 9), k)
    assert [[p.tolist() for p in one] for one in sets[7:9]] == [
        [p.tolist() for p in one] for one in again
    ]
    paths = law_of(lattice, "perfect", 0.8).paths
    shares = gumbel.inclusions(paths, k)
    assert paths is not None
    assert shares is not None
    assert sum(shares) == pytest.approx(k)
    for path, share in zip(paths, shares, strict=True):
        held = sum(any(np.array_equal(path.edges, one) for one in drawn) for drawn in sets)
        low, high = share_interval(held, n, z=4.0)
        assert low < share < high


def test_uniform_needs_no_law() -> None:
    lattice = lattice_of({"l": 0.0, "o": 0.0, "lo": 0.0}, "lolo", no_law="ranks are not a law")
    draws = sample(lattice, "uniform", count=2000, seed=1)
    assert by_pieces(draws.law) == pytest.approx(
        dict.fromkeys(("lo|lo", "lo|l|o", "l|o|lo", "l|o|l|o"), 0.25)
    )
    assert draws.chi2 is not None
    assert draws.chi2.p_value > 1e-3
    with pytest.raises(ParameterError, match="ranks"):
        sample(lattice, "ffbs")


def test_large_theta_is_viterbi_for_every_method() -> None:
    lattice = lattice_of({"a": -1.0, "b": -2.0, "ab": -3.5, "ba": -2.9}, "abab" * 5)
    best = lattice.viterbi().edges.tolist()
    for method in ("viterbi", "viterbi-v1", "viterbi-v1.5", "perfect", "ffbs", "nbest"):
        for theta in (1e3, 1e300, 1.7e308):
            draws = sample(lattice, method, theta, 20, 4)
            assert [path.edges.tolist() for path in draws.paths] == [best]


@pytest.mark.parametrize("method", LATTICE_METHODS)
def test_kernels_draw_what_their_plain_twins_draw(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(12)
    settings = SamplingSettings(0.4)
    for _ in range(10):
        lattice = random_lattice(rng)
        drawn = []
        for kernels in (False, True):
            for module in (gibbs, pairwise):
                monkeypatch.setattr(module, "compiled", lambda size, kernels=kernels: kernels)
            found = SAMPLERS[method].draw(lattice, settings, 99, range(20))
            later = SAMPLERS[method].draw(lattice, settings, 99, range(7, 20))
            drawn.append([edges.tolist() for edges in found])
            assert [edges.tolist() for edges in later] == drawn[-1][7:]
        assert drawn[0] == drawn[1]


def test_figures_of_a_law() -> None:
    lattice = counted()
    own = law_figures(lattice, law_of(lattice, "perfect"))
    listed = [0.069054, 0.214834, 0.214834, 0.501279]
    assert own.entropy == pytest.approx(-sum(p * math.log(p) for p in listed), abs=1e-5)
    assert own.effective == pytest.approx(math.exp(own.entropy or 0.0))
    assert own.best == pytest.approx(0.501279, abs=1e-6)
    assert own.covering == 4
    assert own.expected_tokens == pytest.approx(0.501279 + 4 * 0.214834 + 3 * 0.069054, abs=1e-5)
    v1 = law_figures(lattice, law_of(lattice, "viterbi-v1"))
    assert v1.best == pytest.approx(0.520465, abs=1e-6)
    assert v1.expected_tokens == pytest.approx(0.520465 + 2 * 0.441168 + 3 * 0.038366, abs=1e-5)
    assert covering([0.2, 0.5, 0.25, 0.05]) == 3
    assert covering([0.5, 0.4, 0.06, 0.04]) == 3
    long = lattice_of({"a": -1.0, "aa": -1.0}, "a" * 40)
    figures = law_figures(long, law_of(long, "ffbs"))
    assert (figures.covering, figures.entropy) == (None, pytest.approx(law(long).entropy))
    assert law_figures(long, law_of(long, "viterbi-v1")).entropy is None


def test_divergence_of_two_settings() -> None:
    rng = random.Random(9)
    for _ in range(40):
        lattice = random_lattice(rng)
        first, second = exact(lattice, 0.4), exact(lattice, 2.5)
        wanted = sum(p * math.log(p / second[path]) for path, p in first.items())
        a, b = law_of(lattice, "perfect", 0.4), law_of(lattice, "ffbs", 2.5)
        assert kl_divergence(lattice, a, b) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        assert kl_divergence(lattice, a, a) == pytest.approx(0.0, abs=1e-12)
        apart = 0.5 * sum(abs(p - second[path]) for path, p in first.items())
        assert law_distance(a, b) == pytest.approx(apart, abs=1e-9)
        listed = PathLaw(b.probability, lambda b=b: b.paths)
        assert kl_divergence(lattice, a, listed) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    two = law_of(counted(), "nbest", nbest_size=2)
    best = law_of(counted(), "viterbi")
    for first_law, second_law in ((two, best), (best, two)):
        apart = 1.0 - two.probability(viterbi(counted()).edges)
        assert law_distance(first_law, second_law) == pytest.approx(apart)
    assert kl_divergence(counted(), law_of(counted(), "perfect"), two) == math.inf


def test_a_seed_gives_the_same_draws_in_every_process() -> None:
    # Written down here, so that no other process, machine or version may draw otherwise.
    a, b, c = "watching", "wat|ching", "watch|ing"
    coins, numbers = [b, c, b, c, b, a, c, c], [a, a, b, a, b, c, b, c]
    lattice = lattice_of(WATCHING, "watching")
    for method, wanted in (
        ("viterbi-v1", coins),
        ("viterbi-v1.5", coins),
        ("perfect", coins),
        ("ffbs", numbers),
        ("nbest", numbers),
        ("uniform", numbers),
        ("without-replacement", [a, b, c]),
    ):
        draws = sample(lattice, method, 1.0, 8, 11)
        assert ["|".join(draws.paths[i].pieces) for i in draws.order] == wanted


@pytest.mark.parametrize("theta", [0.0, 1.0, 100.0])
def test_long_lattices_neither_overflow_nor_underflow(theta: float) -> None:
    n = 3000
    lattice = lattice_of({"a" * k: -1.7 * k**0.9 for k in range(1, 4)}, "a" * n)
    expected = law(lattice, theta).expected_tokens
    for method in (*LATTICE_METHODS, "without-replacement"):
        draws = sample(lattice, method, theta, 2, 3)
        for path in draws.paths:
            assert (path.nodes[0], path.nodes[-1]) == (0, n)
            assert (lattice.start[path.edges] == path.nodes[:-1]).all()
            if method in {"perfect", "ffbs", "without-replacement"}:
                # A standard deviation is some 20 tokens at most.
                assert abs(len(path) - expected) < 120
        assert all(0.0 <= path.probability <= 1.0 for path in draws.paths) or "v1" in method
