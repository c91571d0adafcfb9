"""BPE and the edges of a lattice: the edges of one pre-token, and which of them merging makes.

The plain road to the edges serves short texts, and always the models whose pieces aren't spelled
as the text is: with a prefix, a suffix, or characters that the model leaves out.
"""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.kernels import compiled
from engine.matching import EdgeList, room_for_tokens, unit_end
from engine.pieces import PieceKind
from engine.segmenter import EdgeKind

if TYPE_CHECKING:
    from engine.bpe import Bpe
    from engine.lattice import Lattice

FEW, KEPT = 4096, 1 << 17
"""Pairs in a lattice of which the answers are kept with the model, and how many answers are."""

SHORT = 64
"""Bytes of a pre-token of which answers by place are kept."""

Spans = list[tuple[int, int]]
Symbols = list[tuple[int, int, int]]
"""Symbols as (id, start, end)."""


def add_word_edges(bpe: Bpe, text: bytes, offset: int, found: EdgeList) -> None:
    """Append the edges of the pre-token `text`, which starts at byte `offset`."""
    kept = _add_strays(bpe, text, offset, found)
    _add_pieces(bpe, text, kept, offset, found)
    if bpe.ignore_merges and bpe.suffix and text in bpe.vocabulary.index:
        # The library looks the pre-token up as it is, without the suffix.
        found.add(offset, offset + len(text), bpe.vocabulary.index[text])


def _add_strays(bpe: Bpe, text: bytes, offset: int, found: EdgeList) -> Spans:
    """Append an edge for what no symbol stands for; return the characters that aren't dropped."""
    prefix, suffix = bpe.prefix.encode(), bpe.suffix.encode()
    last = len(text)
    kept: Spans = []
    start = 0
    while start < last:
        end = unit_end(text, start, last, bpe.alphabet)
        shown = (prefix if start else b"") + text[start:end] + (suffix if end == last else b"")
        if shown in bpe.base and shown not in bpe.lacking:
            kept.append((start, end))
        elif bpe.byte_pieces is not None:
            kept.append((start, end))
            for at in range(start, end):
                piece = int(bpe.byte_pieces[text[at]])
                found.add(offset + at, offset + at + 1, piece, EdgeKind.BYTE)
        elif bpe.unknown >= 0:
            kept.append((start, end))
            found.add(offset + start, offset + end, bpe.unknown, EdgeKind.UNKNOWN)
        else:
            if shown in bpe.lacking:
                kept.append((start, end))
            found.add(offset + start, offset + end, -1, EdgeKind.DROPPED)
        start = end
    return kept


def _add_pieces(bpe: Bpe, text: bytes, kept: Spans, offset: int, found: EdgeList) -> None:
    """Append the edges of all pieces that match; they may span characters that are dropped."""
    prefix, suffix = bpe.prefix.encode(), bpe.suffix.encode()
    lengths = np.array([b - a for a, b in kept], dtype=np.int64)
    ends = np.cumsum(lengths)
    # Where each character's end, counted without those that are dropped, lies in the text.
    source = dict(zip(ends.tolist(), (b for _, b in kept), strict=True))
    spelled = b"".join(text[a:b] for a, b in kept)
    size = len(spelled)
    closed = bool(suffix and kept and kept[-1][1] == len(text))
    if closed:
        spelled += suffix
    longest = int(bpe.vocabulary.lengths.max(initial=0))
    for (a, _), at in zip(kept, (ends - lengths).tolist(), strict=True):
        probe = (prefix if a else b"") + spelled[at : at + longest]
        shift = at - (len(prefix) if a else 0)
        for stop, piece in bpe.table.at(probe, 0, len(probe)):
            end = shift + stop
            if closed and end == size + len(suffix):
                end = size
            elif closed and end >= size:
                continue
            if end > at and end in source:
                found.add(offset + a, offset + source[end], piece)


def canonical_edges(bpe: Bpe, lattice: Lattice) -> NDArray[np.bool_]:
    """Return which edges could be tokens of the model's own segmentation, bool[e].

    A segmentation is the model's own if and only if merging gives back each of its tokens from
    the token's own symbols, and each pair of neighbours from the symbols of the two (Vieira et
    al. 2025, arXiv 2506.07956). So an edge can't be on the model's path if it fails alone, or
    beside every edge that ends where it starts, or beside every one that starts where it ends;
    pre-tokens don't touch each other. Those on the model's path always pass. Edges of rules other
    than merging (added tokens, unknown and left out characters, fallback bytes) pass, and are
    good neighbours; a pre-token that the model looks up before merging is its one edge alone.
    """
    start, end, cuts = lattice.start, lattice.end, lattice.prepared.cuts
    word = np.searchsorted(cuts, start, side="right") - 1
    stop = cuts[np.minimum(word + 1, len(cuts) - 1)]
    merged = lattice.kind == EdgeKind.PIECE
    fits = np.ones(lattice.n_edges, dtype=np.bool_)
    if bpe.ignore_merges:
        whole = merged & (start == cuts[word]) & (end == stop)
        looked_up = np.zeros(len(cuts), dtype=np.bool_)
        looked_up[word[whole]] = True
        fits[looked_up[word] & ~whole] = False
        merged &= ~looked_up[word]
    asked = np.flatnonzero(merged)
    none = np.full(len(asked), -1, dtype=np.int64)
    fits[asked] = _stay(bpe, lattice, asked, none)
    left, right = _neighbours(lattice, merged & fits, word)
    together = _stay(bpe, lattice, left, right)
    for edges, at_rim in ((right, start == cuts[word]), (left, end == stop)):
        backed = at_rim | ~merged
        backed[edges[together]] = True
        fits &= backed | _beside_others(lattice, merged, edges is right)
    return fits


def canonical_pieces(bpe: Bpe) -> NDArray[np.int8]:
    """Return of each piece whether merging its own symbols gives it back, int8[n].

    1 where it does, 0 where it doesn't: the merges alone never make it. −1 where that rule isn't
    the piece's own: pieces that merging doesn't make (special, added, unknown, fallback bytes,
    user-defined, unused), and all of a model that looks pre-tokens up first or spells a piece
    otherwise at the start or the end of a pre-token.
    """
    vocabulary = bpe.vocabulary
    answer = np.full(len(vocabulary), -1, dtype=np.int8)
    if bpe.ignore_merges or not bpe.spelled_alike:
        return answer
    pieces = np.flatnonzero((vocabulary.kind == PieceKind.NORMAL) & (vocabulary.lengths > 0))
    alone = np.stack((pieces, np.full(len(pieces), -1)), axis=1).astype(np.int64)
    answer[pieces] = _stay_alone(bpe, alone)
    return answer


def _neighbours(
    lattice: Lattice, good: NDArray[np.bool_], word: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs (left, right) of good edges that meet at a node inside a pre-token."""
    edges = np.flatnonzero(good)
    low = np.searchsorted(lattice.start[edges], lattice.end[edges], side="left")
    high = np.searchsorted(lattice.start[edges], lattice.end[edges], side="right")
    counts = high - low
    left = np.repeat(np.arange(len(edges)), counts)
    offset = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    right = low[left] + offset
    left, right = edges[left], edges[right]
    inside = word[left] == word[right]
    return left[inside], right[inside]


def _beside_others(lattice: Lattice, merged: NDArray[np.bool_], before: bool) -> NDArray[np.bool_]:
    """Return which edges stand after (before=True) or before an edge that isn't merged."""
    touched = np.zeros(lattice.n_nodes, dtype=np.bool_)
    others = np.flatnonzero(~merged & (lattice.kind != EdgeKind.PIECE))
    touched[lattice.end[others] if before else lattice.start[others]] = True
    beside: NDArray[np.bool_] = touched[lattice.start if before else lattice.end]
    return beside


def _stay(
    bpe: Bpe, lattice: Lattice, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether merging gives each edge back from its symbols, bool[k].

    right: the edge that stands behind it, whose symbols and token count too; −1 for none.
    """
    if not bpe.spelled_alike:
        return _stay_in_place(bpe, lattice, left, right)
    pieces = lattice.piece.astype(np.int64)
    second = np.where(right < 0, -1, pieces[right])
    keys = pieces[left] * (len(bpe.vocabulary) + 1) + second + 1
    if len(keys) > FEW:
        different, place = np.unique(keys, return_inverse=True)
        stays: NDArray[np.bool_] = _stay_alone(bpe, _pairs(bpe, different))[place]
        return stays
    # At each key that a person types nearly all pairs are those of the text before. Others may
    # ask beside this, so what was found is held here too.
    known, asked = bpe.known_to_stay, keys.tolist()
    answers = {key: known.get(key) for key in asked}
    new = [key for key, answer in answers.items() if answer is None]
    if new:
        found = _stay_alone(bpe, _pairs(bpe, np.array(new, dtype=np.int64))).tolist()
        answers.update(zip(new, found, strict=True))
        if len(known) > KEPT:
            known.clear()
        known.update(zip(new, found, strict=True))
    return np.array([answers[key] for key in asked], dtype=np.bool_)


def _pairs(bpe: Bpe, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the two pieces of each key, int64[k, 2]; −1 for no second one."""
    first, second = np.divmod(keys, len(bpe.vocabulary) + 1)
    return np.stack((first, second - 1), axis=1)


def _stay_alone(bpe: Bpe, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which pieces come back when the symbols of both are merged, bool[k].

    pairs: int64[k, 2], ids; −1 for no second one.
    """
    vocabulary = bpe.vocabulary
    lengths = vocabulary.lengths.astype(np.int64)
    sizes = np.where(pairs >= 0, lengths[pairs], 0)
    ends = np.cumsum(sizes.sum(axis=1))
    starts = ends - sizes.sum(axis=1)
    total = int(sizes.sum())
    if bpe.lacking or not compiled(total):
        stays = np.zeros(len(pairs), dtype=np.bool_)
        for k, ids in enumerate(pairs.tolist()):
            wanted = [piece for piece in ids if piece >= 0]
            data = b"".join(vocabulary.bytes(piece) for piece in wanted)
            stays[k] = [symbol[0] for symbol in bpe.merged(bpe.first_symbols(data))] == wanted
        return stays
    from engine.kernels.bpe import WHOLE

    tables = copy.copy(bpe.tables)
    tables.flags = tables.flags & ~np.uint8(WHOLE)  # all are to be merged, none looked up
    # The bytes of all pieces end to end, gathered out of the vocabulary.
    pieces, lasting = pairs.reshape(-1), sizes.reshape(-1)
    offsets = np.where(pieces >= 0, vocabulary.offsets[:-1][pieces], 0)
    within = np.arange(total) - np.repeat(np.cumsum(lasting) - lasting, lasting)
    data = vocabulary.data[np.repeat(offsets, lasting) + within]
    longest, ids, at, to = room_for_tokens(starts, ends)
    count = tables.encode(data, starts, ends, longest, ids, at, to)
    place = np.searchsorted(starts, at[:count], side="right") - 1
    number = np.bincount(place, minlength=len(pairs))
    first = np.searchsorted(place, np.arange(len(pairs)), side="left")
    two = pairs[:, 1] >= 0
    enough: NDArray[np.bool_] = number == 1 + two
    tokens = np.append(ids[:count], np.int32(-1)).astype(np.int64)
    same: NDArray[np.bool_] = tokens[np.minimum(first, count)] == pairs[:, 0]
    same &= ~two | (tokens[np.minimum(first + 1, count)] == pairs[:, 1])
    same &= enough
    return same


def _stay_in_place(
    bpe: Bpe, lattice: Lattice, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Do what `_stay` does by the first symbols of the edges' pre-token.

    A piece may be spelled otherwise at the start or the end of a pre-token than inside, and a
    symbol that is several characters long may begin before an edge.
    """
    data, cuts = lattice.prepared.data.tobytes(), lattice.prepared.cuts.tolist()
    words = np.searchsorted(lattice.prepared.cuts, lattice.start[left], side="right") - 1
    first = lattice.prepared.cuts[words]
    # What each edge is in its pre-token; a second edge begins where the first ends.
    columns = [
        column.tolist()
        for column in (
            words,
            lattice.piece[left],
            lattice.start[left] - first,
            lattice.end[left] - first,
            np.where(right < 0, -1, lattice.piece[right]),
            np.where(right < 0, -1, lattice.end[right] - first),
        )
    ]
    texts = [data[start:end] for start, end in pairwise(cuts)]
    cut: dict[int, Symbols] = {}
    known = bpe.known_in_place if len(left) <= FEW else {}
    if len(known) > KEPT:
        known.clear()
    stays = np.zeros(len(left), dtype=np.bool_)
    for k, (word, *own) in enumerate(zip(*columns, strict=True)):
        key = (texts[word], *own)
        answer = known.get(key)
        if answer is None:
            if word not in cut:
                cut[word] = bpe.first_symbols(texts[word])
            answer = _comes_back(bpe, cut[word], *own)
            # A long one is another after each key, and never asked for again.
            if len(texts[word]) <= SHORT:
                known[key] = answer
        stays[k] = answer
    return stays


def _comes_back(
    bpe: Bpe, symbols: Symbols, piece: int, start: int, middle: int, second: int, end: int
) -> bool:
    """Return whether merging makes a piece of a pre-token's symbols from `start` to `middle`, and,
    if `second` isn't −1, that piece of those on to `end`, when these are merged alone."""
    wanted = [(piece, start, middle)]
    if second >= 0:
        wanted.append((second, middle, end))
    stop = wanted[-1][2]
    part = [symbol for symbol in symbols if start <= symbol[1] and symbol[2] <= stop]
    return bool(part) and bpe.merged(part) == wanted
