"""`encode` and `decode`: from a text to ids and back."""

from __future__ import annotations

import argparse
import re

import numpy as np

from engine.commands.common import (
    Subparsers,
    add_model,
    add_special,
    add_text,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
    token_rows,
)
from engine.display import hexadecimal, visible
from engine.errors import ParameterError
from engine.metrics import unwritten
from engine.terminal import aligned, counted, styled


def add(subparsers: Subparsers) -> None:
    """Add both commands."""
    parser = new_command(subparsers, "encode", "cut a text into tokens", run_encode)
    add_model(parser)
    add_text(parser)
    add_special(parser)
    parser.add_argument(
        "--add-special", action="store_true", help="add the model's own start and end tokens"
    )
    parser = new_command(subparsers, "decode", "turn ids back into text", run_decode)
    add_model(parser)
    parser.add_argument("--ids", metavar="1,2,3", required=True, help="ids with commas between")


def run_encode(arguments: argparse.Namespace) -> None:
    """Print the tokens of a text."""
    model = open_model(arguments, arguments.model)
    text = read_text(arguments)
    encoding = model.encode(text, arguments.special, arguments.add_special)
    tokens = token_rows(encoding)
    found = encoding.special_found
    lost = int(np.count_nonzero(unwritten(model, encoding)))
    if arguments.json:
        print_json(
            {
                "ids": encoding.ids.tolist(),
                "tokens": tokens,
                "n_bytes": text.n_bytes,
                "n_chars": text.n_chars,
                "n_graphemes": text.n_graphemes,
                "n_tokens": len(encoding),
                "special_found": [{"text": s.text, "start_char": s.start_char} for s in found],
                "unknown_chars": lost,
            }
        )
        return
    rows = []
    for i, token in enumerate(tokens):
        data = bytes.fromhex(token["bytes"])
        rows.append(
            [
                str(i),
                str(token["id"]),
                visible(data),
                token["text"] if token["text"].encode() != data else "",
                hexadecimal(data),
                f"{token['start_byte']}–{token['end_byte']}",
                f"{token['start_char']}–{token['end_char']}",
            ]
        )
    heading = ["token", "id", "text", "in the file", "bytes", "at byte", "at character"]
    lines = aligned(heading, rows, ">><<<>>") if rows else []
    lines[:1] = [styled(line, "dim") for line in lines[:1]]
    lines.append(
        f"{counted(len(encoding), 'token')}, {counted(text.n_graphemes, 'grapheme')}, "
        f"{counted(text.n_chars, 'character')}, {counted(text.n_bytes, 'byte')}"
    )
    lines += [
        f"{styled('note:', 'yellow')} {visible(s.text.encode())} at character {s.start_char} "
        f"spells a special token (read with --special {arguments.special})"
        for s in found
    ]
    if lost:
        lines.append(
            f"{styled('note:', 'yellow')} {counted(lost, 'character')} of the text "
            "can't be read back from the tokens: unknown to the model, or left out by it"
        )
    print_lines(lines)


def run_decode(arguments: argparse.Namespace) -> None:
    """Print the text that ids stand for."""
    ids = parse_ids(arguments.ids)
    data = open_model(arguments, arguments.model).decode(ids)
    text = data.decode("utf-8", errors="replace")
    try:
        data.decode("utf-8")
        valid = True
    except UnicodeDecodeError:
        valid = False
    if arguments.json:
        print_json({"text": text, "bytes": data.hex(), "valid_utf8": valid})
        return
    lines = [text]
    if not valid:
        lines.append(f"{styled('note:', 'yellow')} not valid UTF-8: {hexadecimal(data)}")
    print_lines(lines)


def parse_ids(text: str) -> list[int]:
    """Return the ids of a list with commas or spaces between."""
    words = re.split(r"\s*,\s*|\s+", text.strip())
    ids = []
    for place, word in enumerate(words):
        if not word and len(words) == 1:
            break
        if not re.fullmatch(r"[0-9]{1,18}", word):
            raise ParameterError(
                f"{word!r} is no id", f"--ids, item {place + 1}", "write whole numbers from 0 up"
            )
        ids.append(int(word))
    return ids
