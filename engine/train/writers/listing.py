"""What every format lists of a trained BPE vocabulary: its pieces, its merges, what is odd there.

Merges that are learnt never make a text twice: a stretch of text comes to the same two symbols
wherever it stands, so one pair makes it. Merges that are given can, and so can the mark of a
word's end where the corpus spells it. Files name a piece by its text, so a text that is made again
keeps its first id, as in HuggingFace's and subword-nmt's trainers.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from engine.errors import ParameterError
from engine.terminal import counted
from engine.train.bpe import TrainedBpe
from engine.train.words import SPACE

Pair = tuple[bytes, bytes]


class Written(NamedTuple):
    """The content of a format's files, and what a person should know of it."""

    files: tuple[bytes, ...]
    notes: tuple[str, ...] = ()


def refusal(what: str, remedy: str) -> ParameterError:
    """Return the error for what a format can't hold."""
    return ParameterError(what, "", remedy)


def ids_of(trained: TrainedBpe) -> dict[bytes, int]:
    """Return the id of each text that is a piece, ascending: its first, where it has two."""
    ids: dict[bytes, int] = {}
    for number, symbol in enumerate(trained.merges.symbols):
        ids.setdefault(symbol, number)
    return ids


def pairs_of(trained: TrainedBpe) -> list[Pair]:
    """Return the two parts of each merge in the order learnt, each pair of texts once."""
    symbols = trained.merges.symbols
    left, right = trained.merges.left.tolist(), trained.merges.right.tolist()
    return list(dict.fromkeys((symbols[a], symbols[b]) for a, b in zip(left, right, strict=True)))


def specials_of(trained: TrainedBpe) -> dict[str, int]:
    """Return the ids of the special tokens."""
    first = len(trained.merges.symbols)
    return {text: first + i for i, text in enumerate(trained.settings.specials)}


def doubled(trained: TrainedBpe) -> list[int]:
    """Return the merges, counted from 0, whose text an earlier piece has."""
    ids, base = ids_of(trained), len(trained.merges.base)
    made = trained.merges.symbols[base:]
    return [k for k, symbol in enumerate(made) if ids[symbol] != base + k]


def note_doubled(trained: TrainedBpe) -> tuple[str, ...]:
    """Return a note of the merges whose text an earlier piece has, none where there are none."""
    again = doubled(trained)
    if not again:
        return ()
    text = shown(trained.merges.symbols[len(trained.merges.base) + again[0]])
    said = f"{counted(len(again), 'merge')} made a text that was a piece already, the first {text}"
    return (f"{said}: they lead to that piece, and their own ids stay empty",)


def unreached(trained: TrainedBpe) -> list[int]:
    """Return the merges, counted from 0, that the text of their own piece never comes to.

    Earlier merges take that text apart in another way. Only given merges that the corpus doesn't
    hold can be so: any other was met in the corpus.
    """
    symbols, base = trained.merges.symbols, len(trained.merges.base)
    rank = {pair: k for k, pair in enumerate(pairs_of(trained))}
    asked = [k for k, count in enumerate(trained.merges.count.tolist()) if not count]
    return [
        k for k in asked if merge(_first_symbols(trained, base + k), rank) != [symbols[base + k]]
    ]


def merge(symbols: list[bytes], rank: dict[Pair, int]) -> list[bytes]:
    """Merge neighbours by listed pairs, the lowest rank first, from left to right."""
    while True:
        ranks = [rank.get(pair, len(rank)) for pair in pairwise(symbols)]
        best = min(ranks, default=len(rank))
        if best == len(rank):
            return symbols
        at = ranks.index(best)
        symbols = [*symbols[:at], symbols[at] + symbols[at + 1], *symbols[at + 2 :]]


def _first_symbols(trained: TrainedBpe, symbol: int) -> list[bytes]:
    """Return the base symbols of a symbol."""
    merges, base = trained.merges, len(trained.merges.base)
    found: list[bytes] = []
    left = [symbol]
    while left:
        top = left.pop()
        if top < base:
            found.append(merges.base[top])
        else:
            left += [int(merges.right[top - base]), int(merges.left[top - base])]
    return found


def shown(text: bytes) -> str:
    """Return a piece as an error or note shows it."""
    return repr(text.decode("utf-8", errors="backslashreplace"))


def mark_inside(trained: TrainedBpe) -> bool:
    """Whether a piece has SentencePiece's mark for a space after its first character."""
    mark = SPACE.encode()
    return any(symbol.find(mark, 1) > 0 for symbol in trained.merges.symbols)
