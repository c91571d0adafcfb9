"""The labels of the lattice that stay from one picture to the next: at each key most do."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from app.draw.arc_labels import PIECE, Label
from app.draw.arcs import Arcs
from app.draw.contents import Change
from app.draw.viewport import Viewport

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEAR = 200.0
"""Pixels beside a part from which on no label reaches into it."""


class KeptLabels:
    """Labels at places on the zoomed axis: x + scroll of the viewport that they were placed in."""

    def __init__(self) -> None:
        self._labels: list[Label] = []
        self._arcs: Arcs | None = None
        """Those to whose lattice the edges of the labels belong."""

    def seen(self, viewport: Viewport) -> list[Label]:
        """Return the labels in view."""
        left, right = (end + viewport.scroll for end in viewport.ends)
        return [label for label in self._labels if label.right >= left and label.left <= right]

    def beside(self, viewport: Viewport) -> list[Label]:
        """Return the labels that may reach into a view, in its pixels."""
        left, right = (end + viewport.scroll for end in viewport.ends)
        return [
            label.moved(-viewport.scroll)
            for label in self._labels
            if label.right >= left - NEAR and label.left <= right + NEAR
        ]

    def drop(self, viewport: Viewport, left: float, right: float) -> None:
        """Forget the labels of arcs whose middle is between two pixels of a view."""
        first, last = left + viewport.scroll, right + viewport.scroll
        gone = {
            label.edge
            for label in self._labels
            if label.font == PIECE and first <= label.middle < last
        }
        self._labels = [
            label
            for label in self._labels
            if (label.edge not in gone if label.edge >= 0 else not first <= label.middle < last)
        ]

    def keep(self, arcs: Arcs, change: Change | None, zoom: float) -> None:
        """Keep the labels of what didn't change, some a step further.

        change: of the picture from the arcs before to `arcs`; None where all did. Edges are
        counted anew in each lattice, and a label learns which is its own now.
        """
        before, self._arcs = self._arcs, arcs
        if change is None or before is None:
            self._labels = []
            return
        pieces = [label for label in self._labels if label.font == PIECE]
        edges = np.array([label.edge for label in pieces], dtype=np.int64)
        middle = np.array([label.middle for label in pieces], dtype=np.float64)
        steps = _steps(middle, change)
        stays = ~np.isnan(steps)
        edges, steps = edges[stays], steps[stays]
        now = _edges_now(edges, before, arcs, steps / zoom)
        own = {
            edge: (by, number)
            for edge, by, number in zip(edges.tolist(), steps.tolist(), now, strict=True)
            if number >= 0
        }
        kept = []
        for label in self._labels:
            if label.edge in own:
                by, edge = own[label.edge]
            elif label.edge < 0:
                by, edge = float(_steps(np.array([label.middle]), change)[0]), label.edge
                if math.isnan(by):
                    continue
            else:
                continue
            # `_replace` takes several times as long.
            left, top, right, bottom, text, font, role, _, mark = label
            kept.append(Label(left + by, top, right + by, bottom, text, font, role, edge, mark))
        self._labels = kept

    def add(self, labels: Iterable[Label], viewport: Viewport) -> None:
        """Take labels that were placed in a view."""
        self._labels += [label.moved(viewport.scroll) for label in labels]


def _steps(middle: Floats, change: Change) -> Floats:
    """Return how far what has its middle at a pixel moved; NaN where it isn't there any more."""
    cut, step = change.move
    steps = np.where(middle >= cut, step, 0.0)
    now = middle + steps
    for left, right in change.spans:
        steps[(now >= left) & (now < right)] = np.nan
    return steps


def _edges_now(edges: Ints, before: Arcs, arcs: Arcs, steps: Floats) -> list[int]:
    """Return which edges stand for arcs before that moved by steps at zoom 1; -1 for none."""
    own = dict(zip(_places(arcs, slice(None), 0.0), arcs.placement.edge.tolist(), strict=True))
    return [own.get(place, -1) for place in _places(before, before.row_of[edges], steps)]


def _places(arcs: Arcs, rows: Ints | slice, steps: Floats | float) -> list[tuple[int, ...]]:
    """Return the ends of arcs in hundredths at zoom 1, some steps further, and their pieces."""
    placed, lattice = arcs.placement, arcs.lattice
    edges = placed.edge[rows]
    columns = (
        np.rint(100 * (placed.x0[rows] + steps)),
        np.rint(100 * (placed.x1[rows] + steps)),
        lattice.piece[edges],
        lattice.kind[edges],
    )
    return list(zip(*(column.astype(np.int64).tolist() for column in columns), strict=True))
