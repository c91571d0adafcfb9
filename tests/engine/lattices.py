"""Small lattices made by hand, and the slow truth about them."""

from __future__ import annotations

import math
import random

import numpy as np

from engine.lattice import Lattice, Spelling
from engine.pieces import Vocabulary
from engine.pipeline import Prepared, source_of_identity
from engine.segmenter import EdgeKind, Edges
from engine.text import Text


def prepared(text: str) -> Prepared:
    """A text that the model sees unchanged, as one pre-token."""
    given = Text(text)
    start, end = source_of_identity(given)
    size = given.n_bytes
    cuts = np.array([0, size] if size else [0], dtype=np.int32)
    fixed = np.full(len(cuts) - 1, -1, dtype=np.int32)
    return Prepared(given, given.data, cuts, fixed, start, end)


def lattice_of(
    scores: dict[str, float], text: str, *, no_law: str = "", spelling: Spelling | None = None
) -> Lattice:
    """The lattice of all matches of `scores` (piece → score) in `text`; ids in given order."""
    pieces = [piece.encode() for piece in scores]
    values = np.array(list(scores.values()))
    data = text.encode()
    found = [
        (start, start + len(piece), i)
        for start in range(len(data))
        for i, piece in enumerate(pieces)
        if data.startswith(piece, start)
    ]
    return lattice_from(
        sorted(found), values, text, Vocabulary.build(pieces, values), no_law, spelling
    )


def lattice_from(
    found: list[tuple[int, int, int]],
    values: np.ndarray,
    text: str,
    vocabulary: Vocabulary,
    no_law: str = "",
    spelling: Spelling | None = None,
) -> Lattice:
    """A lattice of given (start, end, piece) edges."""
    start, end, piece = np.array(found, dtype=np.int32).reshape(-1, 3).T.copy()
    edges = Edges(
        start,
        end,
        piece,
        values[piece],
        np.full(len(piece), -1, dtype=np.int32),
        np.full(len(piece), EdgeKind.PIECE, dtype=np.uint8),
    )
    none = np.zeros(0, dtype=np.int32)
    return Lattice(prepared(text), vocabulary, edges, none, spelling or Spelling(), no_law)


def random_lattice(rng: random.Random, *, whole: bool = True, ties: bool = False) -> Lattice:
    """A random lattice of up to six nodes, with parallel edges, dead ends and gaps.

    With `whole`, some path leads from end to end.
    """
    n = rng.randint(1, 5)
    pieces, found = [], []
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    for start, end in spans:
        for _ in range(rng.choice((0, 1, 1, 2) if end - start < 4 else (0, 0, 1))):
            found.append((start, end, len(pieces)))
            pieces.append(b"x" * (end - start))
    if whole:
        for i in range(n):
            if rng.random() < 0.7 or not found:
                found.append((i, i + 1, len(pieces)))
                pieces.append(b"x")
    choices = (-1.0, -2.0, -3.0)
    values = np.array(
        [rng.choice(choices) if ties else rng.uniform(-9, 1) for _ in pieces], dtype=np.float64
    )
    lattice = lattice_from(sorted(found), values, "x" * n, Vocabulary.build(pieces, values))
    if whole and not all_paths(lattice):
        return random_lattice(rng, whole=whole, ties=ties)
    return lattice


def all_paths(lattice: Lattice) -> list[tuple[int, ...]]:
    """Every path, best first, by depth-first search.

    Order: score (summed from left to right), place of the last edge in by_end, then the same of
    what stands before the last edge.
    """
    start, end, score = lattice.start.tolist(), lattice.end.tolist(), lattice.score.tolist()
    place = {int(edge): i for i, edge in enumerate(lattice.by_end)}
    leaving: dict[int, list[int]] = {}
    for edge, node in enumerate(start):
        leaving.setdefault(node, []).append(edge)
    found: list[tuple[tuple[float, ...], tuple[int, ...]]] = []

    def walk(node: int, total: float, path: tuple[int, ...], key: tuple[float, ...]) -> None:
        if node == lattice.n_nodes - 1:
            found.append((key, path))
            return
        for edge in leaving.get(node, ()):
            value = total + score[edge]
            walk(end[edge], value, (*path, edge), (-value, place[edge], *key))

    walk(0, 0.0, (), ())
    return [path for _, path in sorted(found)]


def path_score(lattice: Lattice, path: tuple[int, ...]) -> float:
    """The sum of scores from left to right; `sum` itself adds otherwise from Python 3.12 on."""
    total = 0.0
    for score in lattice.score[list(path)].tolist():
        total += score
    return total


def exact(lattice: Lattice, theta: float) -> dict[tuple[int, ...], float]:
    """The law by enumeration, best first, in plain exponentials relative to the best."""
    paths = all_paths(lattice)
    scores = [path_score(lattice, path) for path in paths]
    weights = [math.exp(theta * (score - scores[0])) for score in scores]
    whole = math.fsum(weights)
    return {path: weight / whole for path, weight in zip(paths, weights, strict=True)}
