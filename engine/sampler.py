"""What a sampling method is to the rest of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.dropout import check_dropout
from engine.lattice import Path
from engine.nbest import check_count
from engine.passes import check_theta, path_score

if TYPE_CHECKING:
    from engine.lattice import Lattice
    from engine.model import Batch, Model

Ints = NDArray[np.int32]

DrawLines = Callable[[Sequence[str], int], "Batch"]
"""(lines, key) → one segmentation of each line; `key` is a stream of random numbers."""

EXACT_LIMIT = 10_000
"""Number of segmentations up to which a law is listed path by path."""


@dataclass(frozen=True)
class SamplingSettings:
    """The parameters of all methods; each reads those in `Sampler.settings`.

    theta: the inverse temperature θ, a finite number ≥ 0; 1 is the model's own law, 0 uniform, a
    large one leads to Viterbi. dropout: the probability p, 0 to 1, that a candidate is skipped;
    0 is the model's own encoding. nbest_size: ℓ, the number of best paths to choose from.
    """

    theta: float = 1.0
    dropout: float = 0.1
    nbest_size: int = 64

    def check(self) -> None:
        """Raise `ParameterError` for a value that can't be, also of what a method doesn't read."""
        check_theta(self.theta)
        check_dropout(self.dropout)
        check_count(self.nbest_size)


@dataclass(frozen=True, eq=False)
class PathLaw:
    """The exact distribution of a method over the segmentations of one lattice.

    probability: from a path's edges to its probability; NaN where that can't be had.
    listing: returns all paths that can be drawn, most probable first, or None where they are too
        many to list; called when `paths` is first asked for.
    theta: of the law P ∝ exp(theta · score), where it is that one; None for any other.
    lost: the share of that law that the method can't reach (`nbest`); else 0.
    """

    probability: Callable[[Ints], float]
    listing: Callable[[], Sequence[Path] | None]
    theta: float | None = None
    lost: float = 0.0

    @cached_property
    def paths(self) -> tuple[Path, ...] | None:
        """All paths that can be drawn, most probable first; None where they are too many."""
        found = self.listing()
        return None if found is None else tuple(found)


@dataclass(frozen=True)
class Sampler:
    """A method of drawing segmentations.

    draw: (lattice, settings, seed, draws) → the edges of each draw. `draws` are numbers; draw d
        uses the stream `engine.rng.key_of(seed, d)` alone, so it doesn't depend on the others.
    law: (lattice, settings) → the exact distribution.
    settings: the fields of `SamplingSettings` that the method reads.
    lines: (model, settings) → what draws many lines faster than by their lattices, or None where
        there is no such road for the model. It is made once for a corpus.
    distinct: the draws of one call are different paths, as many as there are at most; they are
        one sample of a set, and `draws` must start at 0.
    lattice: (lattice, settings) → the lattice that `draw` and `law` are given, for methods that
        can't do with the model's own (`maxmatch-dropout`); None where they can.
    """

    draw: Callable[[Lattice, SamplingSettings, int, range], list[Ints]]
    law: Callable[[Lattice, SamplingSettings], PathLaw]
    settings: tuple[str, ...] = ("theta",)
    lines: Callable[[Model, SamplingSettings], DrawLines | None] | None = None
    distinct: bool = False
    lattice: Callable[[Lattice, SamplingSettings], Lattice] | None = None


def law_of(lattice: Lattice, law: dict[tuple[int, ...], float] | None) -> PathLaw:
    """Return the `PathLaw` of probabilities by edges; None stands for a law that can't be had."""
    if law is None:
        return PathLaw(lambda _edges: float("nan"), lambda: None)

    def listing() -> list[Path]:
        ranked = sorted(law.items(), key=lambda item: (-item[1], item[0]))
        found = [(np.array(edges, dtype=np.int32), p) for edges, p in ranked]
        return [Path(lattice, edges, path_score(lattice, edges), p) for edges, p in found]

    return PathLaw(lambda edges: law.get(tuple(edges.tolist()), 0.0), listing)
