"""`train bpe`: its options, and what it prints."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from engine.commands.common import Parser
from engine.commands.training import Algorithm
from engine.display import visible
from engine.errors import ParameterError
from engine.terminal import aligned, counted, styled
from engine.train.bpe import BpeSettings, Style, TrainedBpe, check_settings, train_bpe
from engine.train.given import read_given
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.veto import PatternVeto
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
    parser.add_argument(
        "--given",
        metavar="FILE",
        type=Path,
        help="merges to begin with, whatever their counts: a BPE model, or lines `left right` "
        "(on bytes in GPT-2's alphabet)",
    )
    parser.add_argument(
        "--veto",
        metavar="REGEX",
        help="no merge makes a piece in which this regular expression finds a match",
    )


def _settings(arguments: argparse.Namespace) -> BpeSettings:
    by_bytes, longest = arguments.byte_level, arguments.max_length
    if longest is not None and longest < 1:
        raise ParameterError(f"--max-length {longest}", "", "give 1 or more")
    pre_tokenizer = arguments.pre_tokenizer
    if pre_tokenizer is None:
        pre_tokenizer = "cl100k" if by_bytes else "whitespace"
    style: Style = "bytes" if by_bytes else "characters"
    if arguments.invalid == "bytes" and not by_bytes:
        raise ParameterError(
            "--invalid bytes wants bytes for base symbols, and these are characters",
            "",
            "add --byte-level, or choose refuse, skip or replace",
        )
    settings = BpeSettings(
        arguments.vocab_size,
        style,
        pre_tokenizer,
        arguments.end_of_word,
        tuple(arguments.special),
        arguments.tie_break,
        arguments.min_count,
        LONGEST if longest is None else longest,
        () if arguments.given is None else read_given(arguments.given, style),
        None if arguments.veto is None else PatternVeto(arguments.veto),
    )
    check_settings(settings)
    return settings


def _document(trained: TrainedBpe) -> dict[str, Any]:
    return {
        "base_symbols": len(trained.merges.base),
        "merges": len(trained.merges),
        "given_merges": trained.merges.given,
        "tie_break": trained.merges.tie_break,
    }


def _notes(trained: TrainedBpe) -> list[str]:
    """Return which given merges the corpus doesn't hold, and why the vocabulary is small if so."""
    notes, merges = [], trained.merges
    absent = int(np.count_nonzero(merges.count[: merges.given] == 0))
    if absent:
        notes.append(f"{counted(absent, 'given merge')} of pairs that the corpus doesn't hold")
    if merges.ended == "size":
        return notes
    settings = trained.settings
    why = f"no further pair occurs {counted(settings.least, 'time')}"
    if settings.longest < LONGEST:
        symbols = counted(settings.longest, "base symbol")
        why += f" and makes a piece of at most {symbols}"
    if settings.veto is not None:
        why += " and makes a piece that the veto lets pass"
    return [*notes, f"{why}: the vocabulary ends at {counted(trained.size, 'piece')}"]


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
    ("refuse", "skip", "replace", "bytes"),
)
