"""`lattice`: all pieces that match, the best paths, and the exact law."""

from __future__ import annotations

import argparse
import math
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
    new_command,
    open_model,
    parse_span,
    plain,
    print_json,
    print_lines,
    read_text,
)
from engine.constrain import constrain, source_spans
from engine.display import visible
from engine.errors import ParameterError
from engine.lattice import Lattice, Path
from engine.law import Law
from engine.search import decimal
from engine.segmenter import EdgeKind
from engine.terminal import aligned, counted, fits, number, styled
from engine.text import Text, Unit

SHOWN_EDGES = 200
"""Edges printed for a person; `--json` has all."""


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
    for name, about in (("pin", "make a token of"), ("forbid", "allow no token at")):
        parser.add_argument(
            f"--{name}",
            metavar="S:E",
            action="append",
            default=[],
            help=f"{about} this span, in --unit; may be repeated",
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
    whole = lattice = model.lattice(text, arguments.special)
    kept = np.arange(whole.n_edges)
    if arguments.pin or arguments.forbid:
        pinned, forbidden = (
            [_bytes_of(span, text, arguments.unit, f"--{name}") for span in spans]
            for name, spans in (("pin", arguments.pin), ("forbid", arguments.forbid))
        )
        lattice, kept = constrain(whole, pinned, forbidden)
    if arguments.format:
        print_lines([_picture(lattice, arguments).rstrip("\n")])
        return
    law = lattice.law(arguments.theta) if lattice.has_law else None
    document = describe(lattice, law, arguments.unit, arguments.nbest)
    if lattice is not whole:
        document["path"] = _path_entry(whole.path, _own_probability(whole, lattice, law, kept))
        for entry, own in zip(document["edges"], np.isin(kept, whole.taken).tolist(), strict=True):
            entry["canonical"] = own
    if arguments.json:
        print_json(document)
    else:
        print_lines(_for_people(document))


def describe(lattice: Lattice, law: Law | None, unit: Unit, n: int) -> dict[str, Any]:
    """Return the contract's document of a lattice, as plain JSON data (null for NaN)."""
    text = lattice.prepared.text
    best = lattice.viterbi() if law else None
    nbest = lattice.nbest(n, law.theta) if law else []
    own = lattice.path
    document = {
        "unit": unit,
        "positions": len(text.bounds(unit)),
        "edges": [],
        "path": None
        if lattice.uncovered is not None
        else _path_entry(own, law.probability(own) if law else math.nan),
        "viterbi": _path_entry(best, law.probability(best)) if law and best is not None else None,
        "nbest": [_path_entry(path, path.probability) for path in nbest] if law else None,
        "log_partition": law.log_partition if law else None,
        "entropy_nats": law.entropy if law else None,
        "expected_tokens": law.expected_tokens if law else None,
        "paths": decimal(lattice.paths),
        "theta": law.theta if law else None,
        "law": lattice.no_law or None,
    }
    result: dict[str, Any] = plain(document)
    result["edges"] = _edges(lattice, law, unit)
    return result


def _edges(lattice: Lattice, law: Law | None, unit: Unit) -> list[dict[str, Any]]:
    bounds = lattice.prepared.text.bounds(unit)
    spans = source_spans(lattice)
    starts = np.searchsorted(bounds, spans[:, 0], side="right") - 1
    ends = np.searchsorted(bounds, spans[:, 1], side="left")
    taken: NDArray[np.bool_] = np.zeros(lattice.n_edges, dtype=np.bool_)
    taken[lattice.taken] = True
    nothing = [None] * lattice.n_edges
    known = {EdgeKind.PIECE.value, EdgeKind.ADDED.value, EdgeKind.BYTE.value}
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
    )
    for start, end, first, last, piece, kind, rank, score, marginal, own in zip(
        *columns, strict=True
    ):
        covered = data[first:last]
        edges.append(
            {
                "start": start,
                "end": end,
                "id": piece if kind in known else _unknown_id(lattice, covered, kind),
                "text": texts(piece) if kind in known else covered.decode(errors="replace"),
                "bytes": covered.hex(),
                "score": score,
                "rank": rank if rank >= 0 else None,
                "marginal": marginal,
                "canonical": own,
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


def _path_entry(path: Path, probability: float) -> dict[str, Any]:
    return {
        "ids": path.ids,
        "pieces": path.pieces,
        "bytes": [path.lattice.bytes(edge).hex() for edge in path.edges.tolist()],
        "score": path.score,
        "probability": probability,
    }


def _own_probability(
    whole: Lattice, lattice: Lattice, law: Law | None, kept: NDArray[np.int64]
) -> float:
    """Return the probability of the model's own path, 0 where a constraint excludes it."""
    if law is None:
        return math.nan
    places = np.searchsorted(kept, whole.taken)
    if (places >= len(kept)).any() or (kept[places] != whole.taken).any():
        return 0.0
    return law.probability(Path(lattice, places.astype(np.int32)))


def _bytes_of(span: str, text: Text, unit: Unit, option: str) -> tuple[int, int]:
    start, end = parse_span(span, option)
    last = len(text.bounds(unit)) - 1
    if end > last:
        raise ParameterError(
            f"the span {span} ends outside of the text", option, f"{unit} positions end at {last}"
        )
    return text.byte(unit, start), text.byte(unit, end)


def _picture(lattice: Lattice, arguments: argparse.Namespace) -> str:
    if arguments.format == "svg":
        from engine.svg import lattice_svg

        return lattice_svg(lattice, arguments.theta, arguments.nbest, unit=arguments.unit)
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
            "*" if edge["canonical"] else "",
            str(edge["start"]),
            str(edge["end"]),
            "–" if edge["id"] is None else str(edge["id"]),
            visible(bytes.fromhex(edge["bytes"])),
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
    if len(shown) < len(edges):
        lines.append(
            f"{number(len(edges) - len(shown))} less likely edges aren't shown; --json has all"
        )
    return lines


def _paths_for_people(document: dict[str, Any]) -> list[str]:
    rows = [["model", *_path_cells(document["path"])]]
    for i, path in enumerate(document["nbest"] or [], 1):
        rows.append([f"best {i}", *_path_cells(path)])
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
