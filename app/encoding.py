"""Encoding the text under analysis without holding up the window.

What computes is imported by the functions: the window names them before it needs any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.errors import CoverageError
from engine.progress import Report
from engine.readings import Special
from engine.text import Text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.model import Encoding, Model, SpecialFound
    from engine.pipeline import Pipeline

    Arrays = tuple[NDArray[np.generic], ...]

LONG = 100_000
"""Bytes of text from which it is prepared in a process of its own.

The libraries give a text back as lists of an entry for each byte. Making and reading such a list
of a megabyte holds Python's global lock for a third of a second.
"""

BEGINNING, UNSURE = 22_000, 1_000
"""Bytes of a long text that are encoded before all of it is, and how many of them at the end are
left out: there the cut may have changed the tokens."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A text under one reading of its special strings.

    encoding: None where special strings are forbidden and the text holds some, and where the text
    could not be encoded: `error` says why. found: the special strings that it holds. tokens: how
    many tokens the readings give that give any; empty where nothing is found.
    """

    special: Special
    encoding: Encoding | None
    found: tuple[SpecialFound, ...] = ()
    tokens: Mapping[Special, int] = field(default_factory=dict)
    error: BaseException | None = None


def read_text(model: Model, text: Text, special: Special, report: Report) -> Reading:
    """Encode a text under a reading, and count what the others give where they differ."""
    found = model.find_special(text)
    if not found:
        return Reading(special, encode_text(model, text, report))
    encoding = None
    if special != "forbid":
        encoding = encode_text(model, text, report, special)
    tokens: dict[Special, int] = {}
    if text.n_bytes < LONG:
        for reading in ("literal", "parse"):
            if encoding is not None and reading == special:
                tokens[reading] = len(encoding)
                continue
            try:
                tokens[reading] = len(model.encode(text, reading))
            except CoverageError:
                continue
    return Reading(special, encoding, found, tokens)


def encode_beginning(model: Model, text: Text, special: Special) -> Encoding:
    """Return the first tokens of a long text, to be shown until all of it is encoded."""
    import numpy as np

    encoding = model.encode(text.head(BEGINNING), special)
    count = int(np.count_nonzero(encoding.end <= encoding.text.n_bytes - UNSURE))
    tokens = ("ids", "node_start", "node_end", "start", "end")
    return replace(
        encoding,
        prepared=replace(encoding.prepared, text=text),
        **{name: getattr(encoding, name)[:count] for name in tokens},
    )


def encode_text(model: Model, text: Text, report: Report, special: Special = "literal") -> Encoding:
    """Encode a text as `Model.encode` does; a long one is prepared apart.

    The rest of the work is done by kernels, which let other threads run.
    """
    if text.n_bytes < LONG:
        return model.encode(text, special)
    from app.apart import call_apart
    from engine.pipeline import Prepared

    arrays = call_apart(_prepare, model.pipeline, special, text.encoded, report=report)
    return model.encode_prepared(Prepared(text, *arrays), found=model.find_special(text))


def count_graphemes(text: Text, report: Report) -> int:
    """Return how many graphemes a text has; those of a long one are counted apart.

    They are found one after the other in Python, and the window's thread would wait at each turn;
    but in plain text each byte is one.
    """
    if text.n_bytes < LONG or text.plain:
        return text.n_graphemes
    from app.apart import call_apart

    count: int = call_apart(_count, text.encoded, report=report)
    return count


def _count(encoded: bytes, report: Report) -> int:
    """Count the graphemes of a text; runs in the process."""
    return Text.from_bytes(encoded).n_graphemes


def _prepare(pipeline: Pipeline, special: Special, encoded: bytes, report: Report) -> Arrays:
    """Prepare a text and return all of `Prepared` but the text; runs in the process."""
    prepared = pipeline.prepare(Text.from_bytes(encoded), special)
    return (
        prepared.data,
        prepared.cuts,
        prepared.fixed,
        prepared.source_start,
        prepared.source_end,
    )
