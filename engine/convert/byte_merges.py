"""Models of merges over bytes as tiktoken's ranks and as GPT-2's pair of files."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import numpy as np

from engine.alphabet import CHARACTERS
from engine.bpe import Bpe
from engine.convert.patterns import pattern_of
from engine.encodings import published
from engine.merge_list import merge_rows
from engine.model import Model
from engine.pieces import PieceKind
from engine.terminal import counted
from engine.train.writers.gpt2 import HEADER
from engine.train.writers.listing import Written, refusal

RANKS = "a rank file"
PAIR = "GPT-2's pair"

_ALPHABET = dict(enumerate(CHARACTERS))
_ELSE = "convert to tokenizer.json"


def write_ranks(model: Model) -> Written:
    """Return a rank file: `base64(piece) rank` in each line, ids are ranks.

    Raises `ParameterError` with what it can't hold; whether merging by ranks is merging as the
    model does is for the caller to see.
    """
    _merging(model, RANKS)
    pattern = pattern_of(model, RANKS)
    vocabulary = model.vocabulary
    pieces = _pieces(model)
    lacking = {bytes((i,)) for i in range(256)} - {vocabulary.bytes(i) for i in pieces}
    if lacking:
        raise refusal(
            f"the byte 0x{min(lacking)[0]:02X} has no piece: this model leaves it out, and "
            "tiktoken fails on a text that holds it",
            _ELSE,
        )
    lines = [base64.b64encode(vocabulary.bytes(i)) + b" %d\n" % i for i in pieces]
    data = b"".join(lines)
    known = published(data)
    notes = []
    specials = {token.text: token.id for token in model.special_tokens}
    if known is None or known.pattern != pattern:
        name = pattern or "none: the text isn't split"
        notes.append(f"the split pattern isn't in the file: it is {name}")
    if specials and (known is None or known.specials != specials):
        listed = ", ".join(f"{text} {number}" for text, number in specials.items())
        number = counted(len(specials), "special token")
        notes.append(f"{number} not in the file, with these ids: {listed}")
    return Written((data,), tuple(notes))


def write_pair(model: Model) -> Written:
    """Return pieces and ids as JSON, and merges as text.

    Raises `ParameterError` with what they can't hold.
    """
    bpe = _merging(model, PAIR)
    pattern = pattern_of(model, PAIR)
    if pattern != "gpt2":
        raise refusal(
            f"{PAIR} doesn't hold a split pattern, its readers use GPT-2's, and this model's is "
            + (pattern or "none"),
            _ELSE,
        )
    notes = []
    if bpe.lacking:
        lacking = min(bpe.lacking)
        raise refusal(
            f"the byte 0x{lacking[0]:02X} has no piece, but stands in longer ones, which no merge "
            "could make then",
            _ELSE,
        )
    vocabulary = model.vocabulary
    texts = [
        vocabulary.bytes(i).decode("latin-1").translate(_ALPHABET) for i in range(len(vocabulary))
    ]
    vocab = {texts[i]: i for i in _pieces(model)}
    specials = {token.text: token.id for token in model.special_tokens}
    for text, number in specials.items():
        if vocab.get(text, number) != number:
            raise refusal(
                f"the special token {text!r} is written as the piece {vocab[text]:,} is, and "
                f"{PAIR} holds each text once",
                _ELSE,
            )
    if specials:
        notes.append(
            f"{PAIR} doesn't say which pieces are special tokens: tell its readers "
            + ", ".join(specials)
        )
    rows = merge_rows(bpe)
    merges = [
        f"{texts[a]} {texts[b]}"
        for a, b in zip(bpe.left[rows].tolist(), bpe.right[rows].tolist(), strict=True)
    ]
    for number, line in enumerate(merges, start=1):
        if line.startswith(HEADER):
            raise refusal(
                f"merge {number} is {line!r}, and HuggingFace's reader drops every line that "
                f"begins with {HEADER}",
                _ELSE,
            )
    text = "".join(f"{line}\n" for line in (f"{HEADER}: 0.2", *merges))
    pieces = json.dumps(vocab | specials, ensure_ascii=False)
    return Written((f"{pieces}\n".encode(), text.encode()), tuple(notes))


def _pieces(model: Model) -> list[int]:
    """Return the ids of the pieces that text is cut into: special tokens are none."""
    vocabulary = model.vocabulary
    special = {token.id for token in model.special_tokens}
    normal = np.flatnonzero((vocabulary.kind == PieceKind.NORMAL) & vocabulary.matchable)
    return [i for i in normal.tolist() if i not in special]


def _merging(model: Model, where: str) -> Bpe:
    """Return the model's merges over bytes. Raises `ParameterError` for any other model."""
    bpe = model.bpe
    if bpe is None:
        raise refusal(
            f"{where} is of merges, and this is a {model.algorithm} model",
            "keep the model as it is",
        )
    if bpe.alphabet != "byte":
        raise refusal(
            f"{where} is of bytes, and this model is of characters", "keep the model as it is"
        )
    checks: tuple[tuple[bool, Callable[[], str]], ...] = (
        (bool(bpe.prefix), lambda: f"a mark inside of words ({bpe.prefix})"),
        (bool(bpe.suffix), lambda: f"a mark at the end of words ({bpe.suffix})"),
        (bpe.unknown >= 0, lambda: f"an unknown token ({model.vocabulary.text(bpe.unknown)})"),
    )
    for has, said in checks:
        if has:
            raise refusal(f"{where} has no place for {said()}, and this model has one", _ELSE)
    return bpe
