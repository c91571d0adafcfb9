"""`lattice`: all pieces that match, the best paths, and the exact law."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from engine.commands.common import (
    Subparsers,
    add_model,
    add_special,
    add_text,
    add_theta,
    in_a_row,
    in_short,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
)
from engine.constrain import Action, Constrained, Constraint, constrain
from engine.errors import ParameterError
from engine.lattice import Lattice
from engine.lattice_document import describe, describe_constrained, listed_id, listed_spans
from engine.terminal import aligned, counted, fits, number, styled, ways
from engine.text import Unit

SHOWN_EDGES = 200
"""Edges printed for a person; `--json` has all."""

BRIEF = 18
"""Characters of a place that a message repeats, and digits of a position or id that count."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "lattice", "show all ways to cut a text", run)
    add_model(parser)
    add_text(parser)
    add_special(parser)
    add_theta(parser)
    parser.add_argument("--nbest", metavar="N", type=int, default=6, help="how many best paths")
    parser.add_argument(
        "--unit",
        choices=("byte", "char", "grapheme"),
        default="byte",
        help="what positions count, in the text as given",
    )
    for name, about in (
        ("pin", "have a token at the span S:E, of the piece ID if given, or a boundary at S"),
        ("forbid", "have no token at the span S:E (of the piece ID), or no boundary at S"),
    ):
        parser.add_argument(
            f"--{name}",
            metavar="S[:E[:ID]]",
            action="append",
            default=[],
            help=f"{about}; S, E and ID as edges are listed in --unit; may be repeated",
        )
    parser.add_argument(
        "--format", choices=("dot", "svg", "tikz"), help="print a picture instead of figures"
    )


def run(arguments: argparse.Namespace) -> None:
    """Print the lattice of a text."""
    if arguments.format and arguments.json:
        raise ParameterError("--json and --format exclude each other", "", "leave one out")
    if arguments.nbest < 1:
        raise ParameterError(
            f"{arguments.nbest} best paths are asked for", "--nbest", "ask for 1 up"
        )
    model = open_model(arguments, arguments.model)
    text = read_text(arguments)
    lattice = model.lattice(text, arguments.special)
    asked: tuple[tuple[Action, list[str]], ...] = (
        ("pin", arguments.pin),
        ("forbid", arguments.forbid),
    )
    constraints = [
        parse_constraint(place, action, lattice, arguments.unit)
        for action, places in asked
        for place in places
    ]
    constrained = constrain(lattice, constraints, arguments.unit) if constraints else None
    if arguments.format:
        print_lines([_picture(lattice, constrained, arguments).rstrip("\n")])
        return
    theta, unit, n = arguments.theta, arguments.unit, arguments.nbest
    if constrained is not None:
        document = describe_constrained(constrained, theta, unit, n)
    else:
        law = lattice.law(theta) if lattice.has_law else None
        document = describe(lattice, law, unit, n)
    if arguments.json:
        print_json(document)
    else:
        print_lines(_for_people(document))


def parse_constraint(place: str, action: Action, lattice: Lattice, unit: Unit) -> Constraint:
    """Return the constraint that `S`, `S:E` or `S:E:ID` stands for; positions count `unit`.

    A span means all edges that are listed with this start, end and id, whatever bytes they cover.
    """
    parts, option, text = place.split(":"), f"--{action}", lattice.prepared.text
    if not (1 <= len(parts) <= 3 and all(part.isascii() and part.isdecimal() for part in parts)):
        raise ParameterError(
            f"{_in_brief(place)!r} is no place",
            option,
            "write a span START:END, an edge START:END:ID or the place of a boundary",
        )
    shown = ":".join(map(_in_brief, parts))
    start, *more = map(_whole_number, parts)
    end = more[0] if more else start
    if start > end:
        raise ParameterError(
            f"{shown!r} isn't a span", option, "write START:END, START not after END"
        )
    last = len(text.bounds(unit)) - 1
    if end > last:
        raise ParameterError(
            f"{shown} lies outside of the text", option, f"{unit} positions end at {last}"
        )
    piece = more[1] if len(more) > 1 else None
    highest = lattice.vocabulary.max_id
    if piece is not None and piece > highest:
        raise ParameterError(
            f"the model has no piece {_in_brief(parts[2])}; the highest id is {highest}",
            option,
            "give an id that `lattice` lists",
        )
    first, behind = text.byte(unit, start), text.byte(unit, end)
    if not more:
        return Constraint(action, first, behind)
    if lattice.uncovered is not None:
        raise lattice.uncovered
    starts, ends = listed_spans(lattice, unit)
    found = np.flatnonzero((starts == start) & (ends == end)).tolist()
    if piece is not None:
        found = [edge for edge in found if listed_id(lattice, edge) == piece]
    if not found:
        said = "pinned" if action == "pin" else "forbidden"
        of_piece = "" if piece is None else f", with the piece {piece}"
        raise ParameterError(
            f"no piece covers the {said} span, {unit}s {start} to {end}{of_piece}",
            option,
            "give START:END or START:END:ID as `lattice` lists an edge in this unit",
        )
    return Constraint(action, first, behind, piece, edges=tuple(found))


def _in_brief(given: str) -> str:
    """Return what was given for a message of one line."""
    return given if len(given) <= BRIEF else f"{given[:4]}…"


def _whole_number(digits: str) -> int:
    """Return the number that ASCII digits write; of very many the largest that is told apart."""
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= BRIEF else 10**BRIEF


def _picture(
    lattice: Lattice, constrained: Constrained | None, arguments: argparse.Namespace
) -> str:
    if constrained is not None:
        lattice = constrained.lattice
    if arguments.format == "svg":
        from engine.svg import lattice_svg

        theta, n, unit = arguments.theta, arguments.nbest, arguments.unit
        return lattice_svg(lattice, theta, n, unit=unit, constrained=constrained)
    from engine.dot import lattice_dot, lattice_tikz

    draw = lattice_dot if arguments.format == "dot" else lattice_tikz
    return draw(lattice, arguments.theta)


def _for_people(document: dict[str, Any]) -> list[str]:
    edges = document["edges"]
    size = f"{counted(len(edges), 'edge')} over {counted(document['positions'], 'position')}"
    lines = [f"{size} ({document['unit']}), {ways(document['paths'])}"]
    if document["law"]:
        lines.append(f"no law: {document['law']}")
    else:
        lines.append(
            f"at θ = {document['theta']:g}: entropy {number(document['entropy_nats'], 4)} nats, "
            f"log-partition {number(document['log_partition'], 4)}, "
            f"{number(document['expected_tokens'], 3)} tokens expected"
        )
    if "constraints" in document:
        lines += _constraints_for_people(document)
    lines += ["", *_paths_for_people(document), ""] if document["path"] else [""]
    shown = edges
    if len(edges) > SHOWN_EDGES:
        keys = [(not e["canonical"], -(e["marginal"] or 0), i) for i, e in enumerate(edges)]
        shown = [edges[i] for _, _, i in sorted(sorted(keys)[:SHOWN_EDGES], key=lambda key: key[2])]
    heading = ["", "start", "end", "id", "piece", "score", "probability"]
    if document["law"]:
        heading = ["", "start", "end", "id", "piece", "rank"]
    rows = []
    for edge in shown:
        row = [
            "*" if edge["canonical"] else "~" if edge["non_canonical"] else "",
            str(edge["start"]),
            str(edge["end"]),
            "–" if edge["id"] is None else str(edge["id"]),
            in_short(bytes.fromhex(edge["bytes"])),
        ]
        if document["law"]:
            row.append(number(edge["rank"]))
        else:
            row += [number(edge["score"]), fits(edge["marginal"])]
        rows.append(row)
    table = aligned(heading, rows, "<>>><>>")
    lines += [styled(table[0], "dim"), *table[1:]]
    if document["path"]:
        lines.append("* on the path that the model takes")
    if any(edge["non_canonical"] for edge in shown):
        lines.append("~ non-canonical: merging would change it, whatever stands beside it")
    if len(shown) < len(edges):
        lines.append(
            f"{number(len(edges) - len(shown))} less likely edges aren't shown; --json has all"
        )
    return lines


def _constraints_for_people(document: dict[str, Any]) -> list[str]:
    """Return what is pinned and forbidden, and what it costs."""
    unit, lines = document["unit"], [""]
    for entry in document["constraints"]:
        place = f"{unit} {entry['start']}"
        if entry["target"] != "boundary":
            place = f"{unit}s {entry['start']} to {entry['end']}"
        piece = f", piece {entry['id']}" if entry["target"] == "edge" else ""
        said = "pinned" if entry["action"] == "pin" else "forbidden"
        lines.append(f"{said} {entry['target']}: {place}{piece}")
    without, price = document["without"], document["cost"]
    told = f"without: {ways(without['paths'])}"
    if price:
        told += (
            f", entropy {number(without['entropy_nats'], 4)} nats, "
            f"log-partition {number(without['log_partition'], 4)}, "
            f"{number(without['expected_tokens'], 3)} tokens expected"
        )
    lines.append(told)
    if price:
        ratio = "over 1e300" if price["ratio"] is None else number(price["ratio"], 2)
        nats = number(abs(price["score"]), 3)
        lines.append(
            f"cost: the best path is {nats} nats lower, {ratio} times less likely; "
            f"{fits(price['share'])} of all probability obeys"
        )
    verb = "obeys" if document["obeys"] else "doesn't obey"
    lines.append(f"the model's own path {verb}")
    return lines


def _paths_for_people(document: dict[str, Any]) -> list[str]:
    rows = [["model", *_path_cells(document["path"])]]
    for i, path in enumerate(document["nbest"] or [], 1):
        rows.append([f"best {i}", *_path_cells(path)])
    for i, path in enumerate(document.get("remaining") or [], 1):
        rows.append([f"left {i}", *_path_cells(path)])
    heading = ["path", "probability", "score", "tokens", "pieces"]
    if document["law"]:
        rows = [[row[0], *row[3:]] for row in rows]
        heading = ["path", "tokens", "pieces"]
        table = aligned(heading, rows, "<><")
    else:
        table = aligned(heading, rows, "<>>><")
    return [styled(table[0], "dim"), *table[1:]]


def _path_cells(path: dict[str, Any]) -> list[str]:
    score, size = number(path["score"]), str(len(path["ids"]))
    return [fits(path["probability"]), score, size, in_a_row(path["bytes"])]
