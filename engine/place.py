"""Where the edges of a lattice are drawn: what the window and the SVG both paint.

An edge is an arc over the text axis, a cubic curve from its start to its end. All arrays are
float64 in pixels unless said otherwise; heights count upwards from the axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.lattice import Lattice, Path
    from engine.law import Law

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

BUMP = 13.0
"""Height of an arc that stays inside one grapheme."""

LOWEST, SLOPE = 14.0, 1.66
"""An arc over w pixels is LOWEST + SLOPE · w high."""

COLUMN = 64
"""Pixels of the columns in which label boxes are looked for."""

SEGMENTS = 24
"""Straight lines that stand for an arc when a pointer is tested against it."""


class Role(IntEnum):
    """What an edge is to the picture; a higher one is painted over a lower one."""

    OTHER = 0
    ALTERNATIVE = 1
    """On one of the n best paths, but not on the best."""
    BEST = 2
    TAKEN = 3
    """On the path that a model without a law takes."""


@dataclass(frozen=True, eq=False)
class Placement:
    """The edges that are drawn, sorted as in the lattice; arrays of length v.

    edge: int32, the index in the lattice. x0, x1: where it starts and ends. height: of its apex.
    line, opacity: how strong it is drawn. role: uint8, `Role`. path: int32, for an alternative
    the number of the first path that has it (2 for the second best), 1 for the best or taken
    path, 0 for others. marginal: its probability, NaN without a law. fragment: bool, it covers
    a part of one grapheme. hidden: number of edges that are too improbable to be drawn, in the
    whole lattice.
    """

    edge: NDArray[np.int32]
    x0: Floats
    x1: Floats
    height: Floats
    line: Floats
    opacity: Floats
    role: NDArray[np.uint8]
    path: NDArray[np.int32]
    marginal: Floats
    fragment: Bools
    hidden: int

    def __len__(self) -> int:
        return len(self.edge)

    def rows(
        self, wanted: Bools | NDArray[np.int64], x0: Floats, x1: Floats, height: Floats
    ) -> Placement:
        """Return some edges at other places: x0, x1 and height are of those that are wanted."""
        return Placement(
            self.edge[wanted],
            x0,
            x1,
            height,
            self.line[wanted],
            self.opacity[wanted],
            self.role[wanted],
            self.path[wanted],
            self.marginal[wanted],
            self.fragment[wanted],
            self.hidden,
        )

    @cached_property
    def priority(self) -> NDArray[np.int64]:
        """Indices from the most to the least important: role, then probability to a thousandth,
        then height. Finer, the law of a text that changed elsewhere would change the order.
        """
        likely = np.rint(1000 * np.fmax(self.marginal, 0.0))  # NaN where there is no law
        return np.lexsort((-self.height, -likely, -self.role.astype(np.int64)))

    @cached_property
    def paint_order(self) -> NDArray[np.int64]:
        """Indices in the order of painting: the most important last."""
        return self.priority[::-1]


def place(
    lattice: Lattice,
    law: Law | None,
    best: Path,
    alternatives: Sequence[Path],
    x: Floats,
    *,
    view_height: float,
    threshold: float = 1e-3,
    window: tuple[float, float] | None = None,
    allowed: Bools | None = None,
    also: Sequence[int] = (),
) -> Placement:
    """Place the edges of a lattice over the axis.

    law: None where the model defines none; then every edge is equally strong and `best` is the
    path that is taken. alternatives: the paths from the second best on. x: float64[n_nodes],
    where each node stands, in any direction. view_height: the highest arc. threshold: edges of a
    lower probability that no path has are hidden, and those not in `allowed`, bool[e], unless
    they are among `also`, which are drawn in any case. window: x from … to that is in view; edges
    wholly outside are left out.
    """
    role = np.zeros(lattice.n_edges, dtype=np.uint8)
    number = np.zeros(lattice.n_edges, dtype=np.int32)
    for place_, path in reversed(list(enumerate(alternatives, start=2))):
        role[path.edges], number[path.edges] = Role.ALTERNATIVE, place_
    role[best.edges] = Role.TAKEN if law is None else Role.BEST
    number[best.edges] = 1
    shown = np.ones(lattice.n_edges, dtype=np.bool_)
    if law is not None:
        shown = (law.marginal >= threshold) | (role != Role.OTHER)
    if allowed is not None:
        shown &= allowed
    shown[list(also)] = True
    hidden = lattice.n_edges - int(np.count_nonzero(shown))
    if window is not None:
        shown &= _touched(lattice, x, window)
    edge = np.flatnonzero(shown).astype(np.int32)
    role, number = role[edge], number[edge]
    marginal = np.full(len(edge), np.nan) if law is None else law.marginal[edge]
    x0, x1 = x[lattice.start[edge]], x[lattice.end[edge]]
    fragment = fragments(lattice)[edge]
    height = np.minimum(LOWEST + SLOPE * np.abs(x1 - x0), view_height)
    height[fragment] = min(BUMP, view_height)
    line, opacity = _strength(role, marginal)
    return Placement(edge, x0, x1, height, line, opacity, role, number, marginal, fragment, hidden)


def _touched(lattice: Lattice, x: Floats, window: tuple[float, float]) -> Bools:
    """Return which edges reach into the window."""
    left, right = min(window), max(window)
    touched = np.zeros(lattice.n_edges, dtype=np.bool_)
    steps = np.diff(x)
    if (steps >= 0).all() or (steps <= 0).all():
        # Nodes go one way, so the edges in view start in one stretch of the sorted starts.
        inside = np.flatnonzero((x >= left) & (x <= right))
        if len(inside):
            first, last = int(inside[0]), int(inside[-1])
        else:
            ascending = x if len(steps) and (steps >= 0).all() else -x
            at = int(np.searchsorted(ascending, left if ascending is x else -right))
            first, last = at, at
        longest = int((lattice.end - lattice.start).max(initial=0))
        low = int(np.searchsorted(lattice.start, first - longest, side="left"))
        high = int(np.searchsorted(lattice.start, last, side="right"))
    else:
        low, high = 0, lattice.n_edges
    a, b = x[lattice.start[low:high]], x[lattice.end[low:high]]
    touched[low:high] = (np.minimum(a, b) <= right) & (np.maximum(a, b) >= left)
    return touched


def fragments(lattice: Lattice) -> Bools:
    """Return which edges cover a part of one grapheme of the text as given, bool[e]."""
    bounds = lattice.prepared.text.grapheme_bounds
    source = lattice.prepared.node_sources()
    start, end = source[lattice.start], source[lattice.end]
    first = np.searchsorted(bounds, start, side="right") - 1
    last = np.searchsorted(bounds, end, side="left")
    one = (last - first <= 1) & (end > start)
    whole = (bounds[first] == start) & (bounds[np.minimum(last, len(bounds) - 1)] == end)
    # Inside one grapheme, an edge of no width in the text belongs to it as well.
    inner = (end == start) & (bounds[first] != start)
    inside: Bools = (one & ~whole) | inner
    return inside


def _strength(role: NDArray[np.uint8], marginal: Floats) -> tuple[Floats, Floats]:
    """Return (line width, opacity) of edges by role and probability."""
    p = np.fmax(marginal, 0.0)  # NaN where there is no law
    line, opacity = np.ones(len(role)), np.minimum(0.5 + 3 * p, 1.0)
    best, alternative = role == Role.BEST, role == Role.ALTERNATIVE
    line[best] = 1.6 + 2 * p[best]
    line[alternative] = 1.2 + 2.2 * p[alternative]
    on_path = best | alternative
    opacity[on_path] = 0.45 + 0.55 * p[on_path]
    taken = role == Role.TAKEN
    line[taken], opacity[taken] = 2.6, 1.0
    return line, opacity


def arc_points(x0: Floats, x1: Floats, height: Floats, count: int = SEGMENTS + 1) -> Floats:
    """Return points along arcs, float64[v, count, 2] as (x, height above the axis).

    The curve is the cubic Bézier with control points straight above its ends, at 4/3 of the
    apex, which it touches in the middle.
    """
    t = np.linspace(0.0, 1.0, count)
    along = t * t * (3 - 2 * t)
    up = 4 * t * (1 - t)
    points = np.empty((len(x0), count, 2))
    points[:, :, 0] = x0[:, None] + (x1 - x0)[:, None] * along
    points[:, :, 1] = height[:, None] * up
    return points


def edge_at(placement: Placement, x: float, y: float, tolerance: float = 6.0) -> int | None:
    """Return the edge whose arc passes nearest to a point, None if none is within `tolerance`.

    y counts upwards from the axis. Of arcs that are equally near (to half a pixel) the most
    important one is meant.
    """
    left = np.minimum(placement.x0, placement.x1)
    right = np.maximum(placement.x0, placement.x1)
    near = (left - tolerance <= x) & (x <= right + tolerance) & (y <= placement.height + tolerance)
    near &= -tolerance <= y
    order = placement.priority[near[placement.priority]]
    if not len(order):
        return None
    points = arc_points(placement.x0[order], placement.x1[order], placement.height[order])
    distance = np.round(2 * _distance(points, np.array((x, y)))) / 2
    nearest = int(np.argmin(distance))
    return int(placement.edge[order[nearest]]) if distance[nearest] <= tolerance else None


def _distance(points: Floats, at: Floats) -> Floats:
    """Return the distance of a point from each polyline, float64[v]."""
    start, step = points[:, :-1], np.diff(points, axis=1)
    length = np.maximum((step**2).sum(axis=2), 1e-12)
    t = np.clip(((at - start) * step).sum(axis=2) / length, 0.0, 1.0)
    gap = start + t[:, :, None] * step - at
    distance: Floats = np.sqrt((gap**2).sum(axis=2).min(axis=1))
    return distance


class Room:
    """Which places of a picture boxes have taken. A box is given by its sides in pixels."""

    def __init__(self) -> None:
        # Which boxes reach into each column of the picture: a label has few neighbours.
        self._columns: dict[int, list[tuple[float, float, float, float]]] = {}

    def take(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Give a box its place if no other overlaps it there; return whether it has it."""
        columns = self._columns
        mine = range(int(left // COLUMN), int(right // COLUMN) + 1)
        for column in mine:
            # A generator would take twice as long, and this is done at each key.
            for x0, y0, x1, y1 in columns.get(column, ()):
                if x0 < right and x1 > left and y0 < bottom and y1 > top:
                    return False
        for column in mine:
            columns.setdefault(column, []).append((left, top, right, bottom))
        return True


def free_boxes(boxes: Floats) -> Bools:
    """Return which label boxes can be drawn, bool[k]: the first that claims a place has it.

    boxes: float64[k, 4] as left, top, right, bottom, the most important first. NaN: no label.
    """
    room = Room()
    kept = np.zeros(len(boxes), dtype=np.bool_)
    for k in np.flatnonzero(~np.isnan(boxes).any(axis=1)).tolist():
        kept[k] = room.take(*boxes[k].tolist())
    return kept
