"""Pieces that a model has but never uses by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.model import Model, segment_fixed


def never_best(model: Model) -> NDArray[np.int64]:
    """Return the ids of the pieces that a Unigram model's best path never takes, ascending.

    Each piece is segmented alone. One whose own parts score more loses to them in any text, as
    scores add up; only sampling and n-best lists show it. Models of other algorithms: none.
    """
    vocabulary = model.vocabulary
    ids = np.flatnonzero(vocabulary.matchable & np.isfinite(vocabulary.score))
    if model.algorithm != "unigram" or not len(ids):
        return np.zeros(0, dtype=np.int64)
    data = np.frombuffer(b"".join(vocabulary.bytes(i) for i in ids.tolist()), dtype=np.uint8)
    ends = np.cumsum(vocabulary.lengths[ids])
    starts = ends - vocabulary.lengths[ids]
    cut = segment_fixed(model.segmenter, data, starts, ends, np.full(len(ids), -1, np.int32))
    # A piece that wins is the only token of its stretch.
    place = np.searchsorted(starts, cut.starts, side="right") - 1
    won = (cut.starts == starts[place]) & (cut.ends == ends[place]) & (cut.ids == ids[place])
    lost = np.ones(len(ids), dtype=np.bool_)
    lost[place[won]] = False
    return ids[lost]


def last_merge(model: Model, piece: int) -> tuple[int, int] | None:
    """Return the two symbols that merge to a piece last when its text stands alone.

    A rank file lists pieces, not pairs: of the ways to halve a piece only the one that merging by
    lower ranks comes to is used. None where it comes to other tokens, and for models of other
    algorithms.
    """
    if model.bpe is None or not 0 <= piece < len(model.vocabulary):
        return None
    data = np.frombuffer(model.vocabulary.bytes(piece), dtype=np.uint8)
    steps = model.bpe.merge_steps(data, 0, len(data))
    if not len(steps.rank) or int(steps.result[-1]) != piece:
        return None
    whole = int(steps.start[-1]) == 0 and int(steps.end[-1]) == len(data)
    return (int(steps.left[-1]), int(steps.right[-1])) if whole else None
