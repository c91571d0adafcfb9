"""Reading model files: `load` opens a file by what is in it, never by its ending.

A format is one line of `_READERS` and one module with `recognise` and `read`; what a file is when
it is no model at all is said by `engine.formats.unreadable`, which file of a folder is its model
by `engine.formats.folder`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import ParameterError
from engine.formats import (
    bert,
    bytepiece,
    gpt2,
    huggingface,
    sentencepiece,
    subword_nmt,
    tiktoken,
    unreadable,
)
from engine.formats.folder import HEAD, choose, left_out, main_file, path_of
from engine.formats.source import brief, open_source
from engine.model import Model
from engine.progress import Report, silent


def load(
    path: str | PathLike[str],
    report: Report = silent,
    *,
    pattern: str | None = None,
    specials: Mapping[str, int] | None = None,
    casing: str | None = None,
    vocabulary: str | PathLike[str] | None = None,
    threshold: int | None = None,
) -> Model:
    """Read a tokenizer model of any supported format; of a folder, the model in it.

    What a file doesn't hold can be given, for formats that lack it:
    pattern: the name of a published split pattern or a regular expression (tiktoken ranks, GPT-2's
        pair). specials: the ids of the special tokens (tiktoken ranks).
    casing: `cased` or `uncased` (BERT's vocab.txt).
    vocabulary, threshold: a vocabulary filter, and the count from which its pieces pass
        (subword-nmt codes).
    `report` counts up to 1000. Raises `ModelError` that says what is wrong, where, and what to do,
    and `ParameterError` for what the format doesn't take.
    """
    given = {
        "pattern": pattern,
        "specials": specials,
        "casing": casing,
        "vocabulary": vocabulary,
        "threshold": threshold,
    }
    options = {name: value for name, value in given.items() if value is not None}
    path = path_of(path)
    file = main_file(path)
    source = open_source(file, report)
    reader = _reader_of(source.data, file)
    for name in options:
        if reader is not None and name not in reader.options:
            raise ParameterError(
                f"{_WORDS[name]} is given, but the file isn't {_FITS[name]}",
                str(file),
                "leave it out",
            )
    if reader is None:
        raise unreadable.what_is_it(source)
    model = reader.read(source, **options)
    model = replace(model, warnings=tuple(map(brief, model.warnings)))
    return model if file == path else _of_folder(model, path)


def _of_folder(model: Model, folder: Path) -> Model:
    """Return a model under its folder's name and path, so that it is opened as it was."""
    choice = choose(folder)
    told = left_out(choice) if choice is not None else []
    return replace(
        model,
        name=folder.resolve().name or model.name,
        path=folder,
        settings={"opened_file": model.path.name, **model.settings},
        warnings=(*model.warnings, *told),
    )


def recognised(head: bytes, path: Path | None = None) -> bool:
    """Return whether a file that begins with these bytes (64 KB will do) looks like a model.

    path: where it lies; one of GPT-2's pair is known by its name and by the other beside it.
    """
    return any(reader.recognise(head, path or Path()) for reader in _READERS)


def options_of(path: Path) -> tuple[str, ...]:
    """Return which keywords `load` takes for a file or folder; none if it is no model."""
    file = main_file(path)
    try:
        with file.open("rb") as stream:
            reader = _reader_of(stream.read(HEAD), file)
    except OSError:
        return ()
    return reader.options if reader is not None else ()


class _Reader(NamedTuple):
    """How a format is recognised and read, and which keywords of `load` it takes."""

    recognise: Callable[[bytes, Path], bool]
    read: Callable[..., Model]
    options: tuple[str, ...] = ()


def _by_content(recognise: Callable[[bytes], bool]) -> Callable[[bytes, Path], bool]:
    return lambda data, _path: recognise(data)


_READERS = (
    _Reader(_by_content(tiktoken.recognise), tiktoken.read, ("pattern", "specials")),
    _Reader(_by_content(huggingface.recognise), huggingface.read),
    _Reader(_by_content(bytepiece.recognise), bytepiece.read),
    _Reader(_by_content(sentencepiece.recognise), sentencepiece.read),
    _Reader(gpt2.recognise, gpt2.read, ("pattern",)),
    _Reader(_by_content(subword_nmt.recognise), subword_nmt.read, ("vocabulary", "threshold")),
    _Reader(_by_content(bert.recognise), bert.read, ("casing",)),
)
_LAST = _Reader(_by_content(subword_nmt.could_be), subword_nmt.read, ("vocabulary", "threshold"))
"""What is tried when nothing else fits; a text is never opened so by itself."""

_WORDS: dict[str, Any] = {
    "pattern": "a split pattern",
    "specials": "a list of special tokens",
    "casing": "a casing",
    "vocabulary": "a vocabulary filter",
    "threshold": "a threshold of counts",
}
_FITS = {
    "pattern": "a tiktoken rank file or one of GPT-2's pair",
    "specials": "a tiktoken rank file",
    "casing": "a BERT vocabulary",
    "vocabulary": "a file of subword-nmt codes",
    "threshold": "a file of subword-nmt codes",
}


def _reader_of(data: bytes, path: Path) -> _Reader | None:
    for reader in (*_READERS, _LAST):
        if reader.recognise(data, path):
            return reader
    return None


__all__ = ["load", "options_of", "recognised"]
