"""The record of a BytePiece training run: what each round left."""

from __future__ import annotations

from engine.train.bytepiece import TrainedBytePiece
from engine.train.record import Record

FIELDS = ("step", "name", "pieces", "vocab_size", "tokens", "bytes_per_token")
"""Fields of a row. name: see `engine.train.bytepiece.Round`."""


def record_of(trained: TrainedBytePiece) -> Record:
    """Return the record of the run."""
    settings = trained.settings
    about = {
        "algorithm": "bytepiece",
        "whole_characters": settings.whole_characters,
        "single_digits": settings.single_digits,
        "least": settings.least,
        "longest": settings.longest,
    }
    ratios = trained.bytes_per_token.tolist()
    rows = []
    for number, (step, ratio) in enumerate(zip(trained.rounds, ratios, strict=True), start=1):
        size = step.pieces + len(settings.specials)
        values = (number, step.step, step.pieces, size, step.tokens, ratio)
        rows.append(dict(zip(FIELDS, values, strict=True)))
    return Record(about, FIELDS, rows)
