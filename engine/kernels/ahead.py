"""The first steps along the trie from every symbol of a pre-token, all starts at once.

A walk that goes on until it fails ends after one to four symbols most often, and no processor
foresees which: each guess that fails costs more than the steps. So the first `AHEAD` steps are
made for all starts, one step after the other and without a branch: where no child is, the walk
goes on in a unit that leads nowhere and bears nothing. Only what goes further is walked by itself.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.jit import kernel
from engine.kernels.trie import Int, Ints, u

AHEAD = 4
"""Steps made for all starts: with text of any kind, nine of ten walks end in them."""


@kernel
def look_ahead(
    symbols: Ints, n: Int, units: Ints, width: int, below: Ints, alone: Ints, ahead: Ints
) -> None:
    """Write the units that the walk from each symbol reaches in its first steps.

    symbols: int32[n + AHEAD], of which the first n are given; all are multiplied by `width`, and
    those after the n are the symbol that leads nowhere. units, width, below, alone: see
    `engine.kernels.trie.Walk`. ahead: int32[AHEAD · n], gets the places of AHEAD units for each
    start; the first is that of `alone`.
    """
    beyond = below.size - 1
    nothing = below[u(beyond)]
    for step in range(AHEAD):
        symbols[u(n + step)] = beyond
    for start in range(n):
        symbol = np.int64(symbols[u(start)])
        unit = np.int64(below[u(symbol)])
        child = np.int64(units[u(unit)]) + np.int64(symbols[u(start + 1)]) * width
        ahead[u(AHEAD * start)] = alone[u(symbol)]
        ahead[u(AHEAD * start + 1)] = child if units[u(child + 1)] == unit else nothing
        symbols[u(start)] = symbol * width
    for step in range(AHEAD):
        symbols[u(n + step)] = beyond * width
    for step in range(2, AHEAD):
        for start in range(n):
            unit = np.int64(ahead[u(AHEAD * start + step - 1)])
            child = np.int64(units[u(unit)]) + symbols[u(start + step)]
            ahead[u(AHEAD * start + step)] = child if units[u(child + 1)] == unit else nothing
