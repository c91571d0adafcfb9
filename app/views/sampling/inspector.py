"""The inspector of the Sampling workspace: the event in words, its numbers, and the tests."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.counts import counted
from app.draw.lane import edge_text
from app.draw.numbers import chance_text, p_value_text, share_text, signed
from app.views.sampling.lane import event_sentence, path_sentence
from app.views.sampling.tally import Listing, Tally
from app.widgets.report import (
    MARK,
    Facts,
    Heading,
    Line,
    Lines,
    Part,
    Section,
    Sentence,
    Table,
)
from engine.goodness import ChiSquare
from engine.trace import Arrival
from engine.traces.passes import PassTrace

REFUTED = 0.001
"""p-value under which a sample is said not to be drawn from the law."""


class SamplingReport(QObject):
    """Makes the parts of the report."""

    def parts(
        self,
        traces: tuple[PassTrace, ...],
        k: int,
        listing: Listing,
        tally: Tally | None,
        stale: bool,
        seed: int,
    ) -> tuple[Part, ...]:
        """Return what to say at state k. traces: of the lanes shown, the main one last."""
        main = traces[-1]
        out = self._event(main, k)
        for other in traces[:-1]:
            out += [
                Section(self.tr("Viterbi at the same step")),
                Sentence(event_sentence(other, k, MARK)),
            ]
        out += self._tests(main, listing, tally, stale)
        out += [
            Section(self.tr("Random numbers")),
            Facts(
                (
                    (self.tr("Seed"), str(seed)),
                    (self.tr("Draw"), f"{main.draw + 1:,}"),
                    ("θ", f"{listing.theta:g}"),
                    (self.tr("Segmentations"), _count(listing.count)),
                )
            ),
            Section(self.tr("Go to")),
            Lines(
                (
                    Line("", self.tr("Next draw that isn't the best path"), "N", link="next"),
                    Line("", self.tr("One more draw"), "R", link="one"),
                    Line("", self.tr("1,000 more draws"), "Shift+R", link="many"),
                ),
                plain=True,
            ),
        ]
        return tuple(out)

    def _event(self, trace: PassTrace, k: int) -> list[Part]:
        lattice = trace.lattice
        small = self.tr("Draw {draw} · step {step} of {count}").format(
            draw=f"{trace.draw + 1:,}", step=f"{min(k, len(trace)):,}", count=f"{len(trace):,}"
        )
        if trace.kind == "viterbi":
            small = self.tr("Step {step} of {count}").format(
                step=f"{min(k, len(trace)):,}", count=f"{len(trace):,}"
            )
        sentence = Sentence(event_sentence(trace, k, MARK))
        if k <= 0:
            return [Heading(self.tr("Before the first edge"), small), sentence]
        if k >= len(trace):
            title = self.tr("The path is found")
            facts = [(self.tr("Score"), signed(trace.path.score, 4))]
            facts.append((self.tr("Probability"), share_text(trace.path.probability, 5)))
            facts.append((self.tr("Tokens"), f"{len(trace.path.ids):,}"))
            return [
                Heading(title, small),
                Sentence(path_sentence(trace, MARK)),
                Facts(tuple(facts)),
            ]
        event = trace.event(k - 1)
        piece = edge_text(lattice, event.edge)
        if not isinstance(event, Arrival):
            return [Heading(self.tr("{piece}: on the path").format(piece=piece), small), sentence]
        verdict = self.tr("taken") if event.taken else self.tr("kept out")
        facts = [(self.tr("Weight"), self.tr("{w} nats").format(w=signed(event.newcomer, 4)))]
        if not event.first:
            held = self.tr("{w} nats").format(w=signed(event.held, 4))
            facts.append((self.tr("So far"), held))
        if trace.kind == "perfect":
            facts.append((self.tr("Chance"), chance_text(event.chance, 4)))
            if not event.first:
                facts.append(("u", f"{event.u:.4f}"))
        total = self.tr("{w} nats").format(w=signed(event.total, 4))
        facts.append((self.tr("Node holds"), total))
        title = self.tr("{piece} is {verdict}").format(piece=piece, verdict=verdict)
        return [Heading(title, small), sentence, Facts(tuple(facts))]

    def _tests(
        self, main: PassTrace, listing: Listing, tally: Tally | None, stale: bool
    ) -> list[Part]:
        out: list[Part] = [Section(self.tr("Is the sample drawn from the law?"))]
        if tally is None or tally.n == 0:
            return [*out, Sentence(self.tr("Nothing is drawn yet."), "ink2")]
        if stale:
            text = self.tr(
                "The sample belongs to θ = {theta} and seed {seed}. Draw again to compare."
            )
            return [
                *out,
                Sentence(text.format(theta=f"{tally.theta:g}", seed=tally.seed), "warning"),
            ]
        distance, test = tally.test_of_best(listing.paths[0])
        columns = ((distance, test), (tally.distance, tally.test))
        rows = [
            (self.tr("Distance (TV)"), *(f"{d:.3f}" for d, _ in columns)),
            (self.tr("χ²"), *("–" if t is None else signed(t.statistic) for _, t in columns)),
            (self.tr("Degrees"), *("–" if t is None else f"{t.degrees:,}" for _, t in columns)),
            (
                self.tr("p-value"),
                *("–" if t is None else p_value_text(t.p_value) for _, t in columns),
            ),
            (self.tr("Verdict"), *(self._verdict(t) for _, t in columns)),
        ]
        note = self.tr("{draws} of each method").format(draws=counted(tally.n, "draw"))
        if listing.exact is None:
            note = self.tr(
                "{draws} of each method, over the {listed} most probable and one cell for the rest"
            ).format(draws=counted(tally.n, "draw"), listed=len(listing.paths))
        head = ("", self.tr("■ Viterbi"), self.tr("○ perfect"))
        return [*out, Sentence(note, "ink2"), Table(head, tuple(rows))]

    def _verdict(self, test: ChiSquare | None) -> str:
        if test is None:
            return self.tr("too few")
        return self.tr("× no") if test.p_value < REFUTED else self.tr("✓ fits")


def _count(count: int) -> str:
    """Return a count, huge ones as a power of ten."""
    if count < 10**12:
        return f"{count:,}"
    digits = str(count) if count < 10**4000 else ""
    exponent = len(digits) - 1 if digits else int(count.bit_length() * 0.30103)
    small = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    lead = f"{digits[0]}.{digits[1]} × " if digits else ""
    return f"{lead}10{str(exponent).translate(small)}"
