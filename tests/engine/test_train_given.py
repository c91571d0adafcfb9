"""Merges to begin with, a veto, bytes that aren't UTF-8, and whole tie sets."""

from __future__ import annotations

import csv
import errno
import json
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import engine
from engine.errors import ParameterError, TextError
from engine.merge_list import merge_rows
from engine.train import record, ties
from engine.train.bpe import BpeSettings, train_bpe, units_of
from engine.train.given import read_given
from engine.train.merges import TIE_BREAKS
from engine.train.save import save
from engine.train.veto import PatternVeto
from engine.train.words import count_words
from tests.engine import headless

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest\n" * 3
SETTINGS = BpeSettings(270, pre_tokenizer="gpt2")


@pytest.fixture
def train(capsys, tmp_path):
    """Run `train bpe` in a folder with a corpus; return exit code, output and error."""
    (tmp_path / "corpus.txt").write_text(TEXT, encoding="utf-8")

    def call(*arguments):
        given = [str(argument).replace("HERE", str(tmp_path)) for argument in arguments]
        return headless.run(capsys, "train", "bpe", "--output", str(tmp_path / "m.json"), *given)

    return call


def pieces(path: Path) -> list[bytes]:
    vocabulary = engine.load(path).vocabulary
    return [vocabulary.bytes(i) for i in range(len(vocabulary))]


@pytest.mark.parametrize("name", ["m.json", "m.tiktoken", "merges.txt"])
def test_training_goes_on_where_another_run_ended(name: str, tmp_path: Path) -> None:
    first = train_bpe([TEXT], SETTINGS)
    save(first, tmp_path / name)
    given = read_given(tmp_path / name, "bytes")
    assert len(given) == 14
    both = train_bpe([TEXT], BpeSettings(276, pre_tokenizer="gpt2", given=given))
    whole = train_bpe([TEXT], BpeSettings(276, pre_tokenizer="gpt2"))
    assert both.merges.symbols == whole.merges.symbols
    assert both.merges.given == 14
    assert both.merges.count.tolist() == whole.merges.count.tolist()


def test_characters_that_only_given_merges_hold_are_base_symbols(train, tmp_path) -> None:
    (tmp_path / "own.txt").write_text("#version: 0.2\nq u\nqu e</w>\nl o\n", encoding="utf-8")
    code, out, _ = train(
        "HERE/corpus.txt", "--vocab-size", 20, "--end-of-word", "</w>", "--given", "HERE/own.txt",
        "--json",
    )  # fmt: skip
    assert code == 0
    document = json.loads(out)
    # q, u and e</w> aren't in the corpus; l o is.
    assert document["base_symbols"] == 14
    assert (document["merges"], document["given_merges"]) == (6, 3)
    assert "2 given merges of pairs that the corpus doesn't hold" in document["warnings"]
    assert pieces(tmp_path / "m.json")[14:18] == [b"qu", b"que</w>", b"lo", b"we"]


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("q ue\n", [], "given merge 1 joins 'ue', which is no character, and no merge before"),
        ("q u\nx yz\n", ["--byte-level"], "given merge 2 joins 'yz', which is no byte"),
        ("q u\na b c\n", [], "'a b c' isn't two symbols with a space between them"),
        ("a 中\n", ["--byte-level"], "'a 中' isn't written in GPT-2's byte alphabet"),
        ("l o\n", ["--special", "lo"], "given merge 1 makes the special token 'lo'"),
        ("l o\nlo w\n", ["--vocab-size", "11"], "2 merges are given, 1 asked for"),
        ("l o\n", ["--given", "bundled"], "there is no such file"),
    ],
)
def test_given_merges_that_cannot_be(train, tmp_path, content, options, words) -> None:
    (tmp_path / "own.txt").write_text(content, encoding="utf-8")
    code, out, error = train(
        "HERE/corpus.txt", "--vocab-size", 300, "--given", "HERE/own.txt", *options
    )
    assert (code, out) == (2, "")
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "m.json").exists()


def test_a_model_gives_its_merges_only_to_a_run_of_its_kind(tmp_path: Path) -> None:
    save(train_bpe([TEXT], SETTINGS), tmp_path / "m.json")
    with pytest.raises(ParameterError, match="of bytes, and the vocabulary is to be of characters"):
        read_given(tmp_path / "m.json", "characters")
    unigram = engine.bundled.model_path("everyday-unigram")
    with pytest.raises(ParameterError, match="unigram model, which merges nothing"):
        read_given(unigram, "characters")


def test_no_merge_makes_what_the_veto_matches(train, tmp_path) -> None:
    code, out, _ = train(
        "HERE/corpus.txt", "--vocab-size", 300, "--byte-level", "--veto", "[we].*s|^lo"
    )
    assert code == 0
    made = pieces(tmp_path / "m.json")[256:]
    assert b"we" in made
    assert b"est" not in made
    assert not [p for p in made if p.startswith(b"lo") or b"es" in p]
    assert "no further pair occurs 2 times and makes a piece that the veto lets pass" in out
    code, _, error = train("HERE/corpus.txt", "--vocab-size", 300, "--veto", "(")
    assert code == 2
    assert "the veto '(' isn't a regular expression" in error


def test_a_veto_sees_a_part_of_a_character_as_no_letter() -> None:
    letters = PatternVeto(r"\P{L}")
    assert not letters(b"a", "é".encode())
    assert letters(b"a", "é".encode()[:1])


DIRTY = b"caf\xe9 caf\xe9\nna\xefve caf\xe9\nclean\n"


def test_bytes_that_are_not_utf_8_are_learnt_as_they_are(train, tmp_path) -> None:
    (tmp_path / "latin.txt").write_bytes(DIRTY)
    code, out, _ = train(
        "HERE/latin.txt", "--vocab-size", 259, "--byte-level", "--pre-tokenizer", "none",
        "--invalid", "bytes", "--json",
    )  # fmt: skip
    assert code == 0
    document = json.loads(out)
    assert document["corpus"]["bytes"] == len(DIRTY)
    assert document["corpus"]["lines"] == 3
    assert pieces(tmp_path / "m.json")[256:] == [b"af", b"af\xe9", b"caf\xe9"]
    assert any("2 lines not valid UTF-8, read as the bytes" in w for w in document["warnings"])


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "whitespace", "none", r"\w+|\W"])
def test_words_of_stray_bytes_are_those_that_the_pattern_cuts(name: str) -> None:
    lines = [f"{line}\n" for line in DIRTY.decode(errors="surrogateescape").splitlines()]
    words = count_words(lines, name, stray_bytes=True)
    found = dict(zip(words, words.counts.tolist(), strict=True))
    expected = {
        "gpt2": {b"caf": 1, b"\xe9": 3, b" caf": 2, b"\n": 3, b"na": 1, b"\xef": 1, b"ve": 1},
        "whitespace": {b"caf\xe9": 3, b"na\xefve": 1},
        "none": {b"caf\xe9 caf\xe9\n": 1, b"na\xefve caf\xe9\n": 1, b"clean\n": 1},
    }.get(name, {})
    assert expected.items() <= found.items()
    assert sum(len(word) * n for word, n in found.items()) == len(DIRTY) - (
        4 + 1 if name == "whitespace" else 0
    )
    assert words.n_bytes == len(DIRTY)


def test_stray_bytes_are_refused_where_nobody_asked_for_them(train, tmp_path) -> None:
    (tmp_path / "latin.txt").write_bytes(DIRTY)
    code, _, error = train("HERE/latin.txt", "--vocab-size", 300, "--invalid", "bytes")
    assert code == 2
    assert "--invalid bytes wants bytes for base symbols" in error
    with pytest.raises(TextError):
        train_bpe(["a\udce9"], BpeSettings(300, "characters", "whitespace"))
    with pytest.raises(TextError):
        train_bpe(["a\ud800"], SETTINGS)


def replayed(trained) -> list[list[tuple[int, int]]]:
    """Return the pairs of each merge's count before it, counted anew each time."""
    units = units_of(trained.words, trained.settings)
    flat = units.symbols.tolist()
    words = [flat[a:b] for a, b in pairwise(units.offsets.tolist())]
    merges, found = trained.merges, []
    for k, (left, right) in enumerate(zip(merges.left, merges.right, strict=True)):
        counts: Counter[tuple[int, int]] = Counter()
        for word, n in zip(words, units.counts.tolist(), strict=True):
            for pair in pairwise(word):
                counts[pair] += n
        found.append(sorted(pair for pair, n in counts.items() if n == merges.count[k]))
        new = []
        for word in words:
            out: list[int] = []
            for symbol in word:
                if out and (out[-1], symbol) == (left, right):
                    out[-1] = len(merges.base) + k
                else:
                    out.append(symbol)
            new.append(out)
        words = new
    return found


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_the_tie_sets_of_a_whole_run(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(7)
    lines = ["".join(draw.choice("abc") for _ in range(draw.randint(1, 7))) for _ in range(12)]
    trained = train_bpe(lines, BpeSettings(270, "bytes", "none", tie_break=rule))
    expected = replayed(trained)
    assert [len(found) for found in expected] == trained.merges.ties.tolist()
    units = units_of(trained.words, trained.settings)
    merges = trained.merges
    for kernels in (False, True):
        monkeypatch.setattr(ties, "compiled", lambda _size, kernels=kernels: kernels)
        assert list(ties.tie_sets(units, merges)) == expected
        assert ties.ties_at(units, merges, 3) == expected[3]


def test_the_record_holds_the_tie_sets_where_asked(train, tmp_path, monkeypatch) -> None:
    arguments = ["HERE/corpus.txt", "--vocab-size", 14, "--ties", "--log"]
    assert train(*arguments, "HERE/log.json")[0] == 0
    steps = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))["steps"]
    assert steps[1]["tie_set"] == [["l", "o"], ["s", "t"]]
    assert [len(step["tie_set"]) for step in steps] == [step["ties"] for step in steps]
    assert train(*arguments, "HERE/log.csv")[0] == 0
    with (tmp_path / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert json.loads(rows[1]["tie_set"]) == [["l", "o"], ["s", "t"]]
    assert "add --log FILE" in train("HERE/corpus.txt", "--vocab-size", 14, "--ties")[2]
    monkeypatch.setattr(ties, "MOST", 2)
    assert "the tie sets hold" in train(*arguments, "HERE/log.json")[2]


def test_a_full_disk_leaves_the_record_that_was_there(train, tmp_path, monkeypatch) -> None:
    (tmp_path / "log.csv").write_text("old", encoding="utf-8")

    def fails(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(record, "write_atomic", fails)
    code, out, error = train("HERE/corpus.txt", "--vocab-size", 14, "--log", "HERE/log.csv")
    assert (code, out) == (2, "")
    assert f"the record can't be written (No space left on device), {tmp_path}/log.csv" in error
    assert (tmp_path / "log.csv").read_text(encoding="utf-8") == "old"
    assert len(pieces(tmp_path / "m.json")) == 14


def test_the_list_of_merges_of_a_rank_file_is_the_one_that_was_trained(tmp_path: Path) -> None:
    trained = train_bpe([TEXT], SETTINGS)
    save(trained, tmp_path / "m.tiktoken")
    bpe = engine.load(tmp_path / "m.tiktoken").bpe
    rows = merge_rows(bpe)
    pairs = list(zip(bpe.left[rows].tolist(), bpe.right[rows].tolist(), strict=True))
    merges = trained.merges
    assert pairs == list(zip(merges.left.tolist(), merges.right.tolist(), strict=True))
