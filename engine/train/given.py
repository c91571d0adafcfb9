"""Merges to begin a training run with: read from a model or from a list of merges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine import formats
from engine.alphabet import CHARACTERS, bytes_of
from engine.errors import ModelError, ParameterError
from engine.formats import sentencepiece
from engine.formats.source import Source, open_source
from engine.formats.textfile import lines_of
from engine.merge_list import merge_rows
from engine.model import Model
from engine.progress import Report, silent
from engine.train.bpe import Style

Pair = tuple[bytes, bytes]

_ALPHABET = frozenset(CHARACTERS)
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*["}]')


def read_given(path: Path, style: Style, report: Report = silent) -> tuple[Pair, ...]:
    """Return the merges of a file, in order, as pairs of the bytes that training's symbols have.

    path: a BPE model of any format, or merges alone: `left right` in each line, after a first line
    `#version…` if there is one; on bytes they are written in GPT-2's alphabet
    (`engine.alphabet`). style: of the run. Raises `ModelError` for a file that can't be read, and
    `ParameterError` for a model that doesn't merge, or has other base symbols.
    """
    if not path.is_dir():
        source = open_source(path)
        if _is_list(source):
            return tuple(_listed(source, style))
    return _of_model(formats.load(path, report), style)


def _is_list(source: Source) -> bool:
    """Return whether a file holds merges alone, not a model."""
    if _JSON.match(source.data[:64]) or sentencepiece.recognise(source.data):
        return False
    try:
        lines = lines_of(source)
    except ModelError:
        return False
    first = next((line for line in lines if line and not line.startswith("#version")), "")
    return len(first.split(" ")) == 2 and not _is_rank(first)


def _is_rank(line: str) -> bool:
    """Return whether a line is of tiktoken's ranks: base64 and a number."""
    left, _, right = line.partition(" ")
    return right.isdecimal() and len(left) % 4 == 0 and len(left) >= 4


def _listed(source: Source, style: Style) -> Iterator[Pair]:
    lines = lines_of(source)
    while lines and not lines[-1]:
        lines.pop()
    begin = 1 if lines and lines[0].startswith("#version") else 0
    for number, line in enumerate(lines[begin:], start=begin + 1):
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise source.error(
                f"{line[:60]!r} isn't two symbols with a space between them",
                f"line {number}",
                "correct or remove the line",
            )
        if style == "characters":
            yield parts[0].encode(), parts[1].encode()
            continue
        if not _ALPHABET.issuperset(line.replace(" ", "")):
            raise source.error(
                f"{line[:60]!r} isn't written in GPT-2's byte alphabet",
                f"line {number}",
                "train on characters for merges of characters",
            )
        left, right = (bytes(bytes_of(part).astype("uint8")) for part in parts)
        yield left, right


def _of_model(model: Model, style: Style) -> tuple[Pair, ...]:
    bpe = model.bpe
    if bpe is None:
        raise ParameterError(
            f"{model.name} is a {model.algorithm} model, which merges nothing",
            str(model.path),
            "give a BPE model or a list of merges",
        )
    own = "bytes" if bpe.alphabet == "byte" else "characters"
    if own != style:
        raise ParameterError(
            f"the given merges are of {own}, and the vocabulary is to be of {style}",
            str(model.path),
            f"give merges of the same kind, or train on {own}",
        )
    if bpe.prefix:
        raise ParameterError(
            f"the given merges mark the inside of words with {bpe.prefix!r}",
            str(model.path),
            "give merges without such a mark",
        )
    piece = model.vocabulary.bytes
    rows = merge_rows(bpe).tolist()
    return tuple((piece(int(bpe.left[row])), piece(int(bpe.right[row]))) for row in rows)
