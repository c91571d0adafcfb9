"""Reading tokenizer.json: every field, both spellings, and what the library makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from engine.errors import CoverageError, ModelError, ParameterError
from engine.formats import load
from engine.model import Model
from engine.pieces import PieceKind
from tests.engine.documents import added, bpe, byte_level_bpe, tokenizer, without, write_json

WORDPIECE = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 5,
    "vocab": {"[UNK]": 0, "a": 1, "##b": 2, "ab": 3, "##": 4},
}
UNIGRAM = {
    "type": "Unigram",
    "unk_id": 0,
    "vocab": [["<unk>", 0.0], ["a", -1.5], ["b", -2], ["ab", -4.0]],
}


def read(tmp_path: Path, document: object) -> Model:
    return load(write_json(tmp_path, document))


def error_of(tmp_path: Path, document: object) -> str:
    with pytest.raises(ModelError) as caught:
        read(tmp_path, document)
    assert caught.value.remedy
    return str(caught.value)


def library(document: object) -> Tokenizer:
    peer = Tokenizer.from_str(json.dumps(document))
    peer.no_padding()
    peer.no_truncation()
    return peer


def test_both_spellings_of_merges_are_one(tmp_path: Path) -> None:
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}
    texts = read(tmp_path, bpe(vocab, ["a b", "ab c"]))
    lists = read(tmp_path, bpe(vocab, [["a", "b"], ["ab", "c"]]))
    assert texts.inspect()["merges"] == lists.inspect()["merges"] == 2
    for text in ("abc", "abcab", "cab"):
        assert texts.encode(text).ids.tolist() == lists.encode(text).ids.tolist()
    assert texts.encode("abcab").ids.tolist() == [4, 3]


def test_of_a_merge_listed_twice_the_last_counts(tmp_path: Path) -> None:
    document = bpe({"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}, [["a", "b"], ["b", "c"], ["a", "b"]])
    model = read(tmp_path, document)
    assert model.encode("abc").ids.tolist() == library(document).encode("abc").ids == [0, 4]
    assert any("1 merge listed twice" in warning for warning in model.warnings)


def test_a_merge_with_spaces_that_fits_two_ways_is_refused(tmp_path: Path) -> None:
    vocab = {"a": 0, " ": 1, "a ": 2, " a": 3, "b": 4, "a a": 5, "a  a": 6}
    document = bpe({**vocab, "  a": 7, "a  ": 8}, ["a   a"])
    assert "merge 0" in error_of(tmp_path, document)


@pytest.mark.parametrize(
    ("merge", "said"),
    [
        (["a", "x"], "right part 'x' of merge 0"),
        (["x", "a"], "left part 'x' of merge 0"),
        (["b", "a"], "result 'ba' of merge 0"),
        (["a"], "merge 0 isn't a pair"),
        (["a", 1], "merge 0 isn't a pair"),
        (7, "merge 0 isn't a pair"),
        ("a  b", "merge 0 'a  b' splits in no way"),
    ],
)
def test_a_wrong_merge_is_named(tmp_path: Path, merge: object, said: str) -> None:
    assert said in error_of(tmp_path, bpe({"a": 0, "b": 1, "ab": 2}, [merge]))


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (bpe({"a": 0}, [])["model"], "bpe"),
        (WORDPIECE, "wordpiece"),
        (UNIGRAM, "unigram"),
    ],
)
def test_a_model_without_its_type_is_still_known(
    tmp_path: Path, model: dict[str, Any], kind: str
) -> None:
    assert read(tmp_path, without(tokenizer(model), "model", "type")).algorithm == kind


def test_other_models_are_named(tmp_path: Path) -> None:
    assert "'Magic'" in error_of(tmp_path, tokenizer({"type": "Magic", "vocab": {}}))


@pytest.mark.parametrize(
    ("vocab", "said"),
    [
        ({"a": -1}, "piece 'a' has the id -1"),
        ({"a": "0"}, "piece 'a' has the id text"),
        ({"a": True}, "piece 'a' has the id"),
        ({"a": 4_000_000_000}, "ids are whole numbers from 0 to"),
        ({"a": 0, "b": 0}, "pieces 'a' and 'b' have the same id 0"),
        ({}, "the vocabulary is empty"),
        ([], "field model.vocab is a list"),
        (None, "field model.vocab is null"),
        ({"\ud800": 0}, "piece 0 holds a lone surrogate"),
    ],
)
def test_a_wrong_vocabulary_is_named(tmp_path: Path, vocab: object, said: str) -> None:
    document = tokenizer({"type": "BPE", "vocab": vocab, "merges": []})
    assert said in error_of(tmp_path, document)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["c", float("nan")], "piece 'c' has the score nan"),
        (["c", float("-inf")], "piece 'c' has the score -inf"),
        (["c", -1.7e308], "piece 'c' has the score -1.7e+308"),
        (["c", 10**400], "piece 'c' has the score 1000000000000000…0000000000000000"),
        (["c", "1"], "entry 4 of the vocabulary"),
        (["c"], "entry 4 of the vocabulary"),
        ([1, 2], "entry 4 of the vocabulary"),
        ({"c": 1}, "entry 4 of the vocabulary"),
    ],
)
def test_a_wrong_score_is_named(tmp_path: Path, row: object, said: str) -> None:
    document = tokenizer({**UNIGRAM, "vocab": [*UNIGRAM["vocab"], row]})
    assert said in error_of(tmp_path, document)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("unk_token", 5),
        ("fuse_unk", "yes"),
        ("byte_fallback", 1),
        ("ignore_merges", []),
        ("dropout", "0.1"),
        ("dropout", 10**400),
        ("continuing_subword_prefix", 3),
        ("merges", {"a": 1}),
    ],
)
def test_a_field_of_the_wrong_type_is_named(tmp_path: Path, field: str, value: object) -> None:
    document = bpe({"a": 0}, [])
    document["model"][field] = value
    assert f"model.{field}" in error_of(tmp_path, document)


def test_scores_and_unknown_of_a_unigram_model(tmp_path: Path) -> None:
    model = read(tmp_path, tokenizer(UNIGRAM))
    assert model.vocabulary.score.tolist() == [0.0, -1.5, -2.0, -4.0]
    assert model.segmenter.unknown_score == -14.0
    assert model.vocabulary.kind[0] == PieceKind.UNKNOWN
    assert model.encode("abxya").ids.tolist() == [1, 2, 0, 1]
    # The library's trie holds the unknown piece as well.
    document = tokenizer(UNIGRAM)
    assert model.encode("a<unk>b").ids.tolist() == library(document).encode("a<unk>b").ids


def test_a_piece_listed_twice_counts_as_its_last_entry(tmp_path: Path) -> None:
    document = tokenizer({**UNIGRAM, "vocab": [*UNIGRAM["vocab"], ["ab", -1.0]]})
    model = read(tmp_path, document)
    assert model.encode("ab").ids.tolist() == library(document).encode("ab").ids == [4]
    assert any("listed twice" in warning for warning in model.warnings)


def test_an_unknown_id_outside_is_an_error(tmp_path: Path) -> None:
    assert "unk_id is 9" in error_of(tmp_path, tokenizer({**UNIGRAM, "unk_id": 9}))
    assert "unk_id" in error_of(tmp_path, tokenizer({**UNIGRAM, "unk_id": -1}))


def test_without_an_unknown_token_it_is_said(tmp_path: Path) -> None:
    model = read(tmp_path, tokenizer({**UNIGRAM, "unk_id": None}))
    assert any("no unknown token" in warning for warning in model.warnings)
    assert model.encode("aab").ids.tolist() == [1, 1, 2]
    with pytest.raises(CoverageError, match=r"past 'x', character 1"):
        model.encode("axb")
    with pytest.raises(CoverageError, match=r"line 2, character 1"):
        model.encode_lines(["ab", "axb"])


def test_continuations_of_wordpiece_lose_their_mark(tmp_path: Path) -> None:
    model = read(tmp_path, tokenizer(WORDPIECE))
    vocabulary = model.vocabulary
    assert [vocabulary.bytes(i) for i in range(5)] == [b"[UNK]", b"a", b"b", b"ab", b"##"]
    assert [vocabulary.text(i) for i in range(5)] == ["[UNK]", "a", "##b", "ab", "##"]
    assert model.encode("ab").ids.tolist() == [3]
    assert model.encode("aab").ids.tolist() == [0]
    assert model.encode("abbbbb").ids.tolist() == [0]
    assert model.encode("abbbb").ids.tolist() == [3, 2, 2, 2]
    assert model.inspect()["max_input_chars_per_word"] == 5


def test_another_mark_of_continuations_is_read(tmp_path: Path) -> None:
    vocab = {"[UNK]": 0, "a": 1, "@@b": 2, "b": 3, "@@": 4, "@@@@": 5}
    document = tokenizer({**WORDPIECE, "continuing_subword_prefix": "@@", "vocab": vocab})
    model, peer = read(tmp_path, document), library(document)
    assert model.vocabulary.text(2) == "@@b"
    for text, ids in {"abb": [1, 2, 2], "a@@": [1, 5], "@@b": [2], "b": [3], "aab": [0]}.items():
        assert model.encode(text).ids.tolist() == peer.encode(text).ids == ids


def test_without_a_mark_pieces_may_stand_anywhere_in_a_word(tmp_path: Path) -> None:
    vocab = {"[UNK]": 0, "a": 1, "ab": 2}
    document = tokenizer({**WORDPIECE, "continuing_subword_prefix": "", "vocab": vocab})
    model, peer = read(tmp_path, document), library(document)
    for text, ids in {"aab": [1, 2], "aba": [2, 1], "cab": [0], "aaaaaa": [0]}.items():
        assert model.encode(text).ids.tolist() == peer.encode(text).ids == ids


def test_words_are_looked_up(tmp_path: Path) -> None:
    document = tokenizer(
        {"type": "WordLevel", "unk_token": "<u>", "vocab": {"a": 0, "b": 1, "<u>": 7}},
        pre_tokenizer={"type": "Whitespace"},
    )
    model = read(tmp_path, document)
    assert model.algorithm == "word"
    assert model.encode("a b cc c").ids.tolist() == library(document).encode("a b cc c").ids
    lattice = model.lattice("a cc c")
    assert lattice.path.ids == [0, 7, 7]
    assert lattice.paths == 1
    assert "looked up whole" in lattice.no_law


def test_a_word_model_without_an_unknown_token_names_the_word(tmp_path: Path) -> None:
    document = tokenizer(
        {"type": "WordLevel", "unk_token": "<u>", "vocab": {"a": 0}},
        pre_tokenizer={"type": "Whitespace"},
    )
    model = read(tmp_path, document)
    assert any("'<u>' isn't in the vocabulary" in warning for warning in model.warnings)
    with pytest.raises(Exception, match=r"Missing \[UNK\] token"):
        library(document).encode("a c")
    with pytest.raises(CoverageError, match=r"past 'c', character 2"):
        model.encode("a c")


def test_byte_level_pieces_are_real_bytes(tmp_path: Path) -> None:
    model = read(tmp_path, byte_level_bpe(("Ġ", "a"), ("å", "¤")))
    vocabulary = model.vocabulary
    assert vocabulary.bytes(256) == b" a"
    assert vocabulary.bytes(257) == b"\xe5\xa4"
    assert [vocabulary.bytes(i) for i in (0, 32, 255)] == [b"\0", b" ", b"\xff"]
    assert model.byte_level
    encoding = model.encode("x a天")
    assert [token.bytes for token in encoding.tokens] == [b"x", b" a", b"\xe5\xa4", b"\xa9"]
    assert model.decode(encoding.ids.tolist()) == "x a天".encode()
    # Half a character stays what it is, where the library would show U+FFFD.
    assert model.decode([257]) == b"\xe5\xa4"


def test_byte_fallback_spells_what_is_no_piece(tmp_path: Path) -> None:
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": 1 + byte for byte in range(256)}, "a": 257}
    document = bpe(vocab, [], unk_token="<unk>", byte_fallback=True)
    model = read(tmp_path, document)
    assert model.byte_fallback
    assert model.encode("a天").ids.tolist() == library(document).encode("a天").ids
    assert model.vocabulary.kind[1] == PieceKind.BYTE
    assert model.vocabulary.text(1 + 0xE5) == "<0xE5>"


def test_half_a_byte_fallback_is_refused(tmp_path: Path) -> None:
    document = bpe({"a": 0, "<0x41>": 1}, [], byte_fallback=True)
    assert "byte pieces are missing: 255 of 256" in error_of(tmp_path, document)
    model = read(tmp_path, bpe({"a": 0}, [], byte_fallback=True))
    assert not model.byte_fallback
    assert any("no effect" in warning for warning in model.warnings)


def test_dropout_in_the_file_is_told_and_not_applied(tmp_path: Path) -> None:
    model = read(tmp_path, bpe({"a": 0, "b": 1, "ab": 2}, ["a b"], dropout=0.9))
    assert any("dropout 0.9" in warning for warning in model.warnings)
    assert all(model.encode("abab").ids.tolist() == [2, 2] for _ in range(20))


def test_added_tokens_get_the_ids_that_the_library_gives(tmp_path: Path) -> None:
    document = bpe({"a": 0, "b": 5}, [])
    document["added_tokens"] = [added(2, "<x>"), added(6, "<y>"), added(0, "a"), added(3, "")]
    model = read(tmp_path, document)
    said = [warning for warning in model.warnings if "renumbers" in warning]
    peer = library(document)
    # "a" is a piece of the model; its size is 2, so the first new id is 2.
    assert (peer.token_to_id("<x>"), peer.token_to_id("<y>")) == (2, 3)
    assert said == ["added token '<y>' declares id 6; the tokenizers library renumbers it to 3"]
    assert model.encode("a<x>b").ids.tolist() == [0, 2, 5]


def test_an_added_token_on_a_taken_id_is_refused(tmp_path: Path) -> None:
    document = {**bpe({"a": 0}, []), "added_tokens": [added(0, "<x>")]}
    assert "'<x>' and piece 'a' have the same id 0" in error_of(tmp_path, document)


@pytest.mark.parametrize(
    "entry", [7, {"id": 1}, added(1, "x") | {"id": "1"}, added(1, "x") | {"lstrip": 2}]
)
def test_a_wrong_added_token_is_named(tmp_path: Path, entry: object) -> None:
    document = {**bpe({"a": 0}, []), "added_tokens": [entry]}
    assert "added_tokens[0]" in error_of(tmp_path, document)


def template(*items: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "TemplateProcessing",
        "single": [*items],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            "<s>": {"id": "<s>", "ids": [2, 1], "tokens": ["<s>", "b"]},
            "</s>": {"id": "</s>", "ids": [3], "tokens": ["</s>"]},
        },
    }


START = {"SpecialToken": {"id": "<s>", "type_id": 0}}
END = {"SpecialToken": {"id": "</s>", "type_id": 0}}
TEXT = {"Sequence": {"id": "A", "type_id": 0}}


@pytest.mark.parametrize(
    ("processor", "expected"),
    [
        (None, ((), ())),
        (template(TEXT), ((), ())),
        (template(START, TEXT, END), ((2, 1), (3,))),
        (template(TEXT, END), ((), (3,))),
        ({"type": "BertProcessing", "sep": ["</s>", 3], "cls": ["<s>", 2]}, ((2,), (3,))),
        (
            {
                "type": "RobertaProcessing",
                "sep": ["</s>", 3],
                "cls": ["<s>", 2],
                "trim_offsets": True,
                "add_prefix_space": False,
            },
            ((2,), (3,)),
        ),
        (
            {
                "type": "Sequence",
                "processors": [
                    {
                        "type": "ByteLevel",
                        "add_prefix_space": True,
                        "trim_offsets": False,
                        "use_regex": True,
                    },
                    template(START, TEXT),
                ],
            },
            ((2, 1), ()),
        ),
    ],
)
def test_start_and_end_tokens_come_from_the_post_processor(
    tmp_path: Path, processor: object, expected: object
) -> None:
    document = {**bpe({"a": 0, "b": 1}, []), "post_processor": processor}
    document["added_tokens"] = [added(2, "<s>", special=True), added(3, "</s>", special=True)]
    model = read(tmp_path, document)
    assert model.template == expected
    ids = model.encode("ab", add_special=True).ids.tolist()
    assert ids == library(document).encode("ab").ids


def test_a_template_of_ids_that_are_no_pieces_is_refused(tmp_path: Path) -> None:
    document = {**bpe({"a": 0}, []), "post_processor": template(START, TEXT)}
    assert "field post_processor" in error_of(tmp_path, document)


@pytest.mark.parametrize("part", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
def test_what_the_library_refuses_is_an_error(
    tmp_path: Path, part: str, capfd: pytest.CaptureFixture[str]
) -> None:
    document = {**bpe({"a": 0}, []), part: {"type": "Nonsense"}}
    assert "the tokenizers library refuses" in error_of(tmp_path, document)
    panics = {**template(START, TEXT), "special_tokens": {}}
    refused = {**bpe({"a": 0}, []), "post_processor": panics}
    assert "the tokenizers library refuses" in error_of(tmp_path, refused)
    capfd.readouterr()


def test_inspect_describes_the_pipeline(tmp_path: Path) -> None:
    document = byte_level_bpe(("a", "b"), normalizer={"type": "NFC"})
    facts = read(tmp_path, document).inspect()
    assert facts["normalizer"] == "NFC"
    assert facts["pre_tokenizer"] == "ByteLevel(use_regex)"
    assert facts["ignore_merges"] is False
    assert (facts["byte_level"], facts["byte_fallback"]) == (True, False)
    assert (facts["format"], facts["algorithm"]) == ("huggingface", "bpe")


def test_forbidden_special_strings_are_an_error_and_found_in_any_mode(tmp_path: Path) -> None:
    document = bpe({"a": 0, "<": 1, "s": 2, ">": 3}, [])
    document["added_tokens"] = [added(4, "<s>", special=True)]
    model = read(tmp_path, document)
    for special, expected in (("literal", [0, 1, 2, 3]), ("parse", [0, 4])):
        encoding = model.encode("a<s>", special=special)
        assert encoding.ids.tolist() == expected
        assert [(f.text, f.start_char) for f in encoding.special_found] == [("<s>", 1)]
    with pytest.raises(ParameterError, match="character 1"):
        model.encode("a<s>", special="forbid")


def test_ids_outside_the_vocabulary_do_not_decode(tmp_path: Path) -> None:
    model = read(tmp_path, bpe({"a": 0, "b": 2}, []))
    for number in (1, 3, -1):
        with pytest.raises(ParameterError, match="no piece has id"):
            model.decode([0, number])


def test_every_id_of_real_models_is_the_librarys(shared: Path) -> None:
    for path in sorted((shared / "data" / "models" / "huggingface").glob("*.json")):
        if path.stat().st_size > 5e6:
            continue
        model, peer = load(path), Tokenizer.from_file(str(path))
        tokens = peer.get_vocab(with_added_tokens=True)
        assert len(model.vocabulary) == max(tokens.values()) + 1
        assert model.vocabulary.count == len(tokens)
        known = np.array([model.pipeline.tokens[i] == token for token, i in tokens.items()])
        assert known.all()
