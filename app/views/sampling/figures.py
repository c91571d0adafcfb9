"""What the charts of the Sampling workspace are painted from: rows, marks, curves, a note."""

from __future__ import annotations

import html

import numpy as np
from PySide6.QtCore import QCoreApplication

from app.analysis import Analysis
from app.counts import counted
from app.draw.law_chart import Curve, Marks, Outcomes, rest_label
from app.theme import Theme
from app.views.sampling.tally import Listing, Tally

IDENTITY = {"viterbi": 3, "perfect": 0}
"""The identity colour of each method."""

translate = QCoreApplication.translate


def method_name(kind: str) -> str:
    """Return the name of a method."""
    if kind == "viterbi":
        return translate("Figures", "Viterbi")
    return translate("Figures", "perfect")


def outcomes_of(
    listing: Listing, tally: Tally | None, kinds: tuple[str, ...], theme: Theme
) -> Outcomes:
    """Return the rows of the law, with the counts of the methods of `kinds`."""
    labels = list(listing.labels)
    exact = [path.probability for path in listing.paths]
    if not listing.complete:
        labels.append(rest_label(len(listing.paths), listing.count))
        exact.append(listing.rest)
    marks = []
    if tally is not None and tally.n:
        for kind in kinds:
            counts = tally.counts_of(listing)
            if kind == "viterbi":
                counts = np.zeros(len(labels), dtype=np.int64)
                counts[0] = tally.n
            color = theme.identity(IDENTITY[kind])
            marks.append(Marks(method_name(kind), counts, kind == "viterbi", color))
    return Outcomes(tuple(labels), np.array(exact), tuple(marks), rest=not listing.complete)


def curves_of(
    listing: Listing, tally: Tally | None, kinds: tuple[str, ...], theme: Theme
) -> tuple[Curve, ...]:
    """Return the distance to the law as the sample of each method grows; Viterbi's stays."""
    if tally is None or not tally.n:
        return ()
    curves = []
    for kind in kinds:
        color = theme.identity(IDENTITY[kind])
        if kind == "viterbi":
            distance, _ = tally.test_of_best(listing.paths[0])
            ends = np.array([1, max(tally.n, 2)])
            curves.append(Curve(method_name(kind), ends, np.full(2, distance), color, True))
        else:
            curves.append(Curve(method_name(kind), *tally.curve, color))
    return tuple(curves)


def sample_note(listing: Listing, tally: Tally | None, *, stale: bool) -> str:
    """Return the line beside the chart's title: which sample, and what is what."""
    if tally is None or not tally.n:
        return translate("Figures", "box: exact law")
    if stale:
        text = translate("Figures", "for θ = {theta}, seed {seed}: draw again to update")
        return text.format(theta=f"{tally.theta:g}", seed=tally.seed)
    note = translate("Figures", "{draws}, seed {seed} · box: exact · marks: share, 95% interval")
    if listing.exact is None:
        note = translate(
            "Figures",
            "{draws}, seed {seed} · too many segmentations to list: the most probable, "
            "and one row for the rest",
        )
    return note.format(draws=counted(tally.n, "draw"), seed=tally.seed)


def legend_html(kinds: tuple[str, ...], theme: Theme) -> str:
    """Return the marks of methods and their names as rich text."""
    marks = {"viterbi": "■", "perfect": "○"}
    parts = (
        f'<span style="color:{theme.identity(IDENTITY[kind]).name()}">{marks[kind]}</span> '
        f"{html.escape(method_name(kind))}"
        for kind in kinds
    )
    return "&nbsp;&nbsp; ".join(parts)


def count_note(paths: int, analysis: Analysis) -> str:
    """Return how many segmentations there are, and of how much of the text."""
    if paths < 10**9:
        text = counted(paths, "segmentation")
    else:
        text = translate("Figures", "more than 10⁹ segmentations")
    if analysis.shown < analysis.text.n_bytes:
        part = translate("Figures", "{count} of the first {n} bytes")
        text = part.format(count=text, n=f"{analysis.shown:,}")
    return text
