"""tokenizer.json: version 2.0, byte pieces, and pieces that byte-level text can't hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.engine.documents import bpe, byte_level_bpe, tokenizer
from tests.engine.test_formats_huggingface import error_of, library, read


def test_version_two_names_roles_and_moves_the_byte_alphabet_into_the_model(
    tmp_path: Path,
) -> None:
    split = {
        "type": "Split",
        "pattern": {"Regex": "\\p{L}+"},
        "behavior": "Isolated",
        "invert": False,
    }
    step: dict[str, Any] = dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), False)
    step |= {"type": "ByteLevel"}
    first = byte_level_bpe(("Ġ", "a"), ("Ã", "©"), ("Ã©", "a"))
    steps = {"type": "Sequence", "pretokenizers": [split, step]}
    first |= {"pre_tokenizer": steps, "decoder": step}
    second = {**first, "version": "2.0", "pre_tokenizer": split, "decoder": None}
    second["model"] = {**first["model"], "byte_level": True}
    second["role_to_token"] = {"eos_token": "a"}
    peer, texts = library(first), ["é a", " a", "éa\n", "今"]
    old, new = read(tmp_path, first), read(tmp_path, second)
    for text in texts:
        ids = peer.encode(text).ids
        assert new.encode(text).ids.tolist() == old.encode(text).ids.tolist() == ids
        assert new.decode(ids).decode() == peer.decode(ids) == text
    assert new.byte_level
    assert new.inspect()["roles"] == {"eos_token": "a"}
    words = {**tokenizer({"type": "WordLevel", "vocab": {"a": 0}, "byte_level": True})}
    assert "only a BPE model" in error_of(tmp_path, {**words, "version": "2.0"})
    assert "role_to_token" in error_of(tmp_path, {**second, "role_to_token": [1]})


def test_byte_pieces_match_their_names_in_a_unigram_model(tmp_path: Path) -> None:
    pieces = [["<unk>", -9.0], ["a", -1.0], *([f"<0x{byte:02X}>", -2.0] for byte in range(256))]
    document = tokenizer({"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": True})
    model, peer = read(tmp_path, document), library(document)
    for text, ids in {"a<0x61>a": [1, 99, 1], "<unk>": [0], "a<0x6": [1, 62, 50, 122, 56]}.items():
        assert model.encode(text).ids.tolist() == peer.encode(text).ids == ids
        assert model.lattice(text).path.ids == ids
    (token,) = model.encode("<0x61>").tokens
    assert (token.text, token.bytes, token.start_byte, token.end_byte) == ("<0x61>", b"a", 0, 6)
    beside = peer.encode("<unk>é").ids
    assert model.encode("<unk>é").ids.tolist() == beside
    assert model.lattice("<unk>é").path.ids == beside


def test_byte_fallback_with_a_mark_is_refused(tmp_path: Path) -> None:
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)}
    for field in ("continuing_subword_prefix", "end_of_word_suffix"):
        document = bpe(vocab, [], byte_fallback=True, **{field: "##"})
        assert f"field model.{field}" in error_of(tmp_path, document)


def test_a_byte_level_piece_outside_the_alphabet_matches_nothing(tmp_path: Path) -> None:
    document = byte_level_bpe()
    document["model"] |= {"vocab": {**document["model"]["vocab"], "今": 256}, "ignore_merges": True}
    model = read(tmp_path, document)
    assert model.encode("今").ids.tolist() == library(document).encode("今").ids
    assert len(model.encode("今")) == 3


def test_version_two_is_read_by_what_it_shares(tmp_path: Path) -> None:
    model = read(tmp_path, {**bpe({"a": 0, "b": 1}, []), "version": "2.0", "byte_level": None})
    assert model.encode("ab").ids.tolist() == [0, 1]
    assert any("2.0" in warning for warning in model.warnings)
    assert "version" in error_of(tmp_path, {**bpe({"a": 0}, []), "version": "3.0"})
