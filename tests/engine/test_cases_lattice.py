"""Cases from people who do this job: lattices, marginals. A case's number is in its test's name."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ParameterError
from engine.formats import load
from engine.lattice import Lattice
from engine.segmenter import EdgeKind
from tests.conformance import read_texts
from tests.engine.documents import piece, sentencepiece
from tests.engine.real_models import ids, real

SCORES = {"a": -1.0, "aa": -1.5}
"""The pieces of `uni_tiny.model` that matter to `aaa`."""


@pytest.fixture
def tiny(tmp_path: Path) -> Lattice:
    path = tmp_path / "tiny.model"
    path.write_bytes(sentencepiece(*(piece(text, score) for text, score in SCORES.items())))
    return load(path).lattice("aaa")


def enumerated() -> dict[tuple[str, ...], float]:
    """All ways to write `aaa` with their scores, by brute force."""
    ways = itertools.chain.from_iterable(itertools.product(SCORES, repeat=n) for n in (1, 2, 3))
    return {way: sum(SCORES[p] for p in way) for way in ways if "".join(way) == "aaa"}


def test_c24b_a_law_stays_finite_with_the_lowest_scores_that_a_file_may_hold(
    tmp_path: Path,
) -> None:
    path = tmp_path / "low.model"
    path.write_bytes(sentencepiece(piece("a", -3.0e38), piece("aa", -3.0e38)))
    law = load(path).lattice("aaa").law()
    assert np.isfinite(law.log_partition)
    assert np.isfinite(law.marginal).all()
    assert law.entropy == pytest.approx(math.log(2), abs=1e-6)


def test_c37_a_line_without_spaces_is_one_word_and_its_lattice_is_built(shared: Path) -> None:
    folder = shared / "data" / "corpora" / "udhr"
    for code in ("tha", "khm", "lao"):
        text = (folder / f"{code}.txt").read_text(encoding="utf-8")
        long = max(text.split("\n"), key=lambda line: max(map(len, line.split() or [""])))
        assert max(map(len, long.split())) > 40
        for name in ("xlnet", "gpt2", "mistral"):
            model = real(shared, name)
            lattice = model.lattice(long)
            assert lattice.path.ids == ids(model, long)
    # A word of more than 100 characters is unknown to WordPiece as a whole.
    thai = "".join(read_texts(folder)["tha"][1].split())
    assert len(thai) > 101
    model = real(shared, "bert")
    assert ids(model, thai[:120]) == [100]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("unwanted\u2603ed", [100]), ("x" * 100, None), ("x" * 101, [100])],
)
def test_c49_one_bad_character_or_too_many_make_a_word_unknown(
    shared: Path, text: str, tokens: list[int] | None
) -> None:
    model = real(shared, "bert")
    found = ids(model, text)
    assert found == tokens if tokens else len(found) == 100
    lattice = model.lattice(text)
    whole = lattice.kind == EdgeKind.UNKNOWN
    assert bool(whole.any()) == (tokens is not None)
    # The pieces that match are still there, to show how far the word could be cut.
    assert int((lattice.kind == EdgeKind.PIECE).sum()) >= 24
    if tokens is not None:
        edge = int(lattice.taken[0])
        assert whole[edge]
        assert (lattice.start[edge], lattice.end[edge]) == (0, len(text.encode()))


def test_c49_the_snowman_has_no_piece(shared: Path) -> None:
    lattice = real(shared, "bert").lattice("unwanted\u2603ed")
    at = len(b"unwanted")
    pieces = lattice.kind == EdgeKind.PIECE
    assert not ((lattice.start <= at) & (lattice.end > at) & pieces).any()


def test_c59_scores_of_a_bpe_model_are_ranks(shared: Path) -> None:
    model = real(shared, "mistral")
    lattice = model.lattice("r spl")
    assert np.isnan(lattice.score).all()
    assert "not log-probabilities" in lattice.no_law
    with pytest.raises(ParameterError, match="an order of merging"):
        lattice.law()
    ranks = {lattice.edge_text(e): int(lattice.rank[e]) for e in range(lattice.n_edges)}
    assert ranks["\u2581s"] < ranks["\u2581sp"] < ranks["\u2581spl"]
    assert ranks["r"] == -1
    assert math.isnan(lattice.path.score)


def test_c60_marginals_and_entropy_are_those_of_the_enumeration(tiny: Lattice) -> None:
    ways = enumerated()
    total = sum(math.exp(score) for score in ways.values())
    law = tiny.law()
    assert tiny.paths == len(ways) == 3
    assert law.log_partition == pytest.approx(math.log(total), abs=1e-12)
    for edge in range(tiny.n_edges):
        start, text = int(tiny.start[edge]), tiny.edge_text(edge)
        through = sum(
            math.exp(score)
            for way, score in ways.items()
            if any(part == text and len("".join(way[:k])) == start for k, part in enumerate(way))
        )
        assert law.marginal[edge] == pytest.approx(through / total, abs=1e-12)
    shares = [math.exp(score) / total for score in ways.values()]
    entropy = -sum(p * math.log(p) for p in shares)
    assert law.entropy == pytest.approx(entropy, abs=1e-12)
    assert entropy == pytest.approx(1.07437, abs=1e-5)
    # What a corpus counts under the model: expected counts, not counts of the best path.
    expected = sum(p * len(way) for p, way in zip(shares, ways, strict=True))
    assert law.expected_tokens == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0, 4.0])
def test_c60_the_law_at_other_temperatures(tiny: Lattice, theta: float) -> None:
    ways = enumerated()
    weights = {way: math.exp(theta * score) for way, score in ways.items()}
    for path in tiny.nbest(5, theta):
        way = tuple(path.pieces)
        share = weights[way] / sum(weights.values())
        assert path.probability == pytest.approx(share, abs=1e-12)
        assert path.score == pytest.approx(ways[way], abs=1e-6)


def test_c56_exact_probabilities_of_the_three_paths(tiny: Lattice) -> None:
    shares = {tuple(path.pieces): path.probability for path in tiny.nbest(5)}
    assert shares["a", "a", "a"] == pytest.approx(0.23269, abs=1e-5)
    assert shares["a", "aa"] == shares["aa", "a"] == pytest.approx(0.38365, abs=1e-5)
    uniform = [path.probability for path in tiny.nbest(5, theta=0.0)]
    assert uniform == pytest.approx([1 / 3] * 3)
    for theta in (-1.0, math.inf, math.nan):
        with pytest.raises(ParameterError):
            tiny.law(theta)


def test_c65_a_long_run_of_one_character_ends(shared: Path) -> None:
    model = real(shared, "gpt2")
    found = ids(model, "a" * 100_000)
    assert len(found) == 25_000
    assert set(found) == {24794}
    assert len(ids(model, "^" * 100_000)) == 25_000


def test_c24b_the_lowest_scores_cut_a_text_with_kernels_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.unigram.compiled", lambda size: True)
    path = tmp_path / "low.model"
    path.write_bytes(sentencepiece(piece("a", -3.0e38), piece("aa", -3.0e38)))
    assert load(path).decode(load(path).encode("aaa").ids.tolist()) == b"aaa"
