"""`bench`: how fast the engine is on this machine, beside the model's own library."""

from __future__ import annotations

import argparse
from typing import Any

from engine import bench
from engine.commands.common import (
    Subparsers,
    add_model,
    new_command,
    open_model,
    print_json,
    print_lines,
    terminal_report,
)
from engine.terminal import aligned, counted, number, styled


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    about = "time the engine beside the model's own library, on this machine and one thread"
    parser = new_command(subparsers, "bench", about, run)
    add_model(parser, optional=True)
    parser.add_argument(
        "--text", metavar="FILE", help="a UTF-8 file to time with; xz and gzip are unpacked"
    )
    parser.add_argument(
        "--cold", action="store_true", help="also time the compiling of all kernels from nothing"
    )


def run(arguments: argparse.Namespace) -> None:
    """Print times and ratios."""
    model = None if arguments.model is None else open_model(arguments, arguments.model)
    result = bench.run(model, arguments.text, terminal_report("measurements"), arguments.cold)
    if arguments.json:
        print_json(result)
    else:
        print_lines(_for_people(result))


def _for_people(result: dict[str, Any]) -> list[str]:
    size = f"{counted(result['lines'], 'line')}, {counted(result['bytes'], 'byte')}"
    machine = f"{result['machine']}, Python {result['python']}"
    lines = [f"{result['model']} on {result['text']}: {size}", machine, ""]
    rows = [
        [
            row["name"],
            number(row["seconds"], 4),
            number(row["size"] / row["seconds"] / 1e6, 1),
            row["peer"] or "–",
            number(row["peer_seconds"], 4),
            number(row["ratio"], 2),
            number(row["lowest"], 2),
            number(row["highest"], 2),
        ]
        for row in result["rows"]
    ]
    heading = ["", "seconds", "MB/s", "beside", "its seconds", "times as fast", "least", "most"]
    table = aligned(heading, rows, "<>><>>>>")
    cold = result["cold_compile_seconds"]
    last = [] if cold is None else ["", f"all kernels compiled from nothing in {number(cold, 1)} s"]
    return [*lines, styled(table[0], "dim"), *table[1:], *last]
