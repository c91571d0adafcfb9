"""Split patterns run by the `regex` library as the models' own libraries run them.

The libraries know Unicode as it was when they were built; `regex` knows a later one. Where a text
holds characters whose class may have changed since, they are looked up in the `tokenizers` library
and stand-ins of that class are split instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A character for each class that the patterns tell apart, none of them in a contraction.
_STAND_INS = {
    "Lu": "A",
    "Ll": "a",
    "Lt": "\u01c5",
    "Lm": "\u02b0",
    "Lo": "\u05d0",
    "M": "\u0300",
    "N": "0",
}
_NO_CLASS = "\ue000"

_MOVED = "\u0295"
"""A letter that Unicode 17 took out of Ll."""

# What Oniguruma and `regex` read alike. `{1,3}+` is left out: only `regex` takes it for possessive.
_COMMON = re.compile(
    r"(?:\\p\{(?:L|N|M|Lu|Ll|Lt|Lm|Lo)\}|\\[sSrn]|\(\?(?:i?:|[!=])"
    r"|[?*]\+|\+\+|[()|?*+^' /\[\]]|[A-Za-z]|\{\d+(?:,\d*)?\}(?!\+))+"
)

_known: dict[str, str] = {}
"""Stand-ins looked up so far; a character that needs none stands for itself."""


def odd_characters(text: str) -> set[str]:
    """Return the characters of a text whose class may differ between the libraries."""
    if text.isascii():
        return set()
    return {c for c in set(text) if c == _MOVED or unicodedata.category(c) == "Cn"}


def stand_ins(characters: Iterable[str]) -> dict[str, str]:
    """Return a character of the same class, as the tokenizers library has it, for each."""
    asked = sorted(set(characters) - _known.keys())
    if asked:
        from tokenizers import Regex
        from tokenizers.pre_tokenizers import Split

        text = "".join(asked)
        found = dict.fromkeys(asked, _NO_CLASS)
        for name, stand_in in _STAND_INS.items():
            splitter = Split(Regex(rf"\p{{{name}}}"), "removed", invert=True)
            for piece, _ in splitter.pre_tokenize_str(text):
                found[piece] = stand_in
        _known.update(found)
    return {c: _known[c] for c in characters}


def same_everywhere(pattern: str) -> bool:
    """Return whether Oniguruma and `regex` read a pattern alike."""
    # A bracket inside brackets is a set of its own for Oniguruma.
    nested = re.search(r"\[[^\]]*\[", pattern)
    return nested is None and _COMMON.fullmatch(pattern) is not None


@dataclass(frozen=True)
class Splitter:
    """A split pattern: the matches are the pre-tokens, the rest of a text is left out."""

    pattern: str

    @cached_property
    def compiled(self) -> Any:
        """The pattern of the `regex` library."""
        import regex

        return regex.compile(self.pattern)

    def spans(self, text: str, patience: float | None = None) -> list[tuple[int, int]]:
        """Return the pre-tokens of a text as spans of characters, empty ones left out.

        patience: seconds of work after which `TimeoutError` is raised; None: there is no limit.
        """
        shown = usual(text)
        found = self.compiled.finditer(shown, timeout=patience)
        spans = [match.span() for match in found]
        return [span for span in spans if span[0] < span[1]]

    def line_spans(
        self, whole: str, lines: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pre-tokens of many lines.

        whole: the lines end to end. Spans are of characters in `whole`, int64[k, 2]; with them
        the number of the first pre-token of each line, and k, int64[lines + 1].
        """
        shown = usual(whole)
        if shown is not whole:
            ends = np.cumsum([len(line) for line in lines]).tolist()
            lines = [shown[a:b] for a, b in pairwise([0, *ends])]
        find = self.compiled.findall
        sizes: list[int] = []
        counts: list[int] = []
        for line in lines:
            found = find(line)
            counts.append(len(found))
            sizes.extend(map(len, found))
        lengths = np.array(sizes, dtype=np.int64)
        at = np.cumsum(lengths)
        if len(at) and at[-1] == len(whole) and lengths.all():
            spans = np.stack((at - lengths, at), axis=1)
        else:
            spans, counts = self._sparse_spans(lines)
        cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
        return spans, cuts

    def _sparse_spans(self, lines: Sequence[str]) -> tuple[NDArray[np.int64], list[int]]:
        """Do the work of `line_spans` where matches leave something out."""
        spans: list[tuple[int, int]] = []
        counts: list[int] = []
        base = 0
        for line in lines:
            found = [match.span() for match in self.compiled.finditer(line)]
            found = [(base + a, base + b) for a, b in found if a < b]
            spans.extend(found)
            counts.append(len(found))
            base += len(line)
        return np.array(spans, dtype=np.int64).reshape(-1, 2), counts


def usual(text: str) -> str:
    """Return a text with stand-ins for its odd characters, one for one."""
    odd = odd_characters(text)
    if not odd:
        return text
    return text.translate({ord(c): to for c, to in stand_ins(odd).items()})


def isolated(spans: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Return spans with what lies between them as spans of its own, up to `size`."""
    out: list[tuple[int, int]] = []
    at = 0
    for start, end in spans:
        if at < start:
            out.append((at, start))
        out.append((start, end))
        at = end
    if at < size:
        out.append((at, size))
    return out
