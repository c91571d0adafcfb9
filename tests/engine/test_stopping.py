"""Ctrl+C in the middle of a computation that doesn't come back to Python for long."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.stopping import stopped_at_once

ROOT = Path(__file__).resolve().parents[2]

LONG = """\
import hashlib, os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
from engine.stopping import stopped_at_once
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
late = threading.Timer(8.0, os._exit, (7,))
late.daemon = True
late.start()
with stopped_at_once():
    # One call into C: a handler of Python's would have to wait until it is over.
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
print("went on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of POSIX")
def test_it_takes_effect_inside_a_long_call() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LONG], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_what_was_set_before_comes_back() -> None:
    def own(_number: int, _frame: object) -> None:
        pass

    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with stopped_at_once():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.set_wakeup_fd(-1) == -1
        signal.signal(signal.SIGINT, own)
        with stopped_at_once():
            assert signal.getsignal(signal.SIGINT) is own
            assert signal.set_wakeup_fd(-1) == -1
    finally:
        signal.signal(signal.SIGINT, before)
