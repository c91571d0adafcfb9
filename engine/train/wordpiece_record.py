"""The record of a WordPiece training run: what each merge was chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from engine.display import visible
from engine.progress import Report, silent
from engine.train.merges import LearntMerges, Select
from engine.train.record import Record
from engine.train.ties import check_ties, symbol_counts, tie_sets
from engine.train.units import Units
from engine.train.wordpiece import TrainedWordPiece

FIELDS = (
    "step", "id", "left", "right", "piece", "count", "left_count", "right_count", "score", "ties",
    "rival_left", "rival_right", "rival_count", "rival_score", "vocab_size", "tokens",
    "bytes_per_token",
)  # fmt: skip
"""Fields of a row. Pieces are written for the eye; counts and scores are of before the merge, the
last two of after it. score: what the pair was chosen by, count / (left_count · right_count), or
the count."""


class Step(NamedTuple):
    """The counts of two symbols and the score of their pair before a merge, and the rival's score,
    None where there was none."""

    left_count: int
    right_count: int
    score: Fraction
    rival_score: Fraction | None


def steps_of(units: Units, learnt: LearntMerges, select: Select) -> Iterator[Step]:
    """Yield the step of each merge; its scores are exact."""
    total = symbol_counts(units, len(learnt.base) + len(learnt)).tolist()

    def score(left: int, right: int, count: int) -> Fraction:
        return Fraction(count, total[left] * total[right] if select == "likelihood" else 1)

    columns = (
        learnt.left, learnt.right, learnt.count, learnt.rival_left, learnt.rival_right,
        learnt.rival_count, -np.diff(learnt.tokens),
    )  # fmt: skip
    new = len(learnt.base)
    for left, right, count, one, other, lesser, made in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        yield Step(
            total[left],
            total[right],
            score(left, right, count),
            score(one, other, lesser) if one >= 0 else None,
        )
        total[left] -= made
        total[right] -= made
        total[new] = made
        new += 1


def record_of(trained: TrainedWordPiece, ties: bool = False, report: Report = silent) -> Record:
    """Return the record of the run.

    ties: with a field `tie_set`, the pairs that were as good as the one that merged, see
    `engine.train.ties`. The run is done again for it. Raises `ParameterError` for too many pairs.
    """
    if ties:
        check_ties(trained.merges)
    learnt, settings = trained.merges, trained.settings
    specials, base = len(settings.specials), len(learnt.base)
    pieces = [visible(piece.encode()) for piece in trained.pieces[specials:]]
    compression = trained.bytes_per_token.tolist()
    rows: list[dict[str, Any]] = []
    for k, step in enumerate(steps_of(trained.symbols.units, learnt, settings.select)):
        one, other = int(learnt.rival_left[k]), int(learnt.rival_right[k])
        rival = step.rival_score is not None
        values = (
            k + 1,
            specials + base + k,
            pieces[int(learnt.left[k])],
            pieces[int(learnt.right[k])],
            pieces[base + k],
            int(learnt.count[k]),
            step.left_count,
            step.right_count,
            _plain(step.score),
            int(learnt.ties[k]),
            pieces[one] if rival else None,
            pieces[other] if rival else None,
            int(learnt.rival_count[k]) if rival else None,
            None if step.rival_score is None else _plain(step.rival_score),
            specials + base + k + 1,
            int(learnt.tokens[k + 1]) + trained.symbols.left_out,
            compression[k + 1],
        )
        rows.append(dict(zip(FIELDS, values, strict=True)))
    about = {
        "algorithm": "wordpiece",
        "select": settings.select,
        "tie_break": settings.tie_break,
    }
    if not ties:
        return Record(about, FIELDS, rows)
    sets = tie_sets(trained.symbols.units, learnt, report, settings.select, settings.least)
    for row, found in zip(rows, sets, strict=True):
        row["tie_set"] = [[pieces[left], pieces[right]] for left, right in found]
    return Record(about, (*FIELDS, "tie_set"), rows)


def _plain(score: Fraction) -> int | float:
    return score.numerator if score.denominator == 1 else float(score)
