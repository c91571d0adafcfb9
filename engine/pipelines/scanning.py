"""Split patterns that a kernel runs: which ones, and the class of each character.

`engine.kernels.split` holds the kernels. A character's class is asked of the `regex` library (of
a stand-in, where the libraries know different Unicode versions) the first time a text holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.encodings import PATTERNS
from engine.pipelines.characters import CharacterTable
from engine.pipelines.splitting import usual

_CLASSES = (
    r"[\p{Lu}\p{Lt}]",
    r"\p{Ll}",
    r"[\p{Lm}\p{Lo}]",
    r"\p{M}",
    r"\p{N}",
    "",
    r"\s",
    r"[\r\n]",
)
"""What the classes 1 … 8 of `engine.kernels.split` match; class 6 is everything else."""

_OTHER = 6
_MANY = 1 << 60


@dataclass(frozen=True)
class Scan:
    """How a pattern splits; see `engine.kernels.split.split_plain`. cased: `split_cased` does."""

    fold: bool = True
    heirs: bool = True
    digits: int = 3
    whole_tail: bool = False
    cased: bool = False


_HEAD = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_TAIL = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_GPT2 = Scan(fold=False, heirs=False, digits=_MANY, whole_tail=True)

SCANS = {
    PATTERNS["gpt2"]: _GPT2,
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": _GPT2,
    PATTERNS["cl100k"]: Scan(whole_tail=True),
    _HEAD + r"\p{N}{1,3}" + _TAIL: Scan(),
    _HEAD + r"\p{N}" + _TAIL: Scan(digits=1),
    PATTERNS["o200k"]: Scan(cased=True),
}
"""The patterns that a kernel runs: GPT-2's, cl100k's, Llama 3's, Qwen's and o200k's."""


class CharacterClasses(CharacterTable):
    """The classes of `engine.kernels.split`, uint8."""

    def __init__(self) -> None:
        super().__init__(np.uint8)

    def look_up(self, characters: str) -> NDArray[np.uint8]:
        """Return the class of each character."""
        import regex

        shown = usual(characters)
        found = np.full(len(shown), _OTHER, dtype=np.uint8)
        for number, pattern in enumerate(_CLASSES, start=1):
            if pattern:
                found[[match.start() for match in regex.finditer(pattern, shown)]] = number
        return found


@cache
def character_classes() -> CharacterClasses:
    """Return the one table of classes; ASCII is in it."""
    table = CharacterClasses()
    table.learn("".join(map(chr, range(128))))
    return table


def scan(
    rule: Scan, data: NDArray[np.uint8], line_ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where pre-tokens end, int64[k], and the first one of each line, int64[lines + 1].

    data, line_ends: what `engine.pipelines.characters.pack` returns. The first pre-token starts
    at 0, each other one where the one before ends.
    """
    from engine.kernels.split import split_cased, split_plain

    table = character_classes()
    ends = np.empty(len(data), dtype=np.int64)
    cuts = np.empty(len(line_ends) + 1, dtype=np.int64)
    while True:
        if rule.cased:
            count = split_cased(data, line_ends, table.values, ends, cuts)
        else:
            count = split_plain(
                data,
                line_ends,
                table.values,
                rule.fold,
                rule.heirs,
                rule.digits,
                rule.whole_tail,
                ends,
                cuts,
            )
        if count >= 0:
            return ends[:count], cuts
        table.learn(data.tobytes().decode("utf-8"))
