"""JSON read part by part gives what the standard library gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.formats import jsonparts
from engine.formats.jsonparts import Pairs, read_json, read_pairs
from engine.formats.source import Source
from engine.progress import silent

# Texts that look like the ends of parts are what a cut could fall into.
tricky = st.sampled_from(['1,"', '5, "', ":", '": 5', '],["', "\\", '"', "}", "a", "é", "今", ","])
keys = st.lists(tricky, max_size=4).map("".join)
values = st.one_of(st.integers(), st.floats(allow_nan=False), keys, st.none(), st.booleans())
vocabularies = st.dictionaries(keys, st.integers(0, 10**6), max_size=30)
merges = st.one_of(
    st.lists(keys, max_size=30),
    st.lists(st.lists(keys, min_size=2, max_size=2), max_size=30),
    st.lists(st.tuples(keys, st.floats(allow_nan=False)).map(list), max_size=30),
    st.lists(values, max_size=20),
    st.lists(st.dictionaries(keys, values, max_size=3), max_size=10),
)


def plain(value: Any) -> Any:
    """Return a value with `Pairs` as the dictionaries that they stand for."""
    return dict(value) if isinstance(value, Pairs) else value


def read(text: str, chunk: int) -> tuple[dict[str, Any], list[str]]:
    source = Source(Path("x.json"), text.encode("utf-8", "surrogatepass"))
    whole, jsonparts.CHUNK = jsonparts.CHUNK, chunk
    try:
        return read_json(source, text, {("model", "vocab"), ("model", "merges")}, silent)
    finally:
        jsonparts.CHUNK = whole


@given(vocabularies, merges, values, st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_parts_make_the_whole(
    vocab: dict[str, int], rows: list[Any], other: Any, chunk: int, indent: int, ascii_only: bool
) -> None:
    document = {"a": other, "model": {"vocab": vocab, "merges": rows, "z": [other]}, "b": {}}
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    value, doubles = read(text, chunk)
    model = value["model"]
    assert isinstance(model["vocab"], Pairs)
    assert list(model["vocab"]) == list(vocab.items())
    assert model["merges"] == rows
    assert {**value, "model": {k: plain(v) for k, v in model.items()}} == document
    assert doubles == []


@given(vocabularies, st.integers(1, 40), st.data())
def test_a_cut_or_changed_text_is_an_error_or_json(
    vocab: dict[str, int], chunk: int, data: st.DataObject
) -> None:
    text = json.dumps({"model": {"vocab": vocab}}, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text) - 1))
    broken = text[:at] + data.draw(st.sampled_from(["", "x", '"', ",", "}", "1"])) + text[at + 1 :]
    try:
        expected = json.loads(broken)
    except json.JSONDecodeError:
        with pytest.raises(ModelError, match="line 1, column"):
            read(broken, chunk)
        return
    if not isinstance(expected, dict):
        return
    value, _ = read(broken, chunk)
    if isinstance(value.get("model"), dict):
        value["model"] = {k: plain(v) for k, v in value["model"].items()}
    assert value == expected


def test_keys_that_stand_twice_are_told() -> None:
    value, doubles = read('{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}', 10)
    assert value == {"a": 3, "b": {"c": 2}}
    assert sorted(doubles) == ["a", "c"]
    value, _ = read('{"model": {"vocab": {"x": 1, "y": 2, "x": 3}}}', 2)
    assert list(value["model"]["vocab"]) == [("x", 1), ("y", 2), ("x", 3)]


def test_one_large_object_is_read_as_pairs() -> None:
    source = Source(Path("x.json"), b"")
    assert read_pairs(source, ' {"a": [1, "x", 2], "a": [3, "", 4]} ', silent) == [
        ("a", [1, "x", 2]),
        ("a", [3, "", 4]),
    ]


@pytest.mark.parametrize(
    ("text", "what", "place"),
    [
        ('{"a": 1,\n "b": [1, 2', "ends too early", "line 2"),
        ('{"a": "open', "ends too early", "line 1, column 7"),
        ('{"a": 1,\n "b" 2}', "':' delimiter", "line 2, column 6"),
        ('{"a": 1} x', "Extra data", "line 1, column 10"),
        ("[1]", "an object", "line 1, column 1"),
        ('{"model": {"vocab": {"a": 1, "b" 2}}}', "':' delimiter", "line 1, column 34"),
        ('{"a": ' + "[" * 100_000, "nested too deeply", "x.json"),
        ('{"a": ' + "9" * 5000 + "}", "valid JSON", "x.json"),
    ],
)
def test_errors_name_line_and_column(text: str, what: str, place: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text, 4)
    assert what in caught.value.what
    assert place in caught.value.where


def test_progress_is_told_for_every_part() -> None:
    text = json.dumps({"model": {"vocab": {str(i): i for i in range(2000)}}})
    seen: list[int] = []
    source = Source(Path("x.json"), b"")
    whole, jsonparts.CHUNK = jsonparts.CHUNK, 1000
    try:
        read_json(source, text, {("model", "vocab")}, lambda done, total: seen.append(done))
    finally:
        jsonparts.CHUNK = whole
    assert len(seen) > 15
    assert seen == sorted(seen)
