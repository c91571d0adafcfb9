"""Pipelines of tokenizer.json beside the library: added tokens, normalizers, decoders."""

from __future__ import annotations

import itertools
import json
import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from engine.errors import SegscopeError
from engine.formats import load
from engine.model import Encoding, Model
from engine.pipelines.components import byte_level, describe
from tests.engine.documents import added, bpe, byte_level_bpe, write_json

SCRAPS = [
    *"abeh", "he", "new", "line", "newline", " ", "  ", "\n", "\t", "<t>", "<s>", "Foo", "foo",
    "é", "e\u0301", "今", "ﬁ", "İ", ".", "12", "\u200d", "▁", "Ġ", "\0",
]  # fmt: skip
CHARACTERS = sorted({*"".join(SCRAPS), *"oni'\u0307"})
VOCAB = {"<unk>": 0, **{char: i for i, char in enumerate(CHARACTERS, start=1)}}
PIECES = ["he", "new", "line", "▁he", "oo"]
WHOLE = {**VOCAB, **{text: len(VOCAB) + i for i, text in enumerate(["ne", "li", *PIECES])}}
MERGES = ["n e", "l i", "h e", "ne w", "li ne", "▁ he", "o o"]


def texts(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(SCRAPS, k=draw.randrange(12))) for _ in range(count)]


def document(**parts: Any) -> dict[str, Any]:
    return {**bpe(WHOLE, MERGES, unk_token="<unk>"), **parts}


def open_both(folder: Path, content: dict[str, Any]) -> tuple[Model, Tokenizer]:
    return load(write_json(folder, content)), Tokenizer.from_str(json.dumps(content))


def same_place(encoding: Encoding, offsets: list[tuple[int, int]], text: str) -> bool:
    """Whether spans are the library's, but for swallowed marks and dummy prefixes."""
    for token, (start, end) in zip(encoding.tokens, offsets, strict=True):
        ours = (token.start_char, token.end_char)
        more = text[end : token.end_char]
        marks = all(unicodedata.category(char) in ("Mn", "Mc", "Cf") for char in more)
        if ours != (start, end) and ours != (start, start) and not (ours[0] == start and marks):
            return False
    return True


def compare(model: Model, peer: Tokenizer, lines: list[str]) -> int:
    """Compare ids, spans and decoded text of lines in both modes; return how many."""
    compared = 0
    for special in ("literal", "parse"):
        peer.encode_special_tokens = special == "literal"
        for line in lines:
            try:
                expected = peer.encode(line, add_special_tokens=False)
            except BaseException as error:
                # The library panics on some texts; so must ours, but politely.
                if type(error).__name__ != "PanicException":
                    raise
                with pytest.raises(SegscopeError, match="the tokenizers library fails"):
                    model.encode(line, special=special)
                continue
            found = model.encode(line, special=special)
            assert found.ids.tolist() == expected.ids, (special, line)
            # Of characters that a model drops in silence the library loses count.
            spanned = model.spelling.unknown >= 0 or model.byte_level
            assert not spanned or same_place(found, expected.offsets, line), (special, line)
            theirs = peer.decode(expected.ids, skip_special_tokens=False)
            assert model.decode(expected.ids).decode(errors="replace") == theirs, (special, line)
            compared += 1
    peer.encode_special_tokens = True
    kept = [line for line in lines if "<t>" not in line]
    batch = model.encode_lines(kept)
    for i, line in enumerate(kept):
        assert batch[i].tolist() == peer.encode(line, add_special_tokens=False).ids, line
    return compared


FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@pytest.mark.parametrize("flags", list(itertools.product([False, True], repeat=5)))
def test_added_tokens_are_cut_out_as_the_library_does(
    tmp_path: Path, flags: tuple[bool, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    chosen = dict(zip(FLAGS, flags, strict=True))
    # Those that the model knows keep its ids.
    tokens = [added(WHOLE[text], text, **chosen) for text in ("new", "line")]
    tokens += [added(len(WHOLE), "<t>", **chosen), added(len(WHOLE) + 1, "Foo", **chosen)]
    content = document(
        added_tokens=tokens,
        normalizer={"type": "Lowercase"} if chosen["rstrip"] else None,
        pre_tokenizer={"type": "Whitespace"} if chosen["lstrip"] else None,
    )
    model, peer = open_both(tmp_path, content)
    assert compare(model, peer, texts(60, 1)) > 90
    capfd.readouterr()


SPACES = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
SPLIT = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithNext", "invert": False}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


@pytest.mark.parametrize(
    ("normalizer", "pre_tokenizer"),
    [
        (None, None),
        ({"type": "NFC"}, SPACES),
        ({"type": "NFKD"}, {**SPACES, "prepend_scheme": "first", "split": False}),
        ({"type": "Strip", "strip_left": True, "strip_right": True}, SPACES),
        (
            {"type": "Strip", "strip_left": True, "strip_right": False},
            {**SPACES, "prepend_scheme": "first"},
        ),
        ({"type": "Replace", "pattern": {"String": " "}, "content": "▁"}, None),
        ({"type": "Prepend", "prepend": "▁"}, SPLIT),
        (BERT, {"type": "BertPreTokenizer"}),
        ({"type": "Lowercase"}, {"type": "Punctuation", "behavior": "Isolated"}),
        (
            {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]},
            {"type": "Digits", "individual_digits": True},
        ),
        (None, {"type": "CharDelimiterSplit", "delimiter": "e"}),
        (None, {"type": "UnicodeScripts"}),
    ],
)
def test_texts_come_as_the_library_makes_them(
    tmp_path: Path, normalizer: object, pre_tokenizer: object
) -> None:
    model, peer = open_both(tmp_path, document(normalizer=normalizer, pre_tokenizer=pre_tokenizer))
    assert compare(model, peer, texts(120, 2)) == 240


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"normalizer": {"type": "NFC"}},
        {"pre_tokenizer": {**BYTES, "add_prefix_space": True}},
        {
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTES],
            }
        },
        {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": None},
        {"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": SPACES},
        {"added_tokens": [added(0, "Ġ"), added(258, "<s>", special=True), added(0, "a")]},
    ],
)
def test_byte_level_texts_come_as_the_library_makes_them(
    tmp_path: Path, parts: dict[str, Any]
) -> None:
    content = byte_level_bpe(("h", "e"), ("Ġ", "he"), **parts)
    for token in content["added_tokens"]:
        token["id"] = content["model"]["vocab"].get(token["content"], token["id"])
    model, peer = open_both(tmp_path, content)
    compare(model, peer, texts(120, 3))


@pytest.mark.parametrize(
    "decoder",
    [
        None,
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    ],
)
def test_ids_decode_as_the_library_decodes_them(tmp_path: Path, decoder: object) -> None:
    model, peer = open_both(tmp_path, document(decoder=decoder))
    draw = random.Random(4)
    for _ in range(100):
        ids = draw.choices(range(len(set(WHOLE.values()))), k=draw.randrange(8))
        assert model.decode(ids).decode() == peer.decode(ids, skip_special_tokens=False)


def test_a_text_that_the_library_panics_at_is_an_error(tmp_path: Path) -> None:
    endless = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"}
    model = load(write_json(tmp_path, document(pre_tokenizer={**endless, "invert": False})))
    assert len(model.encode("aab")) == 3
    text = "a" * 40 + "!"
    with pytest.raises(SegscopeError, match="library fails on this text"):
        model.encode(text)
    with pytest.raises(SegscopeError, match="library fails on"):
        model.encode_lines(["a", text])


def test_an_added_token_that_a_normalizer_changes_decodes_as_the_library_writes_it(
    tmp_path: Path,
) -> None:
    content = document(
        normalizer={"type": "Lowercase"},
        added_tokens=[added(len(WHOLE), "FOO", normalized=True)],
        decoder={"type": "Fuse"},
    )
    model, peer = open_both(tmp_path, content)
    ids = model.encode("aFoo").ids.tolist()
    assert ids == peer.encode("aFoo").ids == [WHOLE["a"], len(WHOLE)]
    assert model.decode(ids).decode() == peer.decode(ids)


def test_what_is_byte_level() -> None:
    def kind(normalizer: object, *steps: object) -> bool:
        splitter = {"type": "Sequence", "pretokenizers": list(steps)}
        return byte_level({"normalizer": normalizer, "pre_tokenizer": splitter})

    assert kind(None, BYTES)
    assert kind(None, SPLIT, BYTES)
    assert kind({"type": "ByteLevel"}, {"type": "WhitespaceSplit"})
    assert not kind(None, SPLIT)
    # What comes after may only split; else the model sees characters.
    assert not kind({"type": "ByteLevel"}, SPACES)
    assert not kind({"type": "ByteLevel"}, BYTES)


def test_components_are_described_in_one_line() -> None:
    steps = {
        "type": "Sequence",
        "pretokenizers": [SPLIT, {"type": "Sequence", "pretokenizers": [BYTES]}],
    }
    assert describe(steps, "pretokenizers") == (
        'Split(pattern " ", behavior "MergedWithNext"), ByteLevel(use_regex)'
    )
    assert describe(None, "pretokenizers") == ""
    charsmap = {"type": "Precompiled", "precompiled_charsmap": "AAAA" * 1000}
    assert describe(charsmap, "normalizers") == "Precompiled"


def test_xlnet_and_qwen_texts_with_marks(shared: Path) -> None:
    folder = shared / "data" / "models" / "huggingface"
    lines = ["Ünï e\u0301\u0300x  \u1100\u1161 ﬁn ``a'' नि\u200dक", "  \n ", "", "a" * 300]
    for name in ("xlnet_cased", "bert_base_cased", "gte_wordpiece", "mistral_v1", "gpt2"):
        path = folder / f"{name}.tokenizer.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        content["post_processor"] = content["padding"] = content["truncation"] = None
        model, peer = load(path), Tokenizer.from_str(json.dumps(content))
        assert compare(model, peer, lines) == 2 * len(lines)
