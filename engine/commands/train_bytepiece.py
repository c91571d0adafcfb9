"""`train bytepiece`: its options, and what it prints."""

from __future__ import annotations

import argparse
from typing import Any

from engine.commands.common import Parser
from engine.commands.training import Algorithm
from engine.errors import ParameterError
from engine.terminal import aligned, counted, number, styled
from engine.train.bytepiece import (
    BytePieceSettings,
    TrainedBytePiece,
    check_settings,
    train_bytepiece,
)

_USUAL = BytePieceSettings(0)


def _add_options(parser: Parser) -> None:
    parser.add_argument(
        "--min-count",
        metavar="N",
        type=int,
        default=_USUAL.least,
        help="lowest count of an n-gram of bytes and of a piece",
    )
    parser.add_argument(
        "--max-length",
        metavar="N",
        type=int,
        default=_USUAL.longest,
        help="bytes of the longest piece",
    )
    parser.add_argument(
        "--split-characters",
        action="store_true",
        help="let pieces begin and end inside a character (else: ensure_unicode)",
    )
    parser.add_argument(
        "--single-digits",
        action="store_true",
        help="make each digit a piece of its own (isolate_digits)",
    )


def _settings(arguments: argparse.Namespace) -> BytePieceSettings:
    if arguments.special:
        own = ", ".join(_USUAL.specials)
        raise ParameterError(
            f"a BytePiece model has the special tokens {own} and no others",
            "",
            "leave out --special",
        )
    settings = BytePieceSettings(
        arguments.vocab_size,
        arguments.min_count,
        arguments.max_length,
        not arguments.split_characters,
        arguments.single_digits,
    )
    check_settings(settings)
    return settings


def _document(trained: TrainedBytePiece) -> dict[str, Any]:
    return {"pieces": trained.size, "rounds": len(trained.rounds)}


def _notes(trained: TrainedBytePiece) -> list[str]:
    """Return why the vocabulary is smaller than asked for, if it is."""
    settings, lacking = trained.settings, trained.settings.size - trained.size
    if not lacking:
        return []
    why = f"no further piece is cut {counted(settings.least, 'time')}"
    if any(step.step == "cap" for step in trained.rounds):
        why = f"{lacking:,} of the pieces asked for are cut better by others"
    return [f"{why}: the vocabulary ends at {counted(trained.size, 'piece')}"]


def _lines(trained: TrainedBytePiece) -> list[str]:
    rows = [
        [str(k), step.step, f"{step.pieces:,}", f"{step.tokens:,}", number(ratio, 2)]
        for k, (step, ratio) in enumerate(
            zip(trained.rounds, trained.bytes_per_token.tolist(), strict=True), start=1
        )
    ]
    table = aligned(["step", "what", "pieces", "tokens", "bytes a token"], rows, "><>>>")
    return ["", styled(table[0], "dim"), *table[1:]]


BYTEPIECE = Algorithm(
    "bytepiece",
    "a BytePiece vocabulary: text is cut by a model of its bytes, and the pieces are counted",
    BytePieceSettings,
    "bytes",
    _add_options,
    _settings,
    train_bytepiece,
    _document,
    _notes,
    _lines,
)
