"""Which steps of a trace of merges touch some bytes of the text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.views.merges.follow import Followed


def touching(followed: Followed | None, first: int, end: int) -> NDArray[np.int64]:
    """Return the positions after the steps that join any of the bytes first … end: int64[t]."""
    if followed is None:
        return np.zeros(0, dtype=np.int64)
    prepared, steps = followed.trace.prepared, followed.trace.steps
    nodes = np.flatnonzero((prepared.source_end > first) & (prepared.source_start < end))
    if not len(nodes):
        return np.zeros(0, dtype=np.int64)
    found = np.flatnonzero((steps.end > nodes[0]) & (steps.start <= nodes[-1])) + 1
    return found.astype(np.int64)
