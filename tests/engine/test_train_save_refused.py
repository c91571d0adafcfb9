"""What a format can't hold is refused with the reason; what can't be written changes nothing."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path

import pytest

import engine
from engine.errors import ParameterError
from engine.train.bpe import BpeSettings, TrainedBpe, train_bpe
from engine.train.kinds import KINDS
from engine.train.save import check_format, save
from tests.engine.trained import train
from tests.peers import gpt2_peer, huggingface_peer, sentencepiece_peer, tiktoken_peer

BYTES = BpeSettings(256 + 50, "bytes", "gpt2", specials=("<|endoftext|>",))
WORDS = BpeSettings(1200, "characters", "whitespace", "</w>")
METASPACE = BpeSettings(1100, "characters", "metaspace")


def small(settings: BpeSettings, *texts: str) -> TrainedBpe:
    """Return a vocabulary trained on a few texts."""
    return train_bpe(texts, settings)


def given(size: int, *pairs: tuple[bytes, bytes], text: str = "xy") -> TrainedBpe:
    """Return a vocabulary of bytes that begins with some merges."""
    return small(BpeSettings(256 + size, "bytes", "none", given=pairs), text)


@pytest.mark.parametrize(
    ("settings", "name", "reason"),
    [
        (WORDS, "tiktoken", "ranks are of bytes"),
        (BpeSettings(300, "bytes", "metaspace"), "tiktoken", "begin with the mark ▁"),
        (WORDS, "gpt2", "is of bytes"),
        (BpeSettings(300, "bytes", "cl100k"), "gpt2", "is of cl100k"),
        (BYTES, "subword-nmt", "codes are of characters"),
        (METASPACE, "subword-nmt", "is of metaspace"),
        (BpeSettings(1200, "characters", "whitespace"), "subword-nmt", "has no mark"),
        (BpeSettings(1200, "characters", "whitespace", "_"), "subword-nmt", "has the mark '_'"),
        (BYTES, "sentencepiece", "model is of characters"),
        (WORDS, "sentencepiece", "is of whitespace"),
        (BpeSettings(1200, "characters", "metaspace", "_"), "sentencepiece", "has '_'"),
        (BYTES, "bert", "no format 'bert'"),
    ],
)
def test_a_format_that_cant_hold_it_says_why(
    settings: BpeSettings, name: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as caught:
        save(train(settings), tmp_path / "own", name)
    assert reason in caught.value.what
    assert caught.value.remedy
    with pytest.raises(ParameterError) as before:
        check_format(settings, tmp_path / "own", name)
    assert str(before.value) == str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_saved_passes_the_check_before_training(tmp_path: Path) -> None:
    fits = {"huggingface": METASPACE, "sentencepiece": METASPACE, "subword-nmt": WORDS}
    for name in KINDS[BpeSettings].writers:
        settings = fits.get(name, BYTES)
        check_format(settings, tmp_path / "own", name)
        save(train(settings), tmp_path / name, name)
    assert {path.name for path in tmp_path.iterdir()} == set(KINDS[BpeSettings].writers)


@pytest.mark.parametrize("name", ["own", "own.txt", "json"])
def test_a_name_that_tells_no_format(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="doesn't tell the format"):
        save(train(BYTES), tmp_path / name)


@pytest.mark.parametrize("name", ["huggingface", "gpt2"])
def test_a_special_token_that_is_a_piece(name: str, tmp_path: Path) -> None:
    # As GPT-2's alphabet writes the piece " the".
    trained = small(BpeSettings(262, "bytes", "gpt2", specials=("Ġthe",)), "the the the")
    number = trained.merges.symbols.index(b" the")
    with pytest.raises(ParameterError, match=rf"'Ġthe' is also the piece {number}"):
        save(trained, tmp_path / "own", name)


def test_a_sentencepiece_model_holds_no_nul_and_no_piece_twice(tmp_path: Path) -> None:
    trained = small(BpeSettings(20, "characters", "metaspace"), "a\0b a\0b")
    with pytest.raises(ParameterError, match="NUL"):
        save(trained, tmp_path / "own.model")
    trained = small(BpeSettings(20, "characters", "metaspace"), "x<s>y z<s>w q<s>a")
    assert b"<s>" in trained.merges.symbols
    with pytest.raises(ParameterError, match="'<s>' is also a piece"):
        save(trained, tmp_path / "own.model")


def test_codes_need_a_merge(tmp_path: Path) -> None:
    trained = small(BpeSettings(3, "characters", "whitespace", "</w>"), "ab ac")
    assert len(trained.merges) == 0
    with pytest.raises(ParameterError, match="has none"):
        save(trained, tmp_path / "own.codes")


def test_a_merge_that_looks_like_the_pairs_header(tmp_path: Path) -> None:
    pairs = [(b"#version"[:i], b"#version"[i : i + 1]) for i in range(1, 8)]
    settings = BpeSettings(300, "bytes", "gpt2", given=[*pairs, (b"#version", b":")])
    with pytest.raises(ParameterError, match="drops every line"):
        save(small(settings, "a"), tmp_path / "own", "gpt2")


# Split patterns


def test_a_pattern_that_the_library_reads_otherwise(tmp_path: Path) -> None:
    for pattern, reason in (
        (r"\p{N}{1,3}+|\P{N}", "possessive"),
        (r"(?<n>a)(?&n)|.", "can't read"),
    ):
        trained = small(BpeSettings(260, "bytes", pattern), "1234 ab")
        with pytest.raises(ParameterError, match=reason):
            save(trained, tmp_path / "own.json")


def test_an_own_pattern_is_told_of(tmp_path: Path) -> None:
    notes = save(small(BpeSettings(260, "bytes", r"\w+"), "ab ab"), tmp_path / "own.json")
    assert any("Oniguruma" in note for note in notes)
    assert any("doesn't match" in note for note in notes)


# Given merges


def test_a_text_that_two_merges_make_keeps_its_first_id(tmp_path: Path) -> None:
    trained = given(5, (b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc"), (b"abc", b"d"))
    assert trained.merges.symbols[258:260] == (b"abc", b"abc")
    notes = save(trained, tmp_path / "own.json")
    assert any("'abc'" in note and "1 merge " in note for note in notes)
    peer = huggingface_peer(tmp_path / "own.json")
    assert peer.encode(["abc", "abcd", "bcabc"]) == [[258], [260], [257, 258]]
    model = engine.load(tmp_path / "own.json")
    assert [model.encode(text).ids.tolist() for text in ("abc", "abcd")] == [[258], [260]]
    with pytest.raises(ParameterError, match=r"merge 4 makes 'abc', which is a piece already"):
        save(trained, tmp_path / "own.tiktoken")


def test_a_corpus_that_spells_the_mark(tmp_path: Path) -> None:
    settings = BpeSettings(30, "characters", "whitespace", "</w>")
    trained = small(settings, "c</w>xc</w> c</w>x c ac ac", "c</w>y")
    assert trained.merges.symbols.count(b"c</w>") == 2
    notes = save(trained, tmp_path / "own.json")
    assert any("'c</w>'" in note for note in notes)
    first = trained.merges.symbols.index(b"c</w>")
    peer, texts = huggingface_peer(tmp_path / "own.json"), ["c", "c</w>z", "zc</w>x c"]
    ids = peer.encode(texts)
    assert ids[0] == [first]
    assert first in ids[1]
    model = engine.load(tmp_path / "own.json")
    assert [model.encode(text).ids.tolist() for text in texts] == ids


def test_a_merge_that_its_own_text_never_comes_to(tmp_path: Path) -> None:
    trained = given(3, (b"a", b"b"), (b"b", b"c"), (b"a", b"bc"))
    save(trained, tmp_path / "own.json")
    assert huggingface_peer(tmp_path / "own.json").encode(["abc"]) == [[256, ord("c")]]
    with pytest.raises(ParameterError, match=r"merge 3 joins 'a' and 'bc'"):
        save(trained, tmp_path / "own.tiktoken")


def test_given_merges_that_a_text_comes_to_are_held(tmp_path: Path) -> None:
    trained = given(3, (b"a", b"b"), (b"ab", b"c"), (b"abc", b"abc"))
    save(trained, tmp_path / "own.tiktoken")
    peer = tiktoken_peer(tmp_path / "own.tiktoken")
    assert peer.encode(["abcabcab"]) == [[258, 256]]


def test_a_sentencepiece_model_tells_of_merges_that_act_otherwise(tmp_path: Path) -> None:
    pairs = [(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")]
    settings = BpeSettings(20, "characters", "metaspace", given=pairs)
    trained, path = small(settings, "a b c"), tmp_path / "own.model"
    assert any("1 given merge " in note for note in save(trained, path))
    # ab bc abc a b c ▁ are 3 to 9: listed pairs would give ▁ ab c.
    assert sentencepiece_peer(path).encode(["abc"]) == [[9, 5]]


# Writing


def fails(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("name", ["own.json", "own.tiktoken", "vocab.json"])
def test_a_full_disk_changes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(train(BYTES), tmp_path / name)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    other = train(BpeSettings(256 + 60, "bytes", "gpt2"))
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(ParameterError, match="No space left") as caught:
        save(other, tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_the_pair_is_replaced_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(train(BYTES), tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    real, calls = os.fsync, Counter[str]()

    def second_fails(number: int) -> None:
        calls["fsync"] += 1
        if calls["fsync"] == 2:
            fails()
        real(number)

    monkeypatch.setattr(os, "fsync", second_fails)
    with pytest.raises(ParameterError):
        save(train(BpeSettings(256 + 60, "bytes", "gpt2")), tmp_path)
    assert calls["fsync"] == 2
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_folder_made_for_the_pair_goes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(ParameterError):
        save(train(BYTES), tmp_path / "new", "gpt2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_device_without_room() -> None:
    with pytest.raises(ParameterError, match="No space left"):
        save(train(BYTES), Path("/dev/full"), "tiktoken")


@pytest.mark.parametrize("name", ["huggingface", "gpt2"])
def test_a_place_that_isnt_a_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(ParameterError, match="can't be written"):
        save(train(BYTES), tmp_path / "file" / "vocab.json", name)
    with pytest.raises(ParameterError, match="can't be written"):
        save(train(BYTES), tmp_path / "none" / "deep" / "vocab.json", name)
    assert (tmp_path / "file").read_text() == "kept"


def test_the_pair_isnt_one_file(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="two files"):
        save(train(BYTES), tmp_path / "own.json", "gpt2")


def test_an_old_pair_gives_way_to_a_new_one(tmp_path: Path) -> None:
    save(train(BYTES), tmp_path)
    bigger = train(BpeSettings(256 + 60, "bytes", "gpt2"))
    save(bigger, tmp_path)
    assert engine.load(tmp_path).vocabulary.count == 316
    assert max(max(ids) for ids in gpt2_peer(tmp_path / "vocab.json").encode([" the of"])) < 316
