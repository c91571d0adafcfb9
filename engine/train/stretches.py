"""What a Unigram trainer sees: stretches of characters that no piece crosses, with counts.

Words come first: texts are normalized as SentencePiece does, and cut before each mark for a space.
Words are cut where no piece may stand, so the constraints on pieces are met by whatever piece is
found inside of a stretch, and the lattice of a word is those of its stretches one after another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import TrainingError
from engine.kernels import compiled
from engine.pipeline import check_unicode
from engine.pipelines.characters import pack
from engine.pipelines.sentencepiece import Normalization, escape_lines
from engine.progress import Report, silent
from engine.train.scripts import (
    ALONE,
    ANY,
    DROPPED,
    FOLLOWS,
    SCRIPT,
    Constraints,
    character_classes,
)
from engine.train.words import MOST, Words, WordTable, chunks_of, words_of

IDENTITY = "identity"
"""The rule that changes nothing but spaces."""

MOST_SYMBOLS = 1_600_000_000
"""Symbols of all stretches: their places are numbers of 32 bits."""

KEYS = 4
"""Keys that rows are sorted by before they are compared whole."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Different stretches in order of their symbols, whatever the order of the texts.

    alphabet: int32[a], code points, ascending; a symbol is a place in it. symbols: int32[n], all
    stretches end to end. offsets: int64[k + 1], where they begin. counts: int64[k]. left_out:
    characters of the corpus outside the alphabet; left_bytes: their bytes.
    """

    alphabet: NDArray[np.int32]
    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    counts: NDArray[np.int64]
    left_out: int = 0
    left_bytes: int = 0

    def __len__(self) -> int:
        return len(self.counts)


class Normalizer:
    """SentencePiece's normalizer by the name of its rule, `identity` for none but spaces."""

    def __init__(self, rule: str, prefix: bool, remove: bool) -> None:
        from sentencepiece import SentencePieceNormalizer

        self._spaces = Normalization(rule, False, prefix, remove) if rule == IDENTITY else None
        self._library = SentencePieceNormalizer(
            rule_name=rule,
            add_dummy_prefix=prefix,
            escape_whitespaces=True,
            remove_extra_whitespaces=remove,
        )

    def lines(self, texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the texts normalized, uint8 end to end, and where each ends, int64."""
        ready = escape_lines(texts, self._spaces) if self._spaces is not None else None
        if ready is not None:
            return ready[0], ready[1][1:]
        check_unicode(texts)
        return pack(self._library.normalize(list(texts)))


def spaced_words(
    texts: Iterable[str],
    normalizer: Normalizer,
    by_space: bool = True,
    report: Report = silent,
) -> Words:
    """Normalize texts and count their words, each with the mark for a space that it begins with.

    A line's end at the end of a text isn't part of it. by_space: words begin at the marks, else
    each text is one. report: called with the characters counted, the total unknown (0). The sizes
    of the words' corpus are those of the given texts. Raises `TextError` for a lone surrogate.
    """
    table: WordTable | PlainTable | None = None
    number = characters = size = 0
    for chunk in chunks_of(texts):
        report(characters, 0)
        given = pack(chunk)[1]
        if table is None:
            table = WordTable() if compiled(int(given[-1])) else PlainTable()
        number += len(chunk)
        characters += sum(map(len, chunk))
        size += int(given[-1])
        data, ends = normalizer.lines([text.removesuffix("\n") for text in chunk])
        cuts = np.zeros(len(data) + 1, dtype=np.bool_)
        cuts[ends] = True
        if by_space:
            cuts[:-3] |= (data[:-2] == 0xE2) & (data[1:-1] == 0x96) & (data[2:] == 0x81)
        table.enter(data, np.flatnonzero(cuts[1:]) + 1)
    report(characters, characters)
    found = (table or PlainTable()).found()
    if len(found[2]) and int(found[2].max()) > MOST:
        raise TrainingError(
            f"a word occurs {int(found[2].max()):,} times", "", f"at most {MOST:,} can be counted"
        )
    return Words(*found, number, characters, size)


class PlainTable:
    """Counts words without a kernel."""

    def __init__(self) -> None:
        self._counts: Counter[bytes] = Counter()

    def enter(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Count the words that lie end to end in `data`, where `ends` are."""
        whole = data.tobytes()
        self._counts.update(whole[a:b] for a, b in pairwise([0, *ends.tolist()]))

    def found(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return bytes, offsets and counts of the words."""
        words = words_of(self._counts.items())
        return words.data, words.offsets, words.counts


def stretches_of(
    words: Words,
    constraints: Constraints,
    coverage: float,
    look: Callable[[], None] = lambda: None,
) -> Stretches:
    """Cut words, which are valid UTF-8, into stretches that no piece crosses.

    coverage: the share of the corpus's characters that the alphabet is to cover; the most frequent
    are taken until it does, of equally frequent ones the lowest code point first. look: called
    between steps; it may raise, to cancel. Raises `TrainingError` for too many to be numbered.
    """
    points = _code_points(words.data)
    if len(points) > MOST_SYMBOLS:
        raise TrainingError(
            f"the corpus has {len(points):,} characters in different words",
            "",
            f"give a part with at most {MOST_SYMBOLS:,}",
        )
    most = int(points.max(initial=0)) + 1
    leading = (words.data & 0xC0) != 0x80
    first = np.zeros(len(points), dtype=np.bool_)
    first[(np.cumsum(leading) - 1)[words.offsets[:-1]]] = True
    word = np.cumsum(first, dtype=np.int32) - 1
    often = np.bincount(points, words.counts[word].astype(np.float64), most)
    look()
    alphabet = covering(often, coverage)
    present = np.flatnonzero(often)
    classes = np.zeros(most, dtype=np.int32)
    classes[present] = character_classes(present, constraints)
    outside = np.ones(most, dtype=np.bool_)
    outside[alphabet] = False
    classes[outside] = DROPPED
    gone = present[outside[present]]
    look()
    own = classes[points]
    begins = _begins(own, first)
    kept = own != DROPPED
    number = np.zeros(most, dtype=np.int32)
    number[alphabet] = np.arange(len(alphabet))
    symbols, starts = number[points[kept]], np.flatnonzero(begins[kept])
    offsets = np.append(starts, len(symbols)).astype(np.int64)
    look()
    rows = _sorted_rows(symbols, offsets, words.counts[word[kept][starts]], look)
    sizes = np.array([len(chr(c).encode()) for c in gone.tolist()], dtype=np.int64)
    left = often[gone].astype(np.int64)
    return Stretches(alphabet, *rows, int(left.sum()), int(np.dot(left, sizes)))


def covering(often: NDArray[Any], coverage: float) -> NDArray[np.int32]:
    """Return the code points of an alphabet, ascending; NUL is never in it.

    often: by code point, how often each stands in the corpus.
    """
    able = np.flatnonzero(often)
    able = able[able != 0]
    able = able[np.argsort(-often[able], kind="stable")]
    before = np.cumsum(often[able]) - often[able]
    taken = able[before < coverage * often[able].sum()]
    return np.sort(taken).astype(np.int32)


def _code_points(data: NDArray[np.uint8]) -> NDArray[np.int32]:
    text = data.tobytes().decode("utf-8")
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.int32)


def _begins(own: NDArray[np.int32], first: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where stretches begin among characters of the classes `own`.

    first: where words begin.
    """
    if not len(own):
        return first
    # A character that follows is of the script before it, in its word; the first is of any.
    fixed = np.where(first | (own != FOLLOWS), np.arange(len(own), dtype=np.int32), 0)
    script = own[np.maximum.accumulate(fixed)]
    script[script == FOLLOWS] = ANY
    apart = (own == ALONE) | (own == DROPPED)
    begins = first.copy()
    begins[1:] |= apart[1:] | apart[:-1]
    begins[1:] |= (script[1:] != script[:-1]) & (script[1:] >= SCRIPT) & (script[:-1] >= SCRIPT)
    return begins


def packed(
    symbols: NDArray[np.int32], places: NDArray[np.integer], ends: NDArray[np.integer], size: int
) -> NDArray[np.uint64]:
    """Return the `size` symbols from each place on as a key, 0 for each that lies past its end.

    Four symbols are packed by 16 bits, two by 32. Keys order as the symbols do.
    """
    key = np.zeros(len(places), dtype=np.uint64)
    for step in range(size):
        at = places + step
        inside = at < ends
        at[~inside] = 0
        key <<= np.uint64(64 // size)
        key |= np.where(inside, symbols[at] + 1, 0).astype(np.uint64)
    return key


def key_size(alphabet: int) -> int:
    """Return how many symbols of an alphabet of so many fit into a key: four or two."""
    return 4 if alphabet < 0xFFFF else 2


def _sorted_rows(
    symbols: NDArray[np.int32],
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    look: Callable[[], None],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return different rows sorted, with the sums of their counts."""
    starts, ends = offsets[:-1], offsets[1:]
    if not len(starts):
        return symbols, offsets, counts
    size = key_size(int(symbols.max()) + 1)
    keys = [packed(symbols, starts + step * size, ends, size) for step in range(KEYS)]
    look()
    order = np.lexsort(keys[::-1])
    look()
    same = np.ones(len(order) - 1, dtype=np.bool_)
    for key in keys:
        ordered = key[order]
        same &= ordered[1:] == ordered[:-1]
    long = (ends - starts)[order] >= KEYS * size
    tied = same & long[1:] & long[:-1]
    in_run = np.append(tied, False) | np.insert(tied, 0, False)
    # Rows that fill the keys and are equal so far are few: they are compared whole.
    run = np.flatnonzero(in_run)
    if len(run):
        group = np.cumsum(np.insert(~tied, 0, True))[run].tolist()
        swapped = symbols.astype(">u4").tobytes()
        bounds = zip(starts[order[run]].tolist(), ends[order[run]].tolist(), strict=True)
        texts = [swapped[4 * a : 4 * b] for a, b in bounds]
        ranks = sorted(range(len(run)), key=lambda i: (group[i], texts[i]))
        order[run] = order[run[ranks]]
        equal = [texts[a] == texts[b] for a, b in pairwise(ranks)]
        same[run[1:] - 1] = np.where(tied[run[1:] - 1], equal, same[run[1:] - 1])
    look()
    lead = np.flatnonzero(np.insert(~same, 0, True))
    summed = np.add.reduceat(counts[order], lead)
    chosen = order[lead]
    lengths = (ends - starts)[chosen]
    made = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    index = np.repeat(starts[chosen] - made[:-1], lengths) + np.arange(made[-1])
    return symbols[index], made, summed
