"""Which way each character runs, and the order in which characters stand on a line.

The rules P2 to P3, W1 to W7, N1 to N2, I1 to I2 and L2 of the Unicode bidirectional algorithm
(UAX 9), for one line. Explicit embeddings and isolates are read as if they weren't there: on an
axis they have a place of their own but turn nothing.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Levels = NDArray[np.uint8]

_STRONG_RIGHT = ("R", "AL")
_IGNORED = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN"))
_NEUTRAL = frozenset(("B", "S", "WS", "ON"))


def has_right_to_left(string: str) -> bool:
    """Return whether any character runs from right to left."""
    return not string.isascii() and any(
        char >= "\u0590" and unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in string
    )


def base_direction(string: str) -> int:
    """Return 1 if the first strong character runs from right to left, else 0 (P2, P3)."""
    for char in string:
        kind = unicodedata.bidirectional(char)
        if kind == "L":
            return 0
        if kind in _STRONG_RIGHT:
            return 1
    return 0


def levels(string: str) -> Levels:
    """Return the embedding level of each code point, uint8[n]: odd runs from right to left."""
    import numpy as np

    base = base_direction(string)
    kinds = [unicodedata.bidirectional(char) or "L" for char in string]
    edge = "R" if base else "L"
    _resolve_weak(kinds, edge)
    _resolve_neutral(kinds, edge)
    result = np.empty(len(string), dtype=np.uint8)
    for i, kind in enumerate(kinds):
        if base:
            result[i] = 1 if kind == "R" else 2
        else:
            result[i] = 0 if kind == "L" else 1 if kind == "R" else 2
    return result


def _resolve_weak(kinds: list[str], edge: str) -> None:
    """W1 to W7, in place; leaves L, R, EN, AN and neutrals."""
    before = edge
    for i, kind in enumerate(kinds):  # W1, and what has no direction of its own
        if kind == "NSM" or kind in _IGNORED:
            kinds[i] = before
        before = kinds[i]
    strong = edge
    for i, kind in enumerate(kinds):  # W2, W3
        if kind in ("L", "R", "AL"):
            strong = kind
        elif kind == "EN" and strong == "AL":
            kinds[i] = "AN"
    kinds[:] = ["R" if kind == "AL" else kind for kind in kinds]
    for i in range(1, len(kinds) - 1):  # W4
        left, right = kinds[i - 1], kinds[i + 1]
        if left == right and (
            (kinds[i] == "ES" and left == "EN") or (kinds[i] == "CS" and left in ("EN", "AN"))
        ):
            kinds[i] = left
    i = 0
    while i < len(kinds):  # W5, W6
        if kinds[i] == "ET":
            end = i
            while end < len(kinds) and kinds[end] == "ET":
                end += 1
            touches = (i > 0 and kinds[i - 1] == "EN") or (end < len(kinds) and kinds[end] == "EN")
            kinds[i:end] = ["EN" if touches else "ON"] * (end - i)
            i = end
        else:
            if kinds[i] in ("ES", "CS"):
                kinds[i] = "ON"
            i += 1
    strong = edge
    for i, kind in enumerate(kinds):  # W7
        if kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            kinds[i] = "L"


def _resolve_neutral(kinds: list[str], edge: str) -> None:
    """N1 and N2, in place: a neutral between two of one direction takes it, else the base's."""
    i = 0
    while i < len(kinds):
        if kinds[i] not in _NEUTRAL:
            i += 1
            continue
        end = i
        while end < len(kinds) and kinds[end] in _NEUTRAL:
            end += 1
        left = edge if i == 0 else "L" if kinds[i - 1] == "L" else "R"
        right = edge if end == len(kinds) else "L" if kinds[end] == "L" else "R"
        kinds[i:end] = [left if left == right else edge] * (end - i)
        i = end


def visual_order(level: Levels) -> NDArray[np.int64]:
    """Return the indices in the order in which they stand from left to right (L2), int64[n]."""
    import numpy as np

    order = np.arange(len(level))
    if len(level) == 0:
        return order
    highest = int(level.max())
    odd = level[level % 2 == 1]
    for threshold in range(highest, int(odd.min()) - 1 if len(odd) else highest, -1):
        turned = (level >= threshold).astype(np.int8)
        steps = np.flatnonzero(np.diff(turned, prepend=0, append=0))
        for start, end in zip(steps[::2], steps[1::2], strict=True):
            order[start:end] = order[start:end][::-1]
    return order
