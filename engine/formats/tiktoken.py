"""tiktoken ranks: lines `base64(piece) rank`, merged by rank.

The file holds neither the split pattern nor the special tokens. Those of published encodings are
known (`engine.encodings`); for others the caller gives them.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from engine.bpe import Bpe
from engine.encodings import PATTERNS, published
from engine.errors import ParameterError
from engine.formats.source import Source, highest_id
from engine.formats.splits import lone_bytes, split_rows
from engine.formats.textfile import BYTE_ORDER_MARK, check_lines, told_mark
from engine.lattice import Spelling
from engine.model import Model, SpecialToken
from engine.pieces import PieceKind, Vocabulary
from engine.pipelines.tiktoken import TiktokenPipeline
from engine.terminal import agreed, counted

_LINE = re.compile(rb"[A-Za-z0-9+/]*={0,2} [0-9]+\r?")
_LOOKED_AT = 8192
"""Bytes that tell what a file is."""
_REPORT_EVERY = 8192


def recognise(data: bytes) -> bool:
    """Return whether a file lists base64 texts, each with a space and a rank.

    The first line must look so, and half of those at the start must be so, that a damaged file is
    known for what it is: merges such as `1 9` are no base64, and words in English seldom are.
    Counts that fall from the first line to the last are no ranks.
    """
    lines = data[:_LOOKED_AT].removeprefix(BYTE_ORDER_MARK).split(b"\n")
    if len(data) > _LOOKED_AT:
        lines.pop()  # cut
    lines = [line for line in lines if line.strip()]
    if not lines or _LINE.fullmatch(lines[0]) is None:
        return False
    ranks = [rank for rank in map(_rank_of, lines) if rank >= 0]
    steps = [after - before for before, after in pairwise(ranks)]
    falling = any(step < 0 for step in steps) and not any(step > 0 for step in steps)
    return 2 * len(ranks) >= len(lines) and not falling


def _rank_of(line: bytes) -> int:
    """Return the rank in a line, -1 where it isn't a piece in base64 and a rank."""
    if _LINE.fullmatch(line) is None:
        return -1
    encoded, digits = line.split(b" ")
    try:
        return int(digits[:20]) if binascii.a2b_base64(encoded, strict_mode=True) else -1
    except binascii.Error:
        return -1


@dataclass
class _Ranks:
    """The lines read so far: the piece of each rank, and what is odd about them."""

    pieces: dict[int, bytes] = field(default_factory=dict)
    doubles: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)


def read(
    source: Source, pattern: str | None = None, specials: Mapping[str, int] | None = None
) -> Model:
    """Read a rank file. Raises `ModelError` with the line number.

    pattern: a name of `PATTERNS`, `none`, or a regular expression. specials: ids by text. Both
    replace those of a published encoding.
    """
    ranks = _parse(source)
    known = published(source.data.removeprefix(BYTE_ORDER_MARK))
    warnings = told_mark(source, "tiktoken leaves it out too")
    name, expression = _pattern(pattern, known.pattern if known else None, warnings)
    if specials is None:
        specials = dict(known.specials) if known else {}
        if known is None:
            warnings.append("a rank file holds no special tokens; none are set")
    given = _check_specials(source, specials, ranks.pieces)
    size = max(*ranks.pieces, *given.values(), -1) + 1
    pieces = [b""] * size
    kind = np.full(size, PieceKind.HOLE, dtype=np.uint8)
    matches = np.zeros(size, dtype=np.bool_)
    for rank, piece in ranks.pieces.items():
        pieces[rank] = piece
        kind[rank] = PieceKind.NORMAL if piece else PieceKind.UNUSED
    ids = {piece: rank for rank, piece in sorted(ranks.pieces.items()) if piece}
    for rank in ranks.doubles:
        ids[pieces[rank]] = rank
    matches[list(ids.values())] = True
    for text, number in given.items():
        pieces[number] = text.encode("utf-8")
        kind[number] = PieceKind.ADDED
    _warn(ranks, ids, warnings)
    lone = lone_bytes(ids, size)
    left, right, result = split_rows({**ids, **lone}, source.part(500, 980))
    vocabulary = Vocabulary.build(
        [*pieces, *lone],
        kind=np.append(kind, np.full(len(lone), PieceKind.HOLE, dtype=np.uint8)),
        matches=np.append(matches, np.zeros(len(lone), dtype=np.bool_)),
    )
    segmenter = Bpe(
        vocabulary,
        left,
        right,
        result,
        result,
        alphabet="byte",
        ignore_merges=True,
        rule="ranks",
    )
    source.report(1000, 1000)
    return Model(
        name=source.name,
        path=source.path,
        format="tiktoken",
        vocabulary=vocabulary,
        pipeline=TiktokenPipeline(vocabulary, name, expression, given),
        segmenter=segmenter,
        special_tokens=tuple(
            SpecialToken(number, text)
            for text, number in sorted(given.items(), key=lambda item: item[1])
        ),
        spelling=Spelling(),
        byte_level=True,
        settings={
            **({"encoding": known.name} if known else {}),
            **pattern_settings(name, pattern is None and known is None),
        },
        warnings=tuple(warnings),
    )


def _parse(source: Source) -> _Ranks:
    check_lines(source)
    ranks = _Ranks()
    report = source.part(50, 500)
    lines = source.data.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    limit = highest_id(len(lines))
    seen: dict[bytes, int] = {}
    decode = binascii.a2b_base64
    for number, line in enumerate(lines, start=1):
        if number % _REPORT_EVERY == 0:
            report(number, len(lines))
        if not line or line == b"\r":
            continue
        encoded, _, digits = line.partition(b" ")
        digits = digits.rstrip(b"\r")
        if not digits.isdigit():
            raise source.error(
                f"{_show(line)} isn't a base64 text, a space and a rank",
                f"line {number}",
                "the file may be cut short: copy or download it again",
            )
        # No number of more digits is needed, and Python refuses to read very long ones.
        rank = int(digits) if len(digits) < 20 else limit + 1
        if rank > limit:
            raise source.error(
                f"the rank {_show(digits)[1:-1]} is too large",
                f"line {number}",
                f"ranks go up to {limit:,} in a file of {counted(len(lines), 'line')}",
            )
        try:
            # A lone `=` is how Whisper's file writes the empty piece.
            piece = b"" if not encoded.strip(b"=") else decode(encoded, strict_mode=True)
        except binascii.Error as error:
            raise source.error(
                f"{_show(encoded)} isn't base64 ({error})",
                f"line {number}",
                "the file is damaged: copy or download it again",
            ) from None
        if rank in ranks.pieces:
            raise source.error(
                f"the rank {rank} stands twice, for {_show(ranks.pieces[rank])} and {_show(piece)}",
                f"line {number}",
                "each piece needs a rank of its own",
            )
        if not piece:
            ranks.empty.append(rank)
        elif piece in seen:
            ranks.doubles.append(rank)
        seen[piece] = rank
        ranks.pieces[rank] = piece
    return ranks


def _show(data: bytes) -> str:
    shown = data.rstrip(b"\r").decode("utf-8", errors="backslashreplace")
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")


def _pattern(given: str | None, known: str | None, warnings: list[str]) -> tuple[str, str]:
    """Return the pattern's name and regular expression, both empty for none."""
    choice = given if given is not None else known
    if choice is None:
        warnings.append(
            "a rank file holds no split pattern and this one isn't a published encoding: "
            "the text isn't split, so tokens may differ from the model's own"
        )
        return "", ""
    return split_pattern(choice)


def split_pattern(choice: str) -> tuple[str, str]:
    """Return name and regular expression of a split pattern, both empty for `none`.

    choice: a name of `PATTERNS`, `none`, or a regular expression; `ParameterError` if it is none.
    """
    if choice == "none":
        return "", ""
    if choice in PATTERNS:
        return choice, PATTERNS[choice]
    import regex

    try:
        regex.compile(choice)
    except regex.error as error:
        raise ParameterError(
            f"the split pattern isn't a regular expression ({error})",
            "",
            f"give one of {', '.join(PATTERNS)}, none, or a regular expression",
        ) from None
    return choice, choice


def pattern_settings(name: str, guessed: bool) -> dict[str, Any]:
    """Return what `inspect` says of a split pattern that isn't in the file.

    guessed: neither was it chosen nor does the content of the file tell it.
    """
    return {"split_pattern": name or "none", "split_pattern_guessed": guessed}


def _check_specials(
    source: Source, specials: Mapping[str, int], pieces: Mapping[int, bytes]
) -> dict[str, int]:
    remedy = "give each special token a text and an id of its own"
    used: dict[int, str] = {}
    limit = highest_id(len(pieces) + len(specials))
    for text, number in specials.items():
        if type(number) is not int or not 0 <= number <= limit or not text:
            raise ParameterError(f"special token {text!r} has the id {number!r}", "", remedy)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ParameterError(
                f"special token {text!r} holds a lone surrogate", "", "remove the token"
            ) from None
        if number in pieces:
            raise ParameterError(
                f"special token {text!r} has the id {number} of piece {_show(pieces[number])}",
                str(source.path),
                remedy,
            )
        if number in used:
            raise ParameterError(
                f"the special tokens {used[number]!r} and {text!r} have the same id {number}",
                "",
                remedy,
            )
        used[number] = text
    return dict(specials)


def _warn(ranks: _Ranks, ids: Mapping[bytes, int], warnings: list[str]) -> None:
    missing = [byte for byte in range(256) if bytes([byte]) not in ids]
    if missing:
        warnings.append(
            f"{len(missing)} of the 256 bytes {agreed(len(missing), 'lack')} a rank "
            f"(the first is 0x{missing[0]:02X}): "
            "tiktoken fails on a text that holds them; here they are left out"
        )
    if ranks.empty:
        warnings.append(f"rank {ranks.empty[0]} is an empty piece: reserved, it never matches")
    if ranks.doubles:
        warnings.append(
            f"{counted(len(ranks.doubles), 'piece')} listed twice, the first again under rank "
            f"{ranks.doubles[0]}; the later line counts"
        )
