"""Which steps of a pass over a lattice, or of a dropout, touch some bytes of the text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.draw.arcs import edge_spans
from engine.traces.dropout import DropTrace
from engine.traces.maxmatch import MaxMatchTrace
from engine.traces.passes import PassTrace


def touching(
    trace: PassTrace | DropTrace | MaxMatchTrace | None, first: int, end: int
) -> NDArray[np.int64]:
    """Return the positions after the steps that touch a byte of first … end: int64[t].

    A step of a pass, forward or back, touches what its edge covers; one of a dropout what its pair
    or piece does.
    """
    if trace is None:
        return np.zeros(0, dtype=np.int64)
    if isinstance(trace, PassTrace):
        starts, stops = edge_spans(trace.lattice)
        edges = np.concatenate((trace.edge, trace.back))
        touched = (stops[edges] > first) & (starts[edges] < end)
    else:
        steps = trace.steps if isinstance(trace, DropTrace) else trace
        start, stop = trace.prepared.spans(steps.start, steps.end)
        touched = (stop > first) & (start < end)
    return (np.flatnonzero(touched) + 1).astype(np.int64)
