"""The pane that shows a word under the three rules of merging, one lane each."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.counts import counted
from app.draw.merge_labels import Labels
from app.draw.merge_lanes import DIFFERENT, MERGES, LaneRow
from app.draw.word import Word
from app.session import Session
from app.theme import Theme
from app.views.merges.follow import Followed, Lane, marks_of, under_each_rule
from app.views.merges.lanes import LanesView
from app.widgets.elided import ElidedLabel
from engine.merge_rules import MERGE_RULES, MergeRule, own_rule
from engine.progress import Report
from engine.traces.merges import MergeTrace

JOB = "merge rules"

COMPARED = 40_000
"""Bytes of text that are followed under each rule; of a longer text the first ones."""

LONGEST = 5_000
"""Bytes of a word up to which its lanes are laid out."""


class ComparePane(QWidget):
    """Follows the text under each rule while it is seen, and shows the word at hand."""

    rule_wanted = Signal(str)
    """The rows are to show the text under this rule; "" is the model's own."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._followed: Followed | None = None
        self._pretoken = 0
        self._lanes: list[Lane] = []
        self._of: MergeTrace | None = None
        self._rules: tuple[str | None, ...] = ()
        self._seen = False
        self.total = ElidedLabel(theme, token="ink2")
        self.view = LanesView(theme)
        self.view.chosen.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)

    @property
    def lanes(self) -> list[Lane]:
        """The text under each rule, as far as it has been followed."""
        return self._lanes

    def set_followed(self, followed: Followed | None) -> None:
        """Take another trace of the text."""
        self._followed = followed
        if followed is None:
            self._session.jobs.cancel(JOB)
            self._lanes, self._of = [], None
        elif self._of is not followed.own:
            self._lanes = []
        self._work()
        self._show()

    def set_word(self, pretoken: int) -> None:
        """Show another word."""
        self._pretoken = pretoken
        self._show()

    def set_seen(self, seen: bool) -> None:
        """Work only while the pane is in front; Qt hides no pane behind another."""
        self._seen = seen
        if seen:
            self._work()
            self._show()
            return
        self._session.jobs.cancel(JOB)
        if not self._lanes:
            self._of = None

    def _work(self) -> None:
        """Have the text followed under each rule, if that isn't done and can be seen."""
        followed = self._followed
        if followed is None or not self._seen or self._of is followed.own:
            return
        own = self._of = followed.own
        self._lanes = []

        def done(lanes: list[Lane]) -> None:
            if self._of is own:
                self._lanes = lanes
                self._show()

        def failed(error: BaseException) -> None:
            self._session.failed.emit(error, self.tr("The rules were not compared"))

        text, special = followed.text.head(COMPARED), followed.special

        def work(report: Report) -> list[Lane]:
            whole = followed.shown <= COMPARED
            trace = own if whole else own.model.merges(text, special)
            return under_each_rule(trace, MERGE_RULES, report)

        title = self.tr("Comparing the rules of merging")
        self._session.jobs.start(JOB, title, work, done, failed)

    def _show(self) -> None:
        if not self._seen:
            return
        followed = self._followed
        if followed is None or not self._lanes or not len(followed.trace.prepared.fixed):
            self._rules = ()
            note = "" if self._lanes or followed else self.tr("There is no word that merges")
            self.view.set_lanes((), note)
            self.total.setText("")
            return
        self._show_word(followed)
        self.total.setText(self._other_words(followed.shown))

    def _show_word(self, followed: Followed) -> None:
        cuts, what_if = self._lanes[0].trace.prepared.cuts, followed.what_if
        self._rules = ()
        if self._pretoken + 1 >= len(cuts):
            note = self.tr("Only words in the first {n} bytes of the text are compared")
            self.view.set_lanes((), note.format(n=f"{COMPARED:,}"))
            return
        if int(cuts[self._pretoken + 1] - cuts[self._pretoken]) > LONGEST:
            note = self.tr("A word of more than {n} bytes isn't shown in lanes")
            self.view.set_lanes((), note.format(n=f"{LONGEST:,}"))
            return
        bpe = followed.own.model.bpe
        assert bpe is not None
        shown = own_rule(bpe) if what_if is None else what_if.rule
        rows = [self._row(lane, lane.rule == shown) for lane in self._lanes]
        rules = ["" if lane.found is None else lane.rule for lane in self._lanes]
        self._rules = tuple(rules)
        if what_if is not None and what_if.swap is not None:
            swap = Lane(own_rule(bpe), followed.trace, followed.found)
            rows.insert(0, self._row(swap, True, self.tr("With the two ranks exchanged")))
            self._rules = (None, *rules)
        self.view.set_lanes(tuple(rows))

    def _other_words(self, shown: int) -> str:
        """Say how many words come out otherwise. shown: bytes of the text that are followed."""
        counts = [
            (self._name(lane.rule), int(lane.found.pretokens.sum()))
            for lane in self._lanes
            if lane.found is not None
        ]
        whole = shown <= COMPARED
        if not any(count for _, count in counts):
            text = self.tr("In this text all three rules lead to the same tokens")
            if not whole:
                text = self.tr("In the first {n} bytes all three rules lead to the same tokens")
            return text.format(n=f"{COMPARED:,}")
        parts = ", ".join(
            self.tr("{words} under “{rule}”").format(words=counted(count, "word"), rule=rule)
            for rule, count in counts
        )
        text = self.tr("Other tokens in this text: {parts}")
        if not whole:
            text = self.tr("Other tokens in the first {n} bytes: {parts}")
        return text.format(n=f"{COMPARED:,}", parts=parts)

    def _row(self, lane: Lane, shown: bool, name: str = "") -> LaneRow:
        """Return a lane as it is painted. name: of what is none of the three rules."""
        pretoken = self._pretoken
        tokens, steps = marks_of(lane.trace, lane.found, pretoken)
        return LaneRow(
            name or self._name(lane.rule),
            self.tr("a what-if") if name else self._note(lane),
            counted(len(tokens), "token"),
            Word(lane.trace, pretoken),
            Labels(lane.trace),
            tokens,
            steps,
            shown,
            self._rest(int(steps[MERGES:].sum()), len(steps) - MERGES),
        )

    def _rest(self, different: int, left: int) -> str:
        """Say what isn't written of a lane's merges. left: how many, if it is positive."""
        if left <= 0:
            return ""
        return self.tr("… and {merges}, {different} of them {sign}").format(
            merges=counted(left, "merge"), different=f"{different:,}", sign=DIFFERENT
        )

    def _name(self, rule: MergeRule) -> str:
        return {
            "listed": self.tr("By listed pair"),
            "joined": self.tr("By rank of the joined string"),
            "vocabulary": self.tr("Where the vocabulary has it"),
        }[rule]

    def _note(self, lane: Lane) -> str:
        note = {
            "listed": self.tr("HuggingFace, GPT-2, subword-nmt"),
            "joined": self.tr("tiktoken"),
            "vocabulary": self.tr("SentencePiece"),
        }[lane.rule]
        if lane.found is None:
            return self.tr("{libraries}; this model's own rule").format(libraries=note)
        return note

    def _choose(self, number: int) -> None:
        rule = self._rules[number]
        if rule is not None:  # the lane of a swap is on show already
            self.rule_wanted.emit(rule)
