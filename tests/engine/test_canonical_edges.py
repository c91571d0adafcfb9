"""Which edges of a BPE lattice merging could give: the rule, held against enumeration."""

from __future__ import annotations

import random
from pathlib import Path as FilePath

import numpy as np
import pytest

import engine
from engine import bundled
from engine.bpe import Bpe
from engine.bpe_edges import _stay, canonical_edges
from engine.build import edges_of_tokens
from engine.lattice import Lattice, Spelling
from engine.model import Model
from engine.pieces import Vocabulary
from engine.segmenter import EdgeKind
from tests.engine.lattices import all_paths, prepared

TEXTS = ["The weather is lovely today", "今天天气不错 lower lowest", "🌤️ naïve  ééé"]


@pytest.fixture(scope="module")
def real_models(shared: FilePath) -> list[Model]:
    names = ("huggingface/gpt2.tokenizer.json", "sentencepiece/bpe_mistral_v1_32k.model")
    return [engine.load(shared / "data" / "models" / name) for name in names]


def random_bpe(rng: random.Random) -> Bpe:
    """A small model over a, b, c whose merges come in random order."""
    pieces = [b"a", b"b", b"c"]
    rows = []
    while len(rows) < 12:
        left, right = rng.choice(pieces), rng.choice(pieces)
        if len(left + right) < 6 and left + right not in pieces:
            rows.append((pieces.index(left), pieces.index(right), len(pieces)))
            pieces.append(left + right)
    rng.shuffle(rows)
    left, right, result = (np.array(c, dtype=np.int32) for c in zip(*rows, strict=True))
    rank = np.arange(len(rows), dtype=np.int32)
    return Bpe(Vocabulary.build(pieces, np.zeros(len(pieces))), left, right, result, rank)


def lattice_under(bpe: Bpe, text: str) -> Lattice:
    """The lattice of a text as one pre-token."""
    ready = prepared(text)
    cuts = ready.cuts.astype(np.int64)
    edges = bpe.edges(ready.data, cuts[:-1], cuts[1:])
    cut = bpe.segment(ready.data, cuts[:-1], cuts[1:])
    taken = edges_of_tokens(edges, cut, len(ready.data))
    return Lattice(ready, bpe.vocabulary, edges, taken, Spelling(), bpe.law, bpe)


def test_only_the_model_s_path_keeps_every_token_and_every_pair() -> None:
    rng = random.Random(3)
    apart = 0
    for _ in range(60):
        bpe = random_bpe(rng)
        lattice = lattice_under(bpe, "".join(rng.choice("abc") for _ in range(rng.randint(1, 8))))
        fits = canonical_edges(bpe, lattice)
        assert fits[lattice.taken].all()
        apart += int(np.count_nonzero(~fits))
        canonical = []
        for route in all_paths(lattice):
            edges = np.array(route)
            after = np.append(edges[1:], -1)
            alone = _stay(bpe, lattice, edges, np.full(len(edges), -1)).all()
            if alone and _stay(bpe, lattice, edges, after).all():
                canonical.append(route)
        assert canonical == [tuple(lattice.taken.tolist())]
    assert apart > 100


def test_an_edge_that_no_neighbour_keeps_is_apart() -> None:
    lattice = engine.load(bundled.locate_model("bundled:toy-lower")).lattice("lower")
    fits = lattice.canonical_edges
    assert fits is not None
    said = {lattice.edge_text(e): bool(fits[e]) for e in range(lattice.n_edges)}
    # e+r has rank 0, w+e rank 1: beside r, "e" and "we" are merged away; "er" stays.
    assert said == {"l": True, "o": True, "w": True, "we": False, "e": False, "r": False,
                    "er": True}  # fmt: skip


def test_other_models_have_no_such_edges() -> None:
    for name in ("everyday-unigram", "everyday-wordpiece"):
        model = engine.load(bundled.locate_model(f"bundled:{name}"))
        assert model.lattice("watching").canonical_edges is None


@pytest.mark.parametrize("warm", [False, True])
def test_real_models_keep_their_own_path(
    real_models: list[Model], warm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.bpe_edges.compiled", lambda size: warm)
    for model in real_models:
        model.bpe.known_to_stay.clear()
        for text in TEXTS:
            lattice = model.lattice(text)
            fits = lattice.canonical_edges
            assert fits is not None
            assert fits[lattice.taken].all()
            assert fits[lattice.kind != EdgeKind.PIECE].all()
            assert not fits.all()


def test_the_compiled_road_says_the_same(
    real_models: list[Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = real_models[0]
    for text in TEXTS:
        answers = []
        for fast in (False, True):
            monkeypatch.setattr("engine.bpe_edges.compiled", lambda size, fast=fast: fast)
            model.bpe.known_to_stay.clear()
            answers.append(model.lattice(text).canonical_edges)
        assert answers[0].tolist() == answers[1].tolist()


def test_what_is_kept_of_other_texts_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(8)
    for _ in range(20):
        bpe = random_bpe(rng)
        text = "".join(rng.choice("abc") for _ in range(12))
        lattices = [lattice_under(bpe, text[:size]) for size in range(2, 12)]
        kept = [canonical_edges(bpe, lattice).tolist() for lattice in lattices]
        pairs = len(bpe.known_to_stay)
        assert [canonical_edges(bpe, lattice).tolist() for lattice in lattices] == kept
        assert len(bpe.known_to_stay) == pairs > 0
        with monkeypatch.context() as patch:
            patch.setattr("engine.bpe_edges.FEW", -1)
            assert [canonical_edges(bpe, lattice).tolist() for lattice in lattices] == kept


def test_what_is_kept_of_places_changes_no_answer(tmp_path: FilePath) -> None:
    rng, words = random.Random(9), ["ab", "abc", "abcab", "cab", "abcabc", "bcab"]
    for version in ("0.1", "0.2"):
        codes = tmp_path / f"codes-{version}"
        codes.write_text(f"#version: {version}\na b\nc ab\nb c\nab c\nab c</w>\nabc ab</w>\n")
        model = engine.load(codes)
        texts = [" ".join(rng.choices(words, k=4)) for _ in range(12)]
        answers = [model.lattice(text).canonical_edges.tolist() for text in texts]
        assert not all(all(answer) for answer in answers)
        count = len(model.bpe.known_in_place)
        assert [model.lattice(text).canonical_edges.tolist() for text in texts] == answers
        assert len(model.bpe.known_in_place) == count
        for text, answer in zip(texts, answers, strict=True):
            model.bpe.known_in_place.clear()
            assert model.lattice(text).canonical_edges.tolist() == answer
            assert bool(model.bpe.known_in_place) == (version == "0.2")


def test_answers_of_long_words_and_long_texts_are_not_kept(
    tmp_path: FilePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = tmp_path / "codes"
    codes.write_text("#version: 0.2\na b\nab ab\n")
    model = engine.load(codes)
    assert model.bpe is not None
    assert model.lattice("ab" * 40).canonical_edges is not None
    assert not model.bpe.known_in_place
    monkeypatch.setattr("engine.bpe_edges.FEW", 2)
    assert model.lattice("abab ab").canonical_edges is not None
    assert not model.bpe.known_in_place
    monkeypatch.undo()
    assert model.lattice("abab ab").canonical_edges is not None
    assert model.bpe.known_in_place


def test_marks_at_the_end_of_words_count_where_the_edge_stands() -> None:
    pieces = [b"a", b"b", b"a</w>", b"b</w>", b"ab", b"ab</w>"]
    vocabulary = Vocabulary.build(pieces, np.zeros(6))
    columns = ([0, 0], [1, 3], [4, 5], [0, 1])
    left, right, result, rank = (np.array(c, dtype=np.int32) for c in columns)
    bpe = Bpe(vocabulary, left, right, result, rank, alphabet="char", suffix="</w>")
    lattice = lattice_under(bpe, "abab")
    fits = canonical_edges(bpe, lattice)
    said = {(int(lattice.start[e]), pieces[int(lattice.piece[e])]): bool(fits[e])
            for e in range(lattice.n_edges)}  # fmt: skip
    assert said[0, b"ab"]
    assert said[2, b"ab</w>"]
    assert not said[2, b"a"]
    assert not said[3, b"b</w>"]
