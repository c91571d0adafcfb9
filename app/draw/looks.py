"""How tokens look that are coloured by identity: a band colour and an underline out of the id.

The same token has the same colour wherever it stands, so a word keeps its colour while somebody
types before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

COLORS, LINES = 4, 3
"""Band colours, and underlines: none, solid, dotted."""


def looks_of(ids: Ints) -> tuple[Ints, Ints]:
    """Return (band colour, underline) of the tokens of a row, int64[n] each.

    The hash (Fibonacci hashing: id × 2³² / φ, upper bits; Knuth, TAOCP 3, 6.4) gives both. A token
    that would look like the one before it takes the next underline and keeps its colour, so that
    neighbours always differ.
    """
    hashed = (ids.astype(np.uint64) * np.uint64(2654435769)) & np.uint64(0xFFFFFFFF)
    look = (hashed * np.uint64(COLORS * LINES)) >> np.uint64(32)
    color = (look % np.uint64(COLORS)).astype(np.int64)
    line = (look // np.uint64(COLORS)).astype(np.int64)
    # Only beside a token of its own colour can one look like its neighbour.
    for place in (np.flatnonzero(color[1:] == color[:-1]) + 1).tolist():
        if line[place] == line[place - 1]:
            line[place] = (line[place] + 1) % LINES
    return color, line
