"""Pinned and forbidden edges, spans and boundaries, held against enumeration."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path as FilePath

import numpy as np
import pytest

import engine
from engine import bundled
from engine.constrain import (
    Constrained,
    Constraint,
    ConstraintError,
    constrain,
    cost,
    edge_constraint,
    node_constraint,
    source_spans,
)
from engine.lattice import Lattice
from engine.law import law
from tests.engine.lattices import all_paths, exact, lattice_of, path_score, random_lattice

WATCHING = {"watch": -4.0, "ing": -2.0, "wat": -3.0, "ching": -3.0, "watching": -6.0}
Route = tuple[int, ...]


def obeys(lattice: Lattice, route: Route, constraint: Constraint) -> bool:
    """Whether a path obeys, told from the path alone."""
    spans = source_spans(lattice).tolist()
    by_node = constraint.nodes is not None
    first, last = constraint.nodes or (constraint.start, constraint.end)
    places = [
        (int(lattice.start[e]), int(lattice.end[e])) if by_node else tuple(spans[e]) for e in route
    ]
    if constraint.target == "boundary":
        found = first in {place for pair in places for place in pair}
    else:
        piece = constraint.piece
        found = any(
            place == (first, last) and piece in (None, int(lattice.piece[e]))
            for place, e in zip(places, route, strict=True)
        )
    return found == (constraint.action == "pin")


def random_constraint(rng: random.Random, lattice: Lattice) -> Constraint:
    action = rng.choice(("pin", "forbid"))
    if rng.random() < 0.4:
        node = rng.randrange(lattice.n_nodes)
        if rng.random() < 0.5:
            return node_constraint(lattice, node, action)
        return Constraint(action, node, node)
    edge = rng.randrange(lattice.n_edges)
    if rng.random() < 0.5:
        return edge_constraint(lattice, edge, action)
    return Constraint(action, *lattice.source(edge))


def test_what_is_left_is_what_enumeration_leaves() -> None:
    rng = random.Random(5)
    solved = refused = 0
    for _ in range(400):
        lattice = random_lattice(rng, ties=rng.random() < 0.3)
        given = [random_constraint(rng, lattice) for _ in range(rng.randint(1, 3))]
        truth = exact(lattice, theta := rng.choice((0.0, 0.5, 1.0, 3.0)))
        left = {r: p for r, p in truth.items() if all(obeys(lattice, r, c) for c in given)}
        if not left:
            with pytest.raises(ConstraintError):
                constrain(lattice, given)
            refused += 1
            continue
        solved += 1
        check(constrain(lattice, given), left, theta)
    assert solved > 150
    assert refused > 50


def check(result: Constrained, left: dict[Route, float], theta: float) -> None:
    """Compare all figures with the paths that are left: path → probability without constraints."""
    whole, fewer = result.whole, result.lattice
    share = math.fsum(left.values())
    given = {route: p / share for route, p in left.items()}
    obeying, free = law(fewer, theta), law(whole, theta)
    assert fewer.paths == len(left)
    routes = {tuple(int(result.kept[e]) for e in route) for route in all_paths(fewer)}
    assert routes == left.keys()
    found = fewer.nbest(len(left) + 1, theta)
    lifted = [tuple(result.lift(path).edges.tolist()) for path in found]
    assert sorted(lifted) == sorted(left)
    for route, path in zip(lifted, found, strict=True):
        assert path.probability == pytest.approx(given[route], abs=1e-12)
        assert path.score == path_score(whole, route)
    assert lifted[0] == max(left, key=lambda r: (path_score(whole, r), -lifted.index(r)))
    marginal = np.zeros(whole.n_edges)
    for route, p in given.items():
        marginal[list(route)] += p
    assert obeying.marginal == pytest.approx(marginal[result.kept], abs=1e-12)
    entropy = -math.fsum(p * math.log(p) for p in given.values() if p)
    assert obeying.entropy == pytest.approx(entropy, abs=1e-9)
    tokens = math.fsum(len(route) * p for route, p in given.items())
    assert obeying.expected_tokens == pytest.approx(tokens)
    weights = [theta * path_score(whole, route) for route in left]
    assert obeying.log_partition == pytest.approx(math.log(math.fsum(map(math.exp, weights))))
    # The same over the whole lattice, the excluded edges without weight.
    masked = law(result.masked, theta)
    assert masked.marginal == pytest.approx(marginal, abs=1e-12)
    assert masked.entropy == pytest.approx(entropy, abs=1e-9)
    assert result.masked.viterbi().edges.tolist() == list(lifted[0])
    price = cost(free, obeying)
    best = max(path_score(whole, route) for route in all_paths(whole))
    assert price.score == pytest.approx(path_score(whole, lifted[0]) - best, abs=1e-12)
    assert price.share == pytest.approx(share, abs=1e-12)
    assert price.log_share == pytest.approx(math.log(share), abs=1e-9)
    assert price.ratio == pytest.approx(math.exp(theta * (best - path_score(whole, lifted[0]))))
    assert len(result.shortest(1)[0]) == min(map(len, left))


def test_one_of_several_edges() -> None:
    rng = random.Random(8)
    pinned = refused = 0
    for _ in range(300):
        lattice = random_lattice(rng)
        truth = exact(lattice, 1.0)
        if not truth:
            continue
        edges = tuple(sorted({rng.randrange(lattice.n_edges) for _ in range(rng.randint(1, 3))}))
        having = {r: p for r, p in truth.items() if set(r) & set(edges)}
        free = {r: p for r, p in truth.items() if r not in having}
        if free:
            check(constrain(lattice, [Constraint("forbid", 0, 0, edges=edges)]), free, 1.0)
        one = Constraint("pin", 0, 0, edges=edges)
        if not having:
            with pytest.raises(ConstraintError, match="no segmentation is left"):
                constrain(lattice, [one])
            continue
        allowed = {edge for route in having for edge in route}
        if any(set(route) <= allowed for route in free):
            with pytest.raises(ConstraintError, match="can't leave open which"):
                constrain(lattice, [one])
            refused += 1
        else:
            check(constrain(lattice, [one]), having, 1.0)
            pinned += 1
    assert pinned > 50
    assert refused > 5


def test_an_edge_is_told_from_another_of_its_span() -> None:
    lattice = lattice_of({"a": -1.0, "b": -1.0, "ab": -3.0}, "ab")
    pinned = constrain(lattice, [Constraint("pin", 0, 2, piece=2)])
    assert pinned.lattice.paths == 1
    with pytest.raises(ConstraintError, match="no piece covers the pinned edge “b”"):
        constrain(lattice, [Constraint("pin", 0, 2, piece=1)])
    # To forbid what isn't there excludes nothing.
    assert constrain(lattice, [Constraint("forbid", 0, 2, piece=1)]).lattice.paths == 2


def test_the_model_s_own_path_under_constraints() -> None:
    lattice = lattice_of(WATCHING, "watching")
    lattice = replace(lattice, taken=np.flatnonzero(lattice.piece == 4).astype(np.int32))
    assert constrain(lattice, [Constraint("pin", 0, 8)]).obeyed
    excluded = constrain(lattice, [Constraint("pin", 5, 5)])
    assert not excluded.obeyed
    assert len(excluded.lattice.taken) == len(excluded.masked.taken) == 0
    assert excluded.lattice.viterbi().pieces == ["watch", "ing"]


@pytest.mark.parametrize(
    ("given", "said", "clash"),
    [
        ([("pin", 0, 5), ("forbid", 0, 5)], "the pinned span, bytes 0 to 5", (0, 1)),
        ([("pin", 0, 5), ("pin", 0, 3)], "exclude each other", (0, 1)),
        ([("pin", 0, 8), ("forbid", 0, 3), ("pin", 3, 3)], "the pinned boundary at byte 3", (1, 2)),
        ([("pin", 0, 5), ("forbid", 5, 5)], "the forbidden boundary at byte 5", (0, 1)),
        ([("pin", 4, 4)], "no token can end at the pinned boundary at byte 4", (0,)),
        ([("forbid", 0, 0)], "the text begins or ends at", (0,)),
        ([("pin", 0, 4)], "no piece covers the pinned span, bytes 0 to 4", (0,)),
        ([("pin", 3, 99)], "lies outside of the text", (0,)),
        (
            [("forbid", 0, 8), ("pin", 0, 0), ("forbid", 3, 3), ("forbid", 5, 5)],
            "can't be obeyed together",
            (0, 2, 3),
        ),
    ],
)
def test_errors_name_what_clashes(given: list, said: str, clash: tuple[int, ...]) -> None:
    lattice = lattice_of(WATCHING, "watching")
    with pytest.raises(ConstraintError) as caught:
        constrain(lattice, [Constraint(*one) for one in given])
    assert said in caught.value.what
    assert caught.value.conflict == clash
    assert caught.value.remedy


def test_positions_in_errors_count_the_unit() -> None:
    lattice = lattice_of({"今天": -1.0, "今": -1.0, "天": -1.0}, "今天")
    with pytest.raises(ConstraintError, match=r"bytes 0 to 6 .*boundary at byte 3"):
        constrain(lattice, [Constraint("pin", 0, 6), Constraint("pin", 3, 3)])
    with pytest.raises(ConstraintError, match=r"graphemes 0 to 2 .*boundary at grapheme 1"):
        constrain(lattice, [Constraint("pin", 0, 6), Constraint("pin", 3, 3)], "grapheme")


def test_a_pretoken_s_end_is_crossed_by_nothing() -> None:
    lattice = engine.load(bundled.locate_model("bundled:everyday-bpe")).lattice("one two")
    with pytest.raises(ConstraintError, match="a pre-token ends at"):
        constrain(lattice, [Constraint("forbid", 3, 3)])


def test_nodes_tell_apart_what_stands_at_one_place_of_the_text() -> None:
    lattice = engine.load(bundled.locate_model("bundled:everyday-unigram")).lattice("today")
    prefix = int(np.flatnonzero((lattice.start == 0) & (lattice.end == 3))[0])
    assert lattice.source(prefix) == (0, 0)
    pinned = constrain(lattice, [edge_constraint(lattice, prefix, "pin")])
    assert all(path.edges[0] == 0 for path in pinned.lattice.nbest(20))
    assert {int(lattice.start[e]) for e in pinned.kept} >= {0, 3}
    cut = constrain(lattice, [node_constraint(lattice, 3, "forbid")])
    assert not (lattice.end[cut.kept] == 3).any()
    assert cut.lattice.paths + pinned.lattice.paths == lattice.paths


def test_tiny_model_with_and_without_constraints(shared: FilePath) -> None:
    lattice = engine.load(shared / "data" / "broken" / "uni_tiny.model").lattice("aaa")
    free = law(lattice)
    paths = lattice.nbest(5)
    assert sorted(round(p.probability, 4) for p in paths) == [0.2327, 0.3837, 0.3837]
    assert free.entropy == pytest.approx(1.07437, abs=5e-6)
    single = next(path for path in paths if len(path) == 3)
    assert single.probability == pytest.approx(0.2327, abs=5e-5)
    # Without a|a|a two equal paths are left.
    long = [edge for edge in range(lattice.n_edges) if lattice.bytes(edge) == b"aa"]
    no_first = constrain(lattice, [edge_constraint(lattice, long[0], "forbid")])
    weights = sorted(path.probability for path in no_first.lattice.nbest(5))
    assert weights == pytest.approx([0.2327 / 0.6164, 0.3837 / 0.6164], abs=1e-3)
    obeying = law(no_first.lattice)
    assert obeying.entropy == pytest.approx(-sum(p * math.log(p) for p in weights))
    assert cost(free, obeying).share == pytest.approx(1 - 0.3837, abs=5e-5)
    uniform = constrain(lattice, [Constraint("forbid", 1, 1)])
    assert uniform.lattice.paths == 1
    assert cost(law(lattice, 0.0), law(uniform.lattice, 0.0)).share == pytest.approx(1 / 3)
