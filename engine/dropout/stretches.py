"""Where a pre-token falls apart, because no merge can ever cross.

The plain twin of what `engine.kernels.bpe_tables` puts into its hash table: two first symbols that
don't stand side by side inside any piece that a merge makes are never joined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.bpe import Bpe
from engine.matching import unit_end
from engine.pieces import PieceKind
from engine.subword_nmt import SubwordNmt


def stretches(bpe: Bpe, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Return the stretches of a pre-token's first symbols, as (first, last + 1)."""
    inner = bpe.inner_pairs
    if not ids:
        return []
    if inner is None:
        return [(0, len(ids))]
    cuts = [
        i
        for i in range(1, len(ids))
        if (ids[i - 1] << 32 | ids[i]) not in inner and bpe.pair(ids[i - 1], ids[i]) is None
    ]
    return list(zip([0, *cuts], [*cuts, len(ids)], strict=True))


def inner_pairs(bpe: Bpe) -> frozenset[int] | None:
    """Return the pairs of first symbols, left << 32 | right, that stand inside some piece.

    None where that doesn't tell what may join: symbols that don't spell their piece (unknown
    ones, fallback bytes, with a prefix or an end-of-word mark) could.
    """
    vocabulary = bpe.vocabulary
    if bpe.prefix or bpe.suffix or isinstance(bpe, SubwordNmt):
        return None
    left, right, result, _ = (column.tolist() for column in bpe.rows)
    odd = set(np.flatnonzero(vocabulary.kind == PieceKind.BYTE).tolist()) | {bpe.unknown}
    lefts, rights = set(left), set(right)
    if not odd.isdisjoint(lefts | rights):
        return None
    data, offsets = vocabulary.data.tobytes(), vocabulary.offsets.tolist()
    spelled = {i: data[offsets[i] : offsets[i + 1]] for i in lefts | rights | set(result)}
    if any(
        spelled[a] + spelled[b] != spelled[c] for a, b, c in zip(left, right, result, strict=True)
    ):
        return None
    last = {i: bpe.base.get(_last_unit(bpe, spelled[i]), -1) for i in lefts}
    first = {i: bpe.base.get(_first_unit(bpe, spelled[i]), -1) for i in rights}
    return frozenset(
        last[a] << 32 | first[b]
        for a, b in zip(left, right, strict=True)
        if last[a] >= 0 and first[b] >= 0
    )


def _first_unit(bpe: Bpe, piece: bytes) -> bytes:
    return piece[: unit_end(piece, 0, len(piece), bpe.alphabet)] if piece else b""


def _last_unit(bpe: Bpe, piece: bytes) -> bytes:
    at, end = 0, len(piece)
    if bpe.alphabet == "byte":
        return piece[-1:]
    while at < end:
        stop = unit_end(piece, at, end, bpe.alphabet)
        if stop == end:
            break
        at = stop
    return piece[at:]
