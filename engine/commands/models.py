"""`inspect`: what a model file says of itself."""

from __future__ import annotations

import argparse
from typing import Any

from engine.commands.common import (
    Subparsers,
    add_model,
    new_command,
    open_model,
    print_json,
    print_lines,
)
from engine.display import visible
from engine.model import Model
from engine.reachable import never_best
from engine.terminal import aligned, styled

SHOWN_SPECIALS = 20
SHOWN_PIECES = 20
GUESSED = "_guessed"
"""Ends the name of a fact that says whether another one is guessed."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "inspect", "show what a model file holds", run)
    add_model(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the model's facts, warnings first."""
    model = open_model(arguments, arguments.model)
    facts = model.inspect()
    if model.algorithm == "unigram":
        lost = never_best(model).tolist()
        facts["never_best"] = {"count": len(lost), "first": _shown(model, lost)}
    if arguments.json:
        print_json(facts)
        return
    lines = [styled(f"{model.name}: {model.summary}", "bold")]
    lines += [f"{styled('warning:', 'yellow')} {warning}" for warning in facts["warnings"]]
    hidden = {"warnings", "rules", *(name for name in facts if name.endswith(GUESSED))}
    rows = [
        [
            name.replace("_", " "),
            _said(name, value) + (" (guessed)" if facts.get(name + GUESSED) else ""),
        ]
        for name, value in facts.items()
        if name not in hidden
    ]
    lines += aligned([], rows)
    lines += ["", styled("rules, where libraries disagree", "bold")]
    lines += [f"{rule['topic']}: {rule['sentence']}" for rule in facts["rules"]]
    print_lines(lines)


def _shown(model: Model, pieces: list[int]) -> list[str]:
    return [model.vocabulary.text(piece) for piece in pieces[:SHOWN_PIECES]]


def _said(name: str, value: Any) -> str:
    if name == "special_tokens":
        shown = [f"{entry['text']} ({entry['id']})" for entry in value[:SHOWN_SPECIALS]]
        more = len(value) - len(shown)
        return ", ".join(shown) + (f", and {more:,} more" if more else "") if value else "none"
    if value is None or value in ("", [], ()):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str):
        return visible(value.encode("utf-8", "replace")).replace("␣", " ")
    if isinstance(value, list | tuple):
        return ", ".join(_said("", inner) for inner in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said('', inner)}" for key, inner in value.items())
    return str(value)
