"""Which steps of a pass over a lattice touch some bytes of the text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.draw.arcs import edge_spans
from engine.traces.passes import PassTrace


def touching(traces: Sequence[PassTrace], first: int, end: int) -> NDArray[np.int64]:
    """Return the positions after the steps whose edge covers a byte of first … end: int64[t].

    Forward steps and back steps alike, of the last trace.
    """
    if not traces:
        return np.zeros(0, dtype=np.int64)
    trace = traces[-1]
    start, stop = edge_spans(trace.lattice)
    edges = np.concatenate((trace.edge, trace.back))
    found = np.flatnonzero((stop[edges] > first) & (start[edges] < end)) + 1
    return found.astype(np.int64)
