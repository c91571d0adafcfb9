"""A sample as it grows: how often each segmentation was drawn, and how far that is from the law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from app.draw.lane import path_text
from engine.goodness import ChiSquare, chi_square, total_variation
from engine.lattice import Lattice, Path
from engine.sampler import EXACT_LIMIT
from engine.samplers.gibbs import exact_law

LISTED = 20
"""Outcomes with a row of their own; the others share one."""

LONGEST, SHOWN = 24, 10
"""Characters of a label up to which it is the whole path, and pieces shown of a longer one."""

UNLIKELY = 1e-5
"""Probability under which a segmentation shares the row of the others."""

GROWTH = 1.04
"""From one point of the distance curve to the next the sample grows at least so much."""


@dataclass(frozen=True, eq=False)
class Listing:
    """The law of a lattice at `theta`, as far as it is listed.

    paths: the most probable segmentations, at most `LISTED`, and none rarer than `UNLIKELY` where
    the law is known whole. exact: all of them, None where
    they are too many. count: how many there are.
    """

    lattice: Lattice
    theta: float
    paths: tuple[Path, ...]
    exact: tuple[Path, ...] | None
    count: int

    @property
    def rest(self) -> float:
        """The probability of all that aren't listed."""
        return max(0.0, 1.0 - sum(path.probability for path in self.paths))

    @property
    def complete(self) -> bool:
        """Whether every segmentation is listed."""
        return self.count <= len(self.paths)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The text of each listed path; of a long one what differs from the first."""
        edges = [path.edges.tolist() for path in self.paths]
        return tuple(outcome_label(self.lattice, path, edges[0]) for path in edges)

    @cached_property
    def cells(self) -> dict[bytes, int]:
        """The cell of each path that has one of its own, by the bytes of its edges."""
        paths = self.exact if self.exact is not None else self.paths
        return {path.edges.tobytes(): i for i, path in enumerate(paths)}

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each cell; the last is the rest's where paths are too many."""
        paths = self.exact if self.exact is not None else self.paths
        own = [path.probability for path in paths]
        return np.array(own if self.exact is not None else [*own, self.rest])


def list_law(lattice: Lattice, theta: float) -> Listing:
    """List the law of a lattice, whole where that is possible."""
    count = lattice.paths
    if count <= EXACT_LIMIT:
        exact = tuple(exact_law(lattice, theta))
        listed = tuple(p for p in exact[:LISTED] if p.probability >= UNLIKELY)
        return Listing(lattice, theta, listed or exact[:1], exact, count)
    return Listing(lattice, theta, tuple(lattice.nbest(LISTED, theta)), None, count)


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


class Tally:
    """Draws 0 … n − 1 of a seed, counted against the law that they were drawn from."""

    def __init__(self, listing: Listing, seed: int) -> None:
        self.listing, self.seed = listing, seed
        self.n = 0
        self.drawn: Counter[bytes] = Counter()
        self._counts = np.zeros(len(listing.probabilities), dtype=np.int64)
        self._next = 1
        self._at: list[int] = []
        self._distance: list[float] = []

    @property
    def theta(self) -> float:
        return self.listing.theta

    def add(self, paths: Iterable[NDArray[np.int32]]) -> None:
        """Count further draws, in order."""
        cells, rest = self.listing.cells, len(self._counts) - 1
        for edges in paths:
            key = edges.tobytes()
            self.drawn[key] += 1
            self._counts[cells.get(key, rest)] += 1
            self.n += 1
            if self.n >= self._next:
                self._at.append(self.n)
                self._distance.append(self._distance_now())
                self._next = max(self.n + 1, int(np.ceil(self.n * GROWTH)))

    def _distance_now(self) -> float:
        return total_variation(self._counts, self.listing.probabilities)

    def counts_of(self, listing: Listing) -> NDArray[np.int64]:
        """Return how often each listed path was drawn, and last all others unless complete."""
        own = [self.drawn[path.edges.tobytes()] for path in listing.paths]
        if not listing.complete:
            own.append(self.n - sum(own))
        return np.array(own, dtype=np.int64)

    @property
    def distance(self) -> float:
        """Total variation distance between shares and law; NaN before the first draw."""
        return self._distance_now() if self.n else float("nan")

    @property
    def curve(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(n, distance) as the sample grew, up to now."""
        at, distance = self._at, self._distance
        if self.n and at[-1] != self.n:
            at, distance = [*at, self.n], [*distance, self._distance_now()]
        return np.array(at, dtype=np.int64), np.array(distance)

    @property
    def test(self) -> ChiSquare | None:
        """Pearson's test against the law."""
        return chi_square(self._counts, self.listing.probabilities) if self.n else None

    def test_of_best(self, best: Path) -> tuple[float, ChiSquare | None]:
        """Return (distance, test) of a sample of n times the best path: what Viterbi draws."""
        counts = np.zeros_like(self._counts)
        counts[self.listing.cells.get(best.edges.tobytes(), len(counts) - 1)] = max(self.n, 1)
        distance = total_variation(counts, self.listing.probabilities)
        return distance, chi_square(counts, self.listing.probabilities) if self.n else None
