"""Making texts ready: bytes, pre-tokens and the way back to the text as given."""

from __future__ import annotations

import random
import unicodedata
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TextError
from engine.formats import load
from engine.model import Model
from engine.pipeline import Prepared, cut_out
from engine.pipelines.bytepiece import compose
from engine.pipelines.specials import prepare_parsed
from engine.text import Text
from tests.engine.documents import (
    bpe,
    byte_level_bpe,
    bytepiece,
    piece,
    sentencepiece,
    tokenizer,
    write_json,
    write_ranks,
)

ALPHABET = [
    *"abeE. ", "  ", "\n", "\t", "é", "e\u0301", "今", "天", "ﬁ", "㍿", "각", "\u1100\u1161\u11a8",
    "👨\u200d👩", "\u0301", "नि", "▁", "Ġ", "\0", "\u2028", "Å", "A\u030a", "\u212b", "ﷺ",
]  # fmt: skip


def random_texts(count: int, seed: int = 5) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(ALPHABET, k=draw.randrange(14))) for _ in range(count)]


CHARACTERS = {char: i for i, char in enumerate(dict.fromkeys("".join(ALPHABET)))}


def models(folder: Path) -> dict[str, Model]:
    """Return a model of every kind of pipeline."""
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    bert = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }
    documents = {
        "plain": bpe(CHARACTERS, []),
        "byte level": byte_level_bpe(),
        "byte level, NFC": byte_level_bpe(normalizer={"type": "NFC"}),
        "byte level, NFKD": byte_level_bpe(normalizer={"type": "NFKD"}),
        "metaspace": {**bpe(CHARACTERS, []), "pre_tokenizer": spaces},
        "bert": {
            **bpe(CHARACTERS, []),
            "normalizer": bert,
            "pre_tokenizer": {"type": "BertPreTokenizer"},
        },
    }
    found = {
        name: load(write_json(folder, document, f"{name}.json"))
        for name, document in documents.items()
    }
    found["tiktoken"] = load(write_ranks(folder, [b" a", b"ab"]), pattern="cl100k", specials={})
    found["bytepiece"] = load(write_json(folder, bytepiece({b"ab": 5}), "b.model"))
    for name, options in (("sp", (True, True)), ("sp raw", (False, False))):
        path = folder / f"{name}.model"
        path.write_bytes(
            sentencepiece(
                piece("a", -1),
                byte_fallback=True,
                dummy_prefix=options[0],
                remove_spaces=options[1],
            )
        )
        found[name] = load(path)
    return found


@pytest.fixture(scope="module")
def all_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Model]:
    return models(tmp_path_factory.mktemp("models"))


def check(prepared: Prepared, text: Text) -> None:
    """Check what holds for every prepared text."""
    m, k = len(prepared.data), len(prepared.fixed)
    assert prepared.text is text
    assert prepared.cuts.dtype == prepared.source_start.dtype == np.int32
    assert len(prepared.cuts) == k + 1
    assert prepared.cuts[0] == 0
    assert prepared.cuts[-1] == m
    assert (np.diff(prepared.cuts) > 0).all()
    assert len(prepared.source_start) == len(prepared.source_end) == m
    assert (prepared.source_start >= 0).all()
    assert (prepared.source_start <= prepared.source_end).all()
    assert (prepared.source_end <= text.n_bytes).all()


NAMES = [
    "plain", "byte level", "byte level, NFC", "byte level, NFKD", "metaspace", "bert", "tiktoken",
    "bytepiece", "sp", "sp raw",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_bulk_road_makes_what_the_aligned_road_makes(
    all_models: dict[str, Model], name: str
) -> None:
    model = all_models[name]
    lines = ["", *random_texts(200), ""]
    ready = model.pipeline.prepare_lines(lines)
    assert len(ready.line_cuts) == len(lines) + 1
    for i, line in enumerate(lines):
        text = Text(line)
        prepared = model.prepare(text)
        check(prepared, text)
        first, last = int(ready.line_cuts[i]), int(ready.line_cuts[i + 1])
        spans = zip(ready.starts[first:last].tolist(), ready.ends[first:last].tolist(), strict=True)
        cuts = prepared.cuts.tolist()
        assert [ready.data[a:b].tobytes() for a, b in spans] == [
            prepared.data[a:b].tobytes() for a, b in pairwise(cuts)
        ], line


@pytest.mark.parametrize("name", NAMES)
def test_bytes_that_stand_in_the_text_point_at_themselves(
    all_models: dict[str, Model], name: str
) -> None:
    for line in random_texts(100, seed=8):
        text = Text(line)
        prepared = all_models[name].prepare(text)
        one = np.flatnonzero(prepared.source_end - prepared.source_start == 1)
        found = text.data[prepared.source_start[one]]
        # A byte of one source byte is that byte, or what lower case or a space made of it.
        same = prepared.data[one] == found
        changed = {
            (bytes([a]), bytes([b]))
            for a, b in zip(found[~same], prepared.data[one][~same], strict=True)
        }
        assert all(a.lower() == b or a in b" \t\n\0" for a, b in changed), (line, changed)


@pytest.mark.parametrize("name", NAMES)
def test_a_lone_surrogate_is_an_error_that_names_the_line(
    all_models: dict[str, Model], name: str
) -> None:
    with pytest.raises(TextError, match=r"U\+D800"):
        all_models[name].encode("a\ud800")
    with pytest.raises(TextError, match="line 2, character 1"):
        all_models[name].encode_lines(["fine", "a\ud800b"])


def spans(prepared: Prepared) -> list[tuple[str, int, int]]:
    """Return each character of the prepared bytes with its span in bytes of the text."""
    chars = Text(prepared.data.tobytes().decode())
    bounds = chars.char_bounds.tolist()
    return [(chars.string[i], *prepared.span(a, b)) for i, (a, b) in enumerate(pairwise(bounds))]


def test_composed_characters_have_the_span_of_all_their_parts(
    all_models: dict[str, Model],
) -> None:
    for name in ("byte level, NFC", "bytepiece"):
        prepared = all_models[name].prepare("xe\u0301y")
        assert spans(prepared) == [("x", 0, 1), ("é", 1, 4), ("y", 4, 5)], name
        jamo = all_models[name].prepare("\u1100\u1161\u11a8a")
        assert spans(jamo) == [("각", 0, 9), ("a", 9, 10)], name


def test_parts_of_a_taken_apart_character_share_its_span(all_models: dict[str, Model]) -> None:
    prepared = all_models["byte level, NFKD"].prepare("aﬁé")
    assert spans(prepared) == [
        ("a", 0, 1),
        ("f", 1, 4),
        ("i", 1, 4),
        ("e", 4, 6),
        ("\u0301", 4, 6),
    ]


def test_a_dummy_prefix_stands_for_nothing(all_models: dict[str, Model]) -> None:
    for name in ("sp", "metaspace"):
        assert spans(all_models[name].prepare("a b")) == [
            ("▁", 0, 0),
            ("a", 0, 1),
            ("▁", 1, 2),
            ("b", 2, 3),
        ], name
    assert spans(all_models["sp"].prepare("  a   b ")) == [
        ("▁", 2, 2),
        ("a", 2, 3),
        ("▁", 3, 6),
        ("b", 6, 7),
    ]
    assert spans(all_models["sp raw"].prepare(" a")) == [("▁", 0, 1), ("a", 1, 2)]


def test_stripped_accents_belong_to_their_letter(all_models: dict[str, Model]) -> None:
    prepared = all_models["bert"].prepare("Éx e\u0301y")
    assert spans(prepared) == [("e", 0, 2), ("x", 2, 3), ("e", 4, 7), ("y", 7, 8)]
    assert prepared.cuts.tolist() == [0, 2, 4]


def test_a_character_in_halves_is_spanned_by_bytes(all_models: dict[str, Model]) -> None:
    encoding = all_models["byte level"].encode("a今")
    assert list(zip(encoding.start.tolist(), encoding.end.tolist(), strict=True)) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
    ]
    assert [(t.start_char, t.end_char) for t in encoding.tokens] == [(0, 1), (1, 2), (1, 2), (1, 2)]


def test_special_tokens_around_a_text_have_empty_spans(all_models: dict[str, Model]) -> None:
    encoding = all_models["bytepiece"].encode("ab", add_special=True)
    assert encoding.ids.tolist() == [1, 259, 2]
    assert encoding.start.tolist() == [0, 0, 2]
    assert encoding.end.tolist() == [0, 2, 2]


@given(st.text(alphabet=st.sampled_from("".join(ALPHABET)), max_size=20))
@settings(deadline=None)
def test_composition_is_that_of_the_whole_and_aligned(string: str) -> None:
    text = Text(string)
    composed, start, end = compose(text)
    assert composed.string == unicodedata.normalize("NFC", string)
    assert len(start) == len(end) == composed.n_bytes
    assert (np.diff(start) >= 0).all()
    assert (start <= end).all()
    # Each character was made of no more than what it points at.
    bounds = composed.char_bounds
    for i, char in enumerate(composed.string):
        a, b = int(start[bounds[i]]), int(end[bounds[i + 1] - 1])
        source = text.encoded[a:b].decode()
        assert char in unicodedata.normalize("NFC", source)


def test_what_lies_between_pre_tokens_is_left_out() -> None:
    text = Text("ab cd e")
    starts, ends = np.array([0, 3, 6], np.int32), np.array([2, 5, 7], np.int32)
    prepared = cut_out(text, starts, ends)
    check(prepared, text)
    assert prepared.data.tobytes() == b"abcde"
    assert prepared.cuts.tolist() == [0, 2, 4, 5]
    assert prepared.source_start.tolist() == [0, 1, 3, 4, 6]
    assert prepared.span(1, 3) == (1, 4)
    assert prepared.span(5, 5) == (7, 7)
    touching = cut_out(text, np.array([0, 2, 5], np.int32), np.array([2, 4, 7], np.int32))
    assert touching.data.tobytes() == b"ab c e"
    assert touching.cuts.tolist() == [0, 2, 4, 6]


def test_spans_at_once_are_spans_one_by_one(all_models: dict[str, Model]) -> None:
    for line in random_texts(30, seed=2):
        prepared = all_models["sp"].prepare(line)
        m = len(prepared.data)
        starts = np.array([0, 0, m // 2, m, m], np.int32)
        ends = np.array([0, m, m, m, m], np.int32)
        first, last = prepared.spans(starts, ends)
        pairs = list(zip(first.tolist(), last.tolist(), strict=True))
        assert pairs == [
            prepared.span(s, e) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
        ]


def test_strings_are_cut_out_longest_first(all_models: dict[str, Model]) -> None:
    text = Text("x<s><s>>é<s")
    prepared = prepare_parsed(text, {"<s>": 7, "<s>>": 8}, all_models["byte level"].prepare)
    check(prepared, text)
    cuts = prepared.cuts.tolist()
    parts = [prepared.data[a:b].tobytes() for a, b in pairwise(cuts)]
    assert parts == [b"x", b"<s>", b"<s>>", "é".encode(), b"<", b"s"]
    assert prepared.fixed.tolist() == [-1, 7, 8, -1, -1, -1]
    assert prepared.source_start.tolist() == list(range(len(text)))
    empty = prepare_parsed(Text(""), {"<s>": 7}, all_models["byte level"].prepare)
    assert len(empty.data) == 0


def test_words_of_a_unigram_json_have_their_spans(tmp_path: Path) -> None:
    document = tokenizer(
        {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0.0], ["▁a", -1.0], ["b", -1.0]]},
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {
                    "type": "Metaspace",
                    "replacement": "▁",
                    "prepend_scheme": "always",
                    "split": True,
                },
            ],
        },
    )
    encoding = load(write_json(tmp_path, document)).encode(" ab  a\n")
    assert encoding.ids.tolist() == [1, 2, 1]
    assert [(t.start_char, t.end_char) for t in encoding.tokens] == [(1, 2), (2, 3), (5, 6)]
