"""The labels of the lattice that stay from one picture to the next: at each key most do."""

from __future__ import annotations

from collections.abc import Iterable

from app.draw.arc_labels import PIECE, Label
from app.draw.arcs import Arcs
from app.draw.contents import EVERYWHERE, Change, Step
from app.draw.viewport import GUTTER, Viewport

NEAR = 200.0
"""Pixels beside a part from which on no label reaches into it."""

SAME = 0.01
"""Pixels by which two places may differ that are one."""


class KeptLabels:
    """Labels at places on the zoomed axis: x + scroll of the viewport that they were placed in."""

    def __init__(self) -> None:
        self._labels: list[Label] = []
        self._arcs: Arcs | None = None

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

    def keep(self, arcs: Arcs, change: Change, step: Step, zoom: float) -> None:
        """Keep the labels of what didn't change, some a step further.

        change, step: of the picture from the arcs before to `arcs`, in pixels from the gutter.
        Edges are counted anew in each lattice, and a label learns which is its own now.
        """
        before, self._arcs = self._arcs, arcs
        if change == EVERYWHERE or before is None:
            self._labels = []
            return

        def step_of(label: Label) -> float | None:
            place = label.middle - GUTTER
            if place < change.left:
                return 0.0
            return step.pixels if place + step.pixels >= change.right else None

        own: dict[int, tuple[float, int]] = {}
        for label in self._labels:
            if label.font == PIECE:
                by = step_of(label)
                edge = None if by is None else _edge_now(label.edge, before, arcs, by / zoom)
                if by is not None and edge is not None:
                    own[label.edge] = by, edge
        kept = []
        for label in self._labels:
            if label.edge < 0:
                by, edge = step_of(label), label.edge
            else:
                by, edge = own.get(label.edge, (None, -1))
            if by is not None:
                kept.append(label.moved(by)._replace(edge=edge))
        self._labels = kept

    def add(self, labels: Iterable[Label], viewport: Viewport) -> None:
        """Take labels that were placed in a view."""
        self._labels += [label.moved(viewport.scroll) for label in labels]


def _edge_now(edge: int, before: Arcs, arcs: Arcs, step: float) -> int | None:
    """Return which edge stands for one of the arcs before that moved a step at zoom 1."""
    row = int(before.row_of[edge])
    old, new = before.placement, arcs.placement
    # Arcs have an order, so one has as many before it as it had, or as many behind it.
    for now in (row, row + len(arcs) - len(before)):
        if 0 <= now < len(arcs) and (
            abs(float(new.x0[now] - old.x0[row]) - step) < SAME
            and abs(float(new.x1[now] - old.x1[row]) - step) < SAME
        ):
            return int(new.edge[now])
    return None
