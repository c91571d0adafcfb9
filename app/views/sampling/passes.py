"""The engine's work behind the Sampling workspace: passes of a draw, laws, draws, a search.

These run in a worker thread and know nothing of widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Event
from time import monotonic
from typing import Any

import numpy as np

from app.analysis import Analysis
from app.views.sampling.listing import (
    Listing,
    OwnLaw,
    inclusion_law,
    list_law,
    list_method,
    own_law,
)
from app.views.sampling.methods import LANES, WITHOUT_REPLACEMENT, Settings, settings_of
from app.views.sampling.tally import Tally
from engine.dropout import BPE_DROPOUTS, MAXMATCH_DROPOUT
from engine.lattice import Lattice
from engine.model import Model
from engine.pipeline import Prepared
from engine.progress import Report
from engine.sample import SAMPLERS
from engine.samplers.gumbel import draw_sets
from engine.traces.draws import trace_ffbs, trace_v1
from engine.traces.dropout import DropTrace, trace_dropout
from engine.traces.maxmatch import MaxMatchTrace, trace_maxmatch
from engine.traces.passes import PassTrace, trace_perfect, trace_viterbi

SEARCHED = 10_000
"""Draws looked at for the next one in which the lanes part."""

CHUNK = 1_000
"""Draws handed over at once."""

CHUNK_EDGES = 4_000_000
"""Coins tossed between two looks at the running sample."""

LOOK, PATIENCE = 0.16, 0.25
"""Seconds of drawing between two looks at a running sample, and the longest wait for one."""

LONGEST_DROPPED = 2_000
"""Bytes of text up to which the coins of a dropout are traced."""

Relevant = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Wish:
    """What is to be shown: methods, settings, and a draw of a seed."""

    methods: tuple[str, ...]
    settings: Settings
    seed: int
    draw: int


@dataclass(frozen=True, eq=False)
class Passes:
    """The traces of one draw by the methods that have a lane, and the laws of all methods shown.

    dropped: the trace of the first method of dropout, None without one.
    """

    analysis: Analysis
    wish: Wish
    listing: Listing
    laws: Mapping[str, OwnLaw]
    traces: Mapping[str, PassTrace]
    dropped: DropTrace | MaxMatchTrace | None

    @property
    def main(self) -> PassTrace | DropTrace | MaxMatchTrace | None:
        """The trace that is stepped through: that of the last lane, else that of a dropout."""
        traces = tuple(self.traces.values())
        return traces[-1] if traces else self.dropped

    @property
    def lattice(self) -> Lattice:
        """The lattice that is drawn from."""
        return self.listing.lattice

    @property
    def compared(self) -> tuple[str, ...]:
        """The methods whose paths are held against each other; empty for nothing to compare."""
        return compared(self.wish.methods, law=self.analysis.lattice.has_law)

    @property
    def too_long(self) -> bool:
        """Whether a dropout is shown whose coins aren't traced, for the length of the text."""
        dropouts = (*BPE_DROPOUTS, MAXMATCH_DROPOUT)
        return self.dropped is None and any(kind in dropouts for kind in self.wish.methods)

    @property
    def relevant(self) -> Relevant:
        """The settings that samples of these methods depend on."""
        return relevant(self.wish.methods, self.wish.settings, self.analysis.lattice.has_law)

    def fits(self, settings: Settings) -> bool:
        """Whether samples of these methods would be drawn alike at other settings."""
        law = self.analysis.lattice.has_law
        return self.relevant == relevant(self.wish.methods, settings, law)

    @property
    def viterbi(self) -> PassTrace:
        """The trace of the Viterbi pass; `KeyError` where it isn't shown."""
        return self.traces["viterbi"]

    @property
    def perfect(self) -> PassTrace:
        """The trace of perfect sampling; `KeyError` where it isn't shown."""
        return self.traces["perfect"]


def relevant(methods: tuple[str, ...], settings: Settings, law: bool) -> Relevant:
    """Return the settings that matter: θ always where a model's law is the one held against."""
    names = settings_of(methods)
    if WITHOUT_REPLACEMENT in methods:
        names = (*names, "set_size")
    if law and "theta" not in names:
        names = ("theta", *names)
    return tuple((name, float(getattr(settings, name))) for name in names)


def trace_passes(analysis: Analysis, model: Model, before: Passes | None, wish: Wish) -> Passes:
    """Trace the passes of a draw; laws and traces are taken over where they stay the same."""
    if before is not None and before.analysis.lattice is not analysis.lattice:
        before = None
    law, settings = analysis.lattice.has_law, wish.settings
    target = "perfect" if law else wish.methods[0]
    same = (
        before is not None
        and before.listing.target == target
        and relevant((target,), settings, law) == relevant((target,), before.wish.settings, law)
    )
    if same and before is not None:
        listing = before.listing
    elif law:
        listing = list_law(analysis.lattice, settings.theta)
    else:
        choose = SAMPLERS[target].lattice
        lattice = analysis.lattice if choose is None else choose(analysis.lattice, settings)
        listing = list_method(lattice, target, settings)
    laws = {}
    for kind in wish.methods:
        kept = before is not None and same and kind in before.laws
        if kept and before is not None and _read(kind, before.wish) == _read(kind, wish):
            laws[kind] = before.laws[kind]
        else:
            make = inclusion_law if kind == WITHOUT_REPLACEMENT else own_law
            laws[kind] = make(listing, kind, settings)
    traces = {kind: _trace(kind, analysis.lattice, wish) for kind in wish.methods if kind in LANES}
    dropped = _trace_dropout(model, analysis.lattice.prepared, wish)
    _ = listing.labels, listing.cells  # made here, not where they are painted
    return Passes(analysis, wish, listing, laws, traces, dropped)


def _trace_dropout(
    model: Model, prepared: Prepared, wish: Wish
) -> DropTrace | MaxMatchTrace | None:
    if len(prepared.data) > LONGEST_DROPPED:
        return None
    p, seed, draw = wish.settings.dropout, wish.seed, wish.draw
    if MAXMATCH_DROPOUT in wish.methods:
        return trace_maxmatch(model, prepared, p, seed, draw)
    dropping = [kind for kind in wish.methods if kind in BPE_DROPOUTS]
    return trace_dropout(model, prepared, dropping[0], p, seed, draw) if dropping else None


def _read(kind: str, wish: Wish) -> Relevant:
    return relevant((kind,), wish.settings, False)


def _trace(kind: str, lattice: Lattice, wish: Wish) -> PassTrace:
    theta, seed, draw = wish.settings.theta, wish.seed, wish.draw
    if kind == "viterbi":
        return trace_viterbi(lattice)
    make = {"viterbi-v1": trace_v1, "perfect": trace_perfect, "ffbs": trace_ffbs}[kind]
    return make(lattice, theta, seed, draw)


def draw_into(
    tallies: Mapping[str, Tally],
    lattice: Lattice,
    settings: Settings,
    last: int,
    report: Report,
    give: Callable[[Event], object],
) -> None:
    """Draw by each method up to number last − 1 and count the draws.

    The method that has fewest goes on. A draw without replacement is a set. Every `LOOK` seconds
    an event is given away; the draws go on when it is set, which says that they have been shown:
    two threads that work at the same time would make each other wait at each step.
    """
    chunk = max(1, min(CHUNK, CHUNK_EDGES // max(lattice.n_edges, 1)))
    have = {kind: tally.added for kind, tally in tallies.items()}
    total = sum(max(0, last - n) for n in have.values())
    done, looked = 0, monotonic()
    while (kind := min(have, key=lambda kind: have[kind])) and have[kind] < last:
        size = max(1, chunk // settings.set_size) if kind == WITHOUT_REPLACEMENT else chunk
        tally, draws = tallies[kind], range(have[kind], min(have[kind] + size, last))
        if kind == WITHOUT_REPLACEMENT:
            drawn: list[Any] = list(
                draw_sets(lattice, settings.theta, tally.seed, draws, settings.set_size)
            )
        else:
            drawn = list(SAMPLERS[kind].draw(lattice, settings, tally.seed, draws))
        tally.add(drawn, partial(report, done, total))
        have[kind] = draws.stop
        done += len(draws)
        if monotonic() - looked >= LOOK:
            shown = Event()
            give(shown)
            shown.wait(PATIENCE)
            looked = monotonic()


def compared(methods: tuple[str, ...], *, law: bool) -> tuple[str, ...]:
    """Return the methods whose paths are held against each other, draw by draw.

    A single method is held against the best path, where the model has a law. Sets aren't compared.
    Empty where there is nothing to compare.
    """
    own = tuple(kind for kind in methods if kind != WITHOUT_REPLACEMENT)
    if len(own) == 1 and law and own != ("viterbi",):
        return ("viterbi", *own)
    return own if len(own) > 1 else ()


def find_parting(
    lattice: Lattice,
    kinds: tuple[str, ...],
    settings: Settings,
    seed: int,
    first: int,
    report: Report,
) -> int | None:
    """Return the first draw from `first` on in which the methods don't give one path.

    kinds: at least two, see `compared`. None after many draws.
    """
    chunk = max(1, min(250, CHUNK_EDGES // max(lattice.n_edges, 1)))
    for start in range(first, first + SEARCHED, chunk):
        report(start - first, SEARCHED)
        draws = range(start, start + chunk)
        drawn = [SAMPLERS[kind].draw(lattice, settings, seed, draws) for kind in kinds]
        for draw, edges in zip(draws, zip(*drawn, strict=True), strict=True):
            if any(not np.array_equal(edges[0], other) for other in edges[1:]):
                return draw
    return None
