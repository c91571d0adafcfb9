"""The vocabulary as flat arrays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import ModelError
from engine.pieces import PieceKind, Vocabulary

N, U, B, H, A = (
    PieceKind.NORMAL,
    PieceKind.UNKNOWN,
    PieceKind.BYTE,
    PieceKind.HOLE,
    PieceKind.ADDED,
)


def make(pieces: list[bytes], kinds: list[int], **more: object) -> Vocabulary:
    return Vocabulary.build(pieces, kind=np.array(kinds, dtype=np.uint8), **more)  # type: ignore[arg-type]


def test_pieces_are_cut_out_of_one_array() -> None:
    vocabulary = make([b"ab", b"", b"\xe4", "今天".encode()], [N, H, N, N])
    assert [vocabulary.bytes(i) for i in range(4)] == [b"ab", b"", b"\xe4", "今天".encode()]
    assert vocabulary.lengths.tolist() == [2, 0, 1, 6]
    assert vocabulary.offsets.tolist() == [0, 2, 2, 3, 9]


def test_pieces_are_found_by_their_bytes() -> None:
    pieces = [b"ab", b"", b"ba", b"ab", b"abab", b"a"]
    vocabulary = make(pieces, [N, H, N, A, N, B])
    assert vocabulary.find(b"ab").tolist() == [0, 3]
    assert vocabulary.find(b"a").tolist() == [5]
    assert vocabulary.find(b"aba").tolist() == []
    assert vocabulary.find(b"").tolist() == []


def test_holes_are_no_pieces() -> None:
    vocabulary = make([b"a", b"", b"b", b""], [N, H, N, H])
    assert (len(vocabulary), vocabulary.count) == (4, 2)
    assert vocabulary.holes.tolist() == [1, 3]


def test_text_is_as_the_file_writes_it() -> None:
    vocabulary = make(
        [b"\xe4", b"ing", b"\xe4\xbb", b"x"],
        [B, N, N, N],
        continuation=np.array([False, True, False, False]),
    )
    assert [vocabulary.text(i) for i in range(4)] == ["<0xE4>", "##ing", "\ufffd", "x"]


def test_only_normal_pieces_match_text_unless_the_model_says_so() -> None:
    pieces, kinds = [b"<unk>", b"a", b"<s>", b""], [U, N, A, N]
    assert make(pieces, kinds).matchable.tolist() == [False, True, False, False]
    told = make(pieces, kinds, matches=np.array([True, True, False, True]))
    assert told.matchable.tolist() == [True, True, False, False]
    assert told.index == {b"<unk>": 0, b"a": 1}


def test_of_equal_pieces_the_lower_id_is_found() -> None:
    assert make([b"a", b"b", b"a"], [N, N, N]).index == {b"a": 0, b"b": 1}


def test_continuations_have_an_index_of_their_own() -> None:
    inside = np.array([False, True, False])
    vocabulary = make([b"s", b"s", b"t"], [N, N, N], continuation=inside)
    assert vocabulary.index == {b"s": 0, b"t": 2}
    assert vocabulary.continuation_index == {b"s": 1}
    assert make([b"s"], [N]).continuation_index == {}


def test_byte_pieces_are_found_by_their_byte() -> None:
    table = make([b"a", b"\x00", b"\xff"], [N, B, B]).byte_pieces
    assert (table[0], table[255], table[97]) == (1, 2, -1)


def test_an_id_outside_the_vocabulary_is_an_error() -> None:
    with pytest.raises(IndexError, match="ids run from 0 to 0"):
        make([b"a"], [N]).bytes(1)
    with pytest.raises(IndexError):
        make([b"a"], [N]).bytes(-1)


def test_arrays_of_another_length_are_refused() -> None:
    with pytest.raises(ModelError, match="1 values of score for 2 pieces"):
        Vocabulary.build([b"a", b"b"], score=np.zeros(1))
