"""SentencePiece's `.model` of a trained Unigram vocabulary.

Format: `ModelProto` of sentencepiece_model.proto. Ids and scores are those of training, the scores
in single precision.
"""

from __future__ import annotations

import struct

from engine.formats.protobuf import BYTES, FIXED32, fields, write_bytes, write_varint
from engine.pieces import PieceKind
from engine.train.stretches import IDENTITY
from engine.train.unigram import META, TrainedUnigram, UnigramSettings
from engine.train.writers.listing import Written
from engine.train.writers.sentencepiece import piece_message, whole_number

_UNIGRAM = 1
_NONE = (1 << 64) - 1
"""-1 on the wire."""


def write(trained: TrainedUnigram) -> Written:
    """Return a model, which holds all that training says."""
    pieces = [
        piece_message(text, score, PieceKind(kind))
        for text, score, kind in zip(
            trained.pieces, trained.scores.tolist(), trained.kinds.tolist(), strict=True
        )
    ]
    trainer = write_bytes(2, _trainer(trained))
    return Written((b"".join((*pieces, trainer, write_bytes(3, _normalizer(trained.settings)))),))


def check(settings: UnigramSettings) -> None:
    """Do nothing: a model can hold whatever settings give."""


def _trainer(trained: TrainedUnigram) -> bytes:
    """Return the `TrainerSpec`: what the library reads of it, and how pieces were chosen."""
    settings, rules = trained.settings, trained.settings.constraints
    names = [text for text, _ in settings.first]
    pad = names.index(b"<pad>") if b"<pad>" in names else _NONE
    numbers = (
        (3, _UNIGRAM), (4, trained.size), (20, settings.longest), (21, rules.by_script),
        (22, rules.by_space), (23, rules.by_number), (25, rules.single_digits),
        (35, settings.byte_fallback), *((40 + i, i) for i in range(len(META))), (43, pad),
    )  # fmt: skip
    coverage = write_varint(10 << 3 | FIXED32) + struct.pack("<f", settings.coverage)
    return coverage + b"".join(whole_number(field, int(value)) for field, value in numbers)


def _normalizer(settings: UnigramSettings) -> bytes:
    """Return the `NormalizerSpec`."""
    name, table = settings.normalizer, charsmap(settings.normalizer)
    return b"".join(
        (
            write_bytes(1, name.encode()),
            write_bytes(2, table) if table else b"",
            whole_number(3, int(settings.prefix)),
            whole_number(4, int(settings.single_spaces)),
            whole_number(5, 1),
        )
    )


def charsmap(rule: str) -> bytes:
    """Return the rewriting rules of SentencePiece's normalizer, compiled; empty for `identity`."""
    from sentencepiece import SentencePieceNormalizer

    if rule == IDENTITY:
        return b""
    spec = SentencePieceNormalizer(rule_name=rule).serialized_normalizer_spec()
    found = fields(spec, 0, len(spec))
    return next(spec[a:b] for number, wire, a, b in found if number == 2 and wire == BYTES)
