"""BPE-dropout on long texts: it ends soon, and says where an exact law can't be had."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from engine import load
from engine.dropout import BPE_DROPOUTS
from engine.sample import sample
from tests.dropouts import write_huggingface
from tests.engine.dropping import ABCD


@pytest.mark.parametrize("method", BPE_DROPOUTS)
def test_a_word_of_twelve_thousand_letters(method: str, tmp_path: Path) -> None:
    lattice = load(write_huggingface(ABCD, tmp_path)).lattice("abcd" * 3_000)
    draws = sample(lattice, method, count=1, seed=2, dropout=0.9)
    tokens = len(draws.paths[0].ids)
    assert 3_000 < tokens < 12_000
    if method == "bpe-dropout-sentencepiece":
        # The stretches abcd are independent; their laws multiply to less than any float.
        assert draws.paths[0].probability == 0.0
    else:
        assert math.isnan(draws.paths[0].probability)
    assert draws.exact is None


@pytest.mark.parametrize("method", BPE_DROPOUTS)
def test_one_pair_at_a_hundred_places(method: str, tmp_path: Path) -> None:
    # By subword-nmt's law each of them merges or doesn't in the one step: 2**100 ways.
    lattice = load(write_huggingface(ABCD, tmp_path)).lattice("ab" * 100)
    law = sample(lattice, method, count=1, dropout=0.5).law
    drawn = sample(lattice, method, count=1, dropout=0.5).paths[0].probability
    assert law.paths is None
    if method == "bpe-dropout-sentencepiece":
        assert drawn == pytest.approx(0.5**100)
    else:
        assert math.isnan(drawn)
