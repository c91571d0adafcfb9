"""`train wordpiece` and `train bytepiece`: the files they write, and what they print and refuse."""

from __future__ import annotations

import csv
import json

import pytest

import engine
from tests.engine import headless

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest\n" * 3


@pytest.fixture
def train(capsys, tmp_path):
    """Run the command in a folder with a corpus; return exit code, output and error."""
    (tmp_path / "corpus.txt").write_text(TEXT, encoding="utf-8")

    def call(*arguments):
        given = [str(argument).replace("HERE", str(tmp_path)) for argument in arguments]
        return headless.run(capsys, "train", *given)

    return call


def test_a_wordpiece_vocabulary_and_its_record(train, tmp_path):
    code, out, _ = train(
        "wordpiece", "HERE/corpus.txt", "--vocab-size", 40, "--output", "HERE/vocab.txt",
        "--log", "HERE/log.csv", "--json",
    )  # fmt: skip
    document = json.loads(out)
    assert code == 0
    assert document["algorithm"] == "wordpiece"
    assert document["select"] == "likelihood"
    assert document["vocab_size"] == document["base_symbols"] + document["merges"] + 5
    assert document["special_tokens"] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    model = engine.load(tmp_path / "vocab.txt")
    assert len(model.vocabulary) == document["vocab_size"]
    assert sum(len(model.encode(line)) for line in TEXT.splitlines()) == document["tokens"]
    with (tmp_path / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    # w and i stand nowhere else in front of and behind anything: 3 / (3 · 3).
    first = {key: rows[0][key] for key in ("piece", "count", "left_count", "right_count", "score")}
    assert first == {
        "piece": "##id", "count": "3", "left_count": "3", "right_count": "3",
        "score": str(1 / 3),
    }  # fmt: skip


def test_the_record_of_wordpiece_holds_the_tie_sets_where_asked(train, tmp_path):
    arguments = ["wordpiece", "HERE/corpus.txt", "--vocab-size", 30, "--output", "HERE/t.json"]
    assert train(*arguments, "--ties", "--log", "HERE/log.json")[0] == 0
    steps = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))["steps"]
    assert [len(step["tie_set"]) for step in steps] == [step["ties"] for step in steps]
    assert all([step["left"], step["right"]] in step["tie_set"] for step in steps)
    assert max(step["ties"] for step in steps) > 1
    assert "add --log FILE" in train(*arguments, "--ties")[2]


def test_wordpiece_by_frequency_for_people(train, tmp_path):
    code, out, _ = train(
        "wordpiece", "HERE/corpus.txt", "--vocab-size", 40, "--output", "HERE/t.json",
        "--select", "frequency", "--lower-case", "--special", "<x>",
    )  # fmt: skip
    assert code == 0
    assert "6 special tokens" in out
    assert "chosen by frequency" in out
    settings = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert settings["normalizer"]["lowercase"] is True
    assert settings["model"]["segscope"]["select"] == "frequency"
    assert settings["model"]["vocab"]["<x>"] == 5


def test_a_bytepiece_vocabulary_and_its_record(train, tmp_path):
    code, out, _ = train(
        "bytepiece", "HERE/corpus.txt", "--vocab-size", 300, "--output", "HERE/b.model",
        "--log", "HERE/log.json", "--json",
    )  # fmt: skip
    document = json.loads(out)
    assert code == 0
    assert document["algorithm"] == "bytepiece"
    assert document["vocab_size"] == document["pieces"]
    assert document["special_tokens"] == ["<pad>", "<bos>", "<eos>"]
    model = engine.load(tmp_path / "b.model")
    tokens = sum(len(model.encode(line + "\n")) for line in TEXT.splitlines())
    assert tokens == document["tokens"]
    log = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))
    assert (log["algorithm"], log["whole_characters"]) == ("bytepiece", True)
    assert log["steps"][-1]["tokens"] == tokens
    assert any("ends at" in note for note in document["warnings"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("wordpiece", "--vocab-size", 9, "--output", "HERE/t.json"), "smaller than its"),
        (("wordpiece", "--vocab-size", 50, "--output", "HERE/t.model"), "doesn't tell the format"),
        (
            ("wordpiece", "--vocab-size", 50, "--output", "HERE/v.txt", "--longest-word", 7),
            "save it as tokenizer.json",
        ),
        (
            ("wordpiece", "--vocab-size", 50, "--output", "HERE/v.txt", "--pre-tokenizer",
             "whitespace", "--lower-case"),
            "takes text as it is",
        ),
        (("wordpiece", "--vocab-size", 50, "--output", "HERE/corpus.txt"), "over the corpus"),
        (("bytepiece", "--vocab-size", 258, "--output", "HERE/b.model"), "at least 259"),
        (("bytepiece", "--vocab-size", 300, "--output", "HERE/b.json"), "doesn't tell the format"),
        (
            ("bytepiece", "--vocab-size", 300, "--output", "HERE/b.model", "--special", "<x>"),
            "leave out --special",
        ),
    ],
)  # fmt: skip
def test_what_is_refused_leaves_nothing_behind(train, tmp_path, arguments, said):
    code, _, error = train(arguments[0], "HERE/corpus.txt", *arguments[1:])
    assert code == 2 or code == 1
    assert said in error
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.txt"]
    assert (tmp_path / "corpus.txt").read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize("algorithm", ["wordpiece", "bytepiece"])
def test_corpora_that_are_empty_or_broken(train, tmp_path, algorithm):
    end = ("--vocab-size", 400, "--output", "HERE/m.model", "--format",
           "bert" if algorithm == "wordpiece" else "bytepiece")  # fmt: skip
    for content in (b"", b"\n\n\n"):
        (tmp_path / "empty.txt").write_bytes(content)
        code, _, error = train(algorithm, "HERE/empty.txt", *end)
        assert code != 0
        assert "the corpus holds" in error
    (tmp_path / "broken.txt").write_bytes(b"good good\nbad \xff\xfe bad\n")
    code, _, error = train(algorithm, "HERE/broken.txt", *end)
    assert code != 0
    assert "line 2" in error
    code, _, _ = train(algorithm, "HERE/broken.txt", *end, "--invalid", "skip")
    assert code == 0
    (tmp_path / "long.txt").write_bytes(b"x" * 20_000 + b"\nshort words here\n\0\n")
    code, _, _ = train(algorithm, "HERE/long.txt", *end)
    assert code == 0
