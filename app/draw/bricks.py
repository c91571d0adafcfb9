"""Segmentations as rows of bricks on the axis, compared with the first of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.draw.arcs import edge_spans
from app.draw.axis import Axis
from app.draw.edge_marks import EdgeMark, all_marks
from engine.lattice import Path
from engine.segmenter import EdgeKind

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BrickRow:
    """One path. A brick is one edge, or several that share a unit of the axis or are bytes.

    rect_brick: int64[r]; rect_left, rect_right: float64[r], where bricks are drawn at zoom 1: one
    rectangle each, more where the direction turns inside.
    first, last: int64[b], edges [first, last) of the path. start, end: float64[b], bytes of the
    text. differs: bool[b], path 1 has no such brick. fragments: int64[b], how many of its edges
    are pieces of characters. mark: int64[b], the `EdgeMark` of its one edge, or UNKNOWN where
    one of several is. same_from: the byte from which all is as in path 1; infinite for that one.
    """

    path: Path
    rect_brick: Ints
    rect_left: Floats
    rect_right: Floats
    first: Ints
    last: Ints
    start: Floats
    end: Floats
    differs: NDArray[np.bool_]
    fragments: Ints
    mark: Ints
    same_from: float

    @cached_property
    def widest(self) -> NDArray[np.bool_]:
        """Which rectangles, bool[r], are the widest of their brick."""
        width = self.rect_right - self.rect_left
        most = np.zeros(len(self.first))
        np.maximum.at(most, self.rect_brick, width)
        return np.asarray(width >= most[self.rect_brick])

    @cached_property
    def until(self) -> float:
        """The byte from which a row is only said to be as path 1: a brick after `same_from`."""
        after = np.flatnonzero(self.start >= self.same_from)
        # To say it needs room; else the bricks themselves are shown.
        return float(self.end[after[0]]) if len(after) >= 3 else math.inf

    @property
    def has_ghost(self) -> bool:
        """Whether the first brick stands for nothing in the text."""
        return bool(len(self.first)) and bool(self.end[0] <= self.start[0])


class BrickTable:
    """The rectangles of all rows up to `until` in one table, sorted by `left`.

    row: int64[r]. left, right: float64[r] at zoom 1. edge: the first edge of the brick. looks:
    int64[r, …], what else is seen of it.
    """

    def __init__(self, rows: Sequence[BrickRow]) -> None:
        kept = [np.flatnonzero(row.start[row.rect_brick] < row.until) for row in rows]
        parts = list(zip(rows, kept, strict=True))
        bricks = [row.rect_brick[k] for row, k in parts]
        own = list(zip(rows, bricks, strict=True))
        left = _joined([row.rect_left[k] for row, k in parts], np.float64)
        order = np.argsort(left, kind="stable")
        looks = [
            _joined([row.differs[b] for row, b in own], np.int64),
            _joined([row.fragments[b] for row, b in own], np.int64),
            _joined([row.mark[b] for row, b in own], np.int64),
            _joined([(row.last - row.first)[b] for row, b in own], np.int64),
            _joined([row.widest[k] for row, k in parts], np.int64),
        ]
        self.rows = tuple(rows)
        self.row = np.repeat(np.arange(len(rows)), [len(k) for k in kept])[order]
        self.left = left[order]
        self.right = _joined([row.rect_right[k] for row, k in parts], np.float64)[order]
        self.edge = _joined([row.path.edges[row.first[b]] for row, b in own], np.int64)[order]
        self.looks = np.stack(looks, axis=1)[order]


def _joined(parts: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *parts])


def brick_row(path: Path, axis: Axis, reference: Path | None) -> BrickRow:
    """Group a path's edges into bricks and mark those that `reference` doesn't have."""
    edges = path.edges
    start, end = (places[edges] for places in edge_spans(path.lattice))
    count = int(np.searchsorted(np.maximum.accumulate(end), axis.shown, side="right"))
    edges, start, end = edges[:count], start[:count], end[:count]
    cut = _inside(end, axis) | _inside(start, axis)
    broken = cut | (path.lattice.kind[edges] == EdgeKind.BYTE)
    if axis.unit == "byte":
        broken = np.zeros(count, dtype=np.bool_)
    opens = np.ones(count, dtype=np.bool_)
    opens[1:] = ~(broken[1:] & broken[:-1])
    first = np.flatnonzero(opens).astype(np.int64)
    last = np.append(first[1:], count).astype(np.int64)[: len(first)]
    fragments = np.add.reduceat(broken.astype(np.int64), first) if count else first
    marks = all_marks(path.lattice)[edges]
    unknown = marks == EdgeMark.UNKNOWN
    mark = np.where(last - first == 1, marks[first], EdgeMark.PLAIN)
    if count:
        mark[np.logical_or.reduceat(unknown, first)] = EdgeMark.UNKNOWN
    differs = np.zeros(len(first), dtype=np.bool_)
    same_from = math.inf
    if reference is not None:
        own = np.isin(edges, reference.edges)
        differs = ~np.logical_and.reduceat(own, first) if count else np.zeros(0, dtype=np.bool_)
        where = np.flatnonzero(differs)
        same_from = float(end[last[where[-1]] - 1]) if len(where) else 0.0
    begins = start[first]
    ends = np.maximum.reduceat(end, first) if count else end
    return BrickRow(
        path,
        *axis.rectangles(begins, ends),
        first,
        last,
        begins,
        ends,
        differs,
        fragments,
        mark,
        same_from,
    )


def _inside(position: Floats, axis: Axis) -> NDArray[np.bool_]:
    place = np.minimum(np.searchsorted(axis.bounds, position), len(axis.bounds) - 1)
    return axis.bounds[place] != position
