"""Random tokenizer.json files: the ids, the text and the lattice are those of the library."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from tokenizers import Tokenizer

from engine.formats import load
from engine.model import Model
from tests.engine.random_models import (
    bpe_models,
    texts,
    unigram_models,
    wordlevel_models,
    wordpiece_models,
)

MANY = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def both(document: dict[str, Any]) -> tuple[Model, Tokenizer]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(json.dumps(document), encoding="utf-8")
        model = load(path)
    peer = Tokenizer.from_str(json.dumps(document))
    peer.encode_special_tokens = True
    return model, peer


def check(document: dict[str, Any], lines: list[str]) -> None:
    """Compare every line, and all of them as one long text, which takes the compiled road."""
    model, peer = both(document)
    batch = model.encode_lines(lines)
    for k, line in enumerate([*lines, " ".join(lines * 60)]):
        ids = peer.encode(line, add_special_tokens=False).ids
        encoding = model.encode(line)
        assert encoding.ids.tolist() == ids, line[:80]
        decoded = model.decode(ids).decode(errors="replace")
        assert decoded == peer.decode(ids, skip_special_tokens=False)
        if k < len(lines):
            assert batch[k].tolist() == ids
            assert model.lattice(line).path.ids == ids
            for token in encoding.tokens:
                assert 0 <= token.start_byte <= token.end_byte <= len(line.encode())


@MANY
@given(bpe_models(), texts)
def test_bpe(document: dict[str, Any], lines: list[str]) -> None:
    check(document, lines)


@MANY
@given(unigram_models(), texts)
def test_unigram(document: dict[str, Any], lines: list[str]) -> None:
    check(document, lines)


@MANY
@given(wordpiece_models(), texts)
def test_wordpiece(document: dict[str, Any], lines: list[str]) -> None:
    check(document, lines)


@MANY
@given(wordlevel_models(), texts)
def test_word_level(document: dict[str, Any], lines: list[str]) -> None:
    check(document, lines)
