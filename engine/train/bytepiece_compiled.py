"""Cutting a corpus by BytePiece's language model with the kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.kernels import byte_model as kernel
from engine.progress import Report
from engine.train.words import WordTable

PLACES = 1 << 21
"""Places whose n-grams are sorted at a time."""

BLOCK = 1 << 19
"""Bytes that are cut between two reports."""

MOST_NGRAMS = 1 << 28


def cut_corpus(
    data: NDArray[np.uint8], ends: NDArray[np.int64], least: int, whole: bool, report: Report
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Return the pieces that chunks are cut into: their bytes, where they begin, their counts.

    data: uint8, chunks end to end; ends: int64, where each ends. least: the lowest count of an
    n-gram of two bytes or more. whole: see `engine.kernels.byte_model.cut`. report: called with
    bytes done and wanted, each of which is counted and cut.
    """
    short, table = _model(data, ends, least, report)
    counter = WordTable()
    starts = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1]))
    back = np.empty(int((ends - starts).max(initial=1)), dtype=np.uint8)
    # A byte that never occurs counts 1.
    log_total = math.log(np.maximum(np.bincount(data, minlength=256), 1).sum())
    first, done = 0, 0
    while first < len(ends):
        report(len(data) + done, 2 * len(data))
        last = max(first + 1, int(np.searchsorted(ends, done + BLOCK, side="right")))
        block = data[done : ends[last - 1]]
        room = np.empty(len(block), dtype=np.int64)
        number = kernel.cut(
            block,
            ends[first:last] - done,
            short,
            table,
            table.view(np.float64),
            log_total,
            whole,
            back,
            room,
        )
        counter.enter(block, room[: int(number)])
        first, done = last, int(ends[last - 1])
    report(2 * len(data), 2 * len(data))
    return counter.found()


def _model(
    data: NDArray[np.uint8], ends: NDArray[np.int64], least: int, report: Report
) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    """Return n-grams and the logarithms of their counts; see `engine.kernels.byte_model.enter`."""
    frequency = np.bincount(data, minlength=256).tolist()
    none, nothing = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    found, counts = [], []
    low = done = 0
    while low < 256:
        high, places = low + 1, frequency[low]
        while high < 256 and places + frequency[high] <= PLACES:
            places += frequency[high]
            high += 1
        report(done, 2 * len(data))
        if places:
            keys = np.empty(places, dtype=np.uint64)
            kernel.spell(data, ends, low, high, keys)
            keys.sort()
            number = int(kernel.count_prefixes(keys, least, none, nothing))
            found.append(np.empty(number, dtype=np.uint64))
            counts.append(np.empty(number, dtype=np.int64))
            kernel.count_prefixes(keys, least, found[-1], counts[-1])
        low, done = high, done + places
    total = sum(map(len, found))
    if total > MOST_NGRAMS:
        raise TrainingError(
            f"the corpus has {total:,} n-grams, too many for memory",
            "",
            "give a smaller part or a higher lowest count",
        )
    room = 1 << max(4, (total + total // 2).bit_length())
    short = np.full(257 << 8, -np.inf)
    table = np.zeros(2 * room, dtype=np.uint64)
    for keys, have in zip(found, counts, strict=True):
        kernel.enter(keys, have, short, table, table.view(np.float64))
    return short, table
