"""Saving a trained vocabulary in the formats that can hold it, and the record of its training."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from engine.errors import ParameterError
from engine.files import replacing
from engine.formats.gpt2 import MERGES, VOCABULARIES
from engine.progress import Report, silent
from engine.train.kinds import KINDS, Trained
from engine.train.record import Record, write_rows

_PAIRS = tuple(zip(VOCABULARIES, MERGES, strict=True))


def save(trained: Trained, path: Path, format: str = "") -> tuple[str, ...]:  # noqa: A002
    """Write a vocabulary to a file, for GPT-2's pair to two in a folder; return what to know of it.

    format: a name of the kind's writers; without one the path tells it. Files that are there are
    replaced once the new ones are complete, or stay as they were. Raises `ParameterError` for a
    format that can't hold the vocabulary, with the reason, and for a place that can't be written.
    """
    name = _format(trained.settings, path, format)
    written = KINDS[type(trained.settings)].writers[name].write(trained)
    write_files(path, name, written.files)
    return written.notes


def record_of(trained: Trained, ties: bool = False, report: Report = silent) -> Record:
    """Return the record of a run.

    ties: with the whole tie set of each step; the run is done again for it. Raises `ParameterError`
    for tie sets that are too big, or of an algorithm that has none.
    """
    kind = KINDS[type(trained.settings)]
    if not ties:
        return kind.record(trained)
    if kind.record_ties is None:
        raise ParameterError(
            f"{kind.name} chooses between no pairs", "", "write the record without tie sets"
        )
    return kind.record_ties(trained, report)


def write_record(trained: Trained, path: Path, ties: bool = False, report: Report = silent) -> None:
    """Write the record of a run, as `record_of` gives it, by `engine.train.record.write_rows`."""
    write_rows(record_of(trained, ties, report), path)


def check_kind(settings: Any, name: str) -> None:
    """Raise the `ParameterError` for settings that a format of their kind can't hold."""
    KINDS[type(settings)].writers[name].check(settings)


def check_format(settings: Any, path: Path, format: str = "") -> tuple[Path, ...]:  # noqa: A002
    """Return the files that `save` would write.

    Raises the `ParameterError` that it would, where settings alone tell: before training.
    """
    name = _format(settings, path, format)
    check_kind(settings, name)
    return places(path, name)


def _format(settings: Any, path: Path, given: str) -> str:
    """Return the name of the format that is given, or that the path tells."""
    kind = KINDS[type(settings)]
    endings = {name: writer.endings for name, writer in kind.writers.items()}
    name = given or format_of(path, endings)
    if name not in kind.writers:
        raise ParameterError(
            f"no format {name!r} for a {kind.name} vocabulary",
            "",
            f"choose one of {', '.join(kind.writers)}",
        )
    return name


def format_of(path: Path, endings: Mapping[str, tuple[str, ...]]) -> str:
    """Return the format that a path tells; endings: of the formats that it may be.

    Raises `ParameterError` where it tells none.
    """
    if "gpt2" in endings and (path.is_dir() or any(path.name in pair for pair in _PAIRS)):
        return "gpt2"
    ending = path.suffix.lower()
    for name, known in endings.items():
        if ending in known:
            return name
    listed = ", ".join(ending for known in endings.values() for ending in known)
    raise ParameterError(
        "the name doesn't tell the format",
        str(path),
        f"name the format, or end the name with one of {listed}",
    )


def places(path: Path, name: str) -> tuple[Path, ...]:
    """Return the files that a vocabulary is written to: one, but two for GPT-2's pair.

    Raises `ParameterError` for a path that names one file of another kind where two are written.
    """
    if name != "gpt2":
        return (path,)
    for pair in _PAIRS:
        if path.name in pair:
            return path.with_name(pair[0]), path.with_name(pair[1])
    vocabulary, merges = _PAIRS[0]
    if path.is_file() or path.suffix.lower() in _ENDINGS:
        raise ParameterError(
            "GPT-2's pair is two files",
            str(path),
            f"name a folder, or {vocabulary} or {merges} in one",
        )
    return path / vocabulary, path / merges


_ENDINGS = frozenset(
    ending for kind in KINDS.values() for writer in kind.writers.values()
    for ending in writer.endings
)  # fmt: skip


def write_files(path: Path, name: str, contents: tuple[bytes, ...]) -> None:
    """Write the files of a format: all of them, or none.

    Raises `ParameterError` where they can't be written.
    """
    files = places(path, name)
    try:
        _replace(files, contents)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"the vocabulary can't be written ({reason})",
            str(path),
            "make room or choose another place",
        ) from None


def _replace(files: tuple[Path, ...], contents: tuple[bytes, ...]) -> None:
    """Write files that belong together; no file is replaced before all are on the disk."""
    folder = files[0].parent
    made = len(files) > 1 and not folder.exists()
    try:
        if made:
            folder.mkdir()
        with ExitStack() as stack:
            streams = [stack.enter_context(replacing(file)) for file in files]
            for stream, data in zip(streams, contents, strict=True):
                stream.write(data)
                if len(files) > 1:
                    stream.flush()
                    os.fsync(stream.fileno())
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise
