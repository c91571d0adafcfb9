"""The pipeline of tiktoken ranks: a split pattern, and special tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.kernels import compiled
from engine.pieces import Vocabulary
from engine.pipeline import Prepared, PreparedLines, cut_out
from engine.pipelines.characters import pack
from engine.pipelines.scanning import SCANS, scan
from engine.pipelines.splitting import Splitter
from engine.pipelines.stretches import tiled_lines
from engine.readings import Special
from engine.text import Text


@dataclass(frozen=True, eq=False)
class TiktokenPipeline:
    """Splitting by a regular expression of the `regex` library.

    name: the pattern's name or itself. pattern: the expression; empty: the text isn't split.
    Text that the pattern doesn't match is left out, as tiktoken does. specials: ids by text.
    """

    vocabulary: Vocabulary
    name: str
    pattern: str
    specials: Mapping[str, int]

    @property
    def normalizer(self) -> str:
        """Empty: the text isn't changed."""
        return ""

    @property
    def pre_tokenizer(self) -> str:
        """The name of the split pattern, or the pattern."""
        return self.name

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.pattern)

    @cached_property
    def _special(self) -> Any:
        import regex

        longest_first = sorted(self.specials, key=len, reverse=True)
        return regex.compile("|".join(regex.escape(text) for text in longest_first))

    def prepare(self, text: Text, special: Special = "literal") -> Prepared:
        """Return the text cut into pre-tokens; special tokens are cut out for "parse"."""
        spans: list[tuple[int, int]] = []
        fixed: list[int] = []
        at = 0
        for start, end, number in self._found(text.string, special):
            inside = self._spans(text.string[at:start])
            spans.extend((at + a, at + b) for a, b in inside)
            spans.append((start, end))
            fixed.extend([-1] * (len(spans) - len(fixed) - 1))
            fixed.append(number)
            at = end
        spans.extend((at + a, at + b) for a, b in self._spans(text.string[at:]))
        fixed.extend([-1] * (len(spans) - len(fixed)))
        chars = np.array(spans, dtype=np.int64).reshape(-1, 2)
        bounds = text.char_bounds[chars]
        return cut_out(text, bounds[:, 0], bounds[:, 1], np.array(fixed, dtype=np.int32))

    def _found(self, string: str, special: Special) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and id of the special tokens that are to be parsed."""
        if special == "parse" and self.specials:
            for match in self._special.finditer(string):
                yield match.start(), match.end(), self.specials[match.group()]

    def _spans(self, string: str) -> list[tuple[int, int]]:
        """Return the pre-tokens of a text as spans of characters."""
        if not string:
            return []
        if not self.pattern:
            return [(0, len(string))]
        return self._splitter.spans(string)

    def prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        """Return many texts cut into pre-tokens; bytes that no pre-token holds stay between."""
        data, line_ends = pack(lines)
        rule = SCANS.get(self.pattern)
        if rule is not None and compiled(len(data)):
            return tiled_lines(data, *scan(rule, data, line_ends))
        whole = "".join(lines)
        if self.pattern:
            chars, cuts = self._splitter.line_spans(whole, lines)
        else:
            ends = np.cumsum([len(line) for line in lines], dtype=np.int64)
            starts = np.concatenate((np.zeros(1, np.int64), ends))[: len(ends)]
            full = starts < ends
            chars = np.stack((starts[full], ends[full]), axis=1)
            cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(full, dtype=np.int64)))
        bounds = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))
        pairs = bounds[chars]
        fixed = np.full(len(pairs), -1, dtype=np.int32)
        return PreparedLines(data, pairs[:, 0].copy(), pairs[:, 1].copy(), fixed, cuts)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes of the pieces, special tokens as their text."""
        return b"".join(self.vocabulary.bytes(int(i)) for i in ids)
