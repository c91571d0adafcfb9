"""The exact law of BPE-dropout over the segmentations of a text, unit by unit.

A unit is a stretch of the text that is cut independently of the rest: a pre-token, or for
SentencePiece's law the stretches of one that no merge can join. A path's probability is the product
of what its parts have in their units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

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

MOST_WORK = 400_000
"""Work for the law of one text, see `Budget`; what takes more has no exact law here."""

Choices = dict[tuple[int, ...], float]
"""The probability of each way to cut a unit, by its edges."""


@dataclass(frozen=True)
class Unit:
    """The law of a stretch of the segmented bytes."""

    start: int
    end: int
    choices: Choices


def text_law(lattice: Lattice, bpe: Bpe, rule: DropRule, p: float) -> PathLaw:
    """Return the exact law over the paths of a lattice, p above 0; found when first asked for."""
    known = cache(lambda: find_units(lattice, bpe, rule, p))

    def probability(edges: Ints) -> float:
        units = known()
        if units is None:
            return math.nan
        total = 1.0
        starts = lattice.start[edges]
        for unit in units:
            first, last = np.searchsorted(starts, (unit.start, unit.end)).tolist()
            total *= unit.choices.get(tuple(edges[first:last].tolist()), 0.0)
        return total

    def listing() -> list[Path] | None:
        units = known()
        if units is None or math.prod(len(unit.choices) for unit in units) > EXACT_LIMIT:
            return None
        paths = []
        for parts in product(*(unit.choices.items() for unit in units)):
            edges = np.array([edge for part, _ in parts for edge in part], dtype=np.int32)
            paths.append(Path(lattice, edges, probability=math.prod(share for _, share in parts)))
        return sorted(paths, key=lambda path: (-path.probability, path.edges.tolist()))

    return PathLaw(probability, listing)


def find_units(lattice: Lattice, bpe: Bpe, rule: DropRule, p: float) -> list[Unit] | None:
    """Return the units of a text from left to right; None where that takes too much work.

    None too where a model takes unused pieces apart by how they were made, which a state of
    merging doesn't tell.
    """
    if bpe.unused:
        return None
    prepared = lattice.prepared
    data, budget = prepared.data.tobytes(), Budget(MOST_WORK)
    edges = lattice.edges
    spans = zip(edges.start.tolist(), edges.end.tolist(), edges.piece.tolist(), strict=True)
    index = {span: edge for edge, span in enumerate(spans)}
    units: list[Unit] = []
    known: dict[bytes, list[UnitCuts] | None] = {}
    for (start, end), fixed in zip(
        pairwise(prepared.cuts.tolist()), prepared.fixed.tolist(), strict=True
    ):
        if fixed >= 0:
            cuts: list[UnitCuts] | None = [
                UnitCuts(0, end - start, [(TokenList([fixed], [0], [end - start]), 1.0)])
            ]
        else:
            word = data[start:end]
            if word not in known:
                known[word] = _word_law(bpe, word, rule, p, budget)
            cuts = known[word]
        if cuts is None:
            return None
        for first, last, ways in cuts:
            at, to = start + first, start + last
            units.append(Unit(at, to, _choices(lattice, index, at, to, ways)))
    return units


class UnitCuts(NamedTuple):
    """A unit's start and end in its pre-token, and its ways to be cut with their probabilities.

    Tokens have their places in the unit.
    """

    start: int
    end: int
    ways: list[tuple[TokenList, float]]


def _word_law(
    bpe: Bpe, text: bytes, rule: DropRule, p: float, budget: Budget
) -> list[UnitCuts] | None:
    """Return the units of a pre-token; None where their laws take too much work."""
    symbols = bpe.first_symbols(text)
    plain = not (isinstance(bpe, SubwordNmt) or bpe.lacking)
    bounds = [(0, len(symbols))]
    if rule == DropRule.SENTENCEPIECE and plain and symbols:
        bounds = stretches(bpe, [piece for piece, _, _ in symbols])
    known: dict[Symbols, list[tuple[TokenList, float]]] = {}
    found = []
    for low, high in bounds:
        # Characters that the model leaves out belong to the unit before them.
        at = symbols[low][1] if low else 0
        to = symbols[high][1] if high < len(symbols) else len(text)
        unit = tuple((piece, start - at, end - at) for piece, start, end in symbols[low:high])
        if unit not in known:
            law = stretch_law(bpe, unit, rule, p, budget)
            if law is None:
                return None
            known[unit] = [(_tokens(bpe, text, cut, plain), share) for cut, share in law.items()]
        found.append(UnitCuts(at, to, known[unit]))
    return found


def _tokens(bpe: Bpe, text: bytes, symbols: Symbols, plain: bool) -> TokenList:
    """Return the tokens that the symbols of a unit become, which is all of `text` if not plain."""
    tokens = TokenList()
    if plain:
        for piece, start, end in symbols:
            tokens.add(piece, start, end)
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
    lattice: Lattice,
    index: dict[tuple[int, int, int], int],
    start: int,
    end: int,
    ways: list[tuple[TokenList, float]],
) -> Choices:
    """Return the ways to cut a unit by the edges of the lattice, `index` by span and piece."""
    choices: Choices = {}
    for tokens, share in ways:
        spans = zip(tokens.starts, tokens.ends, tokens.ids, strict=True)
        found = [index.get((start + at, start + to, piece), -1) for at, to, piece in spans]
        joined = [0, *tokens.ends] == [*tokens.starts, end - start]
        if -1 in found or not joined:
            found = _edges_within(lattice, start, end, tokens)
        choices[tuple(found)] = choices.get(tuple(found), 0.0) + share
    return choices


def _edges_within(lattice: Lattice, start: int, end: int, tokens: TokenList) -> list[int]:
    """Return the edges of tokens that spell an unknown character, or leave one out."""
    low, high = np.searchsorted(lattice.start, (start, end)).tolist()
    inside = low + np.flatnonzero(lattice.end[low:high] <= end)
    edges = _part(lattice.edges, inside, start)
    taken = edges_of_tokens(edges, tokens.segmented(), end - start, lattice.spelling)
    found: list[int] = inside[taken].tolist()
    return found


def _part(edges: Edges, which: NDArray[np.int64], offset: int) -> Edges:
    return Edges(
        edges.start[which] - np.int32(offset),
        edges.end[which] - np.int32(offset),
        edges.piece[which],
        edges.score[which],
        edges.rank[which],
        edges.kind[which],
    )
