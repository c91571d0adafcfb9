"""The segmentation lattice: the DAG of all pieces that match a text.

Nodes are positions in the bytes that the model segments (`Prepared.data`), 0 … m; an edge is a
piece between two of them. The arrays are flat and sorted by start, then end, then piece. What is
computed from a lattice are plain functions in `engine.search` (Viterbi, n-best, path count),
`engine.law` (forward, backward, marginals, entropy) and `engine.sample`; the methods here only
call them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import CoverageError, ParameterError
from engine.pieces import Vocabulary
from engine.pipeline import Prepared
from engine.rng import Seed
from engine.segmenter import EdgeKind, Edges, Segmenter

if TYPE_CHECKING:
    from engine.bpe import Bpe
    from engine.law import Law
    from engine.passes import BestPass
    from engine.sample import Draws
    from engine.traces.merges import History


_WITH_PIECE = frozenset((int(EdgeKind.PIECE), int(EdgeKind.ADDED), int(EdgeKind.BYTE)))


@dataclass(frozen=True, eq=False)
class Spelling:
    """How edges without a piece of their own become tokens.

    unknown: id of the unknown token, -1 where there is none. byte_pieces: int32[256], the byte
    fallback pieces, or None where the model doesn't fall back to bytes. fuse: neighbouring
    unknown edges of one pre-token give one unknown token.
    """

    unknown: int = -1
    byte_pieces: NDArray[np.int32] | None = None
    fuse: bool = False


@dataclass(frozen=True, eq=False)
class Path:
    """A segmentation: a sequence of edges from node 0 to the last node.

    edges: int32[p], indices into the lattice. score: sum of the edges' scores (NaN without a
    law). probability: under the law at the inverse temperature asked for (NaN without a law).
    """

    lattice: Lattice
    edges: NDArray[np.int32]
    score: float = float("nan")
    probability: float = float("nan")

    @cached_property
    def ids(self) -> list[int]:
        """Token ids, unknown edges spelled as the model spells them."""
        return self.lattice.spell(self.edges)

    @cached_property
    def pieces(self) -> list[str]:
        """The text of each edge's piece, `Lattice.edge_text`."""
        return [self.lattice.edge_text(int(edge)) for edge in self.edges]

    @property
    def nodes(self) -> NDArray[np.int32]:
        """The nodes on the path, int32[p + 1]."""
        lattice = self.lattice
        return np.append(np.zeros(1, dtype=np.int32), lattice.end[self.edges])

    def __len__(self) -> int:
        return len(self.edges)


@dataclass(frozen=True, eq=False)
class Lattice:
    """The lattice of one text under one model.

    edges: the flat arrays. taken: int32[p], the edges that the model's own algorithm takes.
    no_law: why the edges' scores are not log-probabilities; empty where they are.
    segmenter: the model's rule, for explanations; None in a lattice made by hand. uncovered: why
    no path leads through, where the model can't write the text; it has no law then either.
    """

    prepared: Prepared
    vocabulary: Vocabulary
    edges: Edges
    taken: NDArray[np.int32]
    spelling: Spelling
    no_law: str = ""
    segmenter: Segmenter | None = None
    uncovered: CoverageError | None = None

    @property
    def start(self) -> NDArray[np.int32]:
        """The node that each edge leaves, int32[e]."""
        return self.edges.start

    @property
    def end(self) -> NDArray[np.int32]:
        """The node that each edge reaches, int32[e]."""
        return self.edges.end

    @property
    def piece(self) -> NDArray[np.int32]:
        """The id of each edge's piece, int32[e]; see `Edges`."""
        return self.edges.piece

    @property
    def score(self) -> NDArray[np.float64]:
        """The score of each edge, float64[e]; NaN without a law."""
        return self.edges.score

    @property
    def rank(self) -> NDArray[np.int32]:
        """The rank of the merge that makes each edge's piece, int32[e]; −1 for none."""
        return self.edges.rank

    @property
    def kind(self) -> NDArray[np.uint8]:
        """The `EdgeKind` of each edge, uint8[e]."""
        return self.edges.kind

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges.start)

    @property
    def n_nodes(self) -> int:
        """Number of nodes: one more than the bytes that the model segments."""
        return len(self.prepared.data) + 1

    @property
    def has_law(self) -> bool:
        """Whether the scores are log-probabilities."""
        return not self.no_law

    @cached_property
    def by_end(self) -> NDArray[np.int32]:
        """The edges in the order in which a forward pass meets them, int32[e].

        By end node, then start: at each node the longest edge first, as BytePiece orders them.
        """
        return np.lexsort((self.piece, self.start, self.end)).astype(np.int32)

    @cached_property
    def best_pass(self) -> BestPass:
        """The best score and the edge held at each node; only where the model defines a law."""
        from engine.passes import best_pass

        self.require_law()
        return best_pass(self, self.score)

    @cached_property
    def best_edges(self) -> NDArray[np.int32]:
        """The edges of the best path, int32[p], read-only; errors as `engine.search.viterbi`."""
        from engine.passes import require_path
        from engine.search import follow

        found = self.best_pass
        require_path(self, bool(np.isfinite(found.total[-1])))
        edges = follow(self, found.holder)
        edges.flags.writeable = False  # paths share it
        return edges

    @cached_property
    def histories(self) -> dict[int, History]:
        """What merging did in each pre-token, kept once `engine.explain` has asked for it."""
        return {}

    @property
    def bpe(self) -> Bpe | None:
        """The rule of a model that merges; None for any other, and in a lattice made by hand."""
        from engine.bpe import Bpe

        return self.segmenter if isinstance(self.segmenter, Bpe) else None

    @cached_property
    def canonical_edges(self) -> NDArray[np.bool_] | None:
        """Which edges the merges of a BPE model could give, bool[e]; None for other models.

        See `engine.bpe_edges.canonical_edges`.
        """
        from engine.bpe_edges import canonical_edges

        return None if self.bpe is None else canonical_edges(self.bpe, self)

    @cached_property
    def path(self) -> Path:
        """The segmentation that the model really gives."""
        score = float(self.score[self.taken].sum()) if self.has_law else float("nan")
        return Path(self, self.taken, score)

    def bytes(self, edge: int) -> bytes:
        """Return the bytes that an edge covers."""
        return self.prepared.data[self.start[edge] : self.end[edge]].tobytes()

    def edge_text(self, edge: int) -> str:
        """Return the text of an edge: its piece as the vocabulary writes it, else its bytes."""
        if self.kind[edge] in _WITH_PIECE:
            return self.vocabulary.text(int(self.piece[edge]))
        return self.bytes(edge).decode("utf-8", errors="replace")

    def source(self, edge: int) -> tuple[int, int]:
        """Return the byte span in the text as given that an edge covers."""
        return self.prepared.span(int(self.start[edge]), int(self.end[edge]))

    def leads_pretoken(self, nodes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether a pre-token starts at each node, bool[len(nodes)]."""
        cuts = self.prepared.cuts
        starts: NDArray[np.bool_] = cuts[np.searchsorted(cuts, nodes)] == nodes
        return starts

    def spell(self, edges: NDArray[np.int32]) -> list[int]:
        """Return the token ids of a sequence of edges, as the model's library would give them."""
        ids: list[int] = []
        spelling = self.spelling
        unknown_before = False
        # Members of an IntEnum are slow to reach, and a path may have a million edges.
        dropped = int(EdgeKind.DROPPED)
        kinds, pieces = self.kind[edges].tolist(), self.piece[edges].tolist()
        starts_word = self.leads_pretoken(self.start[edges])
        strays, leads = self._strays(edges, starts_word).tolist(), starts_word.tolist()
        for edge, kind, piece, unknown, lead in zip(
            edges.tolist(), kinds, pieces, strays, leads, strict=True
        ):
            if not unknown:
                if kind != dropped:
                    ids.append(piece)
            elif spelling.byte_pieces is not None:
                ids.extend(spelling.byte_pieces[byte] for byte in self.bytes(edge))
            elif lead or not (spelling.fuse and unknown_before):
                ids.append(spelling.unknown)
            unknown_before = unknown
        return [int(i) for i in ids]

    def _strays(self, edges: NDArray[np.int32], leads: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which edges of a path are spelled as unknown, bool[len(edges)].

        A Unigram model that fuses unknown characters also takes in the unknown token as it is
        written in the text, where that stands beside one (HuggingFace).
        """
        strays: NDArray[np.bool_] = self.kind[edges] == int(EdgeKind.UNKNOWN)
        if not (self.spelling.fuse and self.has_law):
            return strays
        written = ~strays & (self.piece[edges] == self.spelling.unknown)
        if written.any():
            joined = (strays | written)[1:] & (strays | written)[:-1] & ~leads[1:]
            strays |= written & (np.append(joined, False) | np.append(False, joined))
        return strays

    def require_law(self) -> None:
        """Raise `ParameterError` where scores are not log-probabilities.

        Raises `CoverageError` where there is no path to have a probability.
        """
        if self.uncovered is not None:
            raise self.uncovered
        if self.no_law:
            raise ParameterError(self.no_law, "", "open a Unigram model for probabilities")

    def viterbi(self, theta: float = 1.0) -> Path:
        """Return the path of the highest score; of equal ones the one `engine.search` names.

        Its probability is exact at the inverse temperature `theta`.
        """
        from engine.search import viterbi

        return viterbi(self, theta)

    @cached_property
    def tied(self) -> bool:
        """Whether another path has the best path's score; see `engine.search.tied`."""
        from engine.search import tied

        return tied(self)

    def nbest(self, n: int, theta: float = 1.0) -> list[Path]:
        """Return the n paths of the highest scores, best first, with probabilities at `theta`."""
        from engine.nbest import nbest

        return nbest(self, n, theta)

    def law(self, theta: float = 1.0) -> Law:
        """Return the exact law P(path) ∝ exp(theta · score)."""
        from engine.law import law

        return law(self, theta)

    @cached_property
    def paths(self) -> int:
        """The exact number of segmentations."""
        from engine.search import count_paths

        return count_paths(self)

    def sample(
        self,
        method: str = "perfect",
        theta: float = 1.0,
        count: int = 1,
        seed: Seed = 0,
        **settings: Any,
    ) -> Draws:
        """Draw `count` segmentations; see `engine.sample.sample` for methods and settings."""
        from engine.sample import sample

        return sample(self, method, theta, count, seed, **settings)

    def _repr_svg_(self) -> str:
        from engine.svg import lattice_svg

        return lattice_svg(self)
