"""`boundary` on the command line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.dropouts import write_huggingface
from tests.engine.cutting import sentencepiece_model
from tests.engine.headless import document, fault, run

PIECES = {"a": 0.3, "b": 0.3, "ab": 0.2, "abb": 0.1, "aba": 0.1}


@pytest.fixture
def unigram(tmp_path: Path) -> str:
    listed = [("<unk>", 0.0, 2), *((text, math.log(p), 1) for text, p in PIECES.items())]
    path = tmp_path / "own.model"
    path.write_bytes(sentencepiece_model(listed, 1))
    return str(path)


def test_document_of_a_unigram_model(unigram: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "boundary", unigram, "--text", "abab", "--cut", "2", "--nbest", "2")
    assert (found["prompt"], found["cut_byte"], found["law"]) == ("ab", 2, "")
    assert found["tokens"]["pieces"] == ["ab"]
    assert found["coverings"] == "4"
    assert [one["pieces"] for one in found["covering"]] == [["ab"], ["abb"]]
    assert found["covering"][0]["probability"] == pytest.approx(0.2 / 0.49)
    assert found["covering"][1]["beyond"] == b"b".hex()
    exact = {entry["byte"]: entry["exact"] for entry in found["next_bytes"]}
    assert exact[97] == pytest.approx((0.29 * 0.7 + 0.1) / 0.49)
    healing = found["healing"]
    assert healing["removed"] == b"ab".hex()
    assert healing["tv_distance"] == pytest.approx(abs(exact[97] - 0.6), abs=1e-6)
    assert healing["unhealed_tv_distance"] == pytest.approx(abs(exact[97] - 0.7), abs=1e-6)
    assert [step["new_pieces"] for step in found["growth"]] == [["a"], ["ab"]]


def test_a_model_without_a_law(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(write_huggingface([("a", "b"), ("ab", "c")], tmp_path))
    found = document(capsys, "boundary", model, "--text", "ab")
    assert (found["next_bytes"], found["healing"], found["log_probability"]) == (None, None, None)
    assert "order of merging" in found["law"]
    assert [one["pieces"] for one in found["covering"]] == [["ab"], ["abc"]]
    assert [one["probability"] for one in found["covering"]] == [None, None]
    code, out, err = run(capsys, "boundary", model, "--text", "ab")
    assert (code, err) == (0, "")
    assert "2 token sequences cover it" in out
    assert "no probabilities" in out


def test_people_read_the_three_laws(unigram: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "boundary", unigram, "--text", "ab")
    assert "4 token sequences cover it" in out
    assert "token healing takes back ab" in out
    heading = next(line for line in out.splitlines() if line.startswith("next byte"))
    assert heading.split() == ["next", "byte", "exact", "healed", "unhealed"]


def test_a_cut_counts_units(unigram: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "boundary", unigram, "--text", "éab", "--cut", "2", "--unit", "char")
    assert found["prompt"] == "éa"
    found = document(capsys, "boundary", unigram, "--text", "aéb", "--cut", "1")
    assert (found["prompt"], found["rest"]) == ("a", "")


def test_bad_input_is_named(unigram: str, capsys: pytest.CaptureFixture[str]) -> None:
    # No piece begins with the first byte of é.
    said = fault(capsys, "boundary", unigram, "--text", "aéb", "--cut", "2")
    assert "no sequence of pieces covers the text" in said
    assert "no place 9" in fault(capsys, "boundary", unigram, "--text", "ab", "--cut", "9")
    assert "--nbest" in fault(capsys, "boundary", unigram, "--text", "ab", "--nbest", "0")
