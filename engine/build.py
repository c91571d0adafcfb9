"""From a prepared text to its lattice, and the path that the model really takes through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import CoverageError, ModelError
from engine.lattice import Lattice, Spelling
from engine.model import Model, segment_prepared
from engine.pipeline import Prepared
from engine.segmenter import EdgeKind, Edges, Segmented

if TYPE_CHECKING:
    from engine.pieces import Vocabulary


_PLAIN = Spelling()


def build_lattice(model: Model, prepared: Prepared) -> Lattice:
    """Return the lattice of a prepared text under `model`.

    Its edges are those of the model's segmenter, with one edge for each added token that owns a
    pre-token; `taken` are the edges that the model's own segmentation uses. A token that the
    model gives though no edge stands for it gets its edge here, so the path is the model's own in
    any case. Where the model can't write the text, the lattice holds the error in `uncovered`,
    and there is no path and no law.
    """
    segmenter = model.segmenter
    cuts = prepared.cuts.astype(np.int64)
    owned = prepared.fixed >= 0
    edges = segmenter.edges(prepared.data, cuts[:-1][~owned], cuts[1:][~owned])
    if owned.any():
        pieces = prepared.fixed[owned].astype(np.int32)
        edges = join(edges, added_edges(cuts[:-1][owned], cuts[1:][owned], pieces, segmenter.law))
    edges = sort_edges(edges)
    try:
        cut = segment_prepared(segmenter, prepared)
    except CoverageError as error:
        return Lattice(
            prepared,
            model.vocabulary,
            edges,
            np.zeros(0, dtype=np.int32),
            model.spelling,
            f"{error.what} ({error.where})",
            segmenter,
            error,
        )
    spelling = model.spelling
    missing = missing_tokens(edges, cut, len(prepared.data), spelling)
    if len(missing):
        edges = sort_edges(join(edges, token_edges(cut, missing, model.vocabulary, segmenter.law)))
    taken = edges_of_tokens(edges, cut, len(prepared.data), spelling)
    return Lattice(prepared, model.vocabulary, edges, taken, spelling, segmenter.law, segmenter)


def sort_edges(edges: Edges) -> Edges:
    """Return the edges sorted by start, then end, then piece."""
    order = np.lexsort((edges.piece, edges.end, edges.start))
    return Edges(
        edges.start[order],
        edges.end[order],
        edges.piece[order],
        edges.score[order],
        edges.rank[order],
        edges.kind[order],
    )


def join(a: Edges, b: Edges) -> Edges:
    """Return the edges of both, those of `b` last."""
    return Edges(
        np.concatenate((a.start, b.start)),
        np.concatenate((a.end, b.end)),
        np.concatenate((a.piece, b.piece)),
        np.concatenate((a.score, b.score)),
        np.concatenate((a.rank, b.rank)),
        np.concatenate((a.kind, b.kind)),
    )


def added_edges(
    starts: NDArray[np.int64], ends: NDArray[np.int64], pieces: NDArray[np.int32], no_law: str
) -> Edges:
    """Return the edges of added tokens: each is certain, so its score is 0 (NaN without a law)."""
    n = len(pieces)
    return Edges(
        starts.astype(np.int32),
        ends.astype(np.int32),
        pieces,
        np.full(n, np.nan if no_law else 0.0),
        np.full(n, -1, dtype=np.int32),
        np.full(n, EdgeKind.ADDED, dtype=np.uint8),
    )


def token_edges(
    cut: Segmented, tokens: NDArray[np.int64], vocabulary: Vocabulary, no_law: str
) -> Edges:
    """Return an edge for each of `tokens`, indices into `cut`."""
    pieces = cut.ids[tokens].astype(np.int32)
    n = len(tokens)
    return Edges(
        cut.starts[tokens].astype(np.int32),
        cut.ends[tokens].astype(np.int32),
        pieces,
        np.full(n, np.nan) if no_law else vocabulary.score[pieces],
        np.full(n, -1, dtype=np.int32),
        np.full(n, EdgeKind.PIECE, dtype=np.uint8),
    )


def exact_edges(edges: Edges, cut: Segmented, size: int) -> NDArray[np.int64]:
    """Return the edge with the span and the piece of each token, int64[t]; −1 where none has."""
    key = edges.start.astype(np.int64) * (size + 1) + edges.end
    wanted = cut.starts * (size + 1) + cut.ends
    found = np.full(len(cut.ids), -1, dtype=np.int64)
    if not len(key):
        return found
    place = np.searchsorted(key, wanted)
    # Edges of one span stand together; each round looks at the next of them.
    open_ = np.flatnonzero(place < len(key))
    while len(open_):
        open_ = open_[key[place[open_]] == wanted[open_]]
        same = edges.piece[place[open_]] == cut.ids[open_]
        found[open_[same]] = place[open_[same]]
        open_ = open_[~same]
        place[open_] += 1
        open_ = open_[place[open_] < len(key)]
    return found


def unknown_at(edges: Edges, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each position the UNKNOWN edge that covers it, −1 where none does."""
    unknown = np.flatnonzero(edges.kind == EdgeKind.UNKNOWN)
    if not len(unknown):
        return np.full(len(tokens), -1, dtype=np.int64)
    place = np.searchsorted(edges.start[unknown], tokens, side="right") - 1
    edge = unknown[np.maximum(place, 0)]
    return np.where((place >= 0) & (edges.end[edge] > tokens), edge, -1)


def written_unknown(edges: Edges, spelling: Spelling) -> dict[int, int]:
    """Return the edges by start that match the unknown token as it is written in the text."""
    found = np.flatnonzero((edges.kind == EdgeKind.PIECE) & (edges.piece == spelling.unknown))
    return dict(zip(edges.start[found].tolist(), found.tolist(), strict=True))


def missing_tokens(
    edges: Edges, cut: Segmented, size: int, spelling: Spelling
) -> NDArray[np.int64]:
    """Return the tokens, int64[k], that no edge stands for.

    Unknown tokens and the bytes that spell unknown characters belong to edges of other spans.
    """
    absent = np.flatnonzero(exact_edges(edges, cut, size) < 0)
    covered = unknown_at(edges, cut.starts[absent]) >= 0
    for start, edge in written_unknown(edges, spelling).items():
        covered |= (cut.starts[absent] >= start) & (cut.starts[absent] < edges.end[edge])
    spelled = [spelling.unknown]
    if spelling.byte_pieces is not None:
        spelled += spelling.byte_pieces.tolist()
    return absent[~(covered & np.isin(cut.ids[absent], spelled))]


def edges_of_tokens(
    edges: Edges, cut: Segmented, size: int, spelling: Spelling = _PLAIN
) -> NDArray[np.int32]:
    """Return the edges, int32[p], that the tokens of a segmentation lead along.

    Tokens that spell an unknown character in bytes belong to its one edge, a fused unknown token
    covers several (the unknown token as it is written among them), and characters that the model
    drops have an edge but no token.
    """
    exact = exact_edges(edges, cut, size)
    if (exact >= 0).all() and _joined(cut, size):
        return exact.astype(np.int32)
    taken: list[int] = []
    node = 0
    unknown = unknown_at(edges, np.arange(size, dtype=np.int64)).tolist()
    written = written_unknown(edges, spelling)
    dropped = np.flatnonzero(edges.kind == EdgeKind.DROPPED)
    drop_at = dict(zip(edges.start[dropped].tolist(), dropped.tolist(), strict=True))
    tokens = zip(exact.tolist(), cut.starts.tolist(), cut.ends.tolist(), strict=True)
    for edge, start, end in [*tokens, (-1, size, size)]:
        while node < start and node in drop_at:
            taken.append(drop_at[node])
            node = int(edges.end[taken[-1]])
        if edge >= 0 and start == node:
            taken.append(edge)
            node = end
            continue
        while node < end:
            stray = written.get(node, unknown[node])
            if stray < 0 or edges.start[stray] != node:
                break
            taken.append(stray)
            node = int(edges.end[stray])
    if node != size:
        raise ModelError(
            "the model's tokens don't join to a path through the text",
            f"byte {node} of {size} of the normalized text",
            "report the text and the model",
        )
    return np.array(taken, dtype=np.int32)


def _joined(cut: Segmented, size: int) -> bool:
    """Whether the tokens cover 0 … size without a gap."""
    if not len(cut.ids):
        return size == 0
    touching = bool((cut.starts[1:] == cut.ends[:-1]).all())
    return touching and int(cut.starts[0]) == 0 and int(cut.ends[-1]) == size
