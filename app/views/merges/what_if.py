"""What the inspector offers to change about the model, and what is said of a change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.counts import counted
from app.draw.merge_labels import Labels
from app.views.merges.follow import Followed, WhatIf
from app.widgets.report import Line, Lines, Part, Section, Sentence
from engine.bpe import Bpe
from engine.merge_rules import MERGE_RULES, neighbour, rule_at
from engine.trace import MergeStep

BLOCKED = 3
"""Blocked rivals that are offered to go first."""


class WhatIfs(QObject):
    """Which change is on show, if any, and the texts on it."""

    asked = Signal()
    """Another change is to be shown, or none."""

    def __init__(self) -> None:
        super().__init__()
        self._what_if: WhatIf | None = None

    @property
    def what_if(self) -> WhatIf | None:
        """The change of the model's own way to merge that is on show, None for none."""
        return self._what_if

    def ask(self, what_if: WhatIf | None) -> None:
        """Show the text under a change; None leads back to the model as it is."""
        if what_if != self._what_if:
            self._what_if = what_if
            self.asked.emit()

    def ask_rule(self, rule: str) -> None:
        """Show the text under a rule of merging; "" for the model's own."""
        self.ask(next((WhatIf(name) for name in MERGE_RULES if name == rule), None))

    def take_link(self, link: str) -> None:
        """Do what a link of `parts` says."""
        what, _, ranks = link.partition(":")
        if what == "swap":
            first, second = map(int, ranks.split(":"))
            self.ask(WhatIf(swap=(first, second)))
        elif what == "back":
            self.ask(None)

    def forget(self) -> None:
        """Another model is there: no change is asked for."""
        self._what_if = None

    def parts(
        self, followed: Followed | None, labels: Labels | None, event: MergeStep | None
    ) -> list[Part]:
        """Return the section of the inspector for the rule of a step, None for none."""
        if followed is None or labels is None:
            return []
        if followed.what_if is not None:
            back = Line("↩", self.tr("Back to the model as it is"), link="back")
            return [Section(self.tr("This is a what-if")), Lines((back,), plain=True)]
        bpe = followed.own.model.bpe
        if bpe is None or event is None:
            return []
        lines = tuple(self._offers(bpe, labels, event))
        if not lines:
            return []
        title = self.tr("What if another rule went before {rule}?").format(
            rule=labels.rule(event.left, event.right)
        )
        return [Section(title), Sentence(self.tr("Exchange its rank with that of:")), Lines(lines)]

    def _offers(self, bpe: Bpe, labels: Labels, event: MergeStep) -> list[Line]:
        offered: dict[int, str] = {}
        for by, note in (
            (-1, self.tr("the next lower rank")),
            (1, self.tr("the next higher rank")),
        ):
            rank = neighbour(bpe, event.rank, -1 if by < 0 else 1)
            if rank is not None:
                offered[rank] = note
        for rival in [rival for rival in event.rivals if rival.blocked][:BLOCKED]:
            if rival.rank != event.rank:
                offered[rival.rank] = self.tr("a rule that it blocks here")
        lines = []
        for rank, note in offered.items():
            rule = rule_at(bpe, rank)
            if rule is not None:
                text = labels.rule(rule[0], rule[1])
                link = f"swap:{event.rank}:{rank}"
                lines.append(Line("⇄", text, f"{rank:,}", link=link, note=note))
        return lines

    def sentence(self, followed: Followed | None, labels: Labels | None) -> tuple[str, bool]:
        """Return what is changed and what that does to the text; and whether words change."""
        if followed is None or followed.what_if is None or labels is None:
            return "", False
        what_if, found = followed.what_if, followed.found
        assert found is not None
        if what_if.swap is not None:
            bpe = followed.own.model.bpe
            assert bpe is not None
            shown = []
            for rank in what_if.swap:
                rule = rule_at(bpe, rank)
                name = labels.rule(rule[0], rule[1]) if rule is not None else "–"
                shown.append(self.tr("{rule} ({rank})").format(rule=name, rank=f"{rank:,}"))
            text = self.tr("{first} and {second} exchange ranks.").format(
                first=shown[0], second=shown[1]
            )
        else:
            text = {
                "listed": self.tr("Only listed pairs merge, as in HuggingFace’s library."),
                "joined": self.tr("Any two merge whose joined string has a rank, as in tiktoken."),
                "vocabulary": self.tr(
                    "Any two merge whose joined string is in the vocabulary, as in SentencePiece."
                ),
            }[what_if.rule or "listed"]
        changed, moved = int(found.pretokens.sum()), int(found.order.sum())
        if changed:
            result = self.tr("Other tokens for {n} of {words}.")
        elif moved:
            result = self.tr("The same tokens, but another order of merging for {n} of {words}.")
        else:
            result = self.tr("Nothing changes in this text.")
        words = counted(len(found.pretokens), "word")
        result = result.format(words=words, n=f"{changed or moved:,}")
        return f"{text} {result}", bool(changed or moved)
