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
