"""The first moments of a program: a quick import, and Ctrl+C before everything is imported."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.starting import interruptible

ROOT = Path(__file__).resolve().parents[2]


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_importing_the_engine_imports_no_library() -> None:
    done = python(
        "import sys, engine\n"
        "print([name for name in ('numpy', 'regex', 'engine.model') if name in sys.modules])\n"
        "print(engine.Text('é').data.size, 'numpy' in sys.modules)"
    )
    assert (done.stdout, done.stderr) == ("[]\n2 True\n", "")


def test_public_names() -> None:
    for name in engine.__all__:
        value = getattr(engine, name)
        assert value is getattr(importlib.import_module(value.__module__), name)
        assert name in dir(engine)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        engine.lode  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.skipif(sys.platform == "win32", reason="raises a signal of POSIX")
def test_ctrl_c_while_importing_ends_without_a_word() -> None:
    done = python(
        "import signal\n"
        # A process that is begun in the background may have been told to ignore Ctrl+C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from engine.starting import interruptible\n"
        "with interruptible():\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    except BaseException:\n"
        "        print('a library took it for its own')\n"
        "print('went on')"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_handlers_come_back_and_those_of_others_stay() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with interruptible():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interruptible():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with interruptible():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
