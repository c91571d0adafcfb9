"""The scale of a bar chart: where a value stands, and the ticks worth a line."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FINE = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5)
"""Ticks of a logarithmic scale that doesn't reach far."""


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` on 0 … 1, linear from zero or logarithmic about 1."""

    low: float
    high: float
    logarithmic: bool

    @property
    def origin(self) -> float:
        """The value that bars start from."""
        return 1.0 if self.logarithmic else 0.0

    def at(self, value: float) -> float:
        """Return the place of a value, clamped to 0 … 1."""
        if self.logarithmic:
            value = max(value, 1e-9)
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)

    def ticks(self) -> list[tuple[float, str]]:
        """Return (value, label) of the lines of the grid."""
        if self.logarithmic and self.high / self.low < 4:
            return [(x, f"{x:g}×") for x in _FINE if self.low <= x <= self.high]
        if self.logarithmic:
            powers = range(math.ceil(math.log2(self.low)), math.floor(math.log2(self.high)) + 1)
            return [(2.0**p, f"{2.0**p:g}×") for p in powers]
        step = _round_step((self.high - self.low) / 5)
        count = math.floor(self.high / step + 1e-9)
        return [(i * step, f"{i * step:g}") for i in range(count + 1)]


def scale_of(values: Floats, logarithmic: bool) -> Scale:
    """Return a scale that holds all values; NaN counts for nothing."""
    known = values[np.isfinite(values)]
    if logarithmic:
        known = known[known > 0]
        low = min(float(known.min()) if len(known) else 1.0, 0.9)
        high = max(float(known.max()) if len(known) else 2.0, 2.0)
        return Scale(low * 0.96, high * 1.04, True)
    top = float(known.max()) if len(known) else 1.0
    return Scale(0.0, top * 1.04 if top > 0 else 1.0, False)


def _round_step(step: float) -> float:
    """Return the next of 1, 2, 2.5, 5 · 10^k above a step."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= step * 0.999)
