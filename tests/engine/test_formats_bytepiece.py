"""Reading BytePiece models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CoverageError, ModelError
from engine.formats import load
from engine.pieces import PieceKind
from tests.engine.documents import bytepiece, write_json


def error_of(tmp_path: Path, document: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(write_json(tmp_path, document, "b.model"))
    assert caught.value.remedy
    return caught.value


def changed(**entries: Any) -> dict[str, Any]:
    """Return a model with some entries put for those of `ab`."""
    return {**bytepiece({b"ab": 5}), **entries}


def test_scores_are_logarithms_of_the_share(tmp_path: Path) -> None:
    model = load(write_json(tmp_path, bytepiece({b"a": 10, b"ab": 24})))
    total = 255 + 10 + 24
    assert model.vocabulary.score[3 + 97] == pytest.approx(math.log(10 / total), abs=1e-12)
    assert model.vocabulary.score[259] == pytest.approx(math.log(24 / total), abs=1e-12)
    assert model.encode("abb").ids.tolist() == [259, 3 + 98]


def test_the_display_column_is_ignored(tmp_path: Path) -> None:
    document = bytepiece({b"\xe4\xbb": 5})
    document["5Ls="][1] = "something else"
    model = load(write_json(tmp_path, document))
    assert model.vocabulary.bytes(259) == b"\xe4\xbb"
    assert model.encode("今").ids.tolist() == [259, 3 + 0x8A]


def test_padding_begin_and_end_are_implicit(tmp_path: Path) -> None:
    model = load(write_json(tmp_path, bytepiece({})))
    assert [(t.id, t.text) for t in model.special_tokens] == [
        (0, "<pad>"),
        (1, "<bos>"),
        (2, "<eos>"),
    ]
    assert model.vocabulary.kind[:4].tolist() == [PieceKind.CONTROL] * 3 + [PieceKind.NORMAL]
    assert model.encode("a", add_special=True).ids.tolist() == [1, 100, 2]
    assert model.decode([1, 100, 2]) == b"a"


def test_text_is_composed_and_cut_after_runs_of_newlines(tmp_path: Path) -> None:
    model = load(write_json(tmp_path, bytepiece({"é".encode(): 9, b"\n\na": 9, b"a\n": 9})))
    assert model.encode("e\u0301").ids.tolist() == [259]
    # A piece never reaches over the end of a chunk.
    assert model.encode("a\n\na").ids.tolist() == [261, 13, 100]
    assert model.inspect()["normalizer"] == "NFC"


def test_a_piece_without_frequency_is_never_used(tmp_path: Path) -> None:
    model = load(write_json(tmp_path, bytepiece({b"ab": 0})))
    assert model.vocabulary.kind[259] == PieceKind.UNUSED
    assert model.encode("ab").ids.tolist() == [100, 101]
    assert any("'ab'" in warning for warning in model.warnings)


def test_missing_bytes_are_told(tmp_path: Path) -> None:
    document = bytepiece({b"ab": 5})
    del document["AA=="]
    model = load(write_json(tmp_path, document))
    assert any("1 of the 256 bytes" in w and "0x00" in w for w in model.warnings)
    assert len(model.encode("abc")) == 2
    with pytest.raises(CoverageError, match=r"past '\\x00', character 2"):
        model.encode("ab\0c")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"YWI=": [100, "ab", 5]}, "'YQ==' ('a') and 'YWI=' ('ab') have the same id 100"),
        ({"YWI=": [259, "ab", -1]}, "the frequency -1"),
        ({"YWI=": [259, "ab", float("nan")]}, "the frequency nan"),
        ({"YWI=": [259, "ab", 10**400]}, "the frequency 1000"),
        ({"YWI=": [259, "ab", 1.7e308]}, "the frequency 1.7e+308"),
        ({"YWI=": [259, "ab", "5"]}, "isn't [id, display, frequency]"),
        ({"YWI=": [259, 5]}, "isn't [id, display, frequency]"),
        ({"YWI=": {}}, "isn't [id, display, frequency]"),
        ({"YWI=": [2, "ab", 5]}, "ids run from 3"),
        ({"YWI=": [10**12, "ab", 5]}, "ids run from 3"),
        ({"Y!": [300, "x", 5]}, "'Y!' isn't base64"),
        ({"é": [300, "x", 5]}, "isn't base64"),
        ({"": [300, "x", 5]}, "a piece is empty"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, entries: dict[str, Any], said: str) -> None:
    assert said in str(error_of(tmp_path, changed(**entries)))


def test_a_piece_that_stands_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "b.model"
    path.write_text('{"YQ==": [3, "a", 1], "Yg==": [4, "b", 1], "YQ==": [5, "a", 1]}')
    with pytest.raises(ModelError, match="stands twice, with the ids 3 and 5"):
        load(path)


def test_without_any_frequency_it_is_no_model(tmp_path: Path) -> None:
    document = {"YQ==": [3, "a", 0], "Yg==": [4, "b", 0]}
    assert "no piece has a frequency above 0" in error_of(tmp_path, document).what
