"""Drawing among the best paths: the best alone, or the ℓ best (subword regularization).

Kudo, "Subword Regularization" (ACL 2018): of the ℓ paths with the highest scores one is drawn with
P ∝ exp(θ · score); his smoothing parameter α is θ here. What the other paths have under the law
over all of them is lost.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Lattice, Path
from engine.nbest import nbest
from engine.passes import add_up
from engine.rng import key_of, uniform
from engine.sampler import Ints, PathLaw, SamplingSettings
from engine.search import viterbi


def draw_viterbi(
    lattice: Lattice, settings: SamplingSettings, _seed: int, draws: range
) -> list[Ints]:
    """Return the best path for every draw."""
    return [viterbi(lattice, settings.theta).edges] * len(draws)


def viterbi_law(lattice: Lattice, settings: SamplingSettings) -> PathLaw:
    """Return the law of the best path alone."""
    best = replace(viterbi(lattice, settings.theta), probability=1.0)
    drawn = best.edges.tobytes()
    return PathLaw(lambda edges: float(edges.tobytes() == drawn), lambda: (best,))


def draw_nbest(lattice: Lattice, settings: SamplingSettings, seed: int, draws: range) -> list[Ints]:
    """Return the edges of each draw; number 0 of a draw's stream decides."""
    paths = nbest(lattice, settings.nbest_size, settings.theta)
    bounds = np.cumsum(shares(paths, settings.theta))
    bounds[-1] = 1.0
    numbers = np.array([uniform(key_of(seed, draw), 0) for draw in draws])
    return [paths[i].edges for i in np.searchsorted(bounds, numbers, side="right").tolist()]


def nbest_law(lattice: Lattice, settings: SamplingSettings) -> PathLaw:
    """Return the law over the ℓ best paths, and what it loses."""
    paths = nbest(lattice, settings.nbest_size, settings.theta)
    own = shares(paths, settings.theta).tolist()
    listed = tuple(replace(path, probability=p) for path, p in zip(paths, own, strict=True))
    known = {path.edges.tobytes(): path.probability for path in listed}
    kept = math.fsum(path.probability for path in paths)
    # All paths lose nothing; their sum may miss 1 by rounding.
    lost = 0.0 if lattice.paths <= len(paths) else max(0.0, 1.0 - kept)
    return PathLaw(lambda edges: known.get(edges.tobytes(), 0.0), lambda: listed, lost=lost)


def shares(paths: list[Path], theta: float) -> NDArray[np.float64]:
    """Return P ∝ exp(θ · score) over some paths, best first, float64[len(paths)]."""
    weights = [math.exp(theta * (path.score - paths[0].score)) for path in paths]
    return np.array(weights) / add_up(weights)
