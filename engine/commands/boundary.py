"""`boundary`: how last tokens change as a text grows, and what a cut-off text could go on as."""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Boundary, boundary, growth
from engine.commands.common import (
    Subparsers,
    add_model,
    add_text,
    in_a_row,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
)
from engine.display import visible
from engine.errors import ParameterError
from engine.model import Model
from engine.terminal import aligned, fits, number, styled
from engine.text import Text, Unit

SHOWN = 12
"""Bytes and steps printed for a person; `--json` has all."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    about = "show how a text's last tokens change where it is cut off, and what could follow"
    parser = new_command(subparsers, "boundary", about, run)
    add_model(parser)
    add_text(parser)
    parser.add_argument(
        "--cut",
        metavar="N",
        type=int,
        help="cut the text at this place, counted in --unit; by default at its end",
    )
    parser.add_argument(
        "--unit",
        choices=("byte", "char", "grapheme"),
        default="byte",
        help="what --cut counts; a byte may lie inside a character",
    )
    parser.add_argument(
        "--nbest", metavar="N", type=int, default=20, help="covering sequences that are listed"
    )


def run(arguments: argparse.Namespace) -> None:
    """Print the boundary of a text."""
    if arguments.nbest < 1:
        raise ParameterError(
            f"{arguments.nbest} sequences are asked for", "--nbest", "give 1 or more"
        )
    model = open_model(arguments, arguments.model)
    text = read_text(arguments)
    place = cut_byte(text, arguments.unit, arguments.cut)
    found = boundary(model, text, place)
    document = describe(model, found, arguments.nbest)
    if arguments.json:
        print_json(document)
    else:
        print_lines(_for_people(model, found, document))


def cut_byte(text: Text, unit: Unit, cut: int | None) -> int:
    """Return the byte that a place in `unit` stands for."""
    if cut is None:
        return text.n_bytes
    last = len(text.bounds(unit)) - 1
    if not 0 <= cut <= last:
        raise ParameterError(
            f"the text has no place {cut}", "--cut", f"give one from 0 to {last} ({unit}s)"
        )
    return text.byte(unit, cut)


def describe(model: Model, found: Boundary, n: int) -> dict[str, Any]:
    """Return the contract's document of a boundary, with the n first covering sequences."""
    text = model.vocabulary.text
    steps = growth(model, found.prepared.text)
    has_law = not found.law
    return {
        "prompt": found.prepared.text.string,
        "rest": found.rest.hex(),
        "seen": found.data.hex(),
        "cut_byte": found.prepared.text.n_bytes + len(found.rest),
        "tokens": {"ids": found.own, "pieces": [text(i) for i in found.own]},
        "growth": [
            {
                "end_char": step.end_char,
                "kept": step.kept,
                "gone": list(step.gone),
                "new": list(step.new),
                "gone_pieces": [text(i) for i in step.gone],
                "new_pieces": [text(i) for i in step.new],
            }
            for step in steps
        ],
        "law": found.law,
        "log_probability": found.log_probability if has_law else None,
        "coverings": str(found.count),
        "covering": [
            {
                "ids": list(one.ids),
                "pieces": list(one.pieces),
                "start_byte": one.start,
                "beyond": one.beyond.hex(),
                "probability": one.probability if has_law else None,
            }
            for one in found.covering(n)
        ],
        **(_next_bytes(found) if has_law else {"healing": None, "next_bytes": None}),
    }


def _next_bytes(found: Boundary) -> dict[str, Any]:
    exact, healed, fresh = found.next_byte(), found.healed(), found.fresh
    healing = np.zeros(256) if healed is None else healed
    listed = np.flatnonzero((exact > 0.0) | (fresh > 0.0) | (healing > 0.0))
    order = sorted(listed.tolist(), key=lambda byte: (-exact[byte], byte))
    return {
        "healing": {
            "removed": found.removed.hex(),
            "tv_distance": None if healed is None else _distance(exact, healed),
            "unhealed_tv_distance": _distance(exact, fresh),
        },
        "next_bytes": [
            {
                "byte": byte,
                "exact": float(exact[byte]),
                "healed": None if healed is None else float(healed[byte]),
                "unhealed": float(fresh[byte]),
            }
            for byte in order
        ],
    }


def _distance(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return the total variation distance of two distributions, 0 to 1."""
    return 0.5 * math.fsum(np.abs(p - q).tolist())


def _for_people(model: Model, found: Boundary, document: dict[str, Any]) -> list[str]:
    data = model.vocabulary.bytes
    own = in_a_row(data(i).hex() for i in found.own)
    lines = [f"{visible(found.data)} as it ends here: {own}", "", "as the text grows"]
    rows = [
        [
            number(step["end_char"]),
            number(step["kept"]),
            in_a_row(data(i).hex() for i in step["gone"]),
            in_a_row(data(i).hex() for i in step["new"]),
        ]
        for step in document["growth"][-SHOWN:]
    ]
    table = aligned(["characters", "stay", "go", "come"], rows, ">><<")
    lines += [styled(table[0], "dim"), *table[1:], ""]
    count = f"{int(document['coverings']):,}"
    lines.append(f"{count} token sequences cover it, {_what_covers(found)}")
    rows = [
        [
            fits(one["probability"]) if one["probability"] is not None else "",
            in_a_row(data(i).hex() for i in one["ids"]),
            visible(bytes.fromhex(one["beyond"])),
        ]
        for one in document["covering"]
    ]
    table = aligned(["probability", "pieces", "goes on"], rows, "><<")
    lines += [styled(table[0], "dim"), *table[1:]]
    if document["next_bytes"] is None:
        return [*lines, "", f"no probabilities: {found.law}"]
    rows = [
        [
            visible(bytes([entry["byte"]])),
            fits(entry["exact"]),
            "" if entry["healed"] is None else fits(entry["healed"]),
            fits(entry["unhealed"]),
        ]
        for entry in document["next_bytes"][:SHOWN]
    ]
    table = aligned(["next byte", "exact", "healed", "unhealed"], rows, "<>>>")
    lines += ["", styled(table[0], "dim"), *table[1:]]
    healing = document["healing"]
    if healing["tv_distance"] is None:
        lines.append("no piece begins with the last token, so healing can't be had")
    else:
        lines.append(
            f"token healing takes back {visible(found.removed)}; its distance to the exact law "
            f"(total variation) is {healing['tv_distance']:.4f}, without healing "
            f"{healing['unhealed_tv_distance']:.4f}"
        )
    return lines


def _what_covers(found: Boundary) -> str:
    if not found.law:
        return "by the law of independent tokens"
    return "each what the model makes of some longer text, as far as its pre-token goes"
