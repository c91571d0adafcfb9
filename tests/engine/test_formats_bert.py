"""BERT's vocab.txt: the line is the id; casing is guessed or given."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ModelError, ParameterError
from engine.formats import load, recognised
from engine.formats.bert import guess_casing
from engine.model import Model
from engine.pieces import PieceKind


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "vocab.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def peer_ids(path: Path) -> dict[str, int]:
    """Return what the tokenizers library reads of a file."""
    from tokenizers.models import WordPiece

    return WordPiece.read_file(str(path))


@pytest.fixture(scope="module")
def uncased(shared: Path) -> Model:
    return load(shared / "data" / "models" / "bert" / "bert_uncased_vocab.txt")


@pytest.fixture(scope="module")
def cased(shared: Path) -> Model:
    return load(shared / "data" / "models" / "bert" / "bert_cased_vocab.txt")


def test_bert_itself_opens(uncased: Model, cased: Model) -> None:
    facts = uncased.inspect()
    assert (facts["format"], facts["algorithm"]) == ("bert", "wordpiece")
    assert (facts["vocab_size"], facts["max_id"], facts["holes"]) == (30522, 30521, 0)
    assert [(t["id"], t["text"]) for t in facts["special_tokens"]] == [
        (0, "[PAD]"), (100, "[UNK]"), (101, "[CLS]"), (102, "[SEP]"), (103, "[MASK]"),
    ]  # fmt: skip
    assert (facts["casing"], facts["casing_guessed"]) == ("uncased", True)
    assert (cased.inspect()["casing"], cased.inspect()["vocab_size"]) == ("cased", 28996)
    assert "read as uncased" in uncased.warnings[0]
    assert "read as cased" in cased.warnings[0]


def test_the_text_is_normalized_as_the_casing_says(uncased: Model, cased: Model) -> None:
    said = [token.text for token in uncased.encode("Hello CAFÉ, unwanted").tokens]
    assert said == ["hello", "cafe", ",", "unwanted"]
    assert cased.encode("hello").ids.tolist() != cased.encode("Hello").ids.tolist()
    framed = uncased.encode("hello", add_special=True).ids.tolist()
    assert framed == [101, 7592, 102]
    assert uncased.decode(framed) == b"[CLS] hello [SEP]"


def test_casing_can_be_given(shared: Path) -> None:
    path = shared / "data" / "models" / "bert" / "bert_uncased_vocab.txt"
    model = load(path, casing="cased")
    assert (model.settings["casing"], model.settings["casing_guessed"]) == ("cased", False)
    assert not any("lower-cased" in warning for warning in model.warnings)
    assert [token.text for token in model.encode("Hello hello").tokens] == ["[UNK]", "hello"]
    with pytest.raises(ParameterError, match="choose cased or uncased"):
        load(path, casing="Cased")


def test_one_bad_character_or_a_long_word_is_unknown_as_a_whole(cased: Model) -> None:
    # C49.
    assert [token.text for token in cased.encode("unwanted☃ed").tokens] == ["[UNK]"]
    assert [token.text for token in cased.encode("x" * 101).tokens] == ["[UNK]"]
    assert len(cased.encode("x" * 100)) > 1


@pytest.mark.parametrize(
    ("pieces", "casing"),
    [
        (["[UNK]", "cat", "##s"], "uncased"),
        (["[UNK]", "Cat", "##s"], "cased"),
        (["[UNK]", "##É"], "cased"),
        (["[unused1]", "猫", "##の"], "uncased"),
        (["a"] * 2000 + ["B"], "uncased"),
        (["a"] * 2000 + ["B", "C", "D"], "cased"),
    ],
)
def test_casing_is_guessed_from_the_pieces(pieces: list[str], casing: str) -> None:
    assert guess_casing(pieces) == casing


def warned(model: Model, said: str) -> bool:
    return any(said in warning for warning in model.warnings)


def test_ends_of_lines_are_no_part_of_a_piece(tmp_path: Path) -> None:
    plain = load(write(tmp_path, "[UNK]\ncat\n##s\n"))
    for text in ("[UNK]\r\ncat\r\n##s\r\n", "[UNK]\ncat\n##s"):
        model = load(write(tmp_path, text))
        assert model.encode("cats").ids.tolist() == [1, 2]
        assert len(model.vocabulary) == len(plain.vocabulary) == 3
        assert model.warnings == plain.warnings


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    # C15: splitting at all that Unicode calls a line end would give four or more lines.
    path = write(tmp_path, "[UNK]\n\u2028\ncat\n\x85\n##s\x0b\n")
    model = load(path)
    assert model.encode("cats").ids.tolist() == [2, 4]
    assert warned(model, "2 lines without a piece (line 2, line 4)")
    assert warned(model, "1 line with white space at the end (line 5)")
    ids = peer_ids(path)
    assert (ids["cat"], ids["##s"]) == (2, 4)


def test_blank_lines_keep_their_number(tmp_path: Path) -> None:
    path = write(tmp_path, "[UNK]\ncat\n\n##s\n\n")
    model = load(path)
    assert model.encode("cats").ids.tolist() == [1, 3]
    assert warned(model, "2 lines without a piece (line 3, line 5)")
    assert model.vocabulary.max_id == max(peer_ids(path).values()) == 4


def test_of_a_piece_listed_twice_the_last_line_is_the_id(tmp_path: Path) -> None:
    path = write(tmp_path, "[UNK]\ncat\ncat\n##s\n")
    model = load(path)
    assert model.encode("cats").ids.tolist() == [2, 3]
    assert warned(model, "'cat' in line 2, where id 2 counts")
    assert model.vocabulary.kind[1] == PieceKind.HOLE
    assert model.inspect()["holes"] == 1
    assert peer_ids(path)["cat"] == 2


def test_white_space_at_the_end_is_left_out_as_the_library_does(tmp_path: Path) -> None:
    path = write(tmp_path, "[UNK]\ncat \n##s\u3000\nx\x1f\n")
    model = load(path)
    assert model.encode("cats").ids.tolist() == [1, 2]
    assert warned(model, "2 lines with white space at the end (line 2, line 3)")
    assert peer_ids(path) == {"[UNK]": 0, "cat": 1, "##s": 2, "x\x1f": 3}


def test_a_byte_order_mark_is_left_out_and_told(tmp_path: Path) -> None:
    model = load(write(tmp_path, "\ufeffcat\n[UNK]\n##s\n"))
    assert model.encode("cats").ids.tolist() == [0, 2]
    assert warned(model, "vocab.txt begins with a byte-order mark, which is left out")


def test_a_missing_unknown_token_is_told_at_once(tmp_path: Path) -> None:
    model = load(write(tmp_path, "cat\n##s\n"))
    assert warned(model, "'[UNK]' isn't in the vocabulary")
    assert model.encode("cats dog cat").ids.tolist() == [0, 1, 0]
    assert model.lattice("cats dog").n_edges == 3


def test_what_holds_no_piece_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        load(write(tmp_path, b"[UNK]\nc\xe9\n##s\n"))
    assert caught.value.where.endswith("line 2, byte 2")
    with pytest.raises(ModelError) as caught:  # a mark counts, and moves nothing
        load(write(tmp_path, b"\xef\xbb\xbfc\xe9\n##s\n"))
    assert caught.value.where.endswith("line 1, byte 5")
    assert "0xE9" in caught.value.what


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("[PAD]\n[UNK]\nthe\n##s\n", True),
        ("cat\n##s\n", True),
        ("[UNK]\n", True),
        ("# Title\n\n## Section\ntext of words\n", False),
        ("one\ntwo\nthree\n", False),
        ("[UNK] stands for\nwhat is not known\n[UNK]\n", False),
        ("##\n###\n", False),
    ],
)
def test_a_list_of_words_is_told_from_a_text(tmp_path: Path, text: str, is_one: bool) -> None:
    assert recognised(text.encode(), write(tmp_path, text)) == is_one


def test_a_file_saved_in_the_wrong_encoding_is_told(
    tmp_path: Path, cased: Model, uncased: Model
) -> None:
    pieces = ["[UNK]", *(f"{char}x" for char in "äöüßéèêàáñóú")]
    sound = load(write(tmp_path, "\n".join(pieces)))
    assert not warned(sound, "another encoding")
    wrong = "\n".join(pieces).encode().decode("latin-1")
    model = load(write(tmp_path, wrong))
    assert warned(model, "12 pieces look as if UTF-8 had been read in another encoding")
    # The shared copy of the cased vocabulary has that fault, the other one hasn't.
    assert warned(cased, "another encoding")
    assert not warned(uncased, "another encoding")
