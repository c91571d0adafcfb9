"""HuggingFace's `tokenizer.json` of a trained BPE vocabulary.

Format: the `tokenizers` crate's serialization, version 1.0, merges as lists of two. The reader
accepts a key that it doesn't know inside `model`; `model.segscope` there records the tie rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from engine.alphabet import CHARACTERS
from engine.encodings import PATTERNS
from engine.pipelines.splitting import same_everywhere
from engine.train.bpe import BpeSettings, TrainedBpe
from engine.train.words import NAMES, SPACE
from engine.train.writers.listing import (
    Written,
    ids_of,
    note_doubled,
    pairs_of,
    refusal,
    specials_of,
)

Part = dict[str, Any]

UNKNOWN = ("<unk>", "[UNK]")
"""Special tokens that stand for characters outside the vocabulary."""

SPELLED = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "o200k": PATTERNS["o200k"],
}
"""The published patterns as Oniguruma, which the library matches with, reads them: there `{1,3}+`
is no possessive repeat."""

_ALPHABET = dict(enumerate(CHARACTERS))
_BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": False,
}
_METASPACE = {
    "type": "Metaspace",
    "replacement": SPACE,
    "prepend_scheme": "always",
    "split": True,
}
_ONE_SPACE = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        {"type": "Strip", "strip_left": True, "strip_right": True},
    ],
}
"""Words stand between white space of any kind and length; the mark takes the place of one space."""

_POSSESSIVE = re.compile(r"(?<!\\)\{\d*,?\d*\}\+")


def write(trained: TrainedBpe) -> Written:
    """Return a tokenizer.json.

    Raises `ParameterError` as `check` does, and for a special token that is a piece too.
    """
    settings = trained.settings
    check(settings)
    whole = settings.style == "bytes"
    notes = [*note_doubled(trained)]
    vocab = {spell(trained, symbol): number for symbol, number in ids_of(trained).items()}
    specials = specials_of(trained)
    check_specials(trained, vocab)
    vocab |= specials
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None if whole else next((t for t in UNKNOWN if t in specials), None),
        "continuing_subword_prefix": None,
        "end_of_word_suffix": settings.end_of_word or None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": [[spell(trained, part) for part in pair] for pair in pairs_of(trained)],
        "segscope": {"tie_break": settings.tie_break},
    }
    if not whole and model["unk_token"] is None:
        notes.append(
            "there is no special token <unk> or [UNK]: characters outside the vocabulary "
            "disappear without a trace"
        )
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [added_token(text, number) for text, number in specials.items()],
        "normalizer": _ONE_SPACE if settings.pre_tokenizer == "metaspace" else None,
        "pre_tokenizer": _pre_tokenizer(trained, notes),
        "post_processor": None,
        "decoder": _decoder(trained, notes),
        "model": model,
    }
    return Written((spelled_out(document).encode(),), tuple(notes))


def spell(trained: TrainedBpe, symbol: bytes) -> str:
    """Return a piece as HuggingFace's and GPT-2's files write it."""
    if trained.settings.style == "bytes":
        return symbol.decode("latin-1").translate(_ALPHABET)
    return symbol.decode("utf-8")


def check_specials(trained: TrainedBpe, vocab: dict[str, int]) -> None:
    """Raise `ParameterError` where a special token is written as a piece is."""
    for text in trained.settings.specials:
        if text in vocab:
            raise refusal(
                f"the special token {text!r} is also the piece {vocab[text]:,}, and a vocabulary "
                "holds each text once",
                "choose another text for the special token",
            )


def added_token(text: str, number: int) -> Part:
    """Return a special token as `added_tokens` lists it."""
    return {
        "id": number,
        "content": text,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def _pre_tokenizer(trained: TrainedBpe, notes: list[str]) -> Part | None:
    settings = trained.settings
    name = settings.pre_tokenizer
    steps: list[Part] = []
    if name == "whitespace":
        steps.append({"type": "WhitespaceSplit"})
    elif name == "metaspace":
        steps.append(_METASPACE)
    elif name != "none":
        notes += [] if name in SPELLED else _own_pattern(name)
        steps.append(
            {
                "type": "Split",
                "pattern": {"Regex": SPELLED.get(name, name)},
                "behavior": "Isolated",
                "invert": False,
            }
        )
    if settings.style == "bytes":
        steps.append(_BYTE_LEVEL)
    return _one(steps, "pretokenizers")


def check(settings: BpeSettings) -> None:
    """Raise `ParameterError` for a split pattern that the library can't read, or misreads."""
    pattern = settings.pre_tokenizer
    if pattern in NAMES:
        return
    if _POSSESSIVE.search(pattern):
        raise refusal(
            f"the split pattern {pattern!r} has a possessive {{n,m}}+, which the tokenizers "
            "library reads as a repeat of a repeat",
            "train with a pattern that writes it as an atomic group, (?>…{n,m})",
        )
    from tokenizers import Regex

    try:
        Regex(pattern)
    except Exception as error:  # noqa: BLE001 The library raises nothing narrower.
        raise refusal(
            f"the tokenizers library can't read the split pattern {pattern!r} ({error})",
            "train with a pattern that Oniguruma reads too",
        ) from None


def _own_pattern(pattern: str) -> Iterator[str]:
    """Yield what to know of a pattern that isn't a published one."""
    if not same_everywhere(pattern):
        yield (
            "the split pattern is read by Oniguruma there, whose syntax differs in places: "
            "compare the pre-tokens of some texts"
        )
    yield "text that the split pattern doesn't match was no word in training; there it is one"


def _decoder(trained: TrainedBpe, notes: list[str]) -> Part:
    """Return what puts tokens together to a text."""
    settings = trained.settings
    name, mark = settings.pre_tokenizer, settings.end_of_word
    if name == "whitespace" and not mark:
        notes.append("no piece holds white space: decoding puts words together without it")
    if settings.style == "bytes":
        steps: list[Part] = [_BYTE_LEVEL]
        if name == "metaspace":
            # Decoded bytes are one text, so its first space is taken away by itself.
            steps.append(_replace(SPACE, " "))
            steps.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    elif name == "whitespace" and mark:
        steps = [{"type": "BPEDecoder", "suffix": mark}]
    else:
        steps = [_replace(mark, "")] if mark else []
        steps.append(_METASPACE if name == "metaspace" else {"type": "Fuse"})
    return _one(steps, "decoders") or {"type": "Fuse"}


def _replace(text: str, content: str) -> Part:
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def _one(steps: list[Part], name: str) -> Part | None:
    """Return the steps as one component."""
    if len(steps) > 1:
        return {"type": "Sequence", name: steps}
    return steps[0] if steps else None


def spelled_out(document: Part) -> str:
    """Return JSON with a line for each field of the document and of its model."""

    def fields(values: Part, indent: str) -> str:
        rows = (
            f"{indent}{json.dumps(key)}: "
            + (
                f"{{\n{fields(value, indent + '  ')}\n{indent}}}"
                if key == "model"
                else json.dumps(value, ensure_ascii=False)
            )
            for key, value in values.items()
        )
        return ",\n".join(rows)

    return f"{{\n{fields(document, '  ')}\n}}\n"
