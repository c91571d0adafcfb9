"""Unigram: ties, widths, unknown characters, and the libraries' own answers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CoverageError
from engine.pieces import PieceKind, Vocabulary
from engine.segmenter import EdgeKind
from engine.unigram import Unigram
from tests.engine.cutting import (
    Cut,
    compiled,
    parts,
    plain,
    rows,
    sentencepiece_model,
    tokens,
    whole,
)


def build(pieces: dict[str, float], **options: object) -> Unigram:
    """Return a model of pieces and scores whose piece 0 is the unknown token."""
    kind = np.full(len(pieces) + 1, PieceKind.NORMAL, dtype=np.uint8)
    kind[0] = PieceKind.UNKNOWN
    score = np.array([0.0, *pieces.values()])
    texts = [b"<unk>", *(piece.encode() for piece in pieces)]
    vocabulary = Vocabulary.build(texts, score, kind)
    filled = {"unknown": 0, "unknown_score": min(pieces.values()) - 10, **options}
    return Unigram(vocabulary, **filled)  # type: ignore[arg-type]


both = pytest.mark.parametrize("cut", [plain, compiled])


@both
def test_width_of_sums_decides_a_tie(cut: Cut) -> None:
    single = float(np.float32(-8.78)), float(np.float32(-1.73))
    narrow = build(dict(zip(("a", "aa"), single, strict=True)), single_precision=True)
    wide = build({"a": -8.78, "aa": -1.73})
    assert cut(narrow, b"aaaaa").ids.tolist() == [1, 2, 2]
    assert cut(wide, b"aaaaa").ids.tolist() == [2, 2, 1]


@both
def test_of_equal_scores_the_longest_last_edge_stays(cut: Cut) -> None:
    model = build({"a": -1.0, "b": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0, "abc": -3.0})
    assert cut(model, b"abc").ids.tolist() == [6]
    model = build({"a": -1.0, "b": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0})
    # At node 3, bc from node 1 comes before c from node 2.
    assert cut(model, b"abc").ids.tolist() == [1, 5]


@both
def test_unknown_characters(cut: Cut) -> None:
    pieces = {"a": -1.0, "b": -2.0}
    text = "aé中b".encode()
    assert tokens(cut(build(pieces), text)) == [(1, 0, 1), (0, 1, 6), (2, 6, 7)]
    apart = build(pieces, fuse_unknown=False)
    assert tokens(cut(apart, text)) == [(1, 0, 1), (0, 1, 3), (0, 3, 6), (2, 6, 7)]
    spelled = build(pieces, byte_pieces=np.arange(1000, 1256, dtype=np.int32))
    assert tokens(cut(spelled, "é".encode())) == [(1195, 0, 1), (1169, 1, 2)]


@both
def test_without_an_unknown_token_only_pieces_cover(cut: Cut) -> None:
    model = build({"wat": -3.0, "ching": -3.0, "watch": -4.0, "ing": -2.0}, unknown=-1)
    # No letter is a piece, so most nodes are never reached.
    # Of the two cuts with the score -6 the one whose last piece is longer stays.
    assert cut(model, b"watching").ids.tolist() == [1, 2]
    assert cut(model, b"watchwatch").ids.tolist() == [3, 3]
    for text, at in (
        (b"x", 0), (b"watx", 3), (b"watchwa", 5), (b"watwatchxing", 8), ("wat中".encode(), 3)
    ):  # fmt: skip
        with pytest.raises(CoverageError) as caught:
            cut(model, text)
        assert caught.value.at == at
    for road in (model.segment_plain, model.segment_compiled):
        with pytest.raises(CoverageError) as caught:
            road(*parts([b"wat", b"ching", b"chin"]))
        assert caught.value.at == 8
    assert cut(model, b"").ids.tolist() == []


def test_drawing_without_an_unknown_token() -> None:
    pieces = {"watching": -6.0, "wat": -3.0, "ching": -3.0, "watch": -4.0, "ing": -2.0}
    model = build(pieces, unknown=-1)
    draws = 3000
    data = np.frombuffer(b"watching" * draws, np.uint8)
    starts = np.arange(draws, dtype=np.int64) * 8
    cut = model.sample_lines(data, starts, starts + 8, 1.0, 7)
    counts = [int(np.count_nonzero(cut.ids == piece)) for piece in (1, 2, 4)]
    assert sum(counts) == draws
    assert sum((n - draws / 3) ** 2 / (draws / 3) for n in counts) < 13.8  # χ² at p = 0.001
    steep = model.sample_lines(data[:8], starts[:1], starts[:1] + 8, 1000.0, 7)
    assert b"".join(model.vocabulary.bytes(i) for i in steep.ids.tolist()) == b"watching"
    for theta in (0.0, 1.0, 1000.0):
        with pytest.raises(CoverageError) as caught:
            model.sample_lines(*whole(b"watchwa"), theta, 7)
        assert caught.value.at == 5


@both
def test_no_unknown_edge_beside_a_piece_of_one_character(cut: Cut) -> None:
    # The unknown edge would be better than `a` by far, but a is known.
    model = build({"a": -1000.0, "b": -1.0}, unknown_score=-2.0)
    assert cut(model, b"ab").ids.tolist() == [1, 2]


@both
def test_byte_models_take_bytes_for_units(cut: Cut) -> None:
    kind = np.full(3, PieceKind.NORMAL, dtype=np.uint8)
    vocabulary = Vocabulary.build([b"\xe4", b"\xb8\xad", b"\xad"], np.full(3, -1.0), kind)
    model = Unigram(vocabulary, -1, -20.0, alphabet="byte")
    assert tokens(cut(model, "中".encode())) == [(0, 0, 1), (1, 1, 3)]


@both
def test_unused_and_control_pieces_never_match(cut: Cut) -> None:
    vocabulary = Vocabulary.build(
        [b"<unk>", b"<s>", b"ab", b"a", b"b"],
        np.array([0, 0, -1, -5, -5], dtype=np.float64),
        np.array([2, 3, 5, 1, 1], dtype=np.uint8),
    )
    model = Unigram(vocabulary, 0, -15.0)
    assert cut(model, b"ab<s>").ids.tolist() == [3, 4, 0]


@both
def test_pretokens_and_empty_ones(cut: Cut) -> None:
    model = build({"a": -1.0, "aa": -1.5})
    data, starts, ends = parts([b"a", b"", b"aa"])
    segment = model.segment_plain if cut is plain else model.segment_compiled
    assert tokens(segment(data, starts, ends)) == [(1, 0, 1), (2, 1, 3)]
    none = np.zeros(0, dtype=np.int64)
    assert tokens(segment(data[:0], none, none)) == []


def test_spans_outside_the_data_are_refused() -> None:
    model = build({"a": -1.0})
    data = np.frombuffer(b"aaa", dtype=np.uint8)
    for starts, ends in (([0], [4]), ([-1], [2]), ([2], [1]), ([0, 1], [1])):
        with pytest.raises(ValueError, match=r"span|flat"):
            model.segment(data, np.array(starts), np.array(ends))


def test_edges() -> None:
    model = build({"a": -1.0, "ab": -2.0, "é": -3.0})
    text = "abé".encode()
    expected = [(0, 1, 1, 0), (0, 2, 2, 0), (1, 2, 0, EdgeKind.UNKNOWN), (2, 4, 3, 0)]
    for edges in (model.edges_plain(*whole(text)), model.edges_compiled(*whole(text))):
        assert rows(edges) == expected
        assert edges.score.tolist() == [-1.0, -2.0, -13.0, -3.0]
        assert edges.rank.tolist() == [-1] * 4
    none = build({"a": -1.0}, unknown=-1)
    for edges in (none.edges_plain(*whole(b"xa")), none.edges_compiled(*whole(b"xa"))):
        assert rows(edges) == [(1, 2, 1, EdgeKind.PIECE)]


models = st.dictionaries(
    st.text("abé中\0", min_size=1, max_size=4),
    st.sampled_from([-0.5, -1.0, -1.5, -2.0, -3.25, 0.25]),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=150)
@given(
    models,
    st.lists(st.text("abé中x\0", max_size=12), max_size=4),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["byte", "char"]),
    st.sampled_from([0, -1]),
)
def test_kernel_equals_plain(
    pieces: dict[str, float],
    words: list[str],
    single: bool,
    fuse: bool,
    alphabet: str,
    unknown: int,
) -> None:
    model = build(
        pieces, single_precision=single, fuse_unknown=fuse, alphabet=alphabet, unknown=unknown
    )
    data, starts, ends = parts([word.encode() for word in words])
    got: list[object] = []
    for cut in (model.segment_compiled, model.segment_plain):
        try:
            got.append(tokens(cut(data, starts, ends)))
        except CoverageError as error:
            got.append(error.at)
    assert got[0] == got[1]
    assert unknown < 0 or isinstance(got[0], list)
    found, twin = model.edges_compiled(data, starts, ends), model.edges_plain(data, starts, ends)
    assert rows(found) == rows(twin)
    assert found.score.tolist() == twin.score.tolist()


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=24), st.sampled_from(["byte", "char"]))
def test_kernel_equals_plain_on_any_bytes(text: bytes, alphabet: str) -> None:
    pieces = {"a": -1.0, "\0": -1.5, "é": -2.0, "中": -2.5, "😀": -3.0, "aé": -1.25}
    model = build(pieces, alphabet=alphabet, fuse_unknown=False)
    assert tokens(compiled(model, text)) == tokens(plain(model, text))


@pytest.mark.parametrize("seed", range(40))
def test_equals_sentencepiece(seed: int) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    draw = random.Random(seed)
    texts = {c for c in "abcd" if draw.random() < 0.8}
    while len(texts) < 12:
        texts.add("".join(draw.choices("abc", k=draw.randint(1, 4))))
    # Coarse scores tie often; some pieces are unused.
    digits = draw.choice([0, 1, 2])
    pieces = [("<unk>", 0.0, 2)] + [
        (text, round(-draw.random() * 9 - 0.6, digits), draw.choice([1, 1, 1, 5]))
        for text in sorted(texts)
    ]
    peer = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(pieces, 1))
    score = np.array([peer.get_score(i) for i in range(len(pieces))])
    kind = np.array([kind for *_, kind in pieces], dtype=np.uint8)
    vocabulary = Vocabulary.build([text.encode() for text, *_ in pieces], score, kind)
    lowest = np.float32(score[kind == PieceKind.NORMAL].min(initial=0.0))
    model = Unigram(vocabulary, 0, float(lowest - np.float32(10)), single_precision=True)
    for _ in range(25):
        text = "".join(draw.choices("abcdé", k=draw.randint(1, 60)))
        assert compiled(model, text.encode()).ids.tolist() == peer.encode(text)
        assert plain(model, text.encode()).ids.tolist() == peer.encode(text)


@pytest.mark.parametrize("seed", range(40))
def test_equals_huggingface(seed: int) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(seed)
    texts = {c for c in "abcd" if draw.random() < 0.8}
    while len(texts) < 12:
        texts.add("".join(draw.choices("abc", k=draw.randint(1, 4))))
    pieces = {text: round(-draw.random() * 9 - 0.1, 1) for text in sorted(texts)}
    peer = tokenizers.Tokenizer(
        tokenizers.models.Unigram([("<unk>", 0.0), *pieces.items()], unk_id=0, byte_fallback=False)
    )
    model = build(pieces)
    for _ in range(25):
        text = "".join(draw.choices("abcdé", k=draw.randint(1, 60)))
        expected = peer.encode(text).ids
        assert plain(model, text.encode()).ids.tolist() == expected
        assert compiled(model, text.encode()).ids.tolist() == expected
