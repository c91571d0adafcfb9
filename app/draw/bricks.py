"""Segmentations as rows of bricks on the axis, compared with the first of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from app.draw.arcs import edge_spans
from app.draw.axis import Axis
from app.draw.edge_marks import EdgeMark, all_marks
from engine.lattice import Path
from engine.segmenter import EdgeKind

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


# Members of an IntEnum are slow to reach.
_BYTE, _UNKNOWN, _PLAIN = int(EdgeKind.BYTE), int(EdgeMark.UNKNOWN), int(EdgeMark.PLAIN)

LEAST_REST = 3
"""Bricks as in path 1 at the end of a row from which on they are said: that needs room."""


@dataclass(frozen=True, eq=False)
class BrickRow:
    """One path. A brick is one edge, or several that share a unit of the axis or are bytes.

    first, last: int64[b], edges [first, last) of the path. start, end: float64[b], bytes of the
    text. differs: bool[b], path 1 has no such brick. fragments: int64[b], how many of its edges
    are pieces of characters. mark: int64[b], the `EdgeMark` of its one edge, or UNKNOWN where
    one of several is.
    same_from: the byte from which all is as in path 1; infinite for that one. until: the byte
    from which that is only said, after the first such brick; infinite where it isn't. rest: the
    stretches of x at zoom 1 that it is said of.
    rect_brick: int64[r]; rect_left, rect_right: float64[r], where bricks up to `until` are drawn
    at zoom 1: one rectangle each, more where the direction turns inside. looks: int64[r, 6], what
    is seen of each: first edge, edges, fragments, mark and `differs` of its brick, and whether
    the brick has no wider one.
    """

    path: Path
    first: Ints
    last: Ints
    start: Floats
    end: Floats
    differs: Bools
    fragments: Ints
    mark: Ints
    same_from: float
    until: float
    rest: tuple[tuple[float, float], ...]
    rect_brick: Ints
    rect_left: Floats
    rect_right: Floats
    looks: Ints

    @property
    def has_ghost(self) -> bool:
        """Whether the first brick stands for nothing in the text."""
        return bool(len(self.first)) and bool(self.end[0] <= self.start[0])


class BrickTable:
    """The rectangles of all rows in one table, sorted by `left`.

    row: int64[r]. left, right: float64[r] at zoom 1. edge: the first edge of the brick. looks:
    int64[r, 5], what else is seen of it.
    """

    def __init__(self, rows: Sequence[BrickRow]) -> None:
        self.rows = tuple(rows)
        left = np.concatenate([np.zeros(0), *(row.rect_left for row in rows)])
        right = np.concatenate([np.zeros(0), *(row.rect_right for row in rows)])
        looks = np.concatenate([np.zeros((0, 6), dtype=np.int64), *(row.looks for row in rows)])
        number = np.repeat(np.arange(len(rows)), [len(row.rect_left) for row in rows])
        order = np.argsort(left, kind="stable")
        looks = looks[order]
        self.row, self.left, self.right = number[order], left[order], right[order]
        self.edge, self.looks = looks[:, 0], looks[:, 1:]


def brick_rows(paths: Sequence[Path], axis: Axis) -> tuple[BrickRow, ...]:
    """Group the edges of each path of a lattice into bricks; mark those that path 1 doesn't have.

    All rows at once, for most of the time goes into the calls and not into the work.
    """
    if not paths:
        return ()
    lattice = paths[0].lattice
    starts, ends = edge_spans(lattice)
    parts = _on_axis([path.edges for path in paths], ends, axis)
    edges = np.concatenate(parts)
    rows = np.array([0, *accumulate(len(part) for part in parts)])
    start, end = starts[edges], ends[edges]
    broken = _broken(lattice.kind[edges], start, end, axis)
    opens = np.ones(len(edges) + 1, dtype=np.bool_)
    opens[1:-1] = ~(broken[1:] & broken[:-1])
    opens[rows] = True
    bounds = opens.nonzero()[0]
    first, last = bounds[:-1], bounds[1:]
    bricks = np.empty((len(first), 5), dtype=np.int64)
    bricks[:, 0], bricks[:, 1] = edges[first], last - first
    begins, finish = start[first], end[:0]
    if len(first):
        finish = np.maximum.reduceat(end, first)
        bricks[:, 2] = np.add.reduceat(broken, first, dtype=np.int64)
        bricks[:, 3] = _marks(all_marks(lattice)[edges], first, last)
        known = np.zeros(lattice.n_edges, dtype=np.bool_)
        known[paths[0].edges] = True
        bricks[:, 4] = ~np.logical_and.reduceat(known[edges], first)
    return _placed(paths, axis, rows, bounds, begins, finish, bricks)


def _placed(
    paths: Sequence[Path],
    axis: Axis,
    rows: Ints,
    bounds: Ints,
    begins: Floats,
    finish: Floats,
    bricks: Ints,
) -> tuple[BrickRow, ...]:
    """Place bricks on the axis and part them into rows.

    rows: int64[paths + 1], where rows begin among all edges. bounds: int64[b + 1], where bricks
    do. begins, finish: float64[b], their bytes. bricks: int64[b, 5], columns of `BrickRow.looks`.
    """
    begin_of = np.searchsorted(bounds, rows)
    parts = list(pairwise(begin_of.tolist()))
    differs = bricks[:, 4].astype(np.bool_)
    same, until = [math.inf], [math.inf]
    for a, b in parts[1:]:
        found = differs[a:b].nonzero()[0]
        same.append(float(finish[a + found[-1]]) if len(found) else 0.0)
        after = (begins[a:b] >= same[-1]).nonzero()[0]
        until.append(float(finish[a + after[0]]) if len(after) >= LEAST_REST else math.inf)
    drawn = (begins < np.repeat(until, [b - a for a, b in parts])).nonzero()[0]
    rests = [row for row, byte in enumerate(until) if byte < axis.shown]
    span, left, right = axis.rectangles(
        np.concatenate((begins[drawn], [until[row] for row in rests])),
        np.concatenate((finish[drawn], [axis.shown] * len(rests))),
    )
    said = len(drawn) + np.arange(len(rests) + 1)
    ends = np.searchsorted(span, said).tolist()
    stretches: dict[int, tuple[tuple[float, float], ...]] = {}
    for row, (low, high) in zip(rests, pairwise(ends), strict=True):
        parts_of = zip(left[low:high].tolist(), right[low:high].tolist(), strict=True)
        stretches[row] = tuple(parts_of)
    brick = drawn[span[: ends[0]]]
    looks = np.empty((len(brick), 6), dtype=np.int64)
    looks[:, :5], looks[:, 5] = bricks[brick], _widest(brick, left[: ends[0]], right[: ends[0]])
    made = []
    rectangles = pairwise(np.searchsorted(brick, begin_of).tolist())
    for number, (path, (a, b), (low, high)) in enumerate(
        zip(paths, parts, rectangles, strict=True)
    ):
        made.append(
            BrickRow(
                path, bounds[a:b] - rows[number], bounds[a + 1 : b + 1] - rows[number],
                begins[a:b], finish[a:b], differs[a:b], bricks[a:b, 2], bricks[a:b, 3],
                same[number], until[number], stretches.get(number, ()),
                brick[low:high] - a, left[low:high], right[low:high], looks[low:high],
            )
        )  # fmt: skip
    return tuple(made)


def _on_axis(paths: list[NDArray[np.int32]], ends: Floats, axis: Axis) -> list[NDArray[np.int32]]:
    """Return the first edges of each path, up to one that ends beyond the axis."""
    if ends.max(initial=0.0) <= axis.shown:
        return paths
    beyond = [np.append(ends[edges] > axis.shown, True).argmax() for edges in paths]
    return [edges[:count] for edges, count in zip(paths, beyond, strict=True)]


def _broken(kind: NDArray[np.uint8], start: Floats, end: Floats, axis: Axis) -> Bools:
    """Return which edges are bytes or begin or end inside a unit; on a byte axis none are."""
    if axis.unit == "byte":
        return np.zeros(len(kind), dtype=np.bool_)
    bound = np.zeros(axis.shown + 1, dtype=np.bool_)
    bound[axis.bounds] = True
    places = np.concatenate((start, end))
    byte = places.astype(np.int64)
    inside = ~bound[byte] | (byte != places)
    broken: Bools = inside[: len(start)] | inside[len(start) :] | (kind == _BYTE)
    return broken


def _marks(marks: Ints, first: Ints, last: Ints) -> Ints:
    """Return the mark of each brick from those of all edges."""
    mark = np.where(last - first == 1, marks[first], _PLAIN)
    unknown = marks == _UNKNOWN
    if unknown.any():
        mark[np.logical_or.reduceat(unknown, first)] = _UNKNOWN
    return mark


def _widest(brick: Ints, left: Floats, right: Floats) -> Bools:
    """Return which rectangles are the widest of their brick; those of one follow each other."""
    if not (brick[1:] == brick[:-1]).any():
        return np.ones(len(brick), dtype=np.bool_)
    width, opens = right - left, np.ones(len(brick), dtype=np.bool_)
    opens[1:] = brick[1:] != brick[:-1]
    most = np.maximum.reduceat(width, opens.nonzero()[0])
    return np.asarray(width >= most[opens.cumsum() - 1])
