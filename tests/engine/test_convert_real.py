"""Real models in another format; `tests/conversions.py` takes them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import open_model, read_texts
from tests.conversions import compare

RUNS = ["  a     b", "a" + " " * 40 + "b", " " * 17, "\tx  \n    y", "한국어 국민 각", "1234567"]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("sentencepiece/bpe_mistral_v1_32k.model", "huggingface"),
        ("sentencepiece/unigram_ja_8k.model", "huggingface"),
        ("subword-nmt/bpe.ref", "huggingface"),
    ],
)
def test_the_new_formats_library_gives_the_old_ones_ids(
    name: str, target: str, shared: Path
) -> None:
    lines = read_texts(shared / "data" / "corpora" / "udhr", 20)
    texts = [line for language in lines.values() for line in language[4:7]]
    if "subword-nmt" not in name:
        texts += RUNS
    path = shared / "data" / "models" / name
    assert open_model(path).format != target
    assert compare(path, target, texts) == 0
