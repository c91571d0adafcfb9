"""Where arcs are drawn: strength by probability, heights, culling, and what a pointer hits."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from engine.lattice import Lattice
from engine.place import COLUMN, Role, Room, arc_points, edge_at, fragments, free_boxes, place
from tests.engine.lattices import lattice_of, random_lattice

SCORES = {
    "The": -6.0,
    "The ": -7.324,
    " weather": -11.903,
    "weather": -11.639,
    " wea": -30.0,
    "ther": -30.0,
    "T": -4.0,
    "he": -5.0,
}


def weather() -> Lattice:
    return lattice_of(SCORES, "The weather")


def axis(lattice: Lattice, step: float = 10.0) -> np.ndarray:
    return np.arange(lattice.n_nodes) * step


def test_roles_numbers_and_strength_come_from_paths_and_marginals() -> None:
    lattice = weather()
    law = lattice.law()
    best, *others = lattice.nbest(2)
    found = place(lattice, law, best, others, axis(lattice), view_height=1000)
    shown = {lattice.edge_text(int(e)): i for i, e in enumerate(found.edge)}
    # ` wea` and `ther` are too rare, the `he` of `weather` leads nowhere: hidden and counted.
    assert set(shown) == {"The", "The ", " weather", "weather", "T", "he"}
    assert found.hidden == 3
    i, j, k = shown[" weather"], shown["weather"], shown["he"]
    p, q, r = (float(found.marginal[at]) for at in (i, j, k))
    assert (found.role[i], found.path[i]) == (Role.BEST, 1)
    assert (found.line[i], found.opacity[i]) == (pytest.approx(1.6 + 2 * p), 0.45 + 0.55 * p)
    assert (found.role[j], found.path[j]) == (Role.ALTERNATIVE, 2)
    assert found.line[j] == pytest.approx(1.2 + 2.2 * q)
    assert (found.role[k], found.path[k]) == (Role.OTHER, 0)
    assert (found.line[k], found.opacity[k]) == (1.0, pytest.approx(0.5 + 3 * r))
    assert (found.x0[i], found.x1[i]) == (30.0, 110.0)
    assert found.height[i] == pytest.approx(14 + 1.66 * 80)
    order = [lattice.edge_text(int(found.edge[at])) for at in found.priority]
    assert order[:2] == [" weather", "The"]
    assert set(order[2:4]) == {"The ", "weather"}
    assert found.paint_order.tolist() == found.priority.tolist()[::-1]


def test_an_alternative_is_drawn_however_unlikely() -> None:
    lattice = weather()
    best, *others = lattice.nbest(8)
    found = place(lattice, lattice.law(), best, others, axis(lattice), view_height=1000)
    # Only the `he` that no path uses is hidden.
    assert found.hidden == 1
    # An edge on several paths has the number of the first of them.
    numbers = {
        lattice.edge_text(int(e)): int(n) for e, n in zip(found.edge, found.path, strict=True)
    }
    assert (numbers["The"], numbers["The "], numbers[" wea"]) == (1, 2, 4)


def test_without_a_law_the_path_taken_stands_out() -> None:
    lattice = lattice_of({"a": math.nan, "aa": math.nan}, "aaa", no_law="ranks")
    lattice = Lattice(
        lattice.prepared,
        lattice.vocabulary,
        lattice.edges,
        np.array([1, 4], dtype=np.int32),
        lattice.spelling,
        "ranks",
    )
    found = place(lattice, None, lattice.path, [], axis(lattice), view_height=1000)
    assert (len(found), found.hidden) == (5, 0)
    assert found.role.tolist() == [0, Role.TAKEN, 0, 0, Role.TAKEN]
    assert np.isnan(found.marginal).all()
    others = found.role == Role.OTHER
    assert set(found.opacity[others].tolist()) == {0.5}
    assert found.line[~others].min() > found.line[others].max()


def test_heights_are_capped_by_the_view() -> None:
    lattice = weather()
    found = place(lattice, lattice.law(), lattice.viterbi(), [], axis(lattice), view_height=60)
    assert found.height.max() == 60


def test_parts_of_a_grapheme_are_bumps() -> None:
    # Two letters, and a family of which pieces cover parts.
    family = "👨‍👩‍👧"
    lattice = lattice_of(
        {"a": -1.0, "👨": -1.0, "\u200d": -1.0, "👩‍👧": -1.0, family: -2.0, family + "a": -3.0},
        f"a{family}a",
    )
    found = dict(
        zip(
            [lattice.bytes(e).decode() for e in range(lattice.n_edges)],
            fragments(lattice),
            strict=True,
        )
    )
    assert found == {
        "a": False,
        "👨": True,
        "\u200d": True,
        "👩‍👧": True,
        family: False,
        family + "a": False,
    }
    drawn = place(lattice, lattice.law(), lattice.viterbi(), [], axis(lattice), view_height=500)
    assert set(drawn.height[drawn.fragment].tolist()) == {13.0}
    assert (drawn.height[~drawn.fragment] > 13).all()


@pytest.mark.parametrize("way", ["right", "left", "mixed"])
def test_culling_keeps_what_reaches_into_the_window(way: str) -> None:
    rng = random.Random(3)
    for _ in range(60):
        lattice = random_lattice(rng)
        x = np.sort(np.array([rng.choice((0, 5, 20, 30, 55, 80)) for _ in range(lattice.n_nodes)]))
        x = x.astype(np.float64)
        if way == "left":
            x = x[::-1].copy()
        elif way == "mixed":
            rng.shuffle(x)
        law, best = lattice.law(), lattice.viterbi()
        every = place(lattice, law, best, [], x, view_height=90, threshold=0.0)
        low, high = sorted((rng.uniform(-10, 90), rng.uniform(-10, 90)))
        some = place(lattice, law, best, [], x, view_height=90, threshold=0.0, window=(low, high))
        touching = (np.minimum(every.x0, every.x1) <= high) & (
            np.maximum(every.x0, every.x1) >= low
        )
        assert some.edge.tolist() == every.edge[touching].tolist()
        assert some.hidden == every.hidden


def test_an_arc_starts_ends_and_peaks_where_it_should() -> None:
    points = arc_points(np.array([10.0, 90.0]), np.array([50.0, 40.0]), np.array([80.0, 20.0]), 5)
    assert points.shape == (2, 5, 2)
    assert points[0, 0].tolist() == [10.0, 0.0]
    assert points[0, 2].tolist() == [30.0, 80.0]
    assert points[0, 4].tolist() == [50.0, 0.0]
    assert points[1, 2].tolist() == [65.0, 20.0]
    # The same cubic by its Bézier controls.
    t, control = 0.25, 80 * 4 / 3
    bezier = 3 * t * (1 - t) ** 2 * control + 3 * t**2 * (1 - t) * control
    assert points[0, 1, 1] == pytest.approx(bezier)


def test_a_pointer_hits_the_nearest_arc() -> None:
    lattice = weather()
    best, *others = lattice.nbest(2)
    found = place(lattice, lattice.law(), best, others, axis(lattice, 40.0), view_height=1000)
    for i, edge in enumerate(found.edge.tolist()):
        top = (found.x0[i] + found.x1[i]) / 2, found.height[i]
        assert edge_at(found, *top) == edge
        assert edge_at(found, top[0], top[1] + 4) == edge
    assert edge_at(found, 500, 20) is None
    assert edge_at(found, 60, 900) is None
    # Where ` weather` and `weather` both end, the more important one is meant.
    hit = edge_at(found, 440, 0)
    assert hit is not None
    assert lattice.edge_text(hit) == " weather"


def test_a_label_whose_place_is_taken_gives_way() -> None:
    boxes = np.array(
        [
            [0, 0, 10, 10],
            [5, 5, 15, 15],
            [10, 0, 20, 10],
            [np.nan, 0, 1, 1],
            [5, 11, 15, 14],
            [0, 0, 10, 10],
        ],
        dtype=np.float64,
    )
    assert free_boxes(boxes).tolist() == [True, False, True, False, True, False]
    assert free_boxes(np.zeros((0, 4))).tolist() == []


def test_a_place_is_given_once() -> None:
    room = Room()
    assert room.take(-3.0 * COLUMN, 0, 2.5 * COLUMN, 10)  # it reaches over several columns
    assert not room.take(-2.5 * COLUMN, 9, -2.4 * COLUMN, 20)
    assert not room.take(2.4 * COLUMN, -5, 9.0 * COLUMN, 1)
    # What was refused takes nothing, and boxes may touch.
    assert room.take(2.5 * COLUMN, -5, 9.0 * COLUMN, 1)
    assert room.take(-3.0 * COLUMN, 10, 9.0 * COLUMN, 12)
    assert not room.take(8.0 * COLUMN, 0, 8.1 * COLUMN, 0.5)


def test_an_empty_lattice_is_placed() -> None:
    lattice = lattice_of({"a": -1.0}, "")
    found = place(
        lattice, lattice.law(), lattice.viterbi(), [], np.zeros(1), view_height=9, window=(0, 5)
    )
    assert (len(found), found.hidden) == (0, 0)
    assert edge_at(found, 0, 0) is None
