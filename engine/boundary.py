"""The prompt boundary: what a text that is cut off would become if it went on.

A prompt is cut into tokens as if it ended there. Where the text goes on, its last tokens are often
others, and a model that was trained on whole texts is asked for what it has hardly ever seen.

The covering of a text x are the token sequences whose text begins with x and whose last token
starts before the end of x. Under a Unigram model tokens are drawn independently, so the covering
has exact probabilities, and with them the next byte (Vieira et al., "From Language Models over
Tokens to Language Models over Characters", arXiv 2412.03719):

    P(x …) = Σ over places i in x: (all ways to write x up to i) · Σ of p(t), t begins with x from i

Here that sum is the partition of a lattice: that of x, with an edge for each token t that begins
with the rest of x and reaches its end or beyond it. A model without a law has the covering that its
own rule gives: sequences that it really makes of some longer text.

Token healing takes the last token of the prompt back and lets the model choose among the tokens
that begin with its text. It mends the last border only, and not exactly: `Boundary.healed`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.bpe import Bpe
from engine.build import join, sort_edges
from engine.errors import ParameterError
from engine.lattice import Lattice
from engine.law import law
from engine.model import Model, segment_prepared
from engine.pieces import PieceKind
from engine.pipeline import Prepared
from engine.segmenter import EdgeKind, Edges
from engine.text import Text

STEPS = 60
"""Code points before the end whose growth is looked at."""


@dataclass(frozen=True)
class GrowthStep:
    """How the tokens change when a text gets one more code point.

    end_char: the code points of the text then. kept: how many of the first tokens stay. gone, new:
    the ids behind them before and after.
    """

    end_char: int
    kept: int
    gone: tuple[int, ...]
    new: tuple[int, ...]


def growth(model: Model, text: Text, last: int = STEPS) -> list[GrowthStep]:
    """Return how the tokens change while the last `last` code points of a text come in.

    Raises `CoverageError` where the model can't write the text so far.
    """
    first = max(0, text.n_chars - last)
    before = model.encode(text.string[:first]).ids.tolist()
    steps = []
    for end in range(first + 1, text.n_chars + 1):
        after = model.encode(text.string[:end]).ids.tolist()
        kept = 0
        while kept < min(len(before), len(after)) and before[kept] == after[kept]:
            kept += 1
        steps.append(GrowthStep(end, kept, tuple(before[kept:]), tuple(after[kept:])))
        before = after
    return steps


class Prefixes:
    """The pieces of a vocabulary by what they begin with."""

    def __init__(self, index: dict[bytes, int]) -> None:
        self.pieces = sorted(index.items())
        self.text = {number: piece for piece, number in self.pieces}
        self.longest = max((len(piece) for piece in index), default=0)

    def starting(self, prefix: bytes) -> list[tuple[bytes, int]]:
        """Return bytes and id of each piece that begins with `prefix`, in the order of bytes."""
        low = bisect_left(self.pieces, (prefix, -1))
        high = low
        while high < len(self.pieces) and self.pieces[high][0].startswith(prefix):
            high += 1
        return self.pieces[low:high]


@dataclass(frozen=True)
class Covering:
    """A token sequence that covers a text.

    ids, pieces: its tokens; the last one starts at byte `start` of the prompt as the model sees it
    and goes `beyond` its end by these bytes, perhaps none. probability: among all that cover the
    prompt; NaN where the model defines no law.
    """

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    start: int
    beyond: bytes
    probability: float


@dataclass(frozen=True)
class _Stem:
    """Text of a pre-token: its tokens, and the end of it that decides what may follow."""

    ids: list[int]
    tail: bytes


def last_decides(bpe: Bpe) -> bool:
    """Whether by a model's merges the last token alone decides what may stand after it.

    Of two pairs that don't overlap the order of merging doesn't matter, so up to the first merge
    across a border each side is merged as if it were alone. If tokens t1 … tk stand side by side
    and q follows, a merge would cross the border of tk and q in the whole text exactly when it
    does in the text of these two. Not so where something else than neighbours decides: marks at a
    word's ends, whole words, pieces taken apart again, symbols that are left out.
    """
    plain = type(bpe) is Bpe and bpe.spelled_alike and not bpe.ignore_merges
    return plain and not (bpe.unused or bpe.lacking)


@dataclass(frozen=True, eq=False)
class Boundary:
    """A prompt under a model.

    prepared: its whole code points as the model sees them. rest: further bytes of a code point
    that is cut in two, as they are; pieces cover them, fallback bytes don't.
    """

    model: Model
    prepared: Prepared
    rest: bytes = b""

    @cached_property
    def data(self) -> bytes:
        """The bytes of the prompt as the model sees them."""
        return self.prepared.data.tobytes() + self.rest

    @property
    def law(self) -> str:
        """Why nothing here has a probability; empty for a Unigram model."""
        return self.model.segmenter.law

    @cached_property
    def own(self) -> list[int]:
        """The tokens that the model makes of the whole code points, if the text ends there."""
        return [int(i) for i in segment_prepared(self.model.segmenter, self.prepared).ids]

    @cached_property
    def first(self) -> int:
        """Where the last pre-token starts: no covering token starts before it."""
        return int(self.prepared.cuts[-2]) if len(self.prepared.cuts) > 1 else 0

    @property
    def closed(self) -> bool:
        """Whether the prompt ends with an added token, which nothing can go on with."""
        return bool(len(self.prepared.fixed) and self.prepared.fixed[-1] >= 0 and not self.rest)

    @cached_property
    def said(self) -> dict[bytes, int]:
        """The pieces that a token may be, by the text that they say where a pre-token begins.

        Under a law those with a probability: normal ones. With an end-of-word mark those that end
        a word, without the mark.
        """
        vocabulary, bpe = self.model.vocabulary, self.model.bpe
        if not self.law:
            normal = (vocabulary.kind == PieceKind.NORMAL).tolist()
            return {piece: i for piece, i in vocabulary.index.items() if normal[i]}
        suffix = b"" if bpe is None else bpe.suffix.encode()
        if not suffix:
            return vocabulary.index
        ending = [(piece, i) for piece, i in vocabulary.index.items() if piece.endswith(suffix)]
        return {piece[: -len(suffix)]: i for piece, i in ending if piece != suffix}

    @cached_property
    def _initial(self) -> Prefixes:
        return Prefixes(self.said)

    @cached_property
    def _later(self) -> Prefixes:
        """Pieces by what they say inside a pre-token."""
        vocabulary, bpe = self.model.vocabulary, self.model.bpe
        prefix = b"" if bpe is None else bpe.prefix.encode()
        if prefix:
            inner = [(piece, i) for piece, i in self.said.items() if piece.startswith(prefix)]
            return Prefixes({piece[len(prefix) :]: i for piece, i in inner if piece != prefix})
        if vocabulary.continuation is not None and vocabulary.mark:
            return Prefixes(vocabulary.continuation_index)
        return self._initial

    def ends(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield (start, piece, id) of each piece that could cover the end of the prompt."""
        if self.closed:
            return
        longest = max(self._initial.longest, self._later.longest)
        for start in range(max(self.first, len(self.data) - longest), len(self.data)):
            pieces = self._later if start > self.first else self._initial
            for piece, number in pieces.starting(self.data[start:]):
                yield start, piece, number

    @cached_property
    def shift(self) -> float:
        """The log of the summed probabilities of all pieces; scores less this add up to 1."""
        scores = self.model.vocabulary.score[list(self.said.values())]
        top = float(scores.max(initial=-math.inf))
        if top == -math.inf:
            raise ParameterError(
                "no piece of the model has a probability", self.model.name, "open another model"
            )
        return top + math.log(math.fsum(np.exp(scores - top).tolist()))

    @cached_property
    def lattice(self) -> Lattice:
        """The lattice of the covering; edges to the last node may reach beyond the prompt.

        Scores are those of the model less `shift`; an unknown character, which no token says, keeps
        the model's score for one. Raises `ParameterError` for a model without a law, and
        `CoverageError` where the model can't write the prompt.
        """
        plain = self.model.lattice(self.prepared.text)
        plain.require_law()
        size = len(self.data)
        edges = plain.edges
        other = edges.kind != EdgeKind.PIECE
        kept = np.flatnonzero((edges.end < size) | other)
        ends = list(self.ends())
        pieces = np.array([number for _, _, number in ends], dtype=np.int32)
        score = self.model.vocabulary.score[pieces] - self.shift
        shifted = np.where(edges.kind == EdgeKind.ADDED, edges.score, edges.score - self.shift)
        own = Edges(
            edges.start[kept],
            edges.end[kept],
            edges.piece[kept],
            shifted[kept],
            edges.rank[kept],
            edges.kind[kept],
        )
        covering = Edges(
            np.array([start for start, _, _ in ends], dtype=np.int32),
            np.full(len(ends), size, dtype=np.int32),
            pieces,
            score,
            np.full(len(ends), -1, dtype=np.int32),
            np.full(len(ends), EdgeKind.PIECE, dtype=np.uint8),
        )
        none = np.zeros(0, dtype=np.int32)
        whole = _extended(self.prepared, self.rest)
        made = sort_edges(join(own, covering))
        return Lattice(whole, self.model.vocabulary, made, none, plain.spelling)

    @cached_property
    def log_probability(self) -> float:
        """log P(a text begins with the prompt), nats; 0 for the empty prompt."""
        return law(self.lattice).log_partition if self.data else 0.0

    @cached_property
    def count(self) -> int:
        """How many token sequences cover the prompt."""
        return (self.lattice.paths if self.data else 0) if not self.law else len(self._made)

    def covering(self, n: int) -> list[Covering]:
        """Return n sequences that cover the prompt.

        Under a Unigram model the most probable ones. Else those that the model makes of some
        longer text, as far as the pre-token that the prompt ends in goes: the last token that
        starts earliest first, then the one whose piece has the lower id.
        """
        if not self.data:
            return []
        if self.law:
            return [self._covering(*end) for end in self._made[:n]]
        lattice = self.lattice
        found = []
        for path in lattice.nbest(n):
            last = int(path.edges[-1])
            start = int(lattice.start[last])
            beyond = b""
            if lattice.kind[last] == EdgeKind.PIECE:
                beyond = lattice.vocabulary.bytes(int(lattice.piece[last]))[
                    len(self.data) - start :
                ]
            ids, pieces = tuple(path.ids), tuple(path.pieces)
            found.append(Covering(ids, pieces, start, beyond, path.probability))
        return found

    def _covering(self, start: int, number: int) -> Covering:
        """Return what the model's own rule makes, with the last token `number` from `start`."""
        stem, vocabulary = self._stems[start], self.model.vocabulary
        piece = (self._later if start > self.first else self._initial).text[number]
        own = [*stem.ids, number]
        if len(stem.tail) == start - self.first:
            # Not told by the last token alone: what comes before may be cut in another way too.
            own, _, _ = next(self._segment([stem.tail + piece]))
        ids = (*self._before, *own)
        pieces = tuple(vocabulary.text(token) for token in ids)
        return Covering(ids, pieces, start, piece[len(self.data) - start :], math.nan)

    @cached_property
    def _made(self) -> list[tuple[int, int]]:
        """Start and id of each last token that the model's own rule gives, see `covering`."""
        ends = list(self.ends())
        stems = self._stems
        texts = [stems[start].tail + piece for start, piece, _ in ends]
        cut = self._segment(texts)
        found = []
        for (start, _, number), (ids, starts, _) in zip(ends, cut, strict=True):
            if ids and (ids[-1], starts[-1]) == (number, len(stems[start].tail)):
                found.append((start, number))
        return sorted(found)

    @cached_property
    def _stems(self) -> dict[int, _Stem]:
        """What stands in the last pre-token before each place where a last token may start."""
        starts = sorted({start for start, _, _ in self.ends()})
        texts = [self.data[self.first : start] for start in starts]
        bpe, stems = self.model.bpe, {}
        local = bpe is not None and last_decides(bpe)
        for start, text, (ids, at, to) in zip(starts, texts, self._segment(texts), strict=True):
            tail = text
            if local and ids and to[-1] == len(text):
                last = text[at[-1] :]
                # A token that isn't spelled like its text was made in another way.
                tail = last if self.model.vocabulary.bytes(ids[-1]) == last else text
            stems[start] = _Stem(ids, tail)
        return stems

    def _segment(self, texts: list[bytes]) -> Iterator[tuple[list[int], list[int], list[int]]]:
        """Yield the ids of each text as a pre-token, and where in it they start and end."""
        cuts = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
        data = np.frombuffer(bytearray(b"".join(texts)), dtype=np.uint8)
        cut = self.model.segmenter.segment(data, cuts[:-1], cuts[1:])
        bounds = np.searchsorted(cut.starts, cuts).tolist()
        ids, starts, ends = cut.ids.tolist(), cut.starts.tolist(), cut.ends.tolist()
        for (low, high), at in zip(pairwise(bounds), cuts.tolist(), strict=False):
            yield (
                ids[low:high],
                [start - at for start in starts[low:high]],
                [end - at for end in ends[low:high]],
            )

    @cached_property
    def _before(self) -> list[int]:
        """The tokens of all pre-tokens but the last."""
        cut = segment_prepared(self.model.segmenter, self.prepared)
        return [int(i) for i in cut.ids[cut.starts < self.first]]

    @cached_property
    def fresh(self) -> NDArray[np.float64]:
        """The distribution of the first byte of a new token, float64[256]."""
        return first_bytes(self.said, self.model.vocabulary.score, self.shift)

    def next_byte(self) -> NDArray[np.float64]:
        """Return the exact distribution of the byte after the prompt, float64[256].

        Of the text as the model sees it: a space may be a ▁. Raises as `lattice` does.
        """
        if not self.data:
            return self.fresh
        lattice = self.lattice
        marginal = law(lattice).marginal
        size = len(self.data)
        found = np.zeros(256)
        for edge in np.flatnonzero(lattice.end == size).tolist():
            piece = b""
            if lattice.kind[edge] == EdgeKind.PIECE:
                piece = lattice.vocabulary.bytes(int(lattice.piece[edge]))
            beyond = piece[size - int(lattice.start[edge]) :]
            if beyond:
                found[beyond[0]] += marginal[edge]
            else:
                found += marginal[edge] * self.fresh
        return found

    @cached_property
    def removed(self) -> bytes:
        """The bytes that token healing takes back: the last token, and `rest`."""
        cut = segment_prepared(self.model.segmenter, self.prepared)
        start = int(cut.starts[-1]) if len(cut.starts) else 0
        return self.data[start:]

    def healed(self) -> NDArray[np.float64] | None:
        """Return the next byte's distribution after token healing, float64[256].

        None where no piece begins with what healing takes back. Raises as `lattice` does.
        """
        self.lattice.require_law()
        vocabulary, removed = self.model.vocabulary, self.removed
        starting = self._initial.starting(removed)
        if not starting or not removed:
            return None
        scores = vocabulary.score[[number for _, number in starting]]
        weights = np.exp(scores - scores.max())
        found = np.zeros(256)
        for (piece, _), weight in zip(starting, (weights / weights.sum()).tolist(), strict=True):
            if len(piece) > len(removed):
                found[piece[len(removed)]] += weight
            else:
                found += weight * self.fresh
        return found


def boundary(model: Model, text: Text, cut: int | None = None) -> Boundary:
    """Return the boundary of the first `cut` bytes of a text, by default of all of it.

    Raises `ParameterError` for a cut outside of the text.
    """
    cut = text.n_bytes if cut is None else cut
    if not 0 <= cut <= text.n_bytes:
        raise ParameterError(
            f"the cut is at byte {cut}", "cut", f"give a place from 0 to {text.n_bytes}"
        )
    whole = text.position("char", cut)
    start = text.byte("char", whole)
    prompt = Text(text.string[:whole])
    return Boundary(model, model.prepare(prompt), text.data[start:cut].tobytes())


def first_bytes(
    said: dict[bytes, int], score: NDArray[np.float64], shift: float
) -> NDArray[np.float64]:
    """Return the distribution of a token's first byte, float64[256]; see `Boundary.shift`."""
    found = np.zeros(256)
    lead = np.array([piece[0] for piece in said], dtype=np.int64)
    np.add.at(found, lead, np.exp(score[list(said.values())] - shift))
    return found


def _extended(prepared: Prepared, rest: bytes) -> Prepared:
    """Return a prepared text with further bytes, which belong to its last pre-token."""
    if not rest:
        return prepared
    more = np.frombuffer(rest, dtype=np.uint8)
    cuts = prepared.cuts.copy() if len(prepared.cuts) > 1 else np.zeros(2, dtype=np.int32)
    cuts[-1] = len(prepared.data) + len(rest)
    at = np.full(len(rest), prepared.text.n_bytes, dtype=np.int32)
    return Prepared(
        prepared.text,
        np.concatenate((prepared.data, more)),
        cuts,
        prepared.fixed if len(prepared.fixed) else np.full(1, -1, dtype=np.int32),
        np.concatenate((prepared.source_start, at)),
        np.concatenate((prepared.source_end, at)),
    )
