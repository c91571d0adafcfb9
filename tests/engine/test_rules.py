"""The rules where libraries disagree: only those that apply, in `inspect` and in its text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.commands.models import SHOWN_PIECES
from engine.formats import load
from engine.rules import rules
from tests.engine.documents import (
    added,
    bpe,
    byte_level_bpe,
    bytepiece,
    piece,
    sentencepiece,
    tokenizer,
    write_json,
    write_ranks,
)
from tests.engine.headless import run


def unigram(folder: Path, *pieces: bytes) -> Path:
    path = folder / "u.model"
    path.write_bytes(sentencepiece(piece("a", -1), piece("aa", -1.5), *pieces))
    return path


def test_a_sentencepiece_unigram_model(tmp_path: Path) -> None:
    said = dict(rules(load(unigram(tmp_path, piece("<u>", 0, 4)))))
    assert list(said) == [
        "ties", "temperature", "user-defined pieces", "seed", "units", "special strings",
        "alignment",
    ]  # fmt: skip
    assert "32-bit" in said["ties"]
    assert "each of its bytes but the first" in said["user-defined pieces"]
    assert "user-defined pieces" not in dict(rules(load(unigram(tmp_path))))


def test_a_huggingface_unigram_model_adds_in_64_bits(tmp_path: Path) -> None:
    document = tokenizer({"type": "Unigram", "unk_id": 0, "vocab": [["<u>", 0], ["a", -1]]})
    said = dict(rules(load(write_json(tmp_path, document))))
    assert "64-bit" in said["ties"]
    assert "alpha 0 switches sampling off" in said["temperature"]
    assert "alignment" not in said


def test_the_three_ways_to_merge(tmp_path: Path) -> None:
    pairs = dict(rules(load(write_json(tmp_path, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"])))))
    ranks = dict(rules(load(write_ranks(tmp_path, [b"ab"]))))
    path = tmp_path / "b.model"
    path.write_bytes(sentencepiece(piece("a"), piece("b"), piece("ab", -1), model_type=2))
    joined = dict(rules(load(path)))
    assert "lists them as a pair" in pairs["merging"]
    assert "joined bytes have a rank" in ranks["merging"]
    assert "joined text is a piece" in joined["merging"]
    assert ["scores" in said for said in (pairs, ranks, joined)] == [False, False, True]
    assert "ties" not in joined


def test_what_a_file_stores_is_told_where_it_stores_it(tmp_path: Path) -> None:
    document = byte_level_bpe(("a", "b"), padding={"strategy": {"Fixed": 8}, "direction": "Right",
        "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "!"})  # fmt: skip
    document["added_tokens"] = [added(257, "<x>", special=True)]
    document["model"]["segscope"] = {"tie_break": "first-seen"}
    said = dict(rules(load(write_json(tmp_path, document))))
    assert "first-seen" in said["training ties"]
    assert "padding" in said["padding"]
    assert "renumbers" in said["added tokens"]
    assert "one character for each byte" in said["units"]
    plain = dict(rules(load(write_json(tmp_path, byte_level_bpe(("a", "b"))))))
    assert not {"training ties", "padding", "added tokens", "special strings"} & set(plain)


def test_a_word_model_has_neither_ties_nor_merges(tmp_path: Path) -> None:
    model = load(write_json(tmp_path, tokenizer({"type": "WordLevel", "vocab": {"a": 0}})))
    assert [topic for topic, _ in rules(model)] == ["units"]


@pytest.mark.parametrize("as_json", [True, False])
def test_inspect_prints_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    path = unigram(tmp_path, piece("aaaa", -9))
    out = run(capsys, "inspect", str(path), *(["--json"] if as_json else []))[1]
    if as_json:
        facts = json.loads(out)
        wanted = [{"topic": topic, "sentence": said} for topic, said in rules(load(path))]
        assert facts["rules"] == wanted
        assert facts["never_best"] == {"count": 1, "first": ["aaaa"]}
        assert len(facts["never_best"]["first"]) <= SHOWN_PIECES
    else:
        for topic, said in rules(load(path)):
            assert f"{topic}: {said}" in out


def splitting(path: Path, **given: str) -> str:
    said: dict[str, str] = dict(rules(load(path, **given)))  # type: ignore[arg-type]
    return said.get("split pattern", "")


def test_where_a_split_pattern_comes_from(tmp_path: Path) -> None:
    ranks = write_ranks(tmp_path, [b"ab"])
    assert "isn't split at all. That is a guess" in splitting(ranks)
    for chosen in ("gpt2", "none", r"\S+"):
        assert "the one that was chosen" in splitting(ranks, pattern=chosen)
    pair = tmp_path / "vocab.json"
    pair.write_text('{"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3}', encoding="utf-8")
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n", encoding="utf-8")
    assert "GPT-2's pattern is taken. That is a guess" in splitting(pair)
    assert "the one that was chosen" in splitting(pair, pattern="gpt2")
    # A tokenizer.json holds its pattern.
    assert splitting(write_json(tmp_path, byte_level_bpe(("a", "b")))) == ""


def test_the_pattern_of_a_published_encoding_is_no_guess(shared: Path) -> None:
    path = shared / "data" / "models" / "tiktoken" / "r50k_base.tiktoken"
    assert "has the content of r50k_base, whose pattern is taken" in splitting(path)
    assert "the one that was chosen" in splitting(path, pattern="cl100k")


def test_inspect_marks_what_is_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def rows(path: Path, *options: str) -> list[str]:
        out = run(capsys, "inspect", str(path), *options)[1]
        return [" ".join(line.split()) for line in out.splitlines()]

    ranks = write_ranks(tmp_path, [b"ab"])
    assert "split pattern none (guessed)" in rows(ranks)
    assert "split pattern gpt2" in rows(ranks, "--pattern", "gpt2")
    assert "split pattern none" in rows(ranks, "--pattern", "none")
    words = tmp_path / "vocab.txt"
    words.write_text("[UNK]\na\n##b\n", encoding="utf-8")
    assert "casing uncased (guessed)" in rows(words)
    assert "casing cased" in rows(words, "--casing", "cased")


def test_bytepiece(tmp_path: Path) -> None:
    said = dict(rules(load(write_json(tmp_path, bytepiece({b"ab": 3.0})))))
    assert "never returns for infinity" in said["temperature"]
    assert "64-bit" in said["ties"]
