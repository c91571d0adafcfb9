"""A SentencePiece model's map of characters in a tokenizer.json, beside both libraries."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import engine
from engine.convert import convert, huggingface
from engine.convert.spaces import by_grapheme, charsmap_of
from engine.errors import ParameterError
from engine.train.writers.sentencepiece import piece_message
from engine.train.writers.unigram_sentencepiece import charsmap
from tests.engine.test_convert_spaces import write_model
from tests.peers import huggingface_peer, sentencepiece_peer

LETTERS = [piece_message(text.encode(), -20.0) for text in "é가fi株1カ式"]
ALONE = "ab  ▁\té가ﬁ①㍿²ｶ\u00a0\u3000\x01\u200bｂ"
"""Characters that are a grapheme each wherever they stand."""


@pytest.mark.parametrize(
    ("rule", "flags"),
    [
        ("nmt_nfkc", (True, True, True)),
        ("nfkc", (True, True, True)),
        ("nfkc", (False, False, False)),
        ("nmt_nfkc_cf", (False, True, True)),
    ],
)
def test_the_map_makes_the_same_of_single_characters(
    rule: str, flags: tuple[bool, bool, bool], tmp_path: Path
) -> None:
    write_model(tmp_path / "own.model", flags, *LETTERS, rule=rule)
    _, notes = convert(engine.load(tmp_path / "own.model"), tmp_path / "own.json")
    assert any("to one grapheme at a time" in note for note in notes)
    draw = random.Random(5)
    texts = ["", "\x01", " \x01 a", "①", "㍿ ", "\u3000\u3000a\u00a0"]
    texts += ["".join(draw.choices(ALONE, k=draw.randint(1, 9))) for _ in range(200)]
    old, new = sentencepiece_peer(tmp_path / "own.model"), huggingface_peer(tmp_path / "own.json")
    assert new.encode(texts) == old.encode(texts)
    assert len({tuple(ids) for ids in old.encode(["㍿", "株", "1", "①", "a"])}) == 4


def test_where_the_libraries_differ_the_graphemes_are_said_to_be_why(tmp_path: Path) -> None:
    write_model(tmp_path / "own.model", (True, True, True), *LETTERS, rule="nfkc")
    old = engine.load(tmp_path / "own.model")
    convert(old, tmp_path / "own.json")
    new = engine.load(tmp_path / "own.json")
    # Decomposed Hangul isn't composed, and a second mark on a letter goes.
    for text, theirs in (("\u1100\u1161", "\u1100\u1161"), ("e\u0301\u0331", "é")):
        assert by_grapheme(old, new, text)
        assert new.pipeline.prepare(engine.Text(text)).data.tobytes().decode() == f"▁{theirs}"
        peers = huggingface_peer(tmp_path / "own.json"), sentencepiece_peer(tmp_path / "own.model")
        assert peers[0].encode([text]) != peers[1].encode([text])
    for text in ("e\u0301", "①", "a"):
        assert not by_grapheme(old, new, text)


def test_another_map_is_found_when_what_is_written_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path / "own.model", (True, True, True), *LETTERS, rule="nfkc")
    model = engine.load(tmp_path / "own.model")
    monkeypatch.setattr(huggingface, "charsmap_of", lambda proto: b"")
    with pytest.raises(ParameterError, match="would be cut otherwise"):
        convert(model, tmp_path / "own.json")
    assert not (tmp_path / "own.json").exists()


def test_the_mark_before_a_text_that_the_map_empties_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path / "own.model", (True, False, True), *LETTERS, rule="nmt_nfkc")
    model = engine.load(tmp_path / "own.model")
    assert sentencepiece_peer(tmp_path / "own.model").encode(["\x01"])[0]
    with pytest.raises(ParameterError, match=r"the text '\\x01' would be cut otherwise"):
        convert(model, tmp_path / "own.json")


def test_the_map_is_taken_out_of_the_file_as_it_is(tmp_path: Path) -> None:
    for rule in ("identity", "nmt_nfkc"):
        write_model(tmp_path / "own.model", (True, True, True), rule=rule)
        assert charsmap_of((tmp_path / "own.model").read_bytes()) == charsmap(rule)
