"""`train`: a vocabulary learnt from texts, written as a model file."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from engine import bundled
from engine.commands.common import (
    Subparsers,
    new_command,
    print_json,
    print_lines,
    terminal_report,
)
from engine.corpus import open_corpus
from engine.display import visible
from engine.errors import ParameterError
from engine.terminal import aligned, counted, number, styled
from engine.train.bpe import BpeSettings, TrainedBpe, check_settings, train_bpe
from engine.train.merges import LONGEST, TIE_BREAKS
from engine.train.record import kind_of_record, write_record
from engine.train.save import FORMATS, check_format, save
from engine.train.words import NAMES

HEAD = 12
"""Merges that are printed for a person."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "train", "train a vocabulary from texts", run)
    parser.add_argument("algorithm", metavar="ALGORITHM", choices=("bpe",), help="bpe")
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        nargs="+",
        help=f"files or folders of text; or {bundled.PREFIX}{bundled.CORPUS}",
    )
    parser.add_argument(
        "--vocab-size",
        metavar="N",
        type=int,
        required=True,
        help="pieces of the vocabulary: base symbols, merges and special tokens",
    )
    parser.add_argument("--output", metavar="OUT", type=Path, required=True, help="the model file")
    parser.add_argument(
        "--format",
        choices=sorted(FORMATS),
        help="the format of OUT, if its ending doesn't tell",
    )
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
        "--special", metavar="TEXT", action="append", default=[], help="a special token; repeatable"
    )
    parser.add_argument(
        "--invalid",
        choices=("refuse", "skip", "replace"),
        default="refuse",
        help="what becomes of lines that aren't valid UTF-8: an error, left out, or U+FFFD in the "
        "place of what is wrong",
    )
    parser.add_argument(
        "--log", metavar="FILE", type=Path, help="write a row for each merge, as .csv or .json"
    )


def run(arguments: argparse.Namespace) -> None:
    """Train, write the model and the record, and print what came out."""
    begun = time.perf_counter()
    by_bytes = arguments.byte_level
    if arguments.max_length is not None and arguments.max_length < 1:
        raise ParameterError(f"--max-length {arguments.max_length}", "", "give 1 or more")
    settings = BpeSettings(
        arguments.vocab_size,
        "bytes" if by_bytes else "characters",
        _pre_tokenizer(arguments.pre_tokenizer, by_bytes),
        arguments.end_of_word,
        tuple(arguments.special),
        arguments.tie_break,
        arguments.min_count,
        LONGEST if arguments.max_length is None else arguments.max_length,
    )
    _check(settings, arguments.output, arguments.format or "", arguments.log)
    paths = [bundled.locate_corpus(path) for path in arguments.corpus]
    corpus = open_corpus(paths, invalid=arguments.invalid)
    _check_places(arguments.output, arguments.log, [language.path for language in corpus])
    texts = [line + "\n" for language in corpus for line in corpus.lines(language)]
    trained = train_bpe(texts, settings, terminal_report("merges"))
    notes = [
        *corpus.notes,
        *_endings(trained),
        *save(trained, arguments.output, arguments.format or ""),
    ]
    if arguments.log is not None:
        write_record(trained, arguments.log)
    seconds = time.perf_counter() - begun
    if arguments.json:
        print_json(_document(trained, arguments.output, notes, seconds))
    else:
        print_lines(_for_people(trained, arguments.output, notes, seconds))


def _pre_tokenizer(given: str | None, by_bytes: bool) -> str:
    if given is not None:
        return given
    return "cl100k" if by_bytes else "whitespace"


def _check(settings: BpeSettings, output: Path, name: str, log: Path | None) -> None:
    """Raise what would be raised later, before anything is read and trained."""
    check_settings(settings)
    if log is not None:
        kind_of_record(log)
    check_format(settings, output, name)
    for place in (output, log):
        if place is not None and not place.parent.is_dir():
            raise ParameterError("there is no such folder", str(place.parent), "make it first")


def _check_places(output: Path, log: Path | None, read: list[Path]) -> None:
    """Raise `ParameterError` where a file would be written over another that is wanted."""
    model = output.resolve()
    written = {model: "the vocabulary"}
    if log is not None:
        if log.resolve() == model or (log.resolve().parent == model and model.is_dir()):
            raise ParameterError(
                "the record would be written over the vocabulary", str(log), "name another file"
            )
        written[log.resolve()] = "the record"
    for path in read:
        what = written.get(path.resolve())
        if what is not None:
            raise ParameterError(
                f"{what} would be written over the corpus", str(path), "name another file"
            )


def _endings(trained: TrainedBpe) -> list[str]:
    """Return why the vocabulary is smaller than asked for, if it is."""
    if trained.merges.ended == "size":
        return []
    settings = trained.settings
    why = f"no further pair occurs {counted(settings.least, 'time')}"
    if settings.longest < LONGEST:
        symbols = counted(settings.longest, "base symbol")
        why += f" and makes a piece of at most {symbols}"
    return [f"{why}: the vocabulary ends at {counted(trained.size, 'piece')}"]


def _document(
    trained: TrainedBpe, output: Path, notes: list[str], seconds: float
) -> dict[str, Any]:
    words = trained.words
    return {
        "algorithm": "bpe",
        "output": str(output),
        "vocab_size": trained.size,
        "base_symbols": len(trained.merges.base),
        "merges": len(trained.merges),
        "special_tokens": list(trained.settings.specials),
        "tie_break": trained.merges.tie_break,
        "corpus": {
            "lines": words.n_texts,
            "words": words.total,
            "different_words": len(words),
            "chars": words.n_chars,
            "bytes": words.n_bytes,
        },
        "tokens": int(trained.merges.tokens[-1]),
        "seconds": round(seconds, 3),
        "warnings": notes,
    }


def _for_people(trained: TrainedBpe, output: Path, notes: list[str], seconds: float) -> list[str]:
    words, learnt = trained.words, trained.merges
    tokens = int(learnt.tokens[-1])
    corpus = f"{counted(words.n_texts, 'line')}, {counted(words.total, 'word')}"
    corpus += f" ({len(words):,} different)"
    compression = f"{counted(tokens, 'token')}, {number(trained.bytes_per_token[-1], 2)}"
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
    return [
        *(f"{styled('note:', 'yellow')} {note}" for note in notes),
        f"{output}: {trained.summary}",
        f"ties: {learnt.tie_break}",
        f"{corpus}, {counted(words.n_bytes, 'byte')}",
        f"{compression} bytes a token, in {number(seconds, 1)} s",
        "",
        *([styled(table[0], "dim"), *table[1:]] if rows else []),
    ]
