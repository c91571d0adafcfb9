"""The strip over the lattice: what is pinned and forbidden, what it costs, and the ways back."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.analysis import COUNTED
from app.constraints import Constraints, Solution
from app.draw.isolate import isolate
from app.draw.numbers import signed
from app.icons import icon
from app.session import Session
from app.theme import SIZE_DATA, Theme
from app.views.explore.facts import count_text, span_text
from app.views.explore.paths_view import number
from app.views.explore.placed import Placed
from app.views.explore.sentences import times
from app.widgets.flow import Flow
from app.widgets.icon_button import IconButton
from engine.constrain import Constraint, meant
from engine.display import visible
from engine.text import Text, Unit

LONGEST = 24
"""Characters of a piece in a chip."""

tr = QCoreApplication.translate


class ConstraintStrip(QWidget):
    """Hidden while there is nothing to say. `chosen` names the constraint that was clicked."""

    chosen = Signal(object)

    def __init__(self, placed: Placed, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placed, self._theme = placed, theme
        self._session: Session = placed.session
        self._constraints: Constraints = self._session.constraints
        self.setAccessibleName(self.tr("Constraints"))
        self.chips = QWidget()
        self._flow = Flow(6)
        self.chips.setLayout(self._flow)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.chips.setSizePolicy(policy)
        self.clear_button = QPushButton(self.tr("Clear all"))
        self.clear_button.setProperty("flat", True)
        self.clear_button.clicked.connect(self._constraints.clear)
        self.cost = self._label()
        self.note = self._label()
        self.undo_button = QPushButton(self.tr("Undo"))
        self.undo_button.clicked.connect(self._constraints.undo)
        self.close_button = IconButton("close", self.tr("Close this note"), theme, 16)
        self.close_button.clicked.connect(self._constraints.dismiss)
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.chips, 1)
        first.addWidget(self.clear_button, 0, Qt.AlignmentFlag.AlignTop)
        last = QHBoxLayout()
        last.setSpacing(8)
        for widget, stretch in ((self.note, 1), (self.undo_button, 0), (self.close_button, 0)):
            last.addWidget(widget, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 12, 6)
        column.setSpacing(4)
        column.addLayout(first)
        column.addWidget(self.cost)
        column.addLayout(last)
        self._constraints.changed.connect(self.refresh)
        self._constraints.solved.connect(self._tell)
        placed.lattice_changed.connect(self._tell)
        self._session.settings_changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def _label(self) -> QLabel:
        label = QLabel()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setFont(self._theme.font(SIZE_DATA))
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    @property
    def words(self) -> list[str]:
        """What the chips say."""
        items = [self._flow.itemAt(i) for i in range(self._flow.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget.words for widget in widgets if isinstance(widget, Chip)]

    def chip(self, place: int) -> Chip:
        """Return a chip by its place."""
        item = self._flow.itemAt(place)
        widget = None if item is None else item.widget()
        assert isinstance(widget, Chip)
        return widget

    def refresh(self) -> None:
        """Show what is asked for now."""
        held = any(button.hasFocus() for button in self.chips.findChildren(QToolButton))
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        asked, text = self._constraints.asked, self._session.text
        for constraint in asked:
            name = constraint_text(constraint, self._session, self._session.settings.unit)
            chip = Chip(constraint, name, self._theme)
            chip.label.clicked.connect(partial(self.chosen.emit, constraint))
            chip.close_button.clicked.connect(partial(self._constraints.remove, constraint))
            self._flow.addWidget(chip)
        if held and asked:
            self.chip(0).close_button.setFocus()
        self.chips.setVisible(bool(asked))
        self.clear_button.setVisible(bool(asked))
        self._tell_note(text)
        self._tell()

    def _tell(self) -> None:
        solution = self._placed.solution
        known = solution is not None and bool(self._constraints.asked)
        self.cost.setText(cost_text(solution) if known and solution is not None else "")
        self.cost.setVisible(known)
        refused, dropped = self._constraints.refused, self._constraints.dropped
        self.setVisible(bool(self._constraints.asked) or bool(refused or dropped))
        self.updateGeometry()

    def _tell_note(self, text: Text) -> None:
        refused, dropped = self._constraints.refused, self._constraints.dropped
        words, token = "", "ink2"
        if refused is not None:
            rest = f", {refused.remedy}" if refused.remedy else ""
            words = self.tr("Not done: {why}.").format(why=refused.what + rest)
            token = "error"
        elif dropped is not None:
            words = (
                self.tr("The text is another one, so its constraint was dropped.")
                if dropped.count == 1
                else self.tr("The text is another one, so its {count} constraints were dropped.")
            ).format(count=dropped.count)
        self.note.setText(words)
        palette = self.note.palette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.color(token))
        self.note.setPalette(palette)
        for widget in (self.note, self.close_button):
            widget.setVisible(bool(words))
        self.undo_button.setVisible(refused is None and dropped is not None)


class Chip(QFrame):
    """One constraint: its mark and words, and the button that takes it away."""

    def __init__(self, constraint: Constraint, words: str, theme: Theme) -> None:
        super().__init__()
        self.constraint, self.words = constraint, words
        self._theme = theme
        self.setObjectName("chip")
        self.label = QToolButton()
        self.label.setText(isolate(words))
        self.label.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.label.setIcon(icon("pin" if constraint.action == "pin" else "forbid", theme, size=16))
        self.label.setIconSize(QSize(16, 16))
        self.label.setFont(theme.font(SIZE_DATA))
        self.label.setToolTip(tr("Constraints", "Select it in the lattice"))
        self.label.setAccessibleName(words)
        gone = tr("Constraints", "Take it away: {words}").format(words=words)
        self.close_button = IconButton("close", gone, theme, 14)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 2, 0)
        row.setSpacing(0)
        row.addWidget(self.label)
        row.addWidget(self.close_button)
        line, fill = theme.color("line2").name(), theme.color("panel").name()
        self.setStyleSheet(
            f"#chip {{ background: {fill}; border: 1px solid {line}; border-radius: 11px; }}"
        )


def constraint_text(constraint: Constraint, session: Session, unit: Unit) -> str:
    """Return a constraint in words: `Pinned “watch”, 0 → 5`."""
    text, opened = session.text, session.active
    if constraint.target == "boundary":
        words = (
            tr("Constraints", "Boundary pinned at {place}")
            if constraint.action == "pin"
            else tr("Constraints", "No boundary at {place}")
        )
        inside = min(constraint.start, text.n_bytes)
        place = f"{text.position(unit, inside):,}"
        if constraint.nodes is not None and unit == "grapheme":
            bounds = text.grapheme_bounds
            if inside not in bounds:
                words = (
                    tr("Constraints", "Boundary pinned inside {place}")
                    if constraint.action == "pin"
                    else tr("Constraints", "No boundary inside {place}")
                )
                place = f"{text.position(unit, inside) + 1:,}"
        return words.format(place=place)
    ends = (min(constraint.start, text.n_bytes), min(constraint.end, text.n_bytes))
    span = span_text(text, unit, ends)
    if constraint.piece is not None and constraint.piece >= 0 and opened is not None:
        vocabulary = opened.model.vocabulary
        data = vocabulary.bytes(constraint.piece) if constraint.piece < len(vocabulary) else b""
    else:
        data = text.encoded[ends[0] : ends[1]]
    shown = visible(data)
    if len(shown) > LONGEST:
        shown = shown[: LONGEST - 1] + "…"
    words = (
        tr("Constraints", "Pinned {piece}, {span}")
        if constraint.action == "pin"
        else tr("Constraints", "Forbidden {piece}, {span}")
    )
    return words.format(piece=isolate(shown), span=span)


def cost_text(solution: Solution) -> str:
    """Return what the constraints cost and what they change, with and without."""
    constrained, cost = solution.constrained, solution.cost
    parts: list[str] = []
    counted = constrained.whole.n_edges <= COUNTED
    if cost is not None:
        if cost.score == 0:
            parts.append(tr("Constraints", "the best score stays the same"))
        else:
            parts.append(
                tr("Constraints", "best path {score} nats, {times} times less likely").format(
                    score=signed(cost.score, 3), times=times(cost.ratio)
                )
            )
        parts.append(
            tr("Constraints", "{share} of all probability obeys").format(share=number(cost.share))
        )
        free, law = solution.free.law, solution.analysis.law
        assert free is not None
        assert law is not None
        parts.append(
            tr("Constraints", "entropy {after:.3f} nats (without {before:.3f})").format(
                after=law.entropy, before=free.entropy
            )
        )
        parts.append(
            tr("Constraints", "mean tokens {after:,.2f} (without {before:,.2f})").format(
                after=law.expected_tokens, before=free.expected_tokens
            )
        )
    elif constrained.obeyed:
        parts.append(tr("Constraints", "the model's own path obeys"))
    else:
        parts.append(tr("Constraints", "the model's own path doesn't obey"))
    if counted:
        parts.append(
            tr("Constraints", "{after} of {before} segmentations are left").format(
                after=count_text(constrained.lattice.paths),
                before=count_text(constrained.whole.paths),
            )
        )
    line = " · ".join(parts)
    return line[:1].upper() + line[1:]


def edge_of(solution: Solution | None, constraint: Constraint) -> int | None:
    """Return an edge that a constraint is about."""
    if solution is None or constraint.target == "boundary":
        return None
    found = np.flatnonzero(meant(solution.constrained.whole, constraint))
    return int(found[0]) if len(found) else None
