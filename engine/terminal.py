"""Text for a terminal: aligned columns and a little colour."""

from __future__ import annotations

import math
import os
import sys
import unicodedata
from collections.abc import Sequence
from typing import TextIO

RIGHT, LEFT = ">", "<"

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


def width(text: str) -> int:
    """Return the columns that a text takes: wide characters two, combining ones none."""
    columns = 0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return columns


def aligned(heading: Sequence[str], rows: Sequence[Sequence[str]], sides: str = "") -> list[str]:
    """Return lines of aligned columns under a heading.

    sides: `<` or `>` for each column; `<` where it is too short. The last column isn't padded.
    """
    table = [list(heading), *(list(row) for row in rows)] if heading else [list(r) for r in rows]
    if not table:
        return []
    count = max(len(row) for row in table)
    sides = sides.ljust(count, LEFT)
    widths = [
        max((width(row[i]) for row in table if i < len(row)), default=0) for i in range(count)
    ]
    lines = []
    for row in table:
        cells = []
        for i, cell in enumerate(row):
            gap = " " * (widths[i] - width(cell))
            cells.append(gap + cell if sides[i] == RIGHT else cell + gap)
        lines.append("  ".join(cells).rstrip())
    return lines


def uses_colour(stream: TextIO | None = None) -> bool:
    """Return whether colour is welcome: on a terminal, unless NO_COLOR is set or it is dumb."""
    stream = sys.stdout if stream is None else stream
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def styled(text: str, *styles: str) -> str:
    """Return a text with styles of `STYLES` where colour is welcome, else as it is."""
    if not text or not uses_colour():
        return text
    return f"\x1b[{';'.join(STYLES[style] for style in styles)}m{text}\x1b[0m"


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for a person: thousands apart, `–` for none, huge ones as a power."""
    if value is None or math.isnan(value):
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.{digits}{'e' if abs(value) >= 1e15 else 'f'}}"


def fits(value: float | None, digits: int = 4) -> str:
    """Return a probability for a person: so many digits, or as a power where they say nothing."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.{digits}f}" if value == 0 or value >= 10.0**-digits else f"{value:.1e}"


def counted(count: int, name: str) -> str:
    """Return a count with its noun: `1 token`, `2,000 tokens`."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def agreed(count: int, verb: str) -> str:
    """Return a regular verb as it goes with a count: `1 … lacks`, `2 … lack`."""
    return f"{verb}s" if count == 1 else verb


def ways(digits: str) -> str:
    """Return a number of segmentations, given in decimal digits; of very many a power of ten."""
    if len(digits) <= 15:
        return counted(int(digits), "segmentation")
    return f"{digits[0]}.{digits[1:4]}e{len(digits) - 1} segmentations"
