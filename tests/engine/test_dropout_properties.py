"""The dropout family on random models of every kind: each draw is a path, with its probability."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import load
from engine.dropout import BPE_DROPOUTS
from engine.errors import CoverageError
from engine.model import Model
from engine.sample import sample
from engine.sampler import EXACT_LIMIT
from tests.engine.random_models import bpe_models, sentencepiece_models, texts, wordpiece_models


def opened(content: dict[str, Any] | bytes) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("own.model" if isinstance(content, bytes) else "tokenizer.json")
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(data)
        return load(path)


def check(model: Model, text: str, method: str, p: float) -> None:
    try:
        lattice = model.lattice(text)
        draws = sample(lattice, method, count=6, seed=3, dropout=p)
    except CoverageError:
        return
    for path in draws.paths:
        nodes = path.nodes.tolist()
        assert nodes == sorted(nodes)
        assert nodes[-1] == draws.lattice.n_nodes - 1
        assert math.isnan(path.probability) or 0.0 < path.probability <= 1.0 + 1e-9
    if draws.exact is not None:
        assert len(draws.exact) <= EXACT_LIMIT
        assert math.fsum(path.probability for path in draws.exact) == pytest.approx(1.0)
        listed = {path.edges.tobytes() for path in draws.exact}
        assert all(path.edges.tobytes() in listed for path in draws.paths)


chances = st.sampled_from([0.0, 0.2, 0.7, 1.0])


@settings(max_examples=20, deadline=None)
@given(bpe_models(), texts, st.sampled_from(list(BPE_DROPOUTS)), chances)
def test_bpe_of_tokenizer_json(
    content: dict[str, Any], lines: list[str], method: str, p: float
) -> None:
    model = opened(content)
    for text in lines[:2]:
        check(model, text, method, p)


@settings(max_examples=15, deadline=None)
@given(sentencepiece_models(2), texts, st.sampled_from(list(BPE_DROPOUTS)), chances)
def test_bpe_of_sentencepiece(content: bytes, lines: list[str], method: str, p: float) -> None:
    model = opened(content)
    for text in lines[:2]:
        check(model, text, method, p)


@settings(max_examples=15, deadline=None)
@given(wordpiece_models(), texts, chances)
def test_wordpiece(content: dict[str, Any], lines: list[str], p: float) -> None:
    model = opened(content)
    for text in lines[:2]:
        check(model, text, "maxmatch-dropout", p)
