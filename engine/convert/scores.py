"""Scores of Unigram models where libraries differ in what they match in text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.errors import CoverageError
from engine.pieces import PieceKind, Vocabulary
from engine.train.writers.listing import refusal
from engine.unigram import Unigram

_KEEP = "keep the model as it is"


def lowest_elsewhere(unigram: Unigram, texts: list[str]) -> float:
    """Return a score below that of every cut of some texts into normal pieces, and of all pieces.

    texts: those of pieces that aren't normal. A piece that scores so little is met in no text. The
    library scores an unknown character 10 below the lowest of all; that changes no cut where every
    character of a piece is a piece, for then an unknown character is one in every cut. Raises
    `ParameterError` where a text can't be cut so, or a character is none.
    """
    vocabulary = unigram.vocabulary
    normal = vocabulary.kind == PieceKind.NORMAL
    _check_characters(vocabulary)
    bare = replace(
        unigram,
        vocabulary=replace(vocabulary, matches=normal, names={}),
        unknown=-1,
        byte_pieces=None,
    )
    lowest = float(vocabulary.score[normal].min())
    for text in texts:
        data = np.frombuffer(text.encode(), dtype=np.uint8)
        ends = np.array([len(data)], dtype=np.int64)
        try:
            cut = bare.segment(data, np.zeros(1, dtype=np.int64), ends)
        except CoverageError:
            raise refusal(
                f"the tokenizers library matches {text!r} in text, which this model never does "
                "and can't spell otherwise",
                _KEEP,
            ) from None
        lowest = min(lowest, float(vocabulary.score[cut.ids].sum()))
    return lowest - 1.0


def _check_characters(vocabulary: Vocabulary) -> None:
    """Raise `ParameterError` for a character that stands in pieces and is none."""
    index = vocabulary.index
    ids = np.flatnonzero(vocabulary.kind == PieceKind.NORMAL)
    characters = set("".join(vocabulary.bytes(i).decode() for i in ids.tolist()))
    for char in sorted(characters):
        if char.encode() not in index:
            raise refusal(
                f"the character {char!r} stands in pieces and is no piece itself: where it is "
                "unknown, the other library scores it otherwise",
                _KEEP,
            )
