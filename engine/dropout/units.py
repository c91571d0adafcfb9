"""The exact law of BPE-dropout over the segmentations of a text, unit by unit.

A unit is a stretch of the text that is cut independently of the rest: a pre-token, or for
SentencePiece's law the stretches of one that no merge can join. A path's probability is the product
of what its parts have in their units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.build import edges_of_tokens
from engine.dropout import DropRule
from engine.dropout.laws import Budget, Symbols, stretch_law
from engine.dropout.stretches import stretches
from engine.lattice import Lattice, Path
from engine.matching import TokenList
from engine.sampler import EXACT_LIMIT, Ints, PathLaw
from engine.segmenter import Edges
from engine.subword_nmt import SubwordNmt
from engine.symbols import Word

MOST_STATES = 6_000
"""States of merging that are looked at for one text; what takes more has no exact law here."""

Choices = dict[tuple[int, ...], float]
"""The probability of each way to cut a unit, by its edges."""


@dataclass(frozen=True)
class Unit:
    """The law of a stretch of the segmented bytes; `choices` is None where it takes too long."""

    start: int
    end: int
    choices: Choices | None


def text_law(lattice: Lattice, bpe: Bpe, rule: DropRule, p: float) -> PathLaw:
    """Return the exact law over the paths of a lattice, p above 0."""
    units: list[Unit] = []

    def known() -> list[Unit]:
        if not units:
            units.extend(find_units(lattice, bpe, rule, p))
        return units

    def probability(edges: Ints) -> float:
        total = 1.0
        starts = lattice.start[edges]
        for unit in known():
            if unit.choices is None:
                return math.nan
            first, last = np.searchsorted(starts, (unit.start, unit.end)).tolist()
            total *= unit.choices.get(tuple(edges[first:last].tolist()), 0.0)
        return total

    def listing() -> list[Path] | None:
        found = [unit.choices for unit in known()]
        if None in found or math.prod(len(choices or ()) for choices in found) > EXACT_LIMIT:
            return None
        paths = []
        for parts in product(*((choices or {}).items() for choices in found)):
            edges = np.array([edge for part, _ in parts for edge in part], dtype=np.int32)
            paths.append(Path(lattice, edges, probability=math.prod(share for _, share in parts)))
        return sorted(paths, key=lambda path: (-path.probability, path.edges.tolist()))

    return PathLaw(probability, listing)


def find_units(lattice: Lattice, bpe: Bpe, rule: DropRule, p: float) -> list[Unit]:
    """Return the units of a text from left to right, as many with a law as time allows."""
    prepared = lattice.prepared
    data, budget = prepared.data.tobytes(), Budget(MOST_STATES)
    units: list[Unit] = []
    known: dict[bytes, list[tuple[int, int, list[tuple[TokenList, float]] | None]]] = {}
    for (start, end), fixed in zip(
        pairwise(prepared.cuts.tolist()), prepared.fixed.tolist(), strict=True
    ):
        if fixed >= 0:
            added = TokenList([fixed], [0], [end - start])
            units.append(Unit(start, end, _choices(lattice, start, end, [(added, 1.0)])))
            continue
        word = data[start:end]
        if word not in known:
            known[word] = _word_law(bpe, word, rule, p, budget)
        for first, last, cuts in known[word]:
            at, to = start + first, start + last
            choices = None if cuts is None else _choices(lattice, at, to, cuts)
            units.append(Unit(at, to, choices))
    return units


def _word_law(
    bpe: Bpe, text: bytes, rule: DropRule, p: float, budget: Budget
) -> list[tuple[int, int, list[tuple[TokenList, float]] | None]]:
    """Return start and end of each unit of a pre-token, and its ways to be cut.

    Tokens have their places in the unit. None stands for a law that can't be had: it takes too
    long, or unused pieces are taken apart by how they were made, which a state doesn't tell.
    """
    symbols = bpe.first_symbols(text)
    if bpe.unused:
        return [(0, len(text), None)]
    plain = not (isinstance(bpe, SubwordNmt) or bpe.lacking)
    apart = rule == DropRule.SENTENCEPIECE and plain
    bounds = [(0, len(symbols))]
    if apart and symbols:
        bounds = stretches(bpe, [piece for piece, _, _ in symbols])
    found = []
    for low, high in bounds:
        # Characters that the model leaves out belong to the unit before them.
        at = symbols[low][1] if low else 0
        to = symbols[high][1] if high < len(symbols) else len(text)
        law = stretch_law(bpe, symbols[low:high], rule, p, budget)
        cuts = None
        if law is not None:
            cuts = [(_tokens(bpe, text, left, at, plain), share) for left, share in law.items()]
        found.append((at, to, cuts))
    return found


def _tokens(bpe: Bpe, text: bytes, symbols: Symbols, offset: int, plain: bool) -> TokenList:
    """Return the tokens that symbols become, their places counted from `offset`."""
    tokens = TokenList()
    if plain:
        for piece, start, end in symbols:
            tokens.add(piece, start - offset, end - offset)
        return tokens

    def place(word: Word) -> None:
        index = {start: i for i, start in enumerate(word.start)}
        places = [index[start] for _, start, _ in symbols]
        size = len(word.id)
        word.id[:] = [-1] * size
        for at, then, (piece, _, _) in zip(places, [*places[1:], size], symbols, strict=True):
            word.id[at], word.after[at] = piece, then

    bpe.add_tokens(text, 0, len(text), place, tokens)
    return tokens


def _choices(
    lattice: Lattice, start: int, end: int, cuts: list[tuple[TokenList, float]]
) -> Choices:
    """Return the ways to cut a unit by the edges of the lattice."""
    low, high = np.searchsorted(lattice.start, (start, end)).tolist()
    inside = low + np.flatnonzero(lattice.end[low:high] <= end)
    edges = _part(lattice.edges, inside, start)
    spans = zip(edges.start.tolist(), edges.end.tolist(), edges.piece.tolist(), strict=True)
    index = dict(zip(spans, inside.tolist(), strict=True))
    choices: Choices = {}
    for tokens, share in cuts:
        found = [
            index.get(span, -1) for span in zip(tokens.starts, tokens.ends, tokens.ids, strict=True)
        ]
        joined = [0, *tokens.ends] == [*tokens.starts, end - start]
        if min(found, default=-1) < 0 or not joined:
            taken = edges_of_tokens(edges, tokens.segmented(), end - start, lattice.spelling)
            found = inside[taken].tolist()
        choices[tuple(found)] = choices.get(tuple(found), 0.0) + share
    return choices


def _part(edges: Edges, which: NDArray[np.int64], offset: int) -> Edges:
    return Edges(
        edges.start[which] - np.int32(offset),
        edges.end[which] - np.int32(offset),
        edges.piece[which],
        edges.score[which],
        edges.rank[which],
        edges.kind[which],
    )
