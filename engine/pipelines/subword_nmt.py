"""The pipeline of subword-nmt codes: words between spaces, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.pieces import Vocabulary
from engine.pipeline import Prepared, PreparedLines, check_unicode, cut_out
from engine.readings import Special
from engine.subword_nmt import MARK
from engine.text import Text

SEPARATOR = "@@"
"""What subword-nmt writes after a piece that doesn't end its word."""

_WORD = re.compile("[^ ]+")
_MARK = np.frombuffer(MARK, dtype=np.uint8)


def word_spans(string: str) -> Iterator[tuple[int, int]]:
    r"""Yield the words of a text as spans of characters.

    Words stand between spaces; a carriage return counts as one at the start or end of a line,
    tabs and other white space are characters of a word.
    """
    start = 0
    for line in string.split("\n"):
        inside = line.lstrip("\r ")
        at = start + len(line) - len(inside)
        for match in _WORD.finditer(inside.rstrip("\r ")):
            yield at + match.start(), at + match.end()
        start += len(line) + 1


@dataclass(frozen=True, eq=False)
class SubwordNmtPipeline:
    """Splitting at spaces. marked: words get the bytes of the end-of-word mark (version 0.1)."""

    vocabulary: Vocabulary
    marked: bool

    @property
    def normalizer(self) -> str:
        """Empty: the text isn't changed."""
        return ""

    @property
    def pre_tokenizer(self) -> str:
        """What the text is cut at."""
        return "spaces and line ends"

    def prepare(self, text: Text, special: Special = "literal") -> Prepared:
        """Return the words; codes know no special strings, so all readings are one."""
        del special
        spans = np.array(list(word_spans(text.string)), dtype=np.int64).reshape(-1, 2)
        bounds = text.char_bounds[spans]
        starts, ends = bounds[:, 0], bounds[:, 1]
        return _with_mark(text, starts, ends) if self.marked else cut_out(text, starts, ends)

    def prepare_lines(self, lines: Sequence[str]) -> PreparedLines:
        """Return the words of many texts."""
        check_unicode(lines)
        words: list[bytes] = []
        counts: list[int] = []
        mark = MARK if self.marked else b""
        for line in lines:
            found = [line[a:b].encode("utf-8") + mark for a, b in word_spans(line)]
            counts.append(len(found))
            words.extend(found)
        data = np.frombuffer(b"".join(words), dtype=np.uint8)
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        ends = np.cumsum(lengths)
        cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
        fixed = np.full(len(words), -1, dtype=np.int32)
        return PreparedLines(data, ends - lengths, ends, fixed, cuts)

    def written(self, ids: Sequence[int]) -> list[str]:
        """Return pieces as subword-nmt writes them: `th@@` inside a word, `er` at its end."""
        out = []
        for i in ids:
            text = self.vocabulary.bytes(int(i)).decode("utf-8")
            ends = text.endswith(MARK.decode())
            out.append(text.removesuffix(MARK.decode()) if ends else text + SEPARATOR)
        return out

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the words with one space between them, which is all that the pieces tell."""
        pieces = (self.vocabulary.bytes(int(i)) for i in ids)
        text = b"".join(
            piece.removesuffix(MARK) + b" " if piece.endswith(MARK) else piece for piece in pieces
        )
        return text.removesuffix(b" ")


def _with_mark(text: Text, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> Prepared:
    """Return words of a text, each followed by the mark, which stands for nothing in the text."""
    sizes = (ends - starts).astype(np.int64)
    cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes + len(MARK))))
    word = np.repeat(np.arange(len(sizes)), sizes + len(MARK))
    inside = np.arange(cuts[-1]) - cuts[word]
    past = inside - sizes[word]
    mark = past >= 0
    source = np.where(mark, ends[word], starts[word] + inside)
    data = np.where(mark, _MARK[np.maximum(past, 0)], text.data[np.where(mark, 0, source)])
    return Prepared(
        text,
        data.astype(np.uint8),
        cuts.astype(np.int32),
        np.full(len(sizes), -1, dtype=np.int32),
        source.astype(np.int32),
        (source + ~mark).astype(np.int32),
    )
