"""All ways in which the pieces of a vocabulary are put together from two others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.progress import Report, silent

Ints = NDArray[np.int32]
Piece = TypeVar("Piece", str, bytes)

_REPORT_EVERY = 8192


def lone_units(pieces: Iterable[str], first: int) -> dict[str, int]:
    """Return the characters of longer pieces that are no piece, numbered from `first`.

    Where joined texts are looked up (tiktoken, SentencePiece's BPE), they merge all the same: see
    `engine.bpe.Bpe`.
    """
    units = set("".join(pieces)).difference(pieces)
    return {unit: first + i for i, unit in enumerate(sorted(units))}


def lone_bytes(pieces: Iterable[bytes], first: int) -> dict[bytes, int]:
    """Return what `lone_units` does, of bytes."""
    units = {bytes([byte]) for byte in set(b"".join(pieces))}.difference(pieces)
    return {unit: first + i for i, unit in enumerate(sorted(units))}


def split_rows(ids: Mapping[Piece, int], report: Report = silent) -> tuple[Ints, Ints, Ints]:
    """Return (left, right, result) of every split of a piece into two pieces, int32[rows] each.

    ids: the id of each piece; an empty piece is left out. A text piece splits between
    characters, a piece of bytes between bytes.
    """
    left: list[int] = []
    right: list[int] = []
    result: list[int] = []
    get = ids.get
    # Only lengths that pieces have can split one: a piece of a million bytes takes no longer.
    lengths = sorted({len(piece) for piece in ids})
    known = set(lengths)
    for done, (piece, number) in enumerate(ids.items()):
        if done % _REPORT_EVERY == 0:
            report(done, len(ids))
        size = len(piece)
        for at in lengths:
            if at >= size:
                break
            if size - at not in known:
                continue
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
