"""Hot loops as numba kernels on flat arrays, each beside its plain-Python twin.

Importing this package doesn't import numba. A caller asks `compiled(size)` which of the two
should serve: short texts go to the plain twin until `warm_up` has compiled the kernels (cached on
disk), long texts always to the kernel.
"""

from __future__ import annotations

import threading

from engine.progress import Report, silent

PLAIN_LIMIT = 4096
"""Bytes up to which the plain twin serves while the kernels aren't compiled."""

_ready = threading.Event()


def compiled(size: int) -> bool:
    """Return whether the kernels should serve `size` bytes (or edges) of work."""
    return size > PLAIN_LIMIT or _ready.is_set()


def warm_up(report: Report = silent) -> None:
    """Compile all kernels, or load them from numba's cache, on tiny inputs."""
    from engine.kernels.compiling import second_process, uncollected

    with uncollected(), second_process():
        from engine.kernels.warm import STEPS

        for done, step in enumerate(STEPS):
            report(done, len(STEPS))
            step()
    report(len(STEPS), len(STEPS))
    _ready.set()
