"""Which way each character runs, and the order in which characters stand on a line.

The rules P2 to P3, W1 to W7, N1 to N2, I1 to I2 and L2 of the Unicode bidirectional algorithm
(UAX 9), for one line. Explicit embeddings and isolates are read as if they weren't there: on an
axis they have a place of their own but turn nothing.

The rules rewrite a line of letters, one for the class of each character, with regular
expressions: a line is resolved at each key.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Levels = NDArray[np.uint8]

_LETTERS = {
    "L": "L", "R": "R", "AL": "A", "EN": "E", "AN": "N", "ES": "+", "CS": ",", "ET": "$",
    "NSM": "m", "LRE": "m", "RLE": "m", "LRO": "m", "RLO": "m", "PDF": "m", "LRI": "m", "RLI": "m",
    "FSI": "m", "PDI": "m", "BN": "m", "B": "o", "S": "o", "WS": "o", "ON": "o", "": "L",
}  # fmt: skip
"""The letter of each class. m: has no direction of its own; o: neutral."""

_TURNED = frozenset("RAN")

_LEFT_BASE = bytes.maketrans(b"LREN", b"\x00\x01\x02\x02")
_RIGHT_BASE = bytes.maketrans(b"LREN", b"\x02\x01\x02\x02")
"""The level of what is resolved (I1, I2), in a line of each base direction."""


def has_right_to_left(string: str) -> bool:
    """Return whether any character runs from right to left."""
    if string.isascii():
        return False
    return any(char >= "\u0590" and _letter(char) in _TURNED for char in set(string))


def base_direction(string: str) -> int:
    """Return 1 if the first strong character runs from right to left, else 0 (P2, P3)."""
    for char in string:
        kind = unicodedata.bidirectional(char)
        if kind == "L":
            return 0
        if kind in ("R", "AL"):
            return 1
    return 0


def levels(string: str) -> Levels:
    """Return the embedding level of each code point, uint8[n]: odd runs from right to left."""
    import numpy as np

    base = base_direction(string)
    edge = "R" if base else "L"
    classes = string.translate({ord(char): _letter(char) for char in set(string)})
    # The line begins and ends as if a character of its base direction stood there.
    resolved = _resolve_neutral(_resolve_weak(edge + classes + edge), edge)
    table = _RIGHT_BASE if base else _LEFT_BASE
    found = resolved[1:-1].encode("ascii").translate(table)
    return np.frombuffer(found, dtype=np.uint8)


@lru_cache(maxsize=4096)  # at each key nearly all are known
def _letter(char: str) -> str:
    return _LETTERS[unicodedata.bidirectional(char)]


def _resolve_weak(line: str) -> str:
    """Return a line after W1 to W7; leaves L, R, E, N and o."""
    if "m" in line:  # W1, and what has no direction of its own
        line = re.sub("(.)m+", lambda found: found[1] * len(found[0]), line)
    # W2, W3
    line = re.sub("A[^LR]*", lambda found: found[0].replace("E", "N"), line).replace("A", "R")
    line = re.sub("(?<=E)[+,](?=E)", "E", line)  # W4
    line = re.sub("(?<=N),(?=N)", "N", line)
    line = re.sub(r"E?\$+(?=(E?))", _resolve_terminators, line)  # W5
    line = re.sub("[+,]", "o", line)  # W6
    return re.sub("L[^R]*", lambda found: found[0].replace("E", "L"), line)  # W7


def _resolve_terminators(found: re.Match[str]) -> str:
    """Terminators become part of a number beside them (W5), else neutral (W6)."""
    touches = found[1] or found[0][0] == "E"
    return ("E" if touches else "o") * len(found[0])


def _resolve_neutral(line: str, edge: str) -> str:
    """Return a line after N1 and N2.

    Neutrals between two of one direction take it, else the base's. Numbers count as `R`.
    """
    against = "(?<=L)o+(?=L)" if edge == "R" else "(?<=[REN])o+(?=[REN])"
    other = "L" if edge == "R" else "R"
    line = re.sub(against, lambda found: other * len(found[0]), line)
    return line.replace("o", edge)


def visual_order(level: Levels) -> NDArray[np.int64]:
    """Return the indices in the order in which they stand from left to right (L2), int64[n]."""
    import numpy as np

    order = np.arange(len(level))
    if not level.any():
        return order
    highest = int(level.max())
    lowest = int(level[level % 2 == 1].min(initial=highest + 1))
    # At the bounds of runs of one level; what is turned again stands turned already.
    starts = [0, *((level[1:] != level[:-1]).nonzero()[0] + 1).tolist(), len(level)]
    each = level[starts[:-1]].tolist()
    for threshold in range(highest, lowest - 1, -1):
        begin = None
        for run, above in enumerate([*(value >= threshold for value in each), False]):
            if above and begin is None:
                begin = starts[run]
            elif not above and begin is not None:
                order[begin : starts[run]] = order[begin : starts[run]][::-1].copy()
                begin = None
    return order
