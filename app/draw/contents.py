"""What a strip of a picture shows, as bytes: equal bytes look the same.

While a person types, most of the picture stays as it was; strips whose content is the same aren't
painted anew. Places are rounded to a hundredth of a pixel and of probabilities that goes in which
is seen or read of them, for the law of the whole text changes a little everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.draw.arc_labels import UNLIKELY, edge_number
from app.draw.arcs import Arcs, Nodes
from app.draw.bricks import BrickRow
from app.draw.edge_marks import edge_marks
from app.draw.glyphs import text_size, units_in_view
from app.draw.lattice import TICKS
from app.draw.tokens import TWO_TONES, Bands
from app.draw.viewport import MARGIN, Viewport
from engine.place import Placement


def axis_content(viewport: Viewport) -> bytes:
    """Return what `draw_text` shows of the text: labels, runs and bytes with their places."""
    axis = viewport.axis
    assert axis is not None
    first, last = viewport.visible
    shown = units_in_view(viewport)
    labels = "\0".join(axis.labels[unit] for unit in shown.tolist())
    runs = "\0".join(
        "\1".join((*run.graphemes, *(f"{viewport.screen(x):.2f}" for x in (run.left, run.right))))
        for run in axis.runs
        if run.right >= first and run.left <= last
    )
    data = b""
    if axis.unit == "byte" and len(shown):
        start, end = int(axis.bounds[shown.min()]), int(axis.bounds[shown.max() + 1])
        data = axis.text.data[start:end].tobytes()
    places = (axis.left[shown], axis.right[shown])
    return _join(
        axis.unit.encode(), labels.encode(), runs.encode(), data,
        text_size(axis, viewport.zoom).to_bytes(2, "little"),
        bytes((axis.width * viewport.zoom / max(axis.n_units, 1) < TICKS,)),
        *(_numbers(viewport.to_screen(place)) for place in places),
    )  # fmt: skip


def lattice_content(arcs: Arcs, nodes: Nodes, shapes: Placement, viewport: Viewport) -> bytes:
    """Return what `draw_picture` and `place_labels` show, nothing being lit or marked."""
    lattice, edges = arcs.lattice, shapes.edge
    first, last = viewport.visible
    near = np.flatnonzero((nodes.x >= first) & (nodes.x <= last))
    axis = viewport.axis
    assert axis is not None
    middle = (axis.left[arcs.cut_unit] + axis.right[arcs.cut_unit]) / 2
    cut = (middle >= first) & (middle <= last)
    labels = "\0".join(arcs.label(edge) for edge in edges.tolist())
    apart = arcs.marks.apart
    numbers = [edge_number(arcs, shapes, k) for k in range(len(edges))]
    likely = np.nan_to_num(shapes.marginal) >= UNLIKELY
    return _join(
        axis_content(viewport),
        bytes((arcs.has_law, arcs.bumps)),
        labels.encode(),
        *(_numbers(a) for a in (shapes.x0, shapes.x1, shapes.height, shapes.line)),
        _numbers(shapes.opacity * 10),
        (shapes.opacity * 8).astype(np.int64).tobytes(),
        "\0".join(numbers).encode(),
        likely.tobytes(),
        edges.tobytes(),
        shapes.priority.tobytes(),
        *(a.tobytes() for a in (shapes.role, shapes.path, shapes.fragment, lattice.rank[edges])),
        b"" if apart is None else apart[edges].tobytes(),
        edge_marks(lattice, edges).tobytes(),
        arcs.ghost[arcs.row_of[edges]].tobytes(),
        *(_numbers(viewport.to_screen(a[near])) for a in (nodes.x, nodes.x_before)),
        _numbers(nodes.probability[near]),
        nodes.on_path[near].tobytes(),
        nodes.inside[near].tobytes(),
        _numbers(viewport.to_screen(middle[cut])),
        arcs.cut_count[cut].tobytes(),
    )


def bands_content(bands: Bands, viewport: Viewport, by_identity: bool) -> bytes:
    """Return what `draw_bands` shows of one row."""
    first, last = viewport.visible
    slack = MARGIN / viewport.zoom
    seen = np.flatnonzero((bands.rect_right >= first - slack) & (bands.rect_left <= last + slack))
    group = bands.rect_group[seen]
    looks = bands.looks if by_identity else (np.arange(bands.n_groups) % 4,)
    sizes = np.diff(bands.token)
    return _join(
        *(_numbers(viewport.to_screen(a[seen])) for a in (bands.rect_left, bands.rect_right)),
        *(look[group].tobytes() for look in looks),
        *(a[group].tobytes() for a in (sizes, bands.fragment, bands.special, bands.unknown)),
        bytes(
            (
                bands.usual_width * viewport.zoom < TWO_TONES,
                bool(bands.ghost),
                bool(bands.ghost) and bool((group == 0).any()),
            )
        ),
    )


def bricks_content(row: BrickRow, labels: Arcs, viewport: Viewport, until: float) -> bytes:
    """Return what a row of bricks shows up to a byte. labels: gives the texts of edges."""
    first, last = viewport.visible
    seen = (row.rect_right >= first) & (row.rect_left <= last)
    seen &= row.start[row.rect_brick] < until
    rects = np.flatnonzero(seen)
    bricks = row.rect_brick[rects]
    edges = row.path.edges[row.first[bricks]].tolist()
    ghost = bool(len(row.first)) and bool(row.end[0] <= row.start[0])
    axis = viewport.axis
    mean = axis.width * viewport.zoom / max(len(row.first), 1) if axis is not None else 0.0
    return _join(
        "\0".join(labels.label(int(edge)) for edge in edges).encode(),
        *(_numbers(viewport.to_screen(a[rects])) for a in (row.rect_left, row.rect_right)),
        *(a[bricks].tobytes() for a in (row.differs, row.fragments, row.mark)),
        (row.last - row.first)[bricks].tobytes(),
        row.widest[rects].tobytes(),
        labels.label(int(row.path.edges[0])).encode() if ghost else b"",
        bytes((mean < TWO_TONES, ghost, ghost and bool(row.differs[0]))),
    )


def _numbers(values: NDArray[Any]) -> bytes:
    """Return numbers to a hundredth."""
    return np.round(np.nan_to_num(values, nan=-1.0) * 100).astype(np.int64).tobytes()


def _join(*parts: bytes | Iterable[int]) -> bytes:
    """Join parts, each after its length."""
    known = [bytes(part) for part in parts]
    return b"".join(len(part).to_bytes(4, "little") + part for part in known)
