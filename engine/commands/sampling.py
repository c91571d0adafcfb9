"""`sample`: segmentations drawn at random, beside the law they are drawn from."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
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
from engine.law_figures import kl_divergence, law_distance
from engine.model import Model
from engine.sample import SAMPLERS, Draws, sampler_of
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

USUAL = {"bpe": "bpe-dropout", "wordpiece": "maxmatch-dropout"}
"""The method of models that have no probabilities; of others it is `perfect`."""

NAMES = {"theta": "θ", "dropout": "p", "nbest_size": "ℓ"}
"""The settings as they are written."""


def add(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = new_command(subparsers, "sample", "draw segmentations at random", run)
    add_model(parser)
    add_text(parser)
    add_special(parser)
    parser.add_argument(
        "--method",
        metavar="M",
        help=f"one of {', '.join(SAMPLERS)}; by default perfect, of BPE models bpe-dropout, of "
        "WordPiece models maxmatch-dropout",
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
    parser.add_argument(
        "--against",
        metavar="M",
        help="say how far the exact law is from that of this method (total variation, KL)",
    )
    for name, what in (("theta", "θ"), ("dropout", "p"), ("nbest-size", "ℓ")):
        parser.add_argument(
            f"--against-{name}",
            metavar=name[0].upper(),
            type=int if name == "nbest-size" else float,
            help=f"{what} of --against; by default the same",
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
    _check_against(arguments)
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
    document = describe(draws)
    if arguments.against is not None:
        document["against"] = _against(arguments, draws)
    if arguments.json:
        print_json(document)
    else:
        print_lines(_for_people(draws, document))


def _against(arguments: argparse.Namespace, draws: Draws) -> dict[str, Any]:
    """Return how far the law of the draws is from another one, over the same lattice."""
    sampler, own = sampler_of(arguments.against), draws.settings
    given = {name: getattr(arguments, f"against_{name}") for name in NAMES}
    settings = replace(own, **{name: x for name, x in given.items() if x is not None})
    settings.check()
    lattice, first = draws.lattice, draws.law
    if sampler.lattice is not None:
        # The same edges for all p, as a word can fail with one above 0 if it can with another.
        lattice = sampler.lattice(lattice, settings)
    law = sampler.law(lattice, settings)
    if sampler.lattice is not None:
        # Each is at θ = 1, but of scores of its own.
        first, law = replace(first, theta=None), replace(law, theta=None)
    there, back = (kl_divergence(lattice, *laws) for laws in ((first, law), (law, first)))
    return {
        "method": arguments.against,
        **chosen(arguments.against, settings),
        "tv_distance": law_distance(first, law),
        "kl_nats": there,
        "kl_infinite": there == math.inf,
        "kl_back_nats": back,
        "kl_back_infinite": back == math.inf,
    }


def _for_people(draws: Draws, document: dict[str, Any]) -> list[str]:
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
    settings = _written(draws.method, chosen(draws.method, draws.settings))
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
    return lines + _law_for_people(document) + _against_for_people(document)


def _written(method: str, values: dict[str, Any]) -> str:
    """Return the settings that a method reads, each after a comma."""
    read = SAMPLERS[method].settings
    return "".join(f", {NAMES[name]} = {values[name]:g}" for name in read)


def _against_for_people(document: dict[str, Any]) -> list[str]:
    if "against" not in document:
        return []
    other = document["against"]
    parts = [
        "–" if value is None else "∞" if math.isinf(value) else f"{value:.4f}{unit}"
        for value, unit in (
            (other["tv_distance"], ""),
            (other["kl_nats"], " nats"),
            (other["kl_back_nats"], " nats"),
        )
    ]
    name = other["method"] + _written(other["method"], other)
    far = f"total variation {parts[0]}, KL {parts[1]}, the other way {parts[2]}"
    return [f"from the exact law of {name}: {far}"]


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
    method = _method(arguments, model)
    settings = SamplingSettings(arguments.theta, arguments.dropout, arguments.nbest_size)
    notes: tuple[str, ...] = ()
    if arguments.corpus:
        corpus = open_corpus([locate_corpus(path) for path in arguments.corpus])
        notes, lines = corpus.notes, sum(len(corpus.lines(language)) for language in corpus)
        tokens = write_corpus(
            model, corpus, arguments.output, method, settings, arguments.seed, form
        )
    else:
        draws = _draw(arguments, model)
        lines, tokens = len(draws), write_draws(model, draws, arguments.output, form)
    document = {
        "method": method,
        "seed": arguments.seed,
        **chosen(method, settings),
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


def _check_against(arguments: argparse.Namespace) -> None:
    if arguments.against is None:
        given = [name for name in NAMES if getattr(arguments, f"against_{name}") is not None]
        if given:
            option = f"--against-{given[0].replace('_', '-')}"
            raise ParameterError("--against M is missing", option, "give it, or leave this out")
    elif arguments.corpus or arguments.output:
        raise ParameterError(
            "two laws are compared over one text and printed", "--against", "leave it out"
        )


def _check_corpus(arguments: argparse.Namespace) -> None:
    if arguments.text is not None or arguments.file is not None:
        raise ParameterError("a text and a corpus are given", "", "leave one out")
    if arguments.count != 1:
        raise ParameterError("every line is drawn once", "--count", "leave it out")
    if arguments.special != "literal":
        raise ParameterError("lines of a corpus are read literally", "--special", "leave it out")


def _method(arguments: argparse.Namespace, model: Model) -> str:
    return arguments.method or USUAL.get(model.algorithm, "perfect")


def _draw(arguments: argparse.Namespace, model: Model) -> Draws:
    return model.lattice(read_text(arguments), arguments.special).sample(
        _method(arguments, model),
        theta=arguments.theta,
        count=arguments.count,
        seed=arguments.seed,
        dropout=arguments.dropout,
        nbest_size=arguments.nbest_size,
    )
