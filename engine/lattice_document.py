"""A lattice as plain JSON data: the document of the headless `lattice`, also copied by the window.

Its edges and paths are listed as a person sees them: positions count a unit of the text as given,
and an edge touches all units that it has a part of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.constrain import Constrained, Constraint, cost, source_spans
from engine.jsonfile import plain
from engine.lattice import Lattice, Path
from engine.law import Law
from engine.search import decimal
from engine.segmenter import EdgeKind
from engine.text import Text, Unit

KNOWN = frozenset((EdgeKind.PIECE.value, EdgeKind.ADDED.value, EdgeKind.BYTE.value))
"""Kinds of edges that are a piece of the vocabulary."""


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


def listed_spans(lattice: Lattice, unit: Unit) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and end of each edge as they are listed: the units that it touches."""
    bounds = lattice.prepared.text.bounds(unit)
    spans = source_spans(lattice)
    starts = np.searchsorted(bounds, spans[:, 0], side="right") - 1
    return starts, np.searchsorted(bounds, spans[:, 1], side="left")


def listed_id(lattice: Lattice, edge: int) -> int | None:
    """Return the id of an edge as it is listed."""
    kind = int(lattice.kind[edge])
    if kind in KNOWN:
        return int(lattice.piece[edge])
    return _unknown_id(lattice, lattice.bytes(edge), kind)


def _edges(lattice: Lattice, law: Law | None, unit: Unit) -> list[dict[str, Any]]:
    starts, ends = listed_spans(lattice, unit)
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
