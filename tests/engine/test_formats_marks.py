"""A byte-order mark before a model's text: left out and told, whatever the format."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken.load
from subword_nmt.apply_bpe import BPE
from tokenizers import Tokenizer

from engine.formats import load, recognised
from engine.model import Model
from tests.engine.documents import bpe, bytepiece, write_ranks

MARK = codecs.BOM_UTF8
PAIR = {"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"#version: 0.2\na b\n"}


def ranks(folder: Path) -> dict[str, bytes]:
    return {"own.tiktoken": write_ranks(folder, [b"ab"]).read_bytes()}


FILES: dict[str, Callable[[Path], dict[str, bytes]]] = {
    "huggingface": lambda _: {
        "tokenizer.json": json.dumps(bpe({"a": 0, "b": 1, "ab": 2}, ["a b"])).encode()
    },
    "tiktoken": ranks,
    "gpt2": lambda _: PAIR,
    "bert": lambda _: {"vocab.txt": b"ab\n[UNK]\n##c\n"},
    "bytepiece": lambda _: {"b.model": json.dumps(bytepiece({b"ab": 3.0})).encode()},
    "subword-nmt": lambda _: {"codes": b"#version: 0.2\na b</w>\n"},
}


def marks(model: Model) -> list[str]:
    return [text for text in model.warnings if "byte-order mark" in text]


@pytest.mark.parametrize("form", FILES)
def test_it_is_left_out_and_told(tmp_path: Path, form: str) -> None:
    files = FILES[form](tmp_path)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    for name, data in files.items():
        path = tmp_path / name
        plain = load(path)
        assert plain.format == form
        assert marks(plain) == []
        path.write_bytes(MARK + data)
        assert recognised(MARK + data, path)
        marked = load(path)
        (said,) = marks(marked)
        assert said.startswith(f"{name} begins with a byte-order mark, which is left out; ")
        assert set(marked.warnings) - {said} == set(plain.warnings)
        assert marked.encode("ab").ids.tolist() == plain.encode("ab").ids.tolist()
        assert marked.inspect()["vocab_size"] == plain.inspect()["vocab_size"]
        path.write_bytes(data)


def test_the_mark_of_the_other_file_is_told_too(tmp_path: Path) -> None:
    for name, data in PAIR.items():
        (tmp_path / name).write_bytes(MARK + data)
    assert [said.split()[0] for said in marks(load(tmp_path / "merges.txt"))] == [
        "merges.txt", "vocab.json",
    ]  # fmt: skip
    codes = tmp_path / "codes"
    codes.write_bytes(b"#version: 0.2\na b</w>\n")
    (tmp_path / "codes.vocab").write_bytes(MARK + b"ab 3\n")
    model = load(codes)
    assert [said.split()[0] for said in marks(model)] == ["codes.vocab"]
    assert len(model.encode("ab")) == 1


def test_what_is_said_of_the_libraries(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(MARK + json.dumps(bpe({"a": 0}, [])).encode())
    with pytest.raises(Exception, match="expected value at line 1"):
        Tokenizer.from_file(str(path))
    path.write_bytes(MARK + b"YQ== 0\n")
    assert tiktoken.load.load_tiktoken_bpe(str(path)) == {b"a": 0}
    path.write_bytes(MARK + b"#version: 0.2\na b</w>\n")
    with path.open(encoding="utf-8") as stream:
        peer = BPE(stream)
    assert peer.version == (0, 1)
    assert ("\ufeff#version:", "0.2") in peer.bpe_codes
