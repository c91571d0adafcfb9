"""From the spans of characters that a library reports to spans of bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.text import Text

Ints = NDArray[np.int64]


def align_groups(
    text: Text, data: NDArray[np.uint8], starts: Ints, ends: Ints, usable: NDArray[np.bool_]
) -> None:
    """Sharpen the spans of `data`, in place, where its bytes stand in the text themselves.

    starts, ends: the byte span in the text of the character that each byte of `data` was made
    of. Bytes with the same span are one group. Where a group ends in the bytes of its span, those
    get a span of one byte each and the bytes before them, made of nothing, an empty one. Entries
    that aren't `usable` are left alone.
    """
    t = len(data)
    if not t or not text.n_bytes:
        return
    same = (starts[1:] == starts[:-1]) & (ends[1:] == ends[:-1]) & usable[1:] & usable[:-1]
    first = np.flatnonzero(np.append(True, ~same))
    group = np.cumsum(np.append(True, ~same)) - 1
    size = np.diff(np.append(first, t))
    width = (ends - starts)[first]
    inside = np.arange(t) - first[group]
    # Where in the span each byte would stand if the group's tail is the span itself.
    place = inside - (size - width)[group]
    tail = place >= 0
    at = np.clip(starts + place, 0, text.n_bytes - 1)
    equal = ~tail | (data == text.data[at])
    exact = np.logical_and.reduceat(equal, first) & (size >= width) & (width > 0) & usable[first]
    chosen = exact[group]
    begin = np.where(tail, starts + place, starts)
    starts[chosen] = begin[chosen]
    ends[chosen] = np.where(tail, begin + 1, begin)[chosen]


def keep_marks(text: Text, starts: Ints, ends: Ints) -> None:
    """Extend spans, in place, over characters of the same grapheme that normalization swallowed.

    A library aligns a composed character with its base alone; the marks after it are in no span.
    """
    if not len(starts):
        return
    after = np.append(starts[1:], text.n_bytes)
    gaps = np.flatnonzero((after > ends) & (ends > starts))
    if not len(gaps):
        return
    bounds = text.grapheme_bounds
    # The first grapheme bound at or after the end of the span.
    close = bounds[np.searchsorted(bounds, ends[gaps], side="left")]
    wanted = np.minimum(close, after[gaps])
    grown = gaps[wanted > ends[gaps]]
    new = wanted[wanted > ends[gaps]]
    for i, end in zip(grown.tolist(), new.tolist(), strict=True):
        old_start, old_end = starts[i], ends[i]
        while i >= 0 and starts[i] == old_start and ends[i] == old_end:
            ends[i] = end
            i -= 1
