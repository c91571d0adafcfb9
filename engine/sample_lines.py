"""One segmentation drawn at random for each of many lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import CoverageError
from engine.model import Batch
from engine.progress import Report, silent
from engine.rng import key_of
from engine.sample import sampler_of
from engine.sampler import Sampler, SamplingSettings

if TYPE_CHECKING:
    from engine.model import Model

CHUNK = 10_000
"""Lines drawn at once."""


def sample_lines(
    model: Model,
    lines: Sequence[str],
    method: str,
    settings: SamplingSettings,
    seed: int,
    report: Report = silent,
) -> Iterator[Batch]:
    """Return the ids of one drawn segmentation of each line, CHUNK lines at a time.

    method: of `engine.sample.SAMPLERS`. Each chunk has a stream of random numbers of its own, and
    where the method has no fast road for the model, each line has. Reports lines.

    Raises `ParameterError` for an unknown method, a bad setting and a model that the method can't
    draw from, and `CoverageError` with the number of the line.
    """
    sampler = sampler_of(method)
    settings.check()

    def onward(done: int) -> None:
        report(done, len(lines))

    road = sampler.lines(model, settings) if sampler.lines is not None else None
    for first in range(0, len(lines), CHUNK):
        report(first, len(lines))
        chunk = lines[first : first + CHUNK]
        try:
            if road is not None:
                yield road(chunk, key_of(seed, first // CHUNK))
            else:
                yield _by_lattices(model, chunk, sampler, settings, seed, first, onward)
        except CoverageError as error:
            error.line = first + max(0, error.line)
            raise


def _by_lattices(
    model: Model,
    lines: Sequence[str],
    sampler: Sampler,
    settings: SamplingSettings,
    seed: int,
    first: int,
    onward: Callable[[int], None],
) -> Batch:
    """Draw each line from its own lattice.

    first: the number of the first line. onward: is told how many lines are done.
    """
    ids: list[int] = []
    offsets = [0]
    for i, line in enumerate(lines):
        onward(first + i)
        lattice = model.lattice(line)
        try:
            edges = sampler.draw(lattice, settings, key_of(seed, first + i), range(1))[0]
        except CoverageError as error:
            raise CoverageError(error.at, error.what, error.place, error.remedy, i) from None
        ids += lattice.spell(edges)
        offsets.append(len(ids))
    return Batch(np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64))
