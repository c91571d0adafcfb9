"""What a strip of a picture shows, as numbers and texts: what is equal looks the same.

While a person types, most of the picture stays as it was, and only what differs is painted anew.
Places are rounded to a hundredth of a pixel and of probabilities that goes in which is seen or
read of them, for the law of the whole text changes a little everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.draw.arc_labels import LEAST, SURE, UNLIKELY
from app.draw.arcs import Arcs, Nodes
from app.draw.axis import Axis
from app.draw.bricks import BrickTable
from app.draw.glyphs import text_size, units_in_view
from app.draw.lattice import TICKS
from app.draw.tokens import TWO_TONES, Bands, ghost_ends
from app.draw.viewport import MARGIN, Viewport
from engine.place import Placement

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Span = tuple[float, float]

EVERYWHERE: Span = (-math.inf, math.inf)
NOWHERE: Span = (math.inf, -math.inf)

_READ = (math.ulp(0.0), LEAST, UNLIKELY, SURE)
"""Probabilities from which on `probability_text` or the labels do something else."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Things of one sort, sorted along the text.

    left, right: float64[k], the pixels that each may touch. looks: arrays of length k, one or two
    dimensions, what else is seen. order: int64[k], where things are painted over each other:
    indices, the lowest first.
    """

    left: Floats
    right: Floats
    looks: tuple[NDArray[Any], ...]
    order: Ints | None = None

    def differs(self, before: Layer) -> Span:
        """Return the pixels between which this layer looks unlike another one."""
        if not len(self.left) and not len(before.left):
            return NOWHERE
        head, tail = _alike(before.looks, self.looks)
        if self.order is not None and before.order is not None:
            kept = _kept_order(self.order, head, tail)
            if not np.array_equal(kept, _kept_order(before.order, head, tail)):
                return EVERYWHERE
        changed = [
            (layer.left[head : len(layer.left) - tail], layer.right[head : len(layer.left) - tail])
            for layer in (before, self)
        ]
        return (
            min(float(left.min(initial=math.inf)) for left, _ in changed),
            max(float(right.max(initial=-math.inf)) for _, right in changed),
        )


@dataclass(frozen=True, eq=False)
class Content:
    """What a strip shows. whole: what isn't at one place. layers: what is, always in one order."""

    whole: tuple[object, ...]
    layers: tuple[Layer, ...]

    def differs(self, before: Content) -> Span:
        """Return the pixels between which it looks unlike `before`: `NOWHERE` where it doesn't."""
        if self.whole != before.whole or len(self.layers) != len(before.layers):
            return EVERYWHERE
        pairs = zip(self.layers, before.layers, strict=True)
        spans = [layer.differs(old) for layer, old in pairs]
        return min(left for left, _ in spans), max(right for _, right in spans)

    def __add__(self, other: Content) -> Content:
        return Content((*self.whole, *other.whole), self.layers + other.layers)


def _alike(one: Sequence[NDArray[Any]], other: Sequence[NDArray[Any]]) -> tuple[int, int]:
    """Return how many rows are the same at the start and, of the others, at the end."""
    short = min(len(one[0]), len(other[0]))
    head = _leading([(a[:short], b[:short]) for a, b in zip(one, other, strict=True)])
    rest = short - head
    if not rest:
        return head, 0
    pairs = zip(one, other, strict=True)
    return head, _leading([(a[::-1][:rest], b[::-1][:rest]) for a, b in pairs])


def _leading(pairs: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> int:
    """Return how many rows are the same at the start of arrays of one length."""
    count = len(pairs[0][0])
    for one, other in pairs:
        unlike = one[:count] != other[:count]
        if unlike.ndim > 1:
            unlike = unlike.any(axis=1)
        if unlike.any():
            count = int(unlike.argmax())
    return count


def _kept_order(order: Ints, head: int, tail: int) -> Ints:
    """Return in which order the first `head` and the last `tail` things are painted."""
    end = len(order) - tail
    kept = order[(order < head) | (order >= end)]
    # The last ones are counted from the end.
    return np.where(kept < head, kept, kept - len(order))


def axis_content(viewport: Viewport) -> Content:
    """Return what `draw_text` shows of the text: labels, runs and bytes with their places."""
    axis = viewport.axis
    assert axis is not None
    return _axis_content(axis, viewport.zoom, viewport.scroll, viewport.width)


@lru_cache(maxsize=8)  # two views ask for that of each strip
def _axis_content(axis: Axis, zoom: float, scroll: float, width: float) -> Content:
    viewport = Viewport.of(axis, zoom, scroll, width)
    first, last = viewport.visible
    shown = units_in_view(viewport)
    size = text_size(axis, viewport.zoom)
    labels = np.array([axis.labels[unit] for unit in shown.tolist()], dtype=object)
    places = viewport.to_screen(np.stack((axis.left[shown], axis.right[shown]), axis=1))
    # Text may be wider than its cell, and ticks stand at both ends.
    beside = 0.5 * axis.advance[shown] + 4
    looks: tuple[NDArray[Any], ...] = (labels, _rounded(places))
    if axis.unit == "byte":
        data, bounds = axis.text.data, axis.bounds.tolist()
        digits = [data[bounds[unit] : bounds[unit + 1]].tobytes() for unit in shown.tolist()]
        looks = (*looks, np.array(digits, dtype=object))
    runs = [run for run in axis.runs if run.right >= first and run.left <= last]
    words = np.array(["\0".join(run.graphemes) for run in runs], dtype=object)
    ends = np.array([(run.left, run.right) for run in runs], dtype=np.float64).reshape(-1, 2)
    ends = viewport.to_screen(ends)
    return Content(
        (axis.unit, size, axis.width * viewport.zoom / max(axis.n_units, 1) < TICKS),
        (
            Layer(places[:, 0] - beside, places[:, 1] + beside, looks),
            # A letter may reach out of its line.
            Layer(ends[:, 0] - MARGIN, ends[:, 1] + MARGIN, (words, _rounded(ends))),
        ),
    )


def lattice_content(arcs: Arcs, nodes: Nodes, shapes: Placement, viewport: Viewport) -> Content:
    """Return what `draw_picture` and `place_labels` show, nothing being lit or marked."""
    lattice, edges = arcs.lattice, shapes.edge
    axis = viewport.axis
    assert axis is not None
    x0, x1, p, apart = shapes.x0, shapes.x1, shapes.marginal, arcs.marks.apart
    numbers = (x0, x1, shapes.height, shapes.line, 10 * shapes.opacity, 10 * p)
    piece, kind, labels = arcs.texts(edges)
    whole_numbers = (
        piece, kind, edges, (8 * shapes.opacity).astype(np.int64),
        np.searchsorted(_READ, p, side="right"),
        shapes.role, shapes.path, shapes.fragment, lattice.rank[edges],
        arcs.mark_of[edges], arcs.ghost[arcs.row_of[edges]],
        np.zeros(len(edges), dtype=np.int64) if apart is None else apart[edges],
    )  # fmt: skip
    beside = shapes.line / 2 + 2
    looks = (_rounded(np.stack(numbers, axis=1)), np.stack(whole_numbers, axis=1), labels)
    curves = Layer(
        np.minimum(x0, x1) - beside, np.maximum(x0, x1) + beside, looks, shapes.paint_order
    )
    left, right = viewport.ends
    xs, before = nodes.on_screen(viewport)
    near = ((xs >= left) & (xs <= right)).nonzero()[0]
    xs, before = xs[near], before[near]
    dots = Layer(
        np.minimum(xs, before) - 6,
        np.maximum(xs, before) + 6,
        (
            _rounded(np.stack((xs, before, nodes.probability[near]), axis=1)),
            np.stack((nodes.on_path[near], nodes.inside[near]), axis=1),
        ),
    )
    middle = viewport.to_screen((axis.left[arcs.cut_unit] + axis.right[arcs.cut_unit]) / 2)
    cut = ((middle >= left) & (middle <= right)).nonzero()[0]
    middle, count = middle[cut], arcs.cut_count[cut]
    counts = Layer(middle - MARGIN, middle + MARGIN, (_rounded(middle), count))
    byte = float(lattice.prepared.node_sources()[0]) if arcs.ghost.any() else None
    layers = (curves, dots, counts, _ghost(viewport, byte))
    own = Content((arcs.has_law, arcs.bumps), layers)
    return axis_content(viewport) + own


def bands_content(bands: Bands, viewport: Viewport, ghost: str, *, by_identity: bool) -> Content:
    """Return what `draw_bands` shows of one row. ghost: the text of what stands before it."""
    first, last = viewport.visible
    slack = MARGIN / viewport.zoom
    seen = ((bands.rect_right >= first - slack) & (bands.rect_left <= last + slack)).nonzero()[0]
    group = bands.rect_group[seen]
    colors = bands.looks if by_identity else (np.arange(bands.n_groups) % 4,)
    columns = (*colors, np.diff(bands.token), bands.fragment, bands.special, bands.unknown)
    ends = viewport.to_screen(np.stack((bands.rect_left[seen], bands.rect_right[seen]), axis=1))
    looks = (_rounded(ends), np.stack([column[group] for column in columns], axis=1))
    return Content(
        (bands.usual_width * viewport.zoom < TWO_TONES, ghost),
        (
            # A count may stand beside a narrow band.
            Layer(ends[:, 0] - MARGIN / 2, ends[:, 1] + MARGIN / 2, looks),
            _ghost(viewport, float(bands.start[0]) if bands.ghost else None),
        ),
    )


def bricks_content(table: BrickTable, labels: Arcs, viewport: Viewport) -> Content:
    """Return what rows of bricks show. labels: gives the texts of edges."""
    first, last = viewport.visible
    seen = ((table.right >= first) & (table.left <= last)).nonzero()[0]
    axis = viewport.axis
    wide = axis.width * viewport.zoom if axis is not None else 0.0
    ends = viewport.to_screen(np.stack((table.left[seen], table.right[seen]), axis=1))
    piece, kind, texts = labels.texts(table.edge[seen])
    numbers = np.stack((piece, kind, table.row[seen]), axis=1)
    looks = (_rounded(ends), numbers, table.looks[seen], texts)
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
            Layer(ends[:, 0] - 2, ends[:, 1] + 2, looks),
            Layer(places[:, 0] - 2, places[:, 1] + 2, (_rounded(places), own)),
        ),
    )


def _ghost(viewport: Viewport, byte: float | None) -> Layer:
    """Return where the piece stands that was put in before a byte, if there is one."""
    ends = np.zeros((0, 2))
    if byte is not None:
        ends = np.array([ghost_ends(viewport, byte)])
    return Layer(ends[:, 0] - 2, ends[:, 1] + 2, (_rounded(ends),))


def _rounded(values: Floats) -> Ints:
    """Return numbers to a hundredth, as what is the same bit for bit: NaN equals NaN."""
    # Zero has a sign, which isn't seen.
    return (np.rint(values * 100) + 0.0).view(np.int64)
