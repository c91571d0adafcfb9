"""BPE: against a naive reference, and the libraries' own answers for each of the three rules."""

from __future__ import annotations

import base64
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bpe import Bpe
from engine.errors import ModelError
from engine.pieces import PieceKind, Vocabulary
from engine.segmenter import EdgeKind
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

Rule = list[tuple[str, str]]


def build(base: str, merges: Rule, **options: Any) -> Bpe:
    """Return a model over characters: pieces are those of `base`, then the merges' results."""
    strip = len(options.get("prefix", ""))
    extra = options.pop("pieces", [])
    names = list(dict.fromkeys([*extra, *base, *(a + b[strip:] for a, b in merges)]))
    index = {name: i for i, name in enumerate(names)}
    pairs = [(index[a], index[b], index[a + b[strip:]], r) for r, (a, b) in enumerate(merges)]
    table = np.array(pairs, dtype=np.int32).reshape(-1, 4).T
    vocabulary = Vocabulary.build([name.encode() for name in names])
    return Bpe(vocabulary, *table, **{"alphabet": "char", **options})


def texts(model: Bpe, ids: list[int]) -> list[str]:
    return [model.vocabulary.text(i) for i in ids]


def naive(model: Bpe, symbols: list[int]) -> list[int]:
    """Merge the lowest rank, leftmost first, looking at all pairs each time."""
    while True:
        ranks = [
            (model.pair(a, b) or (1 << 40, 0), i) for i, (a, b) in enumerate(pairwise(symbols))
        ]
        if not ranks or min(ranks)[0][0] == 1 << 40:
            return symbols
        (_, result), at = min(ranks, key=lambda found: (found[0][0], found[1]))
        symbols = [*symbols[:at], result, *symbols[at + 2 :]]


both = pytest.mark.parametrize("cut", [plain, compiled])


@both
def test_lowest_rank_then_leftmost(cut: Cut) -> None:
    model = build("lower", [("l", "o"), ("lo", "w"), ("e", "r")])
    assert texts(model, cut(model, b"lower").ids.tolist()) == ["low", "er"]
    model = build("ab", [("a", "a")])
    assert texts(model, cut(model, b"aaaaa").ids.tolist()) == ["aa", "aa", "a"]


@both
def test_continuing_prefix_is_not_joined_twice(cut: Cut) -> None:
    model = build("ae", [("##e", "##x")], pieces=["##x", "##e"], prefix="##")
    assert texts(model, cut(model, b"aex").ids.tolist()) == ["a", "##ex"]


@both
def test_suffix_closes_the_last_symbol(cut: Cut) -> None:
    model = build("lowe", [("o", "w</w>"), ("l", "ow</w>")], pieces=["w</w>"], suffix="</w>")
    assert texts(model, cut(model, b"low").ids.tolist()) == ["low</w>"]
    assert texts(model, cut(model, b"lo").ids.tolist()) == ["l"]  # o</w> isn't a piece


@both
def test_unknown_characters(cut: Cut) -> None:
    options = {"pieces": ["?"], "unknown": 0}
    text = "aé中b".encode()
    apart = build("ab", [("a", "b")], **options)
    assert tokens(cut(apart, text)) == [(1, 0, 1), (0, 1, 3), (0, 3, 6), (2, 6, 7)]
    fused = build("ab", [("a", "b")], fuse_unknown=True, **options)
    assert tokens(cut(fused, text)) == [(1, 0, 1), (0, 1, 6), (2, 6, 7)]
    spelled = build("ab", [], byte_pieces=np.arange(500, 756, dtype=np.int32))
    assert tokens(cut(spelled, "é".encode())) == [(695, 0, 1), (669, 1, 2)]


@both
def test_merges_cross_a_dropped_character(cut: Cut) -> None:
    model = build("ab", [("a", "b")])
    assert tokens(cut(model, "éaéb".encode())) == [(2, 2, 6)]
    edges = model.edges(*whole("aéb".encode()))
    assert rows(edges) == [
        (0, 1, 0, EdgeKind.PIECE),
        (0, 4, 2, EdgeKind.PIECE),
        (1, 3, -1, EdgeKind.DROPPED),
        (3, 4, 1, EdgeKind.PIECE),
    ]


@both
def test_ignore_merges(cut: Cut) -> None:
    # No merge makes `abc`.
    model = build("abc", [("b", "c")], pieces=["abc"], ignore_merges=True)
    assert texts(model, cut(model, b"abc").ids.tolist()) == ["abc"]
    assert texts(model, cut(model, b"abca").ids.tolist()) == ["a", "bc", "a"]
    assert model.initial(*two(b"abc")).ids.tolist() == [0]
    assert len(model.merge_steps(*two(b"abc")).rank) == 0
    # The trace shows the merges of a piece that merging makes.
    assert len(model.merge_steps(*two(b"bc")).rank) == 1


def two(text: bytes) -> tuple[np.ndarray, int, int]:
    return whole(text)[0], 0, len(text)


def test_merge_table_is_checked() -> None:
    vocabulary = Vocabulary.build([b"a", b"b"])
    good = np.zeros(1, dtype=np.int32)
    for left, rank in ((good + 2, good), (good - 1, good), (good, good - 1), (good, good[:0])):
        with pytest.raises(ModelError):
            Bpe(vocabulary, left, good, good, rank)


def test_pair_and_merges() -> None:
    model = build("abc", [("b", "c"), ("a", "b"), ("a", "bc")])
    assert model.pair(1, 2) == (0, 3)
    assert model.pair(2, 1) is None
    assert len(model.merges) == 3
    assert model.made_by.tolist() == [-1, -1, -1, 0, 1, 2]
    # abc can be made of a+bc and ab+c: one piece, so one rule where joined bytes decide.
    ranks = by_rank([b"a", b"b", b"c", b"ab", b"bc", b"abc"])
    assert len(ranks.rank) == 4
    assert len(ranks.merges) == 3


def by_rank(pieces: list[bytes], **options: Any) -> Bpe:
    """Return a tiktoken-like model: any two symbols whose joined bytes are a piece merge."""
    index = {piece: i for i, piece in enumerate(pieces)}
    found = [
        (index[piece[:k]], index[piece[k:]], i, i)
        for i, piece in enumerate(pieces)
        for k in range(1, len(piece))
        if piece[:k] in index and piece[k:] in index
    ]
    table = np.array(found, dtype=np.int32).reshape(-1, 4).T
    return Bpe(Vocabulary.build(pieces), *table, rule="ranks", **options)


def random_merges(draw: random.Random, base: str, count: int) -> Rule:
    """Return listed merges that a trainer could have made, in an order it couldn't."""
    names, merges = list(base), []
    while len(merges) < count:
        a, b = draw.choice(names), draw.choice(names)
        if len(a + b) < 7 and (a, b) not in merges:
            merges.append((a, b))
            names.append(a + b)
    draw.shuffle(merges)
    return merges


@pytest.mark.parametrize("seed", range(40))
def test_equals_naive_merging(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    model = build("abc", random_merges(draw, "abc", draw.randint(1, 14)))
    short = build("abc", [])
    words = ["".join(draw.choices("abc", k=draw.randint(0, 70))) for _ in range(30)]
    spans = parts([word.encode() for word in words])
    expected = [i for w in words for i in naive(model, plain(short, w.encode()).ids.tolist())]
    assert model.segment_plain(*spans).ids.tolist() == expected
    assert model.segment_compiled(*spans).ids.tolist() == expected
    for limit in (0, 10_000):  # the heap for all, the scan for all
        monkeypatch.setattr("engine.kernels.bpe_tables.SCAN_LIMIT", limit)
        assert model.segment_compiled(*spans).ids.tolist() == expected


@pytest.mark.parametrize("seed", range(25))
def test_merge_steps_lead_to_the_tokens(seed: int) -> None:
    draw = random.Random(seed)
    model = build("abc", random_merges(draw, "abc", 12))
    text = "".join(draw.choices("abcé", k=300)).encode()
    found = model.initial(*two(text))
    symbols = dict(zip(found.starts.tolist(), found.ids.tolist(), strict=True))
    ends = dict(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
    steps = model.merge_steps(*two(text))
    assert all(steps.rank[i] >= 0 for i in range(len(steps.rank)))
    for rank, start, middle, end, left, right, result in zip(*steps, strict=True):
        assert (symbols[start], symbols.pop(middle)) == (left, right)
        assert model.pair(left, right) == (rank, result)
        assert ends.pop(middle) == end
        symbols[start], ends[start] = result, end
    places = [(symbols[start], start, ends[start]) for start in sorted(symbols)]
    assert places == tokens(plain(model, text))
    # The kernel records the same steps.
    word = model._shown_word(text)
    recorded = model._placed(model.tables.merge_steps(word.id), word, 0)
    for mine, twin in zip(recorded, steps, strict=True):
        assert mine.tolist() == twin.tolist()


def test_a_long_run_takes_few_steps() -> None:
    model = build("a", [("a", "a"), ("aa", "aa")])
    text = b"a" * 100_000
    assert len(compiled(model, text).ids) == len(plain(model, text).ids) == 25_000
    steps = model.merge_steps(*two(text))
    assert np.bincount(steps.rank).tolist() == [50_000, 25_000]
    assert steps.start[:50_000].tolist() == list(range(0, 100_000, 2))


@pytest.mark.parametrize("seed", range(60))
def test_equals_huggingface(seed: int) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    draw = random.Random(seed)
    prefix, suffix = draw.choice(["", "", "##"]), draw.choice(["", "", "</w>"])
    unknown, fuse = draw.choice([None, "?"]), draw.random() < 0.5
    fallback, ignore = draw.random() < 0.3, draw.random() < 0.3
    first = [c for c in "abcd" if draw.random() < 0.8]
    later = [prefix + c for c in first] if prefix else first
    names = list(dict.fromkeys([*first, *later]))
    names += [c + suffix for c in names if suffix and draw.random() < 0.8]
    merges: Rule = []
    for _ in range(draw.randint(0, 14)):
        a, b = draw.choice(names), draw.choice(names)
        whole_name = a + b[len(prefix) :]
        if prefix and not b.startswith(prefix):
            continue
        if (suffix and a.endswith(suffix)) or (a, b) in merges or len(whole_name) > 16:
            continue
        merges.append((a, b))
        names.append(whole_name)
    names = list(dict.fromkeys(["?", *names, "abab"]))
    pieces = [name.encode() for name in names]
    kind = np.full(len(names), PieceKind.NORMAL, dtype=np.uint8)
    if fallback:
        pieces += [bytes([i]) for i in range(256)]
        names += [f"<0x{i:02X}>" for i in range(256)]
        kind = np.append(kind, np.full(256, PieceKind.BYTE, dtype=np.uint8))
    index = {name: i for i, name in enumerate(names)}
    peer = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            index,
            merges,
            fuse_unk=fuse,
            byte_fallback=fallback,
            ignore_merges=ignore,
            **({"unk_token": unknown} if unknown else {}),
            **({"continuing_subword_prefix": prefix} if prefix else {}),
            **({"end_of_word_suffix": suffix} if suffix else {}),
        )
    )
    strip = len(prefix)
    table = [(index[a], index[b], index[a + b[strip:]], r) for r, (a, b) in enumerate(merges)]
    columns = np.array(table, dtype=np.int32).reshape(-1, 4).T
    vocabulary = Vocabulary.build(pieces, kind=kind)
    # A prefix or suffix is spelled in bytes too, which has no place in the text: not compared.
    fallback_bytes = vocabulary.byte_pieces if fallback else None
    model = Bpe(
        vocabulary,
        *columns,
        alphabet="char",
        unknown=0 if unknown else -1,
        fuse_unknown=fuse,
        byte_pieces=fallback_bytes,
        ignore_merges=ignore,
        prefix=prefix,
        suffix=suffix,
    )
    alphabet = "".join(first) if fallback and (prefix or suffix) else "abcdé"
    for _ in range(40):
        text = "".join(draw.choices(alphabet or "a", k=draw.randint(1, 12)))
        expected = peer.encode(text).ids
        if fallback and (prefix or suffix) and any(names[i].startswith("<0x") for i in expected):
            continue
        assert plain(model, text.encode()).ids.tolist() == expected, text
        assert compiled(model, text.encode()).ids.tolist() == expected, text
        edges = model.edges(*whole(text.encode()))
        have = {(start, end, piece) for start, end, piece, _ in rows(edges)}
        spelled = {(start, end, i) for i, start, end in tokens(plain(model, text.encode())) if i}
        assert spelled <= have, text


@pytest.mark.parametrize("seed", range(20))
def test_equals_tiktoken(seed: int) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    draw = random.Random(seed)
    pieces = [bytes([i]) for i in range(256)]
    while len(pieces) < 290:
        piece = b"".join(draw.choices([*pieces[97:101], *pieces[256:]], k=2))
        if piece not in pieces and len(piece) < 9:
            pieces.append(piece)
    longer = pieces[256:]
    draw.shuffle(longer)
    pieces[256:] = longer
    peer = tiktoken.Encoding(
        "random",
        pat_str=r"[\s\S]+",
        mergeable_ranks={piece: i for i, piece in enumerate(pieces)},
        special_tokens={},
    )
    model = by_rank(pieces, ignore_merges=True)
    for _ in range(40):
        text = "".join(draw.choices("abcdé", k=draw.randint(1, 90)))
        expected = peer.encode_ordinary(text)
        assert plain(model, text.encode()).ids.tolist() == expected, base64.b64encode(text.encode())
        assert compiled(model, text.encode()).ids.tolist() == expected


@pytest.mark.parametrize("seed", range(40))
def test_equals_sentencepiece(seed: int) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    draw = random.Random(seed)
    names = list("abcd")
    while len(names) < 20:
        name = draw.choice(names) + draw.choice(names)
        if name not in names and len(name) < 8:
            names.append(name)
    # Equal scores now and then; unused and user-defined pieces with every second model.
    pieces = [("<unk>", 0.0, 2)]
    for name in names:
        odd = seed % 2 and len(name) > 1 and draw.random() < 0.3
        kind = draw.choice([4, 5]) if odd else 1
        pieces.append((name, -float(draw.randint(0, 30)), kind))
    peer = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(pieces, 2))
    texts_, kinds = [name for name, *_ in pieces], [kind for *_, kind in pieces]
    index = {name: i for i, name in enumerate(texts_) if i}
    table = [
        (index[name[:k]], index[name[k:]], i, int(-pieces[i][1]))
        for name, i in index.items()
        for k in range(1, len(name))
        if name[:k] in index and name[k:] in index
    ]
    columns = np.array(table, dtype=np.int32).reshape(-1, 4).T
    model = Bpe(
        Vocabulary.build([name.encode() for name in texts_], kind=np.array(kinds, np.uint8)),
        *columns,
        alphabet="char",
        unknown=0,
        fuse_unknown=True,
        rule="concatenation",
    )
    for _ in range(30):
        text = "".join(draw.choices("abcdé", weights=[8, 8, 8, 8, 1], k=draw.randint(1, 80)))
        expected = peer.encode(text)
        assert plain(model, text.encode()).ids.tolist() == expected, text
        assert model.segment(*whole(text.encode())).ids.tolist() == expected
        if 5 not in kinds:
            assert compiled(model, text.encode()).ids.tolist() == expected, text


merge_lists = st.lists(
    st.tuples(st.sampled_from(["a", "b", "é", "ab", "éa"]), st.sampled_from(["a", "b", "é", "bé"])),
    max_size=8,
    unique=True,
)


@settings(deadline=None, max_examples=150)
@given(
    merge_lists,
    st.lists(st.text("abéx", max_size=10), max_size=4),
    st.sampled_from([-1, 0]),
    st.booleans(),
    st.booleans(),
)
def test_kernel_equals_plain(
    merges: Rule, words: list[str], unknown: int, fuse: bool, fallback: bool
) -> None:
    bytes_ = np.arange(3000, 3256, dtype=np.int32) if fallback else None
    extra = ["?", "ab", "éa", "bé"]
    model = build("abé", merges, pieces=extra, unknown=unknown, fuse_unknown=fuse)
    model = Bpe(**{**vars(model), "byte_pieces": bytes_})
    spans = parts([word.encode() for word in words])
    assert tokens(model.segment_compiled(*spans)) == tokens(model.segment_plain(*spans))
    if unknown >= 0 and not fallback:
        found, twin = model.edges_compiled(*spans), model.edges_plain(*spans)
        assert rows(found) == rows(twin)
        assert found.rank.tolist() == twin.rank.tolist()


def test_edges() -> None:
    model = build("ab", [("a", "b"), ("ab", "a")], pieces=["?", "bb"], unknown=0)
    for edges in (model.edges_plain(*whole("abaé".encode())), model.edges(*whole("abaé".encode()))):
        assert rows(edges) == [
            (0, 1, 2, EdgeKind.PIECE),
            (0, 2, 4, EdgeKind.PIECE),
            (0, 3, 5, EdgeKind.PIECE),
            (1, 2, 3, EdgeKind.PIECE),
            (2, 3, 2, EdgeKind.PIECE),
            (3, 5, 0, EdgeKind.UNKNOWN),
        ]
        assert edges.rank.tolist() == [-1, 0, 1, -1, -1, -1]
        assert np.isnan(edges.score).all()


def test_byte_fallback_edges_are_one_a_byte() -> None:
    vocabulary = Vocabulary.build(
        [b"a", *(bytes([i]) for i in range(256)), "éa".encode()],
        kind=np.array([1, *[6] * 256, 1], dtype=np.uint8),
    )
    none = np.zeros(0, dtype=np.int32)
    model = Bpe(
        vocabulary, none, none, none, none, alphabet="char", byte_pieces=vocabulary.byte_pieces
    )
    text = whole("éa".encode())
    for edges in (model.edges_plain(*text), model.edges_compiled(*text)):
        assert rows(edges) == [
            (0, 1, 0xC3 + 1, EdgeKind.BYTE),
            (0, 3, 257, EdgeKind.PIECE),
            (1, 2, 0xA9 + 1, EdgeKind.BYTE),
            (2, 3, 0, EdgeKind.PIECE),
        ]
