"""The pane that shows a word under the three rules of merging, one lane each."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.counts import counted
from app.draw.merge_grid import RowGrid, fit_grid, needs_of
from app.draw.merge_labels import Labels
from app.draw.merge_lanes import LANE, LaneRow, paint_lane
from app.draw.word import Word
from app.session import Session
from app.theme import Theme
from app.views.merges.bricks import GUTTER
from app.views.merges.follow import Followed, Lane, marks_of, under_each_rule
from app.widgets.elided import ElidedLabel
from engine.merge_rules import MERGE_RULES, MergeRule, own_rule
from engine.progress import Report
from engine.traces.merges import MergeTrace

JOB = "merge rules"

COMPARED = 40_000
"""Bytes of text that are followed under each rule; of a longer text the first ones."""


class LanesView(QWidget):
    """Lanes under one another; ↑ ↓ and a click choose one."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lanes: tuple[LaneRow, ...] = ()
        self._grid: RowGrid | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("The word under each rule of merging"))
        theme.changed.connect(self.update)

    @property
    def lanes(self) -> tuple[LaneRow, ...]:
        """The lanes on show."""
        return self._lanes

    def set_lanes(self, lanes: tuple[LaneRow, ...]) -> None:
        """Show other lanes."""
        self._lanes = lanes
        self.setAccessibleDescription("\n".join(self._said(lane) for lane in lanes))
        self._fit()

    def _said(self, lane: LaneRow) -> str:
        pieces = " | ".join(f"≠ {text}" if new else text for text, new in lane.pieces())
        return f"{lane.name}: {pieces}"

    def _fit(self) -> None:
        self._grid = None
        if self._lanes:
            lane = self._lanes[0]
            needs = needs_of(lane.word, lane.labels.symbol, self._theme)
            self._grid = fit_grid(needs, self.width() - GUTTER)
        self.setMinimumHeight(round(LANE * len(self._lanes)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, round(LANE * max(len(self._lanes), 2)))

    def resizeEvent(self, event: object) -> None:
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        if self._grid is None:
            return
        for i, lane in enumerate(self._lanes):
            paint_lane(painter, lane, self._grid, theme, i * LANE, GUTTER, self.width())
        if self.hasFocus():
            painter.setPen(theme.color("line2"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = int(event.position().y() // LANE)
        if event.button() == Qt.MouseButton.LeftButton and 0 <= at < len(self._lanes):
            self.chosen.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None or not self._lanes:
            super().keyPressEvent(event)
            return
        here = next((i for i, lane in enumerate(self._lanes) if lane.shown), 0)
        self.chosen.emit(min(max(here + by, 0), len(self._lanes) - 1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()


class ComparePane(QWidget):
    """Follows the text under each rule while it is in view, and shows the word at hand."""

    rule_wanted = Signal(str)
    """The rows are to show the text under this rule; "" is the model's own."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._followed: Followed | None = None
        self._pretoken = 0
        self._lanes: list[Lane] = []
        self._of: MergeTrace | None = None
        self.total = ElidedLabel(theme, token="ink2")
        self.view = LanesView(theme)
        self.view.chosen.connect(self._choose)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll, 1)

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

    def showEvent(self, event: object) -> None:
        self._work()
        self._show()

    def _work(self) -> None:
        """Have the text followed under each rule, if that isn't done and can be seen."""
        followed = self._followed
        if followed is None or not self.isVisible() or self._of is followed.own:
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
        followed = self._followed
        if not self.isVisible():
            return
        if followed is None or not self._lanes or not len(followed.trace.prepared.fixed):
            self.view.set_lanes(())
            self.total.setText("")
            return
        bpe = followed.own.model.bpe
        assert bpe is not None
        what_if = followed.what_if
        shown = own_rule(bpe) if what_if is None else what_if.rule
        own, rows = self._lanes[0].trace.prepared, []
        if self._pretoken < len(own.fixed):
            rows = [self._row(lane, lane.rule == shown) for lane in self._lanes]
            if what_if is not None and what_if.swap is not None:
                swap = Lane(own_rule(bpe), followed.trace, followed.found)
                rows.insert(0, self._row(swap, True, self.tr("With the two rules swapped")))
        self.view.set_lanes(tuple(rows))
        where = self.tr("this text")
        if followed.shown > COMPARED:
            where = self.tr("the first {n} bytes").format(n=f"{COMPARED:,}")
        counts = [
            (self._name(lane.rule), int(lane.found.pretokens.sum()))
            for lane in self._lanes
            if lane.found is not None
        ]
        if any(count for _, count in counts):
            parts = ", ".join(
                self.tr("{words} under “{rule}”").format(words=counted(count, "word"), rule=rule)
                for rule, count in counts
            )
            text = self.tr("Other tokens in {where}: {parts}").format(where=where, parts=parts)
        else:
            text = self.tr("In {where} all three rules lead to the same tokens")
            text = text.format(where=where)
        self.total.setText(text)

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
        lane = self._lanes[number - (len(self.view.lanes) - len(self._lanes))]
        if lane.found is not None:
            self.rule_wanted.emit(lane.rule)
        else:
            self.rule_wanted.emit("")
