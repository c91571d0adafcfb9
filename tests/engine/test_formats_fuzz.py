"""Whatever a model file holds: a model that works, or an error that a person can act on."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import SegscopeError
from engine.formats import load
from tests.engine.documents import (
    added,
    bpe,
    byte_level_bpe,
    bytepiece,
    piece,
    sentencepiece,
    tokenizer,
)

VALUES: list[Any] = [
    None, True, 0, 1, -1, 2**40, 10**30, 1.5, float("nan"), "", "a", "[UNK]", "\ud800", "é",
    [], ["a"], [["a", "b"]], [["a", 1.0]], {}, {"a": 1}, {"type": "BPE"}, {"type": "NFC"},
    {"type": "Sequence"}, {"type": "ByteLevel"}, {"type": "Sequence", "normalizers": [1]},
]  # fmt: skip

DOCUMENTS: list[dict[str, Any]] = [
    {**bpe({"a": 0, "b": 1, "ab": 2, "<u>": 3}, ["a b"], unk_token="<u>"),
     "added_tokens": [added(3, "<u>", special=True), added(4, "xy", lstrip=True)]},
    bpe({"a": 0, "b": 2, "c": 1, "abc": 7}, [["a", "b"]], ignore_merges=True) | {"version": "2.0"},
    byte_level_bpe(("a", "b"), normalizer={"type": "NFC"}),
    tokenizer(
        {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
         "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "a": 1, "##b": 2, "x": 3}},
        normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                    "strip_accents": None, "lowercase": True},
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor={"type": "BertProcessing", "sep": ["[UNK]", 0], "cls": ["a", 1]},
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    ),
    tokenizer(
        {"type": "Unigram", "unk_id": 0, "byte_fallback": False,
         "vocab": [["<unk>", 0], ["a", -1.5], ["b", -2], ["ab", -2.5], ["▁", -3]]},
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always",
                       "split": True},
    ),
]  # fmt: skip

BINARIES = [
    sentencepiece(piece("a", -1), piece("b", -2), piece("ab", -2.5), piece("<x>", 0, 4)),
    sentencepiece(piece("a", -1), piece("ab", -2), model_type=2, byte_fallback=True),
    b"YQ== 0\nYg== 1\nYWI= 2\n= 3\n",
    json.dumps(bytepiece({b"ab": 5})).encode(),
]

TEXT = "ab aa xyz é中\n <x>"


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside a document."""
    found = [before] if before else []
    if isinstance(value, dict):
        items = list(value.items())
    else:
        items = list(enumerate(value)) if isinstance(value, list) else []
    for key, inner in items:
        found.extend(places(inner, (*before, key)))
    return found


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Draw a small tokenizer.json of which some values are replaced or gone."""
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(places(document)))
        inner = document
        for key in path:
            inner = inner[key]
        if draw(st.booleans()):
            inner[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
        else:
            del inner[last]
        if not places(document):
            break
    return json.dumps(document).encode()


@st.composite
def binaries(draw: st.DrawFn) -> bytes:
    """Draw a small file of which some bytes are replaced, put in or gone."""
    data = bytearray(draw(st.sampled_from([*BINARIES, json.dumps(DOCUMENTS[0]).encode()])))
    for _ in range(draw(st.integers(1, 3))):
        at, size = draw(st.integers(0, len(data))), draw(st.integers(0, 4))
        data[at : at + size] = draw(st.binary(max_size=3))
    return bytes(data)


def use(data: bytes) -> None:
    """Load a file and use the model, if there is one, in every way."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(data)
        try:
            model = load(path)
            model.inspect()
            encoding = model.encode(TEXT)
            assert all(
                0 <= t.start_byte <= t.end_byte <= len(TEXT.encode()) for t in encoding.tokens
            )
            model.decode(encoding.ids.tolist())
            model.encode(TEXT, special="parse", add_special=True)
            batch = model.encode_lines(["ab", "", TEXT])
            assert batch[2].tolist() == encoding.ids.tolist()
        except SegscopeError as error:
            said = error
        else:
            return
    # Said for a person: what, and where or what to do.
    assert said.what
    assert said.where or said.remedy


CALM = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@given(documents())
@CALM
def test_a_changed_tokenizer_json_is_a_model_or_an_error(
    capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    use(data)
    capfd.readouterr()


@given(binaries())
@CALM
def test_changed_bytes_are_a_model_or_an_error(
    capfd: pytest.CaptureFixture[str], data: bytes
) -> None:
    use(data)
    capfd.readouterr()
