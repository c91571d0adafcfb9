"""`lab`: a lesson in BPE, step by step, with what each step gives."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from engine.commands.common import (
    Subparsers,
    new_command,
    print_json,
    print_lines,
    terminal_report,
    token_rows,
)
from engine.lab import MERGES, TEXT, Lab, Step, run_lab, steps_of
from engine.terminal import styled

COLUMNS = 78


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(
        subparsers, "lab", "a lesson: train a small BPE vocabulary, encode, decode, measure", run
    )
    parser.add_argument("--text", metavar="T", default=TEXT, help="the text to encode")
    parser.add_argument(
        "--merges", metavar="N", type=int, default=MERGES, help="how many merges are learnt"
    )


def run(arguments: argparse.Namespace) -> None:
    """Do the lesson and print its steps."""
    lab = run_lab(arguments.text, arguments.merges, terminal_report("merges"))
    steps = steps_of(lab)
    if arguments.json:
        print_json(_document(lab, steps))
        return
    for place, step in enumerate(steps, start=1):
        print_lines(
            [
                *([""] if place > 1 else []),
                styled(f"{place}. {step.title}", "bold"),
                *textwrap.wrap(step.explanation, COLUMNS),
                *(f"   {line}" for line in step.outcome),
            ]
        )


def _document(lab: Lab, steps: list[Step]) -> dict[str, Any]:
    encoding = lab.encoding
    return {
        "corpus": {"lines": len(lab.lines), "bytes": lab.trained.words.n_bytes},
        "vocab_size": lab.trained.size,
        "first_merges": lab.first_merges,
        "text": lab.text,
        "ids": encoding.ids.tolist(),
        "tokens": token_rows(encoding),
        "decoded": lab.decoded,
        "round_trip": lab.comes_back,
        "bytes_per_token": {"text": lab.ratio, "corpus": lab.corpus_ratio},
        "steps": [step._asdict() for step in steps],
    }
