"""The inspector of the Sampling workspace: the event in words, its numbers, and the tests."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QObject

from app.counts import counted
from app.draw.lane import edge_text
from app.draw.numbers import chance_text, p_value_text, share_text, signed
from app.views.sampling.drop_words import Trace, drop_sentence, drop_title
from app.views.sampling.figures import nothing_to_step
from app.views.sampling.methods import LOOKS, WITHOUT_REPLACEMENT, library_note, method_name
from app.views.sampling.parting import COINED, beside, parting_sentence, parting_steps
from app.views.sampling.pass_words import event_sentence, path_sentence
from app.views.sampling.passes import Passes
from app.views.sampling.tally import Tally
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
from engine.trace import Arrival
from engine.traces.passes import PassTrace

LISTED_LAWS = 6
"""Segmentations whose probabilities under each method are listed."""

REFUTED = 0.001
"""p-value under which a sample is said not to be drawn from the law."""


class SamplingReport(QObject):
    """Makes the parts of the report."""

    draw = 0
    """Number of the draw on show, from 0."""

    def __init__(self) -> None:
        super().__init__()
        # What was said of a step stays while the sample grows.
        self._place: tuple[Passes, int, int] | None = None
        self._said: tuple[Part, ...] = ()

    def parts(
        self,
        passes: Passes,
        k: int,
        tallies: Mapping[str, Tally],
        stale: bool,
    ) -> tuple[Part, ...]:
        """Return what to say at state k."""
        listing, wish = passes.listing, passes.wish
        place = (passes, k, self.draw)
        if self._place != place:
            self._place, self._said = place, tuple(self._step(passes, k))
        out = [*self._said, *self._tests(passes, tallies, stale)]
        facts = [(self.tr("Seed"), str(wish.seed)), (self.tr("Draw"), f"{wish.draw + 1:,}")]
        names = {"theta": "θ", "dropout": "p", "nbest_size": "ℓ", "set_size": "k"}
        facts += [(names[name], f"{value:g}") for name, value in passes.relevant]
        facts.append((self.tr("Segmentations"), _count(listing.count)))
        out += [Section(self.tr("Random numbers")), Facts(tuple(facts))]
        note = library_note(wish.methods, wish.settings)
        if note:
            out += [Section(self.tr("In the libraries")), Sentence(note, "ink2")]
        unlike = self.tr("Next draw that isn't the best path")
        kinds = passes.compared
        if kinds and set(kinds) <= set(wish.methods):
            unlike = self.tr("Next draw where the methods part")
        lines = [
            Line("", self.tr("One more draw"), "R", link="one"),
            Line("", self.tr("1,000 more draws"), "Shift+R", link="many"),
        ]
        if kinds and not stale:
            lines.insert(0, Line("", unlike, "N", link="next"))
        else:
            note = self.tr("nothing to compare")
            if stale:
                note = self.tr("the sample belongs to other settings")
            lines.insert(0, Line("", unlike, "N", "ink3", note=note))
        out += [Section(self.tr("Go to")), Lines(tuple(lines), plain=True)]
        return tuple(out)

    def _step(self, passes: Passes, k: int) -> list[Part]:
        """Say what happens at state k, in all lanes."""
        traces = tuple(passes.traces.values())
        if passes.dropped is not None and not traces:
            return self._dropped(passes.dropped, k)
        if not traces:
            title = ", ".join(method_name(kind) for kind in passes.wish.methods)
            return [Heading(title), Sentence(nothing_to_step(passes))]
        out = [*self._parting(traces, k), *self._event(traces[-1], k)]
        for other in traces[:-1]:
            title = self.tr("{method} at the same step").format(method=method_name(other.kind))
            out += [Section(title), Sentence(event_sentence(other, k, MARK))]
        return out

    def _parting(self, traces: tuple[PassTrace, ...], k: int) -> list[Part]:
        """Say where the lanes part, if they do at this step or did before it."""
        steps = parting_steps(traces)
        done = steps[steps < k]
        if not len(done):
            return []
        own = next(trace for trace in traces if trace.kind in COINED)
        other = beside(traces, own.kind)
        assert other is not None
        step = int(done[-1])
        words = parting_sentence(own, other, step, MARK)
        here = self.tr("The lanes part here") if step == k - 1 else self.tr("The lanes parted")
        note = self.tr("Step {step}").format(step=f"{step + 1:,}")
        return [Heading(here, note), Sentence(words)]

    def _dropped(self, trace: Trace, k: int) -> list[Part]:
        small = self.tr("Draw {draw} · step {step} of {count}").format(
            draw=f"{self.draw + 1:,}", step=f"{min(k, len(trace)):,}", count=f"{len(trace):,}"
        )
        return [Heading(drop_title(trace, k), small), Sentence(drop_sentence(trace, k, MARK))]

    def _event(self, trace: PassTrace, k: int) -> list[Part]:
        lattice = trace.lattice
        small = self.tr("{method} · draw {draw} · step {step} of {count}").format(
            method=method_name(trace.kind),
            draw=f"{trace.draw + 1:,}",
            step=f"{min(k, len(trace)):,}",
            count=f"{len(trace):,}",
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
        if trace.kind == "ffbs":
            verdict = self.tr("added")
        facts = [(self.tr("Weight"), self.tr("{w} nats").format(w=signed(event.newcomer, 4)))]
        if not event.first:
            held = self.tr("{w} nats").format(w=signed(event.held, 4))
            facts.append((self.tr("So far"), held))
        if trace.kind in COINED:
            facts.append((self.tr("Chance"), chance_text(event.chance, 4)))
            if not event.first:
                facts.append(("u", f"{event.u:.4f}"))
        total = self.tr("{w} nats").format(w=signed(event.total, 4))
        facts.append((self.tr("Node holds"), total))
        title = self.tr("{piece} is {verdict}").format(piece=piece, verdict=verdict)
        return [Heading(title, small), sentence, Facts(tuple(facts))]

    def _tests(self, passes: Passes, tallies: Mapping[str, Tally], stale: bool) -> list[Part]:
        listing = passes.listing
        title = self.tr("Is the sample drawn from the law?")
        if not passes.analysis.lattice.has_law:
            title = self.tr("Held against the law of {method}")
            title = title.format(method=method_name(listing.target))
        out: list[Part] = [Section(title)]
        drawn = [tallies[kind] for kind in passes.wish.methods if kind in tallies]
        drawn = [tally for tally in drawn if tally.n]
        if not drawn:
            return [*out, Sentence(self.tr("Nothing is drawn yet."), "ink2")]
        if stale:
            tally = drawn[0]
            text = self.tr(
                "The sample belongs to θ = {theta} and seed {seed}. Draw again to compare."
            )
            if not passes.analysis.lattice.has_law or tally.theta == listing.theta:
                text = self.tr("The sample belongs to other settings. Draw again to compare.")
            return [
                *out,
                Sentence(text.format(theta=f"{tally.theta:g}", seed=tally.seed), "warning"),
            ]
        tests = [tally.test for tally in drawn]
        rows = [
            (self.tr("Distance (TV)"), *(number_text(tally.distance) for tally in drawn)),
            (self.tr("χ²"), *("–" if t is None else signed(t.statistic) for t in tests)),
            (self.tr("Degrees"), *("–" if t is None else f"{t.degrees:,}" for t in tests)),
            (self.tr("p-value"), *("–" if t is None else p_value_text(t.p_value) for t in tests)),
            (
                self.tr("Verdict"),
                *("–" if tally.sets else self._verdict(tally) for tally in drawn),
            ),
        ]
        own = [self._own_test(passes, tally) for tally in drawn]
        if any(text != "–" for text in own):
            rows.insert(4, (self.tr("p, own law"), *own))
        note = self.tr("{draws} of each method").format(draws=counted(drawn[-1].n, "draw"))
        if listing.exact is None:
            note = self.tr(
                "{draws} of each method, over the {listed} most probable and one cell for the rest"
            ).format(draws=counted(drawn[-1].n, "draw"), listed=len(listing.paths))
        head = ("", *_heads([tally.method for tally in drawn]))
        out.append(Sentence(note, "ink2"))
        if not all(tally.sets for tally in drawn):
            out.append(Table(head, tuple(rows)))
        if any(tally.sets for tally in drawn):
            words = self.tr(
                "{sign} {method}: a draw is a set of {k} different segmentations, so its law is "
                "over sets. What is shown is the probability that a segmentation is in the set."
            )
            k = passes.wish.settings.set_size
            sign, method = LOOKS[WITHOUT_REPLACEMENT].sign, method_name(WITHOUT_REPLACEMENT)
            out.append(Sentence(words.format(sign=sign, method=method, k=f"{k:,}"), "ink2"))
        laws = [(kind, passes.laws[kind]) for kind in passes.wish.methods]
        if any(not law.same for _, law in laws):
            shown = [
                (label, *(share_text(float(law.probabilities[row]), 3) for _, law in laws))
                for row, label in enumerate(listing.labels[:LISTED_LAWS])
            ]
            head = ("", *_heads([kind for kind, _ in laws]))
            out += [Section(self.tr("Exact law of each method")), Table(head, tuple(shown))]
            out += self._between(passes, head)
        return out

    def _between(self, passes: Passes, head: tuple[str, ...]) -> list[Part]:
        """Say how far the exact law of each method is from the one of the boxes."""
        laws = [passes.laws[kind] for kind in passes.wish.methods]
        if all(law.distance is None and law.divergence is None for law in laws):
            return []
        title = self.tr("From its exact law to that of {method}")
        rows = (
            (self.tr("TV"), *(_optional(law.distance) for law in laws)),
            (self.tr("KL, nats"), *(_optional(law.divergence) for law in laws)),
        )
        return [Section(title.format(method=method_name(passes.listing.target))), Table(head, rows)]

    def _own_test(self, passes: Passes, tally: Tally) -> str:
        """Return the p-value of a sample against the law of its own method, where it is another."""
        law = passes.laws[tally.method]
        test = None if law.same else tally.test_against(law.probabilities)
        return "–" if test is None else p_value_text(test.p_value)

    def _verdict(self, tally: Tally) -> str:
        test, probabilities = tally.test, tally.listing.probabilities
        if test is not None:
            return self.tr("× no") if test.p_value < REFUTED else self.tr("✓ fits")
        if bool(np.isnan(probabilities).any()):
            return self.tr("no exact law")
        if np.count_nonzero(probabilities) < 2:
            return self.tr("only one")
        return self.tr("too few")


def _heads(kinds: list[str]) -> list[str]:
    """Return the heads of columns: marks alone where names don't fit."""
    if len(kinds) > 2:
        return [LOOKS[kind].sign for kind in kinds]
    return [f"{LOOKS[kind].sign} {method_name(kind)}" for kind in kinds]


def _optional(value: float | None) -> str:
    """Return a distance of two laws; ∞ where one draws what the other can't."""
    if value is None:
        return "–"
    return "∞" if math.isinf(value) else number_text(value)


def number_text(value: float) -> str:
    """Return a distance with three digits, a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def _count(count: int) -> str:
    """Return a count, huge ones as a power of ten."""
    if count < 10**12:
        return f"{count:,}"
    digits = str(count) if count < 10**4000 else ""
    exponent = len(digits) - 1 if digits else int(count.bit_length() * 0.30103)
    small = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    lead = f"{digits[0]}.{digits[1]} × " if digits else ""
    return f"{lead}10{str(exponent).translate(small)}"
