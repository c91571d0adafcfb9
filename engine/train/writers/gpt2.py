"""GPT-2's pair of a trained BPE vocabulary: pieces and ids as JSON, merges as text."""

from __future__ import annotations

import json

from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.writers.huggingface import check_specials, spell
from engine.train.writers.listing import (
    Written,
    ids_of,
    note_doubled,
    pairs_of,
    refusal,
    specials_of,
)

HEADER = "#version"

_ELSE = "save it as tokenizer.json"


def write(trained: TrainedBpe) -> Written:
    """Return the vocabulary and the merges.

    Raises `ParameterError` as `check` does, for a special token that is a piece too, and for a
    merge that begins as the header does.
    """
    check(trained.settings)
    vocab = {spell(trained, symbol): number for symbol, number in ids_of(trained).items()}
    check_specials(trained, vocab)
    specials = specials_of(trained)
    merges = [f"{spell(trained, a)} {spell(trained, b)}" for a, b in pairs_of(trained)]
    for number, line in enumerate(merges, start=1):
        if line.startswith(HEADER):
            raise refusal(
                f"merge {number} is {line!r}, and HuggingFace's reader drops every line that "
                f"begins with {HEADER}",
                _ELSE,
            )
    notes = [*note_doubled(trained), "GPT-2's pair doesn't hold the tie rule"]
    if specials:
        notes.append(
            "GPT-2's pair doesn't say which pieces are special tokens: tell its readers "
            + ", ".join(specials)
        )
    text = "".join(f"{line}\n" for line in (f"{HEADER}: 0.2", *merges))
    pieces = json.dumps(vocab | specials, ensure_ascii=False)
    return Written((f"{pieces}\n".encode(), text.encode()), tuple(notes))


def check(settings: BpeSettings) -> None:
    """Raise `ParameterError` for an alphabet or split pattern that isn't GPT-2's."""
    if settings.style != "bytes":
        raise refusal("GPT-2's pair is of bytes, and this vocabulary is of characters", _ELSE)
    if settings.pre_tokenizer != "gpt2":
        raise refusal(
            "GPT-2's pair doesn't hold a split pattern, its readers use GPT-2's, and this "
            f"vocabulary is of {settings.pre_tokenizer}",
            f"{_ELSE}, or train with gpt2",
        )
