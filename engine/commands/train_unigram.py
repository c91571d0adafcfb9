"""`train unigram`: its options, and what it prints."""

from __future__ import annotations

import argparse
from typing import Any

from engine.commands.common import Parser
from engine.commands.training import Algorithm
from engine.terminal import aligned, counted, number, styled
from engine.train.scripts import Constraints
from engine.train.unigram import (
    LONGEST,
    RULES,
    TrainedUnigram,
    UnigramSettings,
    check_settings,
    train_unigram,
)

_USUAL = UnigramSettings(0)


def _add_options(parser: Parser) -> None:
    parser.add_argument(
        "--normalizer",
        choices=RULES,
        default=_USUAL.normalizer,
        help="SentencePiece's normalizer that texts go through first, by name",
    )
    parser.add_argument(
        "--no-prefix", action="store_true", help="put no \u2581 before the first word of a line"
    )
    parser.add_argument(
        "--keep-spaces",
        action="store_true",
        help="keep spaces at the ends of a line, and each of a run",
    )
    parser.add_argument(
        "--coverage",
        metavar="SHARE",
        type=float,
        default=_USUAL.coverage,
        help="share of the corpus's characters that are to have a piece of their own",
    )
    parser.add_argument(
        "--byte-fallback", action="store_true", help="write other characters as bytes"
    )
    parser.add_argument(
        "--across-spaces", action="store_true", help="let a piece hold \u2581 inside"
    )
    parser.add_argument(
        "--across-scripts", action="store_true", help="let a piece hold more than one script"
    )
    parser.add_argument(
        "--across-digits", action="store_true", help="let a piece hold digits and letters"
    )
    parser.add_argument(
        "--single-digits", action="store_true", help="make each digit a piece of its own"
    )
    parser.add_argument(
        "--max-length",
        metavar="N",
        type=int,
        default=_USUAL.longest,
        help=f"characters of the longest piece, 1 to {LONGEST}",
    )
    parser.add_argument(
        "--seed-pieces",
        metavar="N",
        type=int,
        default=_USUAL.seeds,
        help="frequent substrings to begin with, at most",
    )
    parser.add_argument(
        "--shrink",
        metavar="SHARE",
        type=float,
        default=_USUAL.shrink,
        help="share of the pieces that is left after each round",
    )
    parser.add_argument(
        "--em-steps", metavar="N", type=int, default=_USUAL.steps, help="EM steps in each round"
    )


def _settings(arguments: argparse.Namespace) -> UnigramSettings:
    settings = UnigramSettings(
        arguments.vocab_size,
        arguments.normalizer,
        not arguments.no_prefix,
        not arguments.keep_spaces,
        arguments.coverage,
        arguments.byte_fallback,
        tuple(arguments.special),
        Constraints(
            not arguments.across_spaces,
            not arguments.across_scripts,
            not arguments.across_digits,
            arguments.single_digits,
        ),
        arguments.max_length,
        arguments.seed_pieces,
        arguments.shrink,
        arguments.em_steps,
    )
    check_settings(settings)
    return settings


def _document(trained: TrainedUnigram) -> dict[str, Any]:
    return {
        "pieces": trained.size,
        "characters": trained.n_characters,
        "rounds": len(trained.rounds),
        "objective": trained.rounds[-1].objective,
    }


def _notes(trained: TrainedUnigram) -> list[str]:
    """Return why the vocabulary is smaller than asked for, if it is, and what has no piece."""
    notes = []
    if trained.ended == "corpus":
        notes.append(
            f"the corpus has no further piece: the vocabulary ends at "
            f"{counted(trained.size, 'piece')}"
        )
    if trained.left_out:
        how = "bytes" if trained.settings.byte_fallback else "<unk>"
        notes.append(
            f"{counted(trained.left_out, 'character')} of the corpus without a piece, written as "
            f"{how}"
        )
    return notes


def _lines(trained: TrainedUnigram) -> list[str]:
    rows = [
        [str(k), f"{row.pieces:,}", number(row.objective, 4), f"{row.tokens:,}", number(ratio, 2)]
        for k, (row, ratio) in enumerate(
            zip(trained.rounds, trained.bytes_per_token.tolist(), strict=True), 1
        )
    ]
    heads = ["round", "pieces", "nats a word", "tokens", "bytes a token"]
    table = aligned(heads, rows, ">>>>>")
    return ["", styled(table[0], "dim"), *table[1:]]


UNIGRAM = Algorithm(
    "unigram",
    "a Unigram vocabulary: EM over frequent substrings, pruned to the size",
    UnigramSettings,
    "rounds",
    _add_options,
    _settings,
    train_unigram,
    _document,
    _notes,
    _lines,
)
