"""The merges of a tokenizer.json: which two pieces each joins, and which piece that makes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.formats.huggingface_lists import AGAIN, Reading
from engine.formats.joined import Finder, Joined
from engine.formats.jsonparts import Pairs
from engine.progress import Report
from engine.terminal import counted

MANY = 10_000
"""Merges from which their parts are looked up all at once."""

Columns = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Left part, right part and result of each merge."""


def read_merges(
    reading: Reading, prefix: int = 0
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Read the merge list: left, right, result and rank of each merge.

    A merge is a text of two pieces with a space between them, or a list of two pieces. The
    result drops the first `prefix` characters of the right piece.
    """
    source, ids = reading.source, reading.ids
    rows = reading.model.list("merges")
    if isinstance(rows, Pairs):
        raise reading.model.wrong("merges", "a list")
    report = source.part(880, 980)
    columns = None if prefix or len(rows) < MANY else _found_at_once(ids, rows, report)
    if columns is None:
        columns = _found_by_name(reading, _split_merges(reading, rows, prefix), prefix, report)
    left, right, result = columns
    rank = np.arange(len(rows), dtype=np.int32)
    if not rows:
        longer = [t for t in ids if len(t) > 1 and (t[0], t[-1]) not in (("<", ">"), ("[", "]"))]
        if longer:
            reading.warnings.append(
                f"the vocabulary has {counted(len(longer), 'piece')} of several characters but "
                "no merges: no text will ever reach them"
            )
    # Of a pair that is listed twice the last listing counts.
    last = (
        len(rows) - 1 - np.unique((left.astype(np.int64) << 32 | right)[::-1], return_index=True)[1]
    )
    if len(last) != len(rows):
        reading.warnings.append(
            f"{counted(len(rows) - len(last), 'merge')} listed twice; the last listing counts"
        )
        keep = np.sort(last)
        left, right, result, rank = left[keep], right[keep], result[keep], rank[keep]
    return left, right, result, rank


def _found_at_once(ids: dict[str, int], rows: list[Any], report: Report) -> Columns | None:
    """Return left, right and result of many merges, None where something is odd or missing."""
    texts, pieces = _joined(rows, report), Joined.of(list(ids))
    if texts is None or pieces is None:
        return None
    finder, bounds = Finder(pieces), texts.bounds
    number = np.fromiter(ids.values(), np.int32, len(ids))
    columns = []
    # The two parts of a merge stand side by side, so together they are its result.
    for start, end in ((bounds[:-1:2], bounds[1::2]), (bounds[1::2], bounds[2::2]),
                       (bounds[:-1:2], bounds[2::2])):  # fmt: skip
        found = finder.find(texts, start, end - start)
        if found is None:
            return None
        columns.append(number[found])
    left, right, result = columns
    return left, right, result


def _joined(rows: list[Any], report: Report) -> Joined | None:
    """Return the parts of all merges end to end, None where one isn't plainly two pieces."""
    blocks: list[str] = []
    # In blocks, so that a row is looked at thrice while the processor has it at hand.
    for at in range(0, len(rows), MANY):
        report(at, len(rows))
        block = rows[at : at + MANY]
        kinds = set(map(type, block))
        if kinds == {str} and set(map(str.count, block, repeat(" "))) == {1}:
            blocks.append("\0".join(block).replace(" ", "\0"))
        elif kinds == {list} and set(map(len, block)) == {2}:
            try:
                blocks.append("\0".join(chain.from_iterable(block)))
            except TypeError:  # a part is no text
                return None
        else:
            return None
    return Joined.marked("\0".join(blocks), 2 * len(rows))


def _found_by_name(
    reading: Reading, parts: Sequence[Sequence[str]], prefix: int, report: Report
) -> Columns:
    """Return left, right and result of each merge. Raises `ModelError` for a missing part."""
    ids = reading.ids
    columns: list[list[int]] = [[], [], []]
    step = 20_000
    for at in range(0, len(parts), step):
        report(at, len(parts))
        block = parts[at : at + step]
        first, second = zip(*block, strict=True)
        tails = [b[prefix:] for b in second] if prefix else second
        try:
            for column, texts in zip(columns, (first, second, map(add, first, tails)), strict=True):
                column.extend(map(ids.__getitem__, texts))
        except KeyError:
            _missing_part(reading, at, block, prefix)
    left, right, result = (np.array(column, dtype=np.int32) for column in columns)
    return left, right, result


def _split_merges(reading: Reading, rows: list[Any], prefix: int) -> Sequence[Sequence[str]]:
    """Return the two pieces of each merge."""
    source = reading.source
    # Half a million merges: what all of them are is asked in bulk.
    if (
        set(map(type, rows)) == {list}
        and set(map(len, rows)) == {2}
        and set(map(type, chain.from_iterable(rows))) == {str}
    ):
        return rows
    parts: list[tuple[str, str]] = []
    odd = 0
    for i, row in enumerate(rows):
        if isinstance(row, str):
            split = row.split(" ")
            if len(split) != 2:
                split = _resolve(reading, i, row, prefix)
                odd += 1
            parts.append((split[0], split[1]))
        elif (
            isinstance(row, list)
            and len(row) == 2
            and isinstance(row[0], str)
            and isinstance(row[1], str)
        ):
            parts.append((row[0], row[1]))
        else:
            raise source.error(
                f"merge {i} isn't a pair of pieces", f"field model.merges[{i}]", AGAIN
            )
    if odd:
        reading.warnings.append(
            f"{counted(odd, 'merge')} with spaces inside a piece, resolved with the vocabulary, "
            "but the tokenizers library refuses the file: save the merges as lists of two"
        )
    return parts


def _resolve(reading: Reading, i: int, row: str, prefix: int) -> list[str]:
    """Split a merge whose pieces hold spaces in the one way that the vocabulary allows."""
    ids = reading.ids
    fitting = [
        [row[:at], row[at + 1 :]]
        for at, char in enumerate(row)
        if char == " " and row[:at] in ids and row[at + 1 :] in ids
        if row[:at] + row[at + 1 + prefix :] in ids
    ]
    if len(fitting) == 1:
        return fitting[0]
    ways = "in no way" if not fitting else f"in {len(fitting)} ways"
    raise reading.source.error(
        f"merge {i} {row!r} splits {ways} into two pieces of the vocabulary",
        f"field model.merges[{i}]",
        "save the merges as lists of two pieces",
    )


def _missing_part(reading: Reading, at: int, block: Sequence[Sequence[str]], prefix: int) -> None:
    for i, (a, b) in enumerate(block, start=at):
        for piece, what in ((a, "left part"), (b, "right part"), (a + b[prefix:], "result")):
            if piece not in reading.ids:
                raise reading.source.error(
                    f"the {what} {piece!r} of merge {i} ({a!r}, {b!r}) isn't in the vocabulary",
                    f"field model.merges[{i}]",
                    "add the piece or remove the merge",
                )
