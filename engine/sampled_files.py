"""Files of segmentations drawn at random: many of one text, or one of every line of a corpus."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engine.display import visible
from engine.errors import CoverageError, ParameterError
from engine.files import files_of, replacing
from engine.jsonfile import json_line
from engine.law_figures import law_figures
from engine.metrics import uncovered_line
from engine.progress import Report, silent
from engine.sample import SAMPLERS, Draws
from engine.sample_lines import sample_lines
from engine.sampler import SamplingSettings

if TYPE_CHECKING:
    from engine.corpus import Corpus
    from engine.model import Model

Form = Literal["text", "ids", "json"]
FORMS: tuple[Form, ...] = ("text", "ids", "json")
"""A segmentation a line as pieces or as ids, with spaces between, or as a JSON object."""

ROWS = 10_000
"""Draws of a text written at once."""

Row = Callable[[Sequence[int]], str]


def write_corpus(
    model: Model,
    corpus: Corpus,
    output: str | Path,
    method: str,
    settings: SamplingSettings,
    seed: int,
    form: Form = "text",
    report: Report = silent,
) -> int:
    """Write one drawn segmentation of each line of a corpus; return the number of tokens.

    Reports lines. The file is whole or isn't there. Raises what `sample_lines` raises (with file
    and line, where one can't be written), and `ParameterError` for a file that can't be written
    or is one of those that are read.
    """
    check_output(output, model, corpus)
    lines = [line for language in corpus for line in corpus.lines(language)]
    drawn = sample_lines(model, lines, method, settings, seed, report)
    row = _rows(model, form)
    tokens = 0
    with replacing(output) as stream:
        try:
            for batch in drawn:
                tokens += len(batch.ids)
                ids, ends = batch.ids.tolist(), batch.offsets.tolist()
                rows = [row(ids[a:b]) for a, b in pairwise(ends)]
                stream.write("".join(f"{line}\n" for line in rows).encode())
        except CoverageError as error:
            ends = np.cumsum([len(corpus.lines(language)) for language in corpus])
            file = int(np.searchsorted(ends, error.line, side="right"))
            line = error.line - int(ends[file]) + len(corpus.lines(corpus.languages[file]))
            raise uncovered_line(error, model, corpus.languages[file], line) from None
        report(len(lines), len(lines))
    return tokens


def write_draws(
    model: Model, draws: Draws, output: str | Path, form: Form = "text", report: Report = silent
) -> int:
    """Write the draws of a text in their order; return the number of tokens.

    json: one document, the distinct segmentations with counts and probabilities (`describe`).
    Reports draws. Raises `ParameterError` as `write_corpus` does.
    """
    check_output(output, model)
    lengths = np.array([len(path.ids) for path in draws.paths], dtype=np.int64)
    with replacing(output) as stream:
        if form == "json":
            stream.write(json_line(describe(draws)).encode())
        else:
            row = _rows(model, form)
            rows = [row(path.ids) + "\n" for path in draws.paths]
            for first in range(0, len(draws), ROWS):
                report(first, len(draws))
                order = draws.order[first : first + ROWS].tolist()
                stream.write("".join(rows[i] for i in order).encode())
        report(len(draws), len(draws))
    return int(lengths @ draws.counts)


def check_output(output: str | Path, model: Model, corpus: Corpus | None = None) -> None:
    """Raise `ParameterError` where the output is a file of the model or of the corpus."""
    target = Path(output).resolve()
    read = {language.path.resolve() for language in corpus or ()}
    for what, files in (("model", files_of(model)), ("corpus", read)):
        if target in files:
            raise ParameterError(
                f"the sample would be written over the {what}", str(output), "name another file"
            )


def _rows(model: Model, form: Form) -> Row:
    """Return what writes the ids of a segmentation as a line."""
    if form == "ids":
        return lambda ids: " ".join(map(str, ids))
    if form == "text":
        word = cache(partial(piece_word, model))
        return lambda ids: " ".join(map(word, ids))
    text = cache(model.vocabulary.text)
    return lambda ids: json.dumps(
        {"pieces": [text(i) for i in ids], "ids": list(ids)}, ensure_ascii=False
    )


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
