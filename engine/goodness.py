"""How well a sample fits a law: distance, χ² test, intervals."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST_EXPECTED = 5.0
"""A cell of the χ² test with a smaller expectation is pooled with others."""


class ChiSquare(NamedTuple):
    """Pearson's χ² test: statistic, degrees of freedom, and the probability of so large a one."""

    statistic: float
    degrees: int
    p_value: float


def total_variation(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return ½·Σ|share − probability|, from 0 (equal) to 1 (nothing in common).

    counts: int64[k] and probabilities: float64[k] of the same outcomes, which are all there are.
    """
    return 0.5 * float(np.abs(counts / counts.sum() - probabilities).sum())


def chi_square(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> ChiSquare | None:
    """Test whether `counts` are drawn from `probabilities`; None where there is nothing to test.

    Outcomes with an expectation under 5 are pooled into one cell, which takes in the next rarest
    outcome as long as its own expectation is under 5. Fewer than two cells allow no test. An
    outcome of probability 0 that was drawn refutes the law: p = 0.
    """
    n = int(counts.sum())
    if bool(np.any(counts[probabilities <= 0] > 0)):
        return ChiSquare(math.inf, 1, 0.0)
    order = np.argsort(probabilities, kind="stable")
    expected, observed = n * probabilities[order], counts[order]
    pooled = int(np.searchsorted(expected, LEAST_EXPECTED))
    if pooled > 0:
        sums = np.cumsum(expected)
        while pooled < len(expected) and sums[pooled - 1] < LEAST_EXPECTED:
            pooled += 1
        expected = np.append(expected[pooled:], sums[pooled - 1])
        observed = np.append(observed[pooled:], observed[:pooled].sum())
    if len(expected) < 2:
        return None
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    degrees = len(expected) - 1
    return ChiSquare(statistic, degrees, upper_gamma(degrees / 2, statistic / 2))


def upper_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function Q(a, x) for a > 0, x ≥ 0.

    Below a + 1 by the power series of its complement, above by Legendre's continued fraction
    with the modified method of Lentz (Abramowitz & Stegun 6.5.29 and 6.5.31).
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1.0 / a
        n = a
        while term > total * 1e-17:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1.0 - total * scale)
    b = x + 1 - a
    c, d = 1e300, 1.0 / b
    fraction = d
    i = 0
    while True:
        i += 1
        numerator = -i * (i - a)
        b += 2
        d = 1.0 / _not_zero(numerator * d + b)
        c = _not_zero(b + numerator / c)
        fraction *= c * d
        if abs(c * d - 1) < 1e-16 or i > 100_000:
            return min(1.0, fraction * scale)


def _not_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300


def share_interval(count: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return Wilson's interval of the probability of an outcome seen `count` times in `n` draws.

    `z` is the normal quantile of the confidence wanted; by default 95 %.
    """
    share = count / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
