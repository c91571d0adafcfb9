"""One segmentation drawn at random for each of many lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.errors import CoverageError, ParameterError
from engine.model import Model
from engine.passes import check_theta
from engine.rng import key_of
from engine.sample import sampler_of
from engine.segmenter import Edges, Segmented
from engine.unigram import Unigram

CHUNK = 10_000
"""Lines drawn at once."""


def sample_lines(
    model: Model, lines: Sequence[str], method: str, theta: float, seed: int
) -> Iterator[list[int]]:
    """Return the ids of one drawn segmentation of each line, CHUNK lines at a time.

    method: of `engine.sample.SAMPLERS`. Each chunk has a stream of random numbers of its own.
    Raises `ParameterError` for an unknown method, a bad theta and a model without a law, and
    `CoverageError` with the number of the line.
    """
    check_theta(theta)
    sampler_of(method)
    segmenter = model.segmenter
    if segmenter.law or not isinstance(segmenter, Unigram):
        raise ParameterError(segmenter.law, "", "open a Unigram model for probabilities")
    for first in range(0, len(lines), CHUNK):
        drawing = model
        if method == "perfect":
            key = key_of(seed, first // CHUNK)
            drawing = replace(model, segmenter=_Drawing(segmenter, theta, key))
        try:
            batch = drawing.encode_lines(lines[first : first + CHUNK])
        except CoverageError as error:
            error.line += first
            raise
        yield from (batch[i].tolist() for i in range(len(batch)))


@dataclass(frozen=True, eq=False)
class _Drawing:
    """A Unigram model's rule that draws where the model would take the best path."""

    unigram: Unigram
    theta: float
    key: int

    @property
    def algorithm(self) -> str:
        return self.unigram.algorithm

    @property
    def law(self) -> str:
        return self.unigram.law

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        return self.unigram.sample_lines(data, starts, ends, self.theta, self.key)

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        return self.unigram.edges(data, starts, ends)
