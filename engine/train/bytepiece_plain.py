"""BytePiece's language model in plain Python: small, slow, and easily seen to be right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.progress import Report
from engine.train.words import words_of

ORDER = 6


def count_ngrams(chunks: Iterable[bytes], least: int) -> dict[bytes, int]:
    """Count the n-grams of 0 to 6 bytes that lie in chunks.

    A byte that never occurs counts 1, the empty one counts what all bytes do together. Those of
    two bytes and more that are rarer than `least` are left out.
    """
    found: Counter[bytes] = Counter()
    for chunk in chunks:
        for start in range(len(chunk)):
            for end in range(start + 1, min(start + ORDER, len(chunk)) + 1):
                found[chunk[start:end]] += 1
    for byte in range(256):
        found[bytes((byte,))] = max(1, found[bytes((byte,))])
        found[b""] += found[bytes((byte,))]
    return {key: count for key, count in found.items() if count >= least or len(key) < 2}


def cut(chunk: bytes, counts: Mapping[bytes, int], whole: bool) -> list[bytes]:
    """Cut a chunk into pieces by Viterbi; see `engine.kernels.byte_model.cut`."""
    nothing = -math.inf

    def worth(i: int, j: int) -> float:
        """Return the log-probability of byte i after the j before it."""
        own = counts.get(chunk[i - j : i + 1]) if i >= j else None
        if own is None:
            return nothing
        return math.log(own) - math.log(counts[chunk[i - j : i]])

    best = [worth(0, 0)] + [nothing] * (ORDER - 1)
    origins = [[0] * ORDER]
    for i in range(1, len(chunk)):
        state = max(range(ORDER), key=lambda j: best[j])
        last = ORDER - 1
        before = [state, *range(last - 1), last - 1 if best[last - 1] >= best[last] else last]
        after = [best[before[j]] + worth(i, j) for j in range(ORDER)]
        if whole and chunk[i] & 0xC0 == 0x80 and max(after[1:]) > nothing:
            after[0] = nothing
        origins.append(before)
        best = after
    state = max(range(ORDER), key=lambda j: best[j])
    pieces, end = [], len(chunk)
    for i in range(len(chunk) - 1, -1, -1):
        if state == 0:
            pieces.append(chunk[i:end])
            end = i
        state = origins[i][state]
    return pieces[::-1]


def cut_corpus(
    data: NDArray[np.uint8], ends: NDArray[np.int64], least: int, whole: bool, report: Report
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Do what `engine.train.bytepiece_compiled.cut_corpus` does."""
    raw = data.tobytes()
    chunks = [raw[a:b] for a, b in pairwise((0, *ends.tolist()))]
    counts = count_ngrams(chunks, least)
    found: Counter[bytes] = Counter()
    done = len(raw)
    for chunk in chunks:
        report(done, 2 * len(raw))
        found.update(cut(chunk, counts, whole))
        done += len(chunk)
    report(done, done)
    words = words_of(found.items())
    return words.data, words.offsets, words.counts
