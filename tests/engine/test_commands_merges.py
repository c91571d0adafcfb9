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
