"""Corpora: what is a line, what a language is called, what bad files get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.corpus import describe_code, open_corpus, read_lines, text_direction
from engine.errors import CorpusError


def folder_of(path: Path, **texts: str) -> Path:
    for code, text in texts.items():
        (path / f"{code}.txt").write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"\n\n", ["", ""]),
        (b"a", ["a"]),
        (b"a\nb", ["a", "b"]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r\r\nb", ["a\r", "b"]),
        (b"a\r", ["a\r"]),
        (b"a\x00b\n", ["a\x00b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"a\xef\xbb\xbf\n", ["a\ufeff"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
    ],
)
def test_only_a_newline_ends_a_line(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    assert read_lines(path)[0] == lines


def test_what_is_left_out_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\n")
    corpus = open_corpus(path)
    assert corpus.notes == (
        "a.txt: the byte order mark at its start is left out",
        "a.txt: 1 line ends in CR LF; the CR is left out",
    )


def test_a_folder_is_a_parallel_corpus(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, en="a\nb\n", ar="مرحبا\nب\n", zz9="x\ny\n")
    (tmp_path / ".hidden.txt").write_text("x")
    (tmp_path / "notes.md").write_text("x")
    corpus = open_corpus(folder)
    assert corpus.parallel
    assert [(x.code, x.name, x.direction, x.script) for x in corpus] == [
        ("ar", "Arabic", "rtl", "Arab"),
        ("en", "English", "ltr", "Latn"),
        ("zz9", "zz9", "ltr", ""),
    ]
    assert corpus.base is not None
    assert corpus.base.code == "en"
    assert corpus.problems == ()
    assert corpus.lines("ar") == ["مرحبا", "ب"]
    assert corpus.lines(corpus.language("en")) == ["a", "b"]


def test_files_of_another_length_are_named(tmp_path: Path) -> None:
    corpus = open_corpus(folder_of(tmp_path, en="a\nb\n", de="a\n", fr="a\nb\n"))
    assert len(corpus.problems) == 1
    assert corpus.problems[0].startswith("de.txt has 1 line where en has 2")
    assert corpus.aligned("fr", "en")
    assert not corpus.aligned("de", "en")


def test_without_a_base_the_most_frequent_length_counts(tmp_path: Path) -> None:
    corpus = open_corpus(folder_of(tmp_path, xx1="a\n", xx2="a\nb\n", xx3="a\nb\n"))
    assert corpus.base is None
    assert [problem.split()[0] for problem in corpus.problems] == ["xx1.txt"]


def test_a_list_of_files_is_not_parallel(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, en="a\nb\n", de="a\n")
    corpus = open_corpus([folder / "en.txt", folder / "de.txt", folder / "en.txt"])
    assert not corpus.parallel
    assert [x.code for x in corpus] == ["en", "de"]
    assert corpus.problems == ()
    assert corpus.base is None


def test_equal_stems_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folder_of(tmp_path / name, en=name)
    corpus = open_corpus([tmp_path / "one", tmp_path / "two"])
    assert [x.code for x in corpus] == ["one/en", "two/en"]
    assert corpus.lines("two/en") == ["two"]


def test_the_manifest_gives_names_and_the_note(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, xx="a\n", en="b\n")
    manifest = {
        "title": "Two",
        "provenance": "not reviewed",
        "base": "xx",
        "languages": [{"code": "xx", "name": "Exish", "direction": "rtl", "script": "Zyyy"}],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    corpus = open_corpus(folder)
    assert (corpus.title, corpus.note, corpus.standard) == ("Two", "not reviewed", "xx")
    language = corpus.language("xx")
    assert (language.name, language.direction, language.script) == ("Exish", "rtl", "Zyyy")
    assert corpus.language("en").name == "English"


def test_null_in_the_manifest_says_nothing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, de="a\n", en="b\n")
    languages = [{"code": "de", "name": None, "direction": None, "script": None}, {"code": None}]
    manifest = {"title": None, "note": None, "base": None, "languages": languages}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    corpus = open_corpus(folder)
    language = corpus.language("de")
    assert (language.name, language.direction, language.script) == ("German", "ltr", "Latn")
    assert (corpus.title, corpus.note, corpus.standard) == ("", "", "en")


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"languages": 3}',
        '{"languages": [1]}',
        "[" * 100_000,
        '{"title": ' + "1" * 5_000 + "}",
        '{"title": 7}',
        '{"languages": [{"code": "en", "name": ["x"]}]}',
        '{"languages": [{"code": "en", "name": "\\ud800"}]}',
    ],
    ids=lambda content: content[:40],
)
def test_a_broken_manifest_is_named(tmp_path: Path, content: str) -> None:
    folder = folder_of(tmp_path, en="a\n")
    (folder / "manifest.json").write_text(content)
    with pytest.raises(CorpusError, match=r"manifest.*manifest\.json"):
        open_corpus(folder)


@pytest.mark.parametrize("row", ["foo", "foo\t", "\t"])
def test_a_row_without_a_code_is_named(tmp_path: Path, row: str) -> None:
    folder = folder_of(tmp_path, en="a\n")
    (folder / "index.tsv").write_text(f"name\tcode\n\nEnglish\ten\n{row}\n")
    with pytest.raises(CorpusError, match=r"no language code, .*index\.tsv: line 4"):
        open_corpus(folder)


def test_a_table_beside_the_folder_gives_names(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    folder_of(folder, q7="a\n")
    (tmp_path / "texts_index.tsv").write_text("code\tlang\tdir\tname\nq7\tqq\trtl\tSeventh\n")
    language = open_corpus(folder).language("q7")
    assert (language.name, language.direction) == ("Seventh", "rtl")


def test_undecodable_bytes_are_named_with_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfab\nc\xffd\n")
    with pytest.raises(CorpusError) as caught:
        open_corpus(path)
    assert caught.value.where == f"{path}: line 2, byte 2 (0xFF)"
    assert caught.value.remedy == "save it as UTF-8"
    path.write_bytes(b"\xef\xbb\xbfa\xff\n")  # the mark is three bytes of the first line
    with pytest.raises(CorpusError, match=r"line 1, byte 5 \(0xFF\)"):
        open_corpus(path)


def test_packed_and_utf16_files_are_recognized(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\x1f\x8b\x08\x00\xff")
    with pytest.raises(CorpusError, match=r"packed \(gzip\)"):
        open_corpus(path)
    path.write_bytes("ab".encode("utf-16"))
    with pytest.raises(CorpusError, match="UTF-16"):
        open_corpus(path)


def test_empty_and_missing_places(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="holds no text files"):
        open_corpus(tmp_path)
    with pytest.raises(CorpusError, match="no such file or folder"):
        open_corpus(tmp_path / "absent")
    with pytest.raises(CorpusError, match="no corpus was given"):
        open_corpus([])
    with pytest.raises(CorpusError, match="no language 'fr'"):
        open_corpus(folder_of(tmp_path, en="a")).language("fr")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_device_is_no_corpus() -> None:
    with pytest.raises(CorpusError, match="it is a device"):
        open_corpus("/dev/zero")


def test_a_folder_whose_files_all_end_otherwise(tmp_path: Path) -> None:
    (tmp_path / "eng_Latn.devtest").write_text("a\n")
    (tmp_path / "tha_Thai.devtest").write_text("b\n")
    assert [x.code for x in open_corpus(tmp_path)] == ["eng_Latn", "tha_Thai"]


@pytest.mark.parametrize(
    ("code", "name", "script"),
    [
        ("fi", "Finnish", "Latn"),
        ("zh-Hant", "Chinese (Traditional)", "Hant"),
        ("kat", "Georgian", "Geor"),
        ("train", "train", ""),
        ("007", "007", ""),
        ("qaa", "qaa", ""),
    ],
)
def test_codes(code: str, name: str, script: str) -> None:
    assert describe_code(code) == (name, script)


def test_direction_is_read_from_strong_characters() -> None:
    assert text_direction(["", "12 שלום!"]) == "rtl"
    assert text_direction(["GPT אב in English"]) == "ltr"
    assert text_direction([]) == "ltr"


def test_progress_and_cancel(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    open_corpus(folder_of(tmp_path, en="a", de="b"), lambda *step: seen.append(step))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_the_udhr(shared: Path) -> None:
    corpus = open_corpus(shared / "data" / "corpora" / "udhr")
    assert len(corpus) == 521
    assert corpus.problems == ()
    assert corpus.language("011").name == "Umbundu (011)"
    assert corpus.language("arb").direction == "rtl"
    assert corpus.standard == "eng"


def test_c40_lines_that_are_not_utf_8_are_refused_skipped_or_mended(tmp_path):
    path = tmp_path / "mixed.txt"
    path.write_bytes(b"one\ncaf\xe9 \xff\ntwo\n\xc3\n")
    with pytest.raises(CorpusError, match=r"mixed\.txt: line 2, byte 4 \(0xE9\), save it as UTF-8"):
        read_lines(path)
    lines, notes = read_lines(path, "skip")
    assert lines == ["one", "two"]
    first = f"the first: {path}: line 2, byte 4 (0xE9)"
    assert notes == [f"2 lines not valid UTF-8, left out; {first}"]
    lines, notes = read_lines(path, "replace")
    assert lines == ["one", "caf\ufffd \ufffd", "two", "\ufffd"]
    assert notes == [f"2 lines not valid UTF-8, read with U+FFFD for what is wrong; {first}"]
    assert open_corpus(path, invalid="skip").notes == (
        f"mixed.txt: {read_lines(path, 'skip')[1][0]}",
    )


def test_a_packed_file_or_utf_16_is_not_mended(tmp_path):
    for name, data in (("a.txt", b"\x1f\x8b\x08\x00\xff\xff"), ("b.txt", b"\xff\xfea\x00\n\x00")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CorpusError):
            read_lines(tmp_path / name, "replace")
