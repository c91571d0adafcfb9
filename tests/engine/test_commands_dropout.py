"""The dropout methods of `sample` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dropouts import write_huggingface
from tests.engine.dropping import ABCD
from tests.engine.headless import document, fault, run


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(write_huggingface(ABCD, tmp_path))


def test_draws_beside_the_exact_law(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sample", model, "--text", "abcd", "--method", "bpe-dropout-huggingface")
    found = document(capsys, *words, "--dropout", "0.5", "--count", "500", "--seed", "4")
    exact = {"|".join(path["pieces"]): path["probability"] for path in found["exact"]}
    assert exact["a|b|cd"] == pytest.approx(0.046875)
    assert sum(entry["count"] for entry in found["samples"]) == 500
    assert found["chi2_p"] > 1e-4
    assert found["tv_distance"] < 0.1


def test_a_corpus_is_written_the_same_again(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "lines.txt"
    corpus.write_text("abcd\n" * 50, encoding="utf-8")
    written = []
    for name, seed in (("one", "5"), ("two", "5"), ("three", "6")):
        out = tmp_path / name
        words = ("sample", model, "--corpus", str(corpus), "--output", str(out), "--seed", seed)
        assert run(capsys, *words, "--method", "bpe-dropout", "--dropout", "0.5")[0] == 0
        written.append(out.read_text(encoding="utf-8"))
    assert written[0] == written[1] != written[2]
    lines = written[0].splitlines()
    assert {line.replace(" ", "") for line in lines} == {"abcd"}
    assert len(lines) == 50
    assert len(set(lines)) > 3


def test_bad_settings_are_named(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sample", model, "--text", "abcd", "--method")
    assert "drop probability is nan" in fault(capsys, *words, "bpe-dropout", "--dropout", "nan")
    assert "drop probability is 1.5" in fault(capsys, *words, "bpe-dropout", "--dropout", "1.5")
    assert "no WordPiece model" in fault(capsys, *words, "maxmatch-dropout")
