"""`sample`: segmentations drawn at random, beside the law they are drawn from."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from engine.bundled import locate_corpus
from engine.commands.common import (
    Subparsers,
    add_model,
    add_seed,
    add_special,
    add_text,
    add_theta,
    in_a_row,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
)
from engine.corpus import open_corpus
from engine.errors import ParameterError
from engine.model import Model
from engine.sample import SAMPLERS, Draws
from engine.sampled_files import (
    FORMS,
    Form,
    chosen,
    describe,
    write_corpus,
    write_draws,
)
from engine.sampler import SamplingSettings
from engine.terminal import aligned, counted, fits, number, styled

SHOWN = 50
"""Segmentations printed for a person; `--json` has all."""

NAMES = {"theta": "θ", "dropout": "p", "nbest_size": "ℓ"}
"""The settings as they are written."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "sample", "draw segmentations at random", run)
    add_model(parser)
    add_text(parser)
    add_special(parser)
    parser.add_argument(
        "--method", metavar="M", default="perfect", help=f"one of {', '.join(SAMPLERS)}"
    )
    add_theta(parser)
    parser.add_argument(
        "--dropout",
        metavar="P",
        type=float,
        default=SamplingSettings.dropout,
        help="for dropout: the probability that a candidate is skipped, 0 to 1",
    )
    parser.add_argument(
        "--nbest-size",
        metavar="L",
        type=int,
        default=SamplingSettings.nbest_size,
        help="for nbest: how many of the best to choose from",
    )
    add_seed(parser)
    parser.add_argument("--count", metavar="N", type=int, default=1, help="how many draws")
    parser.add_argument(
        "--corpus", metavar="PATH", nargs="+", help="draw once for every line of these instead"
    )
    parser.add_argument("--output", metavar="OUT", help="a file to write the draws to, a line each")
    parser.add_argument(
        "--format",
        choices=FORMS,
        help="of --output: pieces (text), ids, or JSON: an object a line, of a text one document",
    )
    parser.add_argument("--ids", action="store_true", help="the same as --format ids")


def run(arguments: argparse.Namespace) -> None:
    """Print draws of a text, or write one draw of every line."""
    form: Form | None = "ids" if arguments.ids else arguments.format
    if arguments.ids and arguments.format not in (None, "ids"):
        raise ParameterError("two formats are asked for", "--ids", "leave one out")
    if arguments.corpus:
        _check_corpus(arguments)
    if arguments.output:
        if not arguments.corpus and arguments.text is None and arguments.file is None:
            raise ParameterError("--corpus PATH is missing", "", "give it, or a text")
        _write(arguments, form or "text")
        return
    if arguments.corpus or form:
        raise ParameterError("--output OUT is missing", "", "give both, or neither")
    draws = _draw(arguments, open_model(arguments, arguments.model))
    if arguments.json:
        print_json(describe(draws))
    else:
        print_lines(_for_people(draws))


def _for_people(draws: Draws) -> list[str]:
    document = describe(draws)
    samples = document["samples"]
    rows = [
        [
            number(entry["count"]),
            f"{entry['count'] / len(draws):.4f}",
            "–" if entry["probability"] is None else fits(entry["probability"]),
            in_a_row(entry["bytes"]),
        ]
        for entry in samples[:SHOWN]
    ]
    table = aligned(["count", "share", "probability", "pieces"], rows, ">>><")
    settings = "".join(
        f", {NAMES[name]} = {getattr(draws.settings, name):g}"
        for name in SAMPLERS[draws.method].settings
    )
    how = f"method {draws.method}{settings}, seed {draws.seed}"
    lines = [
        f"{counted(len(draws), 'draw')}, {how}",
        styled(table[0], "dim"),
        *table[1:],
    ]
    if len(samples) > SHOWN:
        lines.append(f"{number(len(samples) - SHOWN)} rarer ones aren't shown; --json has all")
    if draws.distinct:
        lines.append("each different from the others, the first drawn first")
    elif draws.tv_distance is None:
        lines.append("too many segmentations to hold the sample against the exact law")
    else:
        fit = f"distance to the exact law (total variation) {draws.tv_distance:.4f}"
        if draws.chi2:
            test = draws.chi2
            fit += f", χ² {test.statistic:.2f} on {test.degrees} degrees, p = {test.p_value:.3g}"
        lines.append(fit)
    return lines + _law_for_people(document)


def _law_for_people(document: dict[str, Any]) -> list[str]:
    """Return what the law is like, as far as it is known."""
    lines = []
    if document["entropy_nats"] is not None:
        parts = [
            f"entropy {document['entropy_nats']:.4f} nats",
            f"as many as {fits(document['effective'])} equally likely ones",
            f"the best has {fits(document['best_probability'])}",
        ]
        if document["covering_95"] is not None:
            parts.append(f"{number(document['covering_95'])} have 95 %")
        parts.append(f"{document['expected_tokens']:.2f} tokens expected")
        lines.append("law: " + ", ".join(parts))
    if document["lost"] > 0:
        lines.append(f"left out by choosing among the best: {fits(document['lost'])}")
    return lines


def _write(arguments: argparse.Namespace, form: Form) -> None:
    model = open_model(arguments, arguments.model)
    settings = SamplingSettings(arguments.theta, arguments.dropout, arguments.nbest_size)
    notes: tuple[str, ...] = ()
    if arguments.corpus:
        corpus = open_corpus([locate_corpus(path) for path in arguments.corpus])
        notes, lines = corpus.notes, sum(len(corpus.lines(language)) for language in corpus)
        tokens = write_corpus(
            model, corpus, arguments.output, arguments.method, settings, arguments.seed, form
        )
    else:
        draws = _draw(arguments, model)
        lines, tokens = len(draws), write_draws(model, draws, arguments.output, form)
    document = {
        "method": arguments.method,
        "seed": arguments.seed,
        **chosen(arguments.method, settings),
        "output": arguments.output,
        "lines": lines,
        "tokens": tokens,
        "warnings": list(notes),
    }
    if arguments.json:
        print_json(document)
    else:
        sys.stderr.write("".join(f"note: {note}\n" for note in notes))
        print_lines([f"{arguments.output}: {counted(lines, 'line')}, {counted(tokens, 'token')}"])


def _check_corpus(arguments: argparse.Namespace) -> None:
    if arguments.text is not None or arguments.file is not None:
        raise ParameterError("a text and a corpus are given", "", "leave one out")
    if arguments.count != 1:
        raise ParameterError("every line is drawn once", "--count", "leave it out")
    if arguments.special != "literal":
        raise ParameterError("lines of a corpus are read literally", "--special", "leave it out")


def _draw(arguments: argparse.Namespace, model: Model) -> Draws:
    return model.lattice(read_text(arguments), arguments.special).sample(
        arguments.method,
        theta=arguments.theta,
        count=arguments.count,
        seed=arguments.seed,
        dropout=arguments.dropout,
        nbest_size=arguments.nbest_size,
    )
