"""The step-by-step encode ends in the ids of the model's own library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import open_model, read_texts
from tests.peers import PEERS
from tests.steps import compare

MODELS = (
    "bench/bpe32k.model",
    "gpt2/encoder.json",
    "subword-nmt/bpe.ref",
    "tiktoken/r50k_base.tiktoken",
)
"""One of each rule of merging and of subword-nmt's; `tests/steps.py` takes them all."""


@pytest.mark.parametrize("name", MODELS)
def test_the_last_states_of_a_lines_traces_are_the_librarys_tokens(name: str, shared: Path) -> None:
    path = shared / "data" / "models" / name
    texts = read_texts(shared / "data" / "corpora" / "udhr", 20)
    texts = {language: lines[3:5] for language, lines in texts.items()}
    model = open_model(path)
    result = compare(model, PEERS[model.format](path), texts, name)
    assert result.lines == 40
    assert result.steps > 200
    assert result.first == ""
    assert result.different == 0
