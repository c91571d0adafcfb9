"""What training has in common, whatever the algorithm: corpus, places, formats, what is printed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from engine import bundled
from engine.commands.common import (
    Parser,
    Subparsers,
    new_command,
    print_json,
    print_lines,
    terminal_report,
)
from engine.corpus import Invalid, open_corpus
from engine.errors import ParameterError
from engine.files import check_over
from engine.progress import Report
from engine.stopping import stopped_at_once
from engine.terminal import counted, number, styled
from engine.train.kinds import KINDS, Trained
from engine.train.record import kind_of_record, write_rows
from engine.train.save import check_format, record_of, save

_INVALID: dict[Invalid, str] = {
    "refuse": "an error",
    "skip": "left out",
    "replace": "U+FFFD in the place of what is wrong",
    "bytes": "the bytes that they are, where bytes are the base symbols",
}


@dataclass(frozen=True)
class Algorithm:
    """What an algorithm adds to the command.

    name: as it is called. about: what it trains, in a few words. settings_type: a key of `KINDS`.
    steps: what its progress counts. add_options: adds its own options. settings: made of them and
    the common ones, and checked as far as they can be without the texts. train: from texts,
    settings and a report. document: its own keys of the JSON document. notes: what to know of the
    run, as why it ended early. lines: what a person sees below the sum. invalid: what may become
    of lines that aren't UTF-8.
    """

    name: str
    about: str
    settings_type: type
    steps: str
    add_options: Callable[[Parser], None]
    settings: Callable[[argparse.Namespace], Any]
    train: Callable[[Iterable[str], Any, Report], Trained]
    document: Callable[[Any], dict[str, Any]]
    notes: Callable[[Any], list[str]]
    lines: Callable[[Any], list[str]]
    invalid: tuple[Invalid, ...] = ("refuse", "skip", "replace")


def add_algorithm(algorithms: Subparsers, algorithm: Algorithm) -> None:
    """Add the command of an algorithm: the options that all share, then its own."""
    parser = new_command(
        algorithms, algorithm.name, f"train {algorithm.about}", partial(_run, algorithm)
    )
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
        help="pieces of the vocabulary, special tokens among them",
    )
    parser.add_argument("--output", metavar="OUT", type=Path, required=True, help="the model file")
    parser.add_argument(
        "--format",
        choices=sorted(KINDS[algorithm.settings_type].writers),
        help="the format of OUT, if its ending doesn't tell",
    )
    algorithm.add_options(parser)
    parser.add_argument(
        "--special", metavar="TEXT", action="append", default=[], help="a special token; repeatable"
    )
    parser.add_argument(
        "--invalid",
        choices=algorithm.invalid,
        default="refuse",
        help="what becomes of lines that aren't valid UTF-8: "
        + "; ".join(f"{name}, {_INVALID[name]}" for name in algorithm.invalid),
    )
    parser.add_argument(
        "--log",
        metavar="FILE",
        type=Path,
        help="write what each step did, a row for each, as .csv or .json",
    )
    if KINDS[algorithm.settings_type].record_ties is not None:
        parser.add_argument(
            "--ties",
            action="store_true",
            help="with --log: write the whole tie set of each merge, which takes time and room",
        )


def _run(algorithm: Algorithm, arguments: argparse.Namespace) -> None:
    """Train, write the model and the record, and print what came out."""
    begun = time.perf_counter()
    if getattr(arguments, "ties", False) and arguments.log is None:
        raise ParameterError("--ties is for the record", "", "add --log FILE")
    settings = algorithm.settings(arguments)
    files = _check(settings, arguments.output, arguments.format or "", arguments.log)
    paths = [bundled.locate_corpus(path) for path in arguments.corpus]
    corpus = open_corpus(paths, invalid=arguments.invalid)
    read = {language.path: "the corpus" for language in corpus}
    if getattr(arguments, "given", None) is not None:
        read[Path(arguments.given)] = "the given merges"
    written = dict.fromkeys(files, "the vocabulary")
    if arguments.log is not None:
        check_over({arguments.log: "the record"}, written)
        written[arguments.log] = "the record"
    check_over(written, read)
    with stopped_at_once():  # nothing is written yet
        texts = [line + "\n" for language in corpus for line in corpus.lines(language)]
        trained = algorithm.train(texts, settings, terminal_report(algorithm.steps))
    notes = [
        *corpus.notes,
        *algorithm.notes(trained),
        *save(trained, arguments.output, arguments.format or ""),
    ]
    if arguments.log is not None:
        with stopped_at_once():  # tie sets take as long as the run
            ties = getattr(arguments, "ties", False)
            record = record_of(trained, ties, terminal_report("merges, for their ties"))
        write_rows(record, arguments.log)
    seconds = time.perf_counter() - begun
    if arguments.json:
        print_json(
            {
                "algorithm": algorithm.name,
                "output": str(arguments.output),
                "vocab_size": trained.size,
                **algorithm.document(trained),
                "special_tokens": list(settings.specials),
                "corpus": _of_corpus(trained),
                "tokens": trained.n_tokens,
                "seconds": round(seconds, 3),
                "warnings": notes,
            }
        )
    else:
        print_lines(
            [
                *(f"{styled('note:', 'yellow')} {note}" for note in notes),
                f"{arguments.output}: {trained.summary}",
                *_compression(trained, seconds),
                *algorithm.lines(trained),
            ]
        )


def _check(settings: Any, output: Path, name: str, log: Path | None) -> tuple[Path, ...]:
    """Return the model's files; raise what would be raised later, before anything is read."""
    if log is not None:
        kind_of_record(log)
    files = check_format(settings, output, name)
    for place in (output, log):
        if place is not None and not place.parent.is_dir():
            raise ParameterError("there is no such folder", str(place.parent), "make it first")
    return files


def _of_corpus(trained: Trained) -> dict[str, int]:
    words = trained.words
    return {
        "lines": words.n_texts,
        "words": words.total,
        "different_words": len(words),
        "chars": words.n_chars,
        "bytes": words.n_bytes,
    }


def _compression(trained: Trained, seconds: float) -> list[str]:
    words = trained.words
    corpus = f"{counted(words.n_texts, 'line')}, {counted(words.total, 'word')}"
    ratio = number(words.n_bytes / max(trained.n_tokens, 1), 2)
    return [
        f"{corpus} ({len(words):,} different), {counted(words.n_bytes, 'byte')}",
        f"{counted(trained.n_tokens, 'token')}, {ratio} bytes a token, in {number(seconds, 1)} s",
    ]
