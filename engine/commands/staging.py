"""`stages`: the text after normalizer, pre-tokenizer, model and decoder, aligned to the input."""

from __future__ import annotations

import argparse
from itertools import groupby
from typing import Any

from engine.changes import Change
from engine.commands.common import (
    Subparsers,
    add_model,
    add_special,
    add_text,
    in_short,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
)
from engine.display import visible
from engine.round_trip import CAUSES, Difference, cause_name, differences
from engine.stages import Stage, Stages, make_stages
from engine.terminal import aligned, styled

SHOWN = 200
"""Pieces of a stage printed for a person; `--json` has all."""

TEXT_BYTES = 4000
"""Bytes of a stage's whole text printed for a person."""

TITLES = {
    "normalizer": "normalizer",
    "pre_tokenizer": "pre-tokenizer",
    "model": "model",
    "decoder": "decoder",
}


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(
        subparsers, "stages", "show what each stage of a tokenizer makes of a text", run
    )
    add_model(parser)
    add_text(parser)
    add_special(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the stages of a text."""
    model = open_model(arguments, arguments.model)
    stages = make_stages(model, read_text(arguments), arguments.special)
    if arguments.json:
        print_json(describe(stages))
    else:
        print_lines(_for_people(stages))


def describe(stages: Stages) -> dict[str, Any]:
    """Return the contract's document of the stages, as plain JSON data.

    Spans count bytes of the text as given. `change` says what a piece is to its span, `lost` what
    a stage leaves out, `written` a pre-token in GPT-2's byte alphabet, where the model uses it.
    """
    pipeline = stages.model.pipeline
    rules = {"normalizer": pipeline.normalizer, "pre_tokenizer": pipeline.pre_tokenizer}
    return {
        "stages": [
            {
                "name": stage.name,
                "rule": rules.get(stage.name, ""),
                "text": stage.text,
                "pieces": _pieces(stages, stage),
                "lost": [{"start_byte": a, "end_byte": b} for a, b in stage.lost.tolist()],
            }
            for stage in stages.all
        ],
        "round_trip": {
            "exact": stages.exact,
            "differences": [
                {
                    "start_byte": found.start,
                    "end_byte": found.end,
                    "before": found.before.decode("utf-8", errors="replace"),
                    "after": found.after.decode("utf-8", errors="replace"),
                    "cause": cause_name(stages, found.cause),
                }
                for found in differences(stages)
            ],
        },
        "special": stages.special,
        "special_found": [{"text": s.text, "start_char": s.start_char} for s in stages.found],
    }


def _pieces(stages: Stages, stage: Stage) -> list[dict[str, Any]]:
    shown = stage.joined if stage.name == "normalizer" else stage
    pieces = []
    for i in range(len(shown)):
        entry: dict[str, Any] = {
            "text": stages.shown(shown, i),
            "start_byte": int(shown.source_start[i]),
            "end_byte": int(shown.source_end[i]),
            "change": Change(shown.change[i]).words,
        }
        if stage.name == "model":
            entry["id"] = int(shown.piece[i])
        if stage.name == "pre_tokenizer" and stages.mapped:
            entry["written"] = stages.written(i)
        pieces.append(entry)
    return pieces


def _for_people(stages: Stages) -> list[str]:
    document = describe(stages)
    lines = []
    for stage, entry in zip(stages.all, document["stages"], strict=True):
        title = TITLES[entry["name"]]
        lines.append(styled(f"{title}: {entry['rule']}" if entry["rule"] else title, "bold"))
        lines.append(f"  text: {in_short(stage.data, TEXT_BYTES) or '(empty)'}")
        pieces = entry["pieces"]
        rows = [
            [
                "",
                f"{piece['start_byte']}–{piece['end_byte']}",
                _seen(stages, piece),
                str(piece.get("id", visible(piece.get("written", "").encode()))),
                "" if piece["change"] == "same" else piece["change"],
            ]
            for piece in pieces[:SHOWN]
        ]
        lines += aligned([], rows, "<><><")
        if len(pieces) > SHOWN:
            lines.append(f"  {len(pieces) - SHOWN:,} more aren't shown; --json has all")
        lost = [f"{span['start_byte']}–{span['end_byte']}" for span in entry["lost"]]
        if lost:
            more = f" and {len(lost) - 20:,} more" if len(lost) > 20 else ""
            lines.append(f"  left out: bytes {', '.join(lost[:20])}{more}")
    lines.append(_round_trip(stages))
    lines += [
        f"{styled('note:', 'yellow')} {visible(s.text.encode())} at character {s.start_char} "
        f"spells a special token (read with --special {stages.special})"
        for s in stages.found
    ]
    return lines


def _seen(stages: Stages, piece: dict[str, Any]) -> str:
    """Return a piece for the eye; bytes that are no text in hexadecimal digits."""
    if "id" in piece and "\ufffd" in piece["text"]:
        return visible(stages.model.vocabulary.bytes(piece["id"]))
    return visible(piece["text"].encode())


def _round_trip(stages: Stages) -> str:
    if stages.exact:
        return "round trip: the text came back"
    found = sorted(differences(stages), key=lambda difference: difference.cause)
    parts = []
    for cause, group in groupby(found, key=lambda difference: difference.cause):
        of_it: list[Difference] = list(group)
        name = cause_name(stages, cause)
        words = CAUSES[cause] if name == cause else name
        parts.append(f"{words} ({len(of_it):,})")
    return f"round trip: not exact, lost by design: {'; '.join(parts)}"
