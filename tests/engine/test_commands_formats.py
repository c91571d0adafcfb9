"""Commands on pairs, vocabularies, codes and folders, with what their files leave out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.alphabet import CHARACTERS
from tests.engine.headless import document, fault


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    vocabulary = {char: i for i, char in enumerate(CHARACTERS)} | {"12": 256, "123": 257}
    files = {
        "pair/vocab.json": json.dumps(vocabulary),
        "pair/merges.txt": "#version: 0.2\n1 2\n12 3\n",
        "bert/vocab.txt": "[UNK]\nhello\nHello\n",
        "codes": "#version: 0.2\nl o\nlo w</w>\n",
        "filter": "lo@@ 5\nw 3\n",
        "corpus/en.txt": "low Hello 123\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("name", "form", "algorithm"),
    [("pair", "gpt2", "bpe"), ("bert", "bert", "wordpiece"), ("codes", "subword-nmt", "bpe")],
)
def test_inspect_names_the_format(
    capsys: Captured, folder: Path, name: str, form: str, algorithm: str
) -> None:
    facts = document(capsys, "inspect", str(folder / name))
    assert (facts["format"], facts["algorithm"]) == (form, algorithm)
    assert facts["path"] == str(folder / name)


def texts(capsys: Captured, *argv: str) -> list[str]:
    return [token["text"] for token in document(capsys, "encode", *argv)["tokens"]]


def test_encode_with_what_the_file_leaves_out(capsys: Captured, folder: Path) -> None:
    bert, codes, pair = (str(folder / name) for name in ("bert", "codes", "pair"))
    assert texts(capsys, bert, "--text", "Hello") == ["Hello"]
    assert texts(capsys, bert, "--text", "Hello", "--casing", "uncased") == ["hello"]
    assert texts(capsys, codes, "--text", "low") == ["low</w>"]
    chosen = ("--vocabulary", str(folder / "filter"))
    assert texts(capsys, codes, "--text", "low", *chosen) == ["lo", "w</w>"]
    said = fault(capsys, "inspect", codes, *chosen, "--vocabulary-threshold", "6")
    assert "no piece has a count of 6 or more" in said
    assert texts(capsys, pair, "--text", "1231") == ["123", "1"]
    # Not more than three digits go together, so 12 and 3 don't meet.
    assert texts(capsys, pair, "--text", "9123", "--pattern", "cl100k") == ["9", "12", "3"]


def test_what_a_format_does_not_take_is_refused(capsys: Captured, folder: Path) -> None:
    said = fault(capsys, "encode", str(folder / "codes"), "--text", "x", "--casing", "cased")
    assert "a casing is given, but the file isn't a BERT vocabulary" in said
    said = fault(capsys, "encode", str(folder / "bert"), "--text", "x", "--pattern", "gpt2")
    assert "a split pattern is given" in said
    assert str(folder / "bert" / "vocab.txt") in said
    fault(capsys, "encode", str(folder / "bert"), "--text", "x", "--casing", "upper")
    said = fault(capsys, "inspect", str(folder / "codes"), "--vocabulary", str(folder / "gone"))
    assert "no such file" in said


def test_compare_gives_each_model_what_it_takes(capsys: Captured, folder: Path) -> None:
    names = [str(folder / name) for name in ("pair", "bert", "codes")] + ["bundled:everyday-bpe"]
    corpus = ("--corpus", str(folder / "corpus"))
    plain = document(capsys, "compare", *names, *corpus)["rows"]
    options = ("--casing", "uncased", "--pattern", "none", "--vocabulary", str(folder / "filter"))
    chosen = document(capsys, "compare", *names, *corpus, *options)["rows"]
    count = [(a["tokens"], b["tokens"]) for a, b in zip(plain, chosen, strict=True)]
    # The filter cuts low in two; the others cut as many, if not the same.
    assert count[2] == (count[2][0], count[2][0] + 1)
    assert count[3][0] == count[3][1]


def test_a_folder_without_a_model_is_a_fault(capsys: Captured, folder: Path) -> None:
    said = fault(capsys, "inspect", str(folder / "corpus"))
    assert "no model was found in it" in said
    assert "vocab.json beside merges.txt" in said
