"""`inspect` of the headless contract: keys and values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.headless import document, run


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(capsys, "inspect", "toy-lower")
    keys = {
        "path", "format", "algorithm", "vocab_size", "max_id", "holes", "merges", "byte_level",
        "byte_fallback", "special_tokens", "normalizer", "pre_tokenizer", "warnings",
    }  # fmt: skip
    assert keys <= facts.keys()
    assert (facts["format"], facts["algorithm"]) == ("huggingface", "bpe")
    assert (facts["vocab_size"], facts["max_id"], facts["holes"], facts["merges"]) == (13, 12, 0, 2)
    assert (facts["byte_level"], facts["byte_fallback"]) == (False, False)
    assert facts["warnings"] == []


@pytest.mark.parametrize(
    ("name", "form", "algorithm", "size", "fallback"),
    [
        ("everyday-bpe", "huggingface", "bpe", 3000, False),
        ("everyday-unigram", "sentencepiece", "unigram", 4000, True),
        ("everyday-wordpiece", "huggingface", "wordpiece", 4000, False),
        ("toy-watching", "huggingface", "unigram", 5, False),
    ],
)
def test_inspect_bundled(
    capsys: pytest.CaptureFixture[str],
    name: str,
    form: str,
    algorithm: str,
    size: int,
    fallback: bool,
) -> None:
    facts = document(capsys, "inspect", name)
    assert (facts["format"], facts["algorithm"]) == (form, algorithm)
    assert (facts["vocab_size"], facts["byte_fallback"]) == (size, fallback)
    assert facts["byte_level"] == (name == "everyday-bpe")


def test_inspect_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "inspect", "everyday-wordpiece")
    assert code == 0
    assert "[UNK] (1)" in out
    assert "\x1b" not in out


def test_inspect_gives_warnings_first(capsys: pytest.CaptureFixture[str], shared: Path) -> None:
    path = shared / "data" / "broken" / "hf_no_merges.json"
    assert document(capsys, "inspect", str(path))["warnings"]
    out = run(capsys, "inspect", str(path))[1]
    assert out.splitlines()[1].startswith("warning: ")
