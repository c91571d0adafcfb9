"""Compiling all kernels in two processes, where nothing is cached yet.

One begins with the first step, one with the last, and what the one has compiled the other finds in
the cache. That takes half the time, and half of the work holds no other thread of the program up.
The second one is started before this one imports numba.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.kernels.folder import cache_folder

SECOND = """
import gc, os, threading

def watch():
    os.read(0, 1)
    os._exit(1)

threading.Thread(target=watch, daemon=True).start()
gc.disable()
from engine.kernels.warm import STEPS
for step in reversed(STEPS):
    step()
"""
"""What the second process runs. Its input ends with the first one, in whatever way that ends, and
so does it itself."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python from looking for garbage meanwhile.

    numba makes so many objects that live on that it takes a tenth of the time to look at them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def is_cold(folder: str) -> bool:
    """Return whether kernels are kept in `folder` and none is there yet."""
    return bool(folder) and next(Path(folder).rglob("*.nbi"), None) is None


@contextmanager
def second_process() -> Iterator[subprocess.Popen[bytes] | None]:
    """Have a second process compile meanwhile, where nothing is cached and there are two CPUs.

    It ends with the block, or with this process, should that be killed in it.
    A frozen program has no interpreter to start; there, and where none can be started, one process
    does it all.
    """
    able = sys.executable and not getattr(sys, "frozen", False) and (os.cpu_count() or 1) > 1
    process: subprocess.Popen[bytes] | None = None
    if able and is_cold(cache_folder()):
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", SECOND],
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError:
            process = None
    try:
        yield process
    finally:
        if process is not None:
            process.kill()
            process.communicate()
