"""Which tokens give which bytes of a decoded text.

A decoder is a black box from ids to bytes: what a token gives may hang on its place, and a byte
alone gives nothing or U+FFFD. So a cut between two tokens counts where the tokens before it decode
to a beginning of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

Decode = Callable[[Sequence[int]], bytes]

CONTEXT = 4
"""Groups of tokens that a token is decoded after, where its own bytes hang on them."""

LONGEST = 64
"""Tokens that are looked at together before the rest is taken as one part."""


def decoded_parts(
    decode: Decode, ids: Sequence[int], own: Callable[[int], bytes]
) -> tuple[list[int], list[bytes]]:
    """Return (cuts, parts): tokens cuts[i] … cuts[i + 1] − 1 decode to parts[i].

    The parts joined are `decode(ids)`; none begins inside a character of it. own: a token's own
    bytes, which is all that a byte-level decoder joins.
    """
    whole = decode(ids)
    parts = [own(i) for i in ids]
    if b"".join(parts) == whole:
        return _whole_characters(list(range(len(ids) + 1)), parts)
    cuts = _clean_cuts(decode, ids, whole)
    at = [0]
    for size in cuts[1]:
        at.append(at[-1] + size)
    return _whole_characters(cuts[0], [whole[a:b] for a, b in pairwise(at)])


def _clean_cuts(decode: Decode, ids: Sequence[int], whole: bytes) -> tuple[list[int], list[int]]:
    """Return cuts between tokens, and how many bytes of the whole lie between two of them."""
    cuts, sizes, done = [0], [], 0
    usual = _Usual(decode, ids)
    while cuts[-1] < len(ids):
        start = cuts[-1]
        given = usual.part(ids[start]) if done else b""
        if given and whole.startswith(given, done):
            end = start + 1
        else:
            end, given = _next_cut(decode, ids, cuts, whole, done)
        cuts.append(end)
        sizes.append(len(given))
        done += len(given)
    if sizes and done < len(whole):
        sizes[-1] += len(whole) - done
    return cuts, sizes


class _Usual:
    """What a token gives inside a text: all that it gives with most decoders."""

    def __init__(self, decode: Decode, ids: Sequence[int]) -> None:
        self._decode = decode
        self._before = next((i for i in ids[:LONGEST] if decode([i])), None)
        self._base = b"" if self._before is None else decode([self._before])
        self._known: dict[int, bytes] = {}

    def part(self, token: int) -> bytes:
        """Return what a token gives after another; empty where that can't be told."""
        if self._before is None:
            return b""
        if token not in self._known:
            text = self._decode([self._before, token])
            own = text[len(self._base) :] if text.startswith(self._base) else b""
            self._known[token] = own
        return self._known[token]


def _next_cut(
    decode: Decode, ids: Sequence[int], cuts: list[int], whole: bytes, done: int
) -> tuple[int, bytes]:
    """Return the next cut after the last one, and what the tokens between the two give."""
    start = cuts[-1]
    first = _context(decode, ids, cuts)
    base = decode(ids[first:start])
    for end in range(start + 1, min(start + LONGEST, len(ids)) + 1):
        text = decode(ids[first:end])
        given = text[len(base) :]
        if text.startswith(base) and whole.startswith(given, done):
            return end, given
    # What can't be told apart is one part.
    return len(ids), whole[done:]


def _context(decode: Decode, ids: Sequence[int], cuts: list[int]) -> int:
    """Return the token from which to decode, so that what follows isn't at the start of a text."""
    k = max(len(cuts) - 1 - CONTEXT, 0)
    while k > 0 and not decode(ids[cuts[k] : cuts[-1]]):
        k = max(k - CONTEXT, 0)
    return cuts[k]


def _whole_characters(cuts: list[int], parts: list[bytes]) -> tuple[list[int], list[bytes]]:
    """Join parts until each but the last ends a character (in UTF-8)."""
    kept, joined = [cuts[0]], [b""]
    for i, part in enumerate(parts):
        continues = bool(part) and part[0] & 0xC0 == 0x80 and bool(joined[-1])
        if i and not continues:
            kept.append(cuts[i])
            joined.append(b"")
        joined[-1] += part
    if not parts:
        return [0], []
    kept.append(cuts[-1])
    return kept, joined
