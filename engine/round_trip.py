"""Whether a text comes back from its tokens, and why what differs does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.changes import Change
from engine.stages import Stage, Stages

Cause = Literal[
    "unknown", "special", "extra_spaces", "normalizer", "pre_tokenizer", "dropped", "decoder"
]
"""Which part of the model a difference comes from.

unknown: the vocabulary can't write it. special: spaces beside an added token that takes them in,
or a token that decodes to nothing. extra_spaces: the normalizer keeps one space of several, and
none at the ends. dropped: no piece and no unknown token stands for it.
"""

CAUSES: dict[Cause, str] = {
    "unknown": "unknown to the vocabulary",
    "special": "special tokens",
    "extra_spaces": "extra spaces removed by the normalizer",
    "normalizer": "changed by the normalizer",
    "pre_tokenizer": "left out by the pre-tokenizer",
    "dropped": "left out: no piece and no unknown token",
    "decoder": "changed by the decoder",
}


@dataclass(frozen=True)
class Difference:
    """A stretch of the text, in bytes, and what came back for it."""

    start: int
    end: int
    before: bytes
    after: bytes
    cause: Cause
    change: Change


def differences(stages: Stages) -> tuple[Difference, ...]:
    """Return where the decoded text isn't the text as given, in the order of the text.

    Empty where the text came back.
    """
    if stages.exact:
        return ()
    given, decoder = stages.text.encoded, stages.decoder
    rows = [
        (int(decoder.source_start[i]), int(decoder.source_end[i]), decoder.bytes(i))
        for i in np.flatnonzero(decoder.change != Change.SAME).tolist()
    ]
    changes = decoder.change[decoder.change != Change.SAME].tolist()
    found = [
        Difference(start, end, given[start:end], after, _cause(stages, start, end), Change(change))
        for (start, end, after), change in zip(rows, changes, strict=True)
    ]
    found += [
        Difference(start, end, given[start:end], b"", _cause(stages, start, end), Change.REPLACED)
        for start, end in decoder.lost.tolist()
    ]
    return tuple(sorted(found, key=lambda difference: (difference.start, difference.end)))


def cause_name(stages: Stages, cause: Cause) -> str:
    """Return a cause as printed; SentencePiece has a name of its own for the removal of spaces."""
    if cause == "extra_spaces" and stages.model.format == "sentencepiece":
        return "remove_extra_whitespaces"
    return cause


def _cause(stages: Stages, start: int, end: int) -> Cause:
    """Return what makes a stretch come back otherwise: the first stage at which it differs."""

    def there(stage: Stage, wanted: Callable[[Stage], np.ndarray]) -> bool:
        return bool((_touching(stage, start, end) & wanted(stage)).any())

    cut_out = (Change.SPECIAL, Change.ADDED)
    if there(stages.tokens, lambda stage: stage.change == Change.UNKNOWN):
        return "unknown"
    if there(stages.tokens, lambda stage: np.isin(stage.change, cut_out)):
        return "special"
    normalizer, given = stages.normalizer, stages.text.encoded
    harmless = (Change.SAME, Change.SPACE, Change.WHITE_SPACE, Change.INSERTED)
    if there(normalizer, lambda stage: ~np.isin(stage.change, harmless)):
        return "normalizer"
    squeezed = _touching(normalizer, start, end) & (normalizer.change == Change.WHITE_SPACE)
    white = [
        given[normalizer.source_start[i] : normalizer.source_end[i]]
        for i in np.flatnonzero(squeezed).tolist()
    ]
    white += [given[max(a, start) : min(b, end)] for a, b in _lost(normalizer, start, end)]
    if white:
        return "normalizer" if any(part.strip(b" ") for part in white) else "extra_spaces"
    if _lost(stages.pre_tokenizer, start, end):
        return "pre_tokenizer"
    if _lost(stages.tokens, start, end):
        return "dropped"
    return "decoder"


def _touching(stage: Stage, start: int, end: int) -> np.ndarray:
    """Return which pieces of a stage have a part in a stretch, bool[k]."""
    first, last = stage.source_start, stage.source_end
    if end > start:
        touching: np.ndarray = (first < end) & (last > start)
        return touching
    return (first <= start) & (last >= end)


def _lost(stage: Stage, start: int, end: int) -> list[tuple[int, int]]:
    return [(a, b) for a, b in stage.lost.tolist() if a < end and b > start]
