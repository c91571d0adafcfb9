"""From a text to the trace of its merges, and from a byte of the text to its word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.draw.word import Word
from app.edits import edited_from
from app.session import OpenModel
from engine.merge_rules import MERGE_RULES, MergeRule, own_rule, swapped, under_rule
from engine.model import Model
from engine.pipeline import Prepared
from engine.progress import Report
from engine.readings import Special
from engine.text import Text
from engine.traces.differences import Differences, differences
from engine.traces.merges import NEVER, MergeTrace, trace_merges

LIMIT = 200_000
"""Bytes of text whose merges are followed; of a longer text the first ones."""


@dataclass(frozen=True)
class WhatIf:
    """A change of the model's own way to merge: another rule, or two ranks exchanged."""

    rule: MergeRule | None = None
    swap: tuple[int, int] | None = None

    @classmethod
    def of_scene(cls, kept: object) -> WhatIf | None:
        """Return what `for_scene` gave; None for anything else."""
        if not isinstance(kept, dict):
            return None
        swap, rule = kept.get("swap"), kept.get("rule")
        if isinstance(swap, list) and len(swap) == 2 and all(type(rank) is int for rank in swap):
            return cls(swap=(swap[0], swap[1]))
        return next((cls(name) for name in MERGE_RULES if name == rule), None)

    def for_scene(self) -> dict[str, Any]:
        """Return the change as plain JSON data."""
        return {"rule": self.rule} if self.swap is None else {"swap": list(self.swap)}

    def model(self, model: Model, prepared: Prepared) -> Model:
        """Return the model with the change, for this text only."""
        segmenter = model.bpe
        assert segmenter is not None
        if self.swap is not None:
            segmenter = swapped(segmenter, *self.swap)
        if self.rule is not None:
            segmenter = under_rule(segmenter, self.rule, words_of(prepared))
        return replace(model, segmenter=segmenter)


class Followed(NamedTuple):
    """A trace, of which text and model it is, and how many bytes of the text it covers.

    special: how special strings are read. own: the trace of the model as it is. what_if: the change
    that `trace` is under, None for none, then the two are one. found: where they differ.
    """

    trace: MergeTrace
    key: int
    text: Text
    shown: int
    special: Special
    own: MergeTrace
    what_if: WhatIf | None = None
    found: Differences | None = None


class Lane(NamedTuple):
    """A text under one of the rules. found: against the model as it is; None for its own rule."""

    rule: MergeRule
    trace: MergeTrace
    found: Differences | None


def follow(
    opened: OpenModel,
    text: Text,
    special: Special,
    what_if: WhatIf | None,
    before: Followed | None,
    report: Report,
) -> Followed:
    """Trace the merges of a text, of a long one up to `LIMIT` bytes.

    before: what was followed until now; of the same text by the same model the trace is kept.
    Raises `ParameterError` where special strings are forbidden and the text holds some.
    """
    shown = text.head(LIMIT)
    report(0, 2)
    own = None
    if before is not None and before.text is text and before.special == special:
        own = before.own if before.own.model is opened.model else None
    if own is None:
        own = opened.model.merges(shown, special)
    followed = Followed(own, opened.key, text, shown.n_bytes, special, own)
    if what_if is None:
        return followed
    report(1, 2)
    trace = trace_merges(what_if.model(opened.model, own.prepared), own.prepared)
    return followed._replace(trace=trace, what_if=what_if, found=differences(own, trace))


def under_each_rule(own: MergeTrace, rules: tuple[MergeRule, ...], report: Report) -> list[Lane]:
    """Follow a text under each of the rules."""
    bpe = own.model.bpe
    assert bpe is not None
    lanes = []
    for number, rule in enumerate(rules):
        report(number, len(rules))
        if rule == own_rule(bpe):
            lanes.append(Lane(rule, own, None))
            continue
        trace = trace_merges(WhatIf(rule).model(own.model, own.prepared), own.prepared)
        lanes.append(Lane(rule, trace, differences(own, trace)))
    return lanes


def marks_of(
    trace: MergeTrace, found: Differences | None, pretoken: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which tokens and merges of a pre-token differ; found: None for no difference."""
    word = Word(trace, pretoken)
    tokens = len(word.row(word.n_steps).piece)
    if found is None:
        return np.zeros(tokens, dtype=np.bool_), np.zeros(word.n_steps, dtype=np.bool_)
    ended = trace.symbols.died[: int(trace.symbol_cuts[pretoken])] == NEVER
    first = int(np.count_nonzero(ended))
    return (
        found.tokens[1][first : first + tokens],
        found.steps[1][word.steps.start : word.steps.stop],
    )


def words_of(prepared: Prepared) -> list[bytes]:
    """Return the bytes of each pre-token."""
    data = prepared.data.tobytes()
    return [data[start:end] for start, end in pairwise(prepared.cuts.tolist())]


def pretoken_at(prepared: Prepared, byte: int) -> int:
    """Return the pre-token that covers a byte of the text as given."""
    node = int((prepared.source_end <= byte).sum())
    return max(int((prepared.cuts <= min(node, max(len(prepared.data) - 1, 0))).sum()) - 1, 0)


def place_to_show(
    text: Text, prepared: Prepared, step_cuts: NDArray[np.int64], before: Text | None, byte: int
) -> tuple[int, int]:
    """Return the pre-token to show of a new trace, and the position that is its result.

    step_cuts: where the steps of each pre-token of the trace begin. before, byte: the text on show
    until now, and where in it the word begins, -1 for none. In another text it is the word that is
    being typed, by another model the one at the same place, else the first one with steps.
    """
    count = len(prepared.fixed)
    if count == 0:
        return 0, 0
    if before is not None and before is not text:
        pretoken = pretoken_at(prepared, edited_from(before, text, LIMIT))
    elif before is not None and byte >= 0:
        pretoken = pretoken_at(prepared, byte)
    else:
        pretoken = int((np.diff(step_cuts) > 0).argmax())
    pretoken = min(max(pretoken, 0), count - 1)
    return pretoken, int(step_cuts[pretoken + 1])
