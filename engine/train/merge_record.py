"""The record of a BPE training run: what each merge was chosen from."""

from __future__ import annotations

from typing import Any

from engine.display import visible
from engine.progress import Report, silent
from engine.train.bpe import TrainedBpe, units_of
from engine.train.merges import LearntMerges
from engine.train.record import Record
from engine.train.ties import check_ties, tie_sets

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


def record_of(trained: TrainedBpe, ties: bool = False, report: Report = silent) -> Record:
    """Return the record of the run.

    ties: with a field `tie_set`, the pairs that had the count of each merge, see
    `engine.train.ties`. The run is done again for it. Raises `ParameterError` for too many pairs.
    """
    about = {"algorithm": "bpe", "tie_break": trained.merges.tie_break}
    rows = rows_of(trained)
    if not ties:
        return Record(about, FIELDS, rows)
    check_ties(trained.merges)
    symbols = [visible(symbol) for symbol in trained.merges.symbols]
    units = units_of(trained.words, trained.settings)
    for row, found in zip(rows, tie_sets(units, trained.merges, report), strict=True):
        row["tie_set"] = [[symbols[left], symbols[right]] for left, right in found]
    return Record(about, (*FIELDS, "tie_set"), rows)
