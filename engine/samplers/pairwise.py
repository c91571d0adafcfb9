"""Viterbi sampling: newcomers against the path that is held. Biased, and shown for that.

Edges are met in `Lattice.by_end` order. A node holds one path, with its score S; a newcomer is the
path held where the edge starts, with one edge more, and has score S[start] + score. The first one
to arrive is always taken.

- `viterbi-v1` (BytePiece up to 0.4): taken with probability σ(θ · (newcomer − S)). What has
  been turned down before is forgotten, and a newcomer is weighed by one path, not by all.
- `viterbi-v1.5`: taken with probability exp(θ · newcomer − A), where A is the log of the
  accumulated weights of all newcomers so far, this one included. Each still weighs by one path.

Log-weights are reduced by θ · (best score of the node), see `engine.passes`: nothing overflows.

Neither follows P ∝ exp(θ · score) in general. Their laws are found by following every outcome of
every coin.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.kernels import compiled
from engine.passes import FLOOR, check_theta, require_path
from engine.rng import key_of, uniform
from engine.sampler import EXACT_LIMIT, Ints, PathLaw, SamplingSettings, law_of
from engine.samplers.gibbs import drawn_in_blocks
from engine.search import follow

if TYPE_CHECKING:
    from engine.lattice import Lattice

Version = Literal["v1", "v1.5"]

MOST_STATES = 20_000
"""Combinations of held paths followed at once in search of a law."""


def draw(
    version: Version, lattice: Lattice, settings: SamplingSettings, seed: int, draws: range
) -> list[Ints]:
    """Return the edges of each draw.

    The coin of edge i in by_end order uses number i of the draw's stream, as in perfect sampling.
    """
    theta = _checked(lattice, settings.theta)
    if not compiled(lattice.n_edges * len(draws)):
        return [held_path(version, lattice, theta, key_of(seed, draw)) for draw in draws]
    from engine.kernels.draws import hold_paths

    order = lattice.by_end
    start, end, score = lattice.start[order], lattice.end[order], lattice.score[order]
    best, accumulate = lattice.best_pass.total, version == "v1.5"
    hold = partial(hold_paths, start, end, score, best, theta, accumulate)
    return drawn_in_blocks(lattice, hold, seed, draws)


def held_path(version: Version, lattice: Lattice, theta: float, key: int) -> Ints:
    """Return the edges of one draw: the plain twin of `engine.kernels.draws.hold_paths`."""
    order = lattice.by_end
    starts, ends = lattice.start[order].tolist(), lattice.end[order].tolist()
    scores, best = lattice.score[order].tolist(), lattice.best_pass.total.tolist()
    held = [-math.inf] * lattice.n_nodes
    accumulated = [-math.inf] * lattice.n_nodes
    held[0] = 0.0
    holder = np.full(lattice.n_nodes, -1, dtype=np.int32)
    for place, (start, end, score) in enumerate(zip(starts, ends, scores, strict=True)):
        newcomer = held[start] + score
        if newcomer == -math.inf:
            continue
        if version == "v1":
            chance = accept(theta * (newcomer - held[end])) if held[end] > -math.inf else 1.0
        else:
            a = max(FLOOR, theta * (newcomer - best[end]))
            chance, accumulated[end] = join(a, accumulated[end])
        if uniform(key, place) < chance:
            held[end] = newcomer
            holder[end] = order[place]
    return follow(lattice, holder)


def law(version: Version, lattice: Lattice, settings: SamplingSettings) -> PathLaw:
    """Return the exact law, listed where few enough combinations of held paths can occur."""
    return law_of(lattice, _followed(version, lattice, _checked(lattice, settings.theta)))


def accept(lead: float) -> float:
    """Return σ(lead) = 1 / (1 + exp(−lead))."""
    if lead >= 0:
        return 1.0 / (1.0 + math.exp(-lead))
    return math.exp(lead) / (1.0 + math.exp(lead))


def join(a: float, so_far: float) -> tuple[float, float]:
    """Return the share of a newcomer of log-weight a, and the log-weight of all."""
    if so_far == -math.inf:
        return 1.0, a
    after = max(a, so_far) + math.log1p(math.exp(-abs(a - so_far)))
    return math.exp(min(0.0, a - after)), after


def _checked(lattice: Lattice, theta: float) -> float:
    lattice.require_law()
    require_path(lattice, bool(np.isfinite(lattice.best_pass.total[-1])))
    return check_theta(theta)


Held = tuple[float, tuple[int, ...]]
"""A path that a node holds: its score, summed as the draw sums it, and its edges."""


def _followed(
    version: Version, lattice: Lattice, theta: float
) -> dict[tuple[int, ...], float] | None:
    """Return the probability of each path; None where there are too many combinations.

    A combination is what every node holds from which edges still lead to nodes not yet done. At
    each node all its coins are followed at once: given a combination, which newcomer is held in
    the end is a plain distribution.
    """
    if lattice.paths > EXACT_LIMIT:
        return None
    order, best = lattice.by_end, lattice.best_pass.total.tolist()
    starts, ends = lattice.start[order].tolist(), lattice.end[order].tolist()
    scores, edges = lattice.score[order].tolist(), order.tolist()
    # By end node: the last entry of a start is the last node that needs what is held there.
    last_use = dict(zip(starts, ends, strict=True))
    last = lattice.n_nodes - 1
    first: Held = (0.0, ())
    states: dict[tuple[tuple[int, Held], ...], float] = {((0, first),): 1.0}
    place = 0
    while place < len(edges):
        node, arriving = ends[place], []
        while place < len(edges) and ends[place] == node:
            arriving.append((starts[place], scores[place], edges[place]))
            place += 1
        following: dict[tuple[tuple[int, Held], ...], float] = {}
        for state, probability in states.items():
            holding = dict(state)
            kept = tuple((at, held) for at, held in state if last_use[at] > node and at != last)
            newcomers = [
                (held[0] + score, (*held[1], edge))
                for start, score, edge in arriving
                if (held := holding.get(start)) is not None and score > -math.inf
            ]
            if not newcomers:
                following[kept] = following.get(kept, 0.0) + probability
                continue
            # What no edge leaves needn't be told apart, but for the last node.
            matters = node == last or last_use.get(node, 0) > node
            for own, share in _outcome(newcomers, version, theta, best[node]):
                then = (*kept, (node, own)) if matters else kept
                following[then] = following.get(then, 0.0) + probability * share
        states = following
        if len(states) > MOST_STATES:
            return None
    if last == 0:
        return {(): 1.0}
    return {dict(state)[last][1]: probability for state, probability in states.items()}


def _outcome(
    newcomers: list[Held], version: Version, theta: float, best: float
) -> list[tuple[Held, float]]:
    """Return what a node holds after all newcomers have met, with probabilities.

    best: the best score with which the node can be reached.
    """
    found: dict[Held, float] = {}
    so_far = -math.inf
    for newcomer in newcomers:
        share = 1.0
        if version == "v1.5":
            share, so_far = join(max(FLOOR, theta * (newcomer[0] - best)), so_far)
        taken = 0.0 if found else 1.0
        for held, probability in found.items():
            chance = accept(theta * (newcomer[0] - held[0])) if version == "v1" else share
            taken += probability * chance
            found[held] = probability * (1.0 - chance)
        found[newcomer] = found.get(newcomer, 0.0) + taken
    return list(found.items())
