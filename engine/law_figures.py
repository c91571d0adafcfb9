"""Figures of a sampler's exact law, and how far two laws are from each other.

Where the law is P(path) ∝ exp(θ · score) they come from forward and backward sums, whatever the
number of paths; else from the listed law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.law import divergence, law
from engine.passes import path_probability

if TYPE_CHECKING:
    from engine.lattice import Lattice
    from engine.sampler import PathLaw

COVERED = 0.95
"""The probability that `LawFigures.covering` paths have together."""


@dataclass(frozen=True)
class LawFigures:
    """What a law is like; None stands for what can't be had.

    entropy: in nats. effective: exp(entropy), the number of equally likely segmentations with the
    same entropy. best: the probability of the most probable path. covering: the number of paths,
    the most probable first, that have 95 % of the probability together. expected_tokens: the mean
    number of tokens as the model writes them.
    """

    entropy: float | None
    effective: float | None
    best: float | None
    covering: int | None
    expected_tokens: float | None


def law_figures(lattice: Lattice, found: PathLaw) -> LawFigures:
    """Return the figures of one law over the paths of `lattice`."""
    paths = found.paths
    if found.theta is not None:
        exact = law(lattice, found.theta)
        return LawFigures(
            exact.entropy,
            exact.effective,
            path_probability(found.theta, 0.0, exact.log_spread),
            None if paths is None else covering([path.probability for path in paths]),
            exact.expected_tokens,
        )
    if paths is None:
        return LawFigures(None, None, None, None, None)
    probabilities = [path.probability for path in paths]
    entropy = max(0.0, -math.fsum(p * math.log(p) for p in probabilities if p > 0))
    return LawFigures(
        entropy,
        math.exp(entropy),
        max(probabilities),
        covering(probabilities),
        math.fsum(path.probability * len(path.ids) for path in paths),
    )


def covering(probabilities: list[float], share: float = COVERED) -> int:
    """Return how many of the probabilities, the greatest first, have `share` together.

    All of them where rounding keeps their sum below it. Equal sums but for rounding are equal.
    """
    together = 0.0
    for count, probability in enumerate(sorted(probabilities, reverse=True), 1):
        together += probability
        if together >= share - 1e-12:
            return count
    return len(probabilities)


def law_distance(a: PathLaw, b: PathLaw) -> float | None:
    """Return the total variation distance ½ Σ |a − b| of two laws, 0 to 1.

    None where neither is listed, or the other can't be had.
    """
    if a.theta is not None and a.theta == b.theta:
        return 0.0
    if a.paths is None:
        a, b = b, a
    if a.paths is None:
        return None
    pairs = [(path.probability, b.probability(path.edges)) for path in a.paths]
    if any(math.isnan(own + other) for own, other in pairs):
        return None
    # What b has at other paths is what is missing to 1.
    beyond = max(0.0, 1.0 - math.fsum(other for _, other in pairs))
    apart = math.fsum(abs(own - other) for own, other in pairs)
    return min(1.0, 0.5 * (apart + beyond))


def kl_divergence(lattice: Lattice, a: PathLaw, b: PathLaw) -> float | None:
    """Return the Kullback–Leibler divergence Σ a · log(a / b) of two laws, in nats.

    Infinite where `a` can draw a path that `b` can't; None where it can't be had.
    """
    if a.theta is not None and b.theta is not None:
        return divergence(law(lattice, a.theta), law(lattice, b.theta))
    if a.paths is None:
        return None
    terms = []
    for path in a.paths:
        own, other = path.probability, b.probability(path.edges)
        if math.isnan(other):
            return None
        if own > 0:
            terms.append(own * math.log(own / other) if other > 0 else math.inf)
    return max(0.0, math.fsum(terms))
