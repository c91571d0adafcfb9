"""Words of a corpus: the kernel's counts beside a Counter, pre-tokenizers by name."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import regex

from engine.encodings import PATTERNS
from engine.errors import ParameterError, TextError
from engine.train.units import byte_units, character_units
from engine.train.words import CHUNK, count_words, cut, words_of

LINES = [
    "The weather's lovely 今天天气不错\n",
    "don't 123456 go\r\n",
    "  \n",
    "",
    "हिन्दी 🌤️ a\u0301 The",
]


def counts(words):
    return dict(zip(words, words.counts.tolist(), strict=True))


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_words_of_a_published_pattern_are_its_matches(name):
    expected = Counter(m for line in LINES for m in regex.findall(PATTERNS[name], line))
    words = count_words(LINES, name)
    assert counts(words) == {word.encode(): n for word, n in expected.items()}
    assert [w.decode() for w in words] == list(expected)  # as they occur first
    assert words.n_texts == 5
    assert words.n_chars == sum(map(len, LINES))
    assert words.n_bytes == len("".join(LINES).encode())
    assert words.total == expected.total()


def test_many_words_over_many_chunks_are_all_counted():
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = ["".join(rng.choices(letters, k=rng.randint(1, 7))) for _ in range(60_000)]
    lines = [" ".join(rng.choices(names, k=40)) for _ in range(15_000)]
    assert sum(map(len, lines)) > CHUNK
    expected = Counter(m for line in lines for m in regex.findall(r" ?\w+", line))
    assert counts(count_words(lines, "gpt2")) == {w.encode(): n for w, n in expected.items()}


def test_names_and_patterns():
    line = ["a  b-b\ta ", "ab"]
    assert counts(count_words(line, "whitespace")) == {b"a": 2, b"b-b": 1, b"ab": 1}
    assert counts(count_words(line, "metaspace")) == {
        "▁a".encode(): 2, "▁b-b".encode(): 1, "▁ab".encode(): 1,
    }  # fmt: skip
    assert counts(count_words(["a\x1cb\u2003c"], "whitespace")) == {b"a\x1cb": 1, b"c": 1}
    assert list(count_words(["a\u2581b \u2581"], "metaspace")) == [
        word.encode() for word in ("\u2581a", "\u2581b", "\u2581")
    ]
    assert counts(count_words(line, "none")) == {b"a  b-b\ta ": 1, b"ab": 1}
    assert counts(count_words(line, r"b+")) == {b"b": 3}


def test_what_is_no_pre_tokenizer_is_named():
    with pytest.raises(ParameterError, match=r"'\(' names no pre-tokenizer and is no pattern"):
        count_words(["a"], "(")
    with pytest.raises(TextError):
        count_words(["a\ud800"], "gpt2")


def test_a_pattern_that_takes_too_long_is_given_up():
    pattern = r"(a|aa)+$|\S+"
    assert cut("aab aaa", pattern, 1.0) == ["aab", "aaa"]
    with pytest.raises(TimeoutError):
        cut("a" * 200 + "b", pattern, 0.01)


def test_a_long_word_has_room():
    word = "x" * 3_000_000
    assert counts(count_words([word, word], "cl100k")) == {word.encode(): 2}


def test_bytes_and_characters_as_base_symbols():
    words = words_of([("né".encode(), 2), (b"n", 3)])
    units = byte_units(words)
    assert len(units.base) == 256
    assert units.symbols.tolist() == [*"né".encode(), ord("n")]
    assert units.tokens == 2 * 3 + 3
    units = character_units(words, "</w>")
    assert [symbol.decode() for symbol in units.base] == ["n", "n</w>", "é</w>"]
    assert units.symbols.tolist() == [0, 2, 1]
    assert units.offsets.tolist() == [0, 2, 3]
    assert character_units(words, alphabet="z").base == (b"n", b"z", "é".encode())
