"""The record of a BPE training run: what each merge was chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.display import visible
from engine.errors import ParameterError
from engine.kernels import compiled
from engine.progress import Report, silent
from engine.train.bpe import TrainedBpe, units_of
from engine.train.merges import LearntMerges, Rules
from engine.train.record import Record
from engine.train.units import Units

FIELDS = (
    "step", "id", "left", "right", "piece", "count", "ties", "rival_left", "rival_right",
    "rival_count", "vocab_size", "tokens", "bytes_per_token",
)  # fmt: skip
"""Fields of a row. Symbols are written for the eye; the last two are of after the merge."""


def rows_of(trained: TrainedBpe) -> list[dict[str, Any]]:
    """Return a row for each merge, by `FIELDS`; a rival that there is none of is None."""
    learnt = trained.merges
    symbols = [visible(symbol) for symbol in learnt.symbols]
    base, specials = len(learnt.base), len(trained.settings.specials)
    compression = trained.bytes_per_token.tolist()
    rows = []
    for step, (left, right, count, ties, one, other, lesser, tokens) in enumerate(_columns(learnt)):
        rows.append(
            dict(
                zip(
                    FIELDS,
                    (
                        step + 1,
                        base + step,
                        symbols[left],
                        symbols[right],
                        symbols[base + step],
                        count,
                        ties,
                        symbols[one] if one >= 0 else None,
                        symbols[other] if other >= 0 else None,
                        lesser if lesser >= 0 else None,
                        base + step + 1 + specials,
                        tokens,
                        compression[step + 1],
                    ),
                    strict=True,
                )
            )
        )
    return rows


def _columns(learnt: LearntMerges) -> Any:
    columns = (
        learnt.left, learnt.right, learnt.count, learnt.ties, learnt.rival_left,
        learnt.rival_right, learnt.rival_count, learnt.tokens[1:],
    )  # fmt: skip
    return zip(*(column.tolist() for column in columns), strict=True)


MOST_TIES = 20_000_000
"""Pairs of all tie sets that a record may hold: it is made in memory."""


def record_of(trained: TrainedBpe, ties: bool = False, report: Report = silent) -> Record:
    """Return the record of the run.

    ties: with a field `tie_set`, the pairs that had the count of each merge as `ties_at` gives
    them. The run is done again for it. Raises `ParameterError` for more than `MOST_TIES` pairs.
    """
    about = {"algorithm": "bpe", "tie_break": trained.merges.tie_break}
    rows = rows_of(trained)
    if not ties:
        return Record(about, FIELDS, rows)
    total = int(trained.merges.ties.sum(dtype=np.int64))
    if total > MOST_TIES:
        raise ParameterError(
            f"the tie sets hold {total:,} pairs, more than {MOST_TIES:,}",
            "",
            "ask for fewer merges or a higher lowest count, or leave the tie sets out",
        )
    symbols = [visible(symbol) for symbol in trained.merges.symbols]
    units = units_of(trained.words, trained.settings)
    for row, found in zip(rows, tie_sets(units, trained.merges, report), strict=True):
        row["tie_set"] = [[symbols[left], symbols[right]] for left, right in found]
    return Record(about, (*FIELDS, "tie_set"), rows)


def tie_sets(
    units: Units, learnt: LearntMerges, report: Report = silent
) -> Iterator[list[tuple[int, int]]]:
    """Yield the whole tie set of each merge in order, as `ties_at` gives it."""
    given = list(zip(learnt.left.tolist(), learnt.right.tolist(), strict=True))
    counts = np.where(learnt.ties > 0, learnt.count, 0).tolist()
    rules = Rules(len(given), learnt.tie_break, 1, given=given)
    if compiled(len(units.symbols)):
        from engine.train.compiled import tie_sets as sets
    else:
        from engine.train.plain import tie_sets as sets
    return sets(units, rules, counts, report)


def ties_at(units: Units, learnt: LearntMerges, step: int) -> list[tuple[int, int]]:
    """Return the whole tie set of a merge, sorted by ids: the pairs that had its count then.

    step: from 0. The merges before it are done again, without choosing, which takes as long as
    learning them did. Empty for a merge that was given. Pairs that a veto or the greatest length
    kept out are among them.
    """
    if not 0 <= step < len(learnt):
        raise ParameterError(f"step {step}", "", f"there are {len(learnt):,}, counted from 0")
    if learnt.ties[step] == 0:
        return []
    given = list(zip(learnt.left[:step].tolist(), learnt.right[:step].tolist(), strict=True))
    rules = Rules(step, learnt.tie_break, 1, given=given)
    count = int(learnt.count[step])
    if compiled(len(units.symbols)):
        from engine.train.compiled import pair_counts
    else:
        from engine.train.plain import pair_counts
    return sorted(pair for pair, n in pair_counts(units, rules, silent).items() if n == count)
