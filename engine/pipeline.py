"""From a text to the stretches of bytes that a model segments, with the way back.

A pipeline normalizes and pre-tokenizes. What comes out is `Prepared`: the bytes that the model
sees, cut into pre-tokens, each byte aligned to a span of the text as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.errors import TextError
from engine.readings import Special
from engine.text import Text


@dataclass(frozen=True, eq=False)
class Prepared:
    """A text made ready for a model.

    data: uint8[m], the bytes that the model segments: all pre-tokens end to end.
    cuts: int32[k + 1], where each pre-token starts in `data`, and m; no token crosses a cut.
    fixed: int32[k], the id of an added token that owns the whole pre-token, else -1.
    source_start, source_end: int32[m], the byte span in the text as given of each byte of `data`.
        A character that normalization made of several has their union; a byte that stands for
        nothing in the text (a dummy prefix) has an empty span.
    """

    text: Text
    data: NDArray[np.uint8]
    cuts: NDArray[np.int32]
    fixed: NDArray[np.int32]
    source_start: NDArray[np.int32]
    source_end: NDArray[np.int32]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the byte span in the text as given of `data[start:end]`."""
        if start < end:
            return int(self.source_start[start]), int(self.source_end[end - 1])
        if start < len(self.data):
            return (int(self.source_start[start]),) * 2
        return (self.text.n_bytes,) * 2

    def spans(
        self, starts: NDArray[np.int32], ends: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return `span` of many stretches at once, as the starts and the ends."""
        first = np.append(self.source_start, np.int32(self.text.n_bytes))[starts]
        last = np.append(self.source_end, np.int32(self.text.n_bytes))[np.maximum(ends, 1) - 1]
        return first, np.where(starts < ends, last, first)

    def node_sources(self) -> NDArray[np.int32]:
        """Return the byte of the text as given at which each node of `data` stands, int32[m + 1].

        Not descending, also where a normalizer reordered; this is what an axis is drawn from.
        """
        ends = np.append(self.source_start, self.source_end[-1] if len(self.data) else 0)
        return np.maximum.accumulate(ends).astype(np.int32)


@dataclass(frozen=True, eq=False)
class PreparedLines:
    """Many lines made ready at once, without alignment.

    data: uint8[m]. starts, ends: int64[k], the span of each pre-token in `data`; bytes between
    two pre-tokens belong to none. fixed: int32[k] as in `Prepared`. line_cuts: int64[lines + 1],
    the first pre-token of each line, and k.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    fixed: NDArray[np.int32]
    line_cuts: NDArray[np.int64]


class Pipeline(Protocol):
    """Normalizer, pre-tokenizer and decoder of a model, from whichever library owns them."""

    @property
    def normalizer(self) -> str:
        """One line that describes the normalizer; empty where there is none."""

    @property
    def pre_tokenizer(self) -> str:
        """One line that describes the pre-tokenizer; empty where there is none."""

    def prepare(self, text: Text, special: Special = "literal") -> Prepared:
        """Return `text` ready for the model, aligned to the text as given."""

    def prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        """Return many texts ready for the model, special strings read literally: the bulk road."""

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes that the model's own library decodes `ids` to."""


@runtime_checkable
class Normalizing(Protocol):
    """A pipeline whose pre-tokenizer changes what its normalizer gives, or leaves out of it."""

    def normalize(self, text: Text, special: Special = "literal") -> Prepared:
        """Return `text` after the normalizer alone, aligned to the text as given."""


def source_of_identity(text: Text) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (source_start, source_end) of a text whose bytes the model sees unchanged."""
    start = np.arange(text.n_bytes, dtype=np.int32)
    return start, start + np.int32(1)


def cut_out(
    text: Text,
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    fixed: NDArray[np.int32] | None = None,
) -> Prepared:
    """Return the pre-tokens [starts, ends) of a text whose bytes the model sees unchanged.

    Byte spans, ascending and apart; what lies between two of them is left out. fixed: as in
    `Prepared`, by default -1.
    """
    lengths = ends - starts
    cuts = np.concatenate((np.zeros(1, np.int32), np.cumsum(lengths))).astype(np.int32)
    if fixed is None:
        fixed = np.full(len(starts), -1, dtype=np.int32)
    source, source_end = source_of_identity(text)
    if cuts[-1] == text.n_bytes:
        return Prepared(text, text.data, cuts, fixed, source, source_end)
    edges = np.zeros(text.n_bytes + 1, dtype=np.int8)
    np.add.at(edges, starts, 1)
    np.add.at(edges, ends, -1)
    source = source[np.cumsum(edges[:-1]) > 0]
    return Prepared(text, text.data[source], cuts, fixed, source, source + np.int32(1))


def check_unicode(lines: Sequence[str]) -> None:
    """Raise `TextError` if a line holds a lone surrogate."""
    try:
        "".join(lines).encode("utf-8")
    except UnicodeEncodeError:
        for number, line in enumerate(lines, start=1):
            try:
                Text(line)
            except TextError as error:
                raise TextError(error.what, f"line {number}, {error.where}", error.remedy) from None
