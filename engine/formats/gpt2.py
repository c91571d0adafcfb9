"""GPT-2's pair of files: pieces and ids as JSON, merges as text. Either opens both.

`vocab.json` + `merges.txt`, or `encoder.json` + `vocab.bpe` as GPT-2 was published. Pieces are
written in the byte alphabet (`engine.alphabet`). A pair says neither how text is split nor which
pieces are special tokens: the split pattern is GPT-2's unless another is given, and pieces such
as `<|endoftext|>` that no merge makes are taken for special tokens.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from engine.alphabet import CHARACTERS
from engine.files import unusable
from engine.formats import huggingface
from engine.formats.huggingface_lists import place_by_id
from engine.formats.jsonparts import Pairs, read_pairs
from engine.formats.source import Source, open_source
from engine.formats.textfile import decode, lines_of, told_mark
from engine.formats.tiktoken import pattern_settings, split_pattern
from engine.model import Model
from engine.pipelines.tiktoken import TiktokenPipeline
from engine.terminal import agreed, counted

VOCABULARIES = ("vocab.json", "encoder.json")
MERGES = ("merges.txt", "vocab.bpe")

_VOCABULARY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*-?\d')
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?#version")
_MARK = re.compile(rb"</w>\r?(?: |$)", re.MULTILINE)
_SPACE = re.compile("^\u0120 ".encode(), re.MULTILINE)
_ALPHABET = frozenset(CHARACTERS)
_PARTS = ("left part", "right part", "result")
_UNSURE = (
    "a pair of files doesn't say how text is split: GPT-2's split pattern is used, and another "
    "can be chosen"
)
_SPECIAL = re.compile(r"<\S+>|\[\S+\]")


class Part(NamedTuple):
    """One of the two files by its name: what stands before it in the name, and who the other is."""

    prefix: str
    is_merges: bool
    others: tuple[str, ...]


def part_of(name: str) -> Part | None:
    """Return which file of a pair this name stands for, None for neither.

    `roberta-vocab.json` goes with `roberta-merges.txt`: what stands before is kept.
    """
    lower = name.lower()
    for known, is_merges in (
        *((merges, True) for merges in MERGES),
        *((vocabulary, False) for vocabulary in VOCABULARIES),
        ("merges", True),
    ):
        at = lower.rfind(known)
        if at >= 0:
            natural = VOCABULARIES if is_merges else MERGES
            others = natural[::-1] if known in (VOCABULARIES[1], MERGES[1]) else natural
            return Part(name[:at], is_merges, others)
    return None


def wanted(path: Path, is_merges: bool) -> tuple[str, ...]:
    """Return the names under which the other file is looked for, the likeliest first."""
    part = part_of(path.name)
    if part is None or part.is_merges != is_merges:
        return VOCABULARIES if is_merges else MERGES
    names = [part.prefix + other for other in part.others]
    return tuple(dict.fromkeys((*names, *part.others)))


def other_file(path: Path, is_merges: bool) -> Path | None:
    """Return the other file of a pair where it lies beside this one."""
    if not path.name:
        return None
    beside = (path.with_name(name) for name in wanted(path, is_merges))
    return next((other for other in beside if other.is_file()), None)


def recognise(data: bytes, path: Path) -> bool:
    """Return whether a file is one of a pair: by its content, and for merges by its name too.

    Merges look like subword-nmt codes. They are GPT-2's if the file is named so or its partner
    lies beside it, and no symbol carries the end-of-word mark `</w>`.
    """
    if _VOCABULARY.match(data[:4096]):
        return True
    part = part_of(path.name)
    named = part is not None and part.is_merges
    header = _HEADER.match(data) is not None
    if not (named or header) or b"\0" in data[:4096]:
        return False
    if named and other_file(path, True) is not None:
        return True
    return _MARK.search(data) is None and (
        (named and _two_columns(data))
        or (header and (_SPACE.search(data) is not None or other_file(path, True) is not None))
    )


def _two_columns(data: bytes) -> bool:
    lines = data[:4096].split(b"\n")
    first = lines[1] if _HEADER.match(data) and len(lines) > 1 else lines[0]
    return first.strip().count(b" ") == 1


def read(source: Source, pattern: str | None = None) -> Model:
    """Read the pair that a file is of. Raises `ModelError` naming file, line or piece.

    pattern: a name of `engine.encodings.PATTERNS`, `none`, or a regular expression; GPT-2's if
    none is given.
    """
    is_merges = _VOCABULARY.match(source.data[:4096]) is None
    other = other_file(source.path, is_merges)
    if other is None:
        folder, names = source.path.parent, wanted(source.path, is_merges)
        lost = dict(unusable(p for p in map(folder.joinpath, names) if os.path.lexists(p)))
        shown = ", ".join(
            name + (f" ({lost[folder / name]})" if folder / name in lost else "") for name in names
        )
        what = "a list of pieces and ids" if is_merges else "a list of merges"
        raise source.error(
            f"one file of GPT-2's pair is missing: {what}",
            "",
            f"put it beside this file; looked for {shown} in {folder}",
        )
    # The second file is read while the first one's progress stands still.
    second = open_source(other, lambda _done, _total: source.report(60, 1000))
    second = replace(second, report=source.report)
    vocabulary, merges = (second, source) if is_merges else (source, second)
    pairs = read_pairs(vocabulary, decode(vocabulary), vocabulary.part(60, 500))
    _, ids = place_by_id(vocabulary, pairs)
    rows = _read_merges(merges, ids)
    name, expression = split_pattern("gpt2" if pattern is None else pattern)
    made = {left + right for left, right in rows}
    unmade = [piece for piece in ids if len(piece) > 1 and piece not in made]
    specials = {piece: ids[piece] for piece in unmade if _SPECIAL.fullmatch(piece)}
    model = huggingface.build(vocabulary, _document(pairs, rows, specials))
    warnings = list(model.warnings)
    if pattern is None and "<|endoftext|>" not in specials:
        warnings.insert(0, _UNSURE)
    for file in (source, second):
        warnings += told_mark(file, "the tokenizers library refuses such a file")
    _warn(ids, [piece for piece in unmade if piece not in specials], warnings)
    return replace(
        model,
        name=source.name,
        path=source.path,
        format="gpt2",
        pipeline=TiktokenPipeline(model.vocabulary, name, expression, specials),
        settings={
            **pattern_settings(name, pattern is None),
            "vocabulary_file": str(vocabulary.path),
            "merges_file": str(merges.path),
        },
        warnings=tuple(warnings),
    )


def _read_merges(source: Source, ids: Mapping[str, int]) -> list[list[str]]:
    """Read the merges; each must be two pieces whose joined text is a piece."""
    lines = lines_of(source)
    while lines and not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines, start=1):
        header = number == 1 and line.startswith("#version")
        # A pair of another kind may have pieces with a CR in them.
        if "\r" in line and (header or not ids.keys() >= set(line.split(" "))):
            raise source.error(
                "lines end with CR alone, as old Macs wrote them: merges end with LF or CR LF",
                f"line {number}, character {line.index(chr(13)) + 1}",
                "save the file with LF line ends, or download it again",
            )
    begin = 1 if lines and lines[0].startswith("#version") else 0
    rows: list[list[str]] = []
    for number, line in enumerate(lines[begin:], start=begin + 1):
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise source.error(
                f"{_short(line)} isn't two pieces with a space between them",
                f"line {number}",
                "the file is damaged: copy or download it again",
            )
        for piece, what in zip((*parts, "".join(parts)), _PARTS, strict=True):
            if piece not in ids:
                raise source.error(
                    f"the {what} {_short(piece)} of {_short(line)} isn't in the vocabulary",
                    f"line {number}",
                    "the two files may be of different models: put those of one model together",
                )
        rows.append(parts)
    marked = sum(right.endswith("</w>") for _, right in rows)
    if marked > len(rows) // 20:
        raise source.error(
            f"{marked:,} of {counted(len(rows), 'merge')} mark the end of a word with </w>, as "
            "CLIP's and the first GPT's do: this pair isn't of GPT-2's kind",
            "",
            "open the tokenizer.json of the model",
        )
    return rows


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def _document(pairs: Pairs, rows: list[list[str]], specials: dict[str, int]) -> dict[str, Any]:
    """Return the pair as the content of a tokenizer.json."""
    return {
        "added_tokens": [
            {"id": i, "content": piece, "special": True} for piece, i in specials.items()
        ],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False},
        "model": {"type": "BPE", "vocab": pairs, "merges": rows},
    }


def _warn(ids: Mapping[str, int], unmade: list[str], warnings: list[str]) -> None:
    """Say what is odd. unmade: pieces of several characters that no merge makes."""
    missing = [byte for byte, char in enumerate(CHARACTERS) if char not in ids]
    if missing:
        warnings.append(
            f"{len(missing)} of the 256 bytes {agreed(len(missing), 'lack')} a piece "
            f"(the first is 0x{missing[0]:02X}): "
            "they disappear from a text without a trace"
        )
    foreign = [piece for piece in ids if not _ALPHABET.issuperset(piece)]
    if foreign:
        warnings.append(
            f"{counted(len(foreign), 'piece')} with characters outside GPT-2's byte alphabet, the "
            f"first is {_short(foreign[0])}: the pair may be of another kind, so compare it with "
            "the tokenizer.json of the model"
        )
    if unmade:
        warnings.append(
            f"{counted(len(unmade), 'piece')} of several characters that no merge makes, the "
            f"first is {_short(unmade[0])}: no text will reach them"
        )
