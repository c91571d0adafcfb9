"""What a picture on the axis shows, as numbers and texts: what is equal looks the same.

While a person types, most of the picture stays as it was or stands some pixels further, and only
what differs is painted anew. Places are rounded to a hundredth of a pixel and of probabilities
that goes in which is seen or read of them, for the law of the whole text changes a little
everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.draw.arc_labels import LEAST, SURE, UNLIKELY
from app.draw.arcs import Arcs, Nodes
from app.draw.axis import Axis
from app.draw.bricks import BrickTable
from app.draw.glyphs import text_size
from app.draw.lattice import TICKS, opacity_level
from app.draw.looks import COLORS
from app.draw.tokens import TWO_TONES, Bands, ghost_ends
from app.draw.viewport import MARGIN, Viewport
from engine.place import Placement

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Span = tuple[float, float]

MANY = 5_000
"""Things on an axis from which on they aren't compared: to paint a view costs less then."""

NEAR = 120.0
"""Pixels between two spans that are painted as one: each costs about as much before it begins."""

_READ = (math.ulp(0.0), LEAST, UNLIKELY, SURE)
"""Probabilities from which on `probability_text` or the labels do something else."""


class Move(NamedTuple):
    """What is at pixel `cut` or right of it went `step` pixels to the right."""

    cut: float = math.inf
    step: float = 0.0

    @property
    def opened(self) -> tuple[float, float]:
        """The pixels between which what stayed and what moved leave a gap, or meet."""
        return min(self.cut, self.cut + self.step), self.cut + self.step


STAYED = Move()


class Change(NamedTuple):
    """How a picture came to be from the one before: what moved, and the spans of pixels, from left
    to right, between which it has to be painted."""

    move: Move
    spans: tuple[Span, ...]


@dataclass(frozen=True, eq=False)
class Layer:
    """Things of one sort, no two of which are alike at one place.

    left, right: float64[k], the pixels that each may touch. table: int64[k, c + d], a row for each
    thing, equal for things that look the same: `places` columns of where it is, in whole hundredths
    of a pixel, then what else is seen.
    """

    left: Floats
    right: Floats
    table: Ints
    places: int

    def unlike(self, before: Layer, move: Move = STAYED) -> list[Span]:
        """Return the pixels of what isn't as it was, and of what was there and isn't.

        In pixels after the move, and with what reached over its cut.
        """
        left, right, new, old = before.left, before.right, self.table, before.table
        spans: list[Span] = []
        if move.step and len(left):
            left, right, old, spans = before._moved(move)
        # Most is as it was from the start and from the end.
        head = _leading(new, old)
        if head == len(new) == len(old):
            return spans
        tail = _leading(new[head:][::-1], old[head:][::-1])
        mine, other = slice(head, len(new) - tail), slice(head, len(old) - tail)
        rows, others = _rows(new[mine]), _rows(old[other])
        for some, known, lefts, rights in (
            (rows, set(others), self.left[mine], self.right[mine]),
            (others, set(rows), left[other], right[other]),
        ):
            lost = [k for k, row in enumerate(some) if row not in known]
            spans += zip(lefts[lost].tolist(), rights[lost].tolist(), strict=True)
        return spans

    def _moved(self, move: Move) -> tuple[Floats, Floats, Ints, list[Span]]:
        """Return pixels and table after a move, and the pixels of what reached over its cut."""
        cut, step = move
        start, end = move.opened
        goes = (self.table[:, : self.places] >= round(100 * cut) - 1).all(axis=1)
        over = _most(self.right[~goes])  # of what stayed, a part went with the rest
        under = _least(self.left[goes])  # of what went, a part stayed behind
        spans = []
        if over > cut:
            spans.append((start, max(over, over + step)))
        if under < cut:
            spans.append((min(under, under + step), end))
        table = self.table.copy()
        table[goes, : self.places] += round(100 * step)
        return (
            np.where(goes, self.left + step, np.minimum(self.left, start)),
            np.where(goes, self.right + step, np.minimum(self.right, start)),
            table,
            spans,
        )


@dataclass(frozen=True, eq=False)
class Content:
    """What a picture shows. whole: what isn't at one place. layers: what is, always in one
    order."""

    whole: tuple[object, ...]
    layers: tuple[Layer, ...]

    def change(self, before: Content, move: Move = STAYED) -> Change | None:
        """Return how it came to be from `before`; None where all is to be painted.

        move: how what follows an edit moved, if it did. Where it didn't, more is to be painted.
        """
        if self.whole != before.whole or len(self.layers) != len(before.layers):
            return None
        spans = [move.opened] if move.step else []
        for layer, old in zip(self.layers, before.layers, strict=True):
            spans += _unlike(layer, old, move)
        return Change(move, _joined(spans))

    def __add__(self, other: Content) -> Content:
        return Content((*self.whole, *other.whole), self.layers + other.layers)


@lru_cache(maxsize=16)  # two views ask for the layers of one text
def _unlike(layer: Layer, before: Layer, move: Move) -> list[Span]:
    """Return what `Layer.unlike` does, found once; not to be changed."""
    return layer.unlike(before, move)


def _leading(one: Ints, other: Ints) -> int:
    """Return how many rows are the same at the start of two tables."""
    short = min(len(one), len(other))
    unlike = (one[:short] != other[:short]).any(axis=1)
    first = int(unlike.argmax()) if short else 0
    return first if short and unlike[first] else short


def _rows(table: Ints) -> list[bytes]:
    """Return the rows of a table as what can be looked up."""
    size = np.dtype((np.void, table.itemsize * table.shape[1]))
    return np.ascontiguousarray(table).view(size)[:, 0].tolist()


def _least(values: Floats) -> float:
    return float(values.min()) if len(values) else math.inf


def _most(values: Floats) -> float:
    return float(values.max()) if len(values) else -math.inf


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    """Return spans from left to right, those in one that are near each other."""
    found: list[Span] = []
    for left, right in sorted(spans):
        if found and left - found[-1][1] < NEAR:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return tuple(found)


@lru_cache(maxsize=2)  # three views ask for that of one edit
def move_between(before: Axis, axis: Axis) -> Move:
    """Return how what follows an edit moved from one axis to another, in x at zoom 1.

    What comes first and what comes last, as it is seen, is the same on both.
    """
    old, new = before.visual, axis.visual
    count, step = min(len(old), len(new)), axis.width - before.width
    one, other = _units(before, old, 0.0), _units(axis, new, 0.0)
    head = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), count)
    one, other = _units(before, old, step)[::-1], other[::-1]
    ends = zip(one[: count - head], other, strict=False)
    tail = next((k for k, (a, b) in enumerate(ends) if a != b), count - head)
    if not tail:
        return STAYED
    return Move(float(before.left[old[len(old) - tail]]), step)


def _units(axis: Axis, order: Ints, step: float) -> list[tuple[str, float, float]]:
    """Return the labels and places of units, in hundredths at zoom 1."""
    left, right = (
        _rounded(ends[order] + step).astype(np.int64) for ends in (axis.left, axis.right)
    )
    labels = [axis.labels[unit] for unit in order.tolist()]
    return list(zip(labels, left.tolist(), right.tolist(), strict=True))


@lru_cache(maxsize=2)  # two views ask for that of one axis
def axis_content(axis: Axis, zoom: float) -> Content:
    """Return what `draw_text` shows of the text: labels, runs and bytes with their places."""
    viewport = whole_view(axis, zoom)
    places = viewport.to_screen(np.column_stack((axis.left, axis.right)))
    # Text may be wider than its cell, and ticks stand at both ends.
    beside = 0.5 * axis.advance + 4
    words: Sequence[object] = axis.labels
    if axis.unit == "byte":
        data, bounds = axis.text.data[: axis.shown].tobytes(), axis.bounds.tolist()
        digits = [data[start:end] for start, end in pairwise(bounds)]
        words = list(zip(words, digits, strict=True))
    runs = [run.graphemes for run in axis.runs]
    ends = np.array([(run.left, run.right) for run in axis.runs], dtype=np.float64).reshape(-1, 2)
    ends = viewport.to_screen(ends)
    ticks = axis.width * zoom / max(axis.n_units, 1) < TICKS
    return Content(
        (axis.unit, text_size(axis, zoom), ticks, bool(axis.runs)),
        (
            _layer(places, beside, words=words),
            # A letter may reach out of its line.
            _layer(ends, MARGIN, words=runs),
        ),
    )


def whole_view(axis: Axis, zoom: float) -> Viewport:
    """Return a viewport that sees all of an axis, its left end where a scroll of 0 has it."""
    return Viewport.of(axis, zoom, 0.0, axis.width * zoom + 2 * MARGIN)


def lattice_content(arcs: Arcs, nodes: Nodes, shapes: Placement, viewport: Viewport) -> Content:
    """Return what `draw_picture` and `place_labels` show, nothing being lit or marked.

    shapes: all arcs in the pixels of `viewport`, which sees all.
    """
    lattice, edges = arcs.lattice, shapes.edge
    axis = viewport.axis
    assert axis is not None
    x0, x1, p, apart = shapes.x0, shapes.x1, shapes.marginal, arcs.marks.apart
    numbers = (shapes.height, shapes.line, 10 * shapes.opacity, 10 * p)
    piece, kind, labels = arcs.texts(edges)
    whole_numbers = (
        piece, kind, opacity_level(shapes.opacity),
        np.searchsorted(_READ, p, side="right"),
        shapes.role, shapes.path, shapes.fragment, lattice.rank[edges],
        arcs.mark_of[edges], arcs.ghost[arcs.row_of[edges]],
        np.zeros(len(edges), dtype=np.int64) if apart is None else apart[edges],
    )  # fmt: skip
    # Which is painted over which follows from these.
    curves = _layer(
        np.column_stack((x0, x1)),
        shapes.line / 2 + 2,
        (_bits(np.column_stack(numbers)), *whole_numbers),
        labels.tolist(),
    )
    dots = _layer(
        np.column_stack(nodes.on_screen(viewport)),
        6.0,
        (_bits(nodes.probability), nodes.on_path, nodes.inside),
    )
    middle = viewport.to_screen((axis.left[arcs.cut_unit] + axis.right[arcs.cut_unit]) / 2)
    counts = _layer(middle[:, None], MARGIN, (arcs.cut_count,))
    byte = float(lattice.prepared.node_sources()[0]) if arcs.ghost.any() else None
    layers = (curves, dots, counts, _ghost(viewport, byte))
    own = Content((arcs.has_law, arcs.bumps), layers)
    return axis_content(axis, viewport.zoom) + own


def bands_content(bands: Bands, viewport: Viewport, ghost: str, *, by_identity: bool) -> Content:
    """Return what `draw_bands` shows of one row. ghost: the text of what stands before it.

    viewport: sees all.
    """
    group = bands.rect_group
    colors = bands.looks if by_identity else (np.arange(bands.n_groups) % COLORS,)
    columns = (*colors, np.diff(bands.token), bands.fragment, bands.special, bands.unknown)
    ends = viewport.to_screen(np.column_stack((bands.rect_left, bands.rect_right)))
    looks = [column[group] for column in columns]
    return Content(
        (bands.usual_width * viewport.zoom < TWO_TONES, ghost),
        (
            # A count may stand beside a narrow band.
            _layer(ends, MARGIN / 2, looks),
            _ghost(viewport, float(bands.start[0]) if bands.ghost else None),
        ),
    )


def bricks_content(table: BrickTable, labels: Arcs, viewport: Viewport) -> Content:
    """Return what rows of bricks show. labels: gives the texts of edges. viewport: sees all."""
    wide = viewport.axis.width * viewport.zoom if viewport.axis is not None else 0.0
    ends = viewport.to_screen(np.column_stack((table.left, table.right)))
    piece, kind, texts = labels.texts(table.edge)
    looks = (piece, kind, table.row, table.looks)
    plain = tuple(wide / max(len(row.first), 1) < TWO_TONES for row in table.rows)
    before = [
        (float(row.start[0]), number, labels.label(int(row.path.edges[0])), bool(row.differs[0]))
        for number, row in enumerate(table.rows)
        if row.has_ghost
    ]
    places = np.array([ghost_ends(viewport, byte) for byte, *_ in before]).reshape(-1, 2)
    return Content(
        plain,
        (
            _layer(ends, 2.0, looks, texts.tolist()),
            _layer(places, 2.0, words=[tuple(more) for _, *more in before]),
        ),
    )


def _layer(
    places: Floats,
    beside: Floats | float,
    looks: Sequence[NDArray[Any]] = (),
    words: Sequence[object] | None = None,
) -> Layer:
    """Return things at places in pixels, float64[k, c], that may touch so many pixels beside
    them. looks, words: what else is seen of each."""
    # Two words of one hash are as rare as a broken disk.
    columns = list(looks)
    if words is not None:
        columns.append(np.fromiter(map(hash, words), dtype=np.int64, count=len(places)))
    rounded = _rounded(places).astype(np.int64)
    return Layer(
        places.min(axis=1, initial=math.inf) - beside,
        places.max(axis=1, initial=-math.inf) + beside,
        np.column_stack((rounded, *columns)).astype(np.int64, copy=False),
        places.shape[1],
    )


def _ghost(viewport: Viewport, byte: float | None) -> Layer:
    """Return where the piece stands that was put in before a byte, if there is one."""
    ends = np.zeros((0, 2))
    if byte is not None:
        ends = np.array([ghost_ends(viewport, byte)])
    return _layer(ends, 2.0)


def _rounded(values: Floats) -> Floats:
    """Return numbers in whole hundredths."""
    return np.rint(values * 100)


def _bits(values: Floats) -> Ints:
    """Return numbers to a hundredth, as what is the same bit for bit: NaN equals NaN."""
    # Zero has a sign, which isn't seen.
    return (_rounded(values) + 0.0).view(np.int64)
