"""What the commands share: where text and models come from, and how results are printed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from engine import bundled
from engine.display import visible
from engine.errors import ModelError, ParameterError, TextError
from engine.formats import load, options_of
from engine.formats.bert import CASINGS
from engine.formats.folder import path_of
from engine.jsonfile import json_line, read_json
from engine.model import Encoding, Model
from engine.progress import Report, silent
from engine.readings import READINGS
from engine.text import Text

PIECES = 60
"""Pieces of one segmentation printed for a person; `--json` has all."""

PIECE_BYTES = 200
"""Bytes of one piece printed for a person: an unknown word can be as long as the text."""

Run = Callable[[argparse.Namespace], int | None]
"""Carries out a command; the exit code, where it isn't 0."""
Subparsers = Any
"""What `ArgumentParser.add_subparsers` returns; its type isn't public."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as every other fault is said."""

    def error(self, message: str) -> NoReturn:
        """Print the message in one line and exit with 2."""
        text = " ".join(message.split())
        sys.stderr.write(f"segscope: error: {text}, see {self.prog} --help\n")
        raise SystemExit(2)


class Defaults(argparse.ArgumentDefaultsHelpFormatter):
    """Says in the help what an option is without being given, where that is something to read."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.default in (None, [], ""):
            return action.help
        return super()._get_help_string(action)


def new_command(
    subparsers: Subparsers, name: str, about: str, run: Run, *, prints: bool = True
) -> Parser:
    """Add a command with the options that all have.

    prints: it has a result to print, and so `--json`.
    """
    parser: Parser = subparsers.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        formatter_class=Defaults,
        allow_abbrev=False,
    )
    if prints:
        parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show a traceback on failure",
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_model(parser: Parser, *, many: bool = False, optional: bool = False) -> None:
    """Add MODEL and what a rank file leaves out."""
    names = ", ".join(model.name for model in bundled.models())
    about = f"a model file, or a bundled model's name: {names}"
    if optional:
        parser.add_argument("--model", metavar="MODEL", help=about)
    else:
        parser.add_argument("model", metavar="MODEL", nargs="+" if many else None, help=about)
    parser.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help="split pattern of a rank file or of GPT-2's pair: gpt2, cl100k, o200k, none, or a "
        "regular expression",
    )
    parser.add_argument(
        "--specials", metavar="FILE", help="special tokens of a rank file: a JSON object {text: id}"
    )
    parser.add_argument(
        "--casing",
        choices=CASINGS,
        help="whether a BERT vocab.txt keeps upper case; guessed if it isn't given",
    )
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="vocabulary filter of subword-nmt codes; by default the .vocab file beside them; "
        "none for no filter",
    )
    parser.add_argument(
        "--vocabulary-threshold",
        metavar="N",
        type=int,
        help="count from which pieces of the filter pass",
    )


def add_text(parser: Parser) -> None:
    """Add the sources of a text."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--text", metavar="T", help="the text itself")
    source.add_argument(
        "--file", metavar="F", help="a UTF-8 file; - is standard input, which is also read without"
    )


def add_special(parser: Parser) -> None:
    """Add how special strings in the text are read."""
    parser.add_argument(
        "--special",
        choices=READINGS,
        default="literal",
        help="how strings that spell a special token are read: literal, as text like any other; "
        "parse, as the token; forbid, as an error",
    )


def add_theta(parser: Parser) -> None:
    """Add the inverse temperature, by both its names."""
    parser.add_argument(
        "--theta",
        "--alpha",
        metavar="T",
        type=float,
        default=1.0,
        help="inverse temperature of the law: 1 the model's own, 0 uniform, large towards Viterbi",
    )


def add_seed(parser: Parser) -> None:
    """Add the seed."""
    parser.add_argument(
        "--seed", metavar="S", type=int, default=0, help="any integer; it repeats the result"
    )


def open_model(arguments: argparse.Namespace, name: str, *, among: bool = False) -> Model:
    """Load a model file or a bundled model.

    among: it is one of several, so each of the options that tell what a file leaves out is for
    those of them that take it.
    """
    path = model_path(name)
    specials = None if arguments.specials is None else read_specials(Path(arguments.specials))
    given = {
        "pattern": arguments.pattern,
        "specials": specials,
        "casing": arguments.casing,
        "vocabulary": arguments.vocabulary,
        "threshold": arguments.vocabulary_threshold,
    }
    if among:
        taken = options_of(path)
        given = {option: value for option, value in given.items() if option in taken}
    return load(path, **given)


def read_specials(path: Path) -> dict[str, int]:
    """Read special tokens: a JSON object from their text to their id."""
    content = read_json(path, ParameterError, "the file of special tokens")
    if isinstance(content, dict) and all(type(i) is int and i >= 0 for i in content.values()):
        return content
    raise ParameterError(
        "the special tokens aren't a JSON object from text to id",
        str(path),
        'write them as {"<|endoftext|>": 100257}',
    )


def model_path(name: str) -> Path:
    """Return the path of a model file, or of a bundled model where no such file is there."""
    if name.startswith(bundled.PREFIX):
        return bundled.locate_model(name)
    path = path_of(name)
    if not path.exists():
        for model in bundled.models():
            if model.name == name:
                return model.path
        names = ", ".join(model.name for model in bundled.models())
        raise ModelError(
            "there is no such model file", name, f"check the path, or use a bundled model: {names}"
        )
    return path


def read_text(arguments: argparse.Namespace) -> Text:
    """Return the text asked for, its bytes as they are."""
    if arguments.text is not None:
        # The shell's bytes, where they weren't UTF-8, come as lone surrogates.
        try:
            return Text.from_bytes(os.fsencode(arguments.text), "--text")
        except UnicodeEncodeError:
            return Text(arguments.text)
    if arguments.file in (None, "-"):
        if sys.stdin is None:
            raise TextError("standard input is closed", "", "give a text by --text or --file")
        if sys.stdin.isatty():
            sys.stderr.write("reading the text from the terminal; Ctrl+D ends it\n")
        return Text.from_bytes(sys.stdin.buffer.read(), "standard input")
    try:
        data = Path(arguments.file).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise TextError(
            f"the text can't be read ({reason})", arguments.file, "check the path"
        ) from None
    return Text.from_bytes(data, arguments.file)


def print_json(document: Any) -> None:
    """Print one JSON document, UTF-8, null for what isn't a finite number."""
    sys.stdout.write(json_line(document))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines for a person."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def in_short(piece: bytes, most: int = PIECE_BYTES) -> str:
    """Return bytes as a person reads them; of more than `most` the first ones, and their number."""
    if len(piece) <= most:
        return visible(piece)
    end = most
    while end > most - 3 and piece[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return f"{visible(piece[:end])}… ({len(piece):,} bytes)"


def in_a_row(pieces: Iterable[str]) -> str:
    """Return pieces (bytes in hexadecimal) in one line for a person, at most PIECES of them."""
    listed = list(pieces)
    shown = " | ".join(in_short(bytes.fromhex(piece)) for piece in listed[:PIECES])
    more = len(listed) - PIECES
    return f"{shown} … {more:,} more" if more > 0 else shown


def token_rows(encoding: Encoding) -> list[dict[str, Any]]:
    """Return the tokens as the contract's `tokens`."""
    bounds = encoding.text.char_bounds
    text = cache(encoding.vocabulary.text)
    digits = cache(lambda piece: encoding.vocabulary.bytes(piece).hex())
    starts = np.searchsorted(bounds, encoding.start, side="right") - 1
    ends = np.searchsorted(bounds, encoding.end, side="left")
    return [
        {
            "id": piece,
            "text": text(piece),
            "bytes": digits(piece),
            "start_byte": start,
            "end_byte": end,
            "start_char": start_char,
            "end_char": end_char,
        }
        for piece, start, end, start_char, end_char in zip(
            encoding.ids.tolist(),
            encoding.start.tolist(),
            encoding.end.tolist(),
            starts.tolist(),
            ends.tolist(),
            strict=True,
        )
    ]


def terminal_report(what: str) -> Report:
    """Return a report that counts on the terminal, and says nothing elsewhere."""
    if not sys.stderr.isatty():
        return silent

    def report(done: int, total: int) -> None:
        line = f"{done} of {total} {what}" if done < total else ""
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    return report
