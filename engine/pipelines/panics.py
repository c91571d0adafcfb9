"""What libraries in Rust print when they panic, kept off the terminal where that is safe."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

STDERR = 2
"""The file descriptor that a panic is printed to, before Python gets the exception."""


def is_panic(error: BaseException) -> bool:
    """Return whether an exception is a panic; its class can't be imported from anywhere."""
    return type(error).__name__ == "PanicException"


@contextmanager
def hidden_panics() -> Iterator[None]:
    """Swallow what a panic in the block prints; the exception comes on, and says the same.

    For the time of the block the descriptor leads to a file. Where no panic comes, what is in it
    is passed on. A descriptor belongs to the whole process: another thread that wrote, or started
    a process, in that time would lose its own lines. So where there are other Python threads, as
    in the window, nothing is redirected, and the lines go where standard error goes.
    """
    kept = _redirect() if _alone() else None
    if kept is None:
        yield
        return
    file, original = kept
    panicked = False
    try:
        yield
    except BaseException as error:
        panicked = is_panic(error)
        raise
    finally:
        _flush()
        os.dup2(original, STDERR)
        os.close(original)
        if not panicked:
            _pass_on(file)
        os.close(file)


def _alone() -> bool:
    """Return whether this is the only thread of Python, and the descriptor is standard error's."""
    if threading.active_count() != 1 or sys.__stderr__ is None:
        return False
    try:
        return sys.__stderr__.fileno() == STDERR
    except (OSError, ValueError):
        return False


def _redirect() -> tuple[int, int] | None:
    """Point the descriptor to a new file; return both descriptors, None where it can't be done."""
    _flush()
    try:
        file = _new_file()
    except OSError:
        return None
    try:
        original = os.dup(STDERR)
    except OSError:
        os.close(file)
        return None
    os.dup2(file, STDERR)
    return file, original


def _new_file() -> int:
    """Return the descriptor of an empty file without a name, in memory where that can be."""
    in_memory = getattr(os, "memfd_create", None)  # Linux has it
    if in_memory is not None:
        return int(in_memory("stderr"))
    with tempfile.TemporaryFile() as made:
        return os.dup(made.fileno())


def _flush() -> None:
    for stream in {sys.stderr, sys.__stderr__}:
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()


def _pass_on(file: int) -> None:
    """Write the content of a file to standard error."""
    os.lseek(file, 0, os.SEEK_SET)
    with suppress(OSError):
        while block := os.read(file, 1 << 16):
            while block:
                block = block[os.write(STDERR, block) :]
