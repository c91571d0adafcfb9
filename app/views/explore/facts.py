"""What the inspector says in names and values: of an edge, a token, a path, the text."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QCoreApplication

from app.analysis import Analysis
from app.constraints import Solution
from app.session import OpenModel, Session
from app.views.explore.paths_view import number
from app.widgets.keyvalue import Fact
from engine.display import hexadecimal, visible
from engine.lattice import Lattice
from engine.segmenter import EdgeKind
from engine.text import Text, Unit

BYTES_SHOWN = 48
AROUND = 5
"""Graphemes that are shown on both sides of a boundary."""

tr = QCoreApplication.translate


def span_text(text: Text, unit: Unit, span: tuple[int, int]) -> str:
    """Return a span in a unit: `4 → 11`."""
    first, last = text.position(unit, span[0]), text.position(unit, span[1], up=True)
    return f"{first:,} → {last:,}"


def bytes_text(data: bytes) -> str:
    """Return bytes as digits, a long stretch shortened."""
    if len(data) <= BYTES_SHOWN:
        return hexadecimal(data)
    return hexadecimal(data[:BYTES_SHOWN]) + " …"


def count_text(count: int) -> str:
    """Return a count of segmentations: exact to 15 digits, then a power of ten."""
    if count < 10**15:
        return f"{count:,}"
    power = math.log10(count)
    whole = int(power)
    return f"{10 ** (power - whole):.2f} × 10^{whole:,}"


def power_text(logarithm: float) -> str:
    """Return exp of a logarithm: in full when small, else as a power of ten."""
    if logarithm < math.log(1e6):
        return f"{math.exp(logarithm):,.1f}"
    power = logarithm / math.log(10)
    return f"{10 ** (power - int(power)):.1f} × 10^{int(power):,}"


def around(text: Text, at: int) -> str:
    """Return the graphemes before and after a byte, with a line between them."""
    bounds = text.grapheme_bounds
    before, after = text.position("grapheme", at), text.position("grapheme", at, up=True)
    first = int(bounds[max(before - AROUND, 0)])
    last = int(bounds[min(after + AROUND, len(bounds) - 1)])
    return f"{visible(text.encoded[first:at])}|{visible(text.encoded[at:last])}"


def node_facts(analysis: Analysis, solution: Solution | None, node: int, unit: Unit) -> list[Fact]:
    """Return the facts of a boundary of the lattice."""
    lattice, text = analysis.lattice, analysis.text
    facts: list[Fact] = []
    if analysis.law is not None:
        facts.append(
            Fact(
                tr("Facts", "Probability"),
                number(float(analysis.law.node_marginal[node])),
                bold=True,
                tip=tr("Facts", "that a segmentation under the law cuts here"),
            )
        )
        if solution is not None and solution.free.law is not None:
            before = float(solution.free.law.node_marginal[node])
            facts.append(Fact(tr("Facts", "Without constraints"), number(before)))
    at = int(lattice.prepared.node_sources()[node])
    if unit != "byte":
        facts.append(Fact(tr("Facts", "Byte"), f"{at:,}"))
    else:
        facts.append(Fact(tr("Facts", "Grapheme"), f"{text.position('grapheme', at):,}"))
    facts.append(
        Fact(tr("Facts", "Edges that end here"), f"{np.count_nonzero(lattice.end == node):,}")
    )
    facts.append(
        Fact(tr("Facts", "Edges that start here"), f"{np.count_nonzero(lattice.start == node):,}")
    )
    across = (lattice.start < node) & (lattice.end > node)
    facts.append(Fact(tr("Facts", "Edges across it"), f"{np.count_nonzero(across):,}"))
    return facts


def canonical_text(lattice: Lattice, free: Analysis, edge: int) -> str:
    """Return whether merging could give an edge; empty where the model doesn't merge."""
    fits = lattice.canonical_edges
    if fits is None:
        return ""
    if (free.best.edges == edge).any():
        return tr("Facts", "yes, on the path")
    return tr("Facts", "possible") if fits[edge] else tr("Facts", "no")


def edge_facts(analysis: Analysis, solution: Solution | None, edge: int, unit: Unit) -> list[Fact]:
    """Return the facts of an edge of the lattice."""
    lattice = analysis.lattice
    facts: list[Fact] = []
    if analysis.law is not None:
        p = float(analysis.law.marginal[edge])
        facts.append(
            Fact(
                tr("Facts", "Probability"),
                number(p),
                bold=True,
                tip=tr("Facts", "that a segmentation under the law uses this edge"),
            )
        )
        if solution is not None and solution.free.law is not None:
            before = float(solution.free.law.marginal[edge])
            facts.append(Fact(tr("Facts", "Without constraints"), number(before)))
        whole = lattice if solution is None else solution.constrained.whole
        score = float(whole.score[edge])
        facts.append(
            Fact(
                tr("Facts", "Score"),
                tr("Facts", "{score:.3f} nats").format(score=score).replace("-", "−"),
            )
        )
    piece = int(lattice.piece[edge])
    if piece >= 0:
        facts.append(Fact(tr("Facts", "Id"), str(piece)))
    if lattice.rank[edge] >= 0:
        facts.append(Fact(tr("Facts", "Merge rank"), f"{int(lattice.rank[edge]):,}"))
    free = analysis if solution is None else solution.free
    canonical = canonical_text(free.lattice, free, edge)
    if canonical:
        facts.append(
            Fact(
                tr("Facts", "Canonical"),
                canonical,
                tip=tr(
                    "Facts",
                    "whether merging gives it back from its own symbols, and beside some neighbour "
                    "on each side; if not, the model never makes it here",
                ),
            )
        )
    if analysis.law is not None and piece >= 0:
        place, total = score_place(lattice, piece)
        if total:
            facts.append(
                Fact(
                    tr("Facts", "Score rank"),
                    tr("Facts", "{place:,} of {total:,}").format(place=place, total=total),
                    tip=tr("Facts", "place among all pieces, the highest score first"),
                )
            )
    kind = EdgeKind(int(lattice.kind[edge]))
    if kind != EdgeKind.PIECE:
        facts.append(Fact(tr("Facts", "Kind"), kind_text(kind)))
    return [*facts, *stretch_facts(analysis.text, lattice.bytes(edge), lattice.source(edge), unit)]


def stretch_facts(text: Text, data: bytes, span: tuple[int, int], unit: Unit) -> list[Fact]:
    """Return bytes and place of a stretch."""
    facts = [Fact(tr("Facts", "Bytes"), bytes_text(data), piece=True)]
    if unit != "byte":
        facts.append(Fact(tr("Facts", "Byte span"), f"{span[0]:,} → {span[1]:,}"))
    else:
        facts.append(Fact(tr("Facts", "Graphemes"), span_text(text, "grapheme", span)))
    return facts


def kind_text(kind: EdgeKind) -> str:
    """Return what sort of edge it is."""
    return {
        EdgeKind.PIECE: tr("Facts", "piece"),
        EdgeKind.UNKNOWN: tr("Facts", "unknown"),
        EdgeKind.BYTE: tr("Facts", "byte fallback"),
        EdgeKind.ADDED: tr("Facts", "added token"),
        EdgeKind.DROPPED: tr("Facts", "left out"),
    }[kind]


def score_place(lattice: Lattice, piece: int) -> tuple[int, int]:
    """Return the place of a piece by score among those that match, from 1, and their number."""
    vocabulary = lattice.vocabulary
    usable = vocabulary.matchable & np.isfinite(vocabulary.score)
    if not usable[piece]:
        return 0, 0
    higher = usable & (vocabulary.score > vocabulary.score[piece])
    return int(np.count_nonzero(higher)) + 1, int(np.count_nonzero(usable))


def path_facts(analysis: Analysis, place: int) -> list[Fact]:
    """Return the facts of one of the best paths."""
    path = (analysis.nbest or (analysis.best,))[place]
    facts = [Fact(tr("Facts", "Tokens"), f"{len(path.ids):,}")]
    if analysis.law is not None:
        best = analysis.nbest[0]
        facts = [
            Fact(tr("Facts", "Probability"), number(path.probability), bold=True),
            Fact(
                tr("Facts", "Score"),
                tr("Facts", "{score:.3f} nats").format(score=path.score).replace("-", "−"),
            ),
            *facts,
        ]
        if place:
            gap = best.score - path.score
            facts.append(
                Fact(tr("Facts", "Behind 1"), tr("Facts", "{gap:.3f} nats").format(gap=gap))
            )
    return facts


def text_facts(
    session: Session,
    opened: OpenModel | None,
    analysis: Analysis | None,
    solution: Solution | None,
) -> list[Fact]:
    """Return the facts of the whole text under the active model."""
    text, free = session.text, None if solution is None else solution.free.law
    facts = [
        Fact(tr("Facts", "Bytes"), f"{text.n_bytes:,}"),
        Fact(tr("Facts", "Code points"), f"{text.n_chars:,}"),
    ]
    encoding = session.encoding(opened.key) if opened is not None else None
    if encoding is not None and len(encoding):
        facts.append(Fact(tr("Facts", "Tokens"), f"{len(encoding):,}", bold=True))
        facts.append(Fact(tr("Facts", "Bytes a token"), f"{text.n_bytes / len(encoding):.2f}"))
    if analysis is not None and analysis.text is text:
        facts.append(Fact(tr("Facts", "Edges"), f"{analysis.lattice.n_edges:,}"))
        law = analysis.law
        if law is not None:
            facts.append(
                Fact(
                    tr("Facts", "Entropy"),
                    tr("Facts", "{entropy:.3f} nats").format(entropy=law.entropy),
                    tip=tr("Facts", "of the law over all segmentations"),
                )
            )
            if free is not None:
                words = tr("Facts", "{entropy:.3f} nats").format(entropy=free.entropy)
                facts.append(Fact(tr("Facts", "Without constraints"), words))
            facts.append(
                Fact(
                    tr("Facts", "Mean tokens"),
                    f"{law.expected_tokens:,.2f}",
                    tip=tr("Facts", "expected under the law"),
                )
            )
            if free is not None:
                words = f"{free.expected_tokens:,.2f}"
                facts.append(Fact(tr("Facts", "Without constraints"), words))
            facts.append(Fact("θ", f"{law.theta:g}"))
    return facts
