"""Opening a file: by its content, with an error that says what the file is."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from engine.errors import ModelError, ParameterError
from engine.formats import load
from engine.progress import Cancelled
from tests.engine.documents import (
    bpe,
    bytepiece,
    piece,
    sentencepiece,
    write_json,
    write_ranks,
)

FILES = {
    "huggingface": lambda folder: write_json(folder, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"])),
    "bytepiece": lambda folder: write_json(folder, bytepiece({b"ab": 5})),
    "tiktoken": lambda folder: write_ranks(folder, [b"ab"]),
    "sentencepiece": lambda folder: _write(
        folder, sentencepiece(piece("a", -1), piece("b", -2), piece("ab", -1.5))
    ),
}


def _write(folder: Path, data: bytes, name: str = "file.model") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def error_of(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path)
    return caught.value


@pytest.mark.parametrize("format_name", FILES)
def test_a_file_is_known_by_its_content_whatever_its_name(tmp_path: Path, format_name: str) -> None:
    path = FILES[format_name](tmp_path)
    for name in ("tokenizer.model", "x.json", "ranks.tiktoken", "noending"):
        moved = path.rename(tmp_path / name)
        model = load(moved)
        assert (model.format, model.name) == (format_name, name)
        assert [token.bytes for token in model.encode("ab").tokens] == [b"ab"]
        path = moved


@pytest.mark.parametrize("format_name", FILES)
def test_a_model_survives_pickling_as_it_crosses_processes(
    tmp_path: Path, format_name: str
) -> None:
    model = load(FILES[format_name](tmp_path))
    model.encode("ab")
    copied = pickle.loads(pickle.dumps(model))
    assert copied.encode("ab").ids.tolist() == model.encode("ab").ids.tolist()
    assert copied.decode(model.encode("ab").ids.tolist()) == b"ab"


@pytest.mark.parametrize("format_name", FILES)
def test_progress_ascends_to_the_whole(tmp_path: Path, format_name: str) -> None:
    seen: list[tuple[int, int]] = []
    load(FILES[format_name](tmp_path), report=lambda done, total: seen.append((done, total)))
    done = [d for d, _ in seen]
    assert done == sorted(done)
    assert seen[-1] == (1000, 1000)


@pytest.mark.parametrize("format_name", FILES)
def test_a_cancelled_load_ends(tmp_path: Path, format_name: str) -> None:
    def cancel(done: int, total: int) -> None:
        if done > 400:
            raise Cancelled

    with pytest.raises(Cancelled):
        load(FILES[format_name](tmp_path), report=cancel)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "the file is empty"),
        (b"<!DOCTYPE html>\n<html><body>Not Found</body></html>", "an HTML page"),
        (b"\n  <html lang='en'>", "an HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"),
        (b"GGUF\x03\x00\x00\x00", "a GGUF file"),
        (b"PK\x03\x04\x14\x00", "a zip archive"),
        (b"\x1f\x8b\x08\x00", "a gzip archive"),
        (b"Am Anfang war das Wort.\n" * 50, "a text file"),
        (b"\n\n\n\n\n\n\n\n\n\n\n\n", "a text file"),
        (b'{"a": 0, "b": 1}', "one file of GPT-2's pair is missing: a list of merges"),
        (b'{"tokenizer_class": "X", "added_tokens_decoder": {}}', "the configuration of a token"),
        (b'{"hello": "world"}', "no tokenizer that is known"),
        (b"\x93NUMPY\x01\x00\xff\xfe\x00", "not a tokenizer model|isn't a tokenizer model"),
        (b'{"version": "1.0", "model": {"vocab": {"a', "the JSON ends too early"),
    ],
)
def test_what_is_no_model_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    path = _write(tmp_path, content)
    error = error_of(path)
    assert any(part in error.what for part in what.split("|"))
    assert str(path) in error.where
    assert error.remedy


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    assert "no such file" in error_of(tmp_path / "gone.json").what
    write_json(tmp_path, {"a": {}}, "other.json")
    folder = error_of(tmp_path)
    assert "a folder" in folder.what
    assert "tokenizer.json" in folder.remedy
    assert error_of(Path("nul\0name")).remedy


def test_a_pattern_is_only_for_rank_files(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="isn't a tiktoken rank file or"):
        load(FILES["huggingface"](tmp_path), pattern="gpt2")
