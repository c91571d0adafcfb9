"""Work in a process of its own, for what would hold Python's global lock for too long.

Parsing a big JSON file is one call into C that holds the lock for a quarter of a second and more;
compiling kernels, or finding a million graphemes, holds it again and again. In a thread any of
these would make the window stand still.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from engine.errors import SegscopeError
from engine.progress import Report

POLL = 0.05
"""Seconds between looks at whether the work was cancelled."""

NICE = 5
"""How far the process stands back where processors are short; Windows has no such thing."""


class ApartError(Exception):
    """The process failed in a way that the engine doesn't explain; the text is its traceback."""


def call_apart(
    function: Callable[..., Any],
    *arguments: Any,
    report: Report,
    give: Callable[[Any], object] | None = None,
    settle: Callable[[], object] | None = None,
) -> Any:
    """Return `function(*arguments, report=…)`, called in a new process.

    function: one of a module, so that the process finds it. `report` is called here, also while
    there is nothing new; when it raises `Cancelled` the process is killed. give: the function
    takes `give=…` too, and what it gives, which should be small, is handed over here in order.
    settle: the function takes `settle=…` too and calls it before it does what can't be taken back;
    it is called here, and what it raises ends the process before it has begun that.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), daemon=True)
    process.start()
    there.close()
    try:
        # Not among the process's own arguments: should it die before it has read them, the
        # writing of more than a pipe holds would wait for ever.
        try:
            here.send((function, arguments, give is not None, settle is not None))
        except ConnectionError:
            process.join()
            raise ApartError(f"the process ended with code {process.exitcode}") from None
        done, total = 0, 0
        while True:
            while not here.poll(POLL):
                report(done, total)
            try:
                kind, *values = here.recv()
            except (EOFError, ConnectionError):
                process.join()
                raise ApartError(f"the process ended with code {process.exitcode}") from None
            if kind == "progress":
                done, total = values
                report(done, total)
            elif kind == "part":
                if give is not None:
                    give(values[0])
            elif kind == "settle":
                if settle is not None:
                    settle()
                here.send("settled")
            elif kind == "error":
                raise values[0]
            elif kind == "failure":
                raise ApartError(values[0])
            else:
                return _receive(here, values[0], report)
    finally:
        here.close()
        process.kill()
        process.join()
        process.close()


def _receive(here: Connection, count: int, report: Report) -> Any:
    """Put the result together; arrays stay where they were received."""
    head = here.recv_bytes()
    buffers = []
    for done in range(count):
        report(done, count)
        buffers.append(bytearray(here.recv_bytes()))
    return pickle.Unpickler(Slices(head), buffers=buffers).load()


class Slices:
    """A file over bytes, in Python on purpose.

    The unpickler asks it for a frame of 64 KB at a time, and between frames this rests a little,
    so that other threads get their turn. Over plain bytes it would hold the global lock to the
    end; without the rest, each thread that wants the lock would wait for five milliseconds.
    """

    WORK, REST = 0.002, 0.001
    """Seconds."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = memoryview(data), 0
        self._rested = time.monotonic()

    def read(self, size: int) -> bytes:
        if time.monotonic() - self._rested > self.WORK:
            time.sleep(self.REST)
            self._rested = time.monotonic()
        start, self._at = self._at, min(self._at + size, len(self._data))
        return bytes(self._data[start : self._at])

    def readinto(self, target: bytearray) -> int:
        part = self.read(len(target))
        target[: len(part)] = part
        return len(part)

    def readline(self) -> bytes:
        rest = bytes(self._data[self._at :])
        return self.read(rest.index(b"\n") + 1)


def _end_with_parent() -> None:
    """Wait until the parent is gone, in whatever way it went, and end this process too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _serve(there: Connection) -> None:
    """Read a function and its arguments, call it and send what it gives: runs in the process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sent: tuple[int, int] | None = None

    def report(done: int, total: int) -> None:
        nonlocal sent
        if (done, total) != sent:
            sent = (done, total)
            there.send(("progress", done, total))

    def settle() -> None:
        there.send(("settle",))
        there.recv()  # which comes when it wasn't cancelled

    # What a person does in the window comes before.
    with suppress(AttributeError, OSError):
        os.nice(NICE)
    try:
        function, arguments, gives, settles = there.recv()
        more: dict[str, Callable[..., object]] = {}
        if gives:
            more["give"] = lambda part: there.send(("part", part))
        if settles:
            more["settle"] = settle
        result = function(*arguments, report=report, **more)
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
    except SegscopeError as error:
        there.send(("error", error))
    except BrokenPipeError:
        return
    except BaseException:  # noqa: BLE001 (peers raise PanicException, which is no Exception)
        there.send(("failure", traceback.format_exc()))
    else:
        there.send(("result", len(buffers)))
        there.send_bytes(head)
        for buffer in buffers:
            there.send_bytes(buffer.raw())
