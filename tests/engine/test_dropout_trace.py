"""The trace of BPE-dropout: the coins of a draw, and the symbols between them."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from engine import load
from engine.dropout import BPE_DROPOUTS
from engine.errors import ParameterError
from engine.model import Model
from engine.rng import key_of, uniform
from engine.sample import sample
from engine.traces.dropout import DropTrace, trace_dropout
from tests.dropouts import write_huggingface
from tests.engine.dropping import ABAB, ABCD

TEXT = "abcd abab"
METHODS = list(BPE_DROPOUTS)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load(write_huggingface([*ABCD, *ABAB[1:]], tmp_path_factory.mktemp("trace")))


def traced(model: Model, method: str, draw: int, p: float = 0.5) -> DropTrace:
    return trace_dropout(model, model.prepare(TEXT), method, p, 7, draw)


@pytest.mark.parametrize("method", METHODS)
def test_it_ends_in_what_the_draw_gives(model: Model, method: str) -> None:
    draws = sample(model.lattice(TEXT), method, count=12, seed=7, dropout=0.5)
    lengths = set()
    for i in range(12):
        trace = traced(model, method, i)
        assert trace.state(len(trace)).piece.tolist() == draws.paths[draws.order[i]].ids
        lengths.add(len(trace))
    assert len(lengths) > 3


@pytest.mark.parametrize("method", METHODS)
def test_every_step_is_one_coin_and_leads_to_the_next_state(model: Model, method: str) -> None:
    bpe = model.bpe
    assert bpe is not None
    for draw in range(6):
        trace = traced(model, method, draw)
        key = key_of(7, draw)
        for k in range(len(trace)):
            step = trace.event(k)
            assert step.u == uniform(key, k)
            assert step.dropped == (step.u < 0.5)
            before, after = trace.state(k), trace.state(k + 1)
            spans = list(zip(before.start.tolist(), before.end.tolist(), strict=True))
            if step.stale:
                assert method == "bpe-dropout-huggingface"
                assert (step.start, step.end) not in [(a[0], b[1]) for a, b in pairwise(spans)]
            if not step.merged:
                assert before.piece.tolist() == after.piece.tolist()
                continue
            i = before.start.tolist().index(step.start)
            pieces = before.piece.tolist()
            assert pieces[i : i + 2] == [step.left, step.right]
            assert bpe.pair(step.left, step.right) == (step.rank, step.result)
            assert before.rank[i] == step.rank
            assert (before.start[i + 1], before.end[i + 1]) == (step.middle, step.end)
            assert after.piece.tolist() == [*pieces[:i], step.result, *pieces[i + 2 :]]


def test_what_was_dropped_comes_back_only_where_it_should(model: Model) -> None:
    again = dict.fromkeys(METHODS, 0)
    for method in METHODS:
        for draw in range(30):
            trace = traced(model, method, draw)
            seen: set[tuple[int, int]] = set()
            for k in range(len(trace)):
                step = trace.event(k)
                again[method] += (step.start, step.end) in seen
                if step.dropped:
                    seen.add((step.start, step.end))
    assert again["bpe-dropout-sentencepiece"] == 0
    assert min(again[method] for method in METHODS[:3]) > 0


def test_parts_of_a_text(model: Model) -> None:
    trace = traced(model, "bpe-dropout", 1)
    # The model has no piece for the blank, and leaves it out.
    assert trace.state(0).start.tolist() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert trace.state(0, 2, 4).start.tolist() == [2, 3]
    assert [trace.pretoken_of(k) for k in range(len(trace))] == sorted(
        i for i in range(len(trace.prepared.fixed)) for _ in trace.steps_of(i)
    )
    with pytest.raises(IndexError, match="no step"):
        trace.event(len(trace))
    with pytest.raises(IndexError, match="no state"):
        trace.state(len(trace) + 1)


def test_edge_values(model: Model) -> None:
    whole = traced(model, "bpe-dropout", 0, 1.0)
    assert len(whole) > 0
    assert all(whole.event(k).dropped for k in range(len(whole)))
    plain = traced(model, "bpe-dropout", 0, 0.0)
    assert plain.state(len(plain)).piece.tolist() == model.encode(TEXT).ids.tolist()
    assert all(plain.event(k).merged for k in range(len(plain)))
    with pytest.raises(ParameterError, match="drop probability"):
        traced(model, "bpe-dropout", 0, math.nan)
    with pytest.raises(ParameterError, match="no BPE-dropout"):
        traced(model, "perfect", 0)


def test_a_model_without_merges_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\na\nb\n", encoding="utf-8")
    model = load(path)
    with pytest.raises(ParameterError, match="merges nothing"):
        trace_dropout(model, model.prepare("a"), "bpe-dropout", 0.5)
