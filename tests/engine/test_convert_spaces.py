"""How SentencePiece treats spaces, as a normalizer of a tokenizer.json, beside both libraries."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

import engine
from engine.convert import convert
from engine.convert.spaces import normalizer_of, rules_of
from engine.errors import ParameterError
from engine.formats.protobuf import write_bytes
from engine.pieces import PieceKind
from engine.pipelines.sentencepiece import Normalization
from engine.train.writers.sentencepiece import piece_message, whole_number
from engine.train.writers.unigram_sentencepiece import charsmap
from tests.peers import huggingface_peer, sentencepiece_peer

FLAGS = list(product((False, True), repeat=3))


def write_model(
    path: Path, flags: tuple[bool, bool, bool], *more: bytes, rule: str = "identity"
) -> None:
    """Write a BPE model over a, b and spaces that treats spaces so, after a rule's map."""
    pieces = [piece_message(b"<unk>", 0.0, PieceKind.UNKNOWN), *more]
    for rank, text in enumerate(("ab", "▁a", "▁▁", "▁ab", " a", "  ", "a", "b", "▁", " ")):
        pieces.append(piece_message(text.encode(), float(-rank)))
    normalizer = write_bytes(1, rule.encode()) + b"".join(
        whole_number(field, int(flag)) for field, flag in zip((3, 4, 5), flags, strict=True)
    )
    if rule != "identity":
        normalizer += write_bytes(2, charsmap(rule))
    trainer = whole_number(3, 2)
    path.write_bytes(b"".join((*pieces, write_bytes(2, trainer), write_bytes(3, normalizer))))


@pytest.mark.parametrize("flags", FLAGS)
def test_spaces_are_treated_alike(flags: tuple[bool, bool, bool], tmp_path: Path) -> None:
    write_model(tmp_path / "own.model", flags)
    convert(engine.load(tmp_path / "own.model"), tmp_path / "own.json")
    draw = random.Random(11)
    texts = ["", " ", "  ", "▁", " ▁ ", "▁a", "a▁", "a ▁ "]
    for _ in range(200):
        texts.append("".join(draw.choice("ab  ▁\tx") for _ in range(draw.randint(1, 9))))
    old = sentencepiece_peer(tmp_path / "own.model")
    new = huggingface_peer(tmp_path / "own.json")
    assert new.encode(texts) == old.encode(texts)
    convert(engine.load(tmp_path / "own.json"), tmp_path / "again.model")
    assert sentencepiece_peer(tmp_path / "again.model").encode(texts) == old.encode(texts)
    ids = old.encode(["ab a b"])[0]
    assert new.decode(ids) == old.decode(ids)


@pytest.mark.parametrize("flags", FLAGS)
def test_the_rules_are_found_again(flags: tuple[bool, bool, bool]) -> None:
    normalizer = normalizer_of(Normalization("identity", False, *flags))
    rules = rules_of(normalizer)
    assert rules is not None
    # Where no space is written as the mark and none goes, a prefix is a space or the mark.
    assert normalizer_of(rules) == normalizer


def test_a_normalizer_that_says_something_else_is_none_of_them() -> None:
    assert rules_of({"type": "NFC"}) is None
    assert rules_of({"type": "Replace", "pattern": {"String": " "}, "content": "_"}) is None


@pytest.mark.parametrize(
    ("piece", "reason"),
    [
        (piece_message(b"aa", 0.0, PieceKind.USER_DEFINED), "'aa' is user-defined"),
        (piece_message(b"aa", 0.0, PieceKind.UNUSED), "'aa' is unused"),
        (piece_message(b"ca", -1.0), "'c' can't stand alone"),
        (piece_message(b"ba", -0.0), "have the same score, so the leftmost merges first"),
    ],
)
def test_pieces_that_a_tokenizer_json_cannot_have(
    piece: bytes, reason: str, tmp_path: Path
) -> None:
    write_model(tmp_path / "own.model", (True, True, True), piece)
    with pytest.raises(ParameterError) as caught:
        convert(engine.load(tmp_path / "own.model"), tmp_path / "own.json")
    assert reason in caught.value.what
