"""The rank line: every rule that could act on a word, on a logarithmic scale of ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from app.draw.word import Rules
from app.theme import SIZE_NOTE, Theme

Floats = NDArray[np.float64]

LINE = 62.0
"""y of the scale, from the top of the picture."""

ABOVE, BELOW = 30.0, 96.0
"""y of the middle of the labels of winners and of outranked rules."""

HEIGHT = 112
REACH = 7.0
"""Pixels around a mark that belong to it."""


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


def paint_rank_line(
    painter: QPainter,
    scale: RankScale,
    rules: Rules,
    row: int,
    name: Callable[[int], str],
    theme: Theme,
    selected: int = -1,
) -> None:
    """Paint scale, marks and labels.

    row: merges done so far. name: the text of rule number i. selected: a rule, or -1.
    """
    _paint_scale(painter, scale, theme)
    x = scale.x(rules.rank)
    won = np.flatnonzero(rules.applied >= 0)
    lost = np.flatnonzero(rules.applied < 0)
    _paint_outranked(painter, scale, x, lost, name, theme, selected)
    # The step at hand comes last, over its neighbours; its label comes first.
    order = won[np.argsort(np.abs(rules.applied[won] - (row - 1)), kind="stable")]
    taken: list[QRectF] = []
    font = theme.piece_font(SIZE_NOTE + 1)
    bold = theme.piece_font(SIZE_NOTE + 1, bold=True)
    for i in order.tolist():
        step = int(rules.applied[i])
        at_hand = step == row - 1
        label = name(i)
        box = _label_box(bold if at_hand else font, label, float(x[i]), ABOVE, scale)
        if not any(box.intersects(other) for other in taken):
            taken.append(box)
            painter.setFont(bold if at_hand else font)
            painter.setPen(theme.color("ink" if step < row else "ink2"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)
    for i in order[::-1].tolist():
        _paint_winner(painter, float(x[i]), int(rules.applied[i]), row, theme, i == selected)


def _paint_winner(
    painter: QPainter, x: float, step: int, row: int, theme: Theme, selected: bool
) -> None:
    blue = theme.color("best")
    painter.setPen(QPen(blue, 2 if step < row else 1.5))
    painter.drawLine(QPointF(x, LINE - 18), QPointF(x, LINE - 5))
    painter.setPen(QPen(theme.color("ink") if step == row - 1 else blue, 2))
    painter.setBrush(blue if step < row else theme.color("canvas"))
    radius = 6.5 if step == row - 1 else 4.5
    painter.drawEllipse(QPointF(x, LINE), radius, radius)
    if selected:
        _ring(painter, x, theme)


def _paint_outranked(
    painter: QPainter,
    scale: RankScale,
    x: Floats,
    lost: NDArray[np.int64],
    name: Callable[[int], str],
    theme: Theme,
    selected: int,
) -> None:
    painter.setPen(QPen(theme.color("ink3"), 1.2))
    for at in np.unique(np.round(x[lost])).tolist():
        painter.drawLine(QPointF(at - 4, LINE - 4), QPointF(at + 4, LINE + 4))
        painter.drawLine(QPointF(at - 4, LINE + 4), QPointF(at + 4, LINE - 4))
    font = theme.piece_font(SIZE_NOTE)
    painter.setFont(font)
    taken: list[QRectF] = []
    for i in lost.tolist():
        if i == selected:
            _ring(painter, float(x[i]), theme)
        label = name(i)
        box = _label_box(font, label, float(x[i]), BELOW, scale)
        if any(box.intersects(other) for other in taken):
            continue
        taken.append(box)
        leader = QPen(theme.color("line2"), 1)
        leader.setDashPattern([1, 2])
        painter.setPen(leader)
        painter.drawLine(QPointF(x[i], LINE + 6), QPointF(x[i], BELOW - 8))
        painter.setPen(theme.color("ink2"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)


def _ring(painter: QPainter, x: float, theme: Theme) -> None:
    painter.setPen(QPen(theme.color("ink"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(x, LINE), 9, 9)


def _label_box(font: QFont, label: str, x: float, y: float, scale: RankScale) -> QRectF:
    metrics = QFontMetricsF(font)
    box = QRectF(0, 0, metrics.horizontalAdvance(label) + 8, metrics.height() + 2)
    box.moveCenter(QPointF(x, y))
    box.moveLeft(min(max(box.left(), scale.left - 30), scale.right + 30 - box.width()))
    return box


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
        wide = metrics.horizontalAdvance(text)
        painter.setPen(theme.color("ink3"))
        painter.drawText(QPointF(x - wide / 2, LINE + 20), text)


def rule_at(scale: RankScale, rules: Rules, x: float, y: float) -> int:
    """Return the rule whose mark or stem is at a point, the nearest one; -1 for none."""
    if not len(rules.rank) or not LINE - 40 <= y <= HEIGHT:
        return -1
    away = np.abs(scale.x(rules.rank) - x)
    nearest = int(np.argmin(away))
    return nearest if away[nearest] <= REACH else -1
