"""tiktoken ranks of a trained BPE vocabulary: lines `base64(piece) rank`, ids are ranks."""

from __future__ import annotations

import base64

from engine.terminal import counted
from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.writers.listing import (
    Written,
    doubled,
    ids_of,
    pairs_of,
    refusal,
    shown,
    specials_of,
    unreached,
)

_ELSE = "save it as tokenizer.json"


def write(trained: TrainedBpe) -> Written:
    """Return a rank file.

    tiktoken merges any two symbols whose joined bytes have a rank. Where every piece's own text
    comes to that piece, this is merging by listed pairs. Raises `ParameterError` where it isn't,
    and as `check` does.
    """
    check(trained.settings)
    _check_merges(trained)
    lines = [
        base64.b64encode(symbol) + b" %d\n" % number for symbol, number in ids_of(trained).items()
    ]
    return Written((b"".join(lines),), tuple(_notes(trained)))


def check(settings: BpeSettings) -> None:
    """Raise `ParameterError` for characters, and for words that begin with SentencePiece's mark."""
    if settings.style != "bytes":
        raise refusal("ranks are of bytes, and this vocabulary is of characters", _ELSE)
    if settings.pre_tokenizer == "metaspace":
        raise refusal(
            "these words begin with the mark \u2581, and tiktoken splits text but puts nothing in",
            _ELSE,
        )


def _check_merges(trained: TrainedBpe) -> None:
    """Raise `ParameterError` where merging by rank isn't merging by the listed pairs."""
    base = len(trained.merges.base)
    again, never = doubled(trained), unreached(trained)
    if again:
        number = again[0]
        text = shown(trained.merges.symbols[base + number])
        raise refusal(
            f"merge {number + 1} makes {text}, which is a piece already, and a rank file gives "
            "each piece one rank",
            _ELSE,
        )
    if never:
        number = never[0]
        left, right = pairs_of(trained)[number]
        raise refusal(
            f"merge {number + 1} joins {shown(left)} and {shown(right)}, but earlier merges cut "
            f"{shown(left + right)} in another way; tiktoken, which merges whatever joins to a "
            "piece, would make it all the same",
            _ELSE,
        )


def _notes(trained: TrainedBpe) -> list[str]:
    settings = trained.settings
    notes = ["a rank file doesn't hold the tie rule"]
    if settings.pre_tokenizer == "none":
        notes.append("text isn't split: tiktoken needs a pattern that matches all of it")
    elif settings.pre_tokenizer == "whitespace":
        notes.append(r"the split pattern isn't in the file: \S+ leaves white space out, as here")
    else:
        notes.append(f"the split pattern isn't in the file: it is {settings.pre_tokenizer}")
    specials = specials_of(trained)
    if specials:
        listed = ", ".join(f"{text} {number}" for text, number in specials.items())
        number = counted(len(specials), "special token")
        notes.append(f"{number} not in the file, with these ids: {listed}")
    return notes
