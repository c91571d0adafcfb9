"""The three rules of merging on one model, swapped ranks, and where two traces differ."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bpe import Bpe
from engine.bundled import model_path
from engine.errors import ParameterError
from engine.formats import load
from engine.merge_rules import MergeRule, neighbour, own_rule, pair_of, swapped, under_rule
from engine.model import Model
from engine.pieces import PieceKind, Vocabulary
from engine.traces.differences import differences
from engine.traces.merges import MergeTrace, trace_merges
from tests.engine.documents import bpe as document
from tests.engine.documents import piece, sentencepiece, write_json, write_ranks

THERE = {"<unk>": 0, "t": 1, "h": 2, "e": 3, "r": 4, "th": 5, "he": 6, "er": 7, "the": 8}
"""`er` is a piece that no merge makes; `the` is made of t and he only."""


@pytest.fixture
def there(tmp_path: Path) -> Model:
    return load(write_json(tmp_path, document(THERE, ["t h", "h e", "t he"], unk_token="<unk>")))


def under(model: Model, rule: MergeRule, text: str) -> MergeTrace:
    prepared = model.prepare(text)
    data, cuts = prepared.data.tobytes(), prepared.cuts.tolist()
    assert model.bpe is not None
    segmenter = under_rule(model.bpe, rule, [data[a:b] for a, b in pairwise(cuts)])
    return trace_merges(replace(model, segmenter=segmenter), prepared)


def left(trace: MergeTrace) -> list[str]:
    return [trace.model.vocabulary.text(i) for i in trace.state(len(trace)).piece.tolist()]


def test_one_word_under_three_rules(there: Model) -> None:
    assert own_rule(there.bpe) == "listed"
    assert left(under(there, "listed", "there")) == ["th", "e", "r", "e"]
    assert left(under(there, "joined", "there")) == ["the", "r", "e"]
    assert left(under(there, "vocabulary", "there")) == ["th", "er", "e"]
    joined = under(there, "joined", "there")
    assert joined.steps.rank.tolist() == [0, 2]
    assert under(there, "vocabulary", "there").steps.rank.tolist() == [0, 2]


def test_what_differs_is_marked(there: Model) -> None:
    own, other = there.merges("there"), under(there, "joined", "there")
    found = differences(own, other)
    assert [marks.tolist() for marks in found.steps] == [[False], [False, True]]
    assert [marks.tolist() for marks in found.tokens] == [
        [True, True, False, False],
        [True, False, False],
    ]
    assert found.pretokens.tolist() == [True]
    assert found.order.tolist() == [False]


def test_ranks_become_the_pairs_that_merging_leaves(tmp_path: Path) -> None:
    ranks = load(write_ranks(tmp_path, [b"bc", b"ab", b"abc", b"abcd"]))
    listed = under(ranks, "listed", "abcd abc ab")
    # bc has the lower rank, so abc is a + bc: the list has no ab + c.
    table = zip(listed.model.bpe.left.tolist(), listed.model.bpe.right.tolist(), strict=True)
    rows = {tuple(ranks.vocabulary.text(i) for i in pair) for pair in table}
    assert rows == {("b", "c"), ("a", "b"), ("a", "bc"), ("abc", "d")}
    assert pair_of(ranks.bpe, ranks.vocabulary.index[b"abc"]) == tuple(
        ranks.vocabulary.index[part] for part in (b"a", b"bc")
    )
    assert under(ranks, "vocabulary", "abcd").model.bpe is ranks.bpe


def test_a_piece_may_be_made_of_one_with_a_higher_rank(tmp_path: Path) -> None:
    ranks = load(write_ranks(tmp_path, [b"abc", b"ab"]))
    # Nothing joins b and c, so ab goes first, though its rank is the higher one.
    index = ranks.vocabulary.index
    assert ranks.encode("abc").ids.tolist() == [index[b"abc"]]
    assert pair_of(ranks.bpe, index[b"abc"]) == (index[b"ab"], index[b"c"])
    assert left(under(ranks, "listed", "abc")) == ["abc"]


def test_a_piece_that_merging_cannot_reach_is_not_listed(tmp_path: Path) -> None:
    ranks = load(write_ranks(tmp_path, [b"bc", b"abcd"]))
    assert pair_of(ranks.bpe, ranks.vocabulary.index[b"abcd"]) is None
    assert left(under(ranks, "listed", "abcde")) == ["a", "bc", "d", "e"]


def test_scores_are_a_vocabulary_rule(tmp_path: Path) -> None:
    path = tmp_path / "b.model"
    texts = ("a", "b", "c"), ("bc", "ab", "abc")
    pieces = [piece(text, -rank) for part in texts for rank, text in enumerate(part)]
    path.write_bytes(sentencepiece(*pieces, model_type=2))
    model = load(path)
    assert own_rule(model.bpe) == "vocabulary"
    assert under(model, "joined", "ab").model.bpe is model.bpe
    assert left(under(model, "listed", "abcab")) == ["abc", "ab"]
    assert len(model.bpe.rank) - len(under(model, "listed", "abcab").model.bpe.rank) == 1


@st.composite
def listed_models(draw: st.DrawFn) -> tuple[Bpe, str]:
    pieces, rows = list("abc"), []
    for _ in range(draw(st.integers(1, 10))):
        a, b = draw(st.sampled_from(pieces)), draw(st.sampled_from(pieces))
        if a + b not in pieces:
            pieces.append(a + b)
        row = (pieces.index(a), pieces.index(b), pieces.index(a + b), len(rows))
        rows.append(row)
    vocabulary = Vocabulary.build([text.encode() for text in pieces])
    columns = np.array(rows, dtype=np.int32).T.copy()
    return Bpe(vocabulary, *columns), draw(st.text("abc", min_size=1, max_size=12))


@settings(max_examples=30, deadline=None)
@given(listed_models())
def test_the_joined_rule_is_merging_by_looking_up(given_: tuple[Bpe, str]) -> None:
    bpe, text = given_
    made = {bpe.vocabulary.bytes(int(i)).decode(): int(bpe.made_by[i]) for i in bpe.result}
    parts = list(text)
    while True:
        found = [(made[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in made]
        if not found:
            break
        at = min(found)[1]
        parts[at : at + 2] = ["".join(parts[at : at + 2])]
    variant = under_rule(bpe, "joined", [text.encode()])
    cut = variant.segment(np.frombuffer(text.encode(), np.uint8), np.array([0]),
                          np.array([len(text)]))  # fmt: skip
    assert [bpe.vocabulary.text(i) for i in cut.ids.tolist()] == parts


def test_swapping_two_ranks_and_back() -> None:
    model = load(model_path("toy-lower"))
    other = swapped(model.bpe, 0, 1)
    trace = trace_merges(replace(model, segmenter=other), model.prepare("lower"))
    assert left(trace) == ["l", "o", "we", "r"]
    assert left(model.merges("lower")) == ["l", "o", "w", "er"]
    assert swapped(other, 0, 1).rank.tolist() == model.bpe.rank.tolist()
    assert (neighbour(model.bpe, 0, 1), neighbour(model.bpe, 1, 1)) == (1, None)
    assert neighbour(model.bpe, 0, -1) is None
    with pytest.raises(ParameterError, match="no merge has the rank 2"):
        swapped(model.bpe, 0, 2)


def test_another_order_of_the_same_merges_is_told_apart(tmp_path: Path) -> None:
    model = load(write_json(tmp_path, document(THERE, ["t h", "e r", "t he"])))
    other = swapped(model.bpe, 0, 1)
    trace = trace_merges(replace(model, segmenter=other), model.prepare("ther"))
    found = differences(model.merges("ther"), trace)
    assert trace.steps.start.tolist() == [2, 0]
    assert (found.pretokens.tolist(), found.order.tolist()) == ([False], [True])
    assert not any(marks.any() for marks in found.steps)


def test_swaps_keep_rules_of_one_rank_together(tmp_path: Path) -> None:
    ranks = load(write_ranks(tmp_path, [b"ab", b"bc", b"abc"]))
    bpe = ranks.bpe
    abc, bc = (int(bpe.made_by[ranks.vocabulary.index[text]]) for text in (b"abc", b"bc"))
    other = swapped(bpe, abc, bc)
    rows = other.result == ranks.vocabulary.index[b"abc"]
    assert rows.sum() == 2
    assert set(other.rank[rows].tolist()) == {bc}


@pytest.fixture(scope="module")
def gpt2(request: pytest.FixtureRequest) -> Model:
    folder: Path = request.getfixturevalue("shared")
    return load(folder / "data/models/huggingface/gpt2.tokenizer.json")


TEXT = "The weather is lovely, 한국어 今天 👍 unbelievable internationalization tokenizers"


@pytest.mark.parametrize("rule", ["joined", "vocabulary"])
def test_the_rules_agree_on_gpt2(gpt2: Model, rule: MergeRule) -> None:
    own, other = gpt2.merges(TEXT), under(gpt2, rule, TEXT)
    assert len(other.model.bpe.rank) > len(own) > 50
    # Ids are 256 + rank, so all three rules rank a piece alike.
    assert other.steps.rank.tolist() == own.steps.rank.tolist()
    assert other.state(len(other)).piece.tolist() == gpt2.encode(TEXT).ids.tolist()


def test_pairs_of_ranks_are_those_of_the_list(gpt2: Model, shared: Path) -> None:
    ranks = load(shared / "data/models/tiktoken/r50k_base.tiktoken")
    for text in (b" the", b" token", b"lower", "한".encode()[:2], b" internationally", b"ization"):
        pair = pair_of(ranks.bpe, ranks.vocabulary.index[text])
        listed = pair_of(gpt2.bpe, gpt2.vocabulary.index[text])
        assert pair is not None
        assert listed is not None
        assert [ranks.vocabulary.bytes(i) for i in pair] == [
            gpt2.vocabulary.bytes(i) for i in listed
        ]


def test_unknown_symbols_stay_apart(there: Model) -> None:
    trace = under(there, "vocabulary", "er☃er")
    kinds = trace.model.vocabulary.kind[trace.state(len(trace)).piece]
    assert left(trace) == ["er", "<unk>", "er"]
    assert kinds[1] == PieceKind.UNKNOWN
