"""`train`: the files it writes, what it prints, and what it refuses."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.train.bpe import BpeSettings, train_bpe
from engine.train.merges import TIE_BREAKS
from engine.train.ties import ties_at
from engine.train.units import byte_units
from tests.engine import headless

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest\n" * 3


@pytest.fixture
def train(capsys, tmp_path):
    """Run the command in a folder with a corpus; return exit code, output and error."""
    (tmp_path / "corpus.txt").write_text(TEXT, encoding="utf-8")

    def call(*arguments):
        given = [str(argument).replace("HERE", str(tmp_path)) for argument in arguments]
        return headless.run(capsys, "train", "bpe", *given)

    return call


def test_a_byte_level_vocabulary_and_its_record(train, tmp_path):
    code, out, _ = train(
        "HERE/corpus.txt", "--vocab-size", 270, "--byte-level", "--output", "HERE/m.json",
        "--log", "HERE/log.csv", "--json",
    )  # fmt: skip
    document = json.loads(out)
    assert code == 0
    assert document["vocab_size"] == 270
    assert document["base_symbols"] == 256
    assert document["merges"] == 14
    assert document["tie_break"] == "lexicographic-smallest"
    assert document["corpus"] == {
        "lines": 3, "words": 45, "different_words": 6, "chars": len(TEXT), "bytes": len(TEXT),
    }  # fmt: skip
    model = engine.load(tmp_path / "m.json")
    assert len(model.vocabulary) == 270
    assert sum(len(model.encode(line + "\n")) for line in TEXT.splitlines()) == document["tokens"]
    with (tmp_path / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["piece"] for row in rows[:3]] == ["we", "lo", "st"]
    assert rows[0] == {
        "step": "1", "id": "256", "left": "w", "right": "e", "piece": "we", "count": "24",
        "ties": "1", "rival_left": "e", "rival_right": "s", "rival_count": "21",
        "vocab_size": "257", "tokens": str(len(TEXT) - 24),
        "bytes_per_token": str(len(TEXT) / (len(TEXT) - 24)),
    }  # fmt: skip


def test_characters_with_an_end_of_word_mark(train, tmp_path):
    code, out, _ = train(
        "HERE/corpus.txt", "--vocab-size", 22, "--end-of-word", "</w>", "--special", "<unk>",
        "--output", "HERE/m.json", "--log", "HERE/log.json",
    )  # fmt: skip
    assert code == 0
    # l o w e r n s t i d, and w</w> r</w> t</w>; r and t stand at ends only.
    assert "22 pieces = 11 characters + 10 merges + 1 special token" in out
    assert "3 lines, 42 words (4 different), 243 bytes" in out
    model = engine.load(tmp_path / "m.json")
    assert [model.vocabulary.text(i) for i in model.encode("lowest").ids] == ["lowe", "st</w>"]
    log = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))
    assert log["algorithm"] == "bpe"
    assert [step["piece"] for step in log["steps"][:3]] == ["we", "lo", "st</w>"]


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_the_same_bytes_in_every_process(train, tmp_path, rule):
    arguments = ["--vocab-size", "280", "--byte-level", "--tie-break", rule]
    assert train("HERE/corpus.txt", *arguments, "--output", "HERE/a.json")[0] == 0
    subprocess.run(
        [sys.executable, "-m", "engine", "train", "bpe", "corpus.txt", *arguments, "--output",
         "b.json"],
        cwd=tmp_path, check=True, capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(Path.cwd())},
    )  # fmt: skip
    written = (tmp_path / "a.json").read_bytes()
    assert written == (tmp_path / "b.json").read_bytes()
    assert json.loads(written)["model"]["segscope"] == {"tie_break": rule}


def test_a_vocabulary_that_the_corpus_cannot_fill_says_so(train):
    code, out, _ = train("HERE/corpus.txt", "--vocab-size", 9_000_000, "--output", "HERE/m.json")
    assert code == 0
    assert "no further pair occurs 2 times: the vocabulary ends at 23 pieces" in out
    _, out, _ = train(
        "HERE/corpus.txt", "--vocab-size", 90, "--max-length", 1, "--output", "HERE/m.json"
    )
    assert "occurs 2 times and makes a piece of at most 1 base symbol: the vocabulary ends" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["HERE/corpus.txt", "--vocab-size", 9, "--output", "HERE/m.json"],
         "a vocabulary of 9 pieces is smaller than its base symbols and specials (10)"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--output", "HERE/m.tiktoken"],
         "ranks are of bytes, and this vocabulary is of characters"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--output", "HERE/no/m.json"],
         "there is no such folder, HERE/no, make it first"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--output", "HERE/m.odd"],
         "the name doesn't tell the format"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--byte-level", "--pre-tokenizer", "(",
          "--output", "HERE/m.json"], "'(' names no pre-tokenizer and is no pattern"),
        (["HERE/empty.txt", "--vocab-size", 300, "--output", "HERE/m.json"],
         "the corpus holds no word, 0 lines"),
        (["HERE/lines.txt", "--vocab-size", 300, "--output", "HERE/m.json"],
         "the corpus holds no word, 3 lines"),
        (["HERE/lines.txt", "--vocab-size", 300, "--byte-level", "--output", "HERE/m.json"],
         "the corpus holds no word, 3 lines"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--output", "HERE/m.json", "--log", "HERE/log"],
         "the record's name has no ending, HERE/log, end its name in .csv or .json"),
        (["HERE/latin.txt", "--vocab-size", 300, "--output", "HERE/m.json"],
         "the file isn't valid UTF-8, HERE/latin.txt: line 2, byte 1 (0xE9)"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--max-length", 0, "--output", "HERE/m.json"],
         "--max-length 0"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--byte-level", "--end-of-word", "</w>",
          "--output", "HERE/m.json"], "bytes take no end-of-word mark"),
        (["HERE/corpus.txt", "--vocab-size", 20, "--special", "l", "--output", "HERE/m.json"],
         "the special token 'l' is a base symbol too"),
        (["HERE/none.txt", "--vocab-size", 200, "--byte-level", "--output", "HERE/m.json"],
         "a vocabulary of 200 pieces is smaller than its base symbols and specials (256)"),
        (["HERE/none.txt", "--vocab-size", 300, "--special", "a\udcff", "--output", "HERE/m.json"],
         "'a\\udcff' isn't Unicode text"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--pre-tokenizer", "whitespce", "--output",
          "HERE/m.json"], "the pre-tokenizer 'whitespce' finds no word, in 3 lines"),
        (["HERE/none.txt", "--vocab-size", 300, "--min-count", 0, "--output", "HERE/m.json"],
         "a lowest pair count of 0"),
        (["HERE/none.txt", "--vocab-size", 300, "--min-count", 10**20, "--output", "HERE/m.json"],
         "a lowest pair count of 100,000,000,000,000,000,000"),
        (["HERE/none.txt", "--vocab-size", 300, "--max-length", 10**20, "--output", "HERE/m.json"],
         "a longest symbol of 100,000,000,000,000,000,000 base symbols"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--log", "HERE/m.json", "--output",
          "HERE/m.json"], "the record would be written over the vocabulary, HERE/m.json"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--log", "HERE/no/log.csv", "--output",
          "HERE/m.json"], "there is no such folder, HERE/no"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--format", "huggingface", "--output",
          "HERE/corpus.txt"], "the vocabulary would be written over the corpus, HERE/corpus.txt"),
        (["HERE/corpus.txt", "--vocab-size", 300, "--log", "HERE/log.txt", "--output",
          "HERE/m.json"], "a record ending in '.txt'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_one_line_and_nothing_is_written(
    train, tmp_path, arguments, words
):
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "lines.txt").write_bytes(b"\n\n\n")
    (tmp_path / "latin.txt").write_bytes(b"caf\n\xe9\n")
    code, out, error = train(*arguments)
    assert code == 2
    assert out == ""
    assert error.count("\n") == 1
    assert error.startswith("segscope: error: " + words.replace("HERE", str(tmp_path)))
    assert not (tmp_path / "m.json").exists()


def test_the_text_of_a_special_token_becomes_no_piece(train, tmp_path):
    code, _, _ = train(
        "HERE/corpus.txt", "--vocab-size", 30, "--special", "lo", "--special", "<unk>",
        "--output", "HERE/m.json",
    )  # fmt: skip
    assert code == 0
    model = engine.load(tmp_path / "m.json")
    texts = [model.vocabulary.text(i) for i in range(len(model.vocabulary))]
    assert texts.count("lo") == 1
    assert texts.index("lo") == len(texts) - 2  # the special token's own
    assert "we" in texts


def test_bytes_a_token_are_those_of_the_corpus_everywhere(train, tmp_path):
    _, out, _ = train(
        "HERE/corpus.txt", "--vocab-size", 18, "--output", "HERE/m.json", "--log", "HERE/log.json"
    )
    steps = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))["steps"]
    assert steps[-1]["bytes_per_token"] == len(TEXT) / steps[-1]["tokens"]
    assert f"{len(TEXT) / steps[-1]['tokens']:.2f} bytes a token" in out


def test_the_tie_set_of_any_merge():
    lines = ["cda", "bac", "ecb", "acc"] * 2
    trained = train_bpe(lines, BpeSettings(258, pre_tokenizer="none"))
    learnt, units = trained.merges, byte_units(trained.words)
    sets = [ties_at(units, learnt, step) for step in range(2)]
    assert [len(found) for found in sets] == learnt.ties.tolist()
    symbols = learnt.symbols
    assert [(symbols[a] + b" " + symbols[b]).decode() for a, b in sets[1]] == [
        "b ac", "c b", "c d", "d a", "e c", "ac c",
    ]  # fmt: skip
    assert np.array_equal(learnt.tokens, [24, 20, 18])


def test_neither_file_of_a_pair_is_written_over_what_was_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    corpus, given = tmp_path / "merges.txt", tmp_path / "given.codes"
    corpus.write_text("low lower\n")
    given.write_text("#version: 0.2\nl o\n")
    argv = ("train", "bpe", str(corpus), "--vocab-size", "300")
    pair = ("--byte-level", "--pre-tokenizer", "gpt2", "--output", str(tmp_path))
    said = headless.fault(capsys, *argv, *pair)
    assert "the vocabulary would be written over the corpus" in said
    options = ("--end-of-word", "</w>", "--given", str(given), "--output", str(given))
    assert "would be written over the given merges" in headless.fault(capsys, *argv, *options)
    assert (corpus.read_text(), given.read_text()) == ("low lower\n", "#version: 0.2\nl o\n")
