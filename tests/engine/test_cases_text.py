"""Cases from people who do this job: normalizing, pre-tokenizing, special strings, spans.

The number of a case is in its test's name; the values are what the models' own libraries give.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer

from engine.errors import ParameterError
from engine.formats import load
from engine.model import Model
from tests.engine.documents import added, bpe, write_json
from tests.engine.real_models import NAMES, ids, normalized, real, round_trip

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("hello", [6312, 28709]),
        (" hello", [28705, 6312, 28709]),
        ("  hello", [259, 6312, 28709]),
    ],
)
def test_c28_leading_spaces_survive_a_dummy_prefix(
    shared: Path, text: str, wanted: list[int]
) -> None:
    model = real(shared, "mistral")
    assert ids(model, text) == wanted
    assert round_trip(model, text) == text


def test_c28_extra_spaces_are_lost_by_design(shared: Path) -> None:
    model = real(shared, "english")
    assert round_trip(model, "  hello  world  ") == "hello world"
    assert "removes extra spaces" in model.pipeline.normalizer


@pytest.mark.parametrize(
    ("char", "xlnet", "english"),
    [
        ("\t", " ", " \u2047 "),
        ("\n", " ", " \u2047 "),
        ("\u00a0", " ", " "),
        ("\u3000", " ", " "),
        ("\u2009", " ", " "),
        ("\u2028", " ", " \u2047 "),
        ("\u0085", " \u2047 ", " \u2047 "),
        ("\u200b", " ", " \u2047 "),
        ("\ufeff", " ", " \u2047 "),
    ],
)
def test_c30_separators_by_normalizer(shared: Path, char: str, xlnet: str, english: str) -> None:
    text = f"a{char}b"
    assert round_trip(real(shared, "xlnet"), text) == f"a{xlnet}b"
    assert round_trip(real(shared, "english"), text) == f"a{english}b"
    assert round_trip(real(shared, "mistral"), text) == text


def test_c31_spans_are_unions_not_a_partition(shared: Path) -> None:
    # One character becomes three tokens that share it; two characters become one token.
    encoding = real(shared, "xlnet").encode("a\u2026b")
    spans = [(token.start_char, token.end_char) for token in encoding.tokens]
    assert spans.count((1, 2)) >= 1
    composed = list(real(shared, "xlnet").encode("e\u0301t").tokens)
    assert (composed[1].start_char, composed[1].end_char) in {(0, 2), (0, 3)}
    jamo = list(real(shared, "gte").encode("\uc548").tokens)
    assert [(t.start_char, t.end_char) for t in jamo] == [(0, 1), (0, 1), (0, 1)]


def test_c32_the_two_normalizers_of_xlnet_differ(shared: Path) -> None:
    text = unicodedata.normalize("NFD", "\uac01\ub098")
    assert normalized(real(shared, "xlnet"), text) == "\u2581\uac01\ub098"
    assert normalized(real(shared, "xlnet json"), text) == "\u2581" + text


def test_c33_a_joiner_is_a_space_for_one_normalizer_and_kept_by_others(shared: Path) -> None:
    man, woman, girl = FAMILY.split("\u200d")
    assert normalized(real(shared, "xlnet"), FAMILY) == f"\u2581{man}\u2581{woman}\u2581{girl}"
    assert normalized(real(shared, "english"), FAMILY) == f"\u2581{FAMILY}"
    sinhala = "\u0dc1\u0dca\u200d\u0dbb\u0dd3"
    assert normalized(real(shared, "xlnet"), sinhala).count("\u2581") == 2
    for name, tokens in (("gpt2", 10), ("mistral", 15)):
        assert len(ids(real(shared, name), FAMILY)) == tokens
        assert round_trip(real(shared, name), FAMILY) == FAMILY
        assert round_trip(real(shared, name), sinhala) == sinhala


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("\u0939\u093f\u0928\u094d\u0926\u0940", (6, 4, 1)),
        ("\u0ba4\u0bae\u0bbf\u0bb4\u0bcd", (4, 3, 1)),
        ("\u0639\u064e\u0631\u064e\u0628\u0650\u064a\u0651\u064e\u0629", (9, 6, 1)),
        ("\u0639\u0640\u0640\u0640\u0631\u0628\u064a", (1, 1, 1)),
        ("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", (1, 1, 1)),
    ],
)
def test_c36_pre_tokens_before_combining_marks(
    shared: Path, text: str, counts: tuple[int, int, int]
) -> None:
    for name, count in zip(("r50k", "cl100k", "o200k"), counts, strict=True):
        assert len(real(shared, name).prepare(text).fixed) == count


def test_c38_lower_case_and_stripped_accents(shared: Path) -> None:
    model = real(shared, "gte")
    text = "\uc548\ub155 caf\u00e9 \u0639\u0640\u0631\u0628\u064a \u00dcn\u00ef \u06a9\u062a\u06ce"
    assert normalized(model, text) == (
        "\u110b\u1161\u11ab\u1102\u1167\u11bc"
        "cafe\u0639\u0640\u0631\u0628\u064auni\u06a9\u062a\u06ce"
    )
    assert [t.text for t in model.encode(text).tokens][:3] == ["\u110b", "##\u1161", "##\u11ab"]


def test_c41_an_unknown_character_decodes_to_a_mark_that_is_not_stable(shared: Path) -> None:
    model = real(shared, "english")
    first = round_trip(model, "Y\u4ecaY")
    second = round_trip(model, first)
    assert (first, second, round_trip(model, second)) == ("Y \u2047 Y", "Y ?? Y", "Y ?? Y")


def test_c43_several_tokens_inside_one_character(shared: Path) -> None:
    spans = [(t.start_char, t.end_char) for t in real(shared, "gpt2").encode("x\u2b62y").tokens]
    assert spans == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]
    spans = [(t.start_char, t.end_char) for t in real(shared, "mistral json").encode("中文").tokens]
    # The dummy prefix stands for nothing in the text; the library gives it the first character.
    assert spans == [(0, 0), (0, 1), (1, 2)]


def with_added(shared: Path, tmp_path: Path, *entries: dict[str, Any]) -> tuple[Model, Tokenizer]:
    path = shared / "data" / "models" / NAMES["gpt2"]
    document = json.loads(path.read_text(encoding="utf-8"))
    document["added_tokens"] += entries
    peer = Tokenizer.from_str(json.dumps(document))
    return load(write_json(tmp_path, document)), peer


def test_c45_spaces_around_an_added_token_are_swallowed(shared: Path, tmp_path: Path) -> None:
    entry = added(50257, "<t>", lstrip=True, rstrip=True)
    model, peer = with_added(shared, tmp_path, entry)
    tokens = list(model.encode("a <t> b").tokens)
    assert [(t.id, t.start_char, t.end_char) for t in tokens] == [
        (64, 0, 1),
        (50257, 1, 6),
        (65, 6, 7),
    ]
    assert peer.encode("a <t> b").ids == [64, 50257, 65]
    assert model.decode([64, 50257, 65]) == b"a<t>b"


def test_c45_the_longest_added_token_wins_and_single_words_stand_alone(
    shared: Path, tmp_path: Path
) -> None:
    index = real(shared, "gpt2").vocabulary.index
    new, line, he = index[b"new"], index[b"line"], index[b"he"]
    model, peer = with_added(
        shared,
        tmp_path,
        added(new, "new"),
        added(50257, "newline"),
        added(line, "line"),
        added(he, "he", single_word=True),
    )
    for text in ("newlines newline", "the hello he"):
        assert ids(model, text) == peer.encode(text).ids
    assert ids(model, "newlines newline") == [50257, index[b"s"], index[b" "], 50257]
    assert he not in ids(model, "the hello")
    assert ids(model, "the he")[-1] == he


def test_c45_a_normalized_added_token_matches_the_normalized_text(
    shared: Path, tmp_path: Path
) -> None:
    path = shared / "data" / "models" / NAMES["gte"]
    document = json.loads(path.read_text(encoding="utf-8"))
    size = len(document["model"]["vocab"])
    document["added_tokens"] += [
        added(size, "Foo", normalized=True),
        added(size + 1, "Bar", normalized=False),
    ]
    document["padding"] = document["truncation"] = None
    model = load(write_json(tmp_path, document))
    peer = Tokenizer.from_str(json.dumps(document))
    for text in ("FOO foo Foo", "BAR bar Bar"):
        assert ids(model, text) == peer.encode(text, add_special_tokens=False).ids
    assert ids(model, "FOO foo Foo") == [size] * 3
    assert ids(model, "BAR bar Bar").count(size + 1) == 1


def test_c47_special_strings_in_three_readings(shared: Path) -> None:
    text = "a<|endoftext|>"
    for name in ("r50k", "gpt2"):
        model = real(shared, name)
        assert ids(model, text) == [64, 27, 91, 437, 1659, 5239, 91, 29]
        assert model.encode(text, special="parse").ids.tolist() == [64, 50256]
        with pytest.raises(ParameterError, match=r"<\|endoftext\|>.*character 1"):
            model.encode(text, special="forbid")
        assert [(f.text, f.start_char) for f in model.encode(text).special_found] == [
            ("<|endoftext|>", 1)
        ]
    literal = [523, 28713, 28767, 28744, 700, 28713, 28767]
    assert ids(real(shared, "mistral"), "<s>x</s>") == literal
    assert ids(real(shared, "mistral json"), "<s>x</s>") == literal
    parsed = real(shared, "mistral json").encode("<s>x</s>", special="parse")
    assert parsed.ids.tolist() == [1, 28744, 2]


def test_c50_only_the_wordpiece_decoder_cleans_up(shared: Path) -> None:
    assert round_trip(real(shared, "mistral json"), "hi !") == "hi !"
    model = real(shared, "bert")
    assert round_trip(model, "don't stop , ok ?") == "don ' t stop, ok?"
    assert any("cleans up" in warning for warning in model.warnings)


def test_c52_runs_of_spaces_beside_special_tokens_of_spaces(shared: Path, tmp_path: Path) -> None:
    tokens = [added(50257, "  ", normalized=False), added(50258, "    ", normalized=False)]
    model, peer = with_added(shared, tmp_path, *tokens)
    for n in range(1, 9):
        text = f"a{' ' * n}b"
        wanted = peer.encode(text).ids
        assert ids(model, text) == wanted
        assert model.decode(wanted) == text.encode()


def test_c18_a_declared_id_stays_where_the_library_renumbers(tmp_path: Path) -> None:
    document = bpe({"a": 0, "b": 1}, [])
    document["added_tokens"] = [added(900, "<gap>", special=True)]
    model = load(write_json(tmp_path, document))
    peer = Tokenizer.from_str(json.dumps(document))
    assert isinstance(peer.get_added_tokens_decoder()[2], AddedToken)
    assert model.encode("a<gap>", special="parse").ids.tolist() == [0, 900]
    assert any("renumbers it to 2" in warning for warning in model.warnings)
