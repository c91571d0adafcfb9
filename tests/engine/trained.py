"""Small trained BPE vocabularies for the tests of saving, and texts to encode with them."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

from engine.train.bpe import BpeSettings, TrainedBpe, train_bpe
from engine.train.words import count_words

EVERYDAY = Path(__file__).resolve().parents[2] / "resources" / "corpora" / "everyday"
LANGUAGES = ("en", "de", "ru", "el", "ar", "he", "hi", "ta", "zh-Hans", "ja", "ko", "ka")
SPECIALS = ("<unk>", "<|endoftext|>")

_LETTERS = [*"abcdeTs'12.,<>/w é中ß한", "  ", "\u0301", "😀", "\u200d", "the", "\u00a0"]


@cache
def lines() -> tuple[str, ...]:
    """Return the first lines of the bundled corpus in a dozen languages."""
    found: list[str] = []
    for language in LANGUAGES:
        text = (EVERYDAY / f"{language}.txt").read_text(encoding="utf-8")
        found += text.splitlines()[:20]
    return tuple(found)


@cache
def scrambled(count: int = 150) -> tuple[str, ...]:
    """Return random texts of letters, marks, spaces and line ends."""
    draw = random.Random(4)
    letters = [*_LETTERS, "\n", "\t", "\r\n"]
    return tuple(
        "".join(draw.choice(letters) for _ in range(draw.randint(0, 25))) for _ in range(count)
    )


@cache
def train(settings: BpeSettings) -> TrainedBpe:
    """Return a vocabulary trained on `lines`, equal settings once."""
    return train_bpe(lines(), settings)


def counted_ids(trained: TrainedBpe, text: str) -> Counter[int]:
    """Return how often each id stands in a text, by training's own rule: its words, its merges.

    A character that is no piece counts as the id -1 and lets nothing merge over it.
    """
    settings, merges = trained.settings, trained.merges
    first = {symbol: i for i, symbol in reversed(list(enumerate(merges.symbols)))}
    rows = list(zip(merges.left.tolist(), merges.right.tolist(), strict=True))
    rank = {pair: k for k, pair in reversed(list(enumerate(rows)))}
    found: Counter[int] = Counter()
    words = count_words([text], settings.pre_tokenizer)
    for word, times in zip(words, words.counts.tolist(), strict=True):
        if settings.style == "bytes":
            ids = list(word)
        else:
            *inside, last = word.decode()
            ids = [first.get(c.encode(), -1) for c in (*inside, last + settings.end_of_word)]
        while True:
            places = [(rank[p], i) for i, p in enumerate(pairwise(ids)) if p in rank]
            if not places:
                break
            number, at = min(places)
            ids[at : at + 2] = [len(merges.base) + number]
        for number in ids:
            found[number] += times
    return found
