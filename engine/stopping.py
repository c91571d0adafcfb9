"""Ctrl+C while a command computes for long and has nothing to clean up.

Python hears a signal between two of its instructions only: not while a kernel runs, which on a busy
machine can take more than a second. Nor is the end of a program quick: what it holds is freed piece
by piece. So a thread waits for the signal, which Python's C code hands it at once, and ends the
process from there.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from engine.starting import INTERRUPTED, interruptible

if TYPE_CHECKING:
    import socket


@contextmanager
def stopped_at_once() -> Iterator[None]:
    """Within this, Ctrl+C ends the process at once, also in the middle of a kernel, with code 130.

    For work that writes nothing: no `finally` is run. Where someone else has set a handler, or in
    another thread than the main one, it does nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        if signal.getsignal(signal.SIGINT) is before:
            yield
            return
        import socket

        heard, told = socket.socketpair()
        told.setblocking(False)
        waiting = threading.Thread(target=_wait, args=(heard,), name="ctrl-c", daemon=True)
        waiting.start()
        former = signal.set_wakeup_fd(told.fileno())
        try:
            yield
        finally:
            signal.set_wakeup_fd(former)
            with suppress(OSError):
                told.shutdown(socket.SHUT_RDWR)
            waiting.join()
            heard.close()
            told.close()


def _wait(heard: socket.socket) -> None:
    """End the process when the number of the signal comes; runs in the thread."""
    while numbers := heard.recv(64):
        if signal.SIGINT in numbers:
            os._exit(INTERRUPTED)
