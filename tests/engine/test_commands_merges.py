"""`merges` of the headless contract: keys and values."""

from __future__ import annotations

import pytest

from tests.engine.headless import document, fault, run


def test_merges(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "merges", "toy-lower", "--text", "lower we")
    steps = result["steps"]
    names = ("step", "rank", "left", "right", "result", "at")
    assert [tuple(step[name] for name in names) for step in steps] == [
        (0, 0, "e", "r", "er", 3),
        (1, 1, "w", "e", "we", 6),
    ]
    assert [token["text"] for token in result["tokens"]] == ["l", "o", "w", "er", "we"]
    blocked = result["blocked"]
    assert [(b["step"], b["left"], b["right"], b["rank"]) for b in blocked] == [(0, "w", "e", 1)]
    out = run(capsys, "merges", "toy-lower", "--text", "lower we")[1]
    assert "w + e (rank 1)" in out
    assert "2 merges: l | o | w | er | we" in out
    # People read steps counted as the window counts them, programs read indices.
    assert [line.split()[:3] for line in out.splitlines()[1:3]] == [
        ["1", "0", "e"],
        ["2", "1", "w"],
    ]


def test_merges_of_another_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    assert "BPE" in fault(capsys, "merges", "toy-watching", "--text", "watching")


def test_merges_under_another_rule(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "merges", "toy-there", "--text", "there he", "--rule", "joined")
    assert result["rule"] == "joined"
    assert [(s["result"], s["own"]) for s in result["steps"]] == [
        ("th", True), ("the", False), ("he", True),
    ]  # fmt: skip
    assert [token["text"] for token in result["tokens"]] == ["the", "r", "e", "he"]
    assert result["differs"] == [
        {
            "pretoken": 0,
            "text": "there",
            "change": "tokens",
            "tokens": ["the", "r", "e"],
            "own_tokens": ["th", "e", "r", "e"],
        }
    ]
    out = run(capsys, "merges", "toy-there", "--text", "there he", "--rule", "vocabulary")[1]
    assert "e + r ≠" in out
    assert "other tokens than the model's own in 1 word" in out
    assert "th | er | e" in out
    same = document(capsys, "merges", "toy-there", "--text", "he", "--rule", "listed")
    assert same["differs"] == []


def test_merges_with_two_ranks_swapped(capsys: pytest.CaptureFixture[str]) -> None:
    for swap in ("0", "0:1", "1:0"):
        result = document(capsys, "merges", "toy-lower", "--text", "lower", "--swap", swap)
        assert [token["text"] for token in result["tokens"]] == ["l", "o", "we", "r"]
        assert [step["own"] for step in result["steps"]] == [False]
    assert "rank 9" in fault(capsys, "merges", "toy-lower", "--text", "lower", "--swap", "9")
    assert "isn't a rank" in fault(capsys, "merges", "toy-lower", "--text", "a", "--swap", "x")


def test_what_wordpiece_looks_up(capsys: pytest.CaptureFixture[str]) -> None:
    result = document(capsys, "merges", "everyday-wordpiece", "--text", "was wa☃")
    assert result["rule"] == "longest"
    assert [(s["tried"], s["at"], s["outcome"], s["result"]) for s in result["steps"]] == [
        ("was", 0, "hit", "was"),
        ("wa☃", 4, "miss", None),
        ("wa", 4, "hit", "wa"),
        ("##☃", 6, "miss", None),
        ("wa☃", 4, "fail", "[UNK]"),
    ]
    assert [token["text"] for token in result["tokens"]] == ["was", "[UNK]"]
    out = run(capsys, "merges", "everyday-wordpiece", "--text", "wa☃")[1]
    assert "nothing matches, so the word is unknown" in out
    assert "no merges" in fault(
        capsys, "merges", "everyday-wordpiece", "--text", "a", "--rule", "listed"
    )
