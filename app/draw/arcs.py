"""The lattice as arcs on the axis: which edges are drawn, where, how strong, and what is hit.

`engine.place` chooses the edges and says how strong each is drawn; here they get their places on
the axis and in the view.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.draw.axis import Axis
from app.draw.edge_marks import all_marks
from app.draw.tokens import GHOST, byte_places, ghost_step
from app.draw.viewport import Viewport
from engine.display import visible
from engine.lattice import Lattice, Path
from engine.law import Law
from engine.pipeline import Prepared
from engine.place import BUMP, LOWEST, SLOPE, Placement, Role, place
from engine.segmenter import EdgeKind

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HIDDEN = 1e-3
"""Probability under which a boundary off the best path isn't drawn, as with edges."""

LONGEST_LABEL = 24
"""Characters of a label."""


@dataclass(frozen=True, eq=False)
class Marks:
    """What is marked in a lattice beside its paths.

    pinned, forbidden: edges, drawn in any case; so are those of `former`, the best path without
    constraints where it isn't the best with them. pinned_nodes, forbidden_nodes: boundaries.
    allowed: bool[n_edges], what constraints leave; None for all. apart: bool[n_edges], edges that
    merging would change (non-canonical ones); None where the model doesn't merge.
    """

    pinned: frozenset[int] = frozenset()
    forbidden: frozenset[int] = frozenset()
    pinned_nodes: frozenset[int] = frozenset()
    forbidden_nodes: frozenset[int] = frozenset()
    former: frozenset[int] = frozenset()
    allowed: NDArray[np.bool_] | None = None
    apart: NDArray[np.bool_] | None = None

    @property
    def any(self) -> bool:
        """Whether constraints mark something."""
        return self.allowed is not None or bool(
            self.pinned
            or self.forbidden
            or self.pinned_nodes
            or self.forbidden_nodes
            or self.former
        )


NO_MARKS = Marks()


# Members of an IntEnum are slow to reach.
_OWN = (int(EdgeKind.PIECE), int(EdgeKind.ADDED))
_BEST = int(Role.BEST)


@lru_cache(maxsize=16_384)
def _label(data: bytes) -> str:
    """Return bytes for the eye, a long row cut. Kept: at each key most pieces stay."""
    label = visible(data)
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


@dataclass(frozen=True, eq=False)
class Arcs:
    """The edges that are drawn, in the order of the lattice.

    placement: with x0 and x1 at zoom 1 (x1 < x0 where text runs left); its heights are those of
    zoom 1. ghost: bool[a], the edge starts before the first byte. ghost_step: pixels from there
    to where it starts.
    row_of: int64[n_edges], the row of an edge, -1 where it isn't drawn.
    beyond: edges that don't lie on the axis. bumps: fragments of graphemes are drawn low.
    labels: what `label` found already.
    cut_unit, cut_count: int64[c], units that the path cuts inside, and how many of its edges
    share each.
    """

    lattice: Lattice
    placement: Placement
    ghost: NDArray[np.bool_]
    ghost_step: float
    row_of: Ints
    beyond: int
    bumps: bool
    cut_unit: Ints
    cut_count: Ints
    labels: dict[int, str] = field(default_factory=dict)
    marks: Marks = NO_MARKS

    def __len__(self) -> int:
        return len(self.placement)

    def label(self, edge: int) -> str:
        """Return the text of an edge of the lattice for the eye, a long one cut."""
        label = self.labels.get(edge)
        if label is None:
            lattice = self.lattice
            piece = int(lattice.piece[edge])
            own = piece >= 0 and int(lattice.kind[edge]) in _OWN
            label = _label(lattice.vocabulary.bytes(piece) if own else lattice.bytes(edge))
            self.labels[edge] = label
        return label

    @property
    def mark_of(self) -> Ints:
        """The `EdgeMark` of every edge of the lattice, int64[n_edges]."""
        return all_marks(self.lattice)

    def texts(self, edges: NDArray[np.integer]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return what the texts of edges under one vocabulary are told apart by: piece, kind, and
        the text of those that have no piece of their own."""
        lattice = self.lattice
        piece, kind = lattice.piece[edges], lattice.kind[edges]
        odd = (piece < 0) | ~((kind == _OWN[0]) | (kind == _OWN[1]))
        labels = np.full(len(edges), "", dtype=object)
        for k in odd.nonzero()[0].tolist():
            labels[k] = self.label(int(edges[k]))
        return piece, kind, labels

    @property
    def total(self) -> int:
        """Edges of the whole lattice."""
        return self.lattice.n_edges

    @property
    def has_law(self) -> bool:
        return self.lattice.has_law

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """The leftmost and the rightmost x of each arc that is drawn, at zoom 1."""
        placed = self.placement
        return np.minimum(placed.x0, placed.x1), np.maximum(placed.x0, placed.x1)

    @cached_property
    def tellers(self) -> Ints:
        """The arcs whose width tells how steep all are: those of paths, else all."""
        on_path = np.flatnonzero(self.placement.role >= Role.ALTERNATIVE)
        return on_path if len(on_path) else np.arange(len(self.placement))

    @cached_property
    def widest(self) -> float:
        """The greatest width at zoom 1 of an arc among `tellers`, ghosts left out."""
        low, high = self.ends
        some = self.tellers[~self.ghost[self.tellers]]
        return float((high[some] - low[some]).max(initial=0.0))

    @cached_property
    def any_ghost(self) -> bool:
        return bool(self.ghost.any())

    @cached_property
    def ghost_tellers(self) -> Ints:
        """The ghosts among `tellers`."""
        return self.tellers[self.ghost[self.tellers]]


@dataclass(frozen=True, eq=False)
class Nodes:
    """The boundaries that are drawn. node: int64[k]. x: float64[k], where what follows begins;
    x_before: where what comes before ends. probability: float64[k], NaN without a law.
    on_path: bool[k]. inside: bool[k], inside a unit of the axis. places: float64[n_nodes], x of
    every boundary of the lattice, drawn or not; NaN beyond the axis. shift: float64[n_nodes],
    pixels by which those before the first byte stand beside it.
    """

    node: Ints
    x: Floats
    x_before: Floats
    probability: Floats
    on_path: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    places: Floats
    shift: Floats

    def on_screen(self, viewport: Viewport) -> tuple[Floats, Floats]:
        """Return the pixels of `x` and `x_before`."""
        shift = self.shift[self.node]
        return viewport.to_screen(self.x) + shift, viewport.to_screen(self.x_before) + shift

    def all_on_screen(self, viewport: Viewport) -> Floats:
        """Return the pixels of all boundaries, drawn or not."""
        return viewport.to_screen(self.places) + self.shift


def among(edges: NDArray[np.integer], some: Collection[int]) -> NDArray[np.bool_]:
    """Return which edges are among a few, which mostly are none."""
    if not some:
        return np.zeros(len(edges), dtype=np.bool_)
    return np.isin(edges, list(some))


@lru_cache(maxsize=2)  # edges and nodes ask for those of one text
def _byte_places(prepared: Prepared) -> tuple[Floats, Floats]:
    return byte_places(prepared)


@lru_cache(maxsize=2)  # arcs and bricks ask for those of one lattice
def edge_spans(lattice: Lattice) -> tuple[Floats, Floats]:
    """Return (start, end) of each edge in bytes of the text as given, float64[e]."""
    at, to = _byte_places(lattice.prepared)
    if len(at) == 0:
        return np.zeros(lattice.n_edges), np.zeros(lattice.n_edges)
    start, end = at[lattice.start], to[np.maximum(lattice.end - 1, 0)]
    return start, np.maximum(end, start)


def place_arcs(
    lattice: Lattice,
    axis: Axis,
    best: Path,
    nbest: tuple[Path, ...],
    law: Law | None,
    marks: Marks = NO_MARKS,
) -> Arcs:
    """Choose the edges to draw and give each its place on the axis."""
    x = axis.at(lattice.prepared.node_sources(), end=False)
    placed = place(
        lattice,
        law,
        best,
        nbest[1:],
        x,
        view_height=np.inf,
        allowed=marks.allowed,
        also=sorted(marks.pinned | marks.forbidden | marks.former),
    )
    start, end = (ends[placed.edge] for ends in edge_spans(lattice))
    on_axis = end <= axis.shown
    start, end = start[on_axis], end[on_axis]
    # A node has two places where the direction turns or characters were dropped, so the ends of
    # an edge are looked up by what the edge covers.
    x0, x1 = axis.at(start, end=False), axis.at(end, end=True)
    placed = placed.rows(on_axis, x0, x1, placed.height[on_axis])
    row_of = np.full(lattice.n_edges, -1, dtype=np.int64)
    row_of[placed.edge] = np.arange(len(placed))
    best_ones = placed.role >= _BEST
    return Arcs(
        lattice,
        placed,
        lattice.start[placed.edge] < _ghost_bytes(lattice),
        ghost_step(axis, float(lattice.prepared.node_sources()[0])),
        row_of,
        int(np.count_nonzero(~on_axis)),
        axis.unit == "grapheme",
        *_cut_units(start[best_ones], end[best_ones], axis),
        marks=marks,
    )


def _cut_units(start: Floats, end: Floats, axis: Axis) -> tuple[Ints, Ints]:
    """Return the units that a path's edges cut inside, and how many edges touch each."""
    none = np.zeros(0, dtype=np.int64)
    wide = end > start
    start, end = start[wide], end[wide]
    if not len(start):
        return none, none
    first = axis.unit_of(np.floor(start).astype(np.int64))
    last = axis.unit_of(np.ceil(end).astype(np.int64) - 1)
    if not (last[:-1] == first[1:]).any():  # edges follow each other: none share a unit
        return none, none
    touched = np.bincount(first, minlength=axis.n_units)
    touched += np.bincount(last[last != first], minlength=axis.n_units)
    unit = np.flatnonzero(touched > 1)
    return unit, touched[unit]


def _ghost_bytes(lattice: Lattice) -> int:
    """Return how many first bytes of the prepared text stand for nothing in the text."""
    prepared = lattice.prepared
    empty = prepared.source_end <= prepared.source_start
    return int(np.argmin(empty)) if len(empty) and not empty.all() else len(empty)


def place_nodes(
    lattice: Lattice, axis: Axis, best: Path, law: Law | None, marks: Marks = NO_MARKS
) -> Nodes:
    """Choose the boundaries to draw: those on the best path, likely enough, or marked."""
    at, to = _byte_places(lattice.prepared)
    on_path = np.zeros(lattice.n_nodes, dtype=np.bool_)
    on_path[best.nodes] = True
    probability = law.node_marginal if law is not None else np.full(lattice.n_nodes, np.nan)
    size = len(at)
    if size == 0:
        none = np.zeros(0)
        no, never = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return Nodes(no, none, none, none, never, never, none, none)
    # The last node has nothing that follows, the first nothing before.
    after = np.concatenate((at, to[-1:]))
    before = np.concatenate((at[:1], to))
    wanted = on_path | (probability >= HIDDEN)
    wanted[sorted(marks.pinned_nodes | marks.forbidden_nodes)] = True
    on_axis = after <= axis.shown
    kept = (wanted & on_axis).nonzero()[0]
    x_before = axis.at(before[kept], end=True)
    places = np.where(on_axis, axis.at(after, end=False), np.nan)
    if on_axis[size]:
        places[size] = axis.at(before[size:], end=True)[0]
    place = np.minimum(np.searchsorted(axis.bounds, after[kept]), len(axis.bounds) - 1)
    inside = axis.bounds[place] != after[kept]
    ghosts = _ghost_bytes(lattice)
    share = np.maximum(ghosts - np.arange(lattice.n_nodes), 0) / max(ghosts, 1)
    shift = share * ghost_step(axis, float(at[0]))
    return Nodes(
        kept, places[kept], x_before, probability[kept], on_path[kept], inside, places, shift
    )


def arcs_in_view(arcs: Arcs, viewport: Viewport, room: float) -> Placement:
    """Return the arcs in view in screen pixels, none taller than `room`."""
    return _in_view(arcs, viewport.zoom, viewport.screen(0.0), viewport.ends, room)


@lru_cache(maxsize=4)  # a picture, its labels and what is told of it ask for the same
def _in_view(
    arcs: Arcs, zoom: float, origin: float, ends: tuple[float, float], room: float
) -> Placement:
    """Do what `arcs_in_view` does; x stands at the pixel origin + x · zoom."""
    placed, (left, right) = arcs.placement, ends
    low, high = arcs.ends
    slack = GHOST if arcs.any_ghost else 0.0
    # Of a long text few arcs are in view: what follows is done for these only.
    first, last = (left - origin - slack) / zoom, (right - origin + slack) / zoom
    rows = ((high >= first) & (low <= last)).nonzero()[0]
    x0, x1 = placed.x0[rows] * zoom + origin, placed.x1[rows] * zoom + origin
    widest = arcs.widest * zoom
    if arcs.any_ghost:
        x0 += np.where(arcs.ghost[rows], arcs.ghost_step, 0.0)
        kept = (np.maximum(x0, x1) >= left) & (np.minimum(x0, x1) <= right)
        rows, x0, x1 = rows[kept], x0[kept], x1[kept]
        some = arcs.ghost_tellers
        width = (placed.x1[some] - placed.x0[some]) * zoom - arcs.ghost_step
        widest = float(np.abs(width).max(initial=widest))
    height = _heights(np.abs(x1 - x0), widest, room)
    if arcs.bumps:
        height[placed.fragment[rows]] = BUMP
    return placed.rows(rows, x0, x1, height)


def _heights(width: Floats, widest: float, room: float) -> Floats:
    """Return the height of each arc: LOWEST + SLOPE · width, flatter where the room is short."""
    room = max(room, 40.0)
    slope = min(SLOPE, max((room * 0.92 - LOWEST) / max(widest, 1.0), 0.35))
    height = LOWEST + slope * width
    # What would still be too tall flattens towards the top without losing its order.
    knee = 0.85 * room
    over = np.maximum(height - knee, 0.0)
    spare = room - knee
    return np.where(height > knee, knee + spare * over / (over + spare), height)
