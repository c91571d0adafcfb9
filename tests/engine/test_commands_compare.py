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
    said = "fr.txt has 1 line where en has 2: its lines don't correspond"
    assert said in result["warnings"]
    assert f"note: {said}\n" in run(capsys, *argv)[1]


def test_compare_counts_one_line_as_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_bytes(b"lower\r\n")
    (tmp_path / "fr.txt").write_bytes(b"er\r\nwe\r\n")
    notes = document(capsys, "compare", "toy-lower", "--corpus", str(tmp_path))["warnings"]
    assert "en.txt: 1 line ends in CR LF; the CR is left out" in notes
    assert "fr.txt: 2 lines end in CR LF; the CR is left out" in notes
    assert "fr.txt has 2 lines where en has 1: its lines don't correspond" in notes


@pytest.mark.parametrize(
    ("base", "other", "said"),
    [
        ("\n \n", "er\nwe\n", "no premium: the base language, en, has no line with text in it"),
        ("lower\n\n", "\nwe\n", "no premium for qq9: no line with text where en has one"),
    ],
)
def test_a_premium_over_nothing_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, base: str, other: str, said: str
) -> None:
    (tmp_path / "en.txt").write_text(base)
    (tmp_path / "qq9.txt").write_text(other)
    argv = ("compare", "toy-lower", "--corpus", str(tmp_path))
    result = document(capsys, *argv)
    assert result["rows"][1]["premium"] is None
    assert [note for note in result["warnings"] if "premium" in note] == [said]
    assert f"note: {said}\n" in run(capsys, *argv)[1]
    # With text on both sides in one line there is nothing to say.
    (tmp_path / "en.txt").write_text("lower\ner\n")
    assert document(capsys, *argv)["warnings"] == []


def test_lines_without_a_premium_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "en.txt").write_text("lower\n\n")
    (tmp_path / "qq9.txt").write_text("er\nwe\n")
    argv = ("compare", "toy-lower", "--corpus", str(tmp_path), "--by-line")
    assert [row["premium"] for row in document(capsys, *argv)["rows"]] == [1.0, None, 0.25, None]
    assert run(capsys, *argv)[1].endswith("\n– in it: English has no tokens in that line\n")
    (tmp_path / "en.txt").write_text("lower\ner\n")
    assert "in it:" not in run(capsys, *argv)[1]
