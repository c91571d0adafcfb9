"""Texts looked up all at once give what a dict gives, or are left to it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.bpe import Bpe
from engine.errors import ModelError
from engine.formats import huggingface_merges
from engine.formats.joined import Finder, Joined

LETTERS = "abcé今🌤 "


def texts_of(count: int, longest: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(LETTERS, k=rng.randrange(longest))) for _ in range(count)]


def found(pieces: list[str], sought: list[str]) -> list[int] | None:
    joined, texts = Joined.of(pieces), Joined.of(sought)
    assert joined is not None
    assert texts is not None
    start, end = texts.bounds[:-1], texts.bounds[1:]
    ids = Finder(joined).find(texts, start, end - start)
    return None if ids is None else ids.tolist()


@pytest.mark.parametrize("longest", [3, 9, 60])
def test_each_text_is_found_as_in_a_dict(longest: int) -> None:
    pieces = list(dict.fromkeys(texts_of(3000, longest, 1)))
    ids = {piece: number for number, piece in enumerate(pieces)}
    sought = random.Random(2).choices(pieces, k=5000)
    assert found(pieces, sought) == [ids[text] for text in sought]


def test_texts_that_differ_in_their_last_byte_or_their_length_are_told_apart() -> None:
    pieces = ["a" * n for n in range(40)] + ["a" * n + "b" for n in range(40)]
    assert found(pieces, pieces) == list(range(80))
    assert found(pieces, ["a" * 40]) is None
    assert found(pieces, ["a" * 15 + "c"]) is None


def test_what_no_bytes_end_to_end_can_hold_is_left_to_the_caller() -> None:
    for text in ("a\0b", "\ud800", "a" * 5000):
        assert Joined.of(["a", text]) is None


def test_hashes_that_agree_never_give_a_wrong_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(joined: Joined, start: np.ndarray, size: np.ndarray) -> np.ndarray:
        return (size % 4).astype(np.uint64) << np.uint64(60)

    monkeypatch.setattr(Joined, "hashes", few)
    pieces = list(dict.fromkeys(texts_of(60, 5, 3)))
    for number, piece in enumerate(pieces):
        assert found(pieces, [piece]) in (None, [number])


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A BPE model whose merges are lists of two, some listed twice."""
    pieces = list(dict.fromkeys([*LETTERS, *texts_of(900, 6, 4)]))
    pieces.remove("")
    known = set(pieces)
    cuts = [(p[:at], p[at:]) for p in pieces for at in range(1, len(p))]
    merges = [cut for cut in cuts if known.issuperset(cut)]
    assert len(merges) > 300
    model = {
        "type": "BPE",
        "unk_token": None,
        "vocab": {piece: 3 * number for number, piece in enumerate(pieces)},
        "merges": [list(cut) for cut in (*merges, *merges[:5])],
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}))
    return path


def columns(path: Path) -> list[list[int]]:
    bpe = engine.load(path).segmenter
    assert isinstance(bpe, Bpe)
    return [column.tolist() for column in (bpe.left, bpe.right, bpe.result, bpe.rank)]


def test_merges_are_the_same_looked_up_in_either_way(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_name = columns(written)
    monkeypatch.setattr(huggingface_merges, "MANY", 7)
    monkeypatch.setattr(huggingface_merges, "_found_by_name", None)
    assert columns(written) == by_name
    content = json.loads(written.read_text())
    plain = [row for row in content["model"]["merges"] if " " not in "".join(row)]
    content["model"]["merges"] = plain
    written.write_text(json.dumps(content))
    in_lists = columns(written)
    content["model"]["merges"] = [" ".join(row) for row in plain]
    written.write_text(json.dumps(content))
    assert columns(written) == in_lists


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["a", "zz"], "the right part 'zz' of merge 2"),
        (["a", 7], "merge 2 isn't a pair of pieces"),
        (["a", "b", "c"], "merge 2 isn't a pair of pieces"),
        ("ab", "merge 2 'ab' splits in no way"),
    ],
)
def test_a_wrong_merge_among_many_is_named(
    written: Path, monkeypatch: pytest.MonkeyPatch, row: object, message: str
) -> None:
    monkeypatch.setattr(huggingface_merges, "MANY", 3)
    content = json.loads(written.read_text())
    content["model"]["merges"][2] = row
    written.write_text(json.dumps(content))
    with pytest.raises(ModelError, match=message):
        engine.load(written)
