"""Pre-tokens by kernel: the split patterns beside `regex`, BERT's words beside the library."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine import bundled, load
from engine.encodings import PATTERNS
from engine.errors import TextError
from engine.pipelines.characters import pack
from engine.pipelines.scanning import SCANS, scan
from engine.pipelines.splitting import Splitter
from engine.pipelines.words import WordTable

MIXED = (
    "aAǅʰא\u0300 0٣'sSſtTrReEvVlLdDmM \n\r\t\u3000\u00a0/.,!-ß中é\x85\x1c\u200b"
    "\u0295\U0001e5d0\ue000"
)


def by_kernel(pattern: str, lines: list[str]) -> tuple[list[int], list[int]]:
    data, line_ends = pack(lines)
    ends, cuts = scan(SCANS[pattern], data, line_ends)
    return ends.tolist(), cuts.tolist()


def by_regex(pattern: str, lines: list[str]) -> tuple[list[int], list[int]]:
    spans, cuts = Splitter(pattern).line_spans("".join(lines), lines)
    whole = "".join(lines)
    assert (spans[1:, 0] == spans[:-1, 1]).all()
    return [len(whole[:end].encode()) for end in spans[:, 1].tolist()], cuts.tolist()


@pytest.mark.parametrize("pattern", SCANS)
def test_patterns_on_random_text(pattern: str) -> None:
    draw = random.Random(5)
    for _ in range(40):
        lines = ["".join(draw.choices(MIXED, k=draw.randint(0, 14))) for _ in range(30)]
        assert by_kernel(pattern, lines) == by_regex(pattern, lines)


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("gpt2", "It's  12345 ok\n\n", ["It", "'s", " ", " 12345", " ok", "\n\n"]),
        ("gpt2", "it'S", ["it", "'", "S"]),
        ("cl100k", "it'S 12345", ["it", "'S", " ", "123", "45"]),
        (
            "cl100k",
            "(a) !\r\n x\n  \n  b  ",
            ["(a", ")", " !\r\n", " x", "\n  \n", " ", " b", "  "],
        ),
        ("cl100k", "'ſa", ["'ſ", "a"]),
        ("o200k", "HTMLParser'S IDs", ["HTMLParser'S", " IDs"]),
        ("o200k", "ABC\u0300D e/\n/f", ["ABC\u0300", "D", " e", "/\n/", "f"]),
        ("o200k", "\u0300AB", ["\u0300", "AB"]),
        ("o200k", "\n  ", ["\n", "  "]),
    ],
)
def test_what_a_pattern_does(name: str, text: str, pieces: list[str]) -> None:
    data = text.encode()
    ends, _ = by_kernel(PATTERNS[name], [text])
    assert [data[a:b].decode() for a, b in zip([0, *ends], ends, strict=False)] == pieces
    assert Splitter(PATTERNS[name]).compiled.findall(text) == pieces


def test_lone_surrogates_are_named() -> None:
    with pytest.raises(TextError, match="line 2"):
        pack(["a", "b\ud800"])


@pytest.mark.parametrize("lower", [False, True])
def test_words_on_random_text(lower: bool) -> None:
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    normalizer, splitter = BertNormalizer(lowercase=lower), BertPreTokenizer()
    table = WordTable(normalizer, splitter)
    draw = random.Random(7)
    letters = "abÉßİ中한 \t.,$¿。\u0301\u0323\u0000\ufffd\u00ad\u3000Σ\u0958ﬁ\u302e\ua9c0\U0001d15e"
    told = 0
    for _ in range(1500):
        line = "".join(draw.choices(letters, k=draw.randint(0, 9)))
        found = table.split([line, "x"])
        if found is None:
            continue
        told += 1
        data, ends, cuts = found
        pieces = [p for p, _ in splitter.pre_tokenize_str(normalizer.normalize_str(line)) if p]
        assert data.tobytes() == "".join([*pieces, "x"]).encode()
        assert ends.tolist() == np.cumsum([len(p.encode()) for p in [*pieces, "x"]]).tolist()
        assert cuts.tolist() == [0, len(pieces), len(pieces) + 1]
    assert told > 900


def test_marks_that_may_change_places_are_left_to_the_library() -> None:
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    table = WordTable(BertNormalizer(), BertPreTokenizer())
    assert table.split(["a\u302e\u0323b", "\ua9c0"]) is not None
    assert table.split(["a\u302e\u0323\ua9c0"]) is None
    assert table.split(["\U0001d15e"]) is None


@pytest.mark.parametrize("name", ["everyday-wordpiece", "everyday-bpe"])
def test_many_lines_are_cut_as_one_by_one(name: str) -> None:
    model = load(bundled.model_path(name))
    lines = ["Good morning, Straße 12!", "", "今天天气 不错", " I'll  go\n", "🦊\u0301 é"] * 100
    batch = model.encode_lines(lines)
    for i in range(5):
        assert batch[i].tolist() == model.encode(lines[i]).ids.tolist()
        assert batch[i + 495].tolist() == batch[i].tolist()
