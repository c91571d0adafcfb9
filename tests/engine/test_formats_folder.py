"""A folder as a model: which file is opened, and what is said of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.commands.common import model_path
from engine.errors import ModelError, ParameterError
from engine.formats import load, options_of
from engine.formats.folder import choose
from engine.scene import file_digest
from tests.engine.documents import bpe, piece, sentencepiece, write_json, write_ranks

CODES = "#version: 0.2\na b\n"


def fill(folder: Path) -> list[str]:
    """Put one model of each kind into a folder; return what is opened as each goes."""
    write_json(folder, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"]))
    write_json(folder, bpe({"a": 0, "b": 1, "ab": 3}, ["a b"]), "own.tokenizer.json")
    (folder / "spiece.model").write_bytes(sentencepiece(piece("a", -1), piece("b", -2)))
    (folder / "vocab.json").write_text('{"a": 0, "b": 1, "ab": 4}', encoding="utf-8")
    (folder / "merges.txt").write_text(CODES, encoding="utf-8")
    (folder / "vocab.txt").write_text("[UNK]\na\n##b\n", encoding="utf-8")
    write_ranks(folder, [b"ab"])
    (folder / "codes").write_text(CODES, encoding="utf-8")
    for name, text in (("config.json", "{}"), ("readme.txt", "a text"), ("tokenizer_config.json",
                       json.dumps({"tokenizer_class": "X"}))):  # fmt: skip
        (folder / name).write_text(text, encoding="utf-8")
    return [
        "tokenizer.json", "own.tokenizer.json", "spiece.model", "vocab.json", "vocab.txt",
        "own.tiktoken", "codes",
    ]  # fmt: skip


FORMATS = ("huggingface", "huggingface", "sentencepiece", "gpt2", "bert", "tiktoken", "subword-nmt")


def test_the_order_of_kinds_decides_and_the_rest_is_told(tmp_path: Path) -> None:
    order = fill(tmp_path)
    for number, (name, format_name) in enumerate(zip(order, FORMATS, strict=True)):
        model = load(tmp_path)
        assert (model.format, model.path, model.name) == (format_name, tmp_path, tmp_path.name)
        assert model.settings["opened_file"] == name
        rest = ", ".join(sorted(order[number + 1 :])[:5])
        if rest:
            assert f"{name} is opened; not used: {rest}" in model.warnings[-1]
        else:
            assert not any("not used" in warning for warning in model.warnings)
        assert file_digest(tmp_path) == file_digest(tmp_path / name)
        (tmp_path / name).unlink()
        if name == "vocab.json":
            (tmp_path / "merges.txt").unlink()
    assert choose(tmp_path) is None


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("a text\n", encoding="utf-8")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load(tmp_path)
    assert "no model was found" in caught.value.what
    assert caught.value.where == str(tmp_path)
    assert "merges.txt" in caught.value.remedy


def test_folders_of_texts_are_no_models(shared: Path) -> None:
    for name in ("corpora/udhr", "corpora", "edge"):
        assert choose(shared / "data" / name) is None


def test_folders_of_models_are(shared: Path) -> None:
    files = {
        "gpt2": "encoder.json",
        "bert": "bert_cased_vocab.txt",
        "subword-nmt": "bpe.ref",
        "tiktoken": "cl100k_base.tiktoken",
    }
    for name, file in files.items():
        choice = choose(shared / "data" / "models" / name)
        assert choice is not None
        assert choice.path.name == file


def test_options_are_those_of_the_file_inside(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n##B\n", encoding="utf-8")
    assert options_of(tmp_path) == ("casing",)
    assert load(tmp_path, casing="uncased").settings["casing"] == "uncased"
    with pytest.raises(ParameterError) as caught:
        load(tmp_path, vocabulary="none")
    assert "a vocabulary filter is given, but the file isn't" in caught.value.what
    assert caught.value.where == str(tmp_path / "vocab.txt")
    assert options_of(write_ranks(tmp_path, [])) == ("pattern", "specials")


def error_of(path: Path | str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path)
    return caught.value


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"{", "this JSON file holds no tokenizer"),
        (b"<!doctype html><html></html>", "this is an HTML page"),
        (b"", "the file is empty"),
        (b'{"model": {', "JSON"),
    ],
)
def test_a_broken_tokenizer_json_is_the_error_of_its_folder(
    tmp_path: Path, content: bytes, what: str
) -> None:
    fill(tmp_path)
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content)
    error, alone = error_of(tmp_path), error_of(file)
    assert (error.what, error.where, error.remedy) == (alone.what, alone.where, alone.remedy)
    assert what in error.what
    assert str(file) in error.where


def test_a_tokenizer_json_whose_first_field_is_long_opens_its_folder(tmp_path: Path) -> None:
    write_json(tmp_path, {"note": "x" * 200_000} | bpe({"a": 0, "b": 1, "ab": 2}, ["a b"]))
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n##b\n", encoding="utf-8")
    assert options_of(tmp_path) == ()
    assert load(tmp_path).settings["opened_file"] == "tokenizer.json"


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("vocab.json", '{"a": 0}', "merges.txt"),
        ("merges.txt", CODES, "vocab.json"),
        ("roberta-encoder.json", '{"a": 0}', "roberta-vocab.bpe"),
    ],
)
def test_one_file_of_a_pair_in_a_folder_is_told(
    tmp_path: Path, name: str, content: str, wanted: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "readme.txt").write_text("a text\n", encoding="utf-8")
    error = error_of(tmp_path)
    assert "one file of GPT-2's pair is missing" in error.what
    assert f"looked for {wanted}" in error.remedy
    # It is no model beside a whole one.
    (tmp_path / "vocab.txt").write_text("[UNK]\na\n##b\n", encoding="utf-8")
    assert load(tmp_path).format == "bert"


def test_a_broken_vocabulary_of_a_pair_is_told(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text("{", encoding="utf-8")
    (tmp_path / "merges.txt").write_text(CODES, encoding="utf-8")
    assert str(tmp_path / "vocab.json") in error_of(tmp_path).where


def test_an_empty_path_is_not_the_folder_it_is_read_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert load(".").format == "huggingface"
    assert error_of("").what == "the path is empty"
    with pytest.raises(ModelError, match="the path is empty"):
        model_path("")
