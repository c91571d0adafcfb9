"""The symbols of one pre-token while BPE merges them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Word:
    """The symbols of one pre-token as a linked list; symbol i is gone where `id[i]` is -1.

    start, end: where each first symbol starts and ends; merging doesn't change them. after: the
    next symbol that is left. steps: rank, left symbol, right symbol, the one after them, and the
    ids left, right and result of each merge. split: what each unused piece was last made of.
    """

    start: list[int]
    end: list[int]
    id: list[int]
    after: list[int]
    steps: list[tuple[int, int, int, int, int, int, int]]
    split: dict[int, tuple[int, int]]

    def symbols(self) -> list[tuple[int, int, int]]:
        """Return (id, start, end) of each symbol that is left."""
        left = (i for i, piece in enumerate(self.id) if piece >= 0)
        return [(self.id[i], self.start[i], self.end[self.after[i] - 1]) for i in left]


Merge = Callable[[Word], None]
"""Merges the symbols of a word in place."""
