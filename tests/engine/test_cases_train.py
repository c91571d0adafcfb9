"""Cases of people who train BPE, and what bad input gets; the numbers are those of the list."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import engine
from engine.convert import convert
from engine.corpus import read_lines
from engine.errors import CorpusError, ParameterError, TrainingError
from engine.progress import Cancelled
from engine.train.bpe import BpeSettings, train_bpe
from engine.train.merges import TieBreak
from engine.train.save import save
from tests.engine import headless


def made(trained) -> list[str]:
    merges = trained.merges
    return [symbol.decode() for symbol in merges.symbols[len(merges.base) :]]


@pytest.mark.parametrize(
    ("rule", "style", "mark", "expected"),
    [
        ("lowest-ids", "whitespace", "", ["mn", "pq", "rs"]),
        ("lexicographic-largest", "whitespace", "</w>", ["rs</w>", "pq</w>", "mn</w>"]),
        ("first-seen", "whitespace", "", ["pq", "rs", "mn"]),
        ("shortest-then-smallest", "metaspace", "", ["mn", "pq", "rs"]),
        ("lexicographic-smallest", "whitespace", "", ["mn", "pq", "rs"]),
    ],
)
def test_c01_the_named_rule_decides_ties(
    rule: TieBreak, style: str, mark: str, expected: list[str], shared: Path
) -> None:
    lines, _ = read_lines(shared / "data" / "edge" / "ties.txt")
    base = 7 if style == "metaspace" else 6
    settings = BpeSettings(base + 3, "characters", style, mark, tie_break=rule)
    assert made(train_bpe(lines, settings)) == expected
    words = " ".join(lines).split()
    random.Random(1).shuffle(words)
    if rule != "first-seen":
        assert made(train_bpe(words, settings)) == expected


def test_c01_words_with_the_mark_come_after_them(shared: Path) -> None:
    lines, _ = read_lines(shared / "data" / "edge" / "ties.txt")
    settings = BpeSettings(13, "characters", "metaspace", tie_break="shortest-then-smallest")
    assert made(train_bpe(lines, settings)) == ["mn", "pq", "rs", "▁mn", "▁pq", "▁rs"]


def test_c02_an_overlapping_run_is_counted_where_it_stands(shared: Path) -> None:
    lines, _ = read_lines(shared / "data" / "edge" / "overlap.txt")
    trained = train_bpe(lines, BpeSettings(5, "characters", "whitespace"))
    assert made(trained) == ["aa", "bc"]
    assert trained.merges.count.tolist() == [4, 3]


def test_c05_the_same_file_whatever_the_order(tmp_path: Path) -> None:
    words = ["nale", "len", "ane", "lane", "nela", "aln"]
    draw, files = random.Random(3), set()
    for _ in range(6):
        draw.shuffle(words)
        trained = train_bpe([" ".join(words)], BpeSettings(12, "characters", "whitespace"))
        save(trained, tmp_path / "m.json")
        files.add((tmp_path / "m.json").read_bytes())
    assert len(files) == 1


def test_c07_a_part_that_never_stands_alone_stays() -> None:
    settings = BpeSettings(10, "characters", "whitespace")
    trained = train_bpe(["sow sower mower"], settings)
    symbols = trained.merges.symbols
    assert symbols[: len(trained.merges.base)] == (b"e", b"m", b"o", b"r", b"s", b"w")
    assert b"er" in symbols


def test_c23_nul_is_a_character_like_any_other(shared: Path, tmp_path: Path) -> None:
    lines, _ = read_lines(shared / "data" / "edge" / "nul.txt")
    assert any("\0" in line for line in lines)
    trained = train_bpe([f"{line}\n" for line in lines * 4], BpeSettings(256 + 6))
    save(trained, tmp_path / "m.json")
    model = engine.load(tmp_path / "m.json")
    for line in lines:
        assert model.decode(model.encode(line).ids.tolist()) == line.encode()


def test_c40_invalid_lines_are_named_and_treated_as_chosen(
    capsys, shared: Path, tmp_path: Path
) -> None:
    corpus = shared / "data" / "edge" / "invalid_utf8.txt"
    with pytest.raises(CorpusError) as caught:
        read_lines(corpus)
    data = corpus.read_bytes()
    line = next(i for i, row in enumerate(data.split(b"\n"), 1) if _broken(row))
    assert f"line {line}, byte " in caught.value.where
    sizes = {}
    for choice in ("skip", "replace", "bytes"):
        document = headless.document(
            capsys, "train", "bpe", str(corpus), "--vocab-size", "257", "--byte-level",
            "--min-count", "1", "--invalid", choice, "--output", str(tmp_path / "m.json"),
        )  # fmt: skip
        sizes[choice] = document["corpus"]["bytes"]
        assert any("not valid UTF-8" in warning for warning in document["warnings"])
    ended = data if data.endswith(b"\n") else data + b"\n"
    assert sizes["bytes"] == len(ended)
    assert sizes["skip"] == sum(len(r) + 1 for r in ended[:-1].split(b"\n") if not _broken(r))
    assert sizes["replace"] == len(ended.decode(errors="replace").encode())


def _broken(row: bytes) -> bool:
    try:
        row.decode()
    except UnicodeDecodeError:
        return True
    return False


@pytest.mark.parametrize("pre_tokenizer", ["none", "cl100k"])
def test_c65_c67_a_word_of_a_megabyte_is_learnt_from_whole(pre_tokenizer: str) -> None:
    letters = "ab" * 2000 + "a" * 996_000
    trained = train_bpe([letters], BpeSettings(256 + 12, "bytes", pre_tokenizer))
    assert trained.words.n_chars == 1_000_000
    assert len(trained.words) == 1
    assert made(trained)[:4] == ["aa", "aaaa", "a" * 8, "a" * 16]
    assert trained.merges.count[0] == 995_999


@pytest.mark.parametrize("name", ["empty.txt", "newlines_only.txt", "one_empty_line.txt"])
def test_c69_a_corpus_without_a_word_is_no_model(name: str, shared: Path) -> None:
    lines, _ = read_lines(shared / "data" / "edge" / name)
    with pytest.raises(TrainingError, match="the corpus holds no word"):
        train_bpe([f"{line}\n" for line in lines], BpeSettings(300, "characters", "whitespace"))


def test_c69_too_many_and_too_few_pieces() -> None:
    text = ["hello world"]
    with pytest.raises(TrainingError, match=r"smaller than its base symbols and specials \(7\)"):
        train_bpe(text, BpeSettings(4, "characters", "whitespace"))
    trained = train_bpe(text, BpeSettings(5000, "characters", "whitespace", least=1))
    assert trained.merges.ended == "count"
    assert {"hello", "world"} <= set(made(trained))
    assert trained.size == 7 + 8


def test_c70_steps_are_counted_and_cancel_comes_at_once(shared: Path) -> None:
    lines, _ = read_lines(shared / "data" / "edge" / "hug.txt")
    seen: list[tuple[int, int]] = []

    def report(done: int, total: int) -> None:
        seen.append((done, total))
        if total == 400 and done:
            raise Cancelled

    settings = BpeSettings(256 + 400, veto=lambda left, right: False)
    with pytest.raises(Cancelled):
        train_bpe([f"{line}\n" for line in lines * 40], settings, report)
    assert seen[-1][1] == 400
    assert 0 < seen[-1][0] < 400


def test_c71_pieces_that_are_not_utf_8_stay_out_of_a_sentencepiece_model(
    shared: Path, tmp_path: Path
) -> None:
    model = engine.load(shared / "data" / "models" / "bench" / "bytepiece32k.model")
    with pytest.raises(ParameterError, match="is of characters, and this model is of bytes"):
        convert(model, tmp_path / "new.model", "sentencepiece")
    assert list(tmp_path.iterdir()) == []


def test_c75_marks_and_carriage_returns_are_no_pieces(capsys, shared: Path, tmp_path: Path) -> None:
    head = (shared / "data" / "corpora" / "en_botchan.txt").read_bytes()[:20_000]
    assert head.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in head
    (tmp_path / "head.txt").write_bytes(head[: head.rindex(b"\n") + 1])
    document = headless.document(
        capsys, "train", "bpe", str(tmp_path / "head.txt"), "--vocab-size", "400",
        "--byte-level", "--output", str(tmp_path / "m.json"),
    )  # fmt: skip
    assert sum("byte order mark" in w or "CR LF" in w for w in document["warnings"]) == 2
    vocab = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["model"]["vocab"]
    assert not [piece for piece in vocab if len(piece) > 1 and ("č" in piece or "ï" in piece)]
    assert [piece for piece in vocab if len(piece) > 1 and "Ċ" in piece]
