"""The rank line: every rule that could act on a word, on a logarithmic scale of ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from app.draw.widths import Widths
from app.draw.word import Rules
from app.theme import SIZE_DATA, SIZE_NOTE, Theme

Floats = NDArray[np.float64]

LINE = 66.0
"""y of the scale, from the top of the picture."""

ABOVE, BELOW = (34.0, 18.0), (98.0, 113.0)
"""y of the middle of the labels of winners and of outranked rules: two lines each."""

HEIGHT = 124
REACH = 7.0
"""Pixels around a mark that belong to it."""

OVERHANG = 30.0
"""Pixels by which a label may reach over an end of the scale."""


@dataclass(frozen=True, eq=False)
class RankScale:
    """Ranks 0 … largest between the pixels left and right; x grows with log(1 + rank)."""

    left: float
    right: float
    largest: int

    def x(self, rank: NDArray[np.integer] | int) -> Floats:
        """Return the x of ranks."""
        share = np.log1p(np.asarray(rank, dtype=np.float64)) / np.log1p(max(self.largest, 1))
        return self.left + share * (self.right - self.left)

    @property
    def ticks(self) -> list[int]:
        """The ranks written at the scale: 0, powers of ten, and the last rank."""
        ticks = [0]
        power = 10
        while power < self.largest * 0.6:
            ticks.append(power)
            power *= 10
        return [*ticks, self.largest]


@dataclass(frozen=True, eq=False)
class Placed:
    """A label that has found room, between `left` and `right`.

    stem: x of its mark. line: 0 for the line next to the scale, 1 for the other.
    """

    rule: int
    text: str
    line: int
    stem: float
    left: float
    right: float
    box: QRectF

    def meets(self, other: Placed) -> bool:
        """Tell whether two labels meet, or the stem of the farther one meets the nearer one."""
        if self.line == other.line:
            return self.left < other.right and other.left < self.right
        near, far = (self, other) if self.line < other.line else (other, self)
        return near.left - 1 <= far.stem <= near.right + 1


@dataclass(frozen=True, eq=False)
class Placement:
    """The labels of a rank line, and how many rules of each kind have none."""

    winners: tuple[Placed, ...]
    outranked: tuple[Placed, ...]
    winners_left: int
    outranked_left: int


def place_labels(
    scale: RankScale,
    rules: Rules,
    row: int,
    name: Callable[[int], str],
    theme: Theme,
    selected: int = -1,
    usual: Placement | None = None,
) -> Placement:
    """Find room for the labels of the rules.

    row: merges done so far; the rule of the last one always gets its label, and so does the
    selected one. The others are placed in an order that doesn't depend on these, so that stepping
    moves few labels. name: the text of rule number i. usual: the labels at row 0 with no rule
    selected, where they are known: to find room for all of them takes longer than a step may.
    """
    x = scale.x(rules.rank)
    won = np.flatnonzero(rules.applied >= 0)
    lost = np.flatnonzero(rules.applied < 0)
    at_hand = won[rules.applied[won] == row - 1].tolist() if row > 0 else []
    first = [selected] if selected in won else []
    first += [i for i in at_hand if i != selected]
    above, below = (None, None) if usual is None else (usual.winners, usual.outranked)
    font = theme.piece_font(SIZE_DATA, bold=True)
    winners = _place(scale, x, won, first, ABOVE, name, font, above)
    first = [selected] if selected in lost else []
    font = theme.piece_font(SIZE_NOTE)
    outranked = _place(scale, x, lost, first, BELOW, name, font, below)
    left = len(won) - len(winners), len(lost) - len(outranked)
    return Placement(tuple(winners), tuple(outranked), *left)


def _place(
    scale: RankScale,
    x: Floats,
    which: NDArray[np.int64],
    first: list[int],
    lines: tuple[float, float],
    name: Callable[[int], str],
    font: QFont,
    usual: tuple[Placed, ...] | None,
) -> list[Placed]:
    """Place labels without overlap; those of `first` take the room of others.

    usual: the labels as they are without `first`, if they are known.
    """
    placed: list[Placed] = list(usual or ())
    width, height = Widths(font), QFontMetricsF(font).height()

    def label(i: int, line: int) -> Placed:
        text, stem = name(i), float(x[i])
        wide = width(text) + 8
        left = min(stem - wide / 2, scale.right + OVERHANG - wide)
        left = max(left, scale.left - OVERHANG)
        box = QRectF(left, lines[line] - height / 2, wide, height)
        return Placed(i, text, line, stem, left, left + wide, box)

    def fits(new: Placed) -> bool:
        return not any(new.meets(old) for old in placed)

    def taken(at: float, line: int) -> bool:
        return any(old.left <= at <= old.right for old in placed if old.line == line)

    for i in which.tolist() if usual is None else ():
        # Without a look at the text where another label stands on its very place.
        free = [n for n in range(len(lines)) if not taken(float(x[i]), n)]
        placed += [new for n in free if fits(new := label(i, n))][:1]
    for i in first:
        if any(old.rule == i for old in placed):
            continue
        wanted = [label(i, n) for n in range(len(lines))]
        if not any(fits(new) for new in wanted):
            placed[:] = [old for old in placed if old.rule in first or not old.meets(wanted[0])]
        placed += [new for new in wanted if fits(new)][:1]
    return placed


def paint_rank_line(
    painter: QPainter,
    scale: RankScale,
    rules: Rules,
    row: int,
    labels: Placement,
    theme: Theme,
    selected: int = -1,
) -> None:
    """Paint scale, marks and labels. row: merges done so far. selected: a rule, or -1."""
    x = scale.x(rules.rank)
    _paint_outranked(painter, x, rules, labels, theme, selected)
    _paint_scale(painter, scale, theme)
    for label in labels.winners:
        step = int(rules.applied[label.rule])
        font = theme.piece_font(SIZE_DATA, bold=step == row - 1)
        painter.setFont(font)
        painter.setPen(theme.color("ink" if step < row else "ink2"))
        painter.drawText(label.box, Qt.AlignmentFlag.AlignCenter, label.text)
    tops = {label.rule: label.box.bottom() for label in labels.winners}
    # The step at hand comes last, over its neighbours.
    for i in winners_painted(x, rules, row, {*tops, selected}):
        top = min(tops.get(i, LINE), LINE - 18) if i in tops else LINE - 12
        _paint_winner(painter, float(x[i]), top, int(rules.applied[i]), row, theme, i == selected)


def winners_painted(x: Floats, rules: Rules, row: int, always: set[int]) -> list[int]:
    """Return the rules whose mark of a winner is painted, in the order of painting.

    Of those on one pixel that are all done, or all still to come, it is the last one: it would
    cover the others. always: rules that are painted in any case.
    """
    won = np.flatnonzero(rules.applied >= 0)
    order = won[np.argsort(-np.abs(rules.applied[won] - (row - 1)), kind="stable")]
    place = np.round(x[order]) * 2 + (rules.applied[order] < row)
    last = len(order) - 1 - np.unique(place[::-1], return_index=True)[1]
    kept = np.isin(order, list(always)) | (rules.applied[order] == row - 1)
    kept[last] = True
    return [int(i) for i in order[kept]]


def _paint_winner(
    painter: QPainter, x: float, top: float, step: int, row: int, theme: Theme, selected: bool
) -> None:
    blue = theme.color("best")
    painter.setPen(QPen(blue, 2 if step < row else 1.5))
    painter.drawLine(QPointF(x, top), QPointF(x, LINE - 5))
    painter.setPen(QPen(theme.color("ink") if step == row - 1 else blue, 2))
    painter.setBrush(blue if step < row else theme.color("canvas"))
    radius = 6.5 if step == row - 1 else 4.5
    painter.drawEllipse(QPointF(x, LINE), radius, radius)
    if selected:
        _ring(painter, x, theme)


def _paint_outranked(
    painter: QPainter,
    x: Floats,
    rules: Rules,
    labels: Placement,
    theme: Theme,
    selected: int,
) -> None:
    for label in labels.outranked:
        leader = QPen(theme.color("line2"), 1)
        leader.setDashPattern([1, 2])
        painter.setPen(leader)
        at = float(x[label.rule])
        painter.drawLine(QPointF(at, LINE + 6), QPointF(at, label.box.top()))
        painter.setFont(theme.piece_font(SIZE_NOTE, bold=label.rule == selected))
        painter.setPen(theme.color("ink" if label.rule == selected else "ink2"))
        painter.drawText(label.box, Qt.AlignmentFlag.AlignCenter, label.text)
    painter.setPen(QPen(theme.color("ink3"), 1.2))
    lost = rules.applied < 0
    for at in np.unique(np.round(x[lost])).tolist():
        painter.drawLine(QPointF(at - 4, LINE - 4), QPointF(at + 4, LINE + 4))
        painter.drawLine(QPointF(at - 4, LINE + 4), QPointF(at + 4, LINE - 4))
    if selected >= 0 and lost[selected]:
        _ring(painter, float(x[selected]), theme)


def _ring(painter: QPainter, x: float, theme: Theme) -> None:
    painter.setPen(QPen(theme.color("ink"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(x, LINE), 9, 9)


def _paint_scale(painter: QPainter, scale: RankScale, theme: Theme) -> None:
    painter.setPen(QPen(theme.color("line2"), 1))
    painter.drawLine(QPointF(scale.left, LINE), QPointF(scale.right, LINE))
    font = theme.font(SIZE_NOTE)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    for tick in scale.ticks:
        x = float(scale.x(tick))
        painter.setPen(QPen(theme.color("line2"), 1))
        painter.drawLine(QPointF(x, LINE - 5), QPointF(x, LINE + 5))
        text = f"{tick:,}"
        box = QRectF(0, 0, metrics.horizontalAdvance(text) + 4, metrics.height() - 2)
        box.moveCenter(QPointF(x, LINE + 16))
        painter.fillRect(box, theme.color("canvas"))  # leaders of labels end at a number
        painter.setPen(theme.color("ink3"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def rules_at(scale: RankScale, rules: Rules, labels: Placement, x: float, y: float) -> list[int]:
    """Return the rules whose mark, stem or label is at a point, the nearest one first."""
    for label in (*labels.winners, *labels.outranked):
        if label.box.contains(QPointF(x, y)):
            return [label.rule]
    if not len(rules.rank) or not ABOVE[1] <= y <= HEIGHT:
        return []
    away = np.abs(scale.x(rules.rank) - x)
    near = np.flatnonzero(away <= REACH)
    return [int(i) for i in near[np.argsort(away[near], kind="stable")]]
