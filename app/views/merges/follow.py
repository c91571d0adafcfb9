"""From a text to the trace of its merges, and from a byte of the text to its word."""

from __future__ import annotations

from typing import NamedTuple

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
    shown = text
    if text.n_bytes > LIMIT:
        place = text.position("grapheme", LIMIT)
        shown = Text(text.slice(0, text.byte("grapheme", place)))
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
