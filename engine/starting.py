"""Ctrl+C while the parts of a program are still being imported.

There is nothing to clean up then, and a traceback through half-made modules helps no one. This
module imports next to nothing, so that it stands before the rest does.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130
"""The exit code after Ctrl+C: 128 and the signal's number."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Within this, Ctrl+C ends the process at once, without a word, with the code 130.

    Python's own handler comes back afterwards. A handler that someone else has set stays, as does
    the deafness of a process in the background.
    """

    def leave(_number: int, _frame: object) -> None:
        os._exit(INTERRUPTED)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Only the main thread may set a handler, and only it is interrupted.
        with suppress(ValueError):
            signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        # Whoever has set another one meanwhile keeps it.
        if signal.getsignal(signal.SIGINT) is leave:
            signal.signal(signal.SIGINT, signal.default_int_handler)
