"""SentencePiece `.model`: Unigram, BPE, word and character models.

The file is a protocol-buffer message, `ModelProto` of sentencepiece_model.proto. Scores, kinds and
settings are read here; the normalizer stays the library's (`engine.pipelines.sentencepiece`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.errors import ModelError
from engine.formats.protobuf import (
    BYTES,
    FIXED32,
    VARINT,
    WireError,
    fields,
    float32,
    varint,
    write_bytes,
)
from engine.formats.source import Source
from engine.formats.splits import lone_units, split_rows
from engine.lattice import Spelling
from engine.lookup import Lookup, Unit
from engine.model import Model, SpecialToken
from engine.pieces import PieceKind, Vocabulary
from engine.pipelines.sentencepiece import Normalization, SentencePiecePipeline
from engine.segmenter import Segmenter
from engine.terminal import counted
from engine.unigram import Unigram

UNKNOWN_PENALTY = 10.0
"""An unknown character scores the lowest score of the normal pieces less this."""

USER_DEFINED_BONUS = 0.1
"""A user-defined piece scores this for each of its bytes but the first (measured on 0.2.3)."""

_ALGORITHMS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
_REPORT_EVERY = 4096
_NO_TEXT = "\U0010ffff".encode()


@dataclass
class _Trainer:
    """What is used of `TrainerSpec`."""

    model_type: int = 1
    byte_fallback: bool = False
    space_as_suffix: bool = False
    names: dict[int, str] = field(
        default_factory=lambda: {45: "<unk>", 46: "<s>", 47: "</s>", 48: "<pad>"}
    )


@dataclass
class _Proto:
    """The fields of a `ModelProto`."""

    pieces: list[bytes] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    trainer: _Trainer = field(default_factory=_Trainer)
    normalizer: Normalization = field(default_factory=Normalization)
    kept: list[bytes] = field(default_factory=list)
    """The fields other than pieces, as in the file."""


def recognise(data: bytes) -> bool:
    """Return whether a file begins as a `ModelProto` does."""
    if data[:1] not in (b"\x0a", b"\x12", b"\x1a"):
        return False
    try:
        size, at = varint(data, 1, len(data))
        if data[:1] != b"\x0a":
            return at + size <= len(data) and size > 0
        if size == 0 or at + size > len(data):
            return False
        return all(number in (1, 2, 3) for number, *_ in fields(data, at, at + size))
    except WireError:
        return False


def read(source: Source) -> Model:
    """Read a SentencePiece model. Raises `ModelError` naming the piece or the byte."""
    proto = _parse(source)
    kind = np.array(proto.kinds, dtype=np.uint8)
    algorithm = _ALGORITHMS.get(proto.trainer.model_type)
    if algorithm is None:
        raise source.error(
            f"there is no SentencePiece model type {proto.trainer.model_type}",
            "field trainer_spec.model_type",
            "types are 1 (unigram), 2 (bpe), 3 (word) and 4 (char): the file is damaged",
        )
    unknown = _check_pieces(source, proto)
    if not set(proto.kinds) & {PieceKind.NORMAL, PieceKind.USER_DEFINED, PieceKind.UNUSED}:
        raise source.error(
            "no piece of the model matches text", "", "the file is damaged: copy it again"
        )
    byte_pieces = _byte_pieces(source, proto)
    warnings: list[str] = []
    source.report(650, 1000)
    segmenter: Segmenter
    if algorithm == "unigram":
        segmenter, vocabulary = _unigram(proto, kind, unknown, byte_pieces)
    elif algorithm != "bpe":
        vocabulary = Vocabulary.build(proto.pieces, kind=kind)
        unit: Unit = "word" if algorithm == "word" else "char"
        segmenter = Lookup(vocabulary, unit, unknown, byte_pieces is None, byte_pieces)
    else:
        segmenter, vocabulary = _bpe(source, proto, kind, unknown, byte_pieces, warnings)
    source.report(950, 1000)
    special = (kind == PieceKind.UNKNOWN) | (kind == PieceKind.CONTROL)
    specials = {vocabulary.text(i): i for i in np.flatnonzero(special).tolist()}
    pipeline = SentencePiecePipeline(source.data, _slim(proto), proto.normalizer, specials)
    try:
        pipeline.check()
    except RuntimeError as error:
        raise source.error(
            f"the sentencepiece library refuses the normalizer ({' '.join(str(error).split())})",
            "field normalizer_spec",
            "the file is damaged: copy or download it again",
        ) from None
    source.report(1000, 1000)
    begin, end = (_control(proto, specials, field) for field in (46, 47))
    return Model(
        name=source.name,
        path=source.path,
        format="sentencepiece",
        vocabulary=vocabulary,
        pipeline=pipeline,
        segmenter=segmenter,
        special_tokens=tuple(SpecialToken(i, text) for text, i in specials.items()),
        template=(begin, end),
        spelling=Spelling(unknown, byte_pieces, byte_pieces is None),
        warnings=tuple(warnings),
    )


def _control(proto: _Proto, specials: Mapping[str, int], name: int) -> tuple[int, ...]:
    """Return the id of the control piece that a field of the trainer's settings names."""
    number = specials.get(proto.trainer.names[name], -1)
    return (number,) if number >= 0 and proto.kinds[number] == PieceKind.CONTROL else ()


# The file


def _parse(source: Source) -> _Proto:
    data = source.data
    proto = _Proto()
    report = source.part(50, 600)
    try:
        for number, wire, start, stop in fields(data, 0, len(data)):
            if number == 1 and wire == BYTES:
                _parse_piece(source, proto, start, stop)
                if len(proto.pieces) % _REPORT_EVERY == 0:
                    report(stop, len(data))
                continue
            if wire == BYTES:
                proto.kept.append(write_bytes(number, data[start:stop]))
            if number == 2 and wire == BYTES:
                _parse_trainer(source, proto.trainer, start, stop)
            elif number == 3 and wire == BYTES:
                proto.normalizer = _parse_normalizer(source, start, stop)
    except WireError as error:
        raise source.error(
            f"this SentencePiece model is cut short or damaged ({error.what})",
            f"byte {error.at} of {len(data)}",
            "copy or download it again",
        ) from None
    proto.normalizer.space_as_suffix = proto.trainer.space_as_suffix
    proto.normalizer.spaced_pieces = any(
        kind == PieceKind.USER_DEFINED and b" " in piece
        for piece, kind in zip(proto.pieces, proto.kinds, strict=True)
    )
    return proto


def _parse_piece(source: Source, proto: _Proto, at: int, end: int) -> None:
    """Read one `ModelProto.SentencePiece`: piece 1, score 2, type 3."""
    data = source.data
    piece, score, kind = b"", 0.0, int(PieceKind.NORMAL)
    # The layout that the library writes, without the general reader: 0A n piece 15 score [18 type].
    size = data[at + 1] if end - at >= 2 and data[at] == 0x0A else 0x80
    stop = at + 2 + size
    if size < 0x80 and stop <= end:
        piece = data[at + 2 : stop]
        at = stop
        if at + 5 <= end and data[at] == 0x15:
            score = float32(data, at + 1)
            at += 5
    for number, wire, start, stop in fields(data, at, end):
        if number == 1 and wire == BYTES:
            piece = data[start:stop]
        elif number == 2 and wire == FIXED32:
            score = float32(data, start)
        elif number == 3 and wire == VARINT:
            kind = start
    number = len(proto.pieces)
    if not piece:
        raise _piece_error(source, number, "is empty", "no piece may be empty")
    if not 1 <= kind <= 6:
        raise _piece_error(source, number, f"is of the unknown kind {kind}", "kinds are 1 to 6")
    if not math.isfinite(score):
        raise _piece_error(source, number, f"has the score {score}", "scores are finite numbers")
    proto.pieces.append(piece)
    proto.scores.append(score)
    proto.kinds.append(kind)


def _piece_error(source: Source, number: int, what: str, remedy: str) -> ModelError:
    return source.error(f"a piece {what}", f"piece {number}", remedy)


def _parse_trainer(source: Source, trainer: _Trainer, at: int, end: int) -> None:
    """Read what is used of `TrainerSpec`."""
    for number, wire, start, stop in fields(source.data, at, end):
        if wire == VARINT:
            if number == 3:
                trainer.model_type = start
            elif number == 24:
                trainer.space_as_suffix = start != 0
            elif number == 35:
                trainer.byte_fallback = start != 0
        elif wire == BYTES and number in trainer.names:
            trainer.names[number] = source.data[start:stop].decode("utf-8", errors="replace")


def _parse_normalizer(source: Source, at: int, end: int) -> Normalization:
    """Read `NormalizerSpec`."""
    spec = Normalization()
    for number, wire, start, stop in fields(source.data, at, end):
        if number == 1 and wire == BYTES:
            spec.name = source.data[start:stop].decode("utf-8", errors="replace")
        elif number == 2 and wire == BYTES:
            spec.has_charsmap = stop > start
        elif wire == VARINT and number == 3:
            spec.add_dummy_prefix = start != 0
        elif wire == VARINT and number == 4:
            spec.remove_extra_spaces = start != 0
        elif wire == VARINT and number == 5:
            spec.escape_spaces = start != 0
    return spec


def _slim(proto: _Proto) -> bytes:
    """Return a model with the same normalizer whose only pieces are those that it looks at.

    The normalizer passes over user-defined pieces; all others are for the model. So small a model
    opens at once.
    """
    keep = [
        i
        for i, kind in enumerate(proto.kinds)
        if kind in (PieceKind.UNKNOWN, PieceKind.USER_DEFINED)
    ]
    messages = []
    for i in keep:
        kind = b"\x18" + bytes([proto.kinds[i]])
        messages.append(write_bytes(1, write_bytes(1, proto.pieces[i]) + kind))
    # The library wants a piece that matches; this one is in no text.
    messages.append(write_bytes(1, write_bytes(1, _NO_TEXT)))
    # Without the trainer's settings the library takes it for a Unigram model without bytes.
    rest = [part for part in proto.kept if part[:1] in (b"\x1a", b"\x2a")]
    trainer = write_bytes(2, b"\xc0\x01\x01") if proto.trainer.space_as_suffix else b""
    unknown = next(i for i in keep if proto.kinds[i] == PieceKind.UNKNOWN)
    name = write_bytes(2, write_bytes(45, proto.pieces[unknown]))
    return b"".join((*messages, trainer, name, *rest))


# Checks


def _check_pieces(source: Source, proto: _Proto) -> int:
    """Check what the library checks; return the id of the unknown piece."""
    pieces = proto.pieces
    if not pieces:
        raise source.error("the model has no pieces", "", "copy or download it again")
    if len(set(pieces)) != len(pieces):
        first: dict[bytes, int] = {}
        for i, piece in enumerate(pieces):
            if piece in first:
                shown = piece.decode("utf-8", errors="replace")
                raise source.error(
                    f"piece {shown!r} stands twice",
                    f"pieces {first[piece]} and {i}",
                    "a piece may stand only once: remove one of them",
                )
            first[piece] = i
    for i, piece in enumerate(pieces):
        if 0 in piece:
            raise _piece_error(source, i, "holds a NUL character", "the library refuses it")
    unknown = [i for i, kind in enumerate(proto.kinds) if kind == PieceKind.UNKNOWN]
    if len(unknown) != 1:
        what = "no unknown piece" if not unknown else f"{len(unknown)} unknown pieces"
        where = "" if not unknown else f"pieces {', '.join(map(str, unknown[:5]))}"
        raise source.error(
            f"the model has {what}", where, "a model needs exactly one piece of kind UNKNOWN (2)"
        )
    for i, piece in enumerate(pieces):
        try:
            piece.decode("utf-8")
        except UnicodeDecodeError:
            raise _piece_error(source, i, "isn't valid UTF-8", "the file is damaged") from None
    return unknown[0]


def _byte_pieces(source: Source, proto: _Proto) -> NDArray[np.int32] | None:
    """Return the id of the piece of each byte; None if the model doesn't fall back to bytes."""
    table = np.full(256, -1, dtype=np.int32)
    for i, kind in enumerate(proto.kinds):
        if kind != PieceKind.BYTE:
            continue
        name = proto.pieces[i]
        if not proto.trainer.byte_fallback:
            raise _piece_error(
                source, i, "stands for a byte, but byte fallback is off", "the file is damaged"
            )
        value = _byte_of(name)
        if value is None:
            shown = name.decode("utf-8", errors="replace")
            raise _piece_error(
                source, i, f"is of kind BYTE but written {shown!r}", "bytes are written <0x00>"
            )
        table[value] = i
        proto.pieces[i] = bytes([value])
    if not proto.trainer.byte_fallback:
        return None
    missing = np.flatnonzero(table < 0)
    if len(missing):
        raise source.error(
            f"byte fallback is on, but byte pieces are missing: {len(missing)} of 256, "
            f"the first is <0x{int(missing[0]):02X}>",
            "",
            "the file is damaged",
        )
    return table


def _byte_of(name: bytes) -> int | None:
    if len(name) != 6 or not name.startswith(b"<0x") or not name.endswith(b">"):
        return None
    digits = name[3:5].decode("ascii", errors="replace")
    if any(digit not in "0123456789ABCDEF" for digit in digits):
        return None
    return int(digits, 16)


# The models


def _unigram(
    proto: _Proto, kind: NDArray[np.uint8], unknown: int, byte_pieces: NDArray[np.int32] | None
) -> tuple[Segmenter, Vocabulary]:
    score = np.array(proto.scores, dtype=np.float64)
    normal = score[kind == PieceKind.NORMAL]
    lowest = float(normal.min()) if len(normal) else 0.0
    for i in np.flatnonzero(kind == PieceKind.USER_DEFINED).tolist():
        score[i] = USER_DEFINED_BONUS * (len(proto.pieces[i]) - 1)
    vocabulary = Vocabulary.build(proto.pieces, score=score, kind=kind)
    segmenter = Unigram(
        vocabulary,
        unknown=unknown,
        unknown_score=lowest - UNKNOWN_PENALTY,
        single_precision=True,
        fuse_unknown=byte_pieces is None,
        byte_pieces=byte_pieces,
        alphabet="char",
    )
    return segmenter, vocabulary


def _bpe(
    source: Source,
    proto: _Proto,
    kind: NDArray[np.uint8],
    unknown: int,
    byte_pieces: NDArray[np.int32] | None,
    warnings: list[str],
) -> tuple[Segmenter, Vocabulary]:
    usable = (PieceKind.NORMAL, PieceKind.USER_DEFINED, PieceKind.UNUSED)
    texts = {proto.pieces[i].decode("utf-8"): i for i, k in enumerate(proto.kinds) if k in usable}
    lone = lone_units(texts, len(proto.pieces))
    left, right, result = split_rows({**texts, **lone}, source.part(650, 950))
    # The higher score merges first; equal scores share a rank.
    score = np.array(proto.scores, dtype=np.float32)
    order = np.unique(-score, return_inverse=True)[1]
    if lone:
        shown = "".join(sorted(lone)[:5])
        warnings.append(
            f"{counted(len(lone), 'character')} ({shown}) of longer pieces can't stand alone"
        )
    vocabulary = Vocabulary.build(
        [*proto.pieces, *(text.encode() for text in lone)],
        kind=np.append(kind, np.full(len(lone), PieceKind.HOLE, dtype=np.uint8)),
    )
    segmenter = Bpe(
        vocabulary,
        left,
        right,
        result,
        order[result].astype(np.int32),
        alphabet="char",
        unknown=unknown,
        fuse_unknown=byte_pieces is None,
        byte_pieces=byte_pieces,
        rule="concatenation",
    )
    return segmenter, vocabulary
