"""A line of a hundred thousand letters through the commands that show every step or edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.headless import document, run


@pytest.fixture
def line(shared: Path) -> tuple[str, bytes]:
    path = shared / "data" / "edge" / "long_a_100k.txt"
    return str(path), path.read_bytes()


def test_lattice(capsys: pytest.CaptureFixture[str], line: tuple[str, bytes]) -> None:
    path, data = line
    facts = document(capsys, "lattice", "everyday-unigram", "--file", path)
    assert facts["positions"] == len(data) + 1
    assert sum(edge["canonical"] for edge in facts["edges"]) == len(facts["path"]["bytes"])
    covered = bytes.fromhex("".join(facts["viterbi"]["bytes"]))
    assert covered.count(b"a") == data.count(b"a") == 100_000
    assert facts["paths"] == str(len(facts["nbest"]))
    assert sum(path["probability"] for path in facts["nbest"]) == pytest.approx(1.0)


def test_merges(capsys: pytest.CaptureFixture[str], line: tuple[str, bytes], shared: Path) -> None:
    path, data = line
    model = str(shared / "data" / "models" / "huggingface" / "gpt2.tokenizer.json")
    facts = document(capsys, "merges", model, "--file", path)
    ids = [token["id"] for token in facts["tokens"]]
    assert len(ids) < 50_000
    # Each merge leaves one symbol less.
    assert len(facts["steps"]) == len(data) - len(ids)
    assert facts["tokens"][0]["end_byte"] > 2
    assert facts["tokens"][-1]["end_byte"] == len(data)


def test_a_piece_as_long_as_the_line_is_cut_for_people(
    capsys: pytest.CaptureFixture[str], line: tuple[str, bytes]
) -> None:
    code, out, _ = run(capsys, "lattice", "everyday-wordpiece", "--file", line[0])
    assert code == 0
    assert "a… (100,000 bytes)" in out
    assert max(map(len, out.split("\n"))) < 1_000
