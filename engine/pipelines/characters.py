"""What is known of each character: tables by code point that grow with the texts they meet."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.pipeline import check_unicode

CODE_POINTS = 0x110000


class CharacterTable(ABC):
    """A number for each code point, looked up when a text first holds it; 0 until then.

    values: one for each code point. It is never written to: a table that knows more takes its
    place, so a thread may go on with the one that it has.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.values = np.zeros(CODE_POINTS, dtype=dtype)
        self._lock = threading.Lock()

    def learn(self, text: str) -> None:
        """Look up the characters of a text that are new."""
        with self._lock:
            new = sorted(c for c in set(text) if not self.values[ord(c)])
            if new:
                values = self.values.copy()
                values[[ord(c) for c in new]] = self.look_up("".join(new))
                self.values = values

    @abstractmethod
    def look_up(self, characters: str) -> Sequence[int] | NDArray[np.integer]:
        """Return the number of each character, none of them 0."""


def pack(lines: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return lines end to end in UTF-8, and where each ends there, int64[lines].

    Raises `TextError` if one holds a lone surrogate.
    """
    try:
        encoded = [line.encode("utf-8") for line in lines]
    except UnicodeEncodeError:
        check_unicode(lines)
        raise
    data = np.frombuffer(bytearray(b"".join(encoded)), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
    return data, ends
