"""The trace of WordPiece's tries: what is looked up, in which order, and where it fails."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bundled import model_path
from engine.errors import ParameterError
from engine.formats import load
from engine.model import Model
from engine.pieces import Vocabulary
from engine.traces.longest import LongestTrace, TryKind, trace_longest
from engine.wordpiece import WordPiece
from tests.engine.test_traces import words


def build(pieces: list[str], unknown: int = 0, max_chars: int = 100) -> SimpleNamespace:
    """A model of pieces as a vocab.txt writes them; piece 0 is [UNK]."""
    pieces = ["[UNK]", *pieces]
    inside = [piece.startswith("##") for piece in pieces]
    texts = [piece[2 * mark :].encode() for piece, mark in zip(pieces, inside, strict=True)]
    vocabulary = Vocabulary.build(texts, continuation=np.array(inside))
    segmenter = WordPiece(vocabulary, unknown, max_chars)
    return SimpleNamespace(
        name="toy", algorithm="wordpiece", segmenter=segmenter, vocabulary=vocabulary
    )


def tries(trace: LongestTrace) -> list[tuple[str, str]]:
    data = trace.prepared.data
    events = [trace.event(k) for k in range(len(trace))]
    return [(data[e.start : e.end].tobytes().decode(), e.kind.name) for e in events]


def ended(trace: LongestTrace) -> list[int]:
    """The tokens of all words after the last step."""
    taken = [trace.taken(i, len(trace)).piece.tolist() for i in range(len(trace.prepared.fixed))]
    return [piece for word in taken for piece in word]


def test_the_longest_is_tried_first() -> None:
    model = build(["un", "u", "##want", "##wanted", "##ed"])
    trace = trace_longest(model, words("unwanted", "un"))
    assert tries(trace) == [
        ("unwanted", "MISS"), ("unwante", "MISS"), ("unwant", "MISS"), ("unwan", "MISS"),
        ("unwa", "MISS"), ("unw", "MISS"), ("un", "HIT"), ("wanted", "HIT"), ("un", "HIT"),
    ]  # fmt: skip
    assert trace.step_cuts.tolist() == [0, 8, 9]
    assert [trace.pretoken_of(k) for k in (0, 7, 8)] == [0, 0, 1]
    assert trace.taken(0, 6).piece.tolist() == []
    assert trace.taken(0, 7).piece.tolist() == [1]
    assert trace.taken(0, 9).piece.tolist() == [1, 4]
    assert trace.taken(0, 9).end.tolist() == [2, 8]
    assert not trace.failed(0)


def test_a_failure_gives_up_what_was_found() -> None:
    trace = trace_longest(build(["ab", "##c"]), words("abcd"))
    assert tries(trace)[-3:] == [("c", "HIT"), ("d", "MISS"), ("abcd", "FAIL")]
    last = len(trace) - 1
    assert trace.taken(0, last).piece.tolist() == [1, 2]
    assert trace.taken(0, last + 1).piece.tolist() == [0]
    assert trace.taken(0, last + 1).end.tolist() == [4]
    assert trace.failed(0)


def test_a_model_without_an_unknown_token_leaves_the_word_out() -> None:
    trace = trace_longest(build(["ab"], unknown=-1), words("abx"))
    assert trace.taken(0, 3).piece.tolist() == [1]
    assert trace.event(len(trace) - 1).kind == TryKind.FAIL
    assert trace.taken(0, len(trace)).piece.tolist() == []


def test_a_word_that_is_too_long_is_one_step() -> None:
    trace = trace_longest(build(["ж", "##ж"], max_chars=3), words("жжж", "жжжж"))
    assert tries(trace)[-1] == ("жжжж", "TOO_LONG")
    assert trace.step_cuts.tolist() == [0, 6, 7]
    assert trace.taken(1, 7).piece.tolist() == [0]
    # Whole characters are dropped, never bytes.
    assert tries(trace)[:3] == [("жжж", "MISS"), ("жж", "MISS"), ("ж", "HIT")]


def test_an_added_token_has_no_tries() -> None:
    trace = trace_longest(build(["a"]), words("a", "b", fixed=(-1, 7)))
    assert trace.step_cuts.tolist() == [0, 1, 1]
    assert trace.taken(1, 1).piece.tolist() == [7]
    assert not trace.failed(1)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "ab", "ba", "##a", "##b", "##ab", "##bb", "##aab"])),
    st.lists(st.text("abc", min_size=1, max_size=8), max_size=4),
)
def test_the_tries_end_in_the_models_tokens(pieces: list[str], parts: list[str]) -> None:
    model = build(list(dict.fromkeys(pieces)))
    prepared = words(*parts)
    trace = trace_longest(model, prepared)
    cuts = prepared.cuts.astype(np.int64)
    cut = model.segmenter.segment(prepared.data, cuts[:-1], cuts[1:])
    taken = [trace.taken(i, len(trace)) for i in range(len(parts))]
    assert [p for t in taken for p in t.piece.tolist()] == cut.ids.tolist()
    assert [s for t in taken for s in t.start.tolist()] == cut.starts.tolist()
    # Every hit is the first one of its place, and each place is tried from the word's end.
    for k in range(len(trace)):
        event = trace.event(k)
        if event.kind == TryKind.MISS:
            following = trace.event(k + 1)
            shorter = following.start == event.start and following.end == event.end - 1
            assert shorter or following.kind == TryKind.FAIL


def test_a_bundled_model_traces_itself() -> None:
    model = load(model_path("everyday-wordpiece"))
    text = "watching q☃y the weather"
    trace = model.trace(text)
    assert isinstance(trace, LongestTrace)
    assert ended(trace) == model.encode(text).ids.tolist()


def test_the_tries_of_bert_are_its_tokens(shared: Path) -> None:
    model: Model = load(shared / "data/models/huggingface/bert_base_cased.tokenizer.json")
    text = "unwanted☃ed unaffable Donaudampfschiff " + "x" * 100 + " " + "x" * 101
    trace = model.longest(text)
    assert ended(trace) == model.encode(text).ids.tolist()
    assert [trace.failed(i) for i in range(5)] == [True, False, False, False, True]


def test_another_algorithm_is_refused() -> None:
    with pytest.raises(ParameterError, match="doesn't look for the longest piece"):
        load(model_path("toy-lower")).longest("lower")
