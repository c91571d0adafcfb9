"""All ways in which the pieces of a vocabulary are put together from two others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.progress import Report, silent

Ints = NDArray[np.int32]
Piece = TypeVar("Piece", str, bytes)

_REPORT_EVERY = 8192


def split_rows(ids: Mapping[Piece, int], report: Report = silent) -> tuple[Ints, Ints, Ints]:
    """Return (left, right, result) of every split of a piece into two pieces, int32[rows] each.

    ids: the id of each piece; an empty piece is left out. A text piece splits between
    characters, a piece of bytes between bytes.
    """
    left: list[int] = []
    right: list[int] = []
    result: list[int] = []
    get = ids.get
    for done, (piece, number) in enumerate(ids.items()):
        if done % _REPORT_EVERY == 0:
            report(done, len(ids))
        for at in range(1, len(piece)):
            first = get(piece[:at])
            if first is not None:
                second = get(piece[at:])
                if second is not None:
                    left.append(first)
                    right.append(second)
                    result.append(number)
    return (
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        np.array(result, dtype=np.int32),
    )
