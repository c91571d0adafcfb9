"""JSON that people bring: each fault is an error of the wanted class that names file and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import CorpusError, SegscopeError
from engine.jsonfile import read_json

FAULTS = [
    (b"", "isn't valid JSON", "line 1, column 1"),
    (b'{"a": 1,\n "b" 2}', "isn't valid JSON", "line 2, column 6"),
    (b'{"a": "\xff"}', "isn't valid UTF-8", "byte 7"),
    (b'\xef\xbb\xbf{"a": "\xff"}', "isn't valid UTF-8", "byte 10"),
    (b"[" * 100_000, "nested too deeply", ""),
    (b'{"a":' * 100_000, "nested too deeply", ""),
    (b"1" * 5_000, "too many digits", ""),
]


@pytest.mark.parametrize(("data", "what", "place"), FAULTS, ids=lambda value: str(value)[:30])
def test_a_fault_is_named_with_its_place(
    tmp_path: Path, data: bytes, what: str, place: str
) -> None:
    path = tmp_path / "list.json"
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=what) as caught:
        read_json(path, CorpusError, "the list", "write it again")
    assert "the list" in caught.value.what
    assert caught.value.where == (f"{path}: {place}" if place else str(path))
    assert caught.value.remedy == "write it again"
    with pytest.raises(SegscopeError, match=what) as caught_of_bytes:
        read_json(data)
    assert caught_of_bytes.value.where == place


@pytest.mark.parametrize("name", ["absent.json", ".", "a\0b"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(CorpusError, match="the list can't be read"):
        read_json(tmp_path / name, CorpusError, "the list")


def test_the_content_is_plain_data(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": [1, 2.5, null, "\xc3\xa9"]}')
    assert read_json(path) == {"a": [1, 2.5, None, "é"]}
    assert read_json(path.read_bytes()) == read_json(str(path))
