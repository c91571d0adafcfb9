"""Which edge of the lattice the arrow keys go to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.draw.arcs import Arcs
from engine.lattice import Lattice


def along(lattice: Lattice, edges: NDArray[np.int32], now: int | None, step: int) -> int:
    """Return the next edge of a path, which isn't empty; from its ends where none is selected."""
    if now is None:
        return int(edges[0] if step > 0 else edges[-1])
    where = np.flatnonzero(edges == now)
    if len(where):
        place = int(where[0]) + step
    else:
        # Beside the path: go on with the path's edge at this node.
        node = lattice.start[now]
        place = int(np.searchsorted(lattice.start[edges], node, side="right")) - 1
        place += step if step < 0 else 1
    return int(edges[min(max(place, 0), len(edges) - 1)])


def among(arcs: Arcs, now: int, step: int) -> int:
    """Return the next likely edge that starts where another one does."""
    placed, begins = arcs.placement, arcs.lattice.start
    start = begins[placed.edge]
    order = placed.edge[[k for k in placed.priority if start[k] == begins[now]]]
    where = np.flatnonzero(order == now)
    place = int(where[0]) + step if len(where) else 0
    return int(order[min(max(place, 0), len(order) - 1)])
