"""`lattice`: all pieces that match, the best paths, and the exact law."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    plain,
    print_json,
    print_lines,
    read_text,
)
from engine.constrain import (
    Action,
    Constrained,
    Constraint,
    constrain,
    cost,
    source_spans,
)
from engine.errors import ParameterError
from engine.lattice import Lattice, Path
from engine.law import Law
from engine.search import decimal
from engine.segmenter import EdgeKind
from engine.terminal import aligned, counted, fits, number, styled
from engine.text import Text, Unit

SHOWN_EDGES = 200
"""Edges printed for a person; `--json` has all."""

KNOWN = frozenset((EdgeKind.PIECE.value, EdgeKind.ADDED.value, EdgeKind.BYTE.value))
"""Kinds of edges that are a piece of the vocabulary."""

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
    starts, ends = _places(lattice, unit)
    found = np.flatnonzero((starts == start) & (ends == end)).tolist()
    if piece is not None:
        found = [edge for edge in found if _id(lattice, edge) == piece]
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


def describe(lattice: Lattice, law: Law | None, unit: Unit, n: int) -> dict[str, Any]:
    """Return the contract's document of a lattice, as plain JSON data (null for NaN)."""
    text = lattice.prepared.text
    best = lattice.viterbi() if law else None
    nbest = lattice.nbest(n, law.theta) if law else []
    own = lattice.path
    entry = _path_entries(lattice)
    return {
        "unit": unit,
        "positions": len(text.bounds(unit)),
        "edges": _edges(lattice, law, unit),
        "path": None
        if lattice.uncovered is not None
        else entry(own, law.probability(own) if law else math.nan),
        "viterbi": entry(best, law.probability(best)) if law and best is not None else None,
        "nbest": [entry(path, path.probability) for path in nbest] if law else None,
        "log_partition": plain(law.log_partition) if law else None,
        "entropy_nats": plain(law.entropy) if law else None,
        "expected_tokens": plain(law.expected_tokens) if law else None,
        "paths": decimal(lattice.paths),
        "theta": law.theta if law else None,
        "law": lattice.no_law or None,
    }


def describe_constrained(
    constrained: Constrained, theta: float, unit: Unit, n: int
) -> dict[str, Any]:
    """Return the document of what constraints leave, with what they cost, as plain JSON data.

    Beside the keys of `describe`, whose `path` stays the model's own: `constraints`; `obeys`,
    whether that path obeys them; `without`, the figures without constraints; `cost`, null where
    there is no law; `remaining`, segmentations of the fewest tokens where there is none.
    """
    whole, lattice = constrained.whole, constrained.lattice
    law = lattice.law(theta) if lattice.has_law else None
    document = describe(lattice, law, unit, n)
    own = math.nan
    if law is not None:
        own = law.probability(lattice.path) if constrained.obeyed else 0.0
    entry_of_whole = _path_entries(whole)
    document["path"] = entry_of_whole(whole.path, own)
    taken = np.isin(constrained.kept, whole.taken).tolist()
    apart = _apart(whole)
    for entry, edge, of_path in zip(
        document["edges"], constrained.kept.tolist(), taken, strict=True
    ):
        entry["canonical"], entry["non_canonical"] = of_path, apart[edge]
    text = lattice.prepared.text
    document["constraints"] = [_constraint_entry(c, text, unit) for c in constrained.constraints]
    document["obeys"] = constrained.obeyed
    document["without"] = {"paths": decimal(whole.paths)}
    document["cost"] = document["remaining"] = None
    if law is None:
        entry_of_rest = _path_entries(lattice)
        document["remaining"] = [entry_of_rest(p, math.nan) for p in constrained.shortest(n)]
        return document
    free, best = whole.law(theta), whole.viterbi(theta)
    document["without"] |= plain(
        {
            "log_partition": free.log_partition,
            "entropy_nats": free.entropy,
            "expected_tokens": free.expected_tokens,
        }
    )
    document["without"]["viterbi"] = entry_of_whole(best, best.probability)
    document["cost"] = plain(asdict(cost(free, law)))
    return document


def _constraint_entry(constraint: Constraint, text: Text, unit: Unit) -> dict[str, Any]:
    first, last = constraint.nodes or (None, None)
    return {
        "action": constraint.action,
        "target": constraint.target,
        "start": text.position(unit, constraint.start),
        "end": text.position(unit, constraint.end, up=True),
        "id": constraint.piece,
        "start_node": first,
        "end_node": last,
    }


def _apart(lattice: Lattice) -> Sequence[bool | None]:
    """Return of each edge whether merging would change it; None where the model doesn't merge."""
    fits = lattice.canonical_edges
    return [None] * lattice.n_edges if fits is None else (~fits).tolist()


def _places(lattice: Lattice, unit: Unit) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and end of each edge as they are listed: the units that it touches."""
    bounds = lattice.prepared.text.bounds(unit)
    spans = source_spans(lattice)
    starts = np.searchsorted(bounds, spans[:, 0], side="right") - 1
    return starts, np.searchsorted(bounds, spans[:, 1], side="left")


def _id(lattice: Lattice, edge: int) -> int | None:
    """Return the id of an edge as it is listed."""
    kind = int(lattice.kind[edge])
    if kind in KNOWN:
        return int(lattice.piece[edge])
    return _unknown_id(lattice, lattice.bytes(edge), kind)


def _edges(lattice: Lattice, law: Law | None, unit: Unit) -> list[dict[str, Any]]:
    starts, ends = _places(lattice, unit)
    taken: NDArray[np.bool_] = np.zeros(lattice.n_edges, dtype=np.bool_)
    taken[lattice.taken] = True
    nothing = [None] * lattice.n_edges
    kinds = {kind.value: kind.name.lower() for kind in EdgeKind}
    texts = cache(lattice.vocabulary.text)
    data = lattice.prepared.data.tobytes()
    edges = []
    columns = (
        starts.tolist(),
        ends.tolist(),
        lattice.start.tolist(),
        lattice.end.tolist(),
        lattice.piece.tolist(),
        lattice.kind.tolist(),
        lattice.rank.tolist(),
        _finite(lattice.score) if law else nothing,
        _finite(law.marginal) if law else nothing,
        taken.tolist(),
        _apart(lattice),
    )
    for start, end, first, last, piece, kind, rank, score, marginal, own, apart in zip(
        *columns, strict=True
    ):
        covered = data[first:last]
        edges.append(
            {
                "start": start,
                "end": end,
                "id": piece if kind in KNOWN else _unknown_id(lattice, covered, kind),
                "text": texts(piece) if kind in KNOWN else covered.decode(errors="replace"),
                "bytes": covered.hex(),
                "score": score,
                "rank": rank if rank >= 0 else None,
                "marginal": marginal,
                "canonical": own,
                "non_canonical": apart,
                "start_node": first,
                "end_node": last,
                "kind": kinds[kind],
            }
        )
    return edges


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def _unknown_id(lattice: Lattice, covered: bytes, kind: int) -> int | None:
    """Return the one id that an edge without a piece gives, None where it gives several or none."""
    spelling = lattice.spelling
    if kind == EdgeKind.DROPPED:
        return None
    if spelling.byte_pieces is not None:
        return int(spelling.byte_pieces[covered[0]]) if len(covered) == 1 else None
    return spelling.unknown if spelling.unknown >= 0 else None


def _path_entries(lattice: Lattice) -> Callable[[Path, float], dict[str, Any]]:
    """Return what makes a path of the lattice and its probability an entry, plain JSON data.

    The best paths share most of their edges: each edge is written once.
    """
    texts = cache(lattice.edge_text)
    digits = cache(lambda edge: lattice.bytes(edge).hex())

    def entry(path: Path, probability: float) -> dict[str, Any]:
        edges = path.edges.tolist()
        return {
            "ids": path.ids,
            "pieces": [texts(edge) for edge in edges],
            "bytes": [digits(edge) for edge in edges],
            "score": plain(path.score),
            "probability": plain(probability),
        }

    return entry


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
    lines = [f"{size} ({document['unit']}), {_long(document['paths'])} segmentations"]
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
    told = f"without: {_long(without['paths'])} segmentations"
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


def _long(digits: str) -> str:
    return (
        f"{int(digits):,}" if len(digits) <= 15 else f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
    )
