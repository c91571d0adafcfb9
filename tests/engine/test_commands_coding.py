"""`encode` and `decode` of the headless contract: keys and values."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import cli
from tests.engine.headless import document, fault, run


def test_encode_says_what_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    assert document(capsys, "encode", "toy-lower", "--text", "lower☃")["unknown_chars"] == 1
    assert cli.main(["encode", "bundled:toy-lower", "--text", "lower☃"]) == 0
    assert "1 character of the text can't be read back" in capsys.readouterr().out


def test_encode(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "encode", "everyday-bpe", "--text", "각 the")
    assert result.keys() >= {
        "ids", "tokens", "n_bytes", "n_chars", "n_graphemes", "n_tokens", "special_found",
    }  # fmt: skip
    assert (result["n_bytes"], result["n_chars"], result["n_graphemes"]) == (7, 5, 5)
    assert result["n_tokens"] == len(result["ids"]) == len(result["tokens"])
    assert [token["id"] for token in result["tokens"]] == result["ids"]
    assert "".join(token["bytes"] for token in result["tokens"]) == "각 the".encode().hex()
    assert [t["start_byte"] for t in result["tokens"][1:]] == [
        t["end_byte"] for t in result["tokens"][:-1]
    ]
    assert result["unknown_chars"] == 0
    # Every token inside 각 reports the whole character.
    inside = [t for t in result["tokens"] if t["end_byte"] <= 3]
    assert len(inside) > 1
    assert {(t["start_char"], t["end_char"]) for t in inside} == {(0, 1)}
    assert result["special_found"] == []


def test_special_strings(capsys: pytest.CaptureFixture[str]) -> None:
    text = ("--text", "é<|endoftext|>")
    literal = document(capsys, "encode", "everyday-bpe", *text)
    parsed = document(capsys, "encode", "everyday-bpe", *text, "--special", "parse")
    found = [{"text": "<|endoftext|>", "start_char": 1}]
    assert literal["special_found"] == parsed["special_found"] == found
    assert parsed["ids"][-1] == 2999
    assert 2999 not in literal["ids"]
    err = fault(capsys, "encode", "everyday-bpe", *text, "--special", "forbid")
    assert "<|endoftext|>" in err
    assert "character 1" in err
    assert "note: " in run(capsys, "encode", "everyday-bpe", *text)[1]


def test_add_special(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "vocab.txt"
    model.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n")
    plain = document(capsys, "encode", str(model), "--text", "the")
    added = document(capsys, "encode", str(model), "--text", "the", "--add-special")
    assert (plain["ids"], added["ids"]) == ([5], [2, 5, 3])
    assert (added["tokens"][0]["start_byte"], added["tokens"][-1]["start_byte"]) == (0, 3)


def test_decode(capsys: pytest.CaptureFixture[str]) -> None:
    ids = document(capsys, "encode", "everyday-bpe", "--text", "각a")["ids"]
    listed = ",".join(map(str, ids))
    result = document(capsys, "decode", "everyday-bpe", "--ids", listed)
    assert result == {"text": "각a", "bytes": "각a".encode().hex(), "valid_utf8": True}
    cut = document(capsys, "decode", "everyday-bpe", "--ids", str(ids[0]))
    assert cut["valid_utf8"] is False
    assert cut["text"] == "\ufffd"
    assert document(capsys, "decode", "everyday-bpe", "--ids", "")["text"] == ""


@pytest.mark.parametrize("ids", ["1,2,x", "-1", "1,,2", "1.5", "99999", "9" * 30])
def test_decode_of_bad_ids(capsys: pytest.CaptureFixture[str], ids: str) -> None:
    fault(capsys, "decode", "toy-lower", f"--ids={ids}")
