"""HuggingFace's `tokenizer.json` of a trained Unigram vocabulary. Ids are those of training."""

from __future__ import annotations

import base64
from typing import Any

from engine.pieces import PieceKind
from engine.train.stretches import IDENTITY
from engine.train.unigram import TrainedUnigram, UnigramSettings
from engine.train.words import SPACE
from engine.train.writers.huggingface import added_token, spelled_out
from engine.train.writers.listing import Written
from engine.train.writers.unigram_sentencepiece import charsmap

Part = dict[str, Any]


def write(trained: TrainedUnigram) -> Written:
    """Return a tokenizer.json, and where the library differs from SentencePiece's own."""
    settings = trained.settings
    texts = [text.decode("utf-8") for text in trained.pieces]
    special = (PieceKind.UNKNOWN, PieceKind.CONTROL)
    metaspace = {
        "type": "Metaspace",
        "replacement": SPACE,
        "prepend_scheme": "always" if settings.prefix else "never",
        "split": settings.constraints.by_space,
    }
    steps = [{"type": "ByteFallback"}] if settings.byte_fallback else []
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            added_token(text, i)
            for i, (text, kind) in enumerate(zip(texts, trained.kinds.tolist(), strict=True))
            if kind in special
        ],
        "normalizer": _normalizer(settings),
        "pre_tokenizer": metaspace,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [*steps, metaspace]} if steps else metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [list(pair) for pair in zip(texts, trained.scores.tolist(), strict=True)],
            "byte_fallback": settings.byte_fallback,
        },
    }
    return Written((spelled_out(document).encode(),), tuple(_notes(settings)))


def check(settings: UnigramSettings) -> None:
    """Do nothing: the format can hold whatever settings give."""


def _normalizer(settings: UnigramSettings) -> Part | None:
    """Return the component that does what SentencePiece's normalizer does."""
    steps: list[Part] = []
    if settings.normalizer != IDENTITY:
        table = base64.b64encode(charsmap(settings.normalizer)).decode()
        steps.append({"type": "Precompiled", "precompiled_charsmap": table})
    if settings.single_spaces:
        steps += [_replace(" {2,}", " "), _replace(r"\A | \z", "")]
    return {"type": "Sequence", "normalizers": steps} if steps else None


def _replace(pattern: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}


def _notes(settings: UnigramSettings) -> list[str]:
    notes = []
    if settings.normalizer != IDENTITY:
        notes.append(
            "the tokenizers library applies the normalizer's rules to one grapheme at a time: some "
            "sequences of marks, such as Hangul jamo, stay as they are there"
        )
    if settings.byte_fallback:
        notes.append("a text that spells a byte piece, such as <0x41>, is that byte there")
    return notes
