"""The merges of a BPE model as one list of pairs, whatever its rule.

A model that lists pairs has the list. Models that merge whatever joins to a piece (tiktoken's
ranks, SentencePiece's pieces) have none, but one that acts alike on every text: for each piece the
two symbols that the piece's own text comes to last. For no merge looks beyond the two symbols it
joins: what happens inside of a stretch of text is the same wherever the stretch stands, as long as
no merge crosses its ends; so a piece is always made of the same two symbols, and no other two that
join to it ever stand side by side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.kernels import compiled
from engine.pieces import PieceKind
from engine.progress import Report, silent

_EVERY = 500


def merge_rows(bpe: Bpe, report: Report = silent) -> NDArray[np.int64]:
    """Return the rows of a model's merge table that act on texts, int64[m], the lowest rank first.

    For listed pairs every pair once; for the other rules a row for each piece that its own text
    comes to. Of equal ranks the longest piece comes first; `undecided` tells where a list can't
    follow them. report: called with pieces looked at.
    """
    lengths = bpe.vocabulary.lengths[bpe.result]
    order: NDArray[np.int64] = np.lexsort((-lengths, bpe.rank)).astype(np.int64)
    if bpe.rule == "pairs":
        pairs = bpe.left[order].astype(np.int64) << 32 | bpe.right[order]
        _, first = np.unique(pairs, return_index=True)
        listed: NDArray[np.int64] = order[np.sort(first)]
        return listed
    bare = replace(bpe, ignore_merges=False)
    reached = _reached(bare)
    order = order[reached[bpe.result[order]]]
    ways = np.bincount(bpe.result[order], minlength=len(bpe.vocabulary))
    several = np.flatnonzero(ways > 1)
    halves = _halves(bare, several, report)
    result = bpe.result[order]
    pairs = bpe.left[order].astype(np.int64) << 32 | bpe.right[order]
    made: NDArray[np.int64] = order[(ways[result] == 1) | (pairs == halves[result])]
    return made


def undecided(bpe: Bpe, rows: NDArray[np.int64]) -> tuple[int, int] | None:
    """Return two pieces of equal rank whose order in a list isn't decided; None where all are.

    rows: as `merge_rows` gives them. Of pairs of equal rank the leftmost merges first, which a list
    can't say. But for pieces that repeat one character, which all have this one rank, the longest
    first is the same: in a run the symbols grow from the left, and whatever joins the grown one to
    the next makes more than any two to its right.
    """
    ranks, counts = np.unique(bpe.rank[rows], return_counts=True)
    if counts.max(initial=1) == 1:
        return None
    vocabulary = bpe.vocabulary
    runs: dict[str, set[int]] = {}
    for row in rows.tolist():
        text = vocabulary.bytes(int(bpe.result[row])).decode("utf-8", errors="surrogateescape")
        if text == text[:1] * len(text):
            runs.setdefault(text[:1], set()).add(int(bpe.rank[row]))
    for rank in ranks[counts > 1].tolist():
        made = bpe.result[rows[bpe.rank[rows] == rank]].tolist()
        texts = [vocabulary.bytes(i).decode("utf-8", errors="surrogateescape") for i in made]
        char = texts[0][:1]
        if any(text != char * len(text) for text in texts) or len(runs[char]) > 1:
            return made[0], made[1]
    return None


def difference(bpe: Bpe, other: Bpe) -> str:
    """Return where two models with the same ids merge differently; empty where they never do.

    The first may list pairs, the other then merges what joins, or both have the same rule. It is
    said as "the piece … …". `undecided` pieces aren't looked for.
    """
    own, theirs = _pairs(bpe), _pairs(other)
    if bpe.rule == other.rule or bpe.rule != "pairs":
        for pair, twin in zip(own, theirs, strict=False):
            if pair != twin:
                return f"the piece {_made(bpe, pair)} and the order of its merge"
        if len(own) != len(theirs):
            longer, by = (own, bpe) if len(own) > len(theirs) else (theirs, other)
            return f"the piece {_made(by, longer[min(len(own), len(theirs))])} is merged by one"
    else:
        for pair in own:
            made = bpe.pair(*pair)
            if made is not None and not other.vocabulary.matchable[made[1]]:
                return f"the piece {_shown(bpe, made[1])} would be made by no merge"
        place = {pair: k for k, pair in enumerate(own)}
        last, before = -1, ""
        for pair in theirs:
            at = place.get(pair, -1)
            if at < 0:
                return (
                    f"the piece {_made(other, pair)} would be made of {_shown(other, pair[0])} and "
                    f"{_shown(other, pair[1])}, which no listed merge joins"
                )
            if at < last:
                return f"the piece {_made(other, pair)} is merged before {before}, with a later id"
            last, before = at, _made(other, pair)
    if bpe.ignore_merges != other.ignore_merges:
        lacking = _unmade(bpe)
        if lacking >= 0:
            return f"the piece {_shown(bpe, lacking)} can only be met as a whole pre-token"
    return ""


def _pairs(bpe: Bpe) -> list[tuple[int, int]]:
    rows = merge_rows(bpe)
    return list(zip(bpe.left[rows].tolist(), bpe.right[rows].tolist(), strict=True))


def _shown(bpe: Bpe, piece: int) -> str:
    return repr(bpe.vocabulary.bytes(piece).decode("utf-8", errors="backslashreplace"))


def _made(bpe: Bpe, pair: tuple[int, int]) -> str:
    found = bpe.pair(*pair)
    return _shown(bpe, found[1]) if found is not None else "?"


def _unmade(bpe: Bpe) -> int:
    """Return a piece that matches whole pre-tokens though merging its text never gives it, or -1.

    Pieces of one symbol are given without a merge.
    """
    vocabulary = bpe.vocabulary
    bare = replace(bpe, ignore_merges=False)
    ids = np.flatnonzero(vocabulary.matchable)
    if not len(ids):
        return -1
    starts, ends = vocabulary.offsets[ids], vocabulary.offsets[ids + 1]
    cut = bare.segment(vocabulary.data, starts, ends)
    place = np.searchsorted(starts, cut.starts, side="right") - 1
    whole = (cut.starts == starts[place]) & (cut.ends == ends[place])
    missing = np.setdiff1d(ids, cut.ids[whole])
    return int(missing[0]) if len(missing) else -1


def _reached(bpe: Bpe) -> NDArray[np.bool_]:
    """Return the pieces that merging their own text makes, bool[pieces]."""
    vocabulary = bpe.vocabulary
    made = np.zeros(len(vocabulary), dtype=np.bool_)
    pieces = np.unique(bpe.result)
    pieces = pieces[vocabulary.kind[pieces] != PieceKind.HOLE]
    if not len(pieces):
        return made
    starts, ends = vocabulary.offsets[pieces], vocabulary.offsets[pieces + 1]
    cut = bpe.segment(vocabulary.data, starts, ends)
    place = np.searchsorted(starts, cut.starts, side="right") - 1
    whole = (cut.starts == starts[place]) & (cut.ends == ends[place])
    made[pieces[place[whole & (cut.ids == pieces[place])]]] = True
    return made


def _halves(bpe: Bpe, pieces: NDArray[np.int64], report: Report) -> NDArray[np.int64]:
    """Return the last pair that each of some pieces is made of, packed, by piece; -1 for others."""
    halves = np.full(len(bpe.vocabulary), -1, dtype=np.int64)
    if compiled(len(bpe.rank)):
        _find_halves(bpe, halves)
    left_over = pieces[halves[pieces] < 0].tolist()
    for done, piece in enumerate(left_over):
        if done % _EVERY == 0:
            report(done, len(left_over))
        data = np.frombuffer(bpe.vocabulary.bytes(piece), dtype=np.uint8)
        steps = bpe.merge_steps(data, 0, len(data))
        halves[piece] = int(steps.left[-1]) << 32 | int(steps.right[-1])
    report(len(left_over), len(left_over))
    return halves


def _find_halves(bpe: Bpe, halves: NDArray[np.int64]) -> None:
    """Fill in the halves of pieces that are made later than both, by a kernel."""
    from engine.kernels.bpe_linear import FIELDS, LEFT, RIGHT, TIME, find_halves

    tables = bpe.tables
    left, right, result, rank = bpe.rows
    tokens = np.zeros(FIELDS * len(halves), dtype=np.int32)
    tokens[TIME::FIELDS] = -1
    known = np.zeros(len(halves), dtype=np.uint8)
    lone = tables.trie.lone
    known[lone[lone >= 0]] = 1
    order = np.argsort(rank, kind="stable").astype(np.int64)
    find_halves(order, left, right, result, rank, tables.pairs, tables.bits, tokens, known)
    found = np.flatnonzero(tokens[TIME::FIELDS] >= 0)
    one, other = tokens[LEFT::FIELDS][found], tokens[RIGHT::FIELDS][found]
    halves[found] = one.astype(np.int64) << 32 | other
