"""One segmentation of each of many lines, by the fast road of each method.

A method's road is made once for a model and its settings: tables of weights take longer to make
than a line to draw. What it makes takes lines and a stream of random numbers.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.bulk import choose_lines
from engine.errors import CoverageError
from engine.kernels import compiled
from engine.matching import TokenList, check_spans, room_for_tokens
from engine.model import Batch
from engine.nbest import check_count
from engine.passes import check_theta, log_sum_exp
from engine.rng import uniform
from engine.sampler import DrawLines, SamplingSettings
from engine.segmenter import EdgeKind, Edges, Segmented
from engine.unigram import STEEPEST_THETA, UNKNOWN, Unigram

if TYPE_CHECKING:
    from engine.model import Model

Spans = NDArray[np.int64]
Cut = Callable[[NDArray[np.uint8], Spans, Spans, int], Segmented]
"""(data, starts, ends, key) → one segmentation of each pre-token."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A model's rule that draws where the model would take its own path."""

    unigram: Unigram
    cut: Cut
    key: int

    @property
    def algorithm(self) -> str:
        """As the model's rule."""
        return self.unigram.algorithm

    @property
    def law(self) -> str:
        """As the model's rule."""
        return self.unigram.law

    def segment(self, data: NDArray[np.uint8], starts: Spans, ends: Spans) -> Segmented:
        """Draw a segmentation of each pre-token."""
        cut = self.cut(data, starts, ends, self.key)
        written = self.unigram.written_unknown
        if written and self.unigram.byte_pieces is None and written in data.tobytes():
            return _fused(cut, self.unigram.unknown, starts)
        return cut

    def edges(self, data: NDArray[np.uint8], starts: Spans, ends: Spans) -> Edges:
        """Return the edges of the model's rule."""
        return self.unigram.edges(data, starts, ends)


def _fused(cut: Segmented, unknown: int, starts: Spans) -> Segmented:
    """Make neighbouring unknown tokens one, where the text has the unknown token as it is written.

    HuggingFace's library does so; see `Unigram`. Not across the start of a pre-token.
    """
    owned = cut.ids == unknown
    joined = owned[1:] & owned[:-1] & ~np.isin(cut.starts[1:], starts)
    first, last = np.append(True, ~joined), np.append(~joined, True)
    return Segmented(cut.ids[first], cut.starts[first], cut.ends[last])


def viterbi_lines(model: Model, settings: SamplingSettings) -> DrawLines | None:
    """Return what gives the model's own segmentation, for a Unigram model."""
    check_theta(settings.theta)
    if _unigram(model) is None:
        return None
    return lambda lines, _key: model.encode_lines(lines)


def perfect_lines(model: Model, settings: SamplingSettings) -> DrawLines | None:
    """Return what draws by the reservoir; None for a model that isn't Unigram."""
    unigram, theta = _unigram(model), check_theta(settings.theta)
    if unigram is None:
        return None

    def cut(data: NDArray[np.uint8], starts: Spans, ends: Spans, key: int) -> Segmented:
        return unigram.sample_lines(data, starts, ends, theta, key)

    return partial(_drawn, model, unigram, cut)


def ffbs_lines(model: Model, settings: SamplingSettings) -> DrawLines | None:
    """Return what draws by two passes; None for a model that isn't Unigram."""
    unigram = _unigram(model)
    if unigram is None:
        return None
    road = Ffbs(unigram, settings.theta)

    def draw(lines: Sequence[str], key: int) -> Batch:
        ready = model.pipeline.prepare_lines(lines)
        if not (unigram.written_unknown or (ready.fixed >= 0).any()):
            with suppress(CoverageError):
                ids, cuts = road.ids(ready.data, ready.starts, ready.ends, key)
                return Batch(ids, cuts[ready.line_cuts])
        # This also says which line isn't covered.
        return _drawn(model, unigram, road, lines, key)

    return draw


def uniform_lines(model: Model, settings: SamplingSettings) -> DrawLines | None:
    """Return what draws every segmentation alike; None for a model that isn't Unigram."""
    return ffbs_lines(model, replace(settings, theta=0.0))


def nbest_lines(model: Model, settings: SamplingSettings) -> DrawLines | None:
    """Return what draws one of the ℓ best; None for a model that isn't Unigram."""
    theta, size = check_theta(settings.theta), settings.nbest_size
    check_count(size)
    if _unigram(model) is None:
        return None

    def draw(lines: Sequence[str], key: int) -> Batch:
        chosen = choose_lines(model, lines, size, theta, key)
        return Batch(chosen.ids, chosen.offsets)

    return draw


def _unigram(model: Model) -> Unigram | None:
    return model.segmenter if isinstance(model.segmenter, Unigram) else None


def _drawn(model: Model, unigram: Unigram, cut: Cut, lines: Sequence[str], key: int) -> Batch:
    return replace(model, segmenter=Drawing(unigram, cut, key)).encode_lines(lines)


class Ffbs:
    """Draws pre-tokens of a Unigram model at one temperature: P(path) ∝ exp(theta · score).

    Raises `ParameterError` unless theta is finite and not negative.
    """

    def __init__(self, unigram: Unigram, theta: float) -> None:
        theta = min(check_theta(theta), STEEPEST_THETA)
        self._unigram = unigram
        # Of an unknown edge, of none, and of each piece.
        self._logs = np.append([theta * unigram.unknown_score, -math.inf], unigram.tempered(theta))

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        from engine.kernels.unigram import weights_of

        return weights_of(self._logs)

    @cached_property
    def _lowest(self) -> float:
        from engine.kernels.ffbs import lowest_sum

        return lowest_sum(self._logs)

    def __call__(self, data: NDArray[np.uint8], starts: Spans, ends: Spans, key: int) -> Segmented:
        """Draw one segmentation of each pre-token; number i of stream `key` decides edge i.

        Raises `CoverageError` where no path leads through.
        """
        data, starts, ends = check_spans(data, starts, ends)
        if compiled(len(data)):
            return self.draw_compiled(data, starts, ends, key)
        return self.draw_plain(data, starts, ends, key)

    def draw_plain(
        self, data: NDArray[np.uint8], starts: Spans, ends: Spans, key: int
    ) -> Segmented:
        """Do the same in plain Python, with logarithms."""
        unigram, text, number = self._unigram, data.tobytes(), 0
        tokens = TokenList()
        edges = unigram.edges_plain(data, starts, ends)
        pieces = np.where(edges.kind == EdgeKind.UNKNOWN, UNKNOWN, edges.piece).tolist()
        leaving: dict[int, list[tuple[int, int]]] = {}
        for start, end, piece in zip(edges.start.tolist(), edges.end.tolist(), pieces, strict=True):
            leaving.setdefault(start, []).append((end, piece))
        logs = np.append(self._logs[2:], self._logs[:1]).tolist()
        for k, (first, last) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            total = {last: 0.0}
            shares: dict[int, list[float]] = {}
            for node in range(last - 1, first - 1, -1):
                weights = [
                    logs[piece] + total.get(end, -math.inf) for end, piece in leaving.get(node, ())
                ]
                total[node] = log_sum_exp(weights)
                if total[node] > -math.inf:
                    shares[node] = [math.exp(weight - total[node]) for weight in weights]
            if total[first] == -math.inf:
                raise unigram.uncovered(data, starts, ends, k)
            path, node = [], first
            while node < last:
                bounds = list(accumulate(shares[node]))
                level = uniform(key, number) * bounds[-1]
                number += 1
                end, piece = leaving[node][bisect_right(bounds, level, hi=len(bounds) - 1)]
                path.append((node, end, piece))
                node = end
            unigram.spell(text, path, tokens)
        return tokens.segmented()

    def ids(
        self, data: NDArray[np.uint8], starts: Spans, ends: Spans, key: int
    ) -> tuple[NDArray[np.int32], Spans]:
        """Return the ids alone, and the first of each pre-token, int64[pre-tokens + 1].

        The same draws, without the time that spans take.
        """
        data, starts, ends = check_spans(data, starts, ends)
        none = np.empty(0, dtype=np.int64)
        ids = np.empty(int((ends - starts).sum()), dtype=np.int32)
        count, cuts = self._draw(data, starts, ends, key, ids, none, none)
        return ids[:count], cuts

    def draw_compiled(
        self, data: NDArray[np.uint8], starts: Spans, ends: Spans, key: int
    ) -> Segmented:
        """Do the same with the kernel; the spans must be checked."""
        _, ids, at, to = room_for_tokens(starts, ends)
        count, _ = self._draw(data, starts, ends, key, ids, at, to)
        return Segmented(ids[:count], at[:count], to[:count])

    def _draw(
        self,
        data: NDArray[np.uint8],
        starts: Spans,
        ends: Spans,
        key: int,
        ids: NDArray[np.int32],
        at: Spans,
        to: Spans,
    ) -> tuple[int, Spans]:
        """Fill in the arrays of tokens; return their number and the first of each pre-token."""
        from engine.kernels.ffbs import draw_tokens

        unigram, trie, walk = self._unigram, self._unigram.trie, self._unigram.walk
        longest = int((ends - starts).max(initial=0))
        cuts = np.zeros(len(starts) + 1, dtype=np.int64)
        # Text has few long edges; a pre-token with more gets room for them at once.
        room = longest + trie.longest + 64
        while True:
            count = draw_tokens(
                data,
                starts,
                ends,
                trie.table,
                trie.by_char,
                walk.units,
                walk.width,
                walk.below,
                walk.alone,
                self._weights,
                self._logs,
                self._lowest,
                trie.longest,
                np.uint64(key),
                unigram.unknown,
                unigram.fuse_unknown,
                unigram.byte_table,
                longest,
                room,
                ids,
                at,
                to,
                cuts,
            )
            if count >= 0:
                return int(count), cuts
            if count < -1:
                raise unigram.uncovered(data, starts, ends, -2 - int(count))
            room *= 4
