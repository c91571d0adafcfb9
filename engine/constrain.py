"""Segmentations that obey: edges, spans and boundaries pinned or forbidden.

What a constraint excludes are edges, so what remains is a lattice again. Its law is the law of the
whole lattice given that the constraints are obeyed: the weights of paths don't change, only fewer
are summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from engine.display import visible
from engine.errors import ParameterError
from engine.lattice import Lattice, Path
from engine.passes import best_from_end, best_pass
from engine.segmenter import Edges
from engine.text import Unit

if TYPE_CHECKING:
    from engine.law import Law

Action = Literal["pin", "forbid"]
Target = Literal["edge", "span", "boundary"]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Constraint:
    """What every segmentation must have (`pin`) or none may have (`forbid`).

    start, end: bytes of the text as given. piece: only the edge of this piece is meant; with None
    any edge of the span is. nodes: where it is in the lattice, which tells apart what stands at
    the same bytes of the text as given (a dummy prefix, the parts of a normalized character);
    without, the bytes decide. A boundary has start = end or, where there are nodes, one node twice:
    pinned, a token ends and the next begins there; forbidden, none does. edges: the indices in the
    lattice of the edges meant, where whoever asks has found them; then they alone decide: pinned,
    a segmentation has one of them; forbidden, it has none.
    """

    action: Action
    start: int
    end: int
    piece: int | None = None
    nodes: tuple[int, int] | None = None
    edges: tuple[int, ...] = ()

    @property
    def target(self) -> Target:
        """What is pinned or forbidden."""
        first, last = (self.start, self.end) if self.nodes is None else self.nodes
        if first == last and not self.edges:
            return "boundary"
        return "span" if self.piece is None else "edge"

    @property
    def opposite(self) -> Constraint:
        """The same edge, span or boundary with the other action."""
        return replace(self, action="forbid" if self.action == "pin" else "pin")


class ConstraintError(ParameterError):
    """Constraints that no segmentation obeys. conflict: the indices of those that clash."""

    def __init__(self, what: str, remedy: str, conflict: tuple[int, ...]) -> None:
        self.conflict = conflict
        super().__init__(what, "", remedy)


@dataclass(frozen=True, eq=False)
class Constrained:
    """A lattice and what is left of it.

    whole: the lattice without constraints. lattice: that of the edges which no constraint
    excludes; its `taken` is empty unless the model's own path obeys.
    kept: int64[k], the index in `whole` of each edge of `lattice`, ascending.
    """

    whole: Lattice
    lattice: Lattice
    constraints: tuple[Constraint, ...]
    kept: NDArray[np.int64]

    @cached_property
    def allowed(self) -> Bools:
        """Which edges of the whole lattice are left, bool[e]."""
        allowed = np.zeros(self.whole.n_edges, dtype=np.bool_)
        allowed[self.kept] = True
        return allowed

    @property
    def obeyed(self) -> bool:
        """Whether the path that the model takes obeys."""
        return bool(self.allowed[self.whole.taken].all())

    @cached_property
    def masked(self) -> Lattice:
        """The whole lattice, all edges at their indices, the excluded ones with score −∞.

        Paths and laws of it are those of `lattice`. Where the scores are no log-probabilities they
        stay NaN.
        """
        score = np.where(self.allowed, self.whole.score, -np.inf)
        if not self.whole.has_law:
            score = self.whole.score
        taken = self.whole.taken if self.obeyed else self.whole.taken[:0]
        return replace(self.whole, edges=replace(self.whole.edges, score=score), taken=taken)

    def shortest(self, n: int) -> list[Path]:
        """Return n segmentations that are left, those of the fewest edges first.

        They are paths of `lattice`, without scores; so they are also there where no law is. Of
        equal length the order is that of `engine.search`.
        """
        edges = replace(self.lattice.edges, score=np.full(self.lattice.n_edges, -1.0))
        counted = replace(self.lattice, edges=edges, no_law="")
        return [Path(self.lattice, path.edges) for path in counted.nbest(n)]

    def lift(self, path: Path) -> Path:
        """Return a path of `lattice` as the same path of `masked`."""
        edges = self.kept[path.edges].astype(np.int32)
        return Path(self.masked, edges, path.score, path.probability)


@dataclass(frozen=True)
class Cost:
    """What constraints cost at inverse temperature `theta`.

    score: best score with them minus best score without, in nats, ≤ 0. ratio: how many times less
    likely the best path is that obeys, under the law without constraints. log_share: log of the
    probability that a segmentation under that law obeys, ≤ 0; share: that probability.
    """

    theta: float
    score: float
    ratio: float
    log_share: float
    share: float


def cost(free: Law, obeying: Law) -> Cost:
    """Return what constraints cost: laws without and with them, at one θ."""
    theta = free.theta
    before, after = (float(law.lattice.best_pass.total[-1]) for law in (free, obeying))
    score = min(0.0, after - before)
    exponent = -theta * score
    log_share = min(0.0, theta * score + obeying.log_spread - free.log_spread)
    ratio = math.exp(exponent) if exponent < 700 else math.inf
    return Cost(theta, score, ratio, log_share, math.exp(log_share))


def constrain(
    lattice: Lattice, constraints: Sequence[Constraint], unit: Unit = "byte"
) -> Constrained:
    """Return what is left of a lattice under constraints.

    unit: what positions in errors count. Raises `ConstraintError` where a pinned edge or span
    isn't in the lattice, a position lies outside of the text, or no segmentation obeys: then it
    names a set of constraints that clash, of which none can be left out without ending the clash.
    Raises `CoverageError` where there was no segmentation before.
    """
    if lattice.uncovered is not None:
        raise lattice.uncovered
    given = tuple(dict.fromkeys(constraints))
    spans = source_spans(lattice)
    masks = [_allowed(lattice, spans, given, i, unit) for i in range(len(given))]
    keep = np.ones(lattice.n_edges, dtype=np.bool_)
    for mask in masks:
        keep &= mask
    if not _leads_through(lattice, keep):
        raise _clash(lattice, given, masks, unit)
    kept = np.flatnonzero(keep)
    new = np.full(lattice.n_edges, -1, dtype=np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    taken = new[lattice.taken]
    edges = lattice.edges
    fewer = Edges(
        edges.start[kept],
        edges.end[kept],
        edges.piece[kept],
        edges.score[kept],
        edges.rank[kept],
        edges.kind[kept],
    )
    left = replace(lattice, edges=fewer, taken=taken[:0] if (taken < 0).any() else taken)
    return Constrained(lattice, left, given, kept)


def source_spans(lattice: Lattice) -> NDArray[np.int32]:
    """Return the byte span in the text as given of every edge, int32[e, 2]."""
    return np.stack(lattice.prepared.spans(lattice.start, lattice.end), axis=1)


def edge_constraint(lattice: Lattice, edge: int, action: Action) -> Constraint:
    """Return the constraint that means just one edge."""
    nodes = (int(lattice.start[edge]), int(lattice.end[edge]))
    return Constraint(action, *lattice.source(edge), int(lattice.piece[edge]), nodes)


def node_constraint(lattice: Lattice, node: int, action: Action) -> Constraint:
    """Return the constraint that means just one boundary, by its node."""
    at = int(lattice.prepared.node_sources()[node])
    return Constraint(action, at, at, None, (node, node))


def meant(lattice: Lattice, constraint: Constraint) -> Bools:
    """Return which edges a constraint on an edge or a span is about, bool[e]."""
    return _meant(lattice, source_spans(lattice), constraint)


def _meant(lattice: Lattice, spans: NDArray[np.int32], constraint: Constraint) -> Bools:
    if constraint.edges:
        chosen = np.zeros(lattice.n_edges, dtype=np.bool_)
        chosen[list(constraint.edges)] = True
        return chosen
    start, end = _sides(lattice, spans, constraint)
    first, last = _place(constraint)
    found: Bools = (start == first) & (end == last)
    if constraint.piece is not None:
        found &= lattice.piece == constraint.piece
    return found


def _sides(
    lattice: Lattice, spans: NDArray[np.int32], constraint: Constraint
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return start and end of all edges in what the constraint counts: nodes, else bytes."""
    if constraint.nodes is not None:
        return lattice.start, lattice.end
    return spans[:, 0], spans[:, 1]


def _place(constraint: Constraint) -> tuple[int, int]:
    return (constraint.start, constraint.end) if constraint.nodes is None else constraint.nodes


def _allowed(
    lattice: Lattice,
    spans: NDArray[np.int32],
    given: tuple[Constraint, ...],
    i: int,
    unit: Unit,
) -> Bools:
    """Return which edges constraint i leaves, bool[e]."""
    constraint = given[i]
    first, last = _place(constraint)
    size = lattice.prepared.text.n_bytes if constraint.nodes is None else lattice.n_nodes - 1
    inside = 0 <= constraint.start <= constraint.end <= lattice.prepared.text.n_bytes
    if not (inside and 0 <= first <= last <= size):
        raise ConstraintError(
            f"{_name(lattice, constraint, unit)} lies outside of the text",
            "choose a place in the text",
            (i,),
        )
    start, end = _sides(lattice, spans, constraint)
    if constraint.target == "boundary":
        pinned: Bools = (start >= first) | (end <= first)
        free: Bools = (start != first) & (end != first)
        return pinned if constraint.action == "pin" else free
    named = _meant(lattice, spans, constraint)
    if constraint.action == "forbid":
        return ~named
    if not named.any():
        raise ConstraintError(
            f"no piece covers {_name(lattice, constraint, unit)}",
            "pin a span that is an edge of the lattice",
            (i,),
        )
    if constraint.edges:
        return _with_one(lattice, named, constraint, i, unit)
    return (start >= last) | (end <= first) | named


def _with_one(lattice: Lattice, named: Bools, constraint: Constraint, i: int, unit: Unit) -> Bools:
    """Return the edges whose paths are those that have one of the edges named.

    Raises `ConstraintError` where no choice of edges leaves just these paths.
    """
    first, last = lattice.start[named], lattice.end[named]
    if (first == first[0]).all() and (last == last[0]).all():
        beside: Bools = (lattice.start >= last[0]) | (lattice.end <= first[0])
        return beside | named
    weight = named.astype(np.float64)
    before = best_pass(lattice, weight).total[lattice.start]
    after = best_from_end(lattice, weight).total[lattice.end]
    through: Bools = before + weight + after > 0  # The most edges named on a path by way of it.
    if _leads_through(lattice, through & ~named):
        raise ConstraintError(
            f"{_name(lattice, constraint, unit)}, means {len(first)} edges, and here a pin can't "
            "leave open which of them",
            "pin one of them: count in bytes or give its ID",
            (i,),
        )
    return through


def _leads_through(lattice: Lattice, keep: Bools) -> bool:
    """Return whether a path leads from the first node to the last along the edges kept."""
    reached = best_pass(lattice, np.where(keep, 0.0, -np.inf)).total
    return bool(np.isfinite(reached[-1]))


def _clash(
    lattice: Lattice, given: tuple[Constraint, ...], masks: list[Bools], unit: Unit
) -> ConstraintError:
    """Return the error of constraints that no segmentation obeys.

    One after the other is left out while the clash stays; the last ones given are kept longest.
    """
    needed = list(range(len(given)))
    for i in range(len(given)):
        rest = [k for k in needed if k != i]
        keep = np.ones(lattice.n_edges, dtype=np.bool_)
        for k in rest:
            keep &= masks[k]
        if not _leads_through(lattice, keep):
            needed = rest
    if len(needed) == 1:
        why = _impossible(lattice, given[needed[0]], unit)
        return ConstraintError(why, "leave it out", tuple(needed))
    names = [_name(lattice, given[k], unit) for k in needed]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    ending = "exclude each other" if len(names) == 2 else "can't be obeyed together"
    return ConstraintError(
        f"no segmentation is left: {listed} {ending}", "leave one of them out", tuple(needed)
    )


def _impossible(lattice: Lattice, constraint: Constraint, unit: Unit) -> str:
    """Say why a constraint can't be obeyed even alone."""
    name = _name(lattice, constraint, unit)
    if constraint.target != "boundary":
        if constraint.action == "pin":
            return f"no segmentation is left: none has {name}, for around it nothing fits"
        return f"no segmentation is left: all of them have {name}"
    if constraint.action == "pin":
        return f"no segmentation is left: no token can end at {name}"
    prepared = lattice.prepared
    source = prepared.node_sources()
    at = constraint.nodes[0] if constraint.nodes else -1
    ends = (0, lattice.n_nodes - 1)
    if at in ends or (at < 0 and constraint.start in (source[0], source[-1])):
        return f"no segmentation is left: the text begins or ends at {name}"
    if at in prepared.cuts or (at < 0 and constraint.start in source[prepared.cuts]):
        return f"no segmentation is left: a pre-token ends at {name}, and no token crosses it"
    return f"no segmentation is left: all of them cut at {name}"


def _name(lattice: Lattice, constraint: Constraint, unit: Unit) -> str:
    """Name a constraint in a sentence."""
    text = lattice.prepared.text
    said = "pinned" if constraint.action == "pin" else "forbidden"
    last = text.n_bytes
    start, end = (
        text.position(unit, min(max(at, 0), last), up=up) if 0 <= at <= last else at
        for at, up in ((constraint.start, False), (constraint.end, True))
    )
    if constraint.target == "boundary":
        return f"the {said} boundary at {unit} {start}"
    if constraint.piece is None:
        return f"the {said} span, {unit}s {start} to {end}"
    piece = constraint.piece
    known = 0 <= piece < len(lattice.vocabulary)
    shown = f"“{visible(lattice.vocabulary.bytes(piece))}”" if known else "what is left out"
    return f"the {said} edge {shown}, {unit}s {start} to {end}"
