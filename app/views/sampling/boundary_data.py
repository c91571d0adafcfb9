"""What the pane of the prompt boundary shows, computed off the window's thread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.draw.boundary_rows import BarRow, TokenRow
from app.session import OpenModel
from engine.boundary import STEPS, Boundary, Covering, boundary, growth
from engine.display import visible
from engine.errors import SegscopeError
from engine.model import Model
from engine.progress import Report
from engine.text import Text

PROMPT_LIMIT = 4_000
"""Bytes of text, from its start, in which it can be cut."""

LISTED = 20
"""Covering sequences that are listed."""


@dataclass(frozen=True, eq=False)
class Grown:
    """The token rows of a text's growth to `end` code points. trouble: why there are none."""

    end: int
    rows: tuple[TokenRow, ...]
    trouble: SegscopeError | None = None


@dataclass(frozen=True, eq=False)
class Following:
    """What could follow a cut.

    law: why nothing has a probability; empty where something has. count: covering sequences.
    coverings, next_bytes: rows of bars; the latter have the exact law and, where `heals`, that of
    token healing. removed: what healing takes back, for the eye. healed_distance,
    unhealed_distance: total variation distance to the exact law, with and without healing; NaN
    where there is none.
    """

    law: str
    count: int
    coverings: tuple[BarRow, ...]
    next_bytes: tuple[BarRow, ...]
    heals: bool
    removed: str
    healed_distance: float
    unhealed_distance: float


@dataclass(frozen=True, eq=False)
class Findings:
    """A text cut after `cut` code points, under a model.

    shown: the part of `text` in which it can be cut. following: what could follow, or why the
    model can't say it. special: whether strings in the text spell special tokens, which are read
    as plain text here.
    """

    model_key: int
    text: Text
    shown: Text
    cut: int
    grown: Grown
    following: Following | SegscopeError
    special: bool

    def fits(self, model_key: int, text: Text, cut: int | None) -> bool:
        """Return whether these are the findings of a model, a text and a cut."""
        place = self.shown.n_chars if cut is None else cut
        return self.model_key == model_key and self.text is text and self.cut == place


def look(
    opened: OpenModel, text: Text, cut: int | None, before: Findings | None, report: Report
) -> Findings:
    """Return what there is to see where a text is cut. cut: None for its end.

    before: findings whose growth is kept where it is the same.
    """
    model = opened.model
    same = before is not None and before.text is text and before.model_key == opened.key
    shown = before.shown if before is not None and same else text.head(PROMPT_LIMIT)
    place = shown.n_chars if cut is None else min(cut, shown.n_chars)
    report(0, 2)
    if before is not None and same and before.grown.end - STEPS < place <= before.grown.end:
        # Moving the cut by a few code points leaves the rows where they are.
        grown = before.grown
    else:
        near = place > shown.n_chars - STEPS
        grown = grow(model, shown, shown.n_chars if near else place + STEPS // 2)
    report(1, 2)
    following: Following | SegscopeError
    try:
        following = follow(boundary(model, shown, shown.byte("char", place)))
    except SegscopeError as error:
        following = error
    special = bool(model.find_special(shown))
    return Findings(opened.key, text, shown, place, grown, following, special)


def follow(found: Boundary) -> Following:
    """Return what could follow a prompt. Raises `CoverageError` as `Boundary.lattice` does."""
    law = found.law
    listed = covering_rows(found, found.covering(LISTED))
    removed = visible(found.removed)
    if law:
        return Following(law, found.count, listed, (), False, removed, math.nan, math.nan)
    exact, healed = found.next_byte(), found.healed()
    return Following(
        law,
        found.count,
        listed,
        byte_rows(exact, healed),
        healed is not None,
        removed,
        math.nan if healed is None else _distance(exact, healed),
        _distance(exact, found.fresh),
    )


def grow(model: Model, text: Text, end: int) -> Grown:
    """Return the growth of a text to `end` code points, or why the model can't write a part."""
    try:
        return Grown(end, token_rows(model, text, end))
    except SegscopeError as error:
        return Grown(end, (), error)


def token_rows(model: Model, text: Text, end: int) -> tuple[TokenRow, ...]:
    """Return the growth of a text to `end` code points, the tokens that never change left out.

    Raises `CoverageError` where the model can't write a part of the text.
    """
    part = Text(text.string[:end])
    steps = growth(model, part)
    if not steps:
        return ()
    label = _Labels(model)
    first = max(0, end - len(steps))
    ids = model.encode(part.string[:first]).ids.tolist()
    # One token that stays is left, for the eye.
    hidden = max(0, min(step.kept for step in steps) - 1)
    rows = []
    for step in steps:
        ids = [*ids[: step.kept], *step.new]
        tokens = tuple(label(i) for i in ids[hidden:])
        gone = tuple(label(i) for i in step.gone)
        added = visible(part.string[step.end_char - 1].encode())
        rows.append(TokenRow(step.end_char, added, tokens, step.kept - hidden, gone, hidden))
    return tuple(rows)


class _Labels:
    """The text of tokens for the eye, by id."""

    def __init__(self, model: Model) -> None:
        self._bytes = model.vocabulary.bytes

    def __call__(self, token: int) -> str:
        return visible(self._bytes(token))


def covering_rows(found: Boundary, listed: list[Covering]) -> tuple[BarRow, ...]:
    """Return the rows of covering sequences. Tokens with which all begin are left out but one."""
    label = _Labels(found.model)
    before = [one.ids[:-1] for one in listed]
    kept = 0
    least = min((len(ids) for ids in before), default=0)
    while kept < least and len({ids[kept] for ids in before}) == 1:
        kept += 1
    left_out = max(0, kept - 1)
    rows = []
    for one in listed:
        parts = ["…"] if left_out else []
        parts += [label(i) for i in one.ids[left_out:-1]]
        head = "|".join((*parts, visible(found.data[one.start :])))
        values = () if math.isnan(one.probability) else (one.probability,)
        rows.append(BarRow(head + visible(one.beyond), values, len(head)))
    return tuple(rows)


def byte_rows(exact: NDArray[np.float64], healed: NDArray[np.float64] | None) -> tuple[BarRow, ...]:
    """Return a row for each byte that may follow, the most probable first."""
    other = np.zeros(len(exact)) if healed is None else healed
    listed = np.flatnonzero((exact > 0) | (other > 0)).tolist()
    order = sorted(listed, key=lambda byte: (-exact[byte], byte))
    rows = []
    for byte in order:
        values: tuple[float, ...] = (float(exact[byte]),)
        if healed is not None:
            values += (float(healed[byte]),)
        rows.append(BarRow(visible(bytes([byte])), values))
    return tuple(rows)


def _distance(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return the total variation distance of two distributions, 0 to 1."""
    return 0.5 * math.fsum(np.abs(p - q).tolist())
