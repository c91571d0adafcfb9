"""A sample as it grows: how often each segmentation was drawn, and how far that is from the law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import repeat
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from app.views.sampling.listing import Listing
from engine.goodness import ChiSquare, chi_square, total_variation

GROWTH = 1.04
"""From one point of the distance curve to the next the sample grows at least so much."""

Cells = NDArray[np.int64]


def _always() -> None:
    """Let all draws in."""


class Tally:
    """Draws 0 … n − 1 of a seed by one method, counted over the cells of a listing.

    A worker thread adds draws. The thread that shows the sample looks at it now and then: all
    figures are those of its last `look`, so they belong together.
    """

    def __init__(self, listing: Listing, seed: int, method: str = "perfect") -> None:
        self.listing, self.seed, self.method = listing, seed, method
        self.drawn: Counter[bytes] = Counter()
        self.n = 0
        self._lock = Lock()
        self._added, self._next = 0, 1
        self._counted = np.zeros(self._size, dtype=np.int64)
        self._at: list[int] = []
        self._distances: list[float] = []
        self._counts, self._points = self._counted, 0
        self._tests: dict[int, tuple[NDArray[np.float64], ChiSquare | None]] = {}

    @property
    def _size(self) -> int:
        return len(self.listing.probabilities)

    @property
    def theta(self) -> float:
        """The inverse temperature that the draws were made at."""
        return self.listing.theta

    @property
    def sets(self) -> bool:
        """Whether draws are sets of paths."""
        return False

    # In the worker

    @property
    def added(self) -> int:
        """How many draws were added, looked at or not."""
        with self._lock:
            return self._added

    def add(
        self, paths: Iterable[NDArray[np.int32]], wanted: Callable[[], object] = _always
    ) -> None:
        """Count further draws, in order: all of them, or none where `wanted` raises.

        `wanted` is called when nobody else can add any more, so work that was cancelled can't add
        what its successor draws too.
        """
        cells, rest = self.listing.cells, self._size - 1
        keys = [edges.tobytes() for edges in paths]
        found = np.fromiter(map(cells.get, keys, repeat(rest)), np.int64, len(keys))
        with self._lock:
            wanted()
            self.drawn.update(keys)
            self._grow(found)

    def _grow(self, cells: Cells) -> None:
        """Count the cells of further draws, with the points of the curve that are among them."""
        counts, done = self._counted.copy(), 0
        while done < len(cells):
            to = min(len(cells), self._next - self._added + done)
            counts += np.bincount(cells[done:to], minlength=self._size)
            self._added += to - done
            done = to
            if self._added >= self._next:
                self._at.append(self._added)
                self._distances.append(total_variation(counts, self.listing.probabilities))
                self._next = max(self._added + 1, int(np.ceil(self._added * GROWTH)))
        self._counted = counts

    # Where it is shown

    def look(self) -> None:
        """Take over what was added up to now."""
        with self._lock:
            if self._added == self.n:
                return
            self.n, self._counts, self._points = self._added, self._counted, len(self._at)
        self._tests.clear()

    def counts_of(self, listing: Listing) -> NDArray[np.int64]:
        """Return how often each listed path was drawn, and last all others."""
        if listing is self.listing:
            # Listed paths are the first cells.
            own = self._counts[: len(listing.paths)]
        else:
            keys = [path.edges.tobytes() for path in listing.paths]
            own = np.array([self.drawn[key] for key in keys], dtype=np.int64)
        # Other listings are looked up among all that was drawn, maybe since the last look.
        return np.append(own, max(0, self.n - int(own.sum())))

    @property
    def distance(self) -> float:
        """Total variation distance between shares and law; NaN before the first draw."""
        return total_variation(self._counts, self.listing.probabilities) if self.n else np.nan

    @property
    def curve(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(n, distance) as the sample grew, up to now."""
        at, distances = self._at[: self._points], self._distances[: self._points]
        if self.n and at[-1] != self.n:
            at, distances = [*at, self.n], [*distances, self.distance]
        return np.array(at, dtype=np.int64), np.array(distances)

    @property
    def test(self) -> ChiSquare | None:
        """Pearson's test against the law of the listing."""
        return self.test_against(self.listing.probabilities)

    def test_against(self, probabilities: NDArray[np.float64]) -> ChiSquare | None:
        """Return Pearson's test against probabilities of the cells; None if unknown.

        Made once for a sample; it stays until the next look finds more draws.
        """
        known = self._tests.get(id(probabilities))
        if known is None:
            known = self._tests[id(probabilities)] = probabilities, self._test(probabilities)
        return known[1]

    def _test(self, probabilities: NDArray[np.float64]) -> ChiSquare | None:
        if not self.n or bool(np.isnan(probabilities).any()):
            return None
        used = (probabilities > 0) | (self._counts > 0)
        return chi_square(self._counts[used], probabilities[used])


class SetTally(Tally):
    """Sets drawn without replacement: how many of them hold each listed path, and any other.

    They follow no law over single paths, so there is no distance from one and no test.
    """

    @property
    def _size(self) -> int:
        return len(self.listing.paths) + 1

    @property
    def sets(self) -> bool:
        return True

    def add(
        self,
        paths: Iterable[Iterable[NDArray[np.int32]]],
        wanted: Callable[[], object] = _always,
    ) -> None:
        """Count further sets."""
        cells, rest = self.listing.cells, self._size - 1
        drawn = [[edges.tobytes() for edges in one] for one in paths]
        counts = np.zeros(self._size, dtype=np.int64)
        for keys in drawn:
            # Paths of one set differ; all that aren't listed count once.
            counts[list({min(cells.get(key, rest), rest) for key in keys})] += 1
        with self._lock:
            wanted()
            for keys in drawn:
                self.drawn.update(keys)
            self._counted = self._counted + counts
            self._added += len(drawn)

    def counts_of(self, listing: Listing) -> NDArray[np.int64]:
        """Return how many sets hold each listed path, and last how many hold any other."""
        if listing is self.listing:
            return self._counts
        own = [self.drawn[path.edges.tobytes()] for path in listing.paths]
        return np.array([*own, self._counts[-1]], dtype=np.int64)

    @property
    def distance(self) -> float:
        return np.nan

    @property
    def curve(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return np.zeros(0, dtype=np.int64), np.zeros(0)

    def test_against(self, probabilities: NDArray[np.float64]) -> ChiSquare | None:
        return None
