"""Traces: any state equals replaying the steps, and what they lead to is what the engine gives."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path as FilePath
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bpe import Bpe
from engine.errors import ParameterError
from engine.formats import load
from engine.pieces import Vocabulary
from engine.pipeline import Prepared, source_of_identity
from engine.text import Text
from engine.trace import Arrival, BackStep
from engine.traces.merges import NEVER, trace_merges
from engine.traces.passes import trace_perfect, trace_viterbi
from engine.unigram import Unigram
from tests.engine.lattices import lattice_of, random_lattice

ROOT = FilePath(__file__).resolve().parents[2]


def bpe_model(
    merges: list[tuple[str, str]], alphabet: Iterable[str], **options: object
) -> SimpleNamespace:
    """A model whose vocabulary is the alphabet and then what the merges make."""
    pieces = [*alphabet]
    rows = []
    for rank, (left, right) in enumerate(merges):
        if left + right not in pieces:
            pieces.append(left + right)
        rows.append((pieces.index(left), pieces.index(right), pieces.index(left + right), rank))
    vocabulary = Vocabulary.build([piece.encode() for piece in pieces])
    columns = np.array(rows, dtype=np.int32).reshape(-1, 4).T.copy()
    segmenter = Bpe(vocabulary, *columns, **options)
    return SimpleNamespace(
        name="toy", algorithm="bpe", segmenter=segmenter, bpe=segmenter, vocabulary=vocabulary
    )


def words(*parts: str, fixed: tuple[int, ...] | None = None) -> Prepared:
    """A text whose pre-tokens are `parts`."""
    text = Text("".join(parts))
    cuts = np.cumsum([0, *(len(part.encode()) for part in parts)]).astype(np.int32)
    owned = np.array(fixed or [-1] * len(parts), dtype=np.int32)
    return Prepared(text, text.data, cuts, owned, *source_of_identity(text))


LOWER = [("e", "r"), ("o", "w"), ("w", "e"), ("ow", "er"), ("l", "o"), ("l", "ow"), ("l", "ower")]


def test_lower_merges_in_order_of_rank() -> None:
    model = bpe_model(LOWER, "lower")
    trace = trace_merges(model, words("lower"))
    text = model.vocabulary.text
    assert [(text(s.left), text(s.right), s.rank) for s in map(trace.event, range(len(trace)))] == [
        ("e", "r", 0),
        ("o", "w", 1),
        ("ow", "er", 3),
        ("l", "ower", 6),
    ]
    first = trace.event(0)
    assert (first.start, first.middle, first.end) == (3, 4, 5)
    assert [(text(r.left), text(r.right), r.blocked) for r in first.rivals] == [
        ("o", "w", False),
        ("w", "e", True),
        ("l", "o", False),
    ]
    third = trace.event(2)
    assert [(text(r.left), text(r.right), r.rank, r.blocked) for r in third.rivals] == [
        ("l", "ow", 5, True)
    ]
    assert [text(i) for i in trace.state(2).piece] == ["l", "ow", "er"]
    assert trace.state(2).rank.tolist() == [5, 3, -1]
    assert [text(i) for i in trace.state(4).piece] == ["lower"]
    lost = [(text(p.left) + "+" + text(p.right), p.step) for p in trace.candidates(0) if not p.won]
    assert lost == [("w+e", 0), ("l+o", 1), ("l+ow", 2)]


@st.composite
def merging(draw: st.DrawFn) -> tuple[SimpleNamespace, Prepared]:
    alphabet = "abc"
    pieces = [*alphabet]
    merges = []
    for _ in range(draw(st.integers(0, 12))):
        pair = (draw(st.sampled_from(pieces)), draw(st.sampled_from(pieces)))
        if pair not in merges:
            merges.append(pair)
            pieces.append("".join(pair))
    parts = draw(st.lists(st.text(alphabet, min_size=1, max_size=12), min_size=0, max_size=4))
    return bpe_model(merges, alphabet), words(*parts)


@settings(max_examples=300, deadline=None)
@given(merging())
def test_any_state_of_a_merge_trace_equals_replay(
    given_: tuple[SimpleNamespace, Prepared],
) -> None:
    model, prepared = given_
    trace = trace_merges(model, prepared)
    segmenter: Bpe = model.segmenter
    cuts = set(prepared.cuts.tolist())
    symbols = [(i, i + 1, int(byte) - ord("a")) for i, byte in enumerate(prepared.data)]
    for k in range(len(trace) + 1):
        state = trace.state(k)
        assert (
            list(zip(state.start.tolist(), state.end.tolist(), state.piece.tolist(), strict=True))
            == symbols
        )
        ranks = [
            -1 if a[1] in cuts else (segmenter.pair(a[2], b[2]) or (-1, 0))[0]
            for a, b in pairwise(symbols)
        ]
        assert state.rank.tolist() == [*ranks, -1][: len(symbols)]
        low, high = len(prepared.data) // 3, len(prepared.data) * 2 // 3
        part = trace.state(k, low, high)
        assert part.start.tolist() == [s for s, e, _ in symbols if s < high and e > low]
        if k == len(trace):
            break
        step = trace.event(k)
        word = int(np.searchsorted(prepared.cuts, step.start, side="right")) - 1
        assert (step.pretoken, trace.pretoken_of(k)) == (word, word)
        inside = [s for s in symbols if prepared.cuts[word] <= s[0] < prepared.cuts[word + 1]]
        pairs = []
        for a, b in pairwise(inside):
            found = segmenter.pair(a[2], b[2])
            if found:
                pairs.append((found[0], a[0], b[0], b[1], a[2], b[2], found[1]))
        pairs.sort()
        winner, rivals = pairs[0], pairs[1:]
        assert (step.rank, step.start, step.middle, step.end) == winner[:4]
        assert (step.left, step.right, step.result) == winner[4:]
        assert [(r.rank, r.start, r.middle, r.end) for r in step.rivals] == [p[:4] for p in rivals]
        assert [r.blocked for r in step.rivals] == [
            p[1] == step.middle or p[2] == step.start or step.start < p[1] < step.end
            for p in rivals
        ]
        i = symbols.index((step.start, step.middle, step.left))
        symbols[i : i + 2] = [(step.start, step.end, step.result)]
    cut = segmenter.segment(
        prepared.data, prepared.cuts[:-1].astype(np.int64), prepared.cuts[1:].astype(np.int64)
    )
    assert cut.ids.tolist() == [piece for _, _, piece in symbols]
    events = [trace.event(k) for k in range(len(trace))]
    assert list(trace.won_and_blocked()) == [
        replace(event, rivals=tuple(r for r in event.rivals if r.blocked), left_out=0)
        for event in events
    ]


def test_many_rivals_are_left_out_and_counted() -> None:
    model = bpe_model([("a", "b"), ("b", "a")], "ab")
    trace = trace_merges(model, words("ab" * 1000))
    step = trace.event(500)
    assert step.left_out > 0
    joints = int(np.count_nonzero(trace.state(500).rank >= 0))
    assert len(step.rivals) + step.left_out == joints - 1
    assert [r.blocked for r in step.rivals].count(True) == 1


def test_notes_say_which_rule_fired() -> None:
    merges = [("a", "b"), ("b", "c"), ("ab", "c")]
    taught = bpe_model(merges, "abcd", ignore_merges=True)
    trace = trace_merges(taught, words("abc", "d", "abc"))
    assert [(n.pretoken, n.rule) for n in trace.notes] == [
        (0, "ignore_merges"),
        (1, "ignore_merges"),
        (2, "ignore_merges"),
    ]
    # Merging reaches `abc` by itself; a piece that it can't reach has no steps at all.
    assert len(trace) == 4
    jumped = bpe_model([("a", "b"), ("b", "c"), ("a", "bc")], "abc", ignore_merges=True)
    trace = trace_merges(jumped, words("abc"))
    assert len(trace) == 0
    assert trace.state(0).piece.tolist() == [jumped.vocabulary.index[b"abc"]]
    trace = trace_merges(bpe_model(merges, "abc"), words("ab", "abc", fixed=(-1, 2)))
    assert [(n.pretoken, n.rule, n.piece) for n in trace.notes] == [(1, "added", 2)]
    assert trace.state(1).piece.tolist() == [3, 2]


def test_a_hundred_thousand_steps_are_flat_arrays() -> None:
    model = bpe_model([("a", "b"), ("c", "d"), ("ab", "cd")], "abcd")
    rng = random.Random(3)
    parts = [
        "".join(rng.choice(("ab", "cd", "abcd", "a")) for _ in range(6)) for _ in range(20_000)
    ]
    trace = trace_merges(model, words(*parts))
    assert len(trace) > 100_000
    k = 70_001
    event, state, after = trace.event(k), trace.state(k), trace.state(k + 1)
    assert len(after) == len(state) - 1
    i = int(np.searchsorted(state.start, event.start))
    assert (state.piece[i], state.piece[i + 1]) == (event.left, event.right)
    assert after.piece[i] == event.result
    ends = trace.symbols.died == NEVER
    np.testing.assert_array_equal(trace.state(len(trace)).piece, trace.symbols.piece[ends])


def test_a_model_that_does_not_merge_is_refused() -> None:
    vocabulary = Vocabulary.build([b"a"], np.array([-1.0]))
    model = SimpleNamespace(
        name="toy", algorithm="unigram", segmenter=Unigram(vocabulary, -1, -10.0), bpe=None
    )
    with pytest.raises(ParameterError, match="merges nothing"):
        trace_merges(model, words("a"))


def replay(trace) -> None:
    """Check every state of a pass against replaying its events from the start."""
    lattice = trace.lattice
    holder = np.full(lattice.n_nodes, -1)
    total = np.full(lattice.n_nodes, -math.inf)
    total[0] = 0.0
    back: list[int] = []
    for k in range(len(trace) + 1):
        state = trace.state(k)
        np.testing.assert_array_equal(state.holder, holder)
        np.testing.assert_array_equal(state.total, total)
        assert state.back.tolist() == back
        if k == len(trace):
            assert state.node == 0
            break
        event = trace.event(k)
        assert (event.step, event.node) == (k, state.node)
        if isinstance(event, Arrival):
            assert event.node == lattice.end[event.edge]
            assert event.held == total[event.node]
            assert event.first == (holder[event.node] < 0)
            if trace.kind == "perfect":
                assert event.taken == (event.u < event.chance)
                assert event.chance == pytest.approx(math.exp(event.newcomer - event.total))
                assert event.total == pytest.approx(np.logaddexp(event.held, event.newcomer))
            else:
                assert event.taken == (event.newcomer > event.held) == bool(event.chance)
                assert event.total == max(event.newcomer, event.held)
            total[event.node] = event.total
            if event.taken:
                holder[event.node] = event.edge
        else:
            assert isinstance(event, BackStep)
            assert holder[event.node] == event.edge
            back.append(event.edge)
    assert trace.path.edges.tolist() == back[::-1]


@pytest.mark.parametrize("seed", range(4))
def test_any_state_of_a_pass_equals_replay(seed: int) -> None:
    rng = random.Random(seed)
    for i in range(100):
        lattice = random_lattice(rng, ties=i % 3 == 0)
        best = trace_viterbi(lattice)
        replay(best)
        assert best.path.edges.tolist() == lattice.viterbi().edges.tolist()
        drawn = trace_perfect(lattice, theta=rng.choice((0.0, 0.3, 1.0, 4.0)), seed=i)
        replay(drawn)
        assert drawn.path.probability == pytest.approx(
            lattice.law(drawn.theta).probability(drawn.path), rel=1e-9
        )


def test_the_trace_of_a_draw_ends_in_that_draw() -> None:
    scores = {"watching": -3.0, "watch": -1.5, "wat": -1.0, "ching": -1.6, "ing": -1.9, "a": -1.0}
    lattice = lattice_of(scores, "watching")
    draws = lattice.sample("perfect", theta=0.7, count=40, seed=11)
    for i in range(40):
        trace = trace_perfect(lattice, theta=0.7, seed=11, draw=i)
        assert trace.path.edges.tolist() == draws.paths[draws.order[i]].edges.tolist()
        assert trace.path.probability == draws.paths[draws.order[i]].probability


def test_the_reservoir_of_watching_tosses_one_a_half_and_a_third() -> None:
    scores = {"watching": -2.0, "watch": -1.0, "wat": -1.0, "ching": -1.0, "ing": -1.0}
    trace = trace_perfect(lattice_of(scores, "watching"), seed=7)
    last = [trace.event(k) for k in trace.steps_at(8)]
    assert [event.chance for event in last] == pytest.approx([1.0, 1 / 2, 1 / 3])
    assert [event.first for event in last] == [True, False, False]
    assert last[2].total == pytest.approx(math.log(3) - 2)


def test_a_seed_gives_one_path_in_another_process() -> None:
    code = (
        "from tests.engine.lattices import lattice_of\n"
        "lattice = lattice_of({'a': -1.0, 'aa': -1.5, 'aaa': -2.0}, 'a' * 30)\n"
        "draws = lattice.sample(theta=0.5, count=5, seed=-123456789012345678901234567890)\n"
        "print([draws.paths[i].edges.tolist() for i in draws.order])\n"
    )
    lattice = lattice_of({"a": -1.0, "aa": -1.5, "aaa": -2.0}, "a" * 30)
    draws = lattice.sample(theta=0.5, count=5, seed=-123456789012345678901234567890)
    here = str([draws.paths[i].edges.tolist() for i in draws.order])
    there = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here


def test_an_empty_text_has_a_trace_without_steps() -> None:
    trace = trace_viterbi(lattice_of({"a": -1.0}, ""))
    assert len(trace) == 0
    assert trace.state(0).total.tolist() == [0.0]
    assert len(trace_merges(bpe_model(LOWER, "lower"), words())) == 0


MERGING = [
    "huggingface/gpt2.tokenizer.json",
    "huggingface/qwen3.tokenizer.json",
    "sentencepiece/bpe_mistral_v1_32k.model",
    "tiktoken/r50k_base.tiktoken",
]


@pytest.mark.parametrize("name", MERGING)
def test_the_merges_of_real_models_lead_to_their_tokens(shared: FilePath, name: str) -> None:
    model = load(shared / "data" / "models" / name)
    text = (
        "Hello, 今天天气不错 안녕하세요 👨‍👩‍👧 naïve 'it's' 1234567 \r\n\t x  y 𒀀 \u0378 unaffable"
    )
    trace = model.merges(text)
    assert trace.state(len(trace)).piece.tolist() == model.encode(text).ids.tolist()
    assert len(trace.state(0)) - len(trace) == len(model.encode(text))


def test_lower_and_han_in_gpt2(shared: FilePath) -> None:
    model = load(shared / "data" / "models" / "huggingface" / "gpt2.tokenizer.json")
    trace = model.merges("lower")
    assert [trace.event(k).rank for k in range(4)] == [7, 66, 533, 20_781]
    assert trace.state(0).rank.tolist() == [5183, 66, 476, 7, -1]
    assert trace.state(2).rank.tolist() == [9063, 533, -1]
    assert [(r.rank, r.blocked) for r in trace.event(2).rivals] == [(9063, True)]
    never = sorted(pair.rank for pair in trace.candidates(0) if not pair.won)
    assert never == [476, 5183, 9063, 15_192]
    han = model.merges("한")
    assert [(han.event(k).rank, han.event(k).start, han.event(k).end) for k in range(len(han))] == [
        (47_735, 0, 2)
    ]
    assert han.state(1).piece.tolist() == [47_991, 250]
