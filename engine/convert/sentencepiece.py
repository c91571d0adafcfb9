"""Models with SentencePiece's way of treating spaces as a SentencePiece `.model`."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bpe import Bpe
from engine.convert.scores import lowest_elsewhere
from engine.convert.spaces import rules_of
from engine.formats.protobuf import write_bytes
from engine.merge_list import merge_rows
from engine.model import Model
from engine.pieces import PieceKind
from engine.pipelines.huggingface import HuggingFacePipeline
from engine.pipelines.sentencepiece import Normalization
from engine.train.writers.listing import Written, refusal
from engine.train.writers.sentencepiece import piece_message, whole_number
from engine.unigram import Unigram

_UNIGRAM, _BPE = 1, 2
_ONES = (1 << 64) - 1
"""-1 on the wire."""
_MOST = 1 << 24
"""Whole numbers up to here are exact in 32-bit scores."""
_KEEP = "keep the model as it is"


def write(model: Model) -> Written:
    """Return a model. Raises `ParameterError` with what it can't hold.

    Whether merging whatever joins to a piece is merging as the model does is for the caller to see.
    """
    rules = _rules(model)
    segmenter, vocabulary = model.segmenter, model.vocabulary
    notes: list[str] = []
    unknown = segmenter.unknown if isinstance(segmenter, Bpe | Unigram) else -1
    if unknown < 0:
        raise refusal("a SentencePiece model has an unknown token, and this model has none", _KEEP)
    if isinstance(segmenter, Bpe):
        scores, kind = _ranked(model, segmenter), _BPE
    elif isinstance(segmenter, Unigram):
        scores, kind = _scored(segmenter, notes), _UNIGRAM
    else:
        raise refusal(f"a SentencePiece model of {model.algorithm} doesn't exist", _KEEP)
    if vocabulary.holes.size:
        raise refusal(
            f"the id {int(vocabulary.holes[0])} has no piece, and ids of a SentencePiece model "
            "have no gaps",
            _KEEP,
        )
    if isinstance(segmenter, Bpe) and segmenter.byte_pieces is None and not segmenter.fuse_unknown:
        raise refusal(
            "neighbouring unknown characters are a token each in this model, and one token in a "
            "SentencePiece model",
            _KEEP,
        )
    special = {token.id for token in model.special_tokens}
    pieces = []
    for i in range(len(vocabulary)):
        text = vocabulary.text(i)
        if "\0" in text:
            raise refusal("a piece holds NUL, which the sentencepiece library refuses", _KEEP)
        sort = PieceKind(int(vocabulary.kind[i]))
        if i == unknown:
            sort = PieceKind.UNKNOWN
        elif i in special:
            sort = PieceKind.CONTROL
        elif sort not in (PieceKind.NORMAL, PieceKind.BYTE):
            raise refusal(
                f"the token {text!r} is looked for in plain text before the model sees it, and no "
                "piece of a SentencePiece model is met in that way",
                _KEEP,
            )
        pieces.append(piece_message(text.encode(), float(scores[i]), sort))
    data = b"".join((*pieces, write_bytes(2, _trainer(model, kind)), _normalizer(rules)))
    return Written((data,), tuple(notes))


def _rules(model: Model) -> Normalization:
    """Return how the model treats spaces; `ParameterError` where it isn't SentencePiece's way."""
    pipeline = model.pipeline
    if model.byte_level:
        raise refusal("a SentencePiece model is of characters, and this model is of bytes", _KEEP)
    if not isinstance(pipeline, HuggingFacePipeline):
        raise refusal(
            f"a SentencePiece model doesn't split text as this one does ({pipeline.pre_tokenizer})",
            _KEEP,
        )
    parts = pipeline.components
    if parts.pre_tokenizer is not None:
        raise refusal(
            "a SentencePiece model sees a text as a whole, and this model's pre-tokenizer is "
            f"{pipeline.pre_tokenizer}",
            _KEEP,
        )
    rules = rules_of(parts.normalizer)
    if rules is None:
        raise refusal(
            "a SentencePiece model treats spaces in its own way, and this model's normalizer is "
            f"{pipeline.normalizer or 'none'}",
            _KEEP,
        )
    return rules


def _ranked(model: Model, bpe: Bpe) -> list[float]:
    """Return a score for each piece: the first merge has 0, each next one 1 less."""
    if bpe.prefix or bpe.suffix:
        raise refusal(
            f"a SentencePiece model has no mark {bpe.prefix or bpe.suffix!r} in or after words",
            _KEEP,
        )
    rows = merge_rows(bpe)
    if len(rows) > _MOST:
        raise refusal(f"{len(rows):,} merges are more than 32-bit scores tell apart", _KEEP)
    scores = [float(-len(rows))] * len(model.vocabulary)
    for place, row in reversed(list(enumerate(rows.tolist()))):
        scores[int(bpe.result[row])] = float(-place)
    return scores


def _scored(unigram: Unigram, notes: list[str]) -> list[float]:
    vocabulary = unigram.vocabulary
    score = vocabulary.score
    odd = np.flatnonzero(vocabulary.kind != PieceKind.NORMAL).tolist()
    texts = [vocabulary.text(i) for i in odd]
    below = lowest_elsewhere(unigram, texts) + 1.0
    for number, text in zip(odd, texts, strict=True):
        if vocabulary.matchable[number] and score[number] >= below:
            raise refusal(
                f"the tokenizers library cuts the text {text!r} into that piece, which a "
                "SentencePiece model never does",
                _KEEP,
            )
    found: list[float] = np.where(np.isfinite(score), score, 0.0).tolist()
    notes.append(
        "scores are rounded to 32 bits, and so are their sums: cuts whose scores differ by less "
        "than that may come out otherwise"
    )
    return found


def _trainer(model: Model, kind: int) -> bytes:
    vocabulary = model.vocabulary
    segmenter: Any = model.segmenter
    names = {token.text: token.id for token in model.special_tokens}
    unknown = vocabulary.text(segmenter.unknown)
    message = whole_number(3, kind) + whole_number(4, len(vocabulary))
    if segmenter.byte_pieces is not None:
        message += whole_number(35, 1)
    for field, text in ((41, "<s>"), (42, "</s>"), (43, "<pad>")):
        number = names.get(text, _ONES)
        message += whole_number(field, number)
    return message + whole_number(40, segmenter.unknown) + write_bytes(45, unknown.encode())


def _normalizer(rules: Normalization) -> bytes:
    spec = write_bytes(1, b"identity")
    flags = (rules.add_dummy_prefix, rules.remove_extra_spaces, rules.escape_spaces)
    for field, flag in zip((3, 4, 5), flags, strict=True):
        spec += whole_number(field, int(flag))
    return write_bytes(3, spec)
