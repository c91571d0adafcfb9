"""A lattice with spans pinned or forbidden: what would be, if a token had to stand here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.lattice import Lattice
from engine.search import count_paths
from engine.segmenter import Edges

Span = tuple[int, int]


def constrain(
    lattice: Lattice, pinned: Iterable[Span] = (), forbidden: Iterable[Span] = ()
) -> tuple[Lattice, NDArray[np.int64]]:
    """Return the lattice of the segmentations that obey, and its edges' indices in `lattice`.

    Spans are bytes of the text as given. A pinned one is a token in every segmentation: edges
    that overlap it without covering just it are left out. A forbidden one is a token in none.
    The law of the result is the law given that the spans are obeyed; `taken` is empty unless
    the model's own path obeys. Raises `ParameterError` where no edge covers
    just a pinned span (as in white space that the model skips), or no segmentation is left, and
    `CoverageError` where there was none before.
    """
    if lattice.uncovered is not None:
        raise lattice.uncovered
    spans = source_spans(lattice)
    start, end = spans[:, 0], spans[:, 1]
    keep = np.ones(lattice.n_edges, dtype=np.bool_)
    for first, last in pinned:
        if not ((start == first) & (end == last)).any():
            raise ParameterError(
                f"no piece covers the pinned span, bytes {first} to {last}",
                "",
                "pin a span that is an edge of the lattice",
            )
        keep &= (start >= last) | (end <= first) | ((start == first) & (end == last))
    for first, last in forbidden:
        keep &= (start != first) | (end != last)
    kept = np.flatnonzero(keep)
    new = np.full(lattice.n_edges, -1, dtype=np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    taken = new[lattice.taken]
    if (taken < 0).any():
        taken = taken[:0]
    edges = lattice.edges
    fewer = Edges(
        edges.start[kept],
        edges.end[kept],
        edges.piece[kept],
        edges.score[kept],
        edges.rank[kept],
        edges.kind[kept],
    )
    result = replace(lattice, edges=fewer, taken=taken)
    if count_paths(result) == 0:
        raise ParameterError(
            "no segmentation obeys the pinned and forbidden spans", "", "leave one of them out"
        )
    return result, kept


def source_spans(lattice: Lattice) -> NDArray[np.int32]:
    """Return the byte span in the text as given of every edge, int32[e, 2]."""
    return np.stack(lattice.prepared.spans(lattice.start, lattice.end), axis=1)
