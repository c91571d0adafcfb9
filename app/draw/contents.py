"""What a picture on the axis shows, as numbers and texts: what is equal looks the same.

While a person types, most of the picture stays as it was or stands some pixels further, and only
what differs is painted anew. Places are rounded to a hundredth of a pixel and of probabilities
that goes in which is seen or read of them, for the law of the whole text changes a little
everywhere.
"""

from __future__ import annotations

import math
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

MANY = 20_000
"""Things on an axis from which on they aren't compared: nobody waits for so long a text's last
pixel."""

_READ = (math.ulp(0.0), LEAST, UNLIKELY, SURE)
"""Probabilities from which on `probability_text` or the labels do something else."""


class Step(NamedTuple):
    """How far a part of a picture moved: `pixels` to the right of where it was.

    first: what comes first in the text moved, as where the text begins at the right; else what
    comes last did.
    """

    pixels: float = 0.0
    first: bool = False


STAYED = Step()


class Change(NamedTuple):
    """Between which pixels a picture isn't as before: what is left of it stayed, what is right of
    it moved by the step that was asked about."""

    left: float
    right: float

    def __bool__(self) -> bool:
        return self.left < self.right

    def and_also(self, other: Change) -> Change:
        """Return the least change that holds both."""
        return Change(min(self.left, other.left), max(self.right, other.right))


EVERYWHERE, NOWHERE = Change(-math.inf, math.inf), Change(math.inf, -math.inf)


@dataclass(frozen=True, eq=False)
class Layer:
    """Things of one sort, sorted along the text.

    left, right: float64[k], the pixels that each may touch. places: float64[k, c], where each is,
    in whole hundredths of a pixel. looks: arrays of length k, one or two dimensions, what else is
    seen. order: int64[k], where things are painted over each other: indices, the lowest first.
    """

    left: Floats
    right: Floats
    places: Floats
    looks: tuple[NDArray[Any], ...]
    order: Ints | None = None

    def change(self, before: Layer, step: Step = STAYED) -> Change:
        """Return between which pixels this layer isn't what another one was."""
        if not len(self.left) and not len(before.left):
            return NOWHERE
        moved = round(step.pixels * 100)
        head, tail = _alike(before, self, moved if step.first else 0, 0 if step.first else moved)
        if self.order is not None and before.order is not None:
            kept = _kept_order(self.order, head, tail)
            if not np.array_equal(kept, _kept_order(before.order, head, tail)):
                return EVERYWHERE
        end, old_end = len(self.left) - tail, len(before.left) - tail
        left = min(_least(self.left[head:end]), _least(before.left[head:old_end]))
        right = max(_most(self.right[head:end]), _most(before.right[head:old_end]) + step.pixels)
        if moved:
            stays, goes = slice(None, head), slice(end, None)
            if step.first:
                stays, goes = goes, stays
            # What stayed must be left of what moved, or it isn't where a moved picture shows it.
            right = max(right, _most(self.right[stays]))
            left = min(left, _least(self.left[goes]) - max(step.pixels, 0.0))
        return Change(left, right)


@dataclass(frozen=True, eq=False)
class Content:
    """What a picture shows. whole: what isn't at one place. layers: what is, always in one
    order."""

    whole: tuple[object, ...]
    layers: tuple[Layer, ...]

    def change(self, before: Content, step: Step = STAYED) -> Change:
        """Return between which pixels it isn't what `before` was: `NOWHERE` where it is."""
        if self.whole != before.whole or len(self.layers) != len(before.layers):
            return EVERYWHERE
        found = NOWHERE
        for layer, old in zip(self.layers, before.layers, strict=True):
            found = found.and_also(layer.change(old, step))
        return found

    def __add__(self, other: Content) -> Content:
        return Content((*self.whole, *other.whole), self.layers + other.layers)


def _least(values: Floats) -> float:
    return float(values.min()) if len(values) else math.inf


def _most(values: Floats) -> float:
    return float(values.max()) if len(values) else -math.inf


def _alike(one: Layer, other: Layer, first: int, last: int) -> tuple[int, int]:
    """Return how many things look the same at the start and, of the others, at the end.

    first, last: hundredths of pixels that those at the start and at the end moved.
    """
    short = min(len(one.left), len(other.left))
    columns = ((one.places, other.places), *zip(one.looks, other.looks, strict=True))
    head = short
    for number, (a, b) in enumerate(columns):
        a, b = a[:head], b[:head]
        head = _leading(a if number or not first else a + first, b)
    tail = short - head
    for number, (a, b) in enumerate(columns):
        if not tail:
            break
        a, b = a[len(a) - tail :][::-1], b[len(b) - tail :][::-1]
        tail = _leading(a if number or not last else a + last, b)
    return head, tail


def _leading(one: NDArray[Any], other: NDArray[Any]) -> int:
    """Return how many rows are the same at the start of arrays of one length."""
    unlike = one != other
    if unlike.ndim > 1:
        unlike = unlike.any(axis=1)
    first = int(unlike.argmax()) if len(unlike) else 0
    return first if len(unlike) and unlike[first] else len(unlike)


def _kept_order(order: Ints, head: int, tail: int) -> Ints:
    """Return in which order the first `head` and the last `tail` things are painted."""
    end = len(order) - tail
    kept = order[(order < head) | (order >= end)]
    # The last ones are counted from the end.
    return np.where(kept < head, kept, kept - len(order))


@lru_cache(maxsize=4)  # two views ask for that of one axis
def axis_content(axis: Axis, zoom: float) -> Content:
    """Return what `draw_text` shows of the text: labels, runs and bytes with their places."""
    viewport = whole_view(axis, zoom)
    places = viewport.to_screen(np.column_stack((axis.left, axis.right)))
    # Text may be wider than its cell, and ticks stand at both ends.
    beside = 0.5 * axis.advance + 4
    looks: tuple[NDArray[Any], ...] = (np.array(axis.labels, dtype=object),)
    if axis.unit == "byte":
        data, bounds = axis.text.data.tobytes(), axis.bounds.tolist()
        digits = [data[start:end] for start, end in pairwise(bounds)]
        looks = (*looks, np.array(digits, dtype=object))
    words = np.array(["\0".join(run.graphemes) for run in axis.runs], dtype=object)
    ends = np.array([(run.left, run.right) for run in axis.runs], dtype=np.float64).reshape(-1, 2)
    ends = viewport.to_screen(ends)
    ticks = axis.width * zoom / max(axis.n_units, 1) < TICKS
    return Content(
        (axis.unit, text_size(axis, zoom), ticks),
        (
            Layer(places[:, 0] - beside, places[:, 1] + beside, _rounded(places), looks),
            # A letter may reach out of its line.
            Layer(ends[:, 0] - MARGIN, ends[:, 1] + MARGIN, _rounded(ends), (words,)),
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
    beside = shapes.line / 2 + 2
    curves = Layer(
        np.minimum(x0, x1) - beside,
        np.maximum(x0, x1) + beside,
        _rounded(np.column_stack((x0, x1))),
        (_bits(np.column_stack(numbers)), np.column_stack(whole_numbers), labels),
        shapes.paint_order,
    )
    xs, before = nodes.on_screen(viewport)
    dots = Layer(
        np.minimum(xs, before) - 6,
        np.maximum(xs, before) + 6,
        _rounded(np.column_stack((xs, before))),
        (_bits(nodes.probability), np.column_stack((nodes.on_path, nodes.inside))),
    )
    middle = viewport.to_screen((axis.left[arcs.cut_unit] + axis.right[arcs.cut_unit]) / 2)
    counts = Layer(middle - MARGIN, middle + MARGIN, _rounded(middle[:, None]), (arcs.cut_count,))
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
    looks = (np.column_stack([column[group] for column in columns]),)
    return Content(
        (bands.usual_width * viewport.zoom < TWO_TONES, ghost),
        (
            # A count may stand beside a narrow band.
            Layer(ends[:, 0] - MARGIN / 2, ends[:, 1] + MARGIN / 2, _rounded(ends), looks),
            _ghost(viewport, float(bands.start[0]) if bands.ghost else None),
        ),
    )


def bricks_content(table: BrickTable, labels: Arcs, viewport: Viewport) -> Content:
    """Return what rows of bricks show. labels: gives the texts of edges. viewport: sees all."""
    wide = viewport.axis.width * viewport.zoom if viewport.axis is not None else 0.0
    ends = viewport.to_screen(np.column_stack((table.left, table.right)))
    piece, kind, texts = labels.texts(table.edge)
    looks = (np.column_stack((piece, kind, table.row, table.looks)), texts)
    plain = tuple(wide / max(len(row.first), 1) < TWO_TONES for row in table.rows)
    before = [
        (float(row.start[0]), number, labels.label(int(row.path.edges[0])), bool(row.differs[0]))
        for number, row in enumerate(table.rows)
        if row.has_ghost
    ]
    places = np.array([ghost_ends(viewport, byte) for byte, *_ in before]).reshape(-1, 2)
    own = np.empty(len(before), dtype=object)
    own[:] = [tuple(more) for _, *more in before]
    return Content(
        plain,
        (
            Layer(ends[:, 0] - 2, ends[:, 1] + 2, _rounded(ends), looks),
            Layer(places[:, 0] - 2, places[:, 1] + 2, _rounded(places), (own,)),
        ),
    )


def _ghost(viewport: Viewport, byte: float | None) -> Layer:
    """Return where the piece stands that was put in before a byte, if there is one."""
    ends = np.zeros((0, 2))
    if byte is not None:
        ends = np.array([ghost_ends(viewport, byte)])
    return Layer(ends[:, 0] - 2, ends[:, 1] + 2, _rounded(ends), ())


def _rounded(values: Floats) -> Floats:
    """Return numbers in whole hundredths."""
    return np.rint(values * 100)


def _bits(values: Floats) -> Ints:
    """Return numbers to a hundredth, as what is the same bit for bit: NaN equals NaN."""
    # Zero has a sign, which isn't seen.
    return (_rounded(values) + 0.0).view(np.int64)
