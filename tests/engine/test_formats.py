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
        (b"#version: 0.2\na b\n", "a list of merges"),
        (b'{"a": 0, "b": 1}', "vocab.json"),
        (b"[PAD]\n[UNK]\nthe\n##s\n", "a BERT vocabulary"),
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
    write_json(tmp_path, {})
    folder = error_of(tmp_path)
    assert "a folder" in folder.what
    assert "tokenizer.json" in folder.remedy
    assert error_of(Path("nul\0name")).remedy


def test_a_pattern_is_only_for_rank_files(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="isn't a tiktoken rank file"):
        load(FILES["huggingface"](tmp_path), pattern="gpt2")


WANTED = {
    "bp_dup_id.model": "id 101",
    "hf_missing_part.json": "merge 0",
    "hf_truncated.json": "ends too early",
    "html_saved_as.model": "HTML page",
    "tik_bad_base64.tiktoken": "line 3",
    "tik_dup_rank.tiktoken": "rank 0 stands twice, for 'a' and 'b'",
    "tik_empty.tiktoken": "the file is empty",
    "tik_one_column.tiktoken": "line 2",
    "uni_dup_piece.model": "pieces 4 and 7",
    "uni_empty.model": "the file is empty",
    "uni_empty_piece.model": "a piece is empty",
    "uni_no_unk.model": "no unknown piece",
    "uni_truncated.model": "cut short",
}

WARNED = {
    "bp_zero_freq.model": "frequency 0",
    "hf_added_id_moved.json": "renumbers it to 2",
    "hf_dup_key.json": "'b'",
    "hf_id_gap.json": "5 of 8 ids lack a piece: 1, 3, 4, 5, 6",
    "hf_ignore_merges.json": "ignore_merges",
    "hf_no_merges.json": "1 piece of several characters but no merges",
    "hf_padded.json": "padding and truncation",
    "hf_space_merge_string.json": "2 merges with spaces",
    "tik_empty_token.tiktoken": "rank 2 is an empty piece",
}

SOUND = {
    "hf_space_merge_array.json": ("x y", [4]),
    "tik_ok.tiktoken": ("aab", [0, 2]),
    "tik_crlf.tiktoken": ("aab", [0, 2]),
    "uni_float_tie.model": ("aaaaa", [3, 4, 4]),
    "uni_shadowed.model": ("ab", [3, 4]),
    "bp_ok.model": ("ab c", [259, 35, 102]),
}


@pytest.mark.parametrize(("name", "said"), WANTED.items())
def test_a_broken_file_gets_the_error_that_its_manifest_wants(
    shared: Path, name: str, said: str
) -> None:
    error = error_of(shared / "data" / "broken" / name)
    assert said in str(error)
    assert name in str(error)
    assert error.remedy


@pytest.mark.parametrize(("name", "said"), WARNED.items())
def test_an_odd_file_loads_with_a_warning(shared: Path, name: str, said: str) -> None:
    model = load(shared / "data" / "broken" / name)
    assert any(said in warning for warning in model.warnings), model.warnings


@pytest.mark.parametrize(("name", "text", "ids"), [(n, *x) for n, x in SOUND.items()])
def test_a_sound_file_loads(shared: Path, name: str, text: str, ids: list[int]) -> None:
    assert load(shared / "data" / "broken" / name).encode(text).ids.tolist() == ids


def test_padding_is_never_applied(shared: Path) -> None:
    model = load(shared / "data" / "broken" / "hf_padded.json")
    assert model.encode("ab").ids.tolist() == [0, 1]
    assert model.encode("abababababab").ids.tolist() == [0, 1] * 6


def test_a_declared_id_stays(shared: Path) -> None:
    facts = load(shared / "data" / "broken" / "hf_added_id_moved.json").inspect()
    assert facts["special_tokens"] == [{"id": 900, "text": "<gap>"}]
    assert (facts["max_id"], facts["holes"], facts["vocab_size"]) == (900, 898, 3)


def test_merges_with_spaces_are_kept_in_both_spellings(shared: Path) -> None:
    for name in ("hf_space_merge_array.json", "hf_space_merge_string.json"):
        model = load(shared / "data" / "broken" / name)
        assert model.encode("x y").ids.tolist() == [4]


def test_ignore_merges_decides(shared: Path) -> None:
    path = shared / "data" / "broken" / "hf_ignore_merges.json"
    assert load(path).encode("abc").ids.tolist() == [4]
    assert load(path).encode("xabc").ids.tolist() == [0, 3]
