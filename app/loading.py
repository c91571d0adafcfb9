"""Loading a model without holding up the window.

Parsing a big JSON file is one call into C that holds Python's global lock for a quarter of a
second and more, so a thread isn't enough: the window would stand still. Big files are read by a
process of their own, which sends the finished model back as flat arrays.
"""

from __future__ import annotations

import multiprocessing
import pickle
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import SegscopeError
from engine.progress import Report

if TYPE_CHECKING:
    from engine.model import Model

SMALL = 300_000
"""Bytes up to which a file is read in the calling thread."""

POLL = 0.05
"""Seconds between looks at whether the load was cancelled."""


class LoaderFailed(Exception):
    """The loading process failed in a way that the engine doesn't explain."""


def load_model(path: Path, report: Report, **options: Any) -> Model:
    """Load a model as `engine.load` does, in a process of its own when the file is big.

    When `report` raises `Cancelled` the process is killed.
    """
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = 0
    if size <= SMALL:
        import engine

        return engine.load(path, report=report, **options)
    return _load_apart(path, report, options)


def _load_apart(path: Path, report: Report, options: dict[str, Any]) -> Model:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, path, options), daemon=True)
    process.start()
    there.close()
    try:
        done, total = 0, 0
        while True:
            while not here.poll(POLL):
                report(done, total)
            try:
                kind, *values = here.recv()
            except EOFError:
                process.join()
                raise LoaderFailed(f"the loader ended with code {process.exitcode}") from None
            if kind == "progress":
                done, total = values
                report(done, total)
            elif kind == "error":
                raise values[0]
            elif kind == "failure":
                raise LoaderFailed(values[0])
            else:
                return _receive(here, values[0], report)
    finally:
        here.close()
        process.kill()
        process.join()
        process.close()


def _receive(here: Connection, count: int, report: Report) -> Model:
    """Put the model together; arrays stay where they were received."""
    head = here.recv_bytes()
    buffers = []
    for done in range(count):
        report(done, count)
        buffers.append(bytearray(here.recv_bytes()))
    model: Model = pickle.Unpickler(_Slices(head), buffers=buffers).load()
    return model


class _Slices:
    """A file over bytes, in Python on purpose.

    The unpickler asks it for a frame of 64 KB at a time, and between frames other threads get
    their turn. Over plain bytes it would hold the global lock to the end.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._at = memoryview(data), 0

    def read(self, size: int) -> bytes:
        start, self._at = self._at, min(self._at + size, len(self._data))
        return bytes(self._data[start : self._at])

    def readinto(self, target: bytearray) -> int:
        part = self.read(len(target))
        target[: len(part)] = part
        return len(part)

    def readline(self) -> bytes:
        rest = bytes(self._data[self._at :])
        return self.read(rest.index(b"\n") + 1)


def _serve(there: Connection, path: Path, options: dict[str, Any]) -> None:
    """Load a model and send it: runs in the process."""
    sent = -1

    def report(done: int, total: int) -> None:
        nonlocal sent
        if done != sent:
            sent = done
            there.send(("progress", done, total))

    try:
        import engine

        model = engine.load(path, report=report, **options)
        # The first use builds what later uses need; here nobody waits for it.
        model.encode("a")
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(model, protocol=5, buffer_callback=buffers.append)
    except SegscopeError as error:
        there.send(("error", error))
    except BrokenPipeError:
        return
    except BaseException:  # noqa: BLE001 (peers raise PanicException, which is no Exception)
        there.send(("failure", traceback.format_exc()))
    else:
        there.send(("model", len(buffers)))
        there.send_bytes(head)
        for buffer in buffers:
            there.send_bytes(buffer.raw())
