"""The record of a WordPiece training run: what each merge was chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from engine.display import visible
from engine.errors import ParameterError
from engine.kernels import compiled
from engine.progress import silent
from engine.train.merges import LearntMerges, Rules, Select
from engine.train.record import Record
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
    total = _counts(units, len(learnt.base) + len(learnt))

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


def record_of(trained: TrainedWordPiece) -> Record:
    """Return the record of the run."""
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
    return Record(about, FIELDS, rows)


def _plain(score: Fraction) -> int | float:
    return score.numerator if score.denominator == 1 else float(score)


def ties_at(trained: TrainedWordPiece, step: int) -> list[tuple[int, int]]:
    """Return the whole tie set of a merge, sorted by symbols: the pairs that had its score then.

    step: from 0. The merges before it are done again, which takes as long as learning them did.
    Pairs that a veto or the greatest length kept out are among them, too rare ones aren't.
    """
    learnt, units = trained.merges, trained.symbols.units
    if not 0 <= step < len(learnt):
        raise ParameterError(f"step {step}", "", f"there are {len(learnt):,}, counted from 0")
    given = list(zip(learnt.left[:step].tolist(), learnt.right[:step].tolist(), strict=True))
    if compiled(len(units.symbols)):
        from engine.train.compiled import pair_counts
    else:
        from engine.train.plain import pair_counts
    found = pair_counts(units, Rules(step, learnt.tie_break, 1, given=given), silent)
    if trained.settings.select == "frequency":
        return sorted(pair for pair, n in found.items() if n == int(learnt.count[step]))
    total = _totals(units, learnt, step)
    left, right = int(learnt.left[step]), int(learnt.right[step])
    own, alone = int(learnt.count[step]), total[left] * total[right]
    return sorted(
        (a, b)
        for (a, b), n in found.items()
        if n >= trained.settings.least and n * alone == own * (total[a] * total[b])
    )


def _counts(units: Units, symbols: int) -> list[int]:
    """Return the count of each symbol before any merge."""
    weight = np.repeat(units.counts, np.diff(units.offsets)).astype(np.float64)
    # Sums below 2⁵³ are exact.
    found: list[int] = (
        np.bincount(units.symbols, weight, minlength=symbols).astype(np.int64).tolist()
    )
    return found


def _totals(units: Units, learnt: LearntMerges, step: int) -> list[int]:
    """Return the count of each symbol before a merge."""
    total = _counts(units, len(learnt.base) + step)
    made = (-np.diff(learnt.tokens)).tolist()
    for k in range(step):
        total[int(learnt.left[k])] -= made[k]
        total[int(learnt.right[k])] -= made[k]
        total[len(learnt.base) + k] = made[k]
    return total
