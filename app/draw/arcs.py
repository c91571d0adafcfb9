"""The lattice as arcs on the axis: which edges are drawn, where, how strong, and what is hit.

Placing is numpy only. An arc from x0 to x1 with height h is the cubic curve with its controls
straight above its ends: x(t) = x0 + (x1 − x0)(3t² − 2t³), y(t) = 4h·t(1 − t).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.draw.axis import Axis
from app.draw.tokens import GHOST, byte_places
from app.draw.viewport import Viewport
from engine.lattice import Lattice, Path
from engine.law import Law

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HIDDEN = 0.001
"""Probability under which an edge that no shown path uses isn't drawn, but counted."""

RISE, SLOPE, BUMP = 14.0, 1.66, 13.0
"""Height of an arc in pixels: RISE + SLOPE · width; BUMP inside a grapheme."""

OTHER, BEST = -1, 0
"""Roles beside the alternatives 1, 2 … (paths 2, 3 …)."""


@dataclass(frozen=True, eq=False)
class Arcs:
    """The edges that are drawn, in the order of the lattice.

    edge: int64[a], indices into the lattice. role: int64[a], OTHER, BEST, or the place in the
    n-best list of the first path that uses it. probability: float64[a], NaN without a law.
    x0, x1: float64[a], where the arc starts and ends, at zoom 1 (x1 < x0 where text runs left).
    ghost: bool[a], it starts before the first byte. inside: bool[a], both ends in one unit.
    row_of: int64[n_edges], the arc of an edge, -1 where it isn't drawn.
    total, hidden, beyond: edges of the lattice, those under HIDDEN, those not on the axis.
    """

    lattice: Lattice
    edge: Ints
    role: Ints
    probability: Floats
    x0: Floats
    x1: Floats
    ghost: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    row_of: Ints
    total: int
    hidden: int
    beyond: int

    def __len__(self) -> int:
        return len(self.edge)

    @property
    def has_law(self) -> bool:
        return self.lattice.has_law


@dataclass(frozen=True, eq=False)
class Nodes:
    """The boundaries that are drawn. node: int64[k]. x: float64[k], where what follows begins;
    x_before: where what comes before ends. probability: float64[k], NaN without a law.
    on_path: bool[k]. inside: bool[k], inside a unit of the axis.
    """

    node: Ints
    x: Floats
    x_before: Floats
    probability: Floats
    on_path: NDArray[np.bool_]
    inside: NDArray[np.bool_]


def edge_spans(lattice: Lattice) -> tuple[Floats, Floats]:
    """Return (start, end) of each edge in bytes of the text as given, float64[e]."""
    at, to = byte_places(lattice.prepared)
    if len(at) == 0:
        return np.zeros(lattice.n_edges), np.zeros(lattice.n_edges)
    start, end = at[lattice.start], to[np.maximum(lattice.end - 1, 0)]
    return start, np.maximum(end, start)


def edge_roles(n_edges: int, best: Path, nbest: tuple[Path, ...]) -> Ints:
    """Return the role of each edge: BEST, place of the first alternative, or OTHER."""
    role = np.full(n_edges, OTHER, dtype=np.int64)
    for place in range(len(nbest) - 1, 0, -1):
        role[nbest[place].edges] = place
    role[best.edges] = BEST
    return role


def place_arcs(
    lattice: Lattice, axis: Axis, best: Path, nbest: tuple[Path, ...], law: Law | None
) -> Arcs:
    """Choose the edges to draw and give each its place on the axis."""
    total = lattice.n_edges
    start, end = edge_spans(lattice)
    role = edge_roles(total, best, nbest)
    probability = law.marginal if law is not None else np.full(total, np.nan)
    on_axis = end <= axis.shown
    rare = (probability < HIDDEN) & (role == OTHER)
    kept = np.flatnonzero(on_axis & ~rare)
    start, end = start[kept], end[kept]
    at, _ = byte_places(lattice.prepared)
    before = _ghost_bytes(lattice)
    row_of = np.full(total, -1, dtype=np.int64)
    row_of[kept] = np.arange(len(kept))
    inside = np.zeros(len(kept), dtype=np.bool_)
    if axis.n_units:
        unit = axis.unit_of(np.floor(start).astype(np.int64))
        unit_start, unit_end = axis.bounds[unit], axis.bounds[unit + 1]
        inside = (end <= unit_end) & (end - start < unit_end - unit_start) & (end > start)
    return Arcs(
        lattice,
        kept,
        role[kept],
        probability[kept],
        axis.at(start, end=False),
        axis.at(end, end=True),
        lattice.start[kept] < before,
        inside,
        row_of,
        total,
        int(np.count_nonzero(rare & on_axis)),
        int(np.count_nonzero(~on_axis)),
    )


def _ghost_bytes(lattice: Lattice) -> int:
    """Return how many first bytes of the prepared text stand for nothing in the text."""
    prepared = lattice.prepared
    empty = prepared.source_end <= prepared.source_start
    return int(np.argmin(empty)) if len(empty) and not empty.all() else len(empty)


def place_nodes(lattice: Lattice, axis: Axis, best: Path, law: Law | None) -> Nodes:
    """Choose the boundaries to draw: those on the best path or likely enough."""
    at, to = byte_places(lattice.prepared)
    on_path = np.zeros(lattice.n_nodes, dtype=np.bool_)
    on_path[best.nodes] = True
    probability = law.node_marginal if law is not None else np.full(lattice.n_nodes, np.nan)
    size = len(at)
    if size == 0:
        none = np.zeros(0)
        return Nodes(
            np.zeros(0, np.int64), none, none, none, np.zeros(0, np.bool_), np.zeros(0, np.bool_)
        )
    # The last node has nothing that follows, the first nothing before.
    after = np.append(at, to[-1])
    before = np.concatenate((at[:1], to))
    kept = np.flatnonzero((on_path | (probability >= HIDDEN)) & (after <= axis.shown))
    x = axis.at(after[kept], end=False)
    x_before = axis.at(before[kept], end=True)
    x = np.where(kept == size, x_before, x)
    place = np.minimum(np.searchsorted(axis.bounds, after[kept]), len(axis.bounds) - 1)
    inside = axis.bounds[place] != after[kept]
    return Nodes(kept, x, x_before, probability[kept], on_path[kept], inside)


@dataclass(frozen=True, eq=False)
class Shapes:
    """Arcs as pixels. row: int64[v], rows of `Arcs` in view. x0, x1, height: float64[v]."""

    row: Ints
    x0: Floats
    x1: Floats
    height: Floats


def shape_arcs(arcs: Arcs, viewport: Viewport, room: float) -> Shapes:
    """Return the arcs in view as pixels, none taller than `room`."""
    x0, x1 = viewport.to_screen(arcs.x0), viewport.to_screen(arcs.x1)
    axis = viewport.axis
    back = 1.0 if axis is not None and axis.n_units and axis.turned[0] else -1.0
    x0 = x0 + np.where(arcs.ghost, back * GHOST, 0.0)
    width = np.abs(x1 - x0)
    height = _heights(width, arcs, room)
    left, right = np.minimum(x0, x1), np.maximum(x0, x1)
    first, last = viewport.screen(viewport.visible[0]), viewport.screen(viewport.visible[1])
    row = np.flatnonzero((right >= first) & (left <= last))
    return Shapes(row, x0[row], x1[row], height[row])


def _heights(width: Floats, arcs: Arcs, room: float) -> Floats:
    room = max(room, 40.0)
    if len(width) == 0:
        return width
    wide = width[arcs.role >= BEST]
    widest = float(wide.max()) if len(wide) else float(width.max())
    slope = min(SLOPE, max((room * 0.92 - RISE) / max(widest, 1.0), 0.35))
    height = RISE + slope * width
    # What would still be too tall flattens towards the top without losing its order.
    knee = 0.85 * room
    over = np.maximum(height - knee, 0.0)
    spare = room - knee
    height = np.where(height > knee, knee + spare * over / (over + spare), height)
    return np.where(arcs.inside, BUMP, height)


def strength(arcs: Arcs) -> tuple[Floats, Floats]:
    """Return (pen width in pixels, opacity) of each arc by its exact probability."""
    best, other = arcs.role == BEST, arcs.role == OTHER
    if not arcs.has_law:
        return np.where(best, 2.6, 1.0), np.where(best, 1.0, 0.62)
    p = arcs.probability
    width = np.where(best, 1.6 + 2 * p, np.where(other, 1.0, 1.2 + 2.2 * p))
    opacity = np.where(best, 0.45 + 0.55 * p, np.minimum(0.5 + 3 * p, 1.0))
    opacity = np.where(arcs.inside & best, np.maximum(opacity, 0.8), opacity)
    width = np.where(arcs.inside, np.minimum(width, 1.8), width)
    return width, opacity


def arc_at(shapes: Shapes, base: float, x: float, y: float, reach: float = 8.0) -> int:
    """Return the place in `shapes` of the arc nearest to a pixel, -1 if none is in reach."""
    left = np.minimum(shapes.x0, shapes.x1) - reach
    right = np.maximum(shapes.x0, shapes.x1) + reach
    near = np.flatnonzero((left <= x) & (x <= right) & (base - y <= shapes.height + reach))
    if len(near) == 0 or y > base + reach:
        return -1
    t = np.linspace(0, 1, 65)
    along, up = 3 * t**2 - 2 * t**3, 4 * t * (1 - t)
    x0, x1 = shapes.x0[near, None], shapes.x1[near, None]
    px = x0 + (x1 - x0) * along
    py = base - shapes.height[near, None] * up
    distance = _distance(px, py, x, y)
    nearest = int(np.argmin(distance))
    return int(near[nearest]) if distance[nearest] <= reach else -1


def _distance(px: Floats, py: Floats, x: float, y: float) -> Floats:
    """Return the distance of a point to each polyline: rows of px, py are its vertices."""
    ax, ay = px[:, :-1] - x, py[:, :-1] - y
    dx, dy = np.diff(px, axis=1), np.diff(py, axis=1)
    length = dx * dx + dy * dy
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.clip(np.where(length > 0, -(ax * dx + ay * dy) / length, 0.0), 0, 1)
    return np.sqrt(((ax + part * dx) ** 2 + (ay + part * dy) ** 2).min(axis=1))
