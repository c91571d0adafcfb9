"""GPT-2's pair of files: either opens both, and what is odd in them is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.alphabet import CHARACTERS
from engine.errors import ModelError, ParameterError
from engine.formats import load
from engine.formats.gpt2 import wanted
from engine.model import Model
from engine.pieces import PieceKind
from engine.progress import Cancelled

BYTES = {char: i for i, char in enumerate(CHARACTERS)}


def write_pair(
    folder: Path,
    vocabulary: Mapping[str, object],
    merges: str | bytes,
    names: tuple[str, str] = ("vocab.json", "merges.txt"),
) -> tuple[Path, Path]:
    first, second = folder / names[0], folder / names[1]
    first.write_text(json.dumps(vocabulary), encoding="utf-8")
    second.write_bytes(merges if isinstance(merges, bytes) else merges.encode())
    return first, second


def with_pieces(*pieces: str) -> dict[str, int]:
    """Return all bytes and then these pieces."""
    return BYTES | {piece: 256 + i for i, piece in enumerate(pieces)}


def error_of(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path)
    return caught.value


@pytest.fixture(scope="module")
def gpt2(shared: Path) -> Model:
    return load(shared / "data" / "models" / "gpt2" / "vocab.bpe")


def test_gpt2_itself_opens_from_either_file(shared: Path, gpt2: Model) -> None:
    facts = gpt2.inspect()
    assert (facts["format"], facts["algorithm"]) == ("gpt2", "bpe")
    assert (facts["vocab_size"], facts["max_id"], facts["holes"]) == (50257, 50256, 0)
    assert facts["merges"] == 50_000
    assert (facts["byte_level"], facts["pre_tokenizer"]) == (True, "gpt2")
    assert facts["special_tokens"] == [{"id": 50256, "text": "<|endoftext|>"}]
    assert gpt2.warnings == ()
    other = load(shared / "data" / "models" / "gpt2" / "encoder.json")
    assert (other.name, gpt2.name) == ("encoder.json", "vocab.bpe")
    text = "Hello, 今天天气不错 ### $#"
    assert other.encode(text).ids.tolist() == gpt2.encode(text).ids.tolist()


def test_merges_that_begin_with_a_number_sign_are_kept(gpt2: Model) -> None:
    # The file holds eight; each makes a token of its own (C13).
    for text in ("##", "####", "########", "#$", "#$#$"):
        assert len(gpt2.encode(text)) == 1, text


def test_a_glitch_token_is_one_token_that_no_text_here_holds(shared: Path, gpt2: Model) -> None:
    # C64.
    assert gpt2.encode(" SolidGoldMagikarp").ids.tolist() == [43453]
    text = (shared / "data" / "corpora" / "en_tinyshakespeare.txt").read_text(encoding="utf-8")
    batch = gpt2.encode_lines(text[:60_000].split("\n"))
    assert len(batch.ids) > 12_000
    assert 43453 not in batch.ids


def test_special_strings_are_text_or_tokens(gpt2: Model) -> None:
    # C47: seven ordinary tokens for the special string.
    assert len(gpt2.encode("a<|endoftext|>")) == 8
    parsed = gpt2.encode("a<|endoftext|>", special="parse").ids.tolist()
    assert parsed == [64, 50256]
    assert gpt2.decode(parsed) == b"a<|endoftext|>"
    assert [found.text for found in gpt2.encode("a<|endoftext|>").special_found] == [
        "<|endoftext|>"
    ]


LINES = ["#version: 0.2", "# #", "# $", "a b"]
VARIANTS = {
    "plain": "\n".join(LINES) + "\n",
    "no header": "\n".join(LINES[1:]) + "\n",
    "crlf": "\r\n".join(LINES) + "\r\n",
    "blank end": "\n".join(LINES) + "\n\n",
    "blank crlf end": "\r\n".join(LINES) + "\r\n\r\n",
    "mark": "\ufeff" + "\n".join(LINES) + "\n",
    "no last line end": "\n".join(LINES),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_ends_of_lines_and_a_missing_header_change_nothing(tmp_path: Path, variant: str) -> None:
    # C14: the library refuses the blank last line and the byte-order mark.
    vocabulary = with_pieces("##", "#$", "ab")
    _, merges = write_pair(tmp_path, vocabulary, VARIANTS[variant])
    model = load(merges)
    assert model.inspect()["merges"] == 3
    assert model.encode("##").ids.tolist() == [256]
    assert model.encode("#$").ids.tolist() == [257]
    assert model.encode("ab").ids.tolist() == [258]


def test_a_second_version_line_is_a_merge_as_any_other(tmp_path: Path) -> None:
    vocabulary = with_pieces("#version:", "0.2", "#version:0.2")
    merges = "#version: 0.2\n#version: 0.2\n"
    model = load(write_pair(tmp_path, vocabulary, merges)[1])
    assert model.inspect()["merges"] == 1


@pytest.mark.parametrize(
    ("names", "opened"),
    [
        (("vocab.json", "merges.txt"), 0),
        (("vocab.json", "merges.txt"), 1),
        (("encoder.json", "vocab.bpe"), 0),
        (("encoder.json", "vocab.bpe"), 1),
        (("roberta-vocab.json", "roberta-merges.txt"), 1),
        (("roberta-vocab.json", "roberta-merges.txt"), 0),
        (("X_encoder.json", "X_vocab.bpe"), 0),
        (("vocab.json", "my.bpe"), 1),
    ],
)
def test_the_other_file_is_found_beside(
    tmp_path: Path, names: tuple[str, str], opened: int
) -> None:
    paths = write_pair(tmp_path, with_pieces("\u0120a"), "#version: 0.2\n\u0120 a\n", names)
    model = load(paths[opened])
    assert (model.format, model.path) == ("gpt2", paths[opened])
    assert model.encode(" a").ids.tolist() == [256]
    settings = (model.settings["vocabulary_file"], model.settings["merges_file"])
    assert settings == (str(paths[0]), str(paths[1]))


@pytest.mark.parametrize("opened", [0, 1])
def test_a_missing_other_file_is_named_with_its_place(tmp_path: Path, opened: int) -> None:
    paths = write_pair(tmp_path, BYTES, "#version: 0.2\na b\n")
    paths[1 - opened].unlink()
    error = error_of(paths[opened])
    assert "is missing" in error.what
    assert str(paths[opened]) in error.where
    assert ("merges.txt, vocab.bpe", "vocab.json, encoder.json")[opened] in error.remedy
    assert str(tmp_path) in error.remedy


def test_names_are_looked_for_likeliest_first() -> None:
    assert wanted(Path("encoder.json"), False) == ("vocab.bpe", "merges.txt")
    assert wanted(Path("a_merges_x.txt"), True) == (
        "a_vocab.json", "a_encoder.json", "vocab.json", "encoder.json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("vocabulary", "merges", "file", "said"),
    [
        (with_pieces("ab"), "#version: 0.2\na b\na  c\n", 1, "'a  c' isn't two pieces"),
        (with_pieces("ab"), "#version: 0.2\na b\n\na b\n", 1, "'' isn't two pieces"),
        (with_pieces("ab"), "a b\nab\n", 1, "'ab' isn't two pieces"),
        (with_pieces("ab"), "#version: 0.2\na b\nxy b\n", 1, "the left part 'xy'"),
        (with_pieces("ab"), "#version: 0.2\na b\nb xy\n", 1, "the right part 'xy'"),
        (with_pieces("ab"), "#version: 0.2\na b\nb a\n", 1, "the result 'ba'"),
        ({"a": 0, "b": "1"}, "a b\n", 0, "piece 'b' has the id text"),
        ({"a": 0, "b": -1}, "a b\n", 0, "piece 'b' has the id -1"),
        ({"a": 0, "b": 0}, "a b\n", 0, "'a' and 'b' have the same id 0"),
        ({"a": 0, "b": 1.5}, "a b\n", 0, "piece 'b' has the id 1.5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_file_and_line(
    tmp_path: Path, vocabulary: dict[str, object], merges: str, file: int, said: str
) -> None:
    paths = write_pair(tmp_path, vocabulary, merges)
    for opened in paths:
        error = error_of(opened)
        assert said in error.what
        assert error.where.startswith(str(paths[file]))
        assert error.remedy
    if file == 1:
        bad = merges.rstrip("\n").split("\n")
        line = bad.index("") if "''" in said else len(bad) - 1
        assert error.where.endswith(f"line {line + 1}")


def test_a_broken_vocabulary_is_named_with_its_place(tmp_path: Path) -> None:
    vocabulary, merges = write_pair(tmp_path, BYTES, "#version: 0.2\na b\n")
    vocabulary.write_text('{"a": 0,\n "b": 1', encoding="utf-8")
    error = error_of(merges)
    assert error.where == f"{vocabulary}: line 2, column 8"
    merges.write_bytes(b"#version: 0.2\na \xff\n")
    vocabulary.write_text('{"a": 0}', encoding="utf-8")
    assert error_of(vocabulary).where == f"{merges}: line 2, byte 3"


def test_pairs_of_another_kind_are_refused(tmp_path: Path) -> None:
    vocabulary = {"l": 0, "o": 1, "w": 2, "w</w>": 3, "lo": 4, "low</w>": 5}
    error = error_of(write_pair(tmp_path, vocabulary, "#version: 0.2\nl o\nlo w</w>\n")[1])
    assert "1 of 2 merges mark the end of a word with </w>" in error.what
    assert "tokenizer.json" in error.remedy


def test_special_and_unreachable_pieces_are_told(tmp_path: Path) -> None:
    vocabulary = with_pieces("ab", "<s>", "[MASK]", "xyz", "\u2581the")
    model = load(write_pair(tmp_path, vocabulary, "#version: 0.2\na b\n")[0])
    assert [(token.id, token.text) for token in model.special_tokens] == [
        (257, "<s>"), (258, "[MASK]"),
    ]  # fmt: skip
    assert model.vocabulary.kind[257] == PieceKind.ADDED
    said = " ".join(model.warnings)
    assert "2 pieces of several characters that no merge makes, the first is 'xyz'" in said
    assert "1 piece with characters outside GPT-2's byte alphabet, the first is '\u2581the'" in said
    assert "doesn't say how text is split" in model.warnings[0]
    assert model.encode("x<s>", special="parse").ids.tolist() == [BYTES["x"], 257]


def test_bytes_without_a_piece_disappear_and_that_is_told(tmp_path: Path) -> None:
    model = load(write_pair(tmp_path, {"a": 0, "b": 1, "ab": 2}, "#version: 0.2\na b\n")[0])
    assert any("254 of the 256 bytes lack a piece" in text for text in model.warnings)
    # The library, too: the neighbours of what is left out merge.
    assert model.encode("axb").ids.tolist() == [2]


def test_another_split_pattern_can_be_given(tmp_path: Path) -> None:
    paths = write_pair(
        tmp_path, with_pieces("12", "34", "1234"), "#version: 0.2\n1 2\n3 4\n12 34\n"
    )
    assert load(paths[0]).encode("1234").ids.tolist() == [258]
    other = load(paths[0], pattern="cl100k")
    assert other.inspect()["pre_tokenizer"] == "cl100k"
    assert other.encode("1234").ids.tolist() == [256, BYTES["3"], BYTES["4"]]
    assert not any("how text is split" in text for text in other.warnings)
    assert load(paths[1], pattern="none").inspect()["pre_tokenizer"] == ""
    with pytest.raises(ParameterError, match="isn't a regular expression"):
        load(paths[0], pattern="(")
    with pytest.raises(ParameterError, match="list of special tokens is given"):
        load(paths[0], specials={"<s>": 300})


def test_loading_reports_and_can_be_cancelled(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, with_pieces("ab"), "#version: 0.2\na b\n")
    for path in paths:
        seen: list[int] = []
        load(path, lambda done, _total, seen=seen: seen.append(done))
        assert seen == sorted(seen)
        assert seen[-1] == 1000

        def stop(done: int, _total: int) -> None:
            if done >= 60:
                raise Cancelled

        with pytest.raises(Cancelled):
            load(path, stop)


@pytest.mark.parametrize(
    ("merges", "place"),
    [
        (b"#version: 0.2\rl o\rlo w\r", "line 1, character 14"),
        (b"l o\rlo w\r", "line 1, character 4"),
        (b"#version: 0.2\nl o\rlo w\n", "line 2, character 4"),
    ],
)
def test_lines_that_end_with_cr_alone_are_told(tmp_path: Path, merges: bytes, place: str) -> None:
    for path in write_pair(tmp_path, with_pieces("lo", "low"), merges):
        error = error_of(path)
        assert "lines end with CR alone" in error.what
        assert error.where == f"{tmp_path / 'merges.txt'}: {place}"
        assert "LF line ends" in error.remedy
