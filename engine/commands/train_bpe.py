"""`train bpe`: its options, and what it prints."""

from __future__ import annotations

import argparse
from typing import Any

from engine.commands.common import Parser
from engine.commands.training import Algorithm
from engine.display import visible
from engine.errors import ParameterError
from engine.terminal import aligned, counted, styled
from engine.train.bpe import BpeSettings, TrainedBpe, check_settings, train_bpe
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.words import NAMES

HEAD = 12
"""Merges that are printed for a person."""


def _add_options(parser: Parser) -> None:
    parser.add_argument(
        "--byte-level",
        action="store_true",
        help="base symbols are the 256 bytes, not the characters of the corpus",
    )
    parser.add_argument(
        "--end-of-word", metavar="MARK", default="", help="mark on the last character of a word"
    )
    parser.add_argument(
        "--pre-tokenizer",
        metavar="NAME|REGEX",
        help=f"what cuts texts into words: {', '.join(NAMES)}, or a regular expression whose "
        "matches are the words; by default cl100k on bytes and whitespace on characters",
    )
    parser.add_argument(
        "--tie-break",
        choices=TIE_BREAKS,
        default=TIE_BREAKS[0],
        help="which of equally frequent pairs merges first",
    )
    parser.add_argument(
        "--min-count", metavar="N", type=int, default=2, help="lowest count of a pair that merges"
    )
    parser.add_argument(
        "--max-length", metavar="N", type=int, help="base symbols of the longest piece"
    )


def _settings(arguments: argparse.Namespace) -> BpeSettings:
    by_bytes, longest = arguments.byte_level, arguments.max_length
    if longest is not None and longest < 1:
        raise ParameterError(f"--max-length {longest}", "", "give 1 or more")
    pre_tokenizer = arguments.pre_tokenizer
    if pre_tokenizer is None:
        pre_tokenizer = "cl100k" if by_bytes else "whitespace"
    settings = BpeSettings(
        arguments.vocab_size,
        "bytes" if by_bytes else "characters",
        pre_tokenizer,
        arguments.end_of_word,
        tuple(arguments.special),
        arguments.tie_break,
        arguments.min_count,
        LONGEST if longest is None else longest,
    )
    check_settings(settings)
    return settings


def _document(trained: TrainedBpe) -> dict[str, Any]:
    return {
        "base_symbols": len(trained.merges.base),
        "merges": len(trained.merges),
        "tie_break": trained.merges.tie_break,
    }


def _notes(trained: TrainedBpe) -> list[str]:
    """Return why the vocabulary is smaller than asked for, if it is."""
    if trained.merges.ended == "size":
        return []
    settings = trained.settings
    why = f"no further pair occurs {counted(settings.least, 'time')}"
    if settings.longest < LONGEST:
        symbols = counted(settings.longest, "base symbol")
        why += f" and makes a piece of at most {symbols}"
    return [f"{why}: the vocabulary ends at {counted(trained.size, 'piece')}"]


def _lines(trained: TrainedBpe) -> list[str]:
    learnt = trained.merges
    symbols = learnt.symbols
    rows = [
        [
            str(k + 1),
            visible(symbols[int(learnt.left[k])]),
            visible(symbols[int(learnt.right[k])]),
            f"{int(learnt.count[k]):,}",
            f"{int(learnt.ties[k]):,}",
        ]
        for k in range(min(HEAD, len(learnt)))
    ]
    table = aligned(["merge", "left", "right", "count", "pairs of that count"], rows, "><<>>")
    shown = ["", styled(table[0], "dim"), *table[1:]] if rows else []
    return [f"ties: {learnt.tie_break}", *shown]


BPE = Algorithm(
    "bpe",
    "a BPE vocabulary: the most frequent pair merges, over and over",
    BpeSettings,
    "merges",
    _add_options,
    _settings,
    train_bpe,
    _document,
    _notes,
    _lines,
)
