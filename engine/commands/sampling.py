"""`sample`: segmentations drawn at random, beside the law they are drawn from."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engine.bundled import locate_corpus
from engine.commands.common import (
    Subparsers,
    add_model,
    add_seed,
    add_special,
    add_text,
    add_theta,
    files_of,
    in_a_row,
    new_command,
    open_model,
    print_json,
    print_lines,
    read_text,
)
from engine.corpus import open_corpus
from engine.display import visible
from engine.errors import CoverageError, ParameterError
from engine.files import replacing
from engine.law_figures import law_figures
from engine.metrics import uncovered_line
from engine.model import Model
from engine.sample import SAMPLERS, Draws
from engine.sample_lines import sample_lines
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
    parser.add_argument("--output", metavar="OUT", help="with --corpus: the file to write")
    parser.add_argument(
        "--ids", action="store_true", help="with --corpus: write ids instead of pieces"
    )


def run(arguments: argparse.Namespace) -> None:
    """Print draws of a text, or write one draw of every line."""
    if arguments.corpus or arguments.output or arguments.ids:
        if not (arguments.corpus and arguments.output):
            missing = "--output OUT" if arguments.corpus else "--corpus PATH"
            raise ParameterError(f"{missing} is missing", "", "give both, or neither")
        _write_corpus(arguments)
        return
    model = open_model(arguments, arguments.model)
    lattice = model.lattice(read_text(arguments), arguments.special)
    draws = lattice.sample(
        arguments.method,
        theta=arguments.theta,
        count=arguments.count,
        seed=arguments.seed,
        dropout=arguments.dropout,
        nbest_size=arguments.nbest_size,
    )
    if arguments.json:
        print_json(describe(draws))
    else:
        print_lines(_for_people(draws))


def describe(draws: Draws) -> dict[str, Any]:
    """Return the contract's document of a sample, the most frequent segmentation first.

    Distinct draws stand in the order in which they were drawn, with the probability of each to be
    in such a set (`inclusion`).
    """
    order = sorted(range(len(draws.paths)), key=lambda i: (-int(draws.counts[i]), i))
    exact, inclusion, places = draws.exact, draws.inclusion, draws.places
    samples: list[dict[str, Any]] = [
        {
            "pieces": draws.paths[i].pieces,
            "bytes": [draws.lattice.bytes(e).hex() for e in draws.paths[i].edges.tolist()],
            "ids": draws.paths[i].ids,
            "count": int(draws.counts[i]),
            "probability": known(draws.paths[i].probability),
        }
        for i in order
    ]
    listed: list[dict[str, Any]] = [
        {"pieces": path.pieces, "probability": path.probability} for path in exact or ()
    ]
    if inclusion is not None and places is not None:
        for i, entry in zip(order, samples, strict=True):
            entry["inclusion"] = inclusion[places[i]]
        for entry, share in zip(listed, inclusion, strict=True):
            entry["inclusion"] = share
    figures = law_figures(draws.lattice, draws.law)
    return {
        "method": draws.method,
        "seed": draws.seed,
        **chosen(draws.method, draws.settings),
        "count": len(draws),
        "samples": samples,
        "exact": None if exact is None else listed,
        "tv_distance": draws.tv_distance,
        "chi2_p": draws.chi2.p_value if draws.chi2 else None,
        "lost": draws.law.lost,
        "entropy_nats": figures.entropy,
        "effective": figures.effective,
        "best_probability": figures.best,
        "covering_95": figures.covering,
        "expected_tokens": figures.expected_tokens,
    }


def known(probability: float) -> float | None:
    """Return a probability, None for one that can't be had."""
    return None if math.isnan(probability) else probability


def chosen(method: str, settings: SamplingSettings) -> dict[str, float]:
    """Return θ, and what else the method reads, by name."""
    return {name: getattr(settings, name) for name in ("theta", *SAMPLERS[method].settings)}


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


def _write_corpus(arguments: argparse.Namespace) -> None:
    if arguments.text is not None or arguments.file is not None:
        raise ParameterError("a text and a corpus are given", "", "leave one out")
    if arguments.count != 1:
        raise ParameterError("every line is drawn once", "--count", "leave it out")
    if arguments.special != "literal":
        raise ParameterError("lines of a corpus are read literally", "--special", "leave it out")
    model = open_model(arguments, arguments.model)
    corpus = open_corpus([locate_corpus(path) for path in arguments.corpus])
    output = Path(arguments.output).resolve()
    for what, files in (
        ("model", files_of(model)),
        ("corpus", {language.path.resolve() for language in corpus}),
    ):
        if output in files:
            raise ParameterError(
                f"the sample would be written over the {what}",
                arguments.output,
                "name another file",
            )
    lines = [line for language in corpus for line in corpus.lines(language)]
    settings = SamplingSettings(arguments.theta, arguments.dropout, arguments.nbest_size)
    drawn = sample_lines(model, lines, arguments.method, settings, arguments.seed)
    spelled = str if arguments.ids else cache(partial(piece_word, model))
    tokens = 0
    with replacing(arguments.output) as stream:
        try:
            for batch in drawn:
                tokens += len(batch.ids)
                words, ends = list(map(spelled, batch.ids.tolist())), batch.offsets.tolist()
                rows = [" ".join(words[a:b]) for a, b in pairwise(ends)]
                stream.write("".join(f"{row}\n" for row in rows).encode())
        except CoverageError as error:
            ends = np.cumsum([len(corpus.lines(language)) for language in corpus])
            file = int(np.searchsorted(ends, error.line, side="right"))
            line = error.line - int(ends[file]) + len(corpus.lines(corpus.languages[file]))
            raise uncovered_line(error, model, corpus.languages[file], line) from None
    document = {
        "method": arguments.method,
        "seed": arguments.seed,
        **chosen(arguments.method, settings),
        "output": arguments.output,
        "lines": len(lines),
        "tokens": tokens,
        "warnings": list(corpus.notes),
    }
    if arguments.json:
        print_json(document)
    else:
        sys.stderr.write("".join(f"note: {note}\n" for note in corpus.notes))
        print_lines(
            [f"{arguments.output}: {counted(len(lines), 'line')}, {counted(tokens, 'token')}"]
        )


def piece_word(model: Model, piece: int) -> str:
    """Return a piece without white space in it, so that spaces can stand between pieces.

    White space is shown by its marks (␣ → ↵), bytes that are no character as `<0xE4>`.
    """
    data = model.vocabulary.bytes(piece)
    with suppress(UnicodeDecodeError):
        data.decode()
        data = model.vocabulary.text(piece).encode()
    return "".join(
        f"<0x{ord(char) - 0xDC00:02X}>"
        if 0xDC80 <= ord(char) <= 0xDCFF
        else visible(char.encode())
        if char.isspace()
        else char
        for char in data.decode(errors="surrogateescape")
    )
