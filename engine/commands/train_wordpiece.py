"""`train wordpiece`: its options, and what it prints."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import Any

from engine.commands.common import Parser
from engine.commands.training import Algorithm
from engine.display import visible
from engine.errors import ParameterError
from engine.formats.bert import SPECIALS
from engine.terminal import aligned, counted, number, styled
from engine.train.merges import LONGEST, SELECTS, TIE_BREAKS
from engine.train.wordpiece import (
    PRE_TOKENIZERS,
    TrainedWordPiece,
    WordPieceSettings,
    check_settings,
    train_wordpiece,
)
from engine.train.wordpiece_record import steps_of
from engine.train.wordpiece_words import Cleaning

HEAD = 12
"""Merges that are printed for a person."""

_USUAL = WordPieceSettings(0)


def _add_options(parser: Parser) -> None:
    parser.add_argument(
        "--select",
        choices=SELECTS,
        default=_USUAL.select,
        help="which pair merges next: the most frequent one, or the one of the highest likelihood, "
        "count(ab) / (count(a) * count(b))",
    )
    parser.add_argument(
        "--pre-tokenizer",
        choices=PRE_TOKENIZERS,
        default=_USUAL.pre_tokenizer,
        help="what cuts texts into words: bert, at white space and around punctuation; or "
        "whitespace alone",
    )
    parser.add_argument("--lower-case", action="store_true", help="bert: lower-case texts first")
    parser.add_argument(
        "--accents",
        choices=("keep", "strip"),
        help="bert: what becomes of accents; by default they go with --lower-case",
    )
    parser.add_argument(
        "--whole-chinese",
        action="store_true",
        help="bert: Chinese characters are no words of their own",
    )
    parser.add_argument(
        "--tie-break",
        choices=[rule for rule in TIE_BREAKS if rule != "first-seen"],
        default=_USUAL.tie_break,
        help="which of equally good pairs merges first",
    )
    parser.add_argument(
        "--min-count",
        metavar="N",
        type=int,
        default=_USUAL.least,
        help="lowest count of a pair that merges; by likelihood a higher one gives more frequent "
        "pieces",
    )
    parser.add_argument(
        "--max-length", metavar="N", type=int, help="characters of the longest piece"
    )
    parser.add_argument(
        "--longest-word",
        metavar="N",
        type=int,
        default=_USUAL.longest_word,
        help="characters of the longest word; longer ones are unknown as a whole",
    )
    parser.add_argument(
        "--alphabet",
        metavar="N",
        type=int,
        help="characters at most, the most frequent ones; words with others aren't learnt from",
    )


def _settings(arguments: argparse.Namespace) -> WordPieceSettings:
    longest = arguments.max_length
    if longest is not None and longest < 1:
        raise ParameterError(f"--max-length {longest}", "", "give 1 or more")
    accents = None if arguments.accents is None else arguments.accents == "strip"
    # BERT's own come first; the unknown token must be there.
    specials = dict.fromkeys((*SPECIALS, *arguments.special))
    settings = WordPieceSettings(
        arguments.vocab_size,
        arguments.pre_tokenizer,
        Cleaning(arguments.lower_case, accents, not arguments.whole_chinese),
        tuple(specials),
        arguments.select,
        arguments.tie_break,
        arguments.min_count,
        LONGEST if longest is None else longest,
        arguments.longest_word,
        arguments.alphabet,
    )
    check_settings(settings)
    return settings


def _document(trained: TrainedWordPiece) -> dict[str, Any]:
    return {
        "base_symbols": len(trained.merges.base),
        "merges": len(trained.merges),
        "select": trained.settings.select,
        "tie_break": trained.settings.tie_break,
    }


def _notes(trained: TrainedWordPiece) -> list[str]:
    """Return why the vocabulary is smaller than asked for, if it is."""
    if trained.merges.ended == "size":
        return []
    settings = trained.settings
    why = f"no further pair occurs {counted(settings.least, 'time')}"
    if settings.longest < LONGEST:
        why += f" and makes a piece of at most {counted(settings.longest, 'character')}"
    return [f"{why}: the vocabulary ends at {counted(trained.size, 'piece')}"]


def _lines(trained: TrainedWordPiece) -> list[str]:
    learnt, settings = trained.merges, trained.settings
    pieces = [visible(piece.encode()) for piece in trained.pieces[len(settings.specials) :]]
    steps = islice(steps_of(trained.symbols.units, learnt, settings.select), HEAD)
    by_likelihood = settings.select == "likelihood"
    rows = []
    for k, step in enumerate(steps):
        score = [number(float(step.score), 6)] if by_likelihood else []
        rows.append(
            [
                str(k + 1),
                pieces[int(learnt.left[k])],
                pieces[int(learnt.right[k])],
                f"{int(learnt.count[k]):,}",
                *score,
                f"{int(learnt.ties[k]):,}",
            ]
        )
    heads = ["merge", "left", "right", "count", "pairs of that count"]
    if by_likelihood:
        heads[4:] = ["likelihood", "pairs of that likelihood"]
    table = aligned(heads, rows, "><<" + ">" * (len(heads) - 3))
    shown = ["", styled(table[0], "dim"), *table[1:]] if rows else []
    return [f"chosen by {settings.select}, ties: {settings.tie_break}", *shown]


WORDPIECE = Algorithm(
    "wordpiece",
    "a WordPiece vocabulary: the pair that is likeliest to belong together merges, over and over",
    WordPieceSettings,
    "merges",
    _add_options,
    _settings,
    train_wordpiece,
    _document,
    _notes,
    _lines,
)
