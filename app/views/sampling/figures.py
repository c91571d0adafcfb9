"""What the charts of the Sampling workspace are painted from: rows, marks, curves, a note."""

from __future__ import annotations

import html
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from app.analysis import Analysis
from app.counts import counted
from app.draw.law_chart import Curve, Marks, Outcomes, rest_label
from app.draw.numbers import share_text
from app.session import Session
from app.theme import Theme
from app.views.sampling.methods import LOOKS, WITHOUT_REPLACEMENT, method_name
from app.views.sampling.passes import LONGEST_DROPPED, Passes
from app.views.sampling.tally import Tally

Tallies = Mapping[str, Tally]

translate = QCoreApplication.translate


def outcomes_of(passes: Passes, tallies: Tallies, theme: Theme) -> Outcomes:
    """Return the rows of the law, with the counts and the own law of each method."""
    listing = passes.listing
    labels, size = list(listing.labels), len(listing.paths)
    exact = [path.probability for path in listing.paths]
    counts = {kind: tally.counts_of(listing) for kind, tally in tallies.items() if tally.n}
    foreign = any(int(own[-1]) for own in counts.values())
    rest = not listing.complete or foreign
    if rest:
        many = listing.count - size if not listing.complete else 0
        labels.append(rest_label(size, listing.count) if many > 0 else _foreign())
        exact.append(listing.rest if not listing.complete else 0.0)
    bars = np.array(exact)
    if only_sets(passes):
        # Sets alone: their law is what the boxes show.
        bars = _inclusion(passes, size, len(labels))
    marks = []
    for kind in passes.wish.methods:
        if kind not in counts:
            continue
        look, law = LOOKS[kind], passes.laws.get(kind)
        sets = tallies[kind].n if tallies[kind].sets else 0
        own = None
        if law is not None and not law.same and law.known and not only_sets(passes):
            first = law.probabilities[:size]
            own = np.append(first, max(0.0, 1.0 - float(first.sum())))[: len(labels)]
            if sets:
                own = _inclusion(passes, size, len(labels))
        color = theme.identity(look.identity)
        shown = counts[kind][: len(labels)]
        certain = kind == "viterbi"
        marks.append(Marks(method_name(kind), shown, look.shape, color, certain, own, sets))
    return Outcomes(tuple(labels), bars, tuple(marks), rest=rest)


def outcome_words(outcomes: Outcomes, row: int) -> str:
    """Say what a row of the chart shows."""
    exact = share_text(float(outcomes.exact[row]), 4)
    text = translate("Figures", "{label}: exact probability {p}.")
    said = [text.format(label=outcomes.labels[row], p=exact)]
    for mark in outcomes.marks:
        text = translate("Figures", "{method}: {count} of {draws}.")
        count = f"{int(mark.counts[row]):,}"
        said.append(text.format(method=mark.name, count=count, draws=counted(mark.n, "draw")))
    return " ".join(said)


def only_sets(passes: Passes) -> bool:
    """Whether nothing but sets is drawn, without replacement."""
    return passes.wish.methods == (WITHOUT_REPLACEMENT,)


def _inclusion(passes: Passes, listed: int, rows: int) -> NDArray[np.float64]:
    """Return the probability of each row to be in a set; NaN for the row of all others."""
    own = passes.laws[WITHOUT_REPLACEMENT].probabilities[:listed]
    return np.append(own, np.nan)[:rows]


def _foreign() -> str:
    return translate("Figures", "not in this law")


def curves_of(passes: Passes, tallies: Tallies, theme: Theme) -> tuple[Curve, ...]:
    """Return the distance to the law as the sample of each method grows."""
    curves = []
    for kind in passes.wish.methods:
        tally = tallies.get(kind)
        if tally is None or not tally.n or np.isnan(tally.distance):
            continue
        color = theme.identity(LOOKS[kind].identity)
        curves.append(Curve(method_name(kind), *tally.curve, color, kind == "viterbi"))
    return tuple(curves)


def sample_note(passes: Passes, tallies: Tallies, *, stale: bool) -> str:
    """Return the line beside the chart's title: which sample, and what is what."""
    listing = passes.listing
    tally = next(iter(tallies.values()), None)
    if tally is None or not tally.n:
        return translate("Figures", "box: exact law")
    if stale:
        if passes.analysis.lattice.has_law and tally.theta != passes.wish.settings.theta:
            text = translate("Figures", "for θ = {theta}, seed {seed}: draw again to update")
            return text.format(theta=f"{tally.theta:g}", seed=tally.seed)
        text = translate("Figures", "for other settings, seed {seed}: draw again to update")
        return text.format(seed=tally.seed)
    if only_sets(passes):
        note = translate(
            "Figures",
            "{draws} of {k}, seed {seed} · box: probability to be in a set · marks: share of sets, "
            "95% interval",
        )
    elif listing.exact is None and np.isnan(listing.rest):
        note = translate(
            "Figures", "{draws}, seed {seed} · no exact law: too much work for so long a text"
        )
    elif listing.exact is None:
        note = translate(
            "Figures",
            "{draws}, seed {seed} · too many segmentations to list: the most probable, "
            "and one row for the rest",
        )
    elif any(not law.same for law in passes.laws.values()):
        note = translate(
            "Figures",
            "{draws}, seed {seed} · box: exact law of {target} · dotted line: a method's own law · "
            "marks: share, 95% interval",
        )
    else:
        note = translate(
            "Figures", "{draws}, seed {seed} · box: exact · marks: share, 95% interval"
        )
    n = max(tally.n for tally in tallies.values())
    return note.format(
        draws=counted(n, "draw"),
        seed=tally.seed,
        target=method_name(listing.target),
        k=f"{passes.wish.settings.set_size:,}",
    )


def legend_html(kinds: tuple[str, ...], theme: Theme) -> str:
    """Return the marks of methods and their names as rich text."""
    parts = (
        f'<span style="color:{theme.identity(LOOKS[kind].identity).name()}">'
        f"{LOOKS[kind].sign}</span> {html.escape(method_name(kind))}"
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


def nothing_to_step(passes: Passes) -> str:
    """Return why there are no steps to play."""
    if passes.too_long:
        words = translate(
            "Figures",
            "The text is too long to step through: coins are followed in texts of up to {n} bytes.",
        )
        return words.format(n=f"{LONGEST_DROPPED:,}")
    return translate("Figures", "These methods have no pass to step through.")


def obstacle(session: Session) -> str:
    """Return why nothing can be drawn from the text, empty where something can."""
    analysis = session.analysis
    if analysis is None:
        if session.active is not None and session.forbidden:
            return translate("Figures", "Special strings in the text are forbidden")
        return ""
    if analysis.text is not session.text:
        return ""
    if analysis.lattice.uncovered is not None:
        words = translate("Figures", "The pieces can't cover the text: no way past {place}")
        return words.format(place=analysis.lattice.uncovered.place)
    return translate("Figures", "The text is empty") if analysis.lattice.n_edges == 0 else ""
