"""What a trainer of merges sees: the words of a corpus as rows of base symbols."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.train.words import Words


@dataclass(frozen=True, eq=False)
class Units:
    """Words as rows of base symbols, in the order in which they occur first.

    base: the bytes of each base symbol, by id. symbols: int32[n], ids, all words end to end.
    offsets: int64[w + 1], where words begin. counts: int64[w], how often each occurs, 1 to 2³¹ − 1.
    """

    base: tuple[bytes, ...]
    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def tokens(self) -> int:
        """Symbols of the whole corpus before any merge."""
        return int(np.dot(np.diff(self.offsets), self.counts))


def byte_units(words: Words) -> Units:
    """Return words as bytes; the base symbols are all 256, by value, whether they occur or not."""
    base = tuple(bytes((byte,)) for byte in range(256))
    return Units(base, words.data.astype(np.int32), words.offsets, words.counts)


def character_units(words: Words, end_of_word: str = "", alphabet: Iterable[str] = ()) -> Units:
    """Return words, which are valid UTF-8, as characters; base symbols are sorted by code point.

    end_of_word: a mark that belongs to the last character of each word, so that `t</w>` is a base
    symbol beside `t`. alphabet: symbols that are there whether they occur or not.
    """
    rows = []
    for word in words:
        text = word.decode("utf-8")
        rows.append([*text[:-1], text[-1] + end_of_word] if text else [])
    base = sorted({symbol for row in rows for symbol in row}.union(alphabet))
    number = {symbol: i for i, symbol in enumerate(base)}
    flat = np.fromiter((number[symbol] for row in rows for symbol in row), dtype=np.int32)
    lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    return Units(tuple(symbol.encode() for symbol in base), flat, offsets, words.counts)
