"""The law that samples are held against, as far as it is listed, and the laws of the methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from app.draw.lane import path_text
from app.views.sampling.methods import Settings
from engine.lattice import Lattice, Path
from engine.law_figures import kl_divergence, law_distance
from engine.sample import SAMPLERS
from engine.sampler import EXACT_LIMIT, SamplingSettings
from engine.samplers.gibbs import exact_law
from engine.samplers.gumbel import inclusions

LISTED = 20
"""Outcomes with a row of their own; the others share one."""

LONGEST, SHOWN = 24, 10
"""Characters of a label up to which it is the whole path, and pieces shown of a longer one."""

UNLIKELY = 1e-5
"""Probability under which a segmentation shares the row of the others."""

PROBED, PROBE_SEED = 300, 0
"""Draws, and their seed, that choose the rows where a law is too large to be listed."""


@dataclass(frozen=True, eq=False)
class Listing:
    """The law that samples are held against, as far as it is listed.

    target: the method whose law it is. paths: the most probable segmentations, at most `LISTED`,
    and none rarer than `UNLIKELY` where the law is known whole. exact: all of them, None where
    they are too many; probabilities may be NaN then. count: how many there are.
    """

    lattice: Lattice
    settings: SamplingSettings
    paths: tuple[Path, ...]
    exact: tuple[Path, ...] | None
    count: int
    target: str = "perfect"

    @property
    def theta(self) -> float:
        """The inverse temperature."""
        return self.settings.theta

    @property
    def rest(self) -> float:
        """The probability of all that aren't listed."""
        return _left(sum(path.probability for path in self.paths))

    @property
    def complete(self) -> bool:
        """Whether every segmentation is listed."""
        return self.exact is not None and self.count <= len(self.paths)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The text of each listed path; of a long one what differs from the first."""
        edges = [path.edges.tolist() for path in self.paths]
        return tuple(outcome_label(self.lattice, path, edges[0]) for path in edges)

    @property
    def cell_paths(self) -> tuple[Path, ...]:
        """The paths that have a cell of their own in tests and distances."""
        return self.exact if self.exact is not None else self.paths

    @cached_property
    def cells(self) -> dict[bytes, int]:
        """The cell of each path that has one of its own, by the bytes of its edges."""
        return {path.edges.tobytes(): i for i, path in enumerate(self.cell_paths)}

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each cell; the last is that of all other paths."""
        own = [path.probability for path in self.cell_paths]
        return np.array([*own, 0.0 if self.exact is not None else self.rest])


@dataclass(frozen=True, eq=False)
class OwnLaw:
    """The law of one method over the cells of a listing, float64[cells].

    probabilities: NaN where they can't be had. lost: the share of the model's law that the method
    can't reach. same: it is the law of the listing itself. distance, divergence: total variation,
    and Kullback–Leibler divergence in nats (∞ where the method can draw what the listing's law
    can't), from the law of the listing; None where they can't be had.
    """

    probabilities: NDArray[np.float64]
    lost: float = 0.0
    same: bool = False
    distance: float | None = None
    divergence: float | None = None

    @property
    def known(self) -> bool:
        """Whether the probabilities can be had."""
        return not bool(np.isnan(self.probabilities[:-1]).any())


def list_law(lattice: Lattice, theta: float) -> Listing:
    """List the law P ∝ exp(θ · score) of a lattice, whole where that is possible."""
    settings = SamplingSettings(theta)
    count = lattice.paths
    if count <= EXACT_LIMIT:
        exact = tuple(exact_law(lattice, theta))
        return Listing(lattice, settings, _frequent(exact), exact, count)
    return Listing(lattice, settings, tuple(lattice.nbest(LISTED, theta)), None, count)


def list_method(lattice: Lattice, method: str, settings: SamplingSettings) -> Listing:
    """List the law of a method; where it is too large, what comes up most often in a few draws."""
    law = SAMPLERS[method].law(lattice, settings)
    if law.paths is not None:
        return Listing(lattice, settings, _frequent(law.paths), law.paths, len(law.paths), method)
    drawn = Counter(
        edges.tobytes()
        for edges in SAMPLERS[method].draw(lattice, settings, PROBE_SEED, range(PROBED))
    )
    common = [np.frombuffer(key, dtype=np.int32) for key, _ in drawn.most_common(LISTED)]
    paths = [Path(lattice, edges, probability=law.probability(edges)) for edges in common]
    paths.sort(key=lambda path: -path.probability)
    return Listing(lattice, settings, tuple(paths), None, lattice.paths, method)


def own_law(listing: Listing, method: str, settings: Settings) -> OwnLaw:
    """Return the law of a method over the cells of a listing."""
    law = SAMPLERS[method].law(listing.lattice, settings)
    gibbs = listing.target == "perfect" and law.theta == listing.theta
    if method == listing.target or gibbs:
        return OwnLaw(listing.probabilities, law.lost, same=True, distance=0.0, divergence=0.0)
    own = np.array([law.probability(path.edges) for path in listing.cell_paths])
    target = SAMPLERS[listing.target].law(listing.lattice, listing.settings)
    return OwnLaw(
        np.append(own, _left(float(own.sum()))),
        law.lost,
        distance=law_distance(law, target),
        divergence=kl_divergence(listing.lattice, law, target),
    )


def inclusion_law(listing: Listing, _method: str, settings: Settings) -> OwnLaw:
    """Return the probability of each path to be in a set drawn without replacement.

    NaN for the other paths together, and for all where there are too many.
    """
    found = inclusions(listing.exact, settings.set_size)
    own = np.full(len(listing.cell_paths), np.nan) if found is None else np.array(found)
    return OwnLaw(np.append(own, np.nan))


def _left(total: float) -> float:
    """Return what is missing to 1, NaN where the total is."""
    return total if np.isnan(total) else max(0.0, 1.0 - total)


def _frequent(exact: Sequence[Path]) -> tuple[Path, ...]:
    listed = tuple(p for p in exact[:LISTED] if p.probability >= UNLIKELY)
    return listed or tuple(exact[:1])


def outcome_label(lattice: Lattice, path: list[int], first: list[int]) -> str:
    """Return the text of a path; of a long one the stretches that the first path lacks."""
    if len(path) <= LONGEST:
        text = path_text(lattice, path)
        if len(text) <= LONGEST or path == first:
            return text
    elif path == first:
        return path_text(lattice, path[:SHOWN]) + "|…"
    known, parts, left = set(first), [], SHOWN
    for shared, run in groupby(path, known.__contains__):
        if left <= 0:
            parts.append("…")
            break
        if shared:
            parts.append("…")
        else:
            own = list(run)[:left]
            left -= len(own)
            parts.append(path_text(lattice, own))
    return "|".join(parts)
