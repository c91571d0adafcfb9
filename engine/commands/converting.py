"""`convert`: a model in another format, or what that format can't hold."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.commands.common import (
    Subparsers,
    add_model,
    new_command,
    open_model,
    print_json,
    print_lines,
    terminal_report,
)
from engine.convert import FORMATS, convert
from engine.errors import ParameterError
from engine.files import files_of
from engine.terminal import counted, styled
from engine.train.save import format_of, places


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "convert", "write a model in another format", run)
    add_model(parser)
    parser.add_argument(
        "output", metavar="OUT", type=Path, help="the file; for GPT-2's pair a folder"
    )
    parser.add_argument(
        "--format", choices=sorted(FORMATS), help="the format of OUT, if its name doesn't tell"
    )


def run(arguments: argparse.Namespace) -> None:
    """Convert and say what to know of it."""
    output: Path = arguments.output
    if not output.parent.is_dir():
        raise ParameterError("there is no such folder", str(output.parent), "make it first")
    model = open_model(arguments, arguments.model)
    endings = {name: entry.endings for name, entry in FORMATS.items()}
    name = arguments.format or format_of(output, endings)
    read = files_of(model)
    if any(file.resolve() in read for file in places(output, name)):
        raise ParameterError(
            "the new model would be written over the old one", str(output), "name another file"
        )
    name, notes = convert(model, output, name, terminal_report("thousandths"))
    vocabulary = model.vocabulary
    if arguments.json:
        print_json(
            {
                "path": str(model.path),
                "format": model.format,
                "output": str(output),
                "output_format": name,
                "algorithm": model.algorithm,
                "vocab_size": vocabulary.count,
                "warnings": list(notes),
            }
        )
        return
    print_lines(
        [
            *(f"{styled('note:', 'yellow')} {note}" for note in notes),
            f"{output}: {name}, {counted(vocabulary.count, 'piece')}",
            f"ids and cuts are those of {model.path} ({model.format})",
        ]
    )
