"""Reading SentencePiece models, against the library."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from engine.errors import ModelError
from engine.explain import explain_edge
from engine.formats import load
from engine.formats.protobuf import WireError, fields, varint, write_bytes, write_varint
from engine.model import Model
from engine.pieces import PieceKind
from tests.engine.documents import BYTES, UNKNOWN, number, piece, sentencepiece

CONTROL, USER, UNUSED, BYTE = 3, 4, 5, 6

LETTERS = [piece(c, -2.0 - i / 8) for i, c in enumerate("abcdelnopw▁")]
WORDS = [piece("lo", -3.0), piece("low", -3.5), piece("we", -3.25), piece("▁low", -4.0)]


def read(tmp_path: Path, data: bytes) -> Model:
    path = tmp_path / "m.model"
    path.write_bytes(data)
    return load(path)


def error_of(tmp_path: Path, data: bytes) -> str:
    with pytest.raises(ModelError) as caught:
        read(tmp_path, data)
    assert caught.value.remedy
    return str(caught.value)


def library(data: bytes) -> SentencePieceProcessor:
    processor = SentencePieceProcessor()
    processor.LoadFromSerializedProto(data)
    return processor


def texts(count: int, alphabet: list[str]) -> list[str]:
    draw = random.Random(7)
    return ["".join(draw.choices(alphabet, k=draw.randrange(12))) for _ in range(count)]


ALPHABET = [*"abcdelnopw", " ", "  ", "lo", "low", "we", "x", "今", "é", "▁", "<u>", "\n", "\0"]


@pytest.mark.parametrize("model_type", [1, 2])
@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("spaces", [(True, True), (True, False), (False, True), (False, False)])
def test_ids_are_the_librarys(
    tmp_path: Path, model_type: int, byte_fallback: bool, spaces: tuple[bool, bool]
) -> None:
    data = sentencepiece(
        *LETTERS,
        *WORDS,
        piece("<u>", 0.0, USER),
        piece("<s>", 0.0, CONTROL),
        model_type=model_type,
        byte_fallback=byte_fallback,
        dummy_prefix=spaces[0],
        remove_spaces=spaces[1],
    )
    model, peer = read(tmp_path, data), library(data)
    assert model.algorithm == ("unigram", "bpe")[model_type - 1]
    lines = texts(150, ALPHABET)
    batch = model.encode_lines(lines)
    for i, line in enumerate(lines):
        expected = peer.encode(line)
        assert model.encode(line).ids.tolist() == expected, line
        assert batch[i].tolist() == expected, line
        assert model.decode(expected).decode() == peer.decode(expected), line


def test_unused_pieces_of_a_unigram_model_never_match(tmp_path: Path) -> None:
    data = sentencepiece(*LETTERS, piece("lo", -1.0, UNUSED), piece("low", -3.5))
    model, peer = read(tmp_path, data), library(data)
    for line in texts(100, ["l", "o", "w", "lo", "low", "x"]):
        assert model.encode(line).ids.tolist() == peer.encode(line)


def test_the_space_may_stand_behind(tmp_path: Path) -> None:
    pieces = [*LETTERS, piece("low▁", -4.0)]
    for remove in (False, True):
        data = sentencepiece(*pieces, dummy_prefix=True, remove_spaces=remove, suffix=True)
        model, peer = read(tmp_path, data), library(data)
        for line in texts(100, [*"low", " ", "  ", "x"]):
            assert model.encode(line).ids.tolist() == peer.encode(line), line


@pytest.mark.parametrize("character", ["a", "ж", "今", "😀"])
@pytest.mark.parametrize("length", [2, 3, 7])
def test_a_user_defined_piece_scores_a_tenth_for_each_further_byte(
    tmp_path: Path, character: str, length: int
) -> None:
    whole = character * length
    score = 0.1 * (len(whole.encode()) - 1)
    even = score / length
    for single, ids in ((even - 0.001, [2]), (even + 0.001, [1] * length)):
        data = sentencepiece(piece(character, single), piece(whole, -9.0, USER))
        model = read(tmp_path, data)
        assert model.vocabulary.score[2] == pytest.approx(score)
        assert model.encode(whole).ids.tolist() == library(data).encode(whole) == ids


def test_kinds_scores_and_specials(tmp_path: Path) -> None:
    data = sentencepiece(
        piece("<s>", 0, CONTROL),
        piece("</s>", 0, CONTROL),
        piece("a", -1.5),
        piece("ab", -2.25, UNUSED),
        byte_fallback=True,
    )
    model = read(tmp_path, data)
    vocabulary = model.vocabulary
    assert vocabulary.kind[:5].tolist() == [2, 3, 3, 1, 5]
    assert (vocabulary.kind[5:] == PieceKind.BYTE).all()
    assert vocabulary.bytes(5 + 0xE4) == b"\xe4"
    assert vocabulary.score[3] == -1.5
    assert model.segmenter.unknown_score == -11.5
    assert model.byte_fallback
    assert [(t.id, t.text) for t in model.special_tokens] == [
        (0, "<unk>"),
        (1, "<s>"),
        (2, "</s>"),
    ]
    assert model.template == ((1,), (2,))
    assert model.encode("a", add_special=True).ids.tolist() == [1, 3, 2]


def test_special_strings_are_text_for_the_library_and_tokens_when_asked(tmp_path: Path) -> None:
    data = sentencepiece(piece("<s>", 0, CONTROL), *(piece(c, -1) for c in "<s>a"))
    model = read(tmp_path, data)
    assert model.encode("a<s>a").ids.tolist() == library(data).encode("a<s>a") == [5, 2, 3, 4, 5]
    parsed = model.encode("a<s>a", special="parse")
    assert parsed.ids.tolist() == [5, 1, 5]
    assert list(zip(parsed.start.tolist(), parsed.end.tolist(), strict=True)) == [
        (0, 1),
        (1, 4),
        (4, 5),
    ]


def test_ranks_of_bpe_follow_the_scores(tmp_path: Path) -> None:
    data = sentencepiece(
        *(piece(c, -9) for c in "abc"),
        piece("bc", 0),
        piece("ab", -1),
        piece("abc", -2),
        model_type=2,
    )
    model = read(tmp_path, data)
    assert model.encode("abc").ids.tolist() == library(data).encode("abc") == [6]
    assert model.inspect()["merges"] == 3
    assert np.isnan(model.vocabulary.score).all()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (sentencepiece(piece("a"), piece("b"), piece("a")), "'a' stands twice"),
        (sentencepiece(piece("a"), piece("")), "a piece is empty"),
        (sentencepiece(piece("a"), piece("x", float("nan"))), "the score nan"),
        (sentencepiece(piece("a"), piece("x", float("-inf"))), "the score -inf"),
        (sentencepiece(piece("a"), piece("x", 0, 9)), "unknown kind 9"),
        (sentencepiece(piece("a"), piece("x\0y")), "NUL"),
        (sentencepiece(piece("a"), piece(b"\xff\xfe")), "isn't valid UTF-8"),
        (sentencepiece(piece("a"), piece("<x>", 0, 2)), "2 unknown pieces"),
        (piece("a") + piece("b"), "no unknown piece"),
        (UNKNOWN + piece("<s>", 0, CONTROL), "no piece of the model matches text"),
        (sentencepiece(piece("a"), piece("<0x41>", 0, BYTE)), "byte fallback is off"),
        (
            UNKNOWN + piece("a") + piece("<0x41>", 0, BYTE) + write_bytes(2, number(35, 1)),
            "byte pieces are missing: 255 of 256",
        ),
        (
            UNKNOWN + piece("a") + piece("<4>", 0, BYTE) + write_bytes(2, number(35, 1)),
            "written '<4>'",
        ),
        (sentencepiece(piece("a"), model_type=77), "no SentencePiece model type 77"),
        (sentencepiece(piece("a"), piece("b"))[:-3], "cut short"),
        (sentencepiece(piece("a")) + b"\x00\x00junk", "cut short or damaged"),
    ],
)
def test_a_wrong_model_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    message = error_of(tmp_path, data)
    assert said in message
    assert "m.model" in message


def test_a_broken_normalizer_is_named(tmp_path: Path) -> None:
    data = sentencepiece(piece("a")) + write_bytes(3, write_bytes(2, b"\x07"))
    assert "the sentencepiece library refuses the normalizer" in error_of(tmp_path, data)


def test_fields_in_any_order_and_unknown_ones_are_read(tmp_path: Path) -> None:
    later = write_bytes(1, b"\x18\x01" + write_bytes(99, b"?") + write_bytes(1, b"b"))
    data = write_bytes(2, number(3, 1)) + write_bytes(50, b"x") + UNKNOWN + piece("a", -1) + later
    model = read(tmp_path, data)
    assert [model.vocabulary.text(i) for i in range(3)] == ["<unk>", "a", "b"]
    assert model.vocabulary.score[2] == 0.0


def test_characters_that_cannot_stand_alone_are_told_and_merge(tmp_path: Path) -> None:
    data = sentencepiece(piece("b"), piece("ab", -1), piece("abc", -2), model_type=2)
    model, peer = read(tmp_path, data), library(data)
    assert any("2 characters (ac)" in warning for warning in model.warnings)
    facts = model.inspect()
    assert (facts["vocab_size"], facts["max_id"], facts["holes"]) == (4, 3, 0)
    for text, ids in {
        "ab": [2], "abc": [3], "aab": [0, 2], "cab": [0, 2], "ca": [0], "abab": [2, 2], "acx": [0],
    }.items():  # fmt: skip
        assert model.encode(text).ids.tolist() == peer.encode(text) == ids
        lattice = model.lattice(text)
        assert lattice.path.ids == ids


def test_word_models_look_up_what_lies_between_spaces(tmp_path: Path) -> None:
    data = sentencepiece(
        piece("▁a", -1),
        piece("▁<u>", 0, USER),
        piece("▁c", -1, UNUSED),
        model_type=3,
        dummy_prefix=True,
    )
    model, peer = read(tmp_path, data), library(data)
    assert model.algorithm == "word"
    for text, ids in {
        "a a": [1, 1], "a c x a": [1, 0, 1], "<u>": [2], "a<u>": [0], "a  a": [1, 0, 1], "": [],
    }.items():  # fmt: skip
        assert model.encode(text).ids.tolist() == peer.encode(text) == ids
        assert model.lattice(text).path.ids == ids
    lattice = model.lattice("a c")
    why = [explain_edge(lattice, None, edge).sentence for edge in lattice.taken.tolist()]
    assert ["it is no piece" in sentence for sentence in why] == [False, True]


def test_character_models_look_up_characters_and_user_defined_pieces(tmp_path: Path) -> None:
    pieces = (piece("a"), piece("ab"), piece("xyz", 0, USER), piece("x"), piece("c", 0, UNUSED))
    data = sentencepiece(*pieces, model_type=4)
    model, peer = read(tmp_path, data), library(data)
    assert model.algorithm == "char"
    for text, ids in {"aa": [1, 1], "ab": [1, 0], "xxyz": [4, 3], "éca": [0, 1]}.items():
        assert model.encode(text).ids.tolist() == peer.encode(text) == ids
    data = sentencepiece(piece("a"), model_type=4, byte_fallback=True)
    model = read(tmp_path, data)
    assert model.encode("aé").ids.tolist() == library(data).encode("aé")
    assert model.lattice("aé").path.ids == model.encode("aé").ids.tolist()


def test_numbers_on_the_wire() -> None:
    for value in (0, 1, 127, 128, 300, 2**32, 2**63):
        written = write_varint(value)
        assert varint(written, 0, len(written)) == (value, len(written))
    with pytest.raises(WireError, match="no end"):
        varint(b"\xff\xff", 0, 2)
    with pytest.raises(WireError, match="no end"):
        varint(b"\xff" * 11, 0, 11)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (b"\x00", "number 0"),
        (b"\x0b", "wire type 3"),
        (b"\x0a\x05ab", "over the end"),
        (b"\x0d\x00", "over the end"),
    ],
)
def test_bytes_that_are_no_message(message: bytes, said: str) -> None:
    with pytest.raises(WireError, match=said):
        list(fields(message, 0, len(message)))


def test_every_piece_of_real_models_is_the_librarys(shared: Path) -> None:
    models = shared / "data" / "models"
    for path in sorted([*(models / "sentencepiece").glob("*.model")]):
        model, peer = load(path), SentencePieceProcessor(model_file=str(path))
        vocabulary = model.vocabulary
        assert len(vocabulary) == peer.vocab_size()
        assert [vocabulary.text(i) for i in range(len(vocabulary))] == [
            peer.id_to_piece(i) for i in range(len(vocabulary))
        ]
        if model.algorithm == "unigram":
            normal = np.flatnonzero(vocabulary.kind == PieceKind.NORMAL)
            theirs = [peer.get_score(int(i)) for i in normal]
            np.testing.assert_allclose(vocabulary.score[normal], theirs, rtol=0, atol=0)


def test_byte_pieces_have_all_bytes() -> None:
    assert BYTES.count(b"<0x") == 256
