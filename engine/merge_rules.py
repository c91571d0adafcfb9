"""Which two symbols may merge: three rules, one model under another's rule, and swapped ranks.

- `listed` (HuggingFace's tokenizers, GPT-2, subword-nmt): two symbols merge where the list of
  merges holds them as a pair; the pair that is listed first goes first.
- `joined` (tiktoken): any two neighbours merge whose joined bytes have a rank; the lowest rank goes
  first. No list of pairs is needed.
- `vocabulary` (SentencePiece): any two neighbours merge whose joined text is a piece of the
  vocabulary, whether a merge was learned for it or not; the best score, which is the lowest id,
  goes first.

Of equal ranks the leftmost pair goes first under each of them. Where a list holds, for each piece,
the pair that merging comes to last in the piece's own text, as trainers write it, the three agree
on every word. They differ where pairs were left out of a list or moved in it, and where the
vocabulary holds pieces that no listed pair makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.errors import ParameterError
from engine.pieces import PieceKind

MergeRule = Literal["listed", "joined", "vocabulary"]

MERGE_RULES: tuple[MergeRule, ...] = ("listed", "joined", "vocabulary")

_OWN: dict[str, MergeRule] = {
    "pairs": "listed",
    "ranks": "joined",
    "concatenation": "vocabulary",
}

_APART = [int(kind) for kind in (PieceKind.UNKNOWN, PieceKind.BYTE, PieceKind.USER_DEFINED)]
"""Kinds of symbols that never merge."""

Row = tuple[int, int, int, int]
"""Left, right, result, rank."""


def own_rule(bpe: Bpe) -> MergeRule:
    """Return the rule that the model's own library follows."""
    return _OWN[bpe.rule]


def under_rule(bpe: Bpe, rule: MergeRule, words: Iterable[bytes]) -> Bpe:
    """Return the model as it merges `words` (the bytes of pre-tokens) under a rule.

    Its merge table holds what can happen in these words and nothing else, so encode only them with
    it. The model's own rule gives the model itself.

    - `joined` of a list of pairs: a joined text has the rank of the first listed pair that makes
      it, and none where no pair does.
    - `vocabulary` of a list of pairs: the rank counts the pieces of more than one symbol by id.
    - `listed` of ranks or scores: the pair of a piece is that of `pair_of`, as a trainer would have
      listed it. A piece that its own text doesn't come to has none.
    - Of ranks, `vocabulary` is `joined`, and of scores `joined` is `vocabulary`: there each piece
      has its rank.
    """
    own = own_rule(bpe)
    if rule == own or (rule != "listed" and own != "listed"):
        return bpe
    vocabulary = bpe.vocabulary
    if rule == "vocabulary":
        pieces, ranks = vocabulary.index, _by_id(bpe)
    else:
        pieces = {vocabulary.bytes(i): i for i in np.unique(bpe.result).tolist()}
        ranks = bpe.made_by
    rows: set[Row] = set()
    longest = max(map(len, pieces), default=0)
    apart = frozenset(np.flatnonzero(np.isin(vocabulary.kind, _APART)).tolist())
    for word in dict.fromkeys(words):
        for symbols, inside in _runs(bpe, word, apart):
            rows.update(_rows(bpe, rule, symbols, inside, pieces, ranks, longest))
    table = np.array(sorted(rows), dtype=np.int32).reshape(-1, 4).T
    left, right, result, rank = (np.ascontiguousarray(column) for column in table)
    return replace(bpe, left=left, right=right, result=result, rank=rank)


def _by_id(bpe: Bpe) -> NDArray[np.int32]:
    """Return for each piece of more than one unit how many such pieces have a lower id."""
    vocabulary = bpe.vocabulary
    units = vocabulary.lengths.copy()
    if bpe.alphabet == "char":
        opens = np.concatenate(([0], np.cumsum((vocabulary.data & 0xC0) != 0x80)))
        units = opens[vocabulary.offsets[1:]] - opens[vocabulary.offsets[:-1]]
    for mark in (bpe.prefix, bpe.suffix):
        if mark:
            marked = [bool(mark in vocabulary.text(i)) for i in range(len(vocabulary))]
            units = units - np.array(marked) * len(mark)
    several = vocabulary.matchable & (units > 1)
    if bpe.unknown >= 0:
        several[bpe.unknown] = False
    return (np.cumsum(several) - several).astype(np.int32)


def _runs(bpe: Bpe, word: bytes, apart: frozenset[int]) -> Iterator[tuple[list[int], bool]]:
    """Yield the first symbols of a word in runs that may merge; and whether a run begins inside.

    apart: the symbols that never merge.
    """
    run: list[int] = []
    inside = False
    for number, (symbol, _, _) in enumerate(bpe.first_symbols(word)):
        if symbol in apart:
            if run:
                yield run, inside
            run = []
            continue
        if not run:
            inside = number > 0
        run.append(symbol)
    if run:
        yield run, inside


def _rows(
    bpe: Bpe,
    rule: MergeRule,
    symbols: list[int],
    inside: bool,
    pieces: dict[bytes, int],
    ranks: NDArray[np.int32],
    longest: int,
) -> Iterator[Row]:
    """Yield the rows of the merge table that can act on a run of symbols.

    longest: bytes of the longest piece.
    """
    vocabulary, prefix = bpe.vocabulary, bpe.prefix.encode()
    parts = [vocabulary.bytes(symbol) for symbol in symbols]
    if prefix:
        parts = [part.removeprefix(prefix) if i or inside else part for i, part in enumerate(parts)]
    found = {(i, i + 1): symbol for i, symbol in enumerate(symbols)}
    for i in range(len(parts)):
        text = prefix + parts[i] if i or inside else parts[i]
        for j in range(i + 1, len(parts)):
            text += parts[j]
            if len(text) > longest:
                break
            piece = pieces.get(text)
            if piece is not None:
                found[i, j + 1] = piece
    for (i, j), piece in found.items():
        rank = int(ranks[piece])
        if j - i < 2 or rank < 0:
            continue
        if rule == "listed":
            pair = pair_of(bpe, piece)
            if pair is not None:
                yield (*pair, piece, rank)
            continue
        for cut in range(i + 1, j):
            left, right = found.get((i, cut)), found.get((cut, j))
            if left is not None and right is not None:
                yield left, right, piece, rank


def pair_of(bpe: Bpe, piece: int) -> tuple[int, int] | None:
    """Return the two symbols that merge into a piece, None where nothing makes it.

    Of a list of pairs it is the first listed one. Of ranks and scores it is what the piece's own
    text comes to last: `engine.merge_list` says why no other two ever do.
    """
    rows = np.flatnonzero(bpe.rows[2] == piece)
    if not len(rows):
        return None
    if bpe.rule == "pairs":
        first = rows[np.argmin(bpe.rows[3][rows])]
        return int(bpe.rows[0][first]), int(bpe.rows[1][first])
    data = np.frombuffer(bpe.vocabulary.bytes(piece), dtype=np.uint8)
    steps = bpe.merge_steps(data, 0, len(data))
    if not len(steps.rank) or int(steps.result[-1]) != piece:
        return None
    whole = int(steps.start[-1]) == 0 and int(steps.end[-1]) == len(data)
    return (int(steps.left[-1]), int(steps.right[-1])) if whole else None


def rule_at(bpe: Bpe, rank: int) -> tuple[int, int, int] | None:
    """Return left, right and result of the rule of a rank, None where no merge has it.

    Of ranks and scores, which any two halves share, it is the pair of `pair_of`.
    """
    left, right, result, ranks = bpe.rows
    found = np.flatnonzero(ranks == rank)
    if not len(found):
        return None
    piece = int(result[found[0]])
    pair = None if bpe.rule == "pairs" else pair_of(bpe, piece)
    return *(pair or (int(left[found[0]]), int(right[found[0]]))), piece


def neighbour(bpe: Bpe, rank: int, by: Literal[-1, 1]) -> int | None:
    """Return the next rank above (1) or below (−1) that a merge has, None at the end."""
    ranks = bpe.rows[3]
    beyond = ranks[ranks > rank] if by > 0 else ranks[ranks < rank]
    if not len(beyond):
        return None
    return int(beyond.min() if by > 0 else beyond.max())


def swapped(bpe: Bpe, first: int, second: int) -> Bpe:
    """Return the model with two ranks exchanged; rules of one rank go together.

    Raises `ParameterError` for a rank that no merge has.
    """
    for rank in (first, second):
        if not (bpe.rank == rank).any():
            last = int(bpe.rank.max(initial=-1))
            remedy = f"choose a rank up to {last}" if last >= 0 else "open a model with merges"
            raise ParameterError(f"no merge has the rank {rank}", "", remedy)
    ranks = bpe.rank.copy()
    ranks[bpe.rank == first], ranks[bpe.rank == second] = second, first
    return replace(bpe, rank=ranks)
