"""The law against the sample: outlined bars for the exact law, marks with intervals for shares.

Also the distance between the two as the sample grows, on two logarithmic axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from app.draw.method_mark import Shape, paint_mark
from app.draw.numbers import share_text
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from engine.goodness import share_interval

Floats = NDArray[np.float64]
Place = Callable[[float], float]

FOOT = 26.0
ROW_ONE, ROW_TWO, ROW_MORE = 26.0, 40.0, 14.0
"""Least height of a row with one method and with two, and what each further one needs."""

TALLEST = 52.0

END_LABEL = 30.0
"""Pixels that the name and the number at a line's end take."""

_ENDS = {
    0.001: 5, 0.002: 4, 0.005: 5, 0.01: 5, 0.02: 4, 0.05: 5, 0.1: 5, 0.2: 4, 0.3: 3, 0.4: 4,
    0.5: 5, 0.6: 6, 0.8: 4, 1.0: 5,
}  # fmt: skip
"""Where an axis may end, and into how many parts it is divided then."""


@dataclass(frozen=True, eq=False)
class Marks:
    """One method's counts by outcome, int64[k].

    certain: it always gives one path, so it has no mark at the others. exact: the law of the method
    itself where it isn't that of the chart, float64[k]; NaN where it can't be had. sets: how many
    sets were drawn of which the counts say how many hold an outcome; 0 where a draw is one outcome.
    """

    name: str
    counts: NDArray[np.int64]
    shape: Shape
    color: QColor
    certain: bool = False
    exact: Floats | None = None
    sets: int = 0

    @cached_property
    def n(self) -> int:
        """Number of draws."""
        return self.sets or int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The rows of the chart: labels, exact probabilities float64[k], and the methods' counts.

    rest: the last row stands for all segmentations that aren't listed.
    """

    labels: tuple[str, ...]
    exact: Floats
    marks: tuple[Marks, ...]
    rest: bool = False

    @property
    def largest(self) -> float:
        """The greatest share that the axis has to reach."""
        tops = [float(np.nan_to_num(self.exact).max(initial=0.0))]
        for mark in self.marks:
            if mark.exact is not None:
                tops.append(float(np.nan_to_num(mark.exact).max(initial=0.0)))
            if mark.n:
                tops.append(float(mark.counts.max()) / mark.n)
        return max(tops)


def least_height(outcomes: Outcomes) -> float:
    """Return the height that all rows need."""
    return len(outcomes.labels) * _least_row(outcomes) + FOOT


def _least_row(outcomes: Outcomes) -> float:
    count = len(outcomes.marks)
    return ROW_TWO + ROW_MORE * (count - 2) if count > 1 else ROW_ONE


def row_height(outcomes: Outcomes, height: float) -> float:
    """Return the height of a row in a chart of this height."""
    least = _least_row(outcomes)
    tallest = max(TALLEST, least)
    return min(max((height - FOOT) / max(len(outcomes.labels), 1), least), tallest)


def axis_end(largest: float) -> float:
    """Return where the axis ends: a round share a little beyond the largest one."""
    return next((end for end in _ENDS if largest * 1.06 <= end), 1.0)


def axis_parts(end: float) -> int:
    """Return into how many parts the numbers of an axis divide it."""
    return _ENDS.get(end, 5)


def paint_law(
    painter: QPainter,
    rect: QRectF,
    outcomes: Outcomes,
    theme: Theme,
    *,
    label_width: float,
    foot: float,
    stale: bool,
    selected: int = -1,
) -> None:
    """Paint the rows. stale: the sample belongs to another law, so its marks are pale.

    foot: y that the numbers of the axis don't go below, where rows scroll under them.
    """
    row = row_height(outcomes, rect.height())
    left, right = rect.left() + label_width + 12, rect.right() - 64
    end = axis_end(outcomes.largest)
    bottom = rect.top() + row * len(outcomes.labels)

    def x(share: float) -> float:
        return left + (right - left) * min(share / end, 1.02)

    ticks = np.linspace(0, end, axis_parts(end) + 1).tolist()
    for tick in ticks:
        painter.setPen(QPen(theme.color("hair" if tick else "line2"), 1))
        painter.drawLine(QPointF(x(tick), rect.top()), QPointF(x(tick), bottom))
    for i, label in enumerate(outcomes.labels):
        top = rect.top() + i * row
        line = QRectF(rect.left(), top, label_width, row)
        rest = outcomes.rest and i == len(outcomes.labels) - 1
        if i == selected:
            painter.fillRect(
                QRectF(rect.left() - 4, top + 1, rect.width() + 4, row - 2),
                theme.color("selection"),
            )
        font = theme.font(SIZE_DATA) if rest else theme.piece_font(SIZE_DATA)
        painter.setFont(font)
        painter.setPen(theme.color("ink2" if rest else "ink"))
        text = QFontMetricsF(font).elidedText(label, Qt.TextElideMode.ElideMiddle, label_width)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        p = float(outcomes.exact[i])
        high = min(row - 10, 40.0) if len(outcomes.marks) < 3 else row - 10
        wide = max(x(p) - left, 1.0) if p == p else 0.0
        bar = QRectF(left, top + (row - high) / 2, wide, high)
        pen = QPen(theme.color("ink"), 1.4)
        if rest:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if wide:
            painter.drawRect(bar)
        painter.setFont(theme.font(SIZE_NOTE))
        painter.setPen(theme.color("ink2"))
        note = QRectF(right + 4, top, 60, row)
        painter.drawText(
            note, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, share_text(p)
        )
        count = len(outcomes.marks)
        for m, mark in enumerate(outcomes.marks):
            y = top + row * mark_place(m, count)
            if mark.exact is not None and not mark.certain and mark.exact[i] == mark.exact[i]:
                _paint_own(painter, x(float(mark.exact[i])), y, mark.color)
            # A method that always gives one path has nothing to show at the others.
            if mark.n and not (mark.certain and mark.counts[i] == 0):
                _paint_mark(painter, x, y, int(mark.counts[i]), mark, theme, stale, right)
    below = QRectF(rect.left(), min(bottom, foot - FOOT), rect.width(), FOOT)
    _paint_ticks(painter, theme, x, ticks, below)


def mark_place(m: int, count: int) -> float:
    """Return where in a row, 0 … 1, the mark of method m of `count` stands."""
    if count == 1:
        return 0.5
    edge = 0.3 if count == 2 else 0.2
    return edge + (1 - 2 * edge) * m / (count - 1)


def _paint_own(painter: QPainter, at: float, y: float, color: QColor) -> None:
    """Paint where the law of a method itself puts its share: a dotted line across its mark."""
    pen = QPen(color, 2)
    pen.setDashPattern([1, 1])
    painter.setPen(pen)
    painter.drawLine(QPointF(at, y - 8), QPointF(at, y + 8))


def _paint_ticks(
    painter: QPainter, theme: Theme, x: Place, ticks: list[float], rect: QRectF
) -> None:
    """Write the numbers of the axis on paper of their own, over the rows that scroll under."""
    painter.fillRect(rect, theme.color("canvas"))
    painter.setFont(theme.font(SIZE_NOTE))
    painter.setPen(theme.color("ink3"))
    digits = next((d for d in range(1, 6) if abs(round(ticks[1], d) - ticks[1]) < 1e-12), 6)
    for tick in ticks:
        box = QRectF(x(tick) - 30, rect.top() + 3, 60, 18)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{tick:.{digits}f}")


def _paint_mark(
    painter: QPainter,
    x: Place,
    y: float,
    count: int,
    mark: Marks,
    theme: Theme,
    stale: bool,
    right: float,
) -> None:
    low, high = share_interval(count, mark.n)
    color = QColor(mark.color)
    if stale:
        color.setAlphaF(0.45)
    at = x(count / mark.n)
    painter.setPen(QPen(color, 1.6))
    painter.drawLine(QPointF(x(low), y), QPointF(x(high), y))
    for end in (low, high):
        painter.drawLine(QPointF(x(end), y - 4), QPointF(x(end), y + 4))
    paint_mark(painter, mark.shape, QPointF(at, y), 4.2, color, theme.color("canvas"))
    painter.setFont(theme.font(SIZE_NOTE))
    painter.setPen(theme.color("ink2"))
    text = f"{count:,}"
    wide = QFontMetricsF(theme.font(SIZE_NOTE)).horizontalAdvance(text)
    place = x(high) + 8
    if place + wide > right + 2:
        place = x(low) - 8 - wide
    painter.drawText(QPointF(place, y + 4), text)


@dataclass(frozen=True, eq=False)
class Curve:
    """Total variation distance after n draws: n int64[m], distance float64[m]."""

    name: str
    n: NDArray[np.int64]
    distance: Floats
    color: QColor
    dashed: bool = False


def paint_curves(
    painter: QPainter, rect: QRectF, curves: tuple[Curve, ...], theme: Theme, stale: bool
) -> None:
    """Paint distances against the number of draws, both axes logarithmic."""
    drawn = [curve for curve in curves if len(curve.n)]
    if not drawn:
        return
    named = QFontMetricsF(theme.font(SIZE_DATA, bold=True))
    widest = max(named.horizontalAdvance(curve.name) for curve in drawn)
    left, right = rect.left() + 44, rect.right() - max(76.0, widest + 10)
    top, bottom = rect.top() + 6, rect.bottom() - FOOT
    most = max(float(curve.n[-1]) for curve in drawn)
    positive = np.concatenate([curve.distance[curve.distance > 0] for curve in drawn])
    least = float(positive.min()) if len(positive) else 0.01
    floor = 10.0 ** np.floor(np.log10(max(least, 1e-6)))
    ceiling = 1.0
    span_x = max(np.log10(max(most, 10.0)), 1.0)
    span_y = np.log10(ceiling / floor)

    def x(n: Floats | float) -> Floats:
        return left + (right - left) * np.log10(np.maximum(n, 1.0)) / span_x

    def y(d: Floats | float) -> Floats:
        return bottom - (bottom - top) * np.log10(np.maximum(d, floor) / floor) / span_y

    painter.setFont(theme.font(SIZE_NOTE))
    value = ceiling
    while value >= floor * 0.999:
        for part in (value, value * 0.3):
            if part < floor * 0.999:
                continue
            at = float(y(part))
            painter.setPen(QPen(theme.color("hair"), 1))
            painter.drawLine(QPointF(left, at), QPointF(right, at))
            if span_y < 2.5 or part == value:
                painter.setPen(theme.color("ink3"))
                box = QRectF(rect.left(), at - 9, 38, 18)
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{part:.2g}"
                )
        value /= 10
    painter.setPen(QPen(theme.color("line2"), 1))
    painter.drawLine(QPointF(left, bottom), QPointF(right, bottom))
    power = 1
    while power <= 10**span_x * 1.001:
        at = float(x(float(power)))
        painter.setPen(QPen(theme.color("line2"), 1))
        painter.drawLine(QPointF(at, bottom), QPointF(at, bottom + 4))
        painter.setPen(theme.color("ink3"))
        box = QRectF(at - 30, bottom + 5, 60, 18)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{power:,}")
        power *= 10
    lasts = [float(y(float(curve.distance[-1]))) for curve in drawn]
    ends = spread(lasts, END_LABEL, top + 12, bottom - 16)
    for curve, end in zip(drawn, ends, strict=True):
        color = QColor(curve.color)
        if stale:
            color.setAlphaF(0.45)
        pen = QPen(color, 1.8)
        if curve.dashed:
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        xs, ys = x(curve.n.astype(np.float64)), y(curve.distance)
        points = [QPointF(a, b) for a, b in zip(xs.tolist(), ys.tolist(), strict=True)]
        if len(points) == 1:
            points.append(points[0] + QPointF(1, 0))
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(color)
        painter.setFont(theme.font(SIZE_DATA, bold=True))
        painter.drawText(QPointF(float(xs[-1]) + 8, end), curve.name)
        painter.setPen(theme.color("ink"))
        painter.setFont(theme.font(SIZE_DATA))
        painter.drawText(QPointF(float(xs[-1]) + 8, end + 14), f"{curve.distance[-1]:.3f}")


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places at least `gap` apart, in the same order, from `low` to `high` while there is
    room for all; each as near to its own place as those above it let it be.
    """
    order = sorted(range(len(places)), key=lambda k: places[k])
    moved = list(places)
    least = low
    for k in order:
        moved[k] = max(places[k], least)
        least = moved[k] + gap
    most = high
    for k in reversed(order):
        moved[k] = max(min(moved[k], most), low)
        most = moved[k] - gap
    return moved


def rest_label(listed: int, paths: int) -> str:
    """Return the label of the row of all segmentations that aren't listed."""
    shown = f"{paths - listed:,}" if paths < 10**12 else "…"
    return QCoreApplication.translate("Law", "the other {n}").format(n=shown)
