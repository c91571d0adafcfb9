"""From a text to the trace of its merges, and from a byte of the text to its word."""

from __future__ import annotations

from typing import NamedTuple

from app.draw.word import Word
from app.session import OpenModel
from engine.pipeline import Special
from engine.progress import Report
from engine.text import Text
from engine.traces.merges import MergeTrace

LIMIT = 200_000
"""Bytes of text whose merges are followed; of a longer text the first ones."""


class Followed(NamedTuple):
    """A trace, of which text and model it is, and how many bytes of the text it covers."""

    trace: MergeTrace
    key: int
    text: Text
    shown: int


def follow(opened: OpenModel, text: Text, special: Special, report: Report) -> Followed:
    """Trace the merges of a text, of a long one up to `LIMIT` bytes.

    Raises `ParameterError` where special strings are forbidden and the text holds some.
    """
    shown = text.head(LIMIT)
    report(0, 1)
    trace = opened.model.merges(shown, special)
    return Followed(trace, opened.key, text, shown.n_bytes)


def pretoken_at(trace: MergeTrace, byte: int) -> int:
    """Return the pre-token that covers a byte of the text as given."""
    prepared = trace.prepared
    node = int((prepared.source_end <= byte).sum())
    return max(int((prepared.cuts <= min(node, max(len(prepared.data) - 1, 0))).sum()) - 1, 0)


def common_prefix(a: bytes, b: bytes) -> int:
    """Return the number of bytes with which both begin."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


def place_to_show(before: Followed | None, now: Followed, word: Word | None) -> tuple[int, int]:
    """Return the pre-token to show of a new trace, and the position that is its result.

    before, word: the trace and the word on show until now. In another text it is the word that is
    being typed, by another model the one at the same place, else the first one that merges.
    """
    trace = now.trace
    count = len(trace.prepared.fixed)
    if count == 0:
        return 0, 0
    if before is not None and before.text is not now.text:
        # Where the two texts begin to differ: after a deletion that is the byte before, else
        # what was typed.
        place = common_prefix(before.text.encoded, now.text.encoded)
        if now.text.n_bytes < before.text.n_bytes:
            place = max(place - 1, 0)
        pretoken = pretoken_at(trace, place)
    elif before is not None and word is not None:
        pretoken = pretoken_at(trace, before.trace.prepared.span(*word.span)[0])
    else:
        steps = trace.step_cuts[1:] - trace.step_cuts[:-1]
        pretoken = int((steps > 0).argmax())
    pretoken = min(max(pretoken, 0), count - 1)
    return pretoken, int(trace.step_cuts[pretoken + 1])
