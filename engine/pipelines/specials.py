"""Special strings cut out of a text before a pipeline sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from engine.pipeline import Prepared
from engine.text import Text


def prepare_parsed(
    text: Text, specials: Mapping[str, int], prepare: Callable[[Text], Prepared]
) -> Prepared:
    """Return a text whose special strings are tokens, the longest first where several begin.

    specials: ids by text. What stands between two of them is prepared as a text of its own, as
    one does by hand with a library that doesn't parse special strings.
    """
    spelled = [string for string in specials if string and string in text.string]
    if not spelled:
        return prepare(text)
    longest_first = sorted(spelled, key=len, reverse=True)
    parts: list[Prepared] = []
    base = 0
    # re.split with a group puts the special strings at the odd places.
    for i, string in enumerate(
        re.split(f"({'|'.join(map(re.escape, longest_first))})", text.string)
    ):
        piece = Text(string)
        if piece.n_bytes:
            part = _fixed(piece, specials[string]) if i % 2 else prepare(piece)
            parts.append(_shifted(part, base))
        base += piece.n_bytes
    sizes = np.cumsum([0, *(len(part.data) for part in parts)])
    cuts = [part.cuts[:-1] + size for part, size in zip(parts, sizes[:-1].tolist(), strict=True)]
    return Prepared(
        text,
        np.concatenate([part.data for part in parts]),
        np.append(np.concatenate(cuts), sizes[-1]).astype(np.int32),
        np.concatenate([part.fixed for part in parts]),
        np.concatenate([part.source_start for part in parts]),
        np.concatenate([part.source_end for part in parts]),
    )


def _fixed(text: Text, number: int) -> Prepared:
    at = np.arange(text.n_bytes, dtype=np.int32)
    cuts = np.array([0, text.n_bytes], dtype=np.int32)
    return Prepared(text, text.data, cuts, np.array([number], dtype=np.int32), at, at + np.int32(1))


def _shifted(part: Prepared, base: int) -> Prepared:
    move = np.int32(base)
    start, end = part.source_start + move, part.source_end + move
    return Prepared(part.text, part.data, part.cuts, part.fixed, start, end)
