"""Cases from people who do this job: model files. The number of a case is in its test's name."""

from __future__ import annotations

import base64
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor
from tiktoken import Encoding
from tokenizers import Tokenizer

from engine.errors import CoverageError, ModelError
from engine.formats import load
from engine.merge_rules import pair_of
from engine.model import Model
from engine.pieces import PieceKind
from tests.conformance import read_texts
from tests.engine.documents import (
    added,
    bpe,
    bytepiece,
    piece,
    sentencepiece,
    tokenizer,
    write_json,
    write_ranks,
)
from tests.engine.real_models import ids, real, round_trip


def write(folder: Path, data: bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def error_of(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load(path)
    assert caught.value.remedy
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_c09_the_merge_behind_a_rank_is_the_one_that_merging_reaches(tmp_path: Path) -> None:
    model = load(write_ranks(tmp_path, [b"st", b"tu", b"stu", b":-", b"-:", b"-:-:"]))
    st, tu, stu, after, before, both = range(256, 262)
    assert pair_of(model.bpe, stu) == (st, ord("u"))
    assert pair_of(model.bpe, tu) == (ord("t"), ord("u"))
    # `:-` merges first and leaves -, :-, :, which no rank joins.
    assert pair_of(model.bpe, both) is None
    assert pair_of(model.bpe, ord("s")) is None
    # The peer, given only the ranks below a piece's own, comes to the same parts.
    ranks = {model.vocabulary.bytes(i): i for i in range(262)}
    for number in range(256, 262):
        below = {data: rank for data, rank in ranks.items() if rank < number}
        peer = Encoding("own", pat_str=r"(?s).+", mergeable_ranks=below, special_tokens={})
        parts = tuple(peer.encode_ordinary(model.vocabulary.text(number)))
        assert pair_of(model.bpe, number) == (parts if len(parts) == 2 else None)
    assert (after, before) == (259, 260)


def test_c10_the_same_vocabulary_merges_otherwise_by_pairs_than_by_ranks(tmp_path: Path) -> None:
    # By rank any two neighbours that join to `abc` merge; the list knows only a + bc.
    ranks = load(write_ranks(tmp_path, [b"ab", b"bc", b"abc"]))
    letters = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
    pairs = load(write_json(tmp_path, bpe(letters, ["a b", "b c", "a bc"])))
    assert [t.text for t in ranks.encode("abc").tokens] == ["abc"]
    assert [t.text for t in pairs.encode("abc").tokens] == ["ab", "c"]


def test_c11_merges_whose_parts_hold_spaces(tmp_path: Path) -> None:
    vocab = {"x": 0, " ": 1, "y": 2, "x ": 3, "x y": 4}
    rows = [["x", " "], ["x ", "y"]]
    listed = bpe(vocab, rows)
    written = bpe(vocab, [" ".join(row) for row in rows])
    assert Tokenizer.from_str(json.dumps(listed)).encode("x y").ids == [4]
    with pytest.raises(Exception, match="invalid at line 1"):
        Tokenizer.from_str(json.dumps(written))
    for document in (listed, written):
        assert ids(load(write_json(tmp_path, document)), "x y") == [4]
    twice = {"a": 0, "a a": 1, "aa a": 2, "a aa": 3}
    for vocab, ways in ((twice, "in 2 ways"), ({"a": 0, "a a": 1}, "in no way")):
        document = bpe(vocab, ["a a a"])
        said = f"merge 0 'a a a' splits {ways}"
        assert said in error_of(write_json(tmp_path, document))


def test_c11_the_mark_of_continuations_is_left_out_of_the_result(tmp_path: Path) -> None:
    vocab = {"x ": 0, "##y": 1, "x y": 2}
    document = bpe(vocab, ["x  ##y"], continuing_subword_prefix="##")
    model = load(write_json(tmp_path, document))
    assert model.segmenter.result.tolist() == [2]  # type: ignore[attr-defined]


def test_c12_both_spellings_of_merges_are_read_and_none_is_told(tmp_path: Path) -> None:
    vocab = {"a": 0, "b": 1, "ab": 2}
    for merges in (["a b"], [["a", "b"]]):
        assert ids(load(write_json(tmp_path, bpe(vocab, merges))), "ab") == [2]
    model = load(write_json(tmp_path, bpe(vocab, [])))
    assert ids(model, "ab") == Tokenizer.from_str(json.dumps(bpe(vocab, []))).encode("ab").ids
    assert ids(model, "ab") == [0, 1]
    assert any("1 piece of several characters but no merges" in w for w in model.warnings)


@pytest.mark.parametrize(
    ("vocab", "said"),
    [
        ({"a": 0, "ab": 1}, "the right part 'b' of merge 0"),
        ({"a": 0, "b": 1}, "the result 'ab' of merge 0"),
    ],
)
def test_c17_a_missing_part_or_result_names_the_merge(
    tmp_path: Path, vocab: dict[str, int], said: str
) -> None:
    assert said in error_of(write_json(tmp_path, bpe(vocab, ["a b"])))


def test_c19_twins_differ_by_kind_and_bytes(shared: Path) -> None:
    vocabulary = real(shared, "mistral").vocabulary
    twins = [i for i in range(len(vocabulary)) if vocabulary.bytes(i) == b"e"]
    kinds = {PieceKind(vocabulary.kind[i]) for i in twins}
    assert kinds == {PieceKind.BYTE, PieceKind.NORMAL}
    assert {vocabulary.text(i) for i in twins} == {"<0x65>", "e"}


def test_c19_a_piece_that_stands_twice_is_named_with_both_places(tmp_path: Path) -> None:
    data = sentencepiece(piece("a"), piece("aa"), piece("aa"))
    with pytest.raises(RuntimeError, match="aa is already defined"):
        SentencePieceProcessor().LoadFromSerializedProto(data)
    assert "pieces 2 and 3" in error_of(write(tmp_path, data, "x.model"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "Git LFS pointer"),
        ("Zwölf Boxkämpfer jagen Viktor\n".encode() * 9, "text file"),
    ],
)
def test_c20_what_is_no_model_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    assert said in error_of(write(tmp_path, data, "tokenizer.model"))


def test_c20_a_rank_file_under_the_name_of_a_model_is_a_rank_file(tmp_path: Path) -> None:
    model = load(write_ranks(tmp_path, [b"ab"], "tokenizer.model"))
    assert model.format == "tiktoken"
    assert ids(model, "ab") == [256]


def test_c21_cut_and_padded_files_are_errors_at_every_byte(tmp_path: Path) -> None:
    data = sentencepiece(piece("a", -1), piece("ab", -2))
    assert "cut short or damaged" in error_of(write(tmp_path, data + b"\0junk", "t.model"))
    for size in range(1, len(data)):
        path = write(tmp_path, data[:size], "t.model")
        try:
            model = load(path)
        except ModelError:
            continue
        # Cut between two fields it is a shorter model, as for the library.
        peer = SentencePieceProcessor(model_file=str(path))
        assert ids(model, "ab a") == peer.encode("ab a")


def test_c22_a_rank_file_with_a_fault_names_the_line(tmp_path: Path) -> None:
    good = b"YQ== 0\nYg== 1\n"
    for line, said in (
        (b"!!! 2\n", "isn't base64"),
        (b"Yw== 1\n", "the rank 1 stands twice, for 'b' and 'c'"),
        (b"Yw==\n", "isn't a base64 text, a space and a rank"),
    ):
        message = error_of(write(tmp_path, good + line, "x.tiktoken"))
        assert said in message
        assert "line 3" in message
    twice = load(write(tmp_path, good + b"YQ== 2\n", "x.tiktoken"))
    assert ids(twice, "a") == [2]
    assert any("the later line counts" in warning for warning in twice.warnings)
    empty = load(write(tmp_path, good.replace(b"\n", b"\r\n") + b"= 2\n", "x.tiktoken"))
    assert ids(empty, "ab") == [0, 1]
    assert any("rank 2 is an empty piece" in warning for warning in empty.warnings)


def test_c23_nul_in_pieces_and_texts(shared: Path, tmp_path: Path) -> None:
    data = sentencepiece(piece("a"), piece("a\0b"))
    assert "NUL" in error_of(write(tmp_path, data, "n.model"))
    assert round_trip(real(shared, "mistral"), "a\0b") == "a\0b"
    assert "<0x00>" in [t.text for t in real(shared, "mistral").encode("a\0b").tokens]
    # BERT's normalizer deletes it.
    assert [t.text for t in real(shared, "bert").encode("a\0b").tokens] == ["a", "##b"]


def test_c24b_scores_that_are_no_numbers_and_unknown_pieces(tmp_path: Path) -> None:
    for score, said in ((float("nan"), "the score nan"), (float("inf"), "the score inf")):
        data = sentencepiece(piece("a"), piece("x", score))
        assert said in error_of(write(tmp_path, data, "s.model"))
    data = sentencepiece(piece("a"), piece("<u>", 0.0, 2))
    assert "2 unknown pieces" in error_of(write(tmp_path, data, "s.model"))
    for count, said in ((-1.0, "the frequency -1.0"), (float("nan"), "the frequency nan")):
        document = bytepiece({b"ab": count})
        assert said in error_of(write_json(tmp_path, document, "b.model"))
    model = load(write_json(tmp_path, bytepiece({b"ab": 0.0}), "b.model"))
    assert [t.text for t in model.encode("ab").tokens] == ["a", "b"]


def test_c25_padding_and_truncation_are_never_applied(shared: Path) -> None:
    model = real(shared, "gte")
    assert ids(model, "hello") == [7592]
    assert model.encode("hello", add_special=True).ids.tolist() == [101, 7592, 102]
    assert len(model.encode("w " * 1000, add_special=True)) == 1002
    assert any("padding and truncation" in warning for warning in model.warnings)


def test_c27_without_type_and_unknown_token_it_is_still_a_unigram_model(tmp_path: Path) -> None:
    document = tokenizer({"vocab": [["a", -1.0], ["aa", -1.5]]})
    model = load(write_json(tmp_path, document))
    assert model.algorithm == "unigram"
    assert ids(model, "aaa") == Tokenizer.from_str(json.dumps(document)).encode("aaa").ids
    with pytest.raises(CoverageError, match="past 'b', character 1"):
        model.encode("ab")
    lattice = model.lattice("ab")
    assert lattice.uncovered is not None
    assert (lattice.uncovered.at, lattice.n_edges) == (1, 1)


def test_c53_a_mark_is_not_joined_twice(tmp_path: Path) -> None:
    vocab = {"a": 0, "e": 1, "##x": 2, "##e": 3, "##ex": 4}
    document = bpe(vocab, [["##e", "##x"]], continuing_subword_prefix="##")
    assert ids(load(write_json(tmp_path, document)), "aex") == [0, 4]


def test_c71_pieces_of_stray_bytes_are_kept_as_bytes(shared: Path, tmp_path: Path) -> None:
    model = load(write_json(tmp_path, bytepiece({"中".encode()[:2]: 50.0}), "b.model"))
    tokens = list(model.encode("中").tokens)
    assert [t.bytes for t in tokens] == [b"\xe4\xb8", b"\xad"]
    vocabulary = real(shared, "bytepiece").vocabulary
    pieces = [vocabulary.bytes(i) for i in range(3, len(vocabulary))]
    assert len(set(pieces)) == len(pieces)


def test_c73_a_byte_without_a_piece_is_told_and_ends(tmp_path: Path) -> None:
    document = bytepiece({})
    del document[base64.b64encode(b"c").decode()]
    model = load(write_json(tmp_path, document, "b.model"))
    assert any("the first is 0x63" in warning for warning in model.warnings)
    with pytest.raises(CoverageError, match="past 'c', character 2"):
        model.encode("abc")


def some_lines(shared: Path) -> list[str]:
    texts = read_texts(shared / "data" / "corpora" / "udhr", 40)
    return list(itertools.chain.from_iterable(lines[:8] for lines in texts.values()))


def differing(one: Model, other: Model, lines: list[str]) -> int:
    first, second = one.encode_lines(lines), other.encode_lines(lines)
    return sum(not np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_c81_one_model_in_two_formats_cuts_alike_but_for_xlnet(shared: Path) -> None:
    lines = some_lines(shared)
    assert len(lines) > 300
    assert differing(real(shared, "mistral"), real(shared, "mistral json"), lines) == 0
    assert differing(real(shared, "gpt2"), real(shared, "r50k"), lines) == 0
    # XLNet's tokenizer.json strips accents, its .model doesn't.
    assert differing(real(shared, "xlnet"), real(shared, "xlnet json"), lines) > len(lines) // 3


def test_c81_a_piece_that_is_set_apart_keeps_its_own_id(tmp_path: Path) -> None:
    document = bpe({"a": 0, "b": 1}, [])
    document["added_tokens"] = [added(1, "b"), added(2, "<x>", special=True)]
    model = load(write_json(tmp_path, document))
    assert model.encode("ab<x>", special="parse").ids.tolist() == [0, 1, 2]
