"""Byte-level BPE without merging: the same tokens as by merging, or not used."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.bpe import Bpe
from engine.pieces import Vocabulary
from tests.engine.cutting import parts, tokens

BYTES = [bytes((byte,)) for byte in range(256)]


def merged(pairs: list[tuple[bytes, bytes]], *, by_rank: bool = False, whole: bool = False) -> Bpe:
    """A model of all bytes and the results of pairs, given by rank."""
    pieces = list(BYTES)
    for one, other in pairs:
        if one + other not in pieces:
            pieces.append(one + other)
    number = {piece: i for i, piece in enumerate(pieces)}
    rows = [(number[a], number[b], number[a + b], rank) for rank, (a, b) in enumerate(pairs)]
    if by_rank:
        rows = [
            (number[p[:i]], number[p[i:]], number[p], number[p])
            for p in pieces[256:]
            for i in range(1, len(p))
            if p[:i] in number and p[i:] in number
        ]
    columns = np.array(rows, dtype=np.int32).reshape(-1, 4).T.copy()
    rule = "ranks" if by_rank else "pairs"
    return Bpe(Vocabulary.build(pieces), *columns, ignore_merges=whole, rule=rule)  # type: ignore[arg-type]


def random_pairs(draw: random.Random) -> list[tuple[bytes, bytes]]:
    """Merges in an order in which the parts of each exist, sometimes of one text twice."""
    pieces, pairs = [b"a", b"b", b"c"], []
    for _ in range(draw.randint(1, 14)):
        pair = (draw.choice(pieces), draw.choice(pieces))
        if len(pair[0] + pair[1]) <= 6 and pair not in pairs:
            pairs.append(pair)
            pieces.append(pair[0] + pair[1])
    return pairs


@pytest.mark.parametrize("by_rank", [False, True])
def test_random_merges_and_texts(by_rank: bool) -> None:
    draw = random.Random(11)
    used = 0
    for round_ in range(150):
        pairs = random_pairs(draw)
        if round_ % 5 == 0:
            draw.shuffle(pairs)
        model = merged(pairs, by_rank=by_rank, whole=round_ % 2 == 0)
        used += model.tables.linear is not None
        words = [
            bytes(draw.choices(b"abcd", (4, 4, 4, 1), k=draw.randint(1, 24))) for _ in range(60)
        ]
        span = parts(words)
        assert tokens(model.segment_compiled(*span)) == tokens(model.segment_plain(*span))
    # Only where no piece is beyond the reach of merging, or made before its halves.
    assert used > 60


def test_equal_ranks_go_left_first() -> None:
    model = merged([(b"a", b"a"), (b"aa", b"aa"), (b"aa", b"a")])
    assert model.tables.linear is not None
    words = [b"a" * n for n in range(1, 40)]
    span = parts(words)
    assert tokens(model.segment_compiled(*span)) == tokens(model.segment_plain(*span))


def test_a_result_that_comes_before_its_halves_is_merged() -> None:
    """(ab, c) has rank 0 but waits for (a, b) of rank 1."""
    model = merged([(b"a", b"b"), (b"ab", b"c"), (b"b", b"c")])
    columns = [model.left, model.right, model.result]
    turned = Bpe(model.vocabulary, *columns, np.array([1, 0, 2], dtype=np.int32))
    assert model.tables.linear is not None
    assert turned.tables.linear is None
    span = parts([b"abc", b"bc", b"abbc", b"babc"])
    assert tokens(turned.segment_compiled(*span)) == tokens(turned.segment_plain(*span))


def test_pieces_out_of_reach_come_out_only_as_whole_words() -> None:
    """No merge leads to abc from its bytes: b and c join first."""
    pieces = [*BYTES, b"bc", b"ab", b"abc"]
    left, right = np.array([98, 97, 257]), np.array([99, 98, 99])
    result = np.array([256, 257, 258])
    model = Bpe(Vocabulary.build(pieces), left, right, result, result, ignore_merges=True)
    assert model.tables.linear is not None
    cut = model.segment_compiled(*parts([b"abc", b"abcd", b"ab"]))
    assert cut.ids.tolist() == [258, 97, 256, 100, 257]


def test_a_byte_without_a_piece_is_merged() -> None:
    pieces = [*BYTES[:255], b"ab"]
    one = np.array([97]), np.array([98]), np.array([255]), np.array([0])
    assert Bpe(Vocabulary.build(pieces), *one).tables.linear is None


def test_where_no_token_leads_on_it_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    model = merged([(b"a", b"b"), (b"ab", b"c")])
    assert model.tables.linear is not None
    monkeypatch.setattr("engine.kernels.bpe_tables.encode_linear", lambda *_: -1)
    span = parts([b"abcab", b"cba"])
    assert tokens(model.segment_compiled(*span)) == tokens(model.segment_plain(*span))
