"""The engine's work behind the Sampling workspace: passes of a draw, draws in chunks, a search.

These run in a worker thread and know nothing of widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.analysis import Analysis
from app.views.sampling.tally import Listing, list_law
from engine.lattice import Lattice
from engine.progress import Report
from engine.sampler import SamplingSettings
from engine.samplers.gibbs import draw_perfect
from engine.traces.passes import PassTrace, trace_perfect, trace_viterbi

SEARCHED = 10_000
"""Draws looked at for the next one that isn't the best path."""

CHUNK_EDGES = 4_000_000
"""Coins tossed between two looks at the running sample."""

Edges = NDArray[np.int32]


class Passes(NamedTuple):
    """The lanes' traces of one draw, and the law."""

    analysis: Analysis
    listing: Listing
    viterbi: PassTrace
    perfect: PassTrace


def trace_passes(analysis: Analysis, before: Passes | None, seed: int, draw: int) -> Passes:
    """Trace the passes of a draw; law and Viterbi are taken over where they stay the same."""
    lattice, theta = analysis.lattice, analysis.settings.theta
    perfect = trace_perfect(lattice, theta, seed, draw)
    if before is not None and before.analysis.lattice is lattice:
        listing = before.listing if before.listing.theta == theta else list_law(lattice, theta)
        viterbi = before.viterbi
    else:
        listing, viterbi = list_law(lattice, theta), trace_viterbi(lattice)
    _ = listing.labels, listing.cells  # made here, not where they are painted
    return Passes(analysis, listing, viterbi, perfect)


def draw_in_chunks(
    lattice: Lattice,
    theta: float,
    seed: int,
    first: int,
    last: int,
    report: Report,
    give: Callable[[list[Edges]], object],
) -> None:
    """Draw numbers first … last − 1, giving them away in chunks."""
    chunk = max(1, min(250, CHUNK_EDGES // max(lattice.n_edges, 1)))
    settings, draws = SamplingSettings(theta), range(first, last)
    for done in range(0, len(draws), chunk):
        report(done, len(draws))
        give(draw_perfect(lattice, settings, seed, draws[done : done + chunk]))


def find_other(
    lattice: Lattice, theta: float, seed: int, best: Edges, first: int, report: Report
) -> int | None:
    """Return the first draw from `first` on that isn't `best`; None after many."""
    chunk = max(1, min(250, CHUNK_EDGES // max(lattice.n_edges, 1)))
    settings = SamplingSettings(theta)
    for start in range(first, first + SEARCHED, chunk):
        report(start - first, SEARCHED)
        draws = range(start, start + chunk)
        for draw, edges in zip(draws, draw_perfect(lattice, settings, seed, draws), strict=True):
            if not np.array_equal(edges, best):
                return draw
    return None
