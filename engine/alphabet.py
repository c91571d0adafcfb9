"""GPT-2's alphabet: 256 printable characters that stand for the 256 bytes.

188 bytes that print stand for themselves, the other 68 are U+0100 … U+0143 in byte order
(Radford et al. 2019, the byte-level BPE of GPT-2).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def _characters() -> str:
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    code = {byte: byte for byte in shown} | {byte: 256 + i for i, byte in enumerate(hidden)}
    return "".join(chr(code[byte]) for byte in range(256))


CHARACTERS = _characters()
"""The character of each byte."""

_LIMIT = 0x144
_BYTES: NDArray[np.int16] = np.full(_LIMIT + 1, -1, dtype=np.int16)
_BYTES[[ord(c) for c in CHARACTERS]] = np.arange(256, dtype=np.int16)


def bytes_of(text: str) -> NDArray[np.int16]:
    """Return the byte of each character, int16[characters]; -1 outside the alphabet."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return _BYTES[np.minimum(codes, _LIMIT)]


def unmap(text: str) -> bytes:
    """Return the bytes that `text` spells in the alphabet, or its UTF-8 if it isn't in it."""
    values = bytes_of(text)
    if (values < 0).any():
        return text.encode("utf-8")
    return values.astype(np.uint8).tobytes()


def in_alphabet(texts: list[str]) -> NDArray[np.bool_]:
    """Return which texts are written in the alphabet, bool[texts]."""
    lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    strays = np.flatnonzero(bytes_of("".join(texts)) < 0)
    written = np.ones(len(texts), dtype=np.bool_)
    written[np.searchsorted(np.cumsum(lengths), strays, side="right")] = False
    return written


def unmap_all(texts: list[str]) -> list[bytes]:
    """Return `unmap` of each text."""
    values = bytes_of("".join(texts))
    whole = values.astype(np.uint8).tobytes()
    lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(lengths)
    bounds = [0, *ends.tolist()]
    out = [whole[a:b] for a, b in pairwise(bounds)]
    strays = np.flatnonzero(values < 0)
    for i in np.unique(np.searchsorted(ends, strays, side="right")).tolist():
        out[i] = texts[i].encode("utf-8")
    return out
