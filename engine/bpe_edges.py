"""The lattice edges of one BPE pre-token on the plain road.

It serves short texts, and always the models whose pieces aren't spelled as the text is: with a
prefix, a suffix, or characters that the model leaves out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.matching import EdgeList, unit_end
from engine.segmenter import EdgeKind

if TYPE_CHECKING:
    from engine.bpe import Bpe

Spans = list[tuple[int, int]]


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
        if shown in bpe.base:
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
