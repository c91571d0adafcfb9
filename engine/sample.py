"""Drawing segmentations at random.

A method is an `engine.sampler.Sampler`: how it draws, and its exact law. `SAMPLERS` names them; a
new one is two functions of the same shape and a line there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.dropout import BPE_DROPOUTS, MAXMATCH_DROPOUT
from engine.errors import ParameterError
from engine.goodness import ChiSquare, chi_square, total_variation
from engine.lattice import Path
from engine.passes import path_score
from engine.progress import Report, silent
from engine.rng import Seed, seed_number
from engine.sampler import Ints, PathLaw, Sampler, SamplingSettings
from engine.samplers import best, gibbs, gumbel, lines, pairwise
from engine.samplers import dropout as dropout_family

if TYPE_CHECKING:
    from engine.lattice import Lattice

MOST_DRAWS = 10_000_000
"""Draws are kept, each with its path; more than this fill the memory."""

CHUNK = 1_000
"""Draws made between two reports: each chunk passes over the whole lattice anew."""


@dataclass(frozen=True, eq=False)
class Draws:
    """A sample of segmentations.

    paths: the distinct ones in the order in which they were first drawn, each with its exact
        probability under the method's law. counts: int64[len(paths)].
    order: int32[n], the index in `paths` of every draw.
    """

    lattice: Lattice
    method: str
    settings: SamplingSettings
    seed: int
    law: PathLaw
    paths: tuple[Path, ...]
    counts: NDArray[np.int64]
    order: NDArray[np.int32]

    @property
    def theta(self) -> float:
        """The inverse temperature."""
        return self.settings.theta

    @property
    def distinct(self) -> bool:
        """Whether paths were drawn without replacement: one set, not many draws of a law."""
        return SAMPLERS[self.method].distinct

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def exact(self) -> tuple[Path, ...] | None:
        """The law's paths, most probable first; None where they are too many."""
        return self.law.paths

    @cached_property
    def places(self) -> NDArray[np.int64] | None:
        """Where each of `paths` stands in `exact`, int64[len(paths)]; None without it."""
        if self.exact is None:
            return None
        index = {path.edges.tobytes(): i for i, path in enumerate(self.exact)}
        return np.array([index[path.edges.tobytes()] for path in self.paths], dtype=np.int64)

    @cached_property
    def exact_counts(self) -> NDArray[np.int64] | None:
        """How often each path of `exact` was drawn, int64[len(exact)]; None without it."""
        return self.counts_after(len(self))

    def counts_after(self, n: int) -> NDArray[np.int64] | None:
        """Return how often each path of `exact` came up in the first n draws; None without it."""
        if self.exact is None or self.places is None:
            return None
        return np.bincount(self.places[self.order[:n]], minlength=len(self.exact))

    def distance_after(self, n: int) -> float | None:
        """Return the total variation distance of the first n draws; None without `exact`.

        None for distinct draws too: they can't follow the law that the first of them follows.
        """
        counts = None if self.distinct else self.counts_after(n)
        return None if counts is None else total_variation(counts, self._probabilities)

    @property
    def tv_distance(self) -> float | None:
        """Total variation distance between the shares drawn and the exact law, 0 to 1."""
        return self.distance_after(len(self))

    @cached_property
    def chi2(self) -> ChiSquare | None:
        """Pearson's test against the exact law; None without one, or with one cell only."""
        counts = None if self.distinct else self.exact_counts
        return None if counts is None else chi_square(counts, self._probabilities)

    @cached_property
    def inclusion(self) -> list[float] | None:
        """The probability of each of `exact` to be in a set of this size, for distinct draws.

        None for other methods, and where there are too many paths.
        """
        return gumbel.inclusions(self.exact, len(self)) if self.distinct else None

    @cached_property
    def _probabilities(self) -> NDArray[np.float64]:
        return np.array([path.probability for path in self.exact or ()])


def sample(
    lattice: Lattice,
    method: str = "perfect",
    theta: float = 1.0,
    count: int = 1,
    seed: Seed = 0,
    *,
    dropout: float = SamplingSettings.dropout,
    nbest_size: int = SamplingSettings.nbest_size,
    report: Report = silent,
) -> Draws:
    """Draw `count` segmentations by a method of `SAMPLERS`; see `SamplingSettings`.

    One seed gives the same draws on any machine, and draw number i doesn't depend on how many are
    asked for. `without-replacement` gives no path twice: all of them where there are fewer.
    Reports draws.

    Raises `ParameterError` for an unknown method, a count outside of 1 … `MOST_DRAWS`, a bad
    setting, whether the method reads it or not, or a model that the method can't draw from, and
    `CoverageError` for a text that no path covers.
    """
    sampler = sampler_of(method)
    if not 1 <= count <= MOST_DRAWS:
        raise ParameterError(
            f"{count} draws are asked for", "count", f"give a number from 1 to {MOST_DRAWS:,}"
        )
    settings = SamplingSettings(theta, dropout, nbest_size)
    settings.check()
    seed = seed_number(seed)
    if sampler.lattice is not None:
        lattice = sampler.lattice(lattice, settings)
    law = sampler.law(lattice, settings)
    # A set of distinct draws is one sample.
    chunk = count if sampler.distinct else CHUNK
    index: dict[bytes, int] = {}
    order = np.empty(count, dtype=np.int32)
    distinct: list[Ints] = []
    n = 0
    for first in range(0, count, chunk):
        report(first, count)
        draws = range(first, min(first + chunk, count))
        for edges in sampler.draw(lattice, settings, seed, draws):
            order[n] = index.setdefault(edges.tobytes(), len(distinct))
            if order[n] == len(distinct):
                distinct.append(edges)
            n += 1
    order = order[:n].copy()
    paths = tuple(
        Path(lattice, edges, path_score(lattice, edges), law.probability(edges))
        for edges in distinct
    )
    counts = np.bincount(order, minlength=len(paths)).astype(np.int64)
    return Draws(lattice, method, settings, seed, law, paths, counts, order)


def sampler_of(method: str) -> Sampler:
    """Return the sampler of that name; raise `ParameterError` where there is none."""
    if method not in SAMPLERS:
        known = ", ".join(SAMPLERS)
        raise ParameterError(f"there is no sampling method {method!r}", "method", f"use {known}")
    return SAMPLERS[method]


SAMPLERS: dict[str, Sampler] = {
    "viterbi": Sampler(best.draw_viterbi, best.viterbi_law, lines=lines.viterbi_lines),
    "viterbi-v1": Sampler(partial(pairwise.draw, "v1"), partial(pairwise.law, "v1")),
    "viterbi-v1.5": Sampler(partial(pairwise.draw, "v1.5"), partial(pairwise.law, "v1.5")),
    "perfect": Sampler(gibbs.draw_perfect, gibbs.gibbs_law, lines=lines.perfect_lines),
    "ffbs": Sampler(gibbs.draw_ffbs, gibbs.gibbs_law, lines=lines.ffbs_lines),
    "nbest": Sampler(
        best.draw_nbest, best.nbest_law, ("theta", "nbest_size"), lines=lines.nbest_lines
    ),
    "uniform": Sampler(gibbs.draw_uniform, gibbs.uniform_law, (), lines=lines.uniform_lines),
    "without-replacement": Sampler(
        gumbel.draw, gibbs.gibbs_law, lines=lines.ffbs_lines, distinct=True
    ),
    **{
        name: Sampler(
            partial(dropout_family.draw_bpe, rule),
            partial(dropout_family.bpe_law, rule),
            ("dropout",),
            partial(dropout_family.bpe_lines, rule),
        )
        for name, rule in BPE_DROPOUTS.items()
    },
    MAXMATCH_DROPOUT: Sampler(
        dropout_family.draw_maxmatch,
        dropout_family.maxmatch_law,
        ("dropout",),
        dropout_family.maxmatch_lines,
        lattice=dropout_family.choosing,
    ),
}
