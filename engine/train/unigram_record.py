"""The record of a Unigram training run: what each round of EM came to."""

from __future__ import annotations

from engine.train.record import Record
from engine.train.unigram import TrainedUnigram

FIELDS = ("round", "vocab_size", "objective", "tokens", "bytes_per_token")
"""Fields of a row; see `engine.train.unigram.Round`."""


def record_of(trained: TrainedUnigram) -> Record:
    """Return a row for each round by `FIELDS`; the last is of the vocabulary cut to its size."""
    compression = trained.bytes_per_token.tolist()
    rows = [
        dict(zip(FIELDS, (number, row.pieces, row.objective, row.tokens, ratio), strict=True))
        for number, (row, ratio) in enumerate(zip(trained.rounds, compression, strict=True), 1)
    ]
    return Record({"algorithm": "unigram", "objective_unit": "nats a word"}, FIELDS, rows)
