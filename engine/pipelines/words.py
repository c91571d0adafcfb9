"""Words as BERT's normalizer and pre-tokenizer make them, by a kernel, for many lines at once.

Both look at one character at a time, so what the `tokenizers` library makes of each character
alone is what it makes of a text (`engine.kernels.words`). The exception are spacing marks: where
accents are stripped, the library sorts marks that stand together before it drops some of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.pipelines.characters import CharacterTable, pack

_BETWEEN = "a"
"""A letter to put beside a character, to see how it is split from it."""

SLACK = 64
"""Room that the kernel wants beyond what it writes."""


class WordTable(CharacterTable):
    """What becomes of each character; see `engine.kernels.words.split_words`.

    normalizer, pre_tokenizer: the library's BertNormalizer (or None) and BertPreTokenizer.
    spelled: uint8, what characters turn into; it only grows at its end.
    """

    def __init__(self, normalizer: Any, pre_tokenizer: Any) -> None:
        super().__init__(np.int32)
        self.normalizer, self.pre_tokenizer = normalizer, pre_tokenizer
        self.spelled = np.zeros(1, dtype=np.uint8)
        self._fates: dict[str, int] = {}
        self._sorts = normalizer is not None and normalizer.normalize_str("é") == "e"

    def look_up(self, characters: str) -> list[int]:
        """Return the entry of each character."""
        from engine.kernels import words as kernels

        entries = []
        spelled = bytearray(self.spelled.tobytes())
        for character in characters:
            made = character
            if self.normalizer is not None:
                made = self.normalizer.normalize_str(character)
            if not made:
                entries.append(kernels.DROPPED)
            elif self._sorts and _moves(character):
                plain = made == character and self._fate(made) == kernels.KEPT
                entries.append(kernels.MOVING if plain else kernels.BOUND)
            elif made == character:
                entries.append(self._fate(made))
            elif all(self._fate(c) == kernels.BREAK for c in made):
                entries.append(kernels.BREAK)
            else:
                entries.append(len(spelled) << 3 | kernels.SPELLED)
                for c in made:
                    data = c.encode("utf-8")
                    spelled += bytes((self._fate(c) << 3 | len(data),)) + data
                spelled.append(0)
        # Before the table that points into it is in use.
        self.spelled = np.frombuffer(spelled, dtype=np.uint8)
        return entries

    def _fate(self, character: str) -> int:
        """Return what the pre-tokenizer does to a normalized character."""
        from engine.kernels import words as kernels

        if character not in self._fates:
            text = _BETWEEN + character + _BETWEEN
            found = [piece for piece, _ in self.pre_tokenizer.pre_tokenize_str(text)]
            fates = {1: kernels.KEPT, 2: kernels.BREAK, 3: kernels.ALONE}
            self._fates[character] = fates[len(found)]
        return self._fates[character]

    def split(
        self, lines: Sequence[str]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]] | None:
        """Return the words of lines: their bytes end to end, where each ends, and each line's.

        uint8[m], int64[k], int64[lines + 1] with the number of the first word of each line, and k.
        None where what becomes of a character depends on its neighbours.
        """
        from engine.kernels.words import split_words

        data, line_ends = pack(lines)
        room = len(data) + SLACK + 1
        cuts = np.empty(len(lines) + 1, dtype=np.int64)
        while True:
            table = self.values
            out, ends = np.empty(room, dtype=np.uint8), np.empty(room, dtype=np.int64)
            count = int(split_words(data, line_ends, table, self.spelled, out, ends, cuts))
            if count >= 0:
                size = int(ends[count - 1]) if count else 0
                return out[:size], ends[:count], cuts
            if count == -1:
                self.learn("".join(lines))
            elif count == -2:
                room *= 2
            else:
                return None


def _moves(character: str) -> bool:
    """Return whether a mark that isn't dropped may change places with one beside it."""
    parts = unicodedata.normalize("NFD", character)
    return unicodedata.category(character) == "Cn" or any(
        unicodedata.combining(c) and unicodedata.category(c) != "Mn" for c in parts
    )
