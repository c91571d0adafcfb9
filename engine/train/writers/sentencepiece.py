"""SentencePiece's `.model` of a trained BPE vocabulary.

Format: `ModelProto` of sentencepiece_model.proto. Ids are other ones than in the other formats:
`<unk>`, `<s>`, `</s>` and the special tokens come first, then merges, then characters.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from engine.formats.protobuf import FIXED32, VARINT, write_bytes, write_varint
from engine.pieces import PieceKind
from engine.terminal import counted
from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.writers.listing import (
    Written,
    doubled,
    ids_of,
    mark_inside,
    refusal,
    shown,
    unreached,
)

META = ("<unk>", "<s>", "</s>")
"""What every SentencePiece model has, as ids 0, 1 and 2."""

_ELSE = "save it as tokenizer.json"
_BPE = 2
_ONES = (1 << 64) - 1
"""-1 on the wire."""


def write(trained: TrainedBpe) -> Written:
    """Return a model.

    The first merge scores 0, each next one 1 less, characters come below. SentencePiece merges
    whatever joins to a piece. Raises `ParameterError` as `check` does, for a NUL, and for a special
    token that is a piece too.
    """
    settings = trained.settings
    check(settings)
    own = tuple(dict.fromkeys((*META, *settings.specials)))
    ids, base = ids_of(trained), trained.merges.base
    for text in own:
        if text.encode() in ids:
            raise refusal(
                f"the special token {text!r} is also a piece, and a model holds each text once",
                "remove it from the corpus, or choose another text for the special token",
            )
    if b"\0" in base:
        raise refusal(
            "the character NUL is a piece, which the sentencepiece library refuses",
            "remove it from the corpus",
        )
    pieces = [piece_message(text.encode(), 0.0, _kind(text)) for text in own]
    ordered = [*(symbol for symbol, i in ids.items() if i >= len(base)), *base]
    pieces += [piece_message(symbol, float(-k)) for k, symbol in enumerate(ordered)]
    trainer = (
        whole_number(3, _BPE) + whole_number(4, len(pieces)) + whole_number(40, 0)
        + whole_number(41, 1) + whole_number(42, 2)
        + whole_number(43, own.index("<pad>") if "<pad>" in own else _ONES)
    )  # fmt: skip
    normalizer = (
        write_bytes(1, b"identity") + whole_number(3, 1) + whole_number(4, 1) + whole_number(5, 1)
    )
    data = b"".join((*pieces, write_bytes(2, trainer), write_bytes(3, normalizer)))
    return Written((data,), tuple(_notes(trained, len(own))))


def check(settings: BpeSettings) -> None:
    """Raise `ParameterError` for anything but words of characters with the mark before them."""
    if settings.style != "characters":
        raise refusal(
            "a SentencePiece model is of characters, and this vocabulary is of bytes", _ELSE
        )
    if settings.pre_tokenizer != "metaspace":
        raise refusal(
            "a SentencePiece model is of words that begin with the mark \u2581, and this "
            f"vocabulary is of {settings.pre_tokenizer}",
            f"{_ELSE}, or train with metaspace",
        )
    if settings.end_of_word:
        raise refusal(
            "a SentencePiece model has no mark at the end of a word, and this vocabulary has "
            f"{settings.end_of_word!r}",
            f"{_ELSE}, or train without it",
        )


def _notes(trained: TrainedBpe, first: int) -> Iterable[str]:
    yield f"ids differ from those of other formats: merges begin at {first:,}, characters follow"
    yield "a SentencePiece model doesn't hold the tie rule"
    yield "SentencePiece splits at spaces alone, training did at all white space"
    never = unreached(trained)
    odd = sorted({*doubled(trained), *never})
    if odd:
        text = shown(trained.merges.symbols[len(trained.merges.base) + odd[0]])
        yield (
            f"SentencePiece merges whatever joins to a piece: {counted(len(odd), 'given merge')} "
            f"may act otherwise than listed, the first makes {text}"
        )
    if mark_inside(trained):
        yield "the corpus spells the mark \u2581 itself: pieces with it inside join words"


def _kind(text: str) -> PieceKind:
    return PieceKind.UNKNOWN if text == META[0] else PieceKind.CONTROL


def piece_message(text: bytes, score: float, kind: PieceKind = PieceKind.NORMAL) -> bytes:
    """Return a `ModelProto.SentencePiece`: piece 1, score 2, type 3."""
    message = write_bytes(1, text) + write_varint(2 << 3 | FIXED32) + struct.pack("<f", score)
    return write_bytes(
        1, message + (b"" if kind == PieceKind.NORMAL else whole_number(3, int(kind)))
    )


def whole_number(number: int, value: int) -> bytes:
    """Return a field with a whole number."""
    return write_varint(number << 3 | VARINT) + write_varint(value)
