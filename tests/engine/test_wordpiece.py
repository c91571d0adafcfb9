"""WordPiece: the longest piece first, whole words unknown, and the library's own answers."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.pieces import Vocabulary
from engine.segmenter import EdgeKind
from engine.wordpiece import WordPiece
from tests.engine.cutting import Cut, compiled, parts, plain, rows, tokens, whole


def build(pieces: list[str], unknown: int = 0, max_chars: int = 100) -> WordPiece:
    """Return a model of pieces written as in a vocab.txt; piece 0 is [UNK]."""
    pieces = ["[UNK]", *pieces]
    inside = [piece.startswith("##") and piece != "##" for piece in pieces]
    texts = [piece[2 * mark :].encode() for piece, mark in zip(pieces, inside, strict=True)]
    continuation = np.array(inside)
    return WordPiece(Vocabulary.build(texts, continuation=continuation), unknown, max_chars)


both = pytest.mark.parametrize("cut", [plain, compiled])


@both
def test_longest_first(cut: Cut) -> None:
    model = build(["un", "u", "##want", "##wanted", "##ed", "##n", "wanted"])
    assert tokens(cut(model, b"unwanted")) == [(1, 0, 2), (4, 2, 8)]
    # `wanted` matches at a word's start only.
    assert cut(build(["un", "wanted"]), b"unwanted").ids.tolist() == [0]


@both
def test_greed_can_fail_where_a_cut_exists(cut: Cut) -> None:
    model = build(["ab", "a", "##bc", "##b", "##d"])
    assert tokens(cut(model, b"abc")) == [(0, 0, 3)]


@both
def test_one_bad_character_loses_the_word(cut: Cut) -> None:
    model = build(["un", "##wanted", "##ed"])
    assert tokens(cut(model, "unwanted☃ed".encode())) == [(0, 0, 13)]
    assert tokens(cut(build(["un"], unknown=-1), b"unx")) == []


@both
def test_long_words(cut: Cut) -> None:
    model = build(["x", "##x", "é", "##é"])
    assert len(cut(model, b"x" * 100).ids) == 100
    assert cut(model, b"x" * 101).ids.tolist() == [0]
    # Characters are counted, not bytes.
    assert len(cut(model, "é".encode() * 100).ids) == 100
    assert cut(model, b"x" * 100_000).ids.tolist() == [0]
    assert len(cut(build(["x", "##x"], max_chars=3), b"xxx").ids) == 3


@both
def test_a_continuation_can_be_met_as_it_is_written(cut: Cut) -> None:
    model = build(["#", "##ed", "###"])
    assert tokens(cut(model, b"##ed")) == [(2, 0, 4)]


def test_edges_show_partial_matches_and_the_failed_word() -> None:
    model = build(["un", "u", "##n", "##want", "ed"])
    for edges in (model.edges_plain(*whole(b"unwed")), model.edges_compiled(*whole(b"unwed"))):
        assert rows(edges) == [
            (0, 1, 2, EdgeKind.PIECE),
            (0, 2, 1, EdgeKind.PIECE),
            (0, 5, 0, EdgeKind.UNKNOWN),
            (1, 2, 3, EdgeKind.PIECE),
        ]
        assert np.isnan(edges.score).all()
    dropped = build(["a"], unknown=-1).edges(*whole(b"ax"))
    assert rows(dropped) == [(0, 1, 1, EdgeKind.PIECE), (0, 2, -1, EdgeKind.DROPPED)]


words = st.text("abé#", max_size=7)


@settings(deadline=None, max_examples=150)
@given(
    st.sets(st.text("abé#", min_size=1, max_size=4), min_size=1, max_size=14),
    st.lists(words, max_size=5),
    st.integers(-1, 0),
)
def test_kernel_equals_plain(pieces: set[str], texts: list[str], unknown: int) -> None:
    model = build(sorted(pieces), unknown, max_chars=5)
    spans = parts([text.encode() for text in texts])
    assert tokens(model.segment_compiled(*spans)[0]) == tokens(model.segment_plain(*spans))
    assert rows(model.edges_compiled(*spans)) == rows(model.edges_plain(*spans))


@pytest.mark.parametrize("seed", range(30))
def test_equals_huggingface(seed: int) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(seed)
    pieces = {
        draw.choice(["", "##"]) + "".join(draw.choices("ab#é", k=draw.randint(1, 3)))
        for _ in range(14)
    }
    vocabulary = ["[UNK]", *sorted(pieces)]
    peer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {piece: i for i, piece in enumerate(vocabulary)},
            unk_token="[UNK]",
            max_input_chars_per_word=9,
        )
    )
    model = build(sorted(pieces), max_chars=9)
    for _ in range(40):
        text = "".join(draw.choices("ab#é", k=draw.randint(1, 10)))
        assert plain(model, text.encode()).ids.tolist() == peer.encode(text).ids, text
        assert compiled(model, text.encode()).ids.tolist() == peer.encode(text).ids, text


def test_bert(shared: Path) -> None:
    lines = (shared / "data/models/bert/bert_cased_vocab.txt").read_bytes().split(b"\n")
    pieces = [line.decode() for line in lines[:-1]]
    continuation = np.array([piece.startswith("##") for piece in pieces])
    texts = [piece.removeprefix("##").encode() for piece in pieces]
    unknown = pieces.index("[UNK]")
    model = WordPiece(Vocabulary.build(texts, continuation=continuation), unknown)
    cut = model.segment_compiled(*parts(["unwanted☃ed".encode(), b"x" * 101, b"playing"]))[0]
    assert cut.ids[:2].tolist() == [unknown, unknown]
    assert [pieces[i] for i in cut.ids[2:]] == ["playing"]
    assert len(compiled(model, b"x" * 100).ids) > 1
