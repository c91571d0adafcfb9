"""`merges`: how BPE merges, or WordPiece looks for the longest piece, step by step."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

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
from engine.errors import ParameterError
from engine.merge_rules import MERGE_RULES, neighbour, own_rule, swapped, under_rule
from engine.model import Model
from engine.pieces import Vocabulary
from engine.pipeline import Prepared
from engine.terminal import aligned, counted, number, styled
from engine.trace import MergeStep, Rival

if TYPE_CHECKING:
    from engine.traces.longest import LongestTrace
    from engine.traces.merges import MergeTrace

BRIEF = 18
"""Characters of a rank that a message repeats."""

LISTED = 20
"""Words in which another rule gives other tokens, printed for a person; `--json` has all."""

OUTCOMES = {
    "miss": "no piece",
    "hit": "found",
    "fail": "nothing matches, so the word is unknown",
    "too-long": "longer than the model looks at, so the word is unknown",
}
"""What came of a try, for a person."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "merges", "list the merges that build a text's tokens", run)
    parser.epilog = (
        "Steps count from 1, as in the window; in --json from 0. A WordPiece model merges nothing: "
        "its steps are the pieces that it looks for, the longest first."
    )
    add_model(parser)
    add_text(parser)
    add_special(parser)
    parser.add_argument(
        "--rule",
        choices=MERGE_RULES,
        help="merge by listed pair (HuggingFace, GPT-2, subword-nmt), by the rank of the joined "
        "bytes (tiktoken), or wherever the joined text is in the vocabulary (SentencePiece); "
        "without it as the model does",
    )
    parser.add_argument(
        "--swap",
        metavar="RANK[:OTHER]",
        help="exchange two ranks first: RANK and OTHER, or RANK and the next one",
    )


def run(arguments: argparse.Namespace) -> None:
    """Print the merge steps of a text, or the tries of a WordPiece model."""
    model = open_model(arguments, arguments.model)
    text = read_text(arguments)
    if model.algorithm == "wordpiece":
        _print_tries(arguments, model, model.longest(text, arguments.special))
        return
    own = model.merges(text, arguments.special)
    prepared = own.prepared
    variant = _variant(arguments, model, prepared)
    trace = own
    if variant is not model:
        from engine.traces.merges import trace_merges

        trace = trace_merges(variant, prepared)
    tokens = token_rows(variant.encode(text, arguments.special))
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
    compared = bool(arguments.rule or arguments.swap)
    words = _changed(own, trace, steps) if compared else []
    if arguments.json:
        assert model.bpe is not None
        found: dict[str, Any] = {"rule": arguments.rule or own_rule(model.bpe)}
        found |= {"steps": steps, "tokens": tokens, "blocked": blocked}
        found["pretokens"] = _pretokens(prepared)
        if compared:
            found["differs"] = words
        print_json(found)
        return
    lines = _for_people(prepared, steps, blocked, tokens)
    if compared:
        if not all(step["own"] for step in steps):
            lines.append("≠ the model itself doesn't make this merge")
        lines += _compared(words)
    print_lines(lines)


def _variant(arguments: argparse.Namespace, model: Model, prepared: Prepared) -> Model:
    """Return the model with the ranks swapped and the rule that were asked for."""
    segmenter = model.bpe
    assert segmenter is not None
    if arguments.swap is not None:
        first, colon, second = arguments.swap.partition(":")
        ranks = [_rank(first), _rank(second)] if colon else [_rank(first)]
        if len(ranks) == 1:
            following = neighbour(segmenter, ranks[0], 1)
            # Where none follows, the rank itself tells whether it is one at all.
            ranks.append(ranks[0] if following is None else following)
        segmenter = swapped(segmenter, *ranks)
    if arguments.rule is not None:
        data, cuts = prepared.data.tobytes(), prepared.cuts.tolist()
        words = (data[start:end] for start, end in pairwise(cuts))
        segmenter = under_rule(segmenter, arguments.rule, words)
    return model if segmenter is model.bpe else replace(model, segmenter=segmenter)


def _rank(given: str) -> int:
    if given.isascii() and given.isdigit() and len(given) < BRIEF:
        return int(given)
    raise ParameterError(
        f"{given[:BRIEF]!r} isn't a rank", "--swap", "give one or two ranks, as in 7 or 7:66"
    )


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
        found.append({"text": _word(prepared, start, end), "start_byte": first, "end_byte": last})
    return found


def _word(prepared: Prepared, start: int, end: int) -> str:
    return prepared.data[start:end].tobytes().decode("utf-8", errors="replace")


def _changed(
    own: MergeTrace, trace: MergeTrace, steps: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Mark the steps that the model itself doesn't make; return the words that change.

    change: `tokens`, or `order` where the same is merged in another order.
    """
    from engine.traces.differences import differences

    found = differences(own, trace)
    for step, changed in zip(steps, found.steps[1].tolist(), strict=True):
        step["own"] = not changed
    cuts = trace.prepared.cuts
    words = []
    for pretoken in np.flatnonzero(found.pretokens | found.order).tolist():
        start, end = int(cuts[pretoken]), int(cuts[pretoken + 1])
        words.append(
            {
                "pretoken": pretoken,
                "text": _word(trace.prepared, start, end),
                "change": "tokens" if found.pretokens[pretoken] else "order",
                "tokens": _left(trace, start, end),
                "own_tokens": _left(own, start, end),
            }
        )
    return words


def _left(trace: MergeTrace, start: int, end: int) -> list[str]:
    """Return what merging leaves of a pre-token."""
    vocabulary = trace.model.vocabulary
    left = trace.state(len(trace), start, end).piece.tolist()
    return [vocabulary.text(piece) if piece >= 0 else "" for piece in left]


def _compared(words: list[dict[str, Any]]) -> list[str]:
    """Say in which words the tokens aren't the model's own."""
    if not words:
        return ["the model itself makes the same merges of this text"]
    changed = [word for word in words if word["change"] == "tokens"]
    moved = len(words) - len(changed)
    said = f"other tokens than the model's own in {counted(len(changed), 'word')}"
    if moved:
        said += f"; the same tokens by another order of merges in {moved:,}"
    lines = [said]
    rows = [
        [_seen(word["text"]), _shown(word["tokens"]), _shown(word["own_tokens"])]
        for word in changed[:LISTED]
    ]
    if rows:
        table = aligned(["word", "tokens here", "the model's own"], rows, "<<<")
        lines += [styled(table[0], "dim"), *table[1:]]
    if len(changed) > LISTED:
        lines.append(f"and {counted(len(changed) - LISTED, 'more word')}")
    return lines


def _shown(pieces: Iterable[str]) -> str:
    return " | ".join(_seen(piece) for piece in pieces)


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
        pair = f"{_seen(entry['left'])} + {_seen(entry['right'])}"
        rows.append(
            [
                number(entry["step"] + 1),
                number(entry["rank"]),
                pair if entry.get("own", True) else f"{pair} ≠",
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


def _print_tries(arguments: argparse.Namespace, model: Model, trace: LongestTrace) -> None:
    """Print what a WordPiece model looks for in a text."""
    for option in ("rule", "swap"):
        if getattr(arguments, option) is not None:
            raise ParameterError(
                f"{model.name} is a WordPiece model: it has no merges",
                f"--{option}",
                "leave the option out, or open a BPE model",
            )
    prepared, vocabulary = trace.prepared, model.vocabulary
    tokens = token_rows(model.encode(prepared.text, arguments.special))
    steps: list[dict[str, Any]] = []
    for event in (trace.event(k) for k in range(len(trace))):
        word = int(prepared.cuts[event.pretoken])
        mark = vocabulary.mark if word < event.start else ""
        steps.append(
            {
                "step": event.step,
                "tried": mark + _word(prepared, event.start, event.end),
                "at": prepared.span(event.start, event.end)[0],
                "outcome": event.kind.name.lower().replace("_", "-"),
                "result": vocabulary.text(event.piece) if event.piece >= 0 else None,
                "result_id": event.piece,
                "pretoken": event.pretoken,
            }
        )
    if arguments.json:
        print_json(
            {"rule": "longest", "steps": steps, "tokens": tokens, "blocked": []}
            | {"pretokens": _pretokens(prepared)}
        )
        return
    rows = [
        [
            number(step["step"] + 1),
            _seen(step["tried"]),
            str(step["at"]),
            "" if step["result"] is None else _seen(step["result"]),
            OUTCOMES[step["outcome"]],
        ]
        for step in steps
    ]
    table = aligned(["step", "looked up", "at byte", "token", ""], rows, "><><<")
    pieces = in_a_row(token["bytes"] for token in tokens)
    total = f"{counted(len(steps), 'step')}: {pieces}"
    print_lines([styled(table[0], "dim"), *table[1:], total])


def _seen(piece: str) -> str:
    return visible(piece.encode())
