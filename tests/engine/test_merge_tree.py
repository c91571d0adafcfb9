"""Trees of merges: of a word from its trace, of a piece from the rules, and the border of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.bundled import model_path
from engine.formats import load
from engine.merge_tree import Forest, forest_of_word, tree_of_piece, word_mark
from engine.model import Model
from engine.traces.merges import trace_merges
from tests.engine.test_traces import LOWER, bpe_model, words


@pytest.fixture(scope="module")
def everyday() -> Model:
    return load(model_path("everyday-bpe"))


def shown(model: object, forest: Forest, node: int) -> object:
    """A tree as nested pairs."""
    if forest.left[node] < 0:
        return model.vocabulary.text(int(forest.piece[node]))
    halves = (shown(model, forest, int(side[node])) for side in (forest.left, forest.right))
    return tuple(halves)


def test_the_forest_of_lower() -> None:
    model = bpe_model(LOWER[:4], "lower")
    forest = forest_of_word(trace_merges(model, words("el", "lower")), 1)
    assert [shown(model, forest, root) for root in forest.roots.tolist()] == [
        "l",
        (("o", "w"), ("e", "r")),
    ]
    assert forest.rank.tolist() == [-1, -1, -1, -1, -1, 0, 1, 3]
    assert (forest.first[-1], forest.last[-1]) == (1, 4)
    assert forest.height.tolist() == [0, 0, 0, 0, 0, 1, 1, 2]


def test_the_tree_of_a_piece_is_that_of_its_own_text(everyday: Model) -> None:
    bpe = everyday.bpe
    made = np.flatnonzero(bpe.made_by >= 0)
    checked = 0
    for piece in made[:: len(made) // 60].tolist():
        text = everyday.vocabulary.bytes(piece)
        tree = tree_of_piece(bpe, piece)
        assert tree.roots.tolist() == [len(tree.piece) - 1]
        assert tree.piece[-1] == piece
        leaves = [everyday.vocabulary.bytes(int(i)) for i in tree.piece[tree.left < 0]]
        assert b"".join(leaves) == text
        trace = everyday.merges(text.decode("utf-8", errors="ignore"))
        if len(trace.prepared.fixed) == 1 and trace.prepared.data.tobytes() == text:
            forest = forest_of_word(trace, 0)
            if len(forest.roots) == 1:
                checked += 1
                root = int(forest.roots[0])
                assert shown(everyday, forest, root) == shown(everyday, tree, len(tree.piece) - 1)
    assert checked > 20


def test_a_piece_that_nothing_makes_is_alone(everyday: Model) -> None:
    tree = tree_of_piece(everyday.bpe, everyday.vocabulary.index[b"a"])
    assert (tree.left.tolist(), tree.roots.tolist()) == ([-1], [0])


def test_marks_of_words(everyday: Model, tmp_path: Path) -> None:
    assert word_mark(everyday.bpe, b" lower") == ("␣", "before")
    assert word_mark(everyday.bpe, b"lower") is None
    assert word_mark(everyday.bpe, b" ") is None
    assert word_mark(everyday.bpe, "▁low".encode()) == ("▁", "before")
    assert word_mark(everyday.bpe, "low▁".encode()) == ("▁", "after")
    for version, codes in (("0.1", "e r\ner </w>\n"), ("0.2", "e r</w>\n")):
        path = tmp_path / f"codes{version}"
        path.write_text(f"#version: {version}\n{codes}", encoding="utf-8")
        assert word_mark(load(path).bpe, b"lower") == ("</w>", "after")
