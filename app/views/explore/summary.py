"""One line of words for each picture of Explore."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.analysis import COUNTED
from app.counts import counted
from app.views.explore.facts import count_text, power_text
from app.views.explore.paths_view import number
from app.views.explore.placed import Placed

tr = QCoreApplication.translate


def lattice_note(placed: Placed) -> str:
    """Return what a person must know of the lattice shown."""
    analysis = placed.analysis
    if analysis is None:
        return ""
    if placed.stale_text:
        return tr("Explore", "of the text before; the new one is being computed")
    if placed.stale_theta:
        return tr("Explore", "for θ = {theta:g}; the new law is being computed").format(
            theta=analysis.settings.theta
        )
    if analysis.shown < analysis.text.n_bytes:
        return tr("Explore", "of the first {shown:,} of {total:,} bytes").format(
            shown=analysis.shown, total=analysis.text.n_bytes
        )
    if analysis.lattice.uncovered is not None:
        return tr("Explore", "no path: {why}").format(why=analysis.lattice.no_law)
    if placed.solution is not None:
        return tr("Explore", "under the constraints below")
    if not analysis.lattice.has_law:
        return tr("Explore", "all matches, and the path that the algorithm takes")
    return ""


def paths_title(placed: Placed) -> str:
    """Return the title of the rows of bricks."""
    analysis, solution = placed.analysis, placed.solution
    if solution is not None and solution.remaining:
        return tr("Explore", "Left by the constraints")
    if analysis is not None and not analysis.lattice.has_law:
        return tr("Explore", "The path taken")
    count = len(placed.rows)
    if count < 2:
        return tr("Explore", "Best path")
    return tr("Explore", "Best {count} paths").format(count=count)


def paths_note(placed: Placed) -> str:
    """Return how much of the law the rows hold, how many segmentations there are, how spread."""
    analysis = placed.analysis
    if analysis is None or not placed.rows:
        return ""
    lattice, law = analysis.lattice, analysis.law
    if placed.solution is not None:
        lattice = placed.solution.constrained.lattice
    size = ""
    if lattice.n_edges <= COUNTED:
        paths = lattice.paths
        words = (
            tr("Explore", "1 segmentation")
            if paths == 1
            else (tr("Explore", "{count} segmentations"))
        )
        size = words.format(count=count_text(paths))
    if law is None:
        if placed.solution is not None and placed.solution.remaining:
            few = tr("Explore", "the model's own path is excluded; those of the fewest tokens")
            return " · ".join(part for part in (few, size) if part)
        tokens = counted(len(analysis.best.ids), "token")
        return " · ".join(part for part in (tokens, size) if part)
    share = min(sum(path.probability for path in analysis.nbest), 1.0)
    together = tr("Explore", "together {share} of all probability").format(
        share=f"{share:.3f}" if share >= 0.0005 else number(share)
    )
    spread = tr("Explore", "entropy {entropy:.3f} nats, as if {equal} equal paths").format(
        entropy=law.entropy, equal=power_text(law.entropy)
    )
    return " · ".join(part for part in (together, size, spread) if part)


def edges_note(placed: Placed) -> str:
    """Return how many edges the table holds and what its positions count."""
    analysis = placed.analysis
    if analysis is None:
        return ""
    unit = placed.session.settings.unit
    words = {
        "byte": tr("Explore", "{edges}; positions in bytes of the text"),
        "grapheme": tr("Explore", "{edges}; positions in graphemes of the text"),
    }.get(unit, "{edges}")
    return words.format(edges=counted(analysis.lattice.n_edges, "edge"))
