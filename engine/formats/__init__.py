"""Reading model files: `load` opens a file by what is in it, never by its ending.

A format is one line of `_READERS` and one module with `recognise` and `read`; what a file is when
it is no model at all is said by `engine.formats.unreadable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from engine.errors import ParameterError
from engine.formats import bytepiece, huggingface, sentencepiece, tiktoken, unreadable
from engine.formats.source import open_source
from engine.model import Model
from engine.progress import Report, silent


def load(
    path: str | PathLike[str],
    report: Report = silent,
    *,
    pattern: str | None = None,
    specials: Mapping[str, int] | None = None,
) -> Model:
    """Read a tokenizer model of any supported format.

    pattern, specials: only for tiktoken ranks, which don't hold them: the name of a published
    split pattern or a regular expression, and the ids of the special tokens. `report` counts up
    to 1000. Raises `ModelError` that says what is wrong, where, and what to do.
    """
    source = open_source(Path(path), report)
    if tiktoken.recognise(source.data):
        return tiktoken.read(source, pattern, specials)
    if pattern is not None or specials is not None:
        raise ParameterError(
            "a split pattern and special tokens are given, but the file isn't a tiktoken rank file",
            str(source.path),
            "leave them out",
        )
    for recognise, read in _READERS:
        if recognise(source.data):
            return read(source)
    raise unreadable.what_is_it(source)


def recognised(head: bytes) -> bool:
    """Return whether a file that begins with these bytes (64 KB will do) looks like a model."""
    return tiktoken.recognise(head) or any(recognise(head) for recognise, _ in _READERS)


_READERS = (
    (huggingface.recognise, huggingface.read),
    (bytepiece.recognise, bytepiece.read),
    (sentencepiece.recognise, sentencepiece.read),
)

__all__ = ["load", "recognised"]
