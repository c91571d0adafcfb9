"""Traces of the passes over a lattice: Viterbi, and perfect sampling.

`engine.traces.draws` has those of the other methods that draw.

Forward steps come first, one for each edge that can be reached from node 0, in `Lattice.by_end`
order; then the back steps, one for each edge of the path found, from the last node.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Path
from engine.passes import check_theta, path_score, scaled
from engine.reservoir import reservoir
from engine.rng import Seed, key_of, seed_number, uniforms
from engine.samplers.gibbs import gibbs_probability
from engine.search import follow, viterbi
from engine.trace import Arrival, BackStep, PassState

if TYPE_CHECKING:
    from engine.lattice import Lattice

Floats = NDArray[np.float64]
PassKind = Literal["viterbi", "viterbi-v1", "perfect", "ffbs"]


def _nothing() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class PassTrace:
    """A pass over a lattice, step by step.

    edge: int32[f], the edge that arrives at each forward step. newcomer, held, chance, u, total:
    float64[f] and taken: bool[f], as in `Arrival`. back: int32[b], the edges of the back-trace,
    from the last node. path: what is found, with its probability at `theta`.
    theta, seed, draw: of a method that draws; 1, 0 and 0 for Viterbi.
    bounds: float64[f], of `ffbs`: the stretch of 0 … 1 that chooses an edge ends here, and begins
    where that of the edge before it at its node ends. back_u: float64[b], of `ffbs`: the random
    number of each back step. Both are empty for the methods whose nodes hold an edge.
    """

    kind: PassKind
    lattice: Lattice
    theta: float
    seed: int
    draw: int
    edge: NDArray[np.int32]
    newcomer: Floats
    held: Floats
    chance: Floats
    u: Floats
    taken: NDArray[np.bool_]
    total: Floats
    back: NDArray[np.int32]
    path: Path
    bounds: Floats = field(default_factory=_nothing)
    back_u: Floats = field(default_factory=_nothing)

    def __len__(self) -> int:
        return len(self.edge) + len(self.back)

    @property
    def n_forward(self) -> int:
        """Number of forward steps; the back steps follow."""
        return len(self.edge)

    @cached_property
    def node(self) -> NDArray[np.int32]:
        """The node that each forward step works on, int32[f]."""
        return self.lattice.end[self.edge]

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The first forward step of the node that each forward step works on, int64[f]."""
        fresh = np.append(True, self.node[1:] != self.node[:-1])[: self.n_forward]
        return np.maximum.accumulate(np.where(fresh, np.arange(self.n_forward), 0))

    @cached_property
    def _last_taken(self) -> NDArray[np.int64]:
        """The last step up to each forward step that was taken; the first of a node always is."""
        return np.maximum.accumulate(np.where(self.taken, np.arange(self.n_forward), 0))

    @cached_property
    def _final(self) -> tuple[NDArray[np.int32], Floats]:
        """(holder, total) of every node after the whole forward pass."""
        holder = np.full(self.lattice.n_nodes, -1, dtype=np.int32)
        total = np.full(self.lattice.n_nodes, -np.inf)
        total[0] = 0.0
        last = np.flatnonzero(np.append(self.node[1:] != self.node[:-1], True)[: self.n_forward])
        if self.kind != "ffbs":
            holder[self.node[last]] = self.edge[self._last_taken[last]]
        total[self.node[last]] = self.total[last]
        return holder, total

    def stretch(self, step: int) -> tuple[float, float]:
        """Return from where to where a random number chooses the edge of a forward step of `ffbs`.

        (0, 0) for the other methods.
        """
        if not len(self.bounds):
            return 0.0, 0.0
        first = int(self.first[step]) == step
        return 0.0 if first else float(self.bounds[step - 1]), float(self.bounds[step])

    def steps_at(self, node: int) -> range:
        """Return the forward steps that arrive at a node."""
        low, high = np.searchsorted(self.node, (node, node + 1))
        return range(int(low), int(high))

    def event(self, k: int) -> Arrival | BackStep:
        """Return step k, 0 … len − 1."""
        if not 0 <= k < len(self):
            raise IndexError(f"there is no step {k}: steps run from 0 to {len(self) - 1}")
        if k >= self.n_forward:
            edge = int(self.back[k - self.n_forward])
            return BackStep(k, edge, int(self.lattice.end[edge]))
        return Arrival(
            k,
            int(self.edge[k]),
            int(self.node[k]),
            float(self.newcomer[k]),
            float(self.held[k]),
            float(self.chance[k]),
            float(self.u[k]),
            bool(self.taken[k]),
            float(self.total[k]),
            int(self.first[k]) == k,
        )

    def state(self, k: int) -> PassState:
        """Return what the nodes hold before step k, 0 … len; nothing is replayed."""
        if not 0 <= k <= len(self):
            raise IndexError(f"there is no state {k}: states run from 0 to {len(self)}")
        holder, total = self._final
        if k >= self.n_forward:
            back = self.back[: k - self.n_forward]
            node = int(self.lattice.start[back[-1]]) if len(back) else self.lattice.n_nodes - 1
            return PassState(node, holder.copy(), total.copy(), back)
        node = int(self.node[k])
        holder, total = holder.copy(), total.copy()
        holder[node:], total[node:] = -1, -np.inf
        if self.first[k] < k:
            if self.kind != "ffbs":
                holder[node] = self.edge[self._last_taken[k - 1]]
            total[node] = self.total[k - 1]
        return PassState(node, holder, total, self.back[:0])


def trace_viterbi(lattice: Lattice) -> PassTrace:
    """Return the trace of the Viterbi pass; log-weights are sums of scores.

    Raises `ParameterError` where the model defines no law, and `CoverageError` where no path covers
    the text.
    """
    path = viterbi(lattice)
    best = lattice.best_pass.total
    order = lattice.by_end
    newcomer = best[lattice.start[order]] + lattice.score[order]
    reached = newcomer > -np.inf
    order, newcomer = order[reached], newcomer[reached]
    node = lattice.end[order]
    held = _running_maximum(newcomer, node)
    taken = newcomer > held
    return PassTrace(
        "viterbi",
        lattice,
        1.0,
        0,
        0,
        order,
        newcomer,
        held,
        taken.astype(np.float64),
        np.full(len(order), np.nan),
        taken,
        np.maximum(newcomer, held),
        path.edges[::-1].copy(),
        path,
    )


def _running_maximum(values: Floats, node: NDArray[np.int32]) -> Floats:
    """Return for each value the greatest one before it in its run of equal nodes, −inf if none."""
    before = np.full(len(values), -np.inf)
    previous, largest = -1, -np.inf
    for i, (value, at) in enumerate(zip(values.tolist(), node.tolist(), strict=True)):
        if at != previous:
            previous, largest = at, -np.inf
        before[i] = largest
        largest = max(largest, value)
    return before


def trace_perfect(lattice: Lattice, theta: float = 1.0, seed: Seed = 0, draw: int = 0) -> PassTrace:
    """Return the trace of perfect sampling: draw number `draw` of `engine.sample.sample`.

    Log-weights are those of the law, θ·score summed over all paths that have arrived. The coin of
    an edge uses the number of the draw's stream at the edge's place in by_end order. Raises
    `ParameterError` where the model defines no law or θ is bad, and `CoverageError` where no path
    covers the text.
    """
    theta, seed = check_theta(theta), seed_number(seed)
    coins = reservoir(lattice, theta)
    reached = coins.newcomer > -np.inf
    order = lattice.by_end[reached]
    node = lattice.end[order]
    u = uniforms(key_of(seed, draw), 0, lattice.n_edges)[reached]
    taken = u < coins.chance[reached]
    holder = np.full(lattice.n_nodes, -1, dtype=np.int32)
    # Of several edges taken at a node the last stays.
    holder[node[taken]] = order[taken]
    edges = follow(lattice, holder)
    best = lattice.best_pass.total[node]
    probability = gibbs_probability(lattice, theta)(edges)
    return PassTrace(
        "perfect",
        lattice,
        theta,
        seed,
        draw,
        order,
        scaled(coins.newcomer[reached], theta, best),
        scaled(coins.held[reached], theta, best),
        coins.chance[reached],
        u,
        taken,
        scaled(coins.total[reached], theta, best),
        edges[::-1].copy(),
        Path(lattice, edges, path_score(lattice, edges), probability),
    )
