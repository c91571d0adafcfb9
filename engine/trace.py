"""Traces: what unfolds, as an immutable sequence of steps that can be entered anywhere.

A trace of n steps has states 0 … n; step k leads from state k to state k + 1. Steps are flat
arrays, so 100,000 of them are cheap, and `state(k)` is computed for any k without replaying the
steps before it. Events are small frozen records made when asked for.

Builders: `engine.traces.merges` (BPE encoding), `engine.traces.longest` (WordPiece),
`engine.traces.dropout` (BPE-dropout), `engine.traces.passes` (the Viterbi pass and perfect
sampling) and `engine.traces.draws` (`viterbi-v1` and `ffbs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray


class Trace(Protocol):
    """What the player plays: a number of steps and a sentence for each."""

    @property
    def kind(
        self,
    ) -> Literal["merges", "longest", "dropout", "viterbi", "viterbi-v1", "perfect", "ffbs"]:
        """Which algorithm unfolds."""

    def __len__(self) -> int:
        """Number of steps."""


@dataclass(frozen=True)
class Rival:
    """A pair of neighbouring symbols that could have merged at a step.

    start, middle, end: byte positions of the pair in the segmented bytes. left, right, result:
    ids. blocked: it shares a symbol with the pair that merged, so it is gone after the step.
    """

    start: int
    middle: int
    end: int
    left: int
    right: int
    result: int
    rank: int
    blocked: bool


@dataclass(frozen=True)
class MergeStep:
    """One merge of BPE encoding: the winner, and its rivals in the same pre-token by rank.

    left_out: rivals that aren't listed, in a pre-token with very many of them.
    """

    step: int
    pretoken: int
    start: int
    middle: int
    end: int
    left: int
    right: int
    result: int
    rank: int
    rivals: tuple[Rival, ...]
    left_out: int = 0


@dataclass(frozen=True)
class MergePair:
    """A pair of neighbouring symbols with a merge rule, from the state it forms in to its end.

    start, middle, end, left, right, result, rank: as in `Rival`. born: the first state in which
    the two symbols stand side by side. step: the step that merges the pair or takes one of its
    symbols, −1 if it stands to the end. won: whether it is the pair that merges there.
    """

    start: int
    middle: int
    end: int
    left: int
    right: int
    result: int
    rank: int
    born: int
    step: int
    won: bool


@dataclass(frozen=True, eq=False)
class Symbols:
    """The symbols of a BPE state in order: start, end int32[s] (bytes), piece int32[s] (ids).

    rank: int32[s], the rank of the rule that merges a symbol with the next one of its pre-token;
    −1 where there is no such rule or no such symbol.
    """

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    piece: NDArray[np.int32]
    rank: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.start)


NoteRule = Literal["added", "ignore_merges", "unused", "filter", "mark"]


@dataclass(frozen=True)
class MergeNote:
    """Why a pre-token's tokens aren't simply what its merges lead to.

    rule: `added`, an added token owns the pre-token; `ignore_merges`, the pre-token is a piece,
    so the model takes it and merges nothing; `unused`, a piece marked as unused was made and the
    model takes it apart again; `filter`, a vocabulary filter doesn't hold a piece that was made, so
    merges are undone; `mark`, the end-of-word mark merged with nothing and is no token by itself.
    piece: the id it is about.
    """

    pretoken: int
    rule: NoteRule
    piece: int


@dataclass(frozen=True)
class Arrival:
    """An edge arrives at its end node in a forward pass and is compared.

    newcomer: log-weight of the best (Viterbi) or of all (perfect) paths that end with this edge.
    held: log-weight it is compared with: the best so far, or the accumulated log-sum-exp before
    it; -inf for the first edge of a node. chance: probability of being taken (0 or 1 for
    Viterbi). u: the random number, NaN for Viterbi. total: what the node holds after the step.
    """

    step: int
    edge: int
    node: int
    newcomer: float
    held: float
    chance: float
    u: float
    taken: bool
    total: float
    first: bool


@dataclass(frozen=True)
class BackStep:
    """One edge of the back-trace, from the last node to the first."""

    step: int
    edge: int
    node: int


@dataclass(frozen=True, eq=False)
class PassState:
    """A forward pass before step k.

    node: the node being worked on. holder: int32[n_nodes], the edge held at each node, -1 for
    none yet. total: float64[n_nodes], log-weight held, -inf for none yet. back: int32[b], the
    edges of the back-trace found so far, from the last node.
    """

    node: int
    holder: NDArray[np.int32]
    total: NDArray[np.float64]
    back: NDArray[np.int32]
