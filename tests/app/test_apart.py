"""Work in a process of its own ends with the process that asked for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ASKING = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from app.apart import call_apart

def linger(report):
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    call_apart(linger, report=lambda done, total: None)
"""


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/stat")
    # One that nobody waits for stays as a zombie where no init process reaps it.
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill with 0 ends a process on Windows")
def test_it_ends_with_its_parent_even_if_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "asking.py"
    script.write_text(ASKING)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert alive(child)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    try:
        until = time.monotonic() + 20
        while alive(child) and time.monotonic() < until:
            time.sleep(0.05)
        assert not alive(child)
    finally:
        if alive(child):
            os.kill(child, signal.SIGKILL)
