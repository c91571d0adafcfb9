"""N best paths and marginals of many lines at once, for models with a law.

The same as `Lattice.nbest` and `Lattice.law` line by line, without a lattice for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.build import added_edges, join, sort_edges
from engine.errors import CoverageError, ParameterError
from engine.nbest import check_count
from engine.passes import check_theta
from engine.segmenter import EdgeKind, Edges
from engine.unigram import Unigram

if TYPE_CHECKING:
    from engine.lattice import Spelling
    from engine.model import Model
    from engine.pipeline import PreparedLines


@dataclass(frozen=True, eq=False)
class LinePaths:
    """The best paths of many lines as token ids.

    ids: int32[t], of all paths end to end. offsets: int64[paths + 1], where each path starts
    there, and the end. scores: float64[paths], natural logarithms. cuts: int64[lines + 1], the
    first path of each line, and their number; the paths of a line stand best first.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]
    cuts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def __getitem__(self, line: int) -> list[NDArray[np.int32]]:
        """Return the ids of each path of a line."""
        paths = range(self.cuts[line], self.cuts[line + 1])
        return [self.ids[self.offsets[i] : self.offsets[i + 1]] for i in paths]


@dataclass(frozen=True, eq=False)
class LineMarginals:
    """The law of many lines: P(path) ∝ exp(θ · score) in each.

    start, end, piece: int32[e], the edges by line, start and end. Positions are bytes of the
    normalized lines end to end; piece is as in `engine.segmenter.Edges`. marginal: float64[e], the
    probability that a segmentation of the line uses the edge. cuts: int64[lines + 1], the first
    edge of each line, and their number. counts: float64[pieces], how often each piece is used in
    the mean over all lines. log_partition: float64[lines], nats. Without edges cuts are 0.
    """

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    piece: NDArray[np.int32]
    marginal: NDArray[np.float64]
    cuts: NDArray[np.int64]
    counts: NDArray[np.float64]
    log_partition: NDArray[np.float64]


def nbest_lines(model: Model, lines: Sequence[str], n: int) -> LinePaths:
    """Return the n best paths of each line, special strings read literally.

    Order and scores are those of `Lattice.nbest`. Memory is taken for all paths at once: hand in
    as many lines as it allows. Raises `ParameterError` for a bad n or a model without a law, and
    `CoverageError` for a line that the model can't write.
    """
    return _best_of_lines(model, lines, n, None)


def choose_lines(model: Model, lines: Sequence[str], n: int, theta: float, key: int) -> LinePaths:
    """Return one of the n best paths of each line, drawn with P ∝ exp(theta · score).

    Kudo, "Subword Regularization" (ACL 2018). Number k of stream `key` decides line k. Raises as
    `nbest_lines` does, and `ParameterError` for a bad theta.
    """
    return _best_of_lines(model, lines, n, (check_theta(theta), key))


def _best_of_lines(
    model: Model, lines: Sequence[str], n: int, choice: tuple[float, int] | None
) -> LinePaths:
    from engine.kernels.nbest import Choice, best_paths

    segmenter = _with_law(model)
    check_count(n)
    ready = model.pipeline.prepare_lines(lines)
    owned = ready.fixed >= 0
    edges = segmenter.edges(ready.data, ready.starts[~owned], ready.ends[~owned])
    if owned.any():
        pieces = ready.fixed[owned].astype(np.int32)
        extra = added_edges(ready.starts[owned], ready.ends[owned], pieces, segmenter.law)
        edges = sort_edges(join(edges, extra))
    bounds = _line_bounds(ready)
    kept = None if choice is None else Choice(*choice)
    found = best_paths(edges.start, edges.end, edges.score, bounds[:-1], bounds[1:], n, kept)
    if (np.diff(found.cuts) == 0).any():
        # A line without a path: this says which and where.
        model.encode_lines(lines)
    ids, offsets = _spelled(edges, ready, model.spelling, found.edges, found.offsets)
    return LinePaths(ids, offsets, found.scores, found.cuts)


def marginal_lines(
    model: Model, lines: Sequence[str], theta: float = 1.0, *, edges: bool = True
) -> LineMarginals:
    """Return the probability of every edge of each line at inverse temperature `theta`.

    Special strings are read literally; an added token is certain. edges: False for counts and
    log-partitions alone, which takes less time and memory. Raises as `nbest_lines` does,
    and `ParameterError` for a bad theta.
    """
    segmenter = _with_law(model)
    ready = model.pipeline.prepare_lines(lines)
    owned = ready.fixed >= 0
    spans = (ready.data, ready.starts[~owned], ready.ends[~owned])
    try:
        found = segmenter.marginals(*spans, theta, edges=edges)
    except CoverageError:
        # This says in which line.
        model.encode_lines(lines)
        raise
    start, end, piece, marginal, counts, logs = found
    log_partition = np.zeros(len(ready.starts))
    log_partition[~owned] = logs
    added = ready.fixed[owned].astype(np.int32)
    np.add.at(counts, added, 1.0)
    if edges and owned.any():
        start = np.append(start, ready.starts[owned].astype(np.int32))
        end = np.append(end, ready.ends[owned].astype(np.int32))
        piece = np.append(piece, added)
        marginal = np.append(marginal, np.ones(len(added)))
        order = np.argsort(start, kind="stable")
        start, end, piece, marginal = start[order], end[order], piece[order], marginal[order]
    sums = np.concatenate((np.zeros(1), np.cumsum(log_partition)))
    cuts = np.searchsorted(start, _line_bounds(ready))
    return LineMarginals(start, end, piece, marginal, cuts, counts, np.diff(sums[ready.line_cuts]))


def _with_law(model: Model) -> Unigram:
    if not isinstance(model.segmenter, Unigram):
        raise ParameterError(model.segmenter.law, model.name, "open a Unigram model")
    return model.segmenter


def _line_bounds(ready: PreparedLines) -> NDArray[np.int64]:
    """Return where each line starts in the data, and the end: pre-tokens stand end to end."""
    return np.append(ready.starts, len(ready.data))[ready.line_cuts]


def _spelled(
    edges: Edges,
    ready: PreparedLines,
    spelling: Spelling,
    chosen: NDArray[np.int32],
    offsets: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the ids of paths, and where each starts, as `Lattice.spell` spells them.

    chosen: int32, the edges of all paths end to end. offsets: int64[paths + 1].
    """
    unknown = edges.kind[chosen] == EdgeKind.UNKNOWN
    ids = edges.piece[chosen]
    if not unknown.any():
        return ids, offsets
    start = edges.start[chosen]
    counts = np.ones(len(chosen), dtype=np.int64)
    if spelling.byte_pieces is not None:
        counts[unknown] = edges.end[chosen[unknown]] - start[unknown]
    elif spelling.fuse:
        # Not where a path or a pre-token starts.
        leads = np.zeros(len(chosen) + 1, dtype=np.bool_)
        leads[offsets] = True
        leads[:-1] |= np.isin(start, ready.starts)
        counts[1:][unknown[1:] & unknown[:-1] & ~leads[1:-1]] = 0
    at = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    owner = np.repeat(np.arange(len(chosen)), counts)
    ids = ids[owner]
    if spelling.byte_pieces is not None:
        place = start[owner] + np.arange(len(owner)) - at[owner]
        spelled = unknown[owner]
        ids[spelled] = spelling.byte_pieces[ready.data[place[spelled]]]
    return ids, at[offsets]
