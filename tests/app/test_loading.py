"""Loading in a process of its own gives the same model, the same errors, and can be cancelled."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest

import engine
from app import loading
from app.apart import ApartError, Slices, call_apart
from engine import bundled
from engine.errors import ModelError
from engine.pipelines.huggingface import LibraryError
from engine.progress import Cancelled, silent

TEXT = "The weather is lovely 今天天气不错 안녕하세요 🌤️"


@pytest.fixture(autouse=True)
def apart(monkeypatch):
    monkeypatch.setattr(loading, "SMALL", 0)


@pytest.mark.parametrize("name", ["everyday-unigram", "everyday-bpe", "everyday-wordpiece"])
def test_the_model_is_the_same(name):
    path = bundled.model_path(name)
    told = []
    model = loading.load_model(path, lambda done, total: told.append((done, total)))
    here = engine.load(path)
    assert np.array_equal(model.encode(TEXT).ids, here.encode(TEXT).ids)
    assert model.inspect() == here.inspect()
    assert model.vocabulary.joined == here.vocabulary.joined
    assert told
    assert multiprocessing.active_children() == []


def test_an_error_comes_whole(tmp_path):
    path = tmp_path / "page.json"
    path.write_text("<!DOCTYPE html><html><body>Not found</body></html>", encoding="utf-8")
    with pytest.raises(ModelError) as there:
        loading.load_model(path, silent)
    with pytest.raises(ModelError) as here:
        engine.load(path)
    for part in ("what", "where", "remedy"):
        assert getattr(there.value, part) == getattr(here.value, part)
    assert str(there.value) == str(here.value)


def split_by(expression):
    """A tokenizer.json of three letters whose text is split by a regular expression."""
    return json.dumps(
        {
            "version": "1.0",
            "pre_tokenizer": {
                "type": "Split",
                "pattern": {"Regex": expression},
                "behavior": "Isolated",
                "invert": False,
            },
            "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []},
        }
    )


def test_an_error_of_the_library_comes_whole(tmp_path):
    path = tmp_path / "slow.json"
    path.write_text(split_by("(a+)+$"), encoding="utf-8")
    with pytest.raises(LibraryError, match="retry-limit") as there:
        call_apart(encode, path, "a" * 1_000 + "b", report=silent)
    assert there.value.reason in there.value.what


def test_a_model_that_cannot_read_the_first_text_opens(tmp_path):
    path = tmp_path / "slow.json"
    path.write_text(split_by(r"([^\n]+)+\d"), encoding="utf-8")
    model = loading.load_model(path, silent)
    with pytest.raises(LibraryError):
        model.encode(loading.FIRST_USE)
    assert model.encode("ab1").ids.tolist() == [0, 1]


def test_cancel_ends_the_process():
    def cancel(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        loading.load_model(bundled.model_path("everyday-bpe"), cancel)
    assert multiprocessing.active_children() == []


def test_options_reach_the_reader(tmp_path):
    path = tmp_path / "own.tiktoken"
    path.write_text("".join(f"{'YQ=='} {0}\n"), encoding="ascii")
    model = loading.load_model(path, silent, pattern="gpt2")
    assert model.inspect()["pre_tokenizer"] == "gpt2"


def test_slices_read_as_a_file_does():
    slices = Slices(b"one\ntwo\nthree")
    assert slices.readline() == b"one\n"
    assert slices.read(2) == b"tw"
    target = bytearray(4)
    assert slices.readinto(target) == 4
    assert bytes(target) == b"o\nth"
    assert slices.read(100) == b"ree"


def test_a_process_that_dies_is_an_error():
    with pytest.raises(ApartError, match="code 3"):
        call_apart(die, report=silent)
    with pytest.raises(ApartError, match="ZeroDivisionError"):
        call_apart(divide, 1, 0, report=silent)
    assert call_apart(divide, 6, 3, report=silent) == 2


def encode(path, text, report):
    return engine.load(path).encode(text).ids


def die(report):
    os._exit(3)


def divide(a, b, report):
    return a / b


@pytest.mark.skipif(not shutil.which("ps"), reason="there is no ps to ask for a process")
def test_the_second_compiling_process_ends_with_the_first():
    """Closing the window kills the first while it compiles."""
    code = (
        "import time\n"
        "from engine.kernels import compiling\n"
        "compiling.is_cold, compiling.os.cpu_count = lambda folder: True, lambda: 2\n"
        "with compiling.second_process() as second:\n"
        "    print(second.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    first = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        second = first.stdout.readline().strip()
        assert alive(second)
    finally:
        first.kill()
        first.communicate()
    for _ in range(200):
        if not alive(second):
            break
        time.sleep(0.05)
    assert not alive(second)


def alive(process):
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", process], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def test_big_files_are_read_in_turn_and_a_cancelled_one_makes_room(monkeypatch):
    monkeypatch.setattr(loading, "AT_ONCE", 1)
    first, cancelled, order = threading.Event(), threading.Event(), []

    def read(name, report, until=None):
        with suppress(Cancelled), loading._turn(report):
            order.append(name)
            if until is not None:
                assert until.wait(20)

    def stop_when_told(_done, _total):
        if cancelled.is_set():
            raise Cancelled

    asked = [
        ("first", silent, first),
        ("given up", stop_when_told, None),
        ("third", silent, None),
    ]
    threads = []
    for place, arguments in enumerate(asked):
        threads.append(threading.Thread(target=read, args=arguments))
        threads[-1].start()
        while len(loading._reading) <= place:
            time.sleep(0.001)
    assert order == ["first"]
    cancelled.set()
    threads[1].join(20)
    assert len(loading._reading) == 2
    first.set()
    for thread in threads:
        thread.join(20)
    assert order == ["first", "third"]
    assert loading._reading == []
