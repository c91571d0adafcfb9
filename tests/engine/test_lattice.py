"""The lattice itself, and 10,000 random ones against enumeration."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path as FilePath
from types import SimpleNamespace

import numpy as np
import pytest

from engine.build import build_lattice
from engine.errors import CoverageError, ParameterError
from engine.formats import load
from engine.lattice import Spelling
from engine.law import law
from engine.nbest import nbest
from engine.pieces import PieceKind, Vocabulary
from engine.search import count_paths, gap, tied, viterbi
from engine.segmenter import EdgeKind
from engine.unigram import Unigram
from tests.engine.lattices import exact, lattice_of, path_score, prepared, random_lattice

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
        with pytest.raises(CoverageError, match="byte 2 "):
            function()


def test_without_a_law_only_the_number_of_paths_is_known() -> None:
    lattice = lattice_of({"a": -1.0, "aa": -1.0}, "aaaa", no_law="ranks are no probabilities")
    assert lattice.paths == 5
    for function in (lattice.viterbi, lattice.law, lambda: lattice.nbest(3)):
        with pytest.raises(ParameterError, match="ranks are no probabilities"):
            function()


def unigram(scores: dict[str, float], **options: object) -> SimpleNamespace:
    """A Unigram model of pieces and scores; piece 0 is the unknown token."""
    names = ["<unk>", *scores]
    values = np.array([0.0, *scores.values()])
    kind = np.full(len(names), PieceKind.NORMAL, dtype=np.uint8)
    kind[0] = PieceKind.UNKNOWN
    vocabulary = Vocabulary.build([name.encode() for name in names], values, kind)
    segmenter = Unigram(vocabulary, 0, min(scores.values()) - 10, **options)
    spelling = Spelling(0, segmenter.byte_pieces, segmenter.fuse_unknown)
    return SimpleNamespace(segmenter=segmenter, vocabulary=vocabulary, spelling=spelling)


def test_build_scores_unknown_characters_as_sentencepiece() -> None:
    model = unigram({"a": -2.0, "b": -2.0, "c": -2.0, "ab": -2.5, "bc": -2.6, "abc": -3.5})
    lattice = build_lattice(model, prepared("aZ"))
    assert lattice.path.score == lattice.viterbi().score == -15.5
    assert lattice.kind.tolist() == [EdgeKind.PIECE, EdgeKind.UNKNOWN]
    assert lattice.path.ids == [1, 0]


def test_a_fused_unknown_token_takes_all_its_edges() -> None:
    model = unigram({"a": -1.0}, fuse_unknown=True)
    lattice = build_lattice(model, prepared("aéßa€"))
    assert lattice.taken.tolist() == [0, 1, 2, 3, 4]
    assert lattice.path.ids == [1, 0, 1, 0]
    assert lattice.law().expected_tokens == 4


def test_bytes_of_one_character_belong_to_its_one_edge() -> None:
    byte_pieces = np.arange(1000, 1256, dtype=np.int32)
    model = unigram({"a": -1.0}, byte_pieces=byte_pieces)
    lattice = build_lattice(model, prepared("a€a"))
    assert lattice.taken.tolist() == [0, 1, 2]
    assert lattice.path.ids == [1, 1000 + 0xE2, 1000 + 0x82, 1000 + 0xAC, 1]
    assert lattice.law().expected_tokens == 5


def test_an_added_token_is_a_certain_edge() -> None:
    model = unigram({"a": -1.0, "aa": -1.2})
    whole = prepared("aa<x>a")
    cuts = np.array([0, 2, 5, 6], dtype=np.int32)
    cut = replace(whole, cuts=cuts, fixed=np.array([-1, 7, -1], dtype=np.int32))
    model.vocabulary = Vocabulary.build([b"?"] * 8)
    lattice = build_lattice(model, cut)
    added = np.flatnonzero(lattice.kind == EdgeKind.ADDED)
    assert [(int(lattice.start[e]), int(lattice.end[e])) for e in added] == [(2, 5)]
    assert lattice.score[added].tolist() == [0.0]
    assert lattice.law().marginal[added].tolist() == [1.0]
    assert lattice.path.ids == [2, 7, 1]


MODELS = [
    "huggingface/gpt2.tokenizer.json",
    "huggingface/bert_base_cased.tokenizer.json",
    "huggingface/xlnet_cased.tokenizer.json",
    "sentencepiece/bpe_mistral_v1_32k.model",
    "sentencepiece/unigram_en_1k.model",
    "tiktoken/r50k_base.tiktoken",
    "bytepiece/bytepiece.plus.40k.model",
]

TEXTS = [
    "",
    "Hello, 今天天气不错 안녕하세요 👨‍👩‍👧 naïve 'it's' 1234567 \r\n\t x  y",
    "unaffable \u0e01\u0e33 \u2028 Ⅷ ﬁ éé\u0301 zzzzxqj",
    "𒀀𒀁𒀂 \u0378\u0379 a\ufeff\x00b",
]


@pytest.mark.parametrize("name", MODELS)
def test_the_path_of_real_models_is_their_own(shared: FilePath, name: str) -> None:
    model = load(shared / "data" / "models" / name)
    for text in TEXTS:
        lattice = model.lattice(text)
        path = lattice.path
        assert path.ids == model.encode(text).ids.tolist()
        assert path.nodes.tolist()[:-1] == lattice.start[lattice.taken].tolist()
        assert path.nodes[-1] == lattice.n_nodes - 1
        assert lattice.paths >= 1
        order = np.lexsort((lattice.piece, lattice.end, lattice.start))
        assert order.tolist() == list(range(lattice.n_edges))
