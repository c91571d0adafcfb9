"""`stages` for a person: the text of each stage as a whole. The document is in `test_stages`."""

from __future__ import annotations

import pytest

from engine.commands.staging import TEXT_BYTES
from tests.engine.headless import document, run


def texts(capsys: pytest.CaptureFixture[str], model: str, text: str) -> list[str]:
    """Return the whole text of each stage as it is printed, in order."""
    code, out, _ = run(capsys, "stages", model, "--text", text)
    assert code == 0
    mark = "  text: "
    return [line.removeprefix(mark) for line in out.splitlines() if line.startswith(mark)]


@pytest.mark.parametrize(
    ("model", "text", "wanted"),
    [
        ("everyday-unigram", "Hi  \nyou", ["▁Hi▁▁↵you"] * 3 + ["Hi␣␣↵you"]),
        (
            "everyday-wordpiece",
            "a 今天b ",
            ["a␣␣今␣␣天␣b␣", "a今天b", "a今天b", "a␣今␣天␣b"],
        ),
        ("everyday-bpe", "é\u200b ", ["éU+200B␣"] * 4),
        ("everyday-wordpiece", "", ["(empty)"] * 4),
    ],
)
def test_the_whole_text_of_each_stage(
    capsys: pytest.CaptureFixture[str], model: str, text: str, wanted: list[str]
) -> None:
    assert texts(capsys, model, text) == wanted


def test_it_stands_right_under_the_name_of_its_stage(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "stages", "everyday-wordpiece", "--text", "A b")[1].splitlines()
    titles = [out[i - 1] for i, line in enumerate(out) if line.startswith("  text: ")]
    assert [title.split(":")[0] for title in titles] == [
        "normalizer", "pre-tokenizer", "model", "decoder",
    ]  # fmt: skip


def test_of_a_long_text_the_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    text = "今天" * TEXT_BYTES
    first, *_ = texts(capsys, "everyday-bpe", text)
    shown, _, size = first.partition("… ")
    assert size == f"({len(text.encode()):,} bytes)"
    assert shown == text[: TEXT_BYTES // 3]
    stages = document(capsys, "stages", "everyday-bpe", "--text", text)["stages"]
    assert [stage["text"] for stage in stages] == [text] * 4
