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
from engine.terminal import aligned, styled

SHOWN_SPECIALS = 20


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "inspect", "show what a model file holds", run)
    add_model(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the model's facts, warnings first."""
    model = open_model(arguments, arguments.model)
    facts = model.inspect()
    if arguments.json:
        print_json(facts)
        return
    lines = [styled(f"{model.name}: {model.summary}", "bold")]
    lines += [f"{styled('warning:', 'yellow')} {warning}" for warning in facts["warnings"]]
    rows = [[name.replace("_", " "), _said(name, value)] for name, value in facts.items()]
    hidden = {"warnings"}
    lines += aligned([], [row for row, name in zip(rows, facts, strict=True) if name not in hidden])
    print_lines(lines)


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
