"""Sampling in bulk: the roads of each method draw from the law of each line, repeatably."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine import rng
from engine.bundled import model_path
from engine.errors import CoverageError, ParameterError
from engine.formats import load
from engine.goodness import chi_square
from engine.model import Model
from engine.pieces import PieceKind, Vocabulary
from engine.sample import SAMPLERS
from engine.sample_lines import CHUNK, sample_lines
from engine.sampler import SamplingSettings
from engine.samplers.lines import Ffbs
from engine.unigram import Unigram

LAWS = ("perfect", "ffbs", "nbest", "uniform", "viterbi-v1", "viterbi-v1.5")


def unigram(scores: dict[str, float], unknown: int = -1, unknown_score: float = 0.0) -> Unigram:
    pieces = [piece.encode() for piece in scores]
    vocabulary = Vocabulary.build(pieces, np.array(list(scores.values())))
    return Unigram(vocabulary, unknown, unknown_score)


def spans(*texts: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parts = [text.encode() for text in texts]
    ends = np.cumsum([len(part) for part in parts]).astype(np.int64)
    data = np.frombuffer(bytearray(b"".join(parts)), dtype=np.uint8)
    return data, np.append(0, ends[:-1]).astype(np.int64), ends


def drawn(
    model: Model, lines: list[str], method: str, settings: SamplingSettings, seed: int = 5
) -> list[tuple[int, ...]]:
    batches = sample_lines(model, lines, method, settings, seed)
    return [tuple(batch[i].tolist()) for batch in batches for i in range(len(batch))]


@pytest.mark.parametrize("theta", [0.3, 1.0])
@pytest.mark.parametrize("method", LAWS)
def test_lines_follow_the_law_of_their_lattice(watching: Model, method: str, theta: float) -> None:
    n = 250 if method.startswith("viterbi") else 3000
    settings = SamplingSettings(theta, nbest_size=2)
    counts = Counter(drawn(watching, ["watching"] * n, method, settings))
    found = SAMPLERS[method].law(watching.lattice("watching"), settings).paths
    assert found is not None
    law = {tuple(path.ids): path.probability for path in found}
    assert set(counts) <= set(law)
    test = chi_square(np.array([counts[ids] for ids in law]), np.array(list(law.values())))
    assert test is not None
    assert test.p_value > 1e-3


def test_each_line_is_drawn_anew_and_a_seed_repeats(watching: Model) -> None:
    lines, settings = ["watching", "", "watch", "watching"] * 15, SamplingSettings(0.2)
    for method in ("perfect", "ffbs", "nbest", "uniform", "viterbi-v1", "without-replacement"):
        first = drawn(watching, lines, method, settings)
        assert first == drawn(watching, lines, method, settings)
        assert first != drawn(watching, lines, method, settings, 6)
        assert len(set(first[::4])) == 3
        assert set(first[1::4]) == {()}
    best = watching.encode("watching").ids.tolist()
    assert set(drawn(watching, lines[::4], "viterbi", settings)) == {tuple(best)}


def test_bad_settings_are_refused_before_anything_is_drawn(watching: Model) -> None:
    for method, settings, match in (
        ("ffbs", SamplingSettings(math.nan), "inverse temperature"),
        ("viterbi", SamplingSettings(-1.0), "inverse temperature"),
        ("nbest", SamplingSettings(nbest_size=0), "best paths"),
        ("dice", SamplingSettings(), "no sampling method"),
    ):
        with pytest.raises(ParameterError, match=match):
            next(sample_lines(watching, ["watching"], method, settings, 1))
    with pytest.raises(ParameterError, match="Unigram"):
        drawn(load(model_path("toy-lower")), ["lower"], "ffbs", SamplingSettings())


def test_an_uncovered_line_is_named(watching: Model) -> None:
    lines = ["watching"] * (CHUNK + 1) + ["dogs"]
    for method in ("ffbs", "nbest"):
        with pytest.raises(CoverageError) as caught:
            drawn(watching, lines, method, SamplingSettings())
        assert caught.value.line == CHUNK + 1


def test_the_kernel_draws_what_the_plain_twin_draws() -> None:
    rand = random.Random(3)
    letters = ["a", "b", "é", "中"]
    for i in range(25):
        pieces = {"".join(rand.choices(letters, k=rand.randint(1, 4))) for _ in range(12)}
        scores = {piece: rand.uniform(-12, 0) for piece in sorted(pieces)} | {"a": -3.0}
        kind = np.full(len(scores) + 1, PieceKind.NORMAL, dtype=np.uint8)
        kind[0] = PieceKind.UNKNOWN
        names = [b"<unk>", *(piece.encode() for piece in scores)]
        vocabulary = Vocabulary.build(names, np.array([0.0, *scores.values()]), kind)
        table = np.arange(1000, 1256, dtype=np.int32) if i % 3 == 0 else None
        model = Unigram(vocabulary, 0, -14.0, byte_pieces=table, fuse_unknown=i % 2 == 0)
        text = spans(*("".join(rand.choices(letters, k=rand.randint(0, 40))) for _ in range(6)))
        for theta in (0.0, 0.1, 1.0, 60.0, 1e6):
            road = Ffbs(model, theta)
            own, twin = road.draw_compiled(*text, i), road.draw_plain(*text, i)
            assert own.ids.tolist() == twin.ids.tolist()
            assert own.starts.tolist() == twin.starts.tolist()
            assert own.ends.tolist() == twin.ends.tolist()


def test_weights_too_far_apart_for_floats_are_summed_in_logarithms() -> None:
    scores = {"a": -300.0, "b": -0.01, "ab": -500.0, "aaaa": -900.0, "ba": -280.0, "aa": -590.0}
    model = unigram(scores)
    text = spans("aabaaaaabbaaaab" * 3, "bbbb" * 50)
    for theta in (0.001, 1.0, 2.5, 30.0):
        road = Ffbs(model, theta)
        for key in range(5):
            own, twin = road.draw_compiled(*text, key), road.draw_plain(*text, key)
            assert own.ids.tolist() == twin.ids.tolist()


def test_a_forbidden_piece_stays_forbidden_where_all_paths_are_alike() -> None:
    model = unigram({"a": -1.0, "aa": -math.inf, "aaa": -2.0})
    text = spans("aaaa" * 5)
    for theta in (0.0, 1.0, 100.0):
        road = Ffbs(model, theta)
        for key in range(4):
            own, twin = road.draw_compiled(*text, key), road.draw_plain(*text, key)
            assert own.ids.tolist() == twin.ids.tolist()
            assert set(own.ids.tolist()) <= {0, 2}
        counts = model.marginals(*text, theta).counts
        assert counts[1] == 0
        assert counts[:3] @ [1, 2, 3] == pytest.approx(20)
        assert set(model.sample_lines(*text, theta, 5).ids.tolist()) <= {0, 2}


def test_a_crowded_text_gets_room() -> None:
    model = unigram({"a" * k: 0.0 for k in range(1, 13)})
    cut = Ffbs(model, 0.0).draw_compiled(*spans("a" * 5000), 1)
    assert (cut.starts[0], cut.ends[-1]) == (0, 5000)
    assert (cut.ends - cut.starts == cut.ids + 1).all()
    with pytest.raises(CoverageError) as caught:
        Ffbs(unigram({"a": 0.0, "aa": 0.0}), 1.0).draw_compiled(*spans("aa", "aab"), 1)
    assert caught.value.at == 4


@pytest.mark.parametrize("theta", [0.0, 0.1, 1.0, 10.0, 100.0])
def test_long_lines_are_unbiased_at_any_theta(theta: float) -> None:
    # `ab` is one piece or two, everywhere alike: each of the 50,000 places is a coin of its own.
    scores = {"a": -6.0, "b": -7.0, "ab": -12.9}
    n = 50_000
    cut = Ffbs(unigram(scores), theta).draw_compiled(*spans("ab" * n), 3)
    whole = int((cut.ids == 2).sum())
    p = 1.0 / (1.0 + math.exp(-theta * 0.1))
    assert abs(whole - n * p) < 4.5 * math.sqrt(n * p * (1 - p)) + 1
    assert len(cut.ids) == 2 * n - whole


def test_marginals_of_samples_agree_with_forward_and_backward(shared: Path) -> None:
    model = load(shared / "data" / "models" / "bench" / "unigram32k.model")
    text = "The weather is lovely today, isn't it?"
    n = 100_000
    lattice = model.lattice(text)
    assert isinstance(model.segmenter, Unigram)
    data = model.prepare(text).data
    size = len(data)
    many = np.tile(data, n)
    starts = np.arange(n, dtype=np.int64) * size
    cut = Ffbs(model.segmenter, 0.3).draw_compiled(many, starts, starts + size, rng.key_of(4))
    marginal = lattice.law(0.3).marginal
    vocabulary, at = len(model.vocabulary), cut.starts % size
    keys = (at * (size + 1) + at + cut.ends - cut.starts) * vocabulary + cut.ids
    # Edges are sorted by start, end and piece, so their keys ascend.
    edges = (lattice.start.astype(np.int64) * (size + 1) + lattice.end) * vocabulary + lattice.piece
    places = np.searchsorted(edges, keys)
    assert (edges[places] == keys).all()
    shares = np.bincount(places, minlength=lattice.n_edges) / n
    spread = np.sqrt(marginal * (1 - marginal) / n)
    assert (np.abs(shares - marginal) <= 4.5 * spread + 3 / n).all()
    assert (shares > 0).sum() > 50
