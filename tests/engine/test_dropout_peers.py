"""BPE-dropout against the libraries that the laws are named after: a thin slice.

`tests/dropouts.py` compares many models. The libraries' random numbers can't be seeded in every
version, so a test may fail by chance once in a million runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dropouts import PEERS, compare
from tests.engine.dropping import ABAB, ABCD, Rules


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize(("merges", "word"), [(ABCD, "abcd"), (ABAB, "abab")])
def test_the_library_follows_our_law(peer: str, merges: Rules, word: str, tmp_path: Path) -> None:
    pytest.importorskip(PEERS[peer].module)
    assert compare(peer, merges, word, 0.5, 3000, tmp_path) > 1e-6


def test_the_test_would_see_another_law(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    # Of SentencePiece's law the library for HuggingFace's is far.
    other = compare("huggingface", ABAB, "abab", 0.5, 3000, tmp_path, "bpe-dropout-sentencepiece")
    assert other < 1e-9
