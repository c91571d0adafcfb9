"""How a text is cut after each round of a run, by the pieces of Unigram or BytePiece then.

Kudo, "Subword Regularization" (ACL 2018), section 3.2: the cut of the highest probability.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.pieces import PieceKind, Vocabulary
from engine.train.bytepiece import BytePieceSettings, TrainedBytePiece
from engine.train.replay import MISSING, Part, Span
from engine.train.stretches import Normalizer
from engine.train.unigram import TrainedUnigram, UnigramSettings
from engine.train.units import Units
from engine.train.words import SPACE
from engine.unigram import Unigram

PENALTY = 10.0
"""How far the score of what has no piece lies under the lowest score (SentencePiece, BytePiece)."""

NEVER = b"\xff"
"""Bytes that no text holds."""

Cut = tuple[tuple[int, bool], ...]
"""Where each token of a text ends, in bytes, and whether it is a piece."""


def prepared(text: str, settings: UnigramSettings | BytePieceSettings) -> bytes:
    """Return a text as the run sees its corpus: normalized, spaces as SentencePiece's mark."""
    if isinstance(settings, BytePieceSettings):
        return unicodedata.normalize("NFC", text).encode()
    normalizer = Normalizer(settings.normalizer, settings.prefix, settings.single_spaces)
    return normalizer.lines([text])[0].tobytes()


def cut_by(trained: TrainedUnigram | TrainedBytePiece, data: bytes) -> Cut:
    """Return how a prepared text is cut by a vocabulary, which need not be the last one of a run.

    A character without a piece is one token, with others beside it, or a token for each byte where
    there are byte pieces.
    """
    if not data:
        return ()
    rule = _rule(trained, data)
    array = np.frombuffer(data, dtype=np.uint8)
    whole = np.array([len(data)], dtype=np.int64)
    found = rule.segment(array, np.zeros(1, dtype=np.int64), whole)
    settings = trained.settings
    in_bytes = isinstance(settings, UnigramSettings) and settings.byte_fallback
    cut: list[tuple[int, bool]] = []
    for piece, start, end in zip(
        found.ids.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True
    ):
        known = piece != rule.unknown
        if known or not in_bytes:
            cut.append((end, known))
        else:
            cut.extend((place, True) for place in range(start + 1, end + 1))
    return tuple(cut)


def _rule(trained: TrainedUnigram | TrainedBytePiece, data: bytes) -> Unigram:
    """Return the rule of those pieces that the text holds: no others can cut it."""
    if isinstance(trained, TrainedBytePiece):
        score = np.log(trained.counts) - np.log(trained.counts.sum())
        kept = [k for k, text in enumerate(trained.pieces) if text in data]
        held = Vocabulary.build([trained.pieces[k] for k in kept], score=score[kept])
        lowest = float(score.min()) - PENALTY
        return Unigram(held, -1, lowest, fuse_unknown=False, alphabet="byte")
    normal = trained.kinds == PieceKind.NORMAL
    kept = [k for k in np.flatnonzero(normal).tolist() if trained.pieces[k] in data]
    texts = [NEVER, *(trained.pieces[k] for k in kept)]
    score = np.concatenate((np.zeros(1), trained.scores[kept]))
    lowest = float(trained.scores[normal].min()) - PENALTY
    fused = not trained.settings.byte_fallback
    held = Vocabulary.build(texts, score=score)
    return Unigram(held, 0, lowest, single_precision=True, fuse_unknown=fused)


class RoundCuts:
    """A text after each round, as words of parts; what `engine.train.replay.Replay` is for merges.

    units: the words with what none of the cuts divides as base symbols. symbols: the bytes of each
    symbol that a part may be. A word is whole where it isn't cut yet.
    """

    def __init__(self, data: bytes, cuts: Sequence[Cut | None]) -> None:
        """Take a prepared text and its cut after each round, None for one without pieces."""
        self._cuts = tuple(cuts)
        ends = [{end for end, _ in cut} for cut in cuts if cut is not None]
        marks = (SPACE.encode(), b" ")
        starts = [k for k, byte in enumerate(data) if byte & 0xC0 != 0x80]
        words = [
            k for k in starts if k and data[k:].startswith(marks) and all(k in end for end in ends)
        ]
        bounds = sorted({0, len(data), *starts}.union(*ends))
        atoms = [data[a:b] for a, b in pairwise(bounds)]
        base = tuple(dict.fromkeys(atoms))
        number = {atom: k for k, atom in enumerate(base)}
        offsets = np.searchsorted(bounds, [0, *words, len(data)] if data else [0])
        self.units = Units(
            base,
            np.array([number[atom] for atom in atoms], dtype=np.int32),
            offsets.astype(np.int64),
            np.ones(len(offsets) - 1, dtype=np.int64),
        )
        self.symbols = list(base)
        self._number = number
        self._states = [self._state(data, bounds, cut) for cut in (None, *self._cuts)]

    def _state(
        self, data: bytes, bounds: list[int], cut: Cut | None
    ) -> tuple[tuple[Part, ...], ...]:
        """Return the parts of each word by a cut."""
        offsets = self.units.offsets.tolist()
        words: list[list[Part]] = [[] for _ in self.units.counts]
        known = cut if cut is not None else [(bounds[at], True) for at in offsets[1:]]
        begun, word = 0, 0
        for end, is_piece in known:
            first, last = bounds.index(begun), bounds.index(end) - 1
            while first >= offsets[word + 1]:
                word += 1
            symbol = self._symbol(data[begun:end]) if is_piece else MISSING
            words[word].append(Part(symbol, first - offsets[word], last - offsets[word]))
            begun = end
        return tuple(map(tuple, words))

    def _symbol(self, text: bytes) -> int:
        if text not in self._number:
            self._number[text] = len(self.symbols)
            self.symbols.append(text)
        return self._number[text]

    def __len__(self) -> int:
        return len(self.units)

    def is_cut(self, done: int) -> bool:
        """Return whether there were pieces to cut the text with after so many rounds."""
        return 0 < done <= len(self._cuts) and self._cuts[done - 1] is not None

    def state(self, word: int, done: int) -> tuple[Part, ...]:
        """Return the parts of a word after so many rounds, the last one for more than there are."""
        return self._states[min(done, len(self._cuts))][word]

    def made(self, _done: int) -> tuple[Span, ...]:
        """Return nothing: a round cuts anew, it joins no two parts."""
        return ()

    def touching(self, where: Span | None = None) -> NDArray[np.int64]:
        """Return after how many rounds something changed, rising; where: only what touches that."""
        found = [
            done
            for done, (before, after) in enumerate(pairwise(self._states), start=1)
            if self.is_cut(done) and _seen(before, where) != _seen(after, where)
        ]
        return np.array(found, dtype=np.int64)


def _seen(state: tuple[tuple[Part, ...], ...], where: Span | None) -> object:
    """Return what of a state touches some base symbols of a word, all of it without any."""
    if where is None:
        return state
    return [p for p in state[where.word] if p.first <= where.last and where.first <= p.last]
