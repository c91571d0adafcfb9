"""Lines and pieces of many megabytes: refused with the line, or told in a few words."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.formats import load
from engine.formats.source import MOST_SAID, brief
from engine.formats.textfile import LONGEST_LINE
from tests.engine.documents import bpe, tokenizer

SIZE = 8_000_000
LONG = b"a" * SIZE

FILES = {
    "vocab": ("vocab.txt", b"[UNK]\n" + LONG + b"\n##b\n", 2),
    "wide": ("vocab.txt", b"[UNK]\n##b\n" + "今".encode() * (SIZE // 3), 3),
    "merges": ("merges.txt", b"#version: 0.2\n" + LONG, 2),
    "pair": ("merges.txt", b"a a\n" + LONG[: SIZE // 2] + b" " + LONG[SIZE // 2 :] + b"\n", 2),
    "codes": ("codes", b"#version: 0.2\n" + LONG + b" b\n", 2),
    "version": ("codes", b"#version: " + b"9" * SIZE + b"\na b\n", 1),
    "filter": ("codes.vocab", LONG + b" 3\n", 1),
    "ranks": ("own.tiktoken", b"YQ== 0\r\nYg== 1\r\n" + LONG + b" 2\r\n", 3),
    "rank": ("own.tiktoken", b"YQ== 0\nYg== " + b"9" * SIZE, 2),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_very_long_line_is_refused_and_named(tmp_path: Path, kind: str) -> None:
    name, data, line = FILES[kind]
    if name == "merges.txt":
        (tmp_path / "vocab.json").write_text('{"a": 0, "aa": 1}', encoding="utf-8")
    (tmp_path / "codes").write_bytes(b"#version: 0.2\na b\n")
    (tmp_path / name).write_bytes(data)
    path = tmp_path / ("codes" if name == "codes.vocab" else name)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError) as caught:
            load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = max(map(len, data.split(b"\n")))
    assert caught.value.what == f"a line has {size:,} bytes, more than a line of a model can have"
    assert caught.value.where == f"{tmp_path / name}: line {line}"
    assert caught.value.remedy
    # The blocks that are read and the file that they make.
    assert peak < 2.5 * len(data) + 3_000_000


@pytest.mark.parametrize("more", [0, 1])
def test_a_line_may_be_as_long_as_that(tmp_path: Path, more: int) -> None:
    path = tmp_path / "vocab.txt"
    piece = b"a" * (LONGEST_LINE + more)
    path.write_bytes(b"[UNK]\n" + b"x\n" * 1000 + piece + b"\n" + piece[1:])
    if more:
        with pytest.raises(ModelError, match="a line has 1,048,577 bytes"):
            load(path)
    else:
        assert load(path).inspect()["max_id"] == 1002


def test_a_version_of_many_parts_is_no_work(tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_bytes(b"#version: 0.2" + b".0" * 400_000 + b".x\na b\n")
    with pytest.raises(ModelError, match=r"version '0\.2\.0.*…' of the codes isn't known"):
        load(path)


def test_a_long_piece_of_a_json_file_is_told_in_short(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    piece = "b" * 300_000
    path.write_text(json.dumps(bpe({"a": 0, piece: 0}, [])), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load(path)
    assert "the same id 0" in caught.value.what
    assert len(caught.value.what) == MOST_SAID
    document = tokenizer({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": piece})
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        said = load(path).warnings
    except ModelError as error:
        said = (error.what,)
    assert any(piece[:100] in text for text in said)
    assert max(map(len, said)) <= MOST_SAID


def test_what_is_long_keeps_its_beginning_and_end() -> None:
    assert brief("x" * MOST_SAID) == "x" * MOST_SAID
    short = brief("begin" + "x" * MOST_SAID + "end")
    assert len(short) == MOST_SAID
    assert (short[:6], short[-4:], short.count("…")) == ("beginx", "xend", 1)
