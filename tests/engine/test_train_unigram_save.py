"""A trained Unigram vocabulary is saved and opened again, here and in the formats' libraries."""

from __future__ import annotations

import csv
import json
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.train.save import save
from engine.train.scripts import Constraints
from engine.train.unigram import TrainedUnigram, UnigramSettings, train_unigram
from tests.engine import headless
from tests.engine.trained import EVERYDAY, lines, scrambled
from tests.peers import huggingface_peer, sentencepiece_peer

SETTINGS = {
    "usual": UnigramSettings(1_400),
    "bytes": UnigramSettings(1_600, byte_fallback=True, coverage=0.98, specials=("<pad>", "<sep>")),
    "identity": UnigramSettings(
        1_400, "identity", constraints=Constraints(by_number=False, single_digits=True)
    ),
    "spaces": UnigramSettings(
        1_400, "identity", prefix=False, single_spaces=False,
        constraints=Constraints(by_space=False, by_script=False),
    ),
}  # fmt: skip


@cache
def train(name: str) -> TrainedUnigram:
    """Return a vocabulary of the lines in a dozen languages."""
    return train_unigram(lines(), SETTINGS[name])


def own_ids(path: Path, texts: list[str]) -> list[list[int]]:
    """Return what Segscope makes of texts with a file."""
    batch = engine.load(path).encode_lines(texts)
    return [batch.ids[a:b].tolist() for a, b in pairwise(batch.offsets.tolist())]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_sentencepiece_model_gives_the_same_ids_there_and_here(name: str, tmp_path: Path) -> None:
    trained, path = train(name), tmp_path / "own.model"
    assert save(trained, path) == ()
    peer = sentencepiece_peer(path)
    texts = [*lines(), *(text.replace("\n", " ") for text in scrambled())]
    ids = peer.encode(texts)
    assert own_ids(path, texts) == ids
    if not trained.left_out or trained.settings.byte_fallback:
        # Training cuts the corpus as the library does; single precision may part a tie otherwise.
        assert sum(map(len, ids[: len(lines())])) == pytest.approx(trained.n_tokens, rel=1e-3)
    model = engine.load(path)
    assert [model.vocabulary.text(i) for i in range(1, 3)] == ["<s>", "</s>"]
    scores = model.vocabulary.score[len(trained.settings.first) :]
    assert scores.tolist() == trained.scores[len(trained.settings.first) :].astype("f4").tolist()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_tokenizer_json_gives_the_same_ids_there_and_here(name: str, tmp_path: Path) -> None:
    trained, path = train(name), tmp_path / "own.json"
    notes = save(trained, path)
    assert any("grapheme" in note for note in notes) == (trained.settings.normalizer == "nmt_nfkc")
    texts = [*lines(), *scrambled()]
    ids = huggingface_peer(path).encode(texts)
    assert own_ids(path, texts) == ids
    model = engine.load(path)
    assert model.vocabulary.score.tolist() == trained.scores.tolist()
    # The library's reader of JSON is exact up to fifteen digits; one bit decides a tie.
    assert all(len(repr(abs(x)).replace(".", "")) <= 15 for x in trained.scores.tolist())
    assert [t.id for t in model.special_tokens] == list(range(3 + len(trained.settings.specials)))


@pytest.mark.parametrize("name", SETTINGS)
def test_both_formats_cut_plain_lines_alike(name: str, tmp_path: Path) -> None:
    trained = train(name)
    save(trained, tmp_path / "own.model")
    save(trained, tmp_path / "own.json")
    texts = [line for line in lines() if max(line, default="") < "\u1100" and line.strip() == line]
    assert len(texts) > 100
    assert own_ids(tmp_path / "own.model", texts) == own_ids(tmp_path / "own.json", texts)
    texts = ["two  spaces ", " before", "a", ""]
    assert own_ids(tmp_path / "own.model", texts) == own_ids(tmp_path / "own.json", texts)
    model = engine.load(tmp_path / "own.json")
    assert model.decode(model.encode("the weather is fine").ids) == b"the weather is fine"


def test_pieces_hold_what_the_constraints_let_them() -> None:
    texts = [text.decode() for text in train("spaces").pieces[3:]]
    inside = [text for text in texts if "▁" in text[1:]]
    assert inside
    assert not any(len(text) > 1 and text.endswith("▁") for text in texts)
    digits = [text.decode() for text in train("identity").pieces[3:]]
    assert not any(len(text) > 1 and any(c in "0123456789" for c in text) for text in digits)
    longest = train_unigram(lines(), UnigramSettings(1_400, longest=3)).pieces[3:]
    assert max(len(text.decode()) for text in longest) == 3


# The command


@pytest.fixture
def command(capsys, tmp_path):
    """Run `train unigram` on some lines in a folder; return exit code, output and error."""
    text = "\n".join((EVERYDAY / "en.txt").read_text(encoding="utf-8").splitlines())
    (tmp_path / "corpus.txt").write_text(text + "\n", encoding="utf-8")

    def call(*arguments):
        given = [str(argument).replace("HERE", str(tmp_path)) for argument in arguments]
        return headless.run(capsys, "train", "unigram", *given)

    return call


def test_the_command_writes_a_model_and_its_record(command, tmp_path):
    code, out, err = command(
        "HERE/corpus.txt", "--vocab-size", 200, "--output", "HERE/m.model", "--log", "HERE/r.csv",
        "--coverage", 1, "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["algorithm"] == "unigram"
    assert document["vocab_size"] == document["pieces"] == 200
    text = (tmp_path / "corpus.txt").read_text(encoding="utf-8")
    assert document["corpus"] == {
        "lines": text.count("\n"), "words": len(text.split()),
        "different_words": len(set(text.split())), "chars": len(text), "bytes": len(text.encode()),
    }  # fmt: skip
    assert document["warnings"] == []
    model = engine.load(tmp_path / "m.model")
    tokens = sum(len(model.encode(line)) for line in text.splitlines())
    assert document["tokens"] == tokens
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == document["rounds"] > 3
    assert (rows[-1]["vocab_size"], rows[-1]["tokens"]) == ("200", str(tokens))
    assert float(rows[-1]["bytes_per_token"]) == len(text.encode()) / tokens
    assert float(rows[0]["objective"]) < float(rows[-1]["objective"]) == document["objective"]


def test_the_command_says_a_row_for_each_round_and_what_has_no_piece(command, tmp_path):
    code, out, _ = command(
        "HERE/corpus.txt", "--vocab-size", 5_000, "--output", "HERE/m.json", "--byte-fallback",
        "--special", "<pad>", "--coverage", 0.9, "--max-length", 4, "--log", "HERE/r.json",
    )  # fmt: skip
    assert code == 0
    assert "the corpus has no further piece: the vocabulary ends at" in out
    assert "of the corpus without a piece, written as bytes" in out
    assert "4 special tokens + 256 bytes + " in out
    model = engine.load(tmp_path / "m.json")
    assert [token.text for token in model.special_tokens] == ["<unk>", "<s>", "</s>", "<pad>"]
    record = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert record["algorithm"] == "unigram"
    assert record["steps"][-1]["vocab_size"] == len(model.vocabulary)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--vocab-size", "10"), "ask for at least"),
        (("--vocab-size", "300", "--max-length", "40"), "give 1 to 32"),
        (("--vocab-size", "300", "--coverage", "2"), "at most 1"),
        (("--vocab-size", "300", "--format", "tiktoken"), "invalid choice"),
    ],
)
def test_what_the_command_refuses_leaves_nothing(command, tmp_path, options, said):
    code, out, err = command("HERE/corpus.txt", *options, "--output", "HERE/m.model")
    assert (code, out) == (2, "")
    assert said in err
    assert [file.name for file in tmp_path.iterdir()] == ["corpus.txt"]


@pytest.mark.parametrize("name", ["empty.txt", "newlines_only.txt"])
def test_corpora_without_a_word(command, shared, tmp_path, name):
    """Case C69."""
    path = shared / "data" / "edge" / name
    code, _, err = command(path, "--vocab-size", 300, "--output", "HERE/m.model")
    assert code == 2
    assert "no word" in err or "empty" in err or "no line" in err
    assert not (tmp_path / "m.model").exists()


def test_korean_sentences_give_a_vocabulary_of_8000(shared):
    """Case C70: eight thousand pieces of a Korean corpus."""
    path = shared / "data" / "corpora" / "ko_chatbot.txt"
    texts = path.read_text(encoding="utf-8").splitlines()[::2]
    trained = train_unigram(texts, UnigramSettings(8_000))
    assert trained.size == 8_000
    assert np.all(np.isfinite(trained.scores))
    assert trained.bytes_per_token[-1] > 5
