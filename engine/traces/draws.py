"""Traces of further methods that draw on a lattice: `viterbi-v1` and `ffbs`.

Both meet the edges in the order of perfect sampling. The coin of an edge under `viterbi-v1` has the
random number that perfect sampling has there, so the two can be followed side by side.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from engine.lattice import Path
from engine.passes import check_theta, path_score, require_path, scaled
from engine.reservoir import reservoir
from engine.rng import Seed, key_of, seed_number, uniforms
from engine.sampler import SamplingSettings
from engine.samplers.gibbs import arrival_bounds, draw_ffbs, gibbs_probability
from engine.samplers.pairwise import accept
from engine.search import follow
from engine.traces.passes import PassTrace

if TYPE_CHECKING:
    from engine.lattice import Lattice


def trace_v1(lattice: Lattice, theta: float = 1.0, seed: Seed = 0, draw: int = 0) -> PassTrace:
    """Return the trace of `viterbi-v1`: draw number `draw` of `engine.sample.sample`.

    Weights are scores of whole held paths, in nats and without θ: newcomer is that of the path held
    at the edge's start plus the edge's own, held and total those of the path held before and after.
    A newcomer is taken with probability σ(θ · (newcomer − held)). The path's probability is that
    under the law P ∝ exp(θ · score), which this method doesn't draw from. Raises `ParameterError`
    where the model defines no law or θ is bad, and `CoverageError` where no path covers the text.
    """
    lattice.require_law()
    require_path(lattice, bool(np.isfinite(lattice.best_pass.total[-1])))
    theta, seed = check_theta(theta), seed_number(seed)
    by_end = lattice.by_end
    numbers = uniforms(key_of(seed, draw), 0, lattice.n_edges)
    holding = [-math.inf] * lattice.n_nodes
    holding[0] = 0.0
    holder = np.full(lattice.n_nodes, -1, dtype=np.int32)
    rows: list[tuple[int, float, float, float, bool, float]] = []
    entries = zip(
        lattice.start[by_end].tolist(),
        lattice.end[by_end].tolist(),
        lattice.score[by_end].tolist(),
        numbers.tolist(),
        strict=True,
    )
    for place, (start, end, score, u) in enumerate(entries):
        newcomer, held = holding[start] + score, holding[end]
        if newcomer == -math.inf:
            continue
        chance = accept(theta * (newcomer - held)) if held > -math.inf else 1.0
        taken = u < chance
        if taken:
            holding[end], holder[end] = newcomer, by_end[place]
        rows.append((place, newcomer, held, chance, taken, holding[end]))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    places = np.array(columns[0], dtype=np.int64)
    newcomers, helds, chances, totals = (
        np.array(columns[i], dtype=np.float64) for i in (1, 2, 3, 5)
    )
    edges = follow(lattice, holder)
    return PassTrace(
        "viterbi-v1",
        lattice,
        theta,
        seed,
        draw,
        by_end[places],
        newcomers,
        helds,
        chances,
        numbers[places],
        np.array(columns[4], dtype=np.bool_),
        totals,
        edges[::-1].copy(),
        Path(lattice, edges, path_score(lattice, edges), gibbs_probability(lattice, theta)(edges)),
    )


def trace_ffbs(lattice: Lattice, theta: float = 1.0, seed: Seed = 0, draw: int = 0) -> PassTrace:
    """Return the trace of `ffbs`: draw number `draw` of `engine.sample.sample`.

    Forward steps add up log-weights as in perfect sampling and toss no coin: u is NaN, taken false,
    and chance the edge's share of all that arrives at its node. Back step k chooses an edge by
    number k of the draw's stream, see `PassTrace.bounds` and `back_u`. Raises as `trace_v1`.
    """
    theta, seed = check_theta(theta), seed_number(seed)
    sums = reservoir(lattice, theta)
    reached = sums.newcomer > -np.inf
    order = lattice.by_end[reached]
    bounds = arrival_bounds(lattice, sums)[reached]
    best = lattice.best_pass.total[lattice.end[order]]
    edges = draw_ffbs(lattice, SamplingSettings(theta), seed, range(draw, draw + 1))[0]
    node = lattice.end[order]
    fresh = np.append(True, node[1:] != node[:-1])[: len(node)]
    lower = np.where(fresh, 0.0, np.append(0.0, bounds[:-1])[: len(node)])
    return PassTrace(
        "ffbs",
        lattice,
        theta,
        seed,
        draw,
        order,
        scaled(sums.newcomer[reached], theta, best),
        scaled(sums.held[reached], theta, best),
        bounds - lower,
        np.full(len(order), np.nan),
        np.zeros(len(order), dtype=np.bool_),
        scaled(sums.total[reached], theta, best),
        edges[::-1].copy(),
        Path(lattice, edges, path_score(lattice, edges), gibbs_probability(lattice, theta)(edges)),
        bounds,
        uniforms(key_of(seed, draw), 0, len(edges)),
    )
