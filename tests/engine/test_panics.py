"""The tokenizers library panics: one error that names the file, and nothing else on stderr."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cache import read_model, write_model
from engine.formats import load
from engine.pipelines.huggingface import LibraryError
from tests.engine.documents import bpe, write_json

ROOT = Path(__file__).resolve().parents[2]

STRIP = {"type": "Strip", "content": "a", "start": 3, "stop": 3}
"""A decoder that counts below zero where a token is shorter than it strips."""


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own: there only its main thread is at work."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "RUST_BACKTRACE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def stripping(tmp_path: Path) -> Path:
    return write_json(tmp_path, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"]) | {"decoder": STRIP})


def test_a_command_prints_its_own_line_only(stripping: Path) -> None:
    done = python("-m", "engine", "decode", str(stripping), "--ids", "0,1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(
        "segscope: error: the tokenizers library fails to decode these ids (index out of bounds"
    )
    assert done.stderr.endswith(f", {stripping}, choose other ids, or correct the file's decoder\n")


def test_a_file_whose_part_panics_is_refused_in_one_line(tmp_path: Path) -> None:
    broken = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    path = write_json(tmp_path, bpe({"a": 0}, []) | {"normalizer": broken})
    done = python("-m", "engine", "inspect", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"{path}, correct that part of the file" in done.stderr


def test_the_error_names_the_file_wherever_the_model_comes_from(
    stripping: Path, tmp_path: Path
) -> None:
    model = load(stripping)
    kept, moved = tmp_path / "kept", tmp_path / "moved.json"
    assert write_model(kept, model)
    again = read_model(kept, moved)
    assert again is not None
    for found, path in ((model, stripping), (load(tmp_path), stripping), (again, moved)):
        with pytest.raises(LibraryError) as caught:
            found.decode([0, 1])
        assert caught.value.where == str(path)
        assert "decoder" in caught.value.remedy


PROGRAM = """
import os, sys, threading
from engine.pipelines.panics import hidden_panics
class PanicException(BaseException): pass
kind = sys.argv[1]
if kind == "threads":
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
sys.stderr.write("before ")
try:
    with hidden_panics():
        os.write(2, b"inside ")
        sys.stderr.write("said ")
        if kind == "nested":
            try:
                with hidden_panics():
                    os.write(2, b"lost ")
                    raise PanicException
            except PanicException:
                os.write(2, b"again ")
        elif kind == "long":
            os.write(2, b"x" * 100_000)
        elif kind == "error":
            raise ValueError
        elif kind != "plain":
            raise PanicException
except (ValueError, PanicException) as error:
    sys.stderr.write(type(error).__name__ + " ")
os.write(2, b"after")
if kind == "threads":
    over.set()
"""


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        ("plain", "before inside said after"),
        ("panic", "before PanicException after"),
        ("error", "before inside said ValueError after"),
        ("nested", "before inside said again after"),
        ("long", f"before inside said {'x' * 100_000}after"),
        # With another thread about, what is printed isn't touched.
        ("threads", "before inside said PanicException after"),
    ],
)
def test_what_a_panic_prints_is_swallowed_and_nothing_else(kind: str, printed: str) -> None:
    done = python("-u", "-c", PROGRAM, kind)
    assert done.returncode == 0, done.stderr
    assert done.stderr == printed


def test_without_a_standard_error_nothing_is_redirected(tmp_path: Path) -> None:
    # The descriptor then belongs to whatever is opened next, here a file of data.
    code = (
        "import os, sys\n"
        "from engine.pipelines.panics import hidden_panics\n"
        "os.close(2); sys.stderr = sys.__stderr__ = None\n"
        "data = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)\n"
        "assert data == 2\n"
        "with hidden_panics():\n"
        "    os.write(data, b'kept')\n"
        "    assert os.path.getsize(sys.argv[1]) == 4\n"
        "print('done')\n"
    )
    done = python("-c", code, str(tmp_path / "data"))
    assert done.stdout == "done\n"
