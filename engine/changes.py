"""What a stage of the pipeline makes of a stretch of text, in one word.

A normalizer is a black box that gives bytes and spans. Which of the well-known things it did to a
stretch is found out by doing them: the stretch is lower-cased, composed, stripped of accents …,
and the first that gives the same is the answer.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache

SPACE_MARK = "▁"
_WHITE = re.compile(r"\s+")


class Change(IntEnum):
    """What a piece of a stage is to the stretch of the text that it comes from."""

    SAME = 0
    """The same bytes."""
    SPACE = 1
    """▁ for a space."""
    WHITE_SPACE = 2
    """One space, or ▁, for white space that is more or other than one space; else the same."""
    INSERTED = 3
    """It stands for nothing in the text."""
    SPACED = 4
    """The same bytes with spaces around them that the text hasn't there."""
    LOWER_CASE = 5
    ACCENTS = 6
    """Without its combining marks."""
    FOLDED = 7
    """In lower case and without its combining marks."""
    COMPOSED = 8
    """In normal form C."""
    DECOMPOSED = 9
    """In normal form D."""
    COMPATIBLE = 10
    """In normal form KC or KD."""
    REPLACED = 11
    """Something else."""
    SPECIAL = 12
    """A special token, cut out of the text."""
    ADDED = 13
    """An added token that isn't special, cut out of the text."""
    UNKNOWN = 14
    """The unknown token, or what it is decoded to."""
    BYTE = 15
    """A byte fallback piece."""

    @property
    def words(self) -> str:
        """The name in printed documents: `lower case`."""
        return self.name.lower().replace("_", " ")


_SAME = Change.SAME


@lru_cache(maxsize=4096)
def change_of(before: bytes, after: bytes) -> Change:
    """Return how `after` comes from `before`, both in UTF-8 (else only SAME is found)."""
    if before == after:
        return _SAME
    if not before:
        return Change.INSERTED
    try:
        old, new = before.decode("utf-8"), after.decode("utf-8")
    except UnicodeDecodeError:
        return Change.REPLACED
    if new in (" ", SPACE_MARK):
        if old == " ":
            return Change.SPACE
        return Change.WHITE_SPACE if old.isspace() else Change.REPLACED
    if SPACE_MARK in new and SPACE_MARK not in old and old == new.replace(SPACE_MARK, " "):
        return Change.SPACE
    if _WHITE.sub(" ", old) == new.replace(SPACE_MARK, " "):
        return Change.WHITE_SPACE
    for change, made in (
        (Change.LOWER_CASE, old.lower()),
        (Change.COMPOSED, unicodedata.normalize("NFC", old)),
        (Change.DECOMPOSED, unicodedata.normalize("NFD", old)),
        (Change.ACCENTS, _bare(old)),
        (Change.FOLDED, _bare(old.lower())),
        (Change.FOLDED, unicodedata.normalize("NFD", old.lower())),
        (Change.COMPATIBLE, unicodedata.normalize("NFKC", old)),
        (Change.COMPATIBLE, unicodedata.normalize("NFKD", old)),
        (Change.COMPATIBLE, _bare(unicodedata.normalize("NFKD", old))),
    ):
        if made == new:
            return change
    if new.strip(f" {SPACE_MARK}") == old:
        return Change.SPACED
    return Change.REPLACED


def _bare(text: str) -> str:
    """Return a text without its combining marks, in normal form D, as Bert's normalizer does."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn")
