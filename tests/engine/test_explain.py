"""Why an edge is on the path: the deciding numbers against enumeration, and the sentences."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from engine.build import build_lattice
from engine.explain import GivenReason, MatchReason, MergeReason, ScoreReason, explain_edge
from engine.lattice import Lattice, Path, Spelling
from engine.pieces import PieceKind, Vocabulary
from engine.segmenter import EdgeKind, Edges
from engine.wordpiece import WordPiece
from tests.engine.lattices import all_paths, lattice_of, path_score, prepared, random_lattice
from tests.engine.test_traces import LOWER, bpe_model, words


def edge_of(lattice: Lattice, text: str, start: int | None = None) -> int:
    for edge in range(lattice.n_edges):
        if lattice.bytes(edge).decode() == text and start in (None, lattice.start[edge]):
            return edge
    raise AssertionError(f"no edge {text!r}")


def test_scores_are_held_against_the_best_other_path() -> None:
    rng = random.Random(6)
    kinds = set()
    for i in range(300):
        lattice = random_lattice(rng, ties=i % 4 == 0)
        paths = all_paths(lattice)
        best = paths[0]
        for edge in range(lattice.n_edges):
            found = explain_edge(lattice, None, edge)
            assert isinstance(found, ScoreReason)
            kinds.add(found.kind)
            with_edge = [path for path in paths if edge in path]
            without = [path for path in paths if edge not in path]
            assert found.on_path == (edge in best)
            if not with_edge:
                assert found.kind == "unused"
                continue
            if not without:
                assert found.kind == "only"
                continue
            rival = without[0] if edge in best else with_edge[0]
            gap = path_score(lattice, best) - path_score(lattice, rival)
            assert found.gap == pytest.approx(gap, abs=1e-12)
            assert found.ratio == pytest.approx(math.exp(gap), rel=1e-9)
            expected = "tie" if gap < 1e-12 else "best" if edge in best else "beaten"
            assert found.kind == expected
            # The stretches have the same ends and no common first or last edge.
            mine, theirs = Path(lattice, found.best).nodes, Path(lattice, found.other).nodes
            assert lattice.start[found.best[0]] == lattice.start[found.other[0]]
            assert mine[-1] == theirs[-1]
            assert found.best[0] != found.other[0]
            assert found.best[-1] != found.other[-1]
            stretch = lattice.score[found.best].sum() - lattice.score[found.other].sum()
            assert stretch == pytest.approx(gap, abs=1e-12)
    assert kinds == {"best", "beaten", "tie", "only", "unused"}


def test_the_sentence_names_the_stretch_the_gap_and_the_ratio() -> None:
    scores = {"The": -6.0, "The ": -7.324, " weather": -11.903, "weather": -11.639, "!": -3.0}
    lattice = lattice_of(scores, "The weather!")
    found = explain_edge(lattice, None, edge_of(lattice, "weather"))
    assert found.sentence == (
        "The␣ | weather (-18.963) loses to The | ␣weather (-17.903). "
        "A gap of 1.060 nats: the best path is 2.89 times as likely."
    )
    assert isinstance(found, ScoreReason)
    assert [lattice.edge_text(e) for e in found.best] == ["The", " weather"]
    own = explain_edge(lattice, lattice.law(0.5), edge_of(lattice, " weather"))
    assert own.sentence.startswith("The | ␣weather (-17.903) beats The␣ | weather (-18.963).")
    assert own.sentence.endswith("1.70 times as likely at θ = 0.5.")
    assert explain_edge(lattice, None, edge_of(lattice, "!")).kind == "only"


def test_a_tie_is_said_to_be_one() -> None:
    lattice = lattice_of({"a": -1.0, "b": -1.0, "ab": -2.0}, "ab")
    for text in ("a", "b", "ab"):
        found = explain_edge(lattice, None, edge_of(lattice, text))
        assert (found.kind, found.gap) == ("tie", 0.0)
        assert "same score, -2.000" in found.sentence


def merge_lattice(
    model: SimpleNamespace, *parts: str, fixed: tuple[int, ...] | None = None
) -> Lattice:
    model.spelling = Spelling()
    return build_lattice(model, words(*parts, fixed=fixed))


def test_lower_is_explained_by_its_merges() -> None:
    model = bpe_model(LOWER, "lower")
    lattice = merge_lattice(model, "lower")

    def why(text: str) -> MergeReason:
        found = explain_edge(lattice, None, edge_of(lattice, text))
        assert isinstance(found, MergeReason)
        return found

    assert why("lower").kind == "merged"
    assert why("lower").sentence == (
        "Rule 6 makes it from l + ower, and no rule joins it to a neighbour."
    )
    low = why("low")
    index = model.vocabulary.index
    assert (low.kind, low.rank, low.step, low.by_rank) == ("overtaken", 5, 2, 3)
    assert (low.taken, low.by_result) == (index[b"ow"], index[b"ower"])
    assert low.sentence == (
        "l + ow has rank 5. By the time it could act, ow is taken: rule 3 came first and made ower."
    )
    assert why("we").sentence == (
        "w + e has rank 2. By the time it could act, e is taken: rule 0 came first and made er."
    )
    assert why("ow").sentence == "Rule 1 makes it, but then rule 3 joins ow + er to ower."
    assert why("r").sentence == "It is a first symbol, but then rule 0 joins e + r to er."


def test_merges_that_never_get_their_parts() -> None:
    # er goes first, so `we` is never there for `owe`.
    model = bpe_model([("e", "r"), ("w", "e"), ("o", "we")], "ower")
    lattice = merge_lattice(model, "ower", "owe")
    inside = explain_edge(lattice, None, edge_of(lattice, "owe", 0))
    assert (inside.kind, inside.rank, inside.by_rank) == ("never_formed", 2, 0)
    assert inside.sentence == (
        "It needs o + we (rank 2), which never stand side by side: rule 0, e + r, came first and "
        "made er."
    )
    assert explain_edge(lattice, None, edge_of(lattice, "owe", 4)).kind == "merged"
    assert explain_edge(lattice, None, edge_of(lattice, "o", 0)).kind == "symbol"


def test_a_piece_that_its_own_text_is_not_merged_to() -> None:
    # `abc` is only made from a + bc, but a + b goes first.
    model = bpe_model([("a", "b"), ("b", "c"), ("a", "bc"), ("x", "y")], "abcxy")
    lattice = merge_lattice(model, "abcx")
    found = explain_edge(lattice, None, edge_of(lattice, "abc"))
    assert found.kind == "other_way"
    assert found.sentence == "Even alone abc is merged to ab | c."
    # A piece that no merge makes at all.
    model = bpe_model([("a", "b")], ["a", "b", "c", "abc"])
    lattice = merge_lattice(model, "abc")
    assert explain_edge(lattice, None, edge_of(lattice, "abc")).sentence == "No rule makes abc."


def test_rules_that_skip_merging_are_named() -> None:
    model = bpe_model([("a", "b"), ("b", "c"), ("a", "bc")], "abc", ignore_merges=True)
    lattice = merge_lattice(model, "abc")
    for text in ("abc", "ab"):
        found = explain_edge(lattice, None, edge_of(lattice, text))
        assert found.kind == "whole"
        assert "takes it whole" in found.sentence
    lattice = merge_lattice(bpe_model([("a", "b")], "ab"), "ab", "a", fixed=(-1, 0))
    found = explain_edge(lattice, None, edge_of(lattice, "a", 2))
    assert isinstance(found, GivenReason)
    assert "added token" in found.sentence


def word_lattice(text: str, *pieces: str) -> Lattice:
    bare = ["[UNK]", *(piece.removeprefix("##") for piece in pieces)]
    continuation = np.array([False, *(piece.startswith("##") for piece in pieces)])
    kind = np.full(len(bare), PieceKind.NORMAL, dtype=np.uint8)
    kind[0] = PieceKind.UNKNOWN
    vocabulary = Vocabulary.build([b.encode() for b in bare], None, kind, continuation)
    model = SimpleNamespace(
        segmenter=WordPiece(vocabulary, 0), vocabulary=vocabulary, spelling=Spelling(0)
    )
    return build_lattice(model, prepared(text))


def test_wordpiece_takes_the_longest_match() -> None:
    lattice = word_lattice("unable", "un", "una", "##able", "##ble", "##b", "##le", "##e")
    taken = [lattice.bytes(e).decode() for e in lattice.taken]
    assert taken == ["una", "ble"]

    def why(text: str) -> MatchReason:
        found = explain_edge(lattice, None, edge_of(lattice, text))
        assert isinstance(found, MatchReason)
        return found

    assert why("una").kind == why("ble").kind == "longest"
    assert why("un").sentence == "una starts here too and is longer; the longest always wins."
    assert why("able").sentence == "No token starts here: una already covers this place."
    assert lattice.bytes(why("b").winner) == b"ble"


def test_a_word_that_cannot_be_finished_is_unknown_as_a_whole() -> None:
    lattice = word_lattice("unx", "un", "##n")
    assert lattice.path.ids == [0]
    found = explain_edge(lattice, None, edge_of(lattice, "un"))
    assert found.kind == "unknown_word"
    assert found.sentence == (
        "The word unx can't be cut into pieces to its end, so it is unknown as a whole."
    )


def test_a_dropped_character_is_given() -> None:
    edges = Edges(
        np.array([0], np.int32),
        np.array([1], np.int32),
        np.array([-1], np.int32),
        np.array([-5.0]),
        np.array([-1], np.int32),
        np.array([EdgeKind.DROPPED], np.uint8),
    )
    vocabulary = Vocabulary.build([b"a"], np.array([-1.0]))
    taken = np.array([0], dtype=np.int32)
    lattice = Lattice(prepared("?"), vocabulary, edges, taken, Spelling())
    assert explain_edge(lattice, None, 0).kind == "dropped"
