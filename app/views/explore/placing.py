"""All of an analysis placed on an axis: what may take long, so it touches nothing of Qt's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.analysis import Analysis
from app.constraints import Solution
from app.draw.arcs import Arcs, Marks, Nodes, place_arcs, place_nodes
from app.draw.axis import Axis
from app.draw.bricks import BrickRow, brick_rows
from engine.constrain import meant
from engine.lattice import Path


@dataclass(frozen=True, eq=False)
class PlacedLattice:
    """Arcs, nodes and brick rows of an analysis, at zoom 1 of an axis.

    solution: what it was solved from, where it is under constraints.
    """

    analysis: Analysis
    solution: Solution | None
    axis: Axis
    arcs: Arcs
    nodes: Nodes
    rows: tuple[BrickRow, ...]


def shown_paths(analysis: Analysis, solution: Solution | None) -> tuple[Path, ...]:
    """Return the paths that are shown as bricks.

    The n best, or the one that the model takes; where constraints exclude that one, others that
    are left.
    """
    if not analysis.lattice.n_edges:
        return ()
    if solution is not None and solution.remaining:
        return solution.remaining
    return analysis.nbest or (analysis.best,)


def place_analysis(analysis: Analysis, solution: Solution | None, axis: Axis) -> PlacedLattice:
    """Place an analysis on the axis of its text."""
    lattice, best, law = analysis.lattice, analysis.best, analysis.law
    marks = marks_of(analysis, solution)
    return PlacedLattice(
        analysis,
        solution,
        axis,
        place_arcs(lattice, axis, best, analysis.nbest, law, marks),
        place_nodes(lattice, axis, best, law, marks),
        brick_rows(shown_paths(analysis, solution), axis),
    )


def marks_of(analysis: Analysis, solution: Solution | None) -> Marks:
    """Return what is marked in the lattice: constraints, the former best path, what is apart."""
    if solution is None:
        fits = analysis.lattice.canonical_edges
        return Marks(apart=None if fits is None else ~fits)
    constrained = solution.constrained
    whole = constrained.whole
    fits = whole.canonical_edges
    edges: dict[str, set[int]] = {"pin": set(), "forbid": set()}
    nodes: dict[str, set[int]] = {"pin": set(), "forbid": set()}
    source = whole.prepared.node_sources()
    for constraint in constrained.constraints:
        if constraint.target != "boundary":
            found = np.flatnonzero(meant(whole, constraint))
            edges[constraint.action].update(found.tolist())
        elif constraint.nodes is not None:
            nodes[constraint.action].add(constraint.nodes[0])
        else:
            at = np.flatnonzero(source == constraint.start)
            nodes[constraint.action].update(at[:1].tolist())
    former = set(solution.free.best.edges.tolist()) - set(analysis.best.edges.tolist())
    return Marks(
        frozenset(edges["pin"]),
        frozenset(edges["forbid"]),
        frozenset(nodes["pin"]),
        frozenset(nodes["forbid"]),
        frozenset(former),
        constrained.allowed,
        None if fits is None else ~fits,
    )
