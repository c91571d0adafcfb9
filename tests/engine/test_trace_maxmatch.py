"""The trace of MaxMatch-dropout: it ends in the draw, and its coins decide as they say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from engine import load
from engine.dropout.maxmatch import DroppingWordPiece
from engine.errors import ParameterError
from engine.model import Model
from engine.rng import key_of, uniform
from engine.sample import sample
from engine.text import Text
from engine.traces.longest import TryKind
from engine.traces.maxmatch import MaxMatchTrace, trace_maxmatch
from engine.wordpiece import WordPiece
from tests.dropouts import write_huggingface

PIECES = "[UNK] w wa wat watch ##a ##at ##t ##tc ##ch ##c ##ching ##ing ##i ##n x"
TEXT = "watching wx watch"


@pytest.fixture
def model(tmp_path: Path) -> Model:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(PIECES.split()) + "\n", encoding="utf-8")
    return load(path)


def tokens(trace: MaxMatchTrace, k: int) -> list[int]:
    words = range(len(trace.prepared.fixed))
    return [piece for i in words for piece in trace.taken(i, k).piece.tolist()]


@pytest.mark.parametrize("p", [0.2, 0.6, 0.95, 1.0])
def test_the_trace_ends_in_the_draw(model: Model, p: float) -> None:
    prepared, segmenter = model.prepare(Text(TEXT)), model.segmenter
    assert isinstance(segmenter, WordPiece)
    cuts = prepared.cuts.astype(np.int64)
    lattice = model.lattice(TEXT)
    drawn = sample(lattice, "maxmatch-dropout", count=60, seed=4, dropout=p)
    for draw in range(60):
        trace = trace_maxmatch(model, prepared, p, 4, draw)
        ids = tokens(trace, len(trace))
        assert ids == drawn.paths[drawn.order[draw]].ids
        compiled = DroppingWordPiece(segmenter, p, key_of(4, draw))
        spans = (prepared.data, cuts[:-1], cuts[1:])
        assert ids == compiled.segment_compiled(*spans).ids.tolist()


def test_each_coin_is_the_next_number_of_the_stream(model: Model) -> None:
    trace = trace_maxmatch(model, model.prepare(Text(TEXT)), 0.5, 9, 3)
    tries = [trace.event(k) for k in range(len(trace))]
    tossed = [tried for tried in tries if tried.coin >= 0]
    assert [tried.coin for tried in tossed] == list(range(len(tossed)))
    assert [tried.u for tried in tossed] == [uniform(key_of(9, 3), i) for i in range(len(tossed))]
    assert {tried.kind for tried in tossed} == {TryKind.MISS, TryKind.HIT}
    assert all((tried.kind == TryKind.MISS) == (tried.u < 0.5) for tried in tossed)
    # Without a coin: pieces of one character, and words that fail.
    rest = [tried for tried in tries if tried.coin < 0]
    assert all(math.isnan(tried.u) for tried in rest)
    assert all(tried.end - tried.start == 1 for tried in rest if tried.kind == TryKind.HIT)


def test_a_word_that_fails_gives_up_what_it_had(model: Model) -> None:
    # wx: w is taken, and no ##x is there.
    trace = trace_maxmatch(model, model.prepare(Text("wx")), 0.3)
    kinds = [trace.event(k).kind for k in range(len(trace))]
    assert kinds == [TryKind.HIT, TryKind.FAIL]
    assert tokens(trace, 1) == [model.vocabulary.index[b"w"]]
    assert tokens(trace, 2) == [0]
    assert trace.failed(0)


def test_nothing_is_dropped_at_0(model: Model) -> None:
    trace = trace_maxmatch(model, model.prepare(Text(TEXT)), 0.0)
    assert tokens(trace, len(trace)) == model.encode(TEXT).ids.tolist()
    assert not (trace.tried == TryKind.MISS).any()


def test_other_models_have_no_pieces_to_drop(model: Model, tmp_path: Path) -> None:
    other = load(write_huggingface([("a", "b")], tmp_path))
    with pytest.raises(ParameterError, match="longest piece"):
        trace_maxmatch(other, other.prepare(Text("a")), 0.1)
    with pytest.raises(ParameterError, match="drop probability"):
        trace_maxmatch(model, model.prepare(Text("a")), 1.5)
