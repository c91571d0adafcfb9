"""How numbers are written: true minus signs, shares as simple fractions where they are ones."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

LARGEST_DENOMINATOR = 12


def signed(value: float, digits: int = 2) -> str:
    """Return a number with a minus sign that is one; ±∞ and NaN as signs."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


@lru_cache(4096)
def share_text(p: float, digits: int = 3) -> str:
    """Return a probability: `1/3` where it is a simple fraction, else decimals, `< .001`."""
    if math.isnan(p):
        return "–"
    simple = Fraction(p).limit_denominator(LARGEST_DENOMINATOR)
    # Almost 0 and almost 1 aren't 0 and 1.
    if p == simple or (0 < simple < 1 and abs(float(simple) - p) < 1e-9):
        return str(simple)
    least = 10.0**-digits
    if p < least / 2:
        return f"< {least:.{digits}f}"
    if p > 1 - least / 2:
        return f"> {1 - least:.{digits}f}"
    return f"{p:.{digits}f}"


def chance_text(p: float, digits: int = 3) -> str:
    """Return a probability as `share_text` does, a small one as a power of ten: `3 × 10⁻⁶`."""
    return p_value_text(p) if 0 < p < 10.0**-digits else share_text(p, digits)


def p_value_text(p: float) -> str:
    """Return the p-value of a test: `0.44`, `3 × 10⁻³²`, `0` where it is beyond the smallest."""
    if math.isnan(p):
        return "–"
    if p >= 0.001:
        return f"{p:.2f}" if p >= 0.095 else f"{p:.3f}"
    if p < 1e-300:
        return "< 10⁻³⁰⁰"
    exponent = math.floor(math.log10(p))
    digit = round(p / 10.0**exponent)
    if digit == 10:
        digit, exponent = 1, exponent + 1
    small = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return f"{digit} × 10{str(exponent).translate(small)}"
