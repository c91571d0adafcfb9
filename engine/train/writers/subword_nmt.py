"""subword-nmt codes of a trained BPE vocabulary: version 0.2, a merge in each line."""

from __future__ import annotations

from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.writers.listing import Written, pairs_of, refusal

MARK = "</w>"

_ELSE = "save it as tokenizer.json"


def write(trained: TrainedBpe) -> Written:
    """Return codes.

    Raises `ParameterError` as `check` does, and for a vocabulary without merges.
    """
    settings = trained.settings
    check(settings)
    if not len(trained.merges):
        raise refusal("codes are a list of merges, and this vocabulary has none", _ELSE)
    lines = [b"%b %b\n" % pair for pair in pairs_of(trained)]
    notes = ["codes hold neither ids nor the tie rule, nor characters that no merge joins"]
    if settings.specials:
        notes.append(f"codes don't hold special tokens: {', '.join(settings.specials)}")
    notes.append(
        "subword-nmt splits at spaces and line ends alone, training did at all white space"
    )
    return Written((b"".join((b"#version: 0.2\n", *lines)),), tuple(notes))


def check(settings: BpeSettings) -> None:
    """Raise `ParameterError` for anything but words of characters with `</w>` at their end."""
    if settings.style != "characters":
        raise refusal("codes are of characters, and this vocabulary is of bytes", _ELSE)
    if settings.pre_tokenizer != "whitespace":
        raise refusal(
            "codes are of words between white space, and this vocabulary is of "
            f"{settings.pre_tokenizer}",
            f"{_ELSE}, or train with whitespace",
        )
    if settings.end_of_word != MARK:
        has = f"the mark {settings.end_of_word!r}" if settings.end_of_word else "no mark"
        raise refusal(
            f"codes mark the end of a word with {MARK}, and this vocabulary has {has}",
            f"{_ELSE}, or train with {MARK}",
        )
