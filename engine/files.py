"""Writing files so that nothing is ever half written, what a path is, and where caches are."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from engine.errors import ParameterError

if TYPE_CHECKING:
    from engine.model import Model


def user_caches() -> Path | None:
    """Return the folder for this user's caches of Segscope, None where there is no home.

    A relative path in the environment is none, as the XDG base directory specification wants.
    """
    name = {"win32": "LOCALAPPDATA", "darwin": ""}.get(sys.platform, "XDG_CACHE_HOME")
    named = Path(os.environ.get(name, ""))
    if named.is_absolute():
        return named / "segscope"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if not home.is_absolute():
        return None
    inside = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    return home / inside / "segscope"


FILE, FOLDER, DEVICE = "a file", "a folder", "a device"

_KINDS = (
    (stat.S_ISREG, FILE),
    (stat.S_ISDIR, FOLDER),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)
SHOWN = 5
"""Files that a sentence names."""


def kind_of(path: Path) -> str:
    """Return what is at a path, links followed: `FILE`, `FOLDER` or, in words, what else it is.

    Nothing is opened: a pipe would keep its reader waiting.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a link that leads in a circle"
        if isinstance(error, FileNotFoundError) and path.is_symlink():
            return "a link to what isn't there"
        return f"can't be looked at: {error.strerror or type(error).__name__}"
    return next((name for is_one, name in _KINDS if is_one(mode)), DEVICE)


def unusable(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return those of the paths that are neither files nor folders, each with what it is."""
    kinds = ((path, kind_of(path)) for path in paths)
    return [(path, kind) for path, kind in kinds if kind not in (FILE, FOLDER)]


def in_words(entries: Sequence[tuple[Path, str]]) -> str:
    """Return `a.txt (a named pipe), b.txt (a socket)`; of many the first `SHOWN`."""
    shown = ", ".join(f"{path.name} ({kind})" for path, kind in entries[:SHOWN])
    more = len(entries) - SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of `path` only once it is complete.

    The bytes go to a new file in the same folder, which is put in place when the block ends; when
    it ends by an exception (Ctrl+C too) the new file is removed and `path` is what it was. A link
    is followed; a device or pipe such as `/dev/stdout` is written as it is. Raises
    `ParameterError` where no file can be written; an `OSError` in the block gets the path, if it
    names none.
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise ParameterError("a folder is no place for a file", str(path), "name a file in it")
    # A pipe behind a link of the system has no resolved path that could be opened.
    special = Path(path).exists() and not Path(path).is_file()
    part = Path(path) if special else target.with_name(f".{os.urandom(8).hex()}.part")
    try:
        stream = part.open("wb" if special else "xb")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ParameterError(
            f"the file can't be written ({reason})", str(path), "choose another place"
        ) from None
    if special:
        with _named(path), stream:
            yield stream
        return
    try:
        with _named(path), stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Put a path into an `OSError` of the block that names none, as of a disk that is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def write_atomic(path: str | Path, data: bytes | str) -> None:
    """Write a whole file (text as UTF-8) by `replacing`."""
    with replacing(path) as stream:
        stream.write(data.encode("utf-8") if isinstance(data, str) else data)


def check_over(written: Mapping[Path, str], read: Mapping[Path, str]) -> None:
    """Raise `ParameterError` where a file would be written over another that is wanted.

    written, read: files, and what each is called, as `the record`; links are followed.
    """
    wanted = {path.resolve(): what for path, what in read.items()}
    for path, what in written.items():
        over = wanted.get(path.resolve())
        if over is not None:
            raise ParameterError(
                f"{what} would be written over {over}", str(path), "name another file"
            )


def files_of(model: Model) -> set[Path]:
    """Return the files that a model was read from, links followed."""
    settings = model.settings
    named = [settings[key] for key in ("vocabulary_file", "merges_file") if key in settings]
    if model.path.is_dir():
        named.append(model.path / settings["opened_file"])
    return {Path(name).resolve() for name in (model.path, *named) if not Path(name).is_dir()}
