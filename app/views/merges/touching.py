"""Which steps of a trace of merges, or of WordPiece's tries, touch some bytes of the text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.traces.longest import LongestTrace
from engine.traces.merges import MergeTrace


def touching(trace: MergeTrace | LongestTrace | None, first: int, end: int) -> NDArray[np.int64]:
    """Return the positions after the steps that act on any of the bytes first … end: int64[t].

    A step of merging joins its bytes; one of WordPiece looks them up.
    """
    if trace is None:
        return np.zeros(0, dtype=np.int64)
    prepared = trace.prepared
    steps = trace.steps if isinstance(trace, MergeTrace) else trace
    nodes = np.flatnonzero((prepared.source_end > first) & (prepared.source_start < end))
    if not len(nodes):
        return np.zeros(0, dtype=np.int64)
    found = np.flatnonzero((steps.end > nodes[0]) & (steps.start <= nodes[-1])) + 1
    return found.astype(np.int64)
