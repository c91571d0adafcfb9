"""Positions in a text, numbers at random, and bytes for the eye."""

from __future__ import annotations

import random

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from engine.display import hexadecimal, visible
from engine.errors import TextError
from engine.rng import GOLDEN, key_of, mix, seed_number, uniform, uniform_rows, uniforms
from engine.text import Text, Unit

FAMILY = "👨‍👩‍👧"
UNITS: tuple[Unit, ...] = ("byte", "char", "grapheme", "utf16")


def counts(string: str) -> tuple[int, int, int, int]:
    text = Text(string)
    return text.n_bytes, text.n_chars, text.n_graphemes, text.n_utf16


@pytest.mark.parametrize(
    ("string", "wanted"),
    [
        ("", (0, 0, 0, 0)),
        ("abc", (3, 3, 3, 3)),
        ("é", (2, 1, 1, 1)),
        ("e\u0301", (3, 2, 1, 2)),
        ("今天", (6, 2, 2, 2)),
        ("😀", (4, 1, 1, 2)),
        (FAMILY, (18, 5, 1, 8)),
        ("🇩🇪🇫🇷", (16, 4, 2, 8)),
        ("\u1112\u1161\u11ab", (9, 3, 1, 3)),
        ("नि", (6, 2, 1, 2)),
        ("a\r\nb\n\r", (6, 6, 5, 6)),
        ("\x00\u2028\ufeff", (7, 3, 3, 3)),
    ],
)
def test_counts(string: str, wanted: tuple[int, int, int, int]) -> None:
    assert counts(string) == wanted


def test_positions_of_a_family_between_letters() -> None:
    text = Text(f"a{FAMILY}b")
    assert text.bounds("grapheme").tolist() == [0, 1, 19, 20]
    assert text.bounds("char").tolist() == [0, 1, 5, 8, 12, 15, 19, 20]
    assert text.bounds("utf16").tolist() == [0, 1, 1, 5, 8, 8, 12, 15, 15, 19, 20]
    # A token that ends inside the family touches all of it.
    assert text.position("grapheme", 6) == 1
    assert text.position("grapheme", 6, up=True) == 2
    assert text.position("char", 6) == 2
    assert text.position("char", 6, up=True) == 3
    assert text.position("utf16", 6) == 3
    assert text.position("utf16", 6, up=True) == 4
    assert text.slice(6, 7) == "\u200d"
    assert text.slice(0, 2) == "a👨"
    assert text.slice(3, 3) == "👨"


texts = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("a\r\n\u0301\u200d👨👩👧🇩🇪한\u1112\u1161\u11ab"),
    ),
    max_size=30,
)


@given(texts)
def test_maps_agree_with_python(string: str) -> None:
    text = Text(string)
    encoded = string.encode()
    assert text.data.tobytes() == encoded
    chars = [len(string[:i].encode()) for i in range(len(string) + 1)]
    assert text.bounds("char").tolist() == chars
    pieces = regex.findall(r"\X", string)
    graphemes = np.cumsum([0, *(len(piece.encode()) for piece in pieces)])
    assert text.bounds("grapheme").tolist() == graphemes.tolist()
    assert text.n_utf16 == len(string.encode("utf-16-le")) // 2
    units = 0
    for i, char in enumerate(string):
        assert text.position("utf16", chars[i]) == units
        assert text.byte("utf16", units) == chars[i]
        units += len(char.encode("utf-16-le")) // 2


@given(texts, st.data())
def test_a_position_and_its_byte_lead_back(string: str, data: st.DataObject) -> None:
    text = Text(string)
    byte = data.draw(st.integers(0, text.n_bytes))
    for unit in UNITS:
        low, high = text.position(unit, byte), text.position(unit, byte, up=True)
        assert text.byte(unit, low) <= byte <= text.byte(unit, high)
        if text.byte(unit, low) == byte:
            assert low == high
        bounds = text.bounds(unit)
        assert len(bounds) == text.position(unit, text.n_bytes) + 1
        assert (np.diff(bounds) >= 0).all()


def test_a_lone_surrogate_is_refused_with_its_place() -> None:
    with pytest.raises(TextError, match=r"U\+D800, character 2, remove it"):
        Text("ab\ud800c")


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(TextError, match=r"notes\.txt: byte 5 \(line 2\), value 0xFF"):
        Text.from_bytes(b"abc\nd\xffe", "notes.txt")
    assert Text.from_bytes(b"\xef\xbb\xbfa\r\n").string == "\ufeffa\r\n"


def test_positions_outside_are_refused() -> None:
    text = Text("äb")
    with pytest.raises(IndexError, match="byte offset 4"):
        text.position("char", 4)
    with pytest.raises(IndexError, match="char position 3"):
        text.byte("char", 3)
    with pytest.raises(IndexError, match="grapheme position -1"):
        text.byte("grapheme", -1)


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b" the", "␣the"),
        (b"\ta\r\n", "→a␍↵"),
        ("今".encode()[:2], "E4 BB"),
        (b"a" + "今".encode()[:2] + b"b", "aE4 BBb"),
        (b"\x00\x1b", "U+0000U+001B"),
        ("\u0301".encode(), "◌\u0301"),
        ("e\u0301".encode(), "e\u0301"),
        (" \u0301".encode(), "␣◌\u0301"),
        (b"\xff" + "\u0301".encode(), "FF◌\u0301"),
        (FAMILY.encode(), FAMILY),
        ("👨\u200d".encode(), "👨U+200D"),
        ("\u200d👩".encode(), "U+200D👩"),
        ("👨\u200d".encode() + b"\xf0\x9f", "👨U+200DF0 9F"),
        ("क्\u200dष".encode(), "क्\u200dष"),
        ("🏴\U000e0067\U000e007f".encode(), "🏴\U000e0067\U000e007f"),
        ("\ufeff\u2028\u00a0\u00ad".encode(), "U+FEFFU+2028U+00A0U+00AD"),
        ("\u06dd١".encode(), "\u06dd١"),
        ("▁x".encode(), "▁x"),
        (b"", ""),
    ],
)
def test_bytes_for_the_eye(data: bytes, shown: str) -> None:
    assert visible(data) == shown


def test_hexadecimal() -> None:
    assert hexadecimal("你".encode()) == "E4 BD A0"


def test_splitmix64_is_the_published_generator() -> None:
    # The first outputs of Vigna's splitmix64.c with x = 1234567.
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [mix(1234567 + (i + 1) * GOLDEN) for i in range(5)] == published
    assert uniform(1234567, 0) == (published[0] >> 11) / 2**53


def test_numbers_read_at_any_place_are_the_same() -> None:
    rng = random.Random(1)
    keys = [rng.getrandbits(64) for _ in range(7)] + [0, 2**64 - 1]
    rows = uniform_rows(keys, 5, 40)
    for key, row in zip(keys, rows, strict=True):
        assert row.tolist() == [uniform(key, i) for i in range(5, 45)]
        assert uniforms(key, 12, 3).tolist() == row[7:10].tolist()
    assert uniforms(3, 0, 0).shape == (0,)
    numbers = uniforms(key_of(0), 0, 100_000)
    assert 0 <= numbers.min() < numbers.max() < 1
    # Mean and variance of 100,000 uniform numbers, at five standard errors.
    assert abs(numbers.mean() - 1 / 2) < 5 / np.sqrt(12 * 100_000)
    assert abs(numbers.var() - 1 / 12) < 5 / np.sqrt(180 * 100_000)


def test_keys_stay_what_they_are() -> None:
    # A saved seed must give the same draws in every later version.
    assert key_of(7) == 16403258703644632223
    assert key_of(7, 1) == 2174948161648732372
    assert key_of(-(10**30), 2) != key_of(10**30, 2)
    assert len({key_of(seed, stream) for seed in range(50) for stream in range(50)}) == 2500


def test_neighbouring_streams_have_nothing_in_common() -> None:
    rows = uniform_rows([key_of(seed) for seed in range(200)], 0, 200)
    correlation = np.corrcoef(rows)
    off = correlation[~np.eye(200, dtype=bool)]
    assert abs(off).max() < 0.4
    assert abs(off.std() - 1 / np.sqrt(200)) < 0.01


def test_a_generator_gives_one_number_as_seed() -> None:
    first, second = np.random.default_rng(5), np.random.default_rng(5)
    assert seed_number(first) == seed_number(second)
    assert seed_number(first) == seed_number(second) != seed_number(first)
    assert seed_number(True) == 1


def test_the_head_of_a_text_ends_at_a_grapheme():
    text = Text("ab👨‍👩‍👧c")
    assert text.head(100) is text
    assert text.head(text.n_bytes - 1).string == "ab👨‍👩‍👧"
    assert text.head(10).string == "ab"
    assert text.head(1).string == "a"
