"""A BPE model's rule with dropout, as a segmenter: what cuts many texts at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.dropout import DropRule
from engine.dropout.draws import cut_draws
from engine.dropout.merging import Coins, dropping
from engine.kernels import compiled
from engine.matching import TokenList, check_spans
from engine.segmenter import Edges, Segmented
from engine.subword_nmt import SubwordNmt


@dataclass(frozen=True, eq=False)
class DroppingBpe:
    """A BPE model's rule that drops merges with probability p.

    key: the stream of random numbers of each call of `segment`.
    """

    bpe: Bpe
    rule: DropRule
    p: float
    key: int = 0

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, `bpe`."""
        return self.bpe.algorithm

    @property
    def law(self) -> str:
        """Why the scores give no law over segmentations."""
        return self.bpe.law

    def segment(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Cut each pre-token; at p = 0 as the model does."""
        if self.p == 0.0:
            return self.bpe.segment(data, starts, ends)
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data)) and not self.needs_plain:
            return self.segment_compiled(data, starts, ends)
        return self.segment_plain(data, starts, ends)

    @property
    def needs_plain(self) -> bool:
        """Whether the kernel can't merge for this model; see `Bpe.segment`."""
        bpe = self.bpe
        return isinstance(bpe, SubwordNmt) or bool(bpe.unused or bpe.lacking)

    def segment_compiled(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does with the kernel, p above 0; the spans must be checked."""
        return next(self._drawn_compiled(data, starts, ends, [self.key]))

    def segment_draws(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        keys: Sequence[int],
    ) -> Iterator[Segmented]:
        """Cut each pre-token once for each stream of random numbers, p above 0.

        What is yielded holds until the next one; both roads give the same.
        """
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data) * len(keys)) and not self.needs_plain:
            yield from self._drawn_compiled(data, starts, ends, keys)
            return
        for key in keys:
            yield replace(self, key=key).segment_plain(data, starts, ends)

    def _drawn_compiled(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        keys: Sequence[int],
    ) -> Iterator[Segmented]:
        tables, rule = self.bpe.tables, int(self.rule)

        def fill(longest: int, part: NDArray[np.uint64], *out: NDArray[Any]) -> None:
            tables.draw_dropping(data, starts, ends, longest, rule, self.p, part, *out)

        return cut_draws(starts, ends, keys, fill)

    def segment_plain(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Segmented:
        """Do what `segment` does in plain Python, p above 0."""
        text = data.tobytes()
        tokens = TokenList()
        merge = dropping(self.bpe, self.rule, self.p, Coins(self.key))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self.bpe.add_tokens(text, start, end, merge, tokens)
        return tokens.segmented()

    def edges(
        self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Edges:
        """Return the edges of the model's lattice."""
        return self.bpe.edges(data, starts, ends)
