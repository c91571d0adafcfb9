"""`compare`: compression of models over the languages of a corpus."""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict
from typing import Any

from engine import bundled
from engine.commands.common import (
    Subparsers,
    add_model,
    new_command,
    open_model,
    print_json,
    print_lines,
    terminal_report,
)
from engine.corpus import Corpus, open_corpus
from engine.metrics import COLUMNS, DEFAULT_COLUMNS, Comparison, check_columns, compare
from engine.terminal import LEFT, RIGHT, aligned, number, styled

RATIO_DIGITS = 3


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "compare", "compare models on the languages of a corpus", run)
    add_model(parser, many=True)
    parser.add_argument(
        "--corpus",
        metavar="PATH",
        nargs="+",
        required=True,
        help=f"a folder with one file a language, or files; or {bundled.PREFIX}{bundled.CORPUS}",
    )
    parser.add_argument(
        "--base", metavar="LANG", help="the language that premiums rest on, if not the corpus's own"
    )
    parser.add_argument("--by-line", action="store_true", help="print a row for each line")
    parser.add_argument(
        "--columns",
        metavar="COLUMN",
        nargs="+",
        default=list(DEFAULT_COLUMNS),
        help=f"what to compute: all, or some of {', '.join(COLUMNS)}",
    )


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each model and language."""
    columns = check_columns(
        name for given in arguments.columns for name in given.split(",") if name
    )
    corpus = open_corpus([bundled.locate_corpus(path) for path in arguments.corpus])
    models = [open_model(arguments, name, among=True) for name in arguments.model]
    comparison = compare(models, corpus, arguments.base, columns, terminal_report("files"))
    rows = _rows(comparison, corpus, arguments.by_line)
    if arguments.json:
        print_json({"rows": rows, "base": comparison.base or None, "warnings": comparison.warnings})
        return
    lines = [f"{styled('note:', 'yellow')} {warning}" for warning in comparison.warnings]
    print_lines([*lines, *_for_people(comparison, corpus, rows)])


def _rows(comparison: Comparison, corpus: Corpus, by_line: bool) -> list[dict[str, Any]]:
    if not by_line:
        return [asdict(row) for row in comparison.rows]
    return [
        {**asdict(row), "line": line}
        for model in comparison.models
        for language in corpus
        for line, row in enumerate(comparison.by_line(model, language.code), 1)
    ]


def _for_people(comparison: Comparison, corpus: Corpus, rows: list[dict[str, Any]]) -> list[str]:
    names = {language.code: language.name for language in corpus}
    by_line = bool(rows) and "line" in rows[0]
    figures = [name for name in comparison.figures if not (by_line and name == "lines")]
    several = len(comparison.models) > 1
    table = []
    for row in rows:
        code = row["language"]
        cells = [row["model"]] if several else []
        cells += [code, names[code] if names[code] != code else ""]
        cells += [str(row["line"])] if by_line else []
        table.append(cells + [number(row[name], RATIO_DIGITS) for name in figures])
    heading = (["model"] if several else []) + ["code", "language"] + (["line"] if by_line else [])
    sides = LEFT * (2 + several) + RIGHT * (by_line + len(figures))
    heading += [name.replace("_per_", "/").replace("_", " ") for name in figures]
    shown = aligned(heading, table, sides)
    if comparison.base and "premium" in figures:
        shown.append(f"premium: tokens over those of {names[comparison.base]}, same lines")
        if by_line and any(math.isnan(row["premium"]) for row in rows):
            shown.append(f"– in it: {names[comparison.base]} has no tokens in that line")
    return [styled(shown[0], "dim"), *shown[1:]]
