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

from app.draw.arc_labels import LEAST, SURE, UNLIKELY
from app.draw.arcs import Arcs, Nodes
from app.draw.bricks import BrickTable
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
    apart, p = arcs.marks.apart, shapes.marginal
    return _join(
        axis_content(viewport),
        bytes((arcs.has_law, arcs.bumps)),
        arcs.texts(edges),
        *(_numbers(a) for a in (shapes.x0, shapes.x1, shapes.height, shapes.line)),
        _numbers(shapes.opacity * 10),
        (shapes.opacity * 8).astype(np.int64).tobytes(),
        # As `probability_text` has them: three decimals, less than that, as good as 1.
        _numbers(p * 10),
        *(a.tobytes() for a in (p == 0, p < LEAST, p >= UNLIKELY, p >= SURE)),
        edges.tobytes(),
        shapes.priority.tobytes(),
        *(a.tobytes() for a in (shapes.role, shapes.path, shapes.fragment, lattice.rank[edges])),
        b"" if apart is None else apart[edges].tobytes(),
        arcs.mark_of[edges].tobytes(),
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


def bricks_content(table: BrickTable, labels: Arcs, viewport: Viewport) -> bytes:
    """Return what rows of bricks show. labels: gives the texts of edges."""
    first, last = viewport.visible
    seen = np.flatnonzero((table.right >= first) & (table.left <= last))
    axis = viewport.axis
    wide = axis.width * viewport.zoom if axis is not None else 0.0
    ghosts = [int(row.path.edges[0]) for row in table.rows if row.has_ghost]
    return _join(
        labels.texts(table.edge[seen]),
        labels.texts(np.array(ghosts, dtype=np.int64)),
        table.row[seen].tobytes(),
        *(_numbers(viewport.to_screen(a[seen])) for a in (table.left, table.right)),
        table.looks[seen].tobytes(),
        *(
            (wide / max(len(row.first), 1) < TWO_TONES, row.has_ghost, *row.differs[:1].tolist())
            for row in table.rows
        ),
    )


def _numbers(values: NDArray[Any]) -> bytes:
    """Return numbers to a hundredth."""
    # Zero has a sign, which isn't seen.
    return (np.rint(values * 100) + 0.0).tobytes()


def _join(*parts: bytes | Iterable[int]) -> bytes:
    """Join parts, each after its length."""
    known = [bytes(part) for part in parts]
    return b"".join(len(part).to_bytes(4, "little") + part for part in known)
