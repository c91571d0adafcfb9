"""`compare` of the headless contract: keys and values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.headless import document, fault, run


def test_compare(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("compare", "everyday-bpe", "everyday-unigram", "--corpus", "bundled:everyday")
    rows = document(capsys, *argv)["rows"]
    keys = [
        "model", "language", "lines", "chars", "bytes", "graphemes", "words", "tokens",
        "chars_per_token", "bytes_per_token", "graphemes_per_token", "tokens_per_word", "premium",
        "unknown_chars", "round_trip_failures",
    ]  # fmt: skip
    # More keys may be added.
    assert [key for key in rows[0] if key in keys] == keys
    assert len(rows) % 2 == 0
    english = [row for row in rows if row["language"] == "en"]
    assert [row["model"] for row in english] == ["everyday-bpe.json", "everyday-unigram.model"]
    for row in english:
        assert row["premium"] == 1.0
        assert row["chars_per_token"] == row["chars"] / row["tokens"]
        assert (row["graphemes"], row["words"], row["unknown_chars"]) == (None, None, None)


def test_compare_by_line_and_columns(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("lower\nnew\n")
    (tmp_path / "qq9.txt").write_text("er\nwe\n")
    argv = ("compare", "toy-lower", "--corpus", str(tmp_path))
    rows = document(capsys, *argv, "--by-line", "--base", "qq9")["rows"]
    assert [(r["language"], r["line"], r["tokens"], r["premium"]) for r in rows] == [
        ("en", 1, 4, 4.0), ("en", 2, 3, 3.0), ("qq9", 1, 1, 1.0), ("qq9", 2, 1, 1.0),
    ]  # fmt: skip
    words = document(capsys, *argv, "--columns", "words,tokens")["rows"][0]
    assert (words["words"], words["tokens_per_word"], words["chars"]) == (2, 3.5, None)
    assert document(capsys, *argv, "--columns", "all")["rows"][0]["round_trip_failures"] == 0
    fault(capsys, *argv, "--columns", "wordz")
    fault(capsys, *argv, "--base", "fr")
    out = run(capsys, *argv)[1]
    assert "English" in out
    assert "chars/token" in out


def test_compare_of_files_out_of_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("lower\nnew\n")
    (tmp_path / "fr.txt").write_text("er\n")
    argv = ("compare", "toy-lower", "--corpus", str(tmp_path))
    result = document(capsys, *argv)
    assert result["rows"][1]["premium"] is None
    assert result["rows"][1]["tokens"] == 1
    assert any("fr.txt has 1 line" in warning for warning in result["warnings"])
    assert "note: fr.txt has 1 line" in run(capsys, *argv)[1]
