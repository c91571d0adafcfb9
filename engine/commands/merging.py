"""`merges`: the merges of BPE encoding in the order in which they are applied."""

from __future__ import annotations

import argparse
from itertools import pairwise
from typing import Any

from engine.commands.common import (
    Subparsers,
    add_model,
    add_special,
    add_text,
    in_a_row,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
    token_rows,
)
from engine.display import visible
from engine.pieces import Vocabulary
from engine.pipeline import Prepared
from engine.terminal import aligned, counted, number, styled
from engine.trace import MergeStep, Rival


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "merges", "list the merges that build a text's tokens", run)
    parser.epilog = "Steps count from 1, as in the window; in --json from 0."
    add_model(parser)
    add_text(parser)
    add_special(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the merge steps of a text."""
    model = open_model(arguments, arguments.model)
    text = read_text(arguments)
    trace = model.merges(text, arguments.special)
    prepared = model.prepare(text, arguments.special)
    tokens = token_rows(model.encode(text, arguments.special))
    events = list(trace.won_and_blocked())
    steps = [
        _entry(model.vocabulary, prepared, event, step=event.step, pretoken=event.pretoken)
        for event in events
    ]
    blocked = [
        _entry(model.vocabulary, prepared, rival, step=event.step, pretoken=event.pretoken)
        for event in events
        for rival in event.rivals
    ]
    if arguments.json:
        pretokens = _pretokens(prepared)
        print_json({"steps": steps, "tokens": tokens, "blocked": blocked, "pretokens": pretokens})
        return
    print_lines(_for_people(prepared, steps, blocked, tokens))


def _entry(
    vocabulary: Vocabulary, prepared: Prepared, pair: MergeStep | Rival, step: int, pretoken: int
) -> dict[str, Any]:
    """Return a merge or a candidate; `at` is its first byte in the text as given."""
    return {
        "step": step,
        "rank": pair.rank,
        "left": vocabulary.text(pair.left),
        "right": vocabulary.text(pair.right),
        "result": vocabulary.text(pair.result),
        "at": prepared.span(pair.start, pair.end)[0],
        "pretoken": pretoken,
        "left_id": pair.left,
        "right_id": pair.right,
        "result_id": pair.result,
    }


def _pretokens(prepared: Prepared) -> list[dict[str, Any]]:
    cuts = prepared.cuts.tolist()
    found = []
    for start, end in pairwise(cuts):
        first, last = prepared.span(start, end)
        text = prepared.data[start:end].tobytes().decode("utf-8", errors="replace")
        found.append({"text": text, "start_byte": first, "end_byte": last})
    return found


def _for_people(
    prepared: Prepared,
    steps: list[dict[str, Any]],
    blocked: list[dict[str, Any]],
    tokens: list[dict[str, Any]],
) -> list[str]:
    lost: dict[int, list[str]] = {}
    for entry in blocked:
        pair = f"{_seen(entry['left'])} + {_seen(entry['right'])} (rank {number(entry['rank'])})"
        lost.setdefault(entry["step"], []).append(pair)
    cuts = prepared.cuts.tolist()
    rows = []
    for entry in steps:
        place = entry["pretoken"]
        word = prepared.data[cuts[place] : cuts[place + 1]].tobytes()
        rows.append(
            [
                number(entry["step"] + 1),
                number(entry["rank"]),
                f"{_seen(entry['left'])} + {_seen(entry['right'])}",
                _seen(entry["result"]),
                str(entry["at"]),
                visible(word),
                ", ".join(lost.get(entry["step"], [])),
            ]
        )
    heading = ["step", "rank", "pair", "result", "at byte", "in", "blocks"]
    table = aligned(heading, rows, ">><<><<")
    pieces = in_a_row(token["bytes"] for token in tokens)
    return [styled(table[0], "dim"), *table[1:], f"{counted(len(steps), 'merge')}: {pieces}"]


def _seen(piece: str) -> str:
    return visible(piece.encode())
