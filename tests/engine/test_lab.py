"""The small lab: its figures, its words, and the command."""

from __future__ import annotations

import pytest

from engine import bundled
from engine.errors import ParameterError
from engine.lab import MERGES, Lab, run_lab, steps_of
from tests.engine import headless

CORPUS = (bundled.corpus_path() / "en.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def lab() -> Lab:
    return run_lab()


def test_the_lesson_adds_up(lab: Lab) -> None:
    assert len(lab.trained.merges) == MERGES
    assert lab.trained.size == 256 + 120
    encoded = CORPUS.encode()
    assert lab.trained.words.n_bytes == len(encoded)
    first = lab.first_merges[0]
    pair = (first["left"] + first["right"]).replace("␣", " ")
    # No run of one symbol: every place of the pair merges, and it stands inside of words.
    assert first["count"] == CORPUS.count(pair)
    counts = [row["count"] for row in lab.first_merges]
    assert counts == sorted(counts, reverse=True)
    lines = [f"{line}\n" for line in lab.lines]
    tokens = sum(len(lab.model.encode(line)) for line in lines)
    assert lab.corpus_ratio == len(encoded) / tokens
    assert 1.5 < lab.corpus_ratio < 3


def test_a_text_comes_back_and_what_is_new_stays_in_bytes(lab: Lab) -> None:
    assert lab.decoded == lab.text
    assert lab.comes_back
    assert lab.encoding.ids.tolist()[-4:] == list("👋".encode())
    assert lab.ratio == len(lab.text.encode()) / len(lab.encoding)


def test_the_steps_say_what_came_out(lab: Lab) -> None:
    steps = steps_of(lab)
    assert [step.title for step in steps] == [
        "Train 120 merges",
        "Read the first merges",
        "Encode a text",
        "Decode the ids",
        "Check the round trip",
        "Read the compression ratio",
    ]
    assert steps[0].outcome[1] == "the vocabulary: 376 pieces = 256 bytes + 120 merges"
    row = lab.first_merges[0]
    assert steps[1].outcome[0].startswith(f" 1. {row['left']} + {row['right']} → {row['piece']}")
    assert f"{row['count']} times" in steps[1].outcome[0]
    assert steps[2].outcome[1].endswith(" | F0 | 9F | 91 | 8B")
    assert steps[4].outcome == ("the decoded text is the text",)
    assert f"{lab.corpus_ratio:.2f} bytes a token" in steps[5].outcome[0]


def test_other_numbers_of_merges(lab: Lab) -> None:
    bare = run_lab("abc", 0)
    assert bare.corpus_ratio == 1
    assert bare.encoding.ids.tolist() == [97, 98, 99]
    assert steps_of(bare)[1].outcome == ()
    with pytest.raises(ParameterError, match="-1 merges"):
        run_lab("abc", -1)
    full = run_lab("abc", 100_000)
    assert "no further pair stands in the text twice" in steps_of(full)[0].outcome


def test_the_command(capsys) -> None:
    document = headless.document(capsys, "lab", "--text", "the the\tthe")
    assert document["decoded"] == "the the\tthe"
    assert document["round_trip"] is True
    assert document["vocab_size"] == 376
    assert len(document["steps"]) == 6
    assert [token["text"] for token in document["tokens"]][:3] == ["t", "he", " the"]
    code, out, _ = headless.run(capsys, "lab")
    assert code == 0
    assert out.startswith("1. Train 120 merges\n")
    assert "6. Read the compression ratio\n" in out
