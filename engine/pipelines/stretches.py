"""The pre-tokens of many lines, collected as flat arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import alphabet
from engine.pipeline import Prepared, PreparedLines
from engine.pipelines.characters import pack
from engine.pipelines.scanning import Scan, scan


def tiled_lines(
    data: NDArray[np.uint8], ends: NDArray[np.int64], cuts: NDArray[np.int64]
) -> PreparedLines:
    """Return lines whose pre-tokens stand end to end; cuts: see `PreparedLines.line_cuts`."""
    starts = np.concatenate((np.zeros(1, np.int64), ends))[: len(ends)]
    return PreparedLines(data, starts, ends, np.full(len(ends), -1, dtype=np.int32), cuts)


class Stretches:
    """Collects the pre-tokens of many lines, line by line.

    mapped: given pieces are written in GPT-2's byte alphabet. rule: how the lines of `add_line`
    are split.
    """

    def __init__(self, mapped: bool, rule: Scan | None = None) -> None:
        self.mapped, self.rule = mapped, rule
        self.counts: list[int] = []
        self.pieces: list[str] = []
        self.lines: list[str] = []
        self.done: list[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]] = []

    def add(self, pieces: list[str]) -> None:
        """Add the pre-tokens of a line, as the library writes them."""
        self.counts.append(len(pieces))
        self.pieces.extend(pieces)

    def add_line(self, line: str) -> None:
        """Add a line that `rule` splits."""
        self.lines.append(line)

    def add_prepared(self, prepared: Prepared) -> None:
        """Add a line that is ready."""
        self._flush()
        self.counts.append(len(prepared.fixed))
        self.done.append((prepared.data, np.diff(prepared.cuts).astype(np.int64), prepared.fixed))

    def _flush(self) -> None:
        if self.pieces:
            pieces, self.pieces = self.pieces, []
            data, lengths = piece_bytes(pieces, self.mapped)
            self.done.append((data, lengths, np.full(len(pieces), -1, dtype=np.int32)))
        if self.rule is not None and self.lines:
            lines, self.lines = self.lines, []
            data, line_ends = pack(lines)
            ends, cuts = scan(self.rule, data, line_ends)
            self.counts.extend(np.diff(cuts).tolist())
            lengths = np.diff(ends, prepend=0)
            self.done.append((data, lengths, np.full(len(ends), -1, dtype=np.int32)))

    def joined(self) -> PreparedLines:
        """Return all lines added so far."""
        self._flush()
        empty = (np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int32))
        data, lengths, fixed = (
            np.concatenate(columns) for columns in zip(empty, *self.done, strict=True)
        )
        ends = np.cumsum(lengths)
        cuts = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.counts, dtype=np.int64)))
        return PreparedLines(data, ends - lengths, ends, fixed, cuts)


def piece_bytes(pieces: list[str], mapped: bool) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of all pieces end to end, and how many each has.

    mapped: the pieces are written in GPT-2's byte alphabet.
    """
    text = "".join(pieces)
    lengths = np.fromiter((len(piece) for piece in pieces), dtype=np.int64, count=len(pieces))
    if mapped:
        values = alphabet.bytes_of(text)
        if not (values < 0).any():
            return values.astype(np.uint8), lengths
        spelled = alphabet.unmap_all(pieces)
        lengths = np.fromiter((len(p) for p in spelled), dtype=np.int64, count=len(pieces))
        return np.frombuffer(b"".join(spelled), dtype=np.uint8), lengths
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    if len(data) != len(text):
        bounds = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))
        ends = bounds[np.cumsum(lengths)]
        lengths = np.diff(ends, prepend=0)
    return data, lengths
