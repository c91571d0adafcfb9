"""subword-nmt codes: a list of merges, `left right` in each line.

The first line may tell the version. In 0.2 the end-of-word mark `</w>` is glued to the last
character of a word, in 0.1, and where no version is told, it is a symbol of its own.

Codes give no ids; these are set here: `<unk>` and `<unk></w>` for characters that the codes don't
hold (inside a word, at its end); the characters of all symbols and those of ASCII that print, by
code point; the same with the mark; the results of the merges in the order of the lines; other
parts of merges. In version 0.1 a word may end without merging its mark, so the pieces that lack
their form with the mark get it, last.

Source: subword-nmt 0.3.8, `apply_bpe`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ParameterError
from engine.files import in_words, unusable
from engine.formats.source import Source, open_source
from engine.formats.textfile import BYTE_ORDER_MARK, lines_of, told_mark
from engine.lattice import Spelling
from engine.model import Model
from engine.pieces import PieceKind, Vocabulary
from engine.pipelines.subword_nmt import SEPARATOR, SubwordNmtPipeline
from engine.subword_nmt import SubwordNmt
from engine.terminal import counted

UNKNOWN = ("<unk>", "<unk></w>")
MARK = "</w>"
NO_FILTER = "none"

_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?#version:")
_ASCII = frozenset(map(chr, range(0x21, 0x7F)))
"""Set apart as words of their own, punctuation marks and digits seldom get into codes."""

_CHECKED = 2000
"""Lines of a file without a version that are looked at to tell codes from texts."""

_SHOWN = 40

_FILTER_WANTED = "choose a vocabulary filter: the file that `subword-nmt get-vocab` writes"


class Codes(NamedTuple):
    """The merges of a file, and its version: `0.1`, `0.2`, or empty where it isn't told."""

    version: str
    pairs: list[tuple[str, str]]
    first_line: int


@dataclass(frozen=True)
class Filter:
    """A vocabulary filter: the pieces as subword-nmt writes them, and where they come from."""

    words: frozenset[str]
    path: Path
    beside: bool


def tells_version(data: bytes) -> bool:
    """Return whether a file begins with the version of codes."""
    return _HEADER.match(data) is not None


def recognise(data: bytes) -> bool:
    """Return whether a file tells the version of codes, or holds nothing but merges.

    Without a version each symbol must be a character or made in an earlier line, and one of them
    must be made or carry the mark: texts with two words in each line aren't like that.
    """
    return tells_version(data) or _looks(data, strict=True)


def could_be(data: bytes) -> bool:
    """Return whether a file may be codes if it is nothing else.

    As `recognise`, but the merges may stand in any order and be of characters only.
    """
    return tells_version(data) or _looks(data, strict=False)


def _looks(data: bytes, strict: bool) -> bool:
    made: set[str] = set()
    told = not strict
    lines = data.removeprefix(BYTE_ORDER_MARK).split(b"\n", _CHECKED)[:_CHECKED]
    whole = data.endswith(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not strict:
        made.update("".join(_two(line)) for line in lines)
    for number, line in enumerate(lines):
        parts = _two(line)
        known = [part in made or part.endswith(MARK) for part in parts]
        if not parts or not all(k or len(part) == 1 for k, part in zip(known, parts, strict=True)):
            # The last line may be cut where no more of the file was read.
            return told and 0 < number == len(lines) - 1 and not whole
        told |= any(known)
        made.add("".join(parts))
    return told and bool(lines)


def _two(line: bytes) -> list[str]:
    """Return the two symbols of a line, none if it isn't two symbols."""
    try:
        parts = line.strip(b"\r ").decode("utf-8").split(" ")
    except UnicodeDecodeError:
        return []
    return parts if len(parts) == 2 and "\0" not in line.decode("utf-8") else []


def read(
    source: Source,
    vocabulary: str | PathLike[str] | None = None,
    threshold: int | None = None,
) -> Model:
    """Read codes. Raises `ModelError` with file and line.

    vocabulary: a file of pieces and counts as `subword-nmt get-vocab` writes it; merges that lead
    to a piece outside it are undone. By default the file beside the codes that is named as they
    are with `.vocab` after or instead of the ending, if there is one; `none` for no filter.
    threshold: pieces with a lower count don't pass.
    """
    codes = read_codes(source)
    source.report(300, 1000)
    warnings = told_mark(
        source,
        "subword-nmt takes it for a part of the first line, and misses the version or merge there",
    )
    _warn(codes, warnings)
    chosen = _filter(source, vocabulary, threshold, warnings)
    texts = _pieces(codes)
    ids = {text: i for i, text in enumerate(texts)}
    glued = codes.version == "0.2"
    source.report(600, 1000)
    pieces = [text.encode("utf-8") for text in texts]
    kind = np.full(len(pieces), PieceKind.NORMAL, dtype=np.uint8)
    kind[: len(UNKNOWN)] = PieceKind.UNKNOWN
    if not glued:
        # The mark alone is a symbol but never a token.
        kind[ids[MARK]] = PieceKind.HOLE
    table = Vocabulary.build(pieces, kind=kind)
    left, right = (np.array([ids[pair[i]] for pair in codes.pairs], np.int32) for i in (0, 1))
    segmenter = SubwordNmt(
        table,
        left,
        right,
        np.array([ids[a + b] for a, b in codes.pairs], np.int32),
        np.arange(len(codes.pairs), dtype=np.int32),
        alphabet="char",
        unknown=0,
        suffix=MARK if glued else "",
        rule="pairs",
        mark=-1 if glued else ids[MARK],
        final=np.array([_final(text, i, ids) for i, text in enumerate(texts)], np.int32),
        kept=None if chosen is None else _kept(texts, chosen),
        undo={} if chosen is None else _undo(codes, ids),
    )
    source.report(1000, 1000)
    return Model(
        name=source.name,
        path=source.path,
        format="subword-nmt",
        vocabulary=table,
        pipeline=SubwordNmtPipeline(table, marked=not glued),
        segmenter=segmenter,
        spelling=Spelling(0, None, False),
        settings=_settings(codes, chosen, threshold),
        warnings=tuple(warnings),
    )


def read_codes(source: Source) -> Codes:
    """Read version and merges. Raises `ModelError` with the line."""
    lines = [line.strip("\r ") for line in lines_of(source)]
    while lines and not lines[-1]:
        lines.pop()
    version, first = "", 1
    if lines and lines[0].startswith("#version:"):
        version, first = _version(source, lines[0]), 2
    pairs: list[tuple[str, str]] = []
    for number, line in enumerate(lines[first - 1 :], start=first):
        parts = line.split(" ")
        if len(parts) != 2:
            counted = len(parts) == 3 and parts[2].isdecimal()
            raise source.error(
                f"{_short(line)} isn't two symbols with a space between them",
                f"line {number}",
                "codes of fastBPE have a third column, the count: remove it"
                if counted
                else "correct or remove the line",
            )
        pairs.append((parts[0], parts[1]))
    if not pairs:
        raise source.error("the codes hold no merges", "", "copy or download the file again")
    return Codes(version, pairs, first)


def _version(source: Source, line: str) -> str:
    told = line.removeprefix("#version:").strip()
    # As the library reads it: 0.2.0 is 0.2.
    version = re.sub(r"(\.0+)*$", "", told) if len(told) <= _SHOWN else ""
    if version not in ("0.1", "0.2"):
        raise source.error(
            f"version {_short(told)} of the codes isn't known",
            "line 1",
            "0.1 and 0.2 are read: learn the codes anew with one of them",
        )
    return version


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def _pieces(codes: Codes) -> list[str]:
    """Return the pieces in the order of their ids; see the module's text."""
    parts = dict.fromkeys(part for pair in codes.pairs for part in pair)
    characters = sorted(_ASCII.union(*(part.removesuffix(MARK) for part in parts)))
    listed = [*UNKNOWN, *characters, *(char + MARK for char in characters)]
    listed += [left + right for left, right in codes.pairs]
    listed += parts
    texts = dict.fromkeys(listed)
    if codes.version != "0.2":
        texts.pop(MARK, None)
        open_ones = [text for text in texts if not text.endswith(MARK)]
        texts.update(dict.fromkeys(text + MARK for text in open_ones))
        texts[MARK] = None
    return list(texts)


def _final(text: str, number: int, ids: dict[str, int]) -> int:
    """Return the id of the piece that stands for this one at the end of a word."""
    return number if text.endswith(MARK) else ids.get(text + MARK, number)


def _warn(codes: Codes, warnings: list[str]) -> None:
    if not codes.version:
        warnings.append(
            "the codes tell no version: read as version 0.1, in which the end-of-word mark </w> "
            "is a symbol of its own"
        )
    seen = set(codes.pairs)
    if len(seen) < len(codes.pairs):
        number = counted(len(codes.pairs) - len(seen), "merge")
        warnings.append(f"{number} listed again; the first listing counts")
    made = {left + right for left, right in codes.pairs}
    idle = [
        (line, part)
        for line, pair in enumerate(codes.pairs, start=codes.first_line)
        for part in pair
        if part not in made and not _is_first(part, codes.version)
    ]
    if idle:
        line, part = idle[0]
        hint = ""
        if codes.version != "0.2" and all(len(p) == 5 and p.endswith(MARK) for _, p in idle):
            hint = "; codes of version 0.2 that lost their first line look like this"
        warnings.append(
            f"{counted(len({line for line, _ in idle}), 'merge')} of a symbol that no merge "
            f"makes, the first is {_short(part)} in line {line}: they never act{hint}"
        )


def _is_first(part: str, version: str) -> bool:
    """Whether a word's first symbols may be this one."""
    if version == "0.2":
        return len(part) == 1 or (len(part) == 1 + len(MARK) and part.endswith(MARK))
    return len(part) == 1 or part == MARK


# The vocabulary filter


def _filter(
    source: Source,
    vocabulary: str | PathLike[str] | None,
    threshold: int | None,
    warnings: list[str],
) -> Filter | None:
    """Find and read the filter; None for none."""
    given = vocabulary is not None and str(vocabulary) != NO_FILTER
    path = Path(vocabulary) if given and vocabulary is not None else None
    if vocabulary is None:
        path = filter_beside(source.path)
        lost = unusable(beside for beside in _filters(source.path) if os.path.lexists(beside))
        if lost:
            warnings.append(f"no vocabulary filter is used of what lies beside: {in_words(lost)}")
    if path is None:
        if threshold is not None:
            raise ParameterError(
                "a threshold is given, but no vocabulary filter",
                str(source.path),
                "give the vocabulary, or leave the threshold out",
            )
        return None
    least = 0 if threshold is None else threshold
    listed = open_source(path, lambda _done, _total: source.report(300, 1000), _FILTER_WANTED)
    warnings += told_mark(listed, "subword-nmt takes it for a part of the first piece")
    words = frozenset(word for word, count in _counts(listed) if count >= least)
    if not words:
        raise listed.error(
            f"no piece has a count of {least:,} or more", "", "give a lower threshold"
        )
    if not given:
        warnings.append(
            f"the vocabulary filter {path.name} beside the codes is used: merges that lead to a "
            f"piece outside its {counted(len(words), 'piece')} are undone"
        )
    return Filter(words, path, not given)


def filter_beside(path: Path) -> Path | None:
    """Return the vocabulary filter that lies beside codes, None where none does."""
    return next((beside for beside in _filters(path) if beside.is_file()), None)


def _filters(path: Path) -> list[Path]:
    """Return where a vocabulary filter of codes is looked for."""
    names = dict.fromkeys((f"{path.name}.vocab", f"{path.stem}.vocab"))
    return [path.with_name(name) for name in names if name != path.name]


def _counts(source: Source) -> list[tuple[str, int]]:
    """Read pieces and counts. Raises `ModelError` with the line."""
    lines = [line.strip("\r ") for line in lines_of(source)]
    while lines and not lines[-1]:
        lines.pop()
    found = []
    for number, line in enumerate(lines, start=1):
        word, space, count = line.partition(" ")
        if not space or not re.fullmatch(r"[0-9]{1,18}", count):
            raise source.error(
                f"{_short(line)} isn't a piece and its count with a space between them",
                f"line {number}",
                "make the vocabulary filter with `subword-nmt get-vocab`",
            )
        found.append((word, int(count)))
    return found


def _kept(texts: list[str], chosen: Filter) -> NDArray[np.bool_]:
    """Return which pieces pass the filter, bool[n]; unknown characters are never taken apart."""
    passes = [
        (text.removesuffix(MARK) if text.endswith(MARK) else text + SEPARATOR) in chosen.words
        for text in texts
    ]
    passes[: len(UNKNOWN)] = [True] * len(UNKNOWN)
    return np.array(passes, dtype=np.bool_)


def _undo(codes: Codes, ids: dict[str, int]) -> dict[int, tuple[int, int]]:
    """Return the merge that is undone for each piece, by its id.

    Of several merges to one piece, that of the pair whose last listing comes first, as the
    library's dictionaries leave it.
    """
    last = dict.fromkeys(reversed(codes.pairs))
    return {ids[left + right]: (ids[left], ids[right]) for left, right in last}


def _settings(codes: Codes, chosen: Filter | None, threshold: int | None) -> dict[str, Any]:
    settings: dict[str, Any] = {"version": codes.version or "0.1", "separator": SEPARATOR}
    if chosen is not None:
        settings["vocabulary_filter"] = str(chosen.path)
        settings["vocabulary_filter_size"] = len(chosen.words)
        if threshold is not None:
            settings["vocabulary_threshold"] = threshold
    return settings
