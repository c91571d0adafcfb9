"""Encoding the text under analysis without holding up the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.apart import call_apart
from engine.pipeline import Pipeline, Prepared
from engine.progress import Report
from engine.text import Text

if TYPE_CHECKING:
    from engine.model import Encoding, Model

LONG = 100_000
"""Bytes of text from which it is prepared in a process of its own.

The libraries give a text back as lists of an entry for each byte. Making and reading such a list
of a megabyte holds Python's global lock for a third of a second.
"""

Arrays = tuple[NDArray[np.generic], ...]


def encode_text(model: Model, text: Text, report: Report) -> Encoding:
    """Encode a text as `Model.encode` does; a long one is prepared apart.

    The rest of the work is done by kernels, which let other threads run.
    """
    if text.n_bytes < LONG:
        return model.encode(text)
    arrays = call_apart(_prepare, model.pipeline, text.encoded, report=report)
    return model.encode_prepared(Prepared(text, *arrays), found=model.find_special(text))


def _prepare(pipeline: Pipeline, encoded: bytes, report: Report) -> Arrays:
    """Prepare a text and return all of `Prepared` but the text; runs in the process."""
    prepared = pipeline.prepare(Text.from_bytes(encoded))
    return (
        prepared.data,
        prepared.cuts,
        prepared.fixed,
        prepared.source_start,
        prepared.source_end,
    )
