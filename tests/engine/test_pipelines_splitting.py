"""Split patterns: what `regex` makes of them is what the models' own libraries make."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import tiktoken
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from engine.encodings import PATTERNS
from engine.pipelines.splitting import (
    Splitter,
    isolated,
    odd_characters,
    same_everywhere,
    stand_ins,
    usual,
)

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# Letters and digits that only a later Unicode has, one that it moved, and what is odd about s.
NEW = ["\u0558", "\u088f", "\u1acf", "\U00011de0", "\ua7ce", "\u0295"]
SCRAPS = [
    *" \t\n\r'aZsdTt019²Ⅳéß今नि\u0301\u200d.,!/-_<\u00a0\u2028\u3000\u0085\x1cſǅʰ",
    "'s", "'LL", "'ſ", "  ", "\r\n", "123", *NEW,
]  # fmt: skip


def texts(count: int) -> list[str]:
    draw = random.Random(11)
    return ["".join(draw.choices(SCRAPS, k=draw.randrange(25))) for _ in range(count)]


def by_tiktoken(pattern: str) -> Callable[[str], list[tuple[int, int]]]:
    """Return a function that gives the matches of tiktoken: with bytes as ranks, by counting."""
    # Each match is one token if its bytes have a rank: count by encoding prefix after prefix.
    splitter = Split(Regex(pattern), "isolated")
    return lambda text: [span for _, span in splitter.pre_tokenize_str(text)]


@pytest.mark.parametrize("pattern", [QWEN, PATTERNS["o200k"]])
def test_pre_tokens_are_those_of_the_tokenizers_library(pattern: str) -> None:
    assert same_everywhere(pattern)
    splitter, theirs = Splitter(pattern), by_tiktoken(pattern)
    for text in texts(400):
        assert isolated(splitter.spans(text), len(text)) == theirs(text), repr(text)


@pytest.mark.parametrize("name", PATTERNS)
def test_pre_tokens_are_those_of_tiktoken(name: str) -> None:
    # Pieces of a byte and of two equal ones: where tokens end tells where pre-tokens end.
    pieces = {bytes([byte]): byte for byte in range(256)}
    pattern = PATTERNS[name]
    splitter = Splitter(pattern)
    for text in texts(300):
        words = [text[a:b].encode() for a, b in splitter.spans(text)]
        ranks = dict(pieces)
        for word in words:
            for end in range(2, len(word) + 1):
                ranks.setdefault(word[:end], len(ranks))
        peer = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        found = [peer.decode_single_token_bytes(i) for i in peer.encode_ordinary(text)]
        assert found == words, repr(text)


def test_many_lines_are_split_as_one_by_one() -> None:
    for pattern in (*PATTERNS.values(), r"\p{L}+", r"\p{N}*"):
        splitter = Splitter(pattern)
        lines = ["", *texts(100), ""]
        whole = "".join(lines)
        spans, cuts = splitter.line_spans(whole, lines)
        base = 0
        for i, line in enumerate(lines):
            own = spans[cuts[i] : cuts[i + 1]] - base
            assert [tuple(span) for span in own.tolist()] == splitter.spans(line)
            base += len(line)
        assert cuts[-1] == len(spans)


def test_odd_characters_get_stand_ins_of_their_class() -> None:
    assert odd_characters("plain") == set()
    assert odd_characters("é今\u0295") == {"\u0295"}
    found = stand_ins(["\u0295", "\u0378", "\U0010fffd"])
    # In the library's Unicode U+0295 is a small letter; U+0378 is no character at all.
    assert found == {"\u0295": "a", "\u0378": "\ue000", "\U0010fffd": "\ue000"}
    assert usual("x\u0295y\u0378") == "xay\ue000"
    same = "nothing odd, 今天"
    assert usual(same) is same


@pytest.mark.parametrize(
    ("pattern", "known"),
    [
        (QWEN, True),
        (PATTERNS["o200k"], True),
        (r"\p{N}{1,3}", True),
        (r"\p{N}{1,3}+", False),
        (r"\w+", False),
        (r"[\p{Han}]", False),
        (r"[a-z&&b]", False),
        (r"[a[bc]]", False),
        (r"", False),
    ],
)
def test_only_patterns_that_both_libraries_read_alike_are_known(pattern: str, known: bool) -> None:
    assert same_everywhere(pattern) is known


def test_what_lies_between_is_isolated() -> None:
    assert isolated([(1, 2), (2, 4), (6, 7)], 9) == [(0, 1), (1, 2), (2, 4), (4, 6), (6, 7), (7, 9)]
    assert isolated([], 3) == [(0, 3)]
    assert isolated([], 0) == []
