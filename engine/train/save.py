"""Saving a trained BPE vocabulary in the formats that can hold it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from engine.errors import ParameterError
from engine.files import replacing
from engine.formats.gpt2 import MERGES, VOCABULARIES
from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.writers import gpt2, huggingface, sentencepiece, subword_nmt, tiktoken
from engine.train.writers.listing import Written

FORMATS: dict[str, Callable[[TrainedBpe], Written]] = {
    "huggingface": huggingface.write,
    "sentencepiece": sentencepiece.write,
    "tiktoken": tiktoken.write,
    "gpt2": gpt2.write,
    "subword-nmt": subword_nmt.write,
}
"""Writers by the names that `inspect` gives the formats."""

_CHECKS: dict[str, Callable[[BpeSettings], None]] = {
    "huggingface": huggingface.check,
    "sentencepiece": sentencepiece.check,
    "tiktoken": tiktoken.check,
    "gpt2": gpt2.check,
    "subword-nmt": subword_nmt.check,
}

ENDINGS = {
    ".json": "huggingface",
    ".model": "sentencepiece",
    ".tiktoken": "tiktoken",
    ".codes": "subword-nmt",
    ".bpe": "subword-nmt",
}
"""Formats by the ending of a file's name; GPT-2's pair is known by its two names or a folder."""

_PAIRS = tuple(zip(VOCABULARIES, MERGES, strict=True))


def save(trained: TrainedBpe, path: Path, format: str = "") -> tuple[str, ...]:  # noqa: A002
    """Write a vocabulary to a file, for GPT-2's pair to two in a folder; return what to know of it.

    format: a name of `FORMATS`; without one the path tells it. Files that are there are replaced
    once the new ones are complete, or stay as they were. Raises `ParameterError` for a format
    that can't hold the vocabulary, with the reason, and for a place that can't be written.
    """
    name = _format(path, format)
    written = FORMATS[name](trained)
    try:
        _replace(_places(path) if name == "gpt2" else (path,), written.files)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"the vocabulary can't be written ({reason})",
            str(path),
            "make room or choose another place",
        ) from None
    return written.notes


def check_kind(settings: BpeSettings, name: str) -> None:
    """Raise the `ParameterError` for settings that one of `FORMATS` can't hold."""
    _CHECKS[name](settings)


def check_format(settings: BpeSettings, path: Path, format: str = "") -> None:  # noqa: A002
    """Raise the `ParameterError` that `save` would, where settings alone tell: before training."""
    name = _format(path, format)
    check_kind(settings, name)
    if name == "gpt2":
        _places(path)


def _format(path: Path, given: str) -> str:
    """Return the name of the format that is given, or that the path tells."""
    name = given or format_of(path)
    if name not in FORMATS:
        raise ParameterError(
            f"no format {name!r} for merges", "", f"choose one of {', '.join(FORMATS)}"
        )
    return name


def format_of(path: Path) -> str:
    """Return the format that a path tells. Raises `ParameterError` where it tells none."""
    if path.is_dir() or any(path.name in pair for pair in _PAIRS):
        return "gpt2"
    found = ENDINGS.get(path.suffix.lower())
    if found is None:
        raise ParameterError(
            "the name doesn't tell the format",
            str(path),
            f"name the format, or end the name with one of {', '.join(ENDINGS)}",
        )
    return found


def _places(path: Path) -> tuple[Path, Path]:
    """Return the two files of GPT-2's pair."""
    for pair in _PAIRS:
        if path.name in pair:
            return path.with_name(pair[0]), path.with_name(pair[1])
    if path.is_file() or path.suffix.lower() in ENDINGS:
        vocabulary, merges = _PAIRS[0]
        raise ParameterError(
            "GPT-2's pair is two files",
            str(path),
            f"name a folder, or {vocabulary} or {merges} in one",
        )
    return path / _PAIRS[0][0], path / _PAIRS[0][1]


def _replace(places: tuple[Path, ...], files: tuple[bytes, ...]) -> None:
    """Write files that belong together; no file is replaced before all are on the disk."""
    folder = places[0].parent
    made = len(places) > 1 and not folder.exists()
    try:
        if made:
            folder.mkdir()
        with ExitStack() as stack:
            streams = [stack.enter_context(replacing(place)) for place in places]
            for stream, data in zip(streams, files, strict=True):
                stream.write(data)
                if len(places) > 1:
                    stream.flush()
                    os.fsync(stream.fileno())
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise
