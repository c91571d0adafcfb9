"""The rows of the shared data's manifest that GPT-2's, BERT's and subword-nmt's files have."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.formats import load
from tests.engine.manifest import Expected, check, rows

PREFIXES = ("gpt2_", "bert_", "snmt_")


def pair(*warned: str) -> Expected:
    """Return what all lists of merges give: `# #` and `# v` of gpt2_vocab.json."""
    ids = {"##": [2], "#v": [3], "v#v": [1, 3], "###": [2, 0]}
    return Expected(warned=warned, ids=ids, merges=2, pattern="none")


EXPECTED = {
    "gpt2_vocab.json": Expected(
        ("one file of GPT-2's pair is missing", "gpt2_merges.txt, gpt2_vocab.bpe", "put it beside")
    ),
    "gpt2_merges_hash.txt": pair(),
    "gpt2_merges_nohdr.txt": pair(),
    "gpt2_merges_crlf.txt": pair(),
    "gpt2_merges_bom.txt": pair("gpt2_merges_bom.txt begins with a byte-order mark"),
    "bert_lf.txt": Expected(ids={"cats": [1, 2], "Cat dog": [1, 0]}),
    "bert_crlf.txt": Expected(ids={"cats": [1, 2], "Cat dog": [1, 0]}),
    "bert_blank_mid.txt": Expected(
        warned=("1 line without a piece (line 3)",), ids={"cats": [1, 3]}
    ),
    "bert_dup.txt": Expected(
        warned=("'cat' in line 2, where id 2 counts",), ids={"cats": [2, 3]}
    ),
    "bert_no_unk.txt": Expected(
        warned=("the unknown token '[UNK]' isn't in the vocabulary",), ids={"cats": [0, 1]}
    ),
    "snmt_ok.txt": Expected(ids={"abc": [191], "ab": [66, 161]}, merges=2),
    "snmt_noversion.txt": Expected(
        warned=("tell no version: read as version 0.1",), ids={"abc": [193], "ab": [192]}, merges=2
    ),
    "snmt_badline.txt": Expected(("'c' isn't two symbols", "line 3", "correct or remove")),
}  # fmt: skip


def test_every_row_of_the_manifest_has_its_test(shared: Path) -> None:
    assert rows(shared, PREFIXES) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_the_manifest_does_what_is_wanted(shared: Path, name: str) -> None:
    model = check(shared / "data" / "broken" / name, EXPECTED[name])
    if model is not None:
        assert model.inspect()["merges"] == EXPECTED[name].merges


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.txt", "[UNK]\n" + "\n" * 200_000),
        ("vocab.txt", "[UNK]\n" + "##a\n" * 50_000),
        ("vocab.txt", "[UNK]\n" + "a" * 200_000 + "\n"),
        ("codes", "#version: 0.2\n" + "a b\n" * 50_000),
        ("codes", "#version: 0.1\n" + "".join(f"{'a' * n} a\n" for n in range(1, 640))),
        ("codes", "#version: 0.2\n" + "a" * 100_000 + " " + "b" * 100_000),
        ("codes", "#version: " + "9" * 200_000 + "\na b\n"),
        ("merges.txt", "#version: 0.2\n" + "a b\n" * 50_000),
        ("merges.txt", "#version: 0.2\n" + "a" * 200_000),
    ],
)
def test_a_hostile_file_takes_a_bounded_multiple_of_its_size(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1, "ab": 2}', encoding="utf-8")
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    said = ""
    tracemalloc.start()
    try:
        load(path)
    except ModelError as error:
        said = str(error)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(said) < 1000 + len(str(tmp_path))
    assert peak < 250 * len(content) + 4_000_000


def test_more_lines_than_a_model_can_have_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"[UNK]\n" + b"\n" * 2_100_000)
    with pytest.raises(ModelError, match="2,100,001 lines"):
        load(path)
