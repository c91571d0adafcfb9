"""Reading tiktoken ranks, against the library."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest
import tiktoken

from engine.encodings import PATTERNS
from engine.errors import ModelError, ParameterError
from engine.formats import load
from engine.formats.tiktoken import recognise
from engine.pieces import PieceKind
from tests.engine.documents import write_ranks

PIECES = [b" t", b"he", b" the", b"th", b"\xe4\xbb", b"\xe4\xbb\x8a", b"aa", b"aaa", b"baa"]


def peer(pattern: str, specials: dict[str, int]) -> tiktoken.Encoding:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {data: 256 + i for i, data in enumerate(PIECES)}
    return tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)


def error_of(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load(path)
    assert caught.value.remedy
    return caught.value


def write(folder: Path, text: str) -> Path:
    path = folder / "x.tiktoken"
    path.write_text(text, encoding="ascii")
    return path


@pytest.mark.parametrize("name", [*PATTERNS, "none", r"\p{L}+|\s"])
def test_ids_are_the_librarys(tmp_path: Path, name: str) -> None:
    specials = {"<|end|>": 300, "<|end|>>": 301}
    model = load(write_ranks(tmp_path, PIECES), pattern=name, specials=specials)
    encoding = peer(PATTERNS.get(name, r"(?s:.)+" if name == "none" else name), specials)
    draw = random.Random(3)
    alphabet = ["a", "b", "t", "the", " the", "今", "  ", "\n", "<|end|>", ">", "1234", "'s", "!"]
    lines = ["".join(draw.choices(alphabet, k=draw.randrange(9))) for _ in range(150)]
    batch = model.encode_lines(lines)
    for i, line in enumerate(lines):
        plain = encoding.encode_ordinary(line)
        assert model.encode(line).ids.tolist() == plain, line
        assert batch[i].tolist() == plain, line
        parsed = encoding.encode(line, allowed_special="all")
        assert model.encode(line, special="parse").ids.tolist() == parsed, line
        assert model.decode(parsed) == encoding.decode_bytes(parsed)


def test_a_pattern_and_specials_are_asked_for(tmp_path: Path) -> None:
    model = load(write_ranks(tmp_path, PIECES))
    assert sum("split pattern" in warning for warning in model.warnings) == 1
    assert sum("special tokens" in warning for warning in model.warnings) == 1
    assert model.pipeline.pre_tokenizer == ""
    told = load(write_ranks(tmp_path, PIECES), pattern="none", specials={})
    assert told.warnings == ()


def test_a_wrong_pattern_or_special_is_named(tmp_path: Path) -> None:
    path = write_ranks(tmp_path, PIECES)
    with pytest.raises(ParameterError, match="isn't a regular expression"):
        load(path, pattern="(")
    for specials, said in (
        ({"<x>": 5}, "has the id 5 of piece"),
        ({"<x>": -1}, "has the id -1"),
        ({"": 400}, "has the id 400"),
        ({"<x>": "400"}, "has the id '400'"),
        ({"<x>": 400, "<y>": 400}, "'<x>' and '<y>' have the same id 400"),
    ):
        with pytest.raises(ParameterError, match=said):
            load(path, specials=specials)  # type: ignore[arg-type]


def test_specials_leave_holes(tmp_path: Path) -> None:
    model = load(write_ranks(tmp_path, [b"ab"]), pattern="gpt2", specials={"<|end|>": 260})
    facts = model.inspect()
    assert (facts["vocab_size"], facts["max_id"], facts["holes"]) == (258, 260, 3)
    assert facts["special_tokens"] == [{"id": 260, "text": "<|end|>"}]
    assert (facts["merges"], facts["byte_level"]) == (1, True)
    assert model.vocabulary.kind[260] == PieceKind.ADDED


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("YQ== 0\nYg==\n", "'Yg==' isn't a base64 text, a space and a rank", 2),
        ("YQ== 0\nYg== x\n", "'Yg== x' isn't a base64 text", 2),
        ("YQ== 0\nYg== 1 2\n", "isn't a base64 text", 2),
        ("YQ== 0\nYg== -1\n", "isn't a base64 text", 2),
        ("YQ== 0\n\n!!! 1\n", "'!!!' isn't base64", 3),
        ("YQ== 0\nYg= 1\n", "'Yg=' isn't base64", 2),
        ("YQ== 0\nYg== 0\n", "the rank 0 stands twice, for 'a' and 'b'", 2),
        ("YQ== 0\nYg== 99999999999\n", "the rank 99999999999 is too large", 2),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, said: str, line: int) -> None:
    error = error_of(write(tmp_path, text))
    assert said in error.what
    assert error.where.endswith(f"line {line}")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("YQ== 0\n", True),
        ("YQ== 0\r\nYg== 1\r\n", True),
        ("Yg== 7\nYQ== 3\nYWI= 9\n", True),
        # Damaged, and still known: the reader names the line.
        ("YQ= 0\nYg== 1\n", True),
        ("YQ== 0\nYg==\n", True),
        ("YQ== 0\nYg== 0\n", True),
        ("YQ== 0\nYg== 1\n" + "x" * 20_000, True),
        # Merges of digits, as subword-nmt writes them.
        ("1 9\n", False),
        ("1 9\n19 5\n2 0\n20 1\n", False),
        ("2 0\n2 1\nt h\nth e</w>\n", False),
        # Words and their counts.
        ("low 7\nlow@@ 3\ner 2\n", False),
        ("that 500\nwith 400\nfrom 300\n", False),
        ("that 500\nof 400\nthe 300\n", False),
        ("", False),
        ("\n", False),
    ],
)
def test_ranks_are_told_from_merges_and_counts(text: str, is_one: bool) -> None:
    assert recognise(text.encode()) == is_one


def test_a_whole_file_is_known_by_its_head(tmp_path: Path) -> None:
    data = write_ranks(tmp_path, [bytes([i, j]) for i in range(64) for j in range(64)]).read_bytes()
    assert len(data) > 30_000
    for size in (1000, 8192, 8193, 16_000, len(data)):
        assert recognise(data[:size])
    assert not recognise(b"YQ==" * 10_000 + b" 0\n")


def test_of_a_piece_listed_twice_the_later_line_counts(tmp_path: Path) -> None:
    model = load(write(tmp_path, "YQ== 0\nYg== 1\nYQ== 2\n"))
    assert model.encode("ab").ids.tolist() == [2, 1]
    assert any("listed twice" in warning for warning in model.warnings)
    assert model.decode([0, 2]) == b"aa"


def test_missing_bytes_are_told(tmp_path: Path) -> None:
    model = load(write(tmp_path, "YQ== 0\nYg== 1\n"))
    assert any("254 of the 256 bytes lack a rank" in warning for warning in model.warnings)


@pytest.mark.parametrize(
    ("name", "size", "max_id", "pattern"),
    [
        ("r50k_base", 50257, 50256, "gpt2"),
        ("cl100k_base", 100261, 100276, "cl100k"),
        ("o200k_base", 200000, 200018, "o200k"),
    ],
)
def test_published_files_are_recognised_by_content(
    shared: Path, tmp_path: Path, name: str, size: int, max_id: int, pattern: str
) -> None:
    original = shared / "data" / "models" / "tiktoken" / f"{name}.tiktoken"
    moved = tmp_path / "tokenizer.model"
    moved.write_bytes(original.read_bytes().replace(b"\n", b"\r\n"))
    model = load(moved)
    facts = model.inspect()
    assert (facts["vocab_size"], facts["max_id"]) == (size, max_id)
    assert (facts["pre_tokenizer"], facts["encoding"]) == (pattern, name)
    assert model.warnings == ()
    # The end of a text is told from text by the mode alone.
    ids = model.encode("a<|endoftext|>", special="parse").ids.tolist()
    assert len(ids) == 2
    assert model.decode(ids) == b"a<|endoftext|>"
    literal = model.encode("a<|endoftext|>").ids.tolist()
    assert len(literal) > 2
    assert model.decode(literal) == b"a<|endoftext|>"


def test_patterns_are_those_of_the_library() -> None:
    from tiktoken_ext import openai_public

    assert PATTERNS["gpt2"] == openai_public.r50k_pat_str
    o200k = PATTERNS["o200k"].split("|")
    assert r"\p{N}{1,3}" in o200k
    # Each is a regular expression that leaves nothing out.
    import regex

    text = "It's 12345 naïve'LL\r\n\n  今天  \t <|x|> ÀÉ ß\u0301"
    for pattern in PATTERNS.values():
        assert "".join(regex.findall(pattern, text)) == text


def test_a_line_is_base64_and_a_rank(tmp_path: Path) -> None:
    path = write_ranks(tmp_path, [b"ab"])
    last = path.read_text(encoding="ascii").splitlines()[-1]
    assert last == f"{base64.b64encode(b'ab').decode()} 256"
