"""Where a text was edited, found without a look at each byte in Python."""

from __future__ import annotations

import sys

import numpy as np

from app.edits import edited_from, edited_to, same_at_start
from engine.text import Text

MOST = 200_000


def same(one: bytes, other: bytes) -> int:
    return same_at_start(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8))


def test_what_two_texts_begin_with() -> None:
    assert same(b"lower", b"lowest") == 4
    assert same(b"low", b"lower") == same(b"lower", b"low") == 3
    assert same(b"", b"a") == same(b"b", b"a") == 0
    assert same(b"low", b"low") == 3


def test_the_first_byte_that_was_edited() -> None:
    assert edited_from(Text("low new"), Text("lower new"), MOST) == 3
    assert edited_from(Text("lower new"), Text("low new"), MOST) == 2
    assert edited_from(Text("a"), Text(""), MOST) == 0
    # Behind what is looked at nothing differs.
    assert edited_from(Text("low new"), Text("lower new"), 2) == 2


def test_the_last_byte_that_was_edited() -> None:
    assert edited_to(Text("low new"), Text("lower new")) == 5
    assert edited_to(Text("lower new"), Text("low new")) == 3
    assert edited_to(Text("aa"), Text("aaa")) == 3
    assert edited_to(Text("lower"), Text("newest")) is None
    text = Text("low")
    assert edited_to(text, text) is None


def test_no_line_of_python_runs_for_each_byte() -> None:
    before = Text("word " * 50_000)
    after = Text(before.string + "x")
    lines = 0

    def trace(_frame: object, event: str, _arg: object) -> object:
        nonlocal lines
        lines += event == "line"
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        edited_from(before, after, before.n_bytes + 1)
        edited_to(before, after)
    finally:
        sys.settrace(None)
    assert lines < 100
