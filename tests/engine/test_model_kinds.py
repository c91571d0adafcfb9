"""Which models merge: asked of the model, whatever its format and its rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import ParameterError
from engine.formats import load
from engine.merge_rules import pair_of
from engine.model import Model
from engine.traces.merges import MergeTrace
from tests.engine.documents import (
    bpe,
    byte_level_bpe,
    bytepiece,
    piece,
    sentencepiece,
    tokenizer,
    write_json,
    write_ranks,
)

PIECES = (piece("a", -1), piece("b", -2), piece("ab", -3))


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


MERGING: dict[str, Callable[[Path], Path]] = {
    "pairs": lambda to: write_json(to, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"])),
    "bytes": lambda to: write_json(to, byte_level_bpe(("a", "b"))),
    "ranks": lambda to: write_ranks(to, [b"ab"]),
    "scores": lambda to: written(to, "b.model", sentencepiece(*PIECES, model_type=2)),
    "codes": lambda to: written(to, "codes", "#version: 0.2\na b\n"),
}
OTHER: dict[str, Callable[[Path], Path]] = {
    "unigram": lambda to: written(to, "u.model", sentencepiece(*PIECES)),
    "bytepiece": lambda to: write_json(to, bytepiece({b"ab": 3.0})),
    "wordpiece": lambda to: written(to, "vocab.txt", "[UNK]\na\nab\n##b\n"),
    "word": lambda to: write_json(to, tokenizer({"type": "WordLevel", "vocab": {"ab": 0}})),
    "char": lambda to: written(to, "c.model", sentencepiece(*PIECES, model_type=4)),
}


@pytest.mark.parametrize("kind", MERGING)
def test_a_model_that_merges_says_so(tmp_path: Path, kind: str) -> None:
    model = load(MERGING[kind](tmp_path))
    assert model.bpe is model.segmenter
    assert model.algorithm == "bpe"
    assert model.inspect()["merges"] == 1
    ids = [i for i in range(len(model.vocabulary)) if model.vocabulary.bytes(i) == b"ab"]
    made_of = pair_of(model.bpe, ids[0])
    assert made_of is not None
    assert [model.vocabulary.bytes(i) for i in made_of] == [b"a", b"b"]
    lattice = model.lattice("ab")
    assert lattice.bpe is model.bpe
    assert lattice.canonical_edges is not None
    assert isinstance(model.trace("ab"), MergeTrace)


@pytest.mark.parametrize("kind", OTHER)
def test_any_other_model_says_that_it_doesn_t_merge(tmp_path: Path, kind: str) -> None:
    model: Model = load(OTHER[kind](tmp_path))
    assert model.bpe is None
    assert model.algorithm != "bpe"
    assert model.inspect()["merges"] is None
    lattice = model.lattice("ab")
    assert lattice.bpe is None
    assert lattice.canonical_edges is None
    with pytest.raises(ParameterError, match="merges nothing"):
        model.merges("ab")
