"""The column of a node: one bar for each edge that arrives, and what became of it.

Perfect sampling and v1 toss a coin: the bar runs from 0 to 1, is filled to the chance, and the
needle stands at the random number u. Where another lane's coin falls otherwise at the same u, the
gap between both chances is bracketed. ffbs chooses on the way back: each bar is filled where its
edge is chosen, and the needle stands in one of them. The Viterbi pass compares: the bar is filled
to the newcomer's score and the needle stands at the score held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from app.draw.lane import edge_text, node_at
from app.draw.numbers import chance_text, signed
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from engine.trace import Arrival
from engine.traces.passes import PassTrace

translate = QCoreApplication.translate

HEAD = 28.0
TALLEST, SHORTEST, ROOMY = 46.0, 24.0, 38.0
BAR = 20.0
NUMBERS_FROM = 470.0
"""Width from which the log-weights have a column of their own."""


@dataclass(frozen=True)
class Coin:
    """One row of the column. verdict: its mark and words; open: its step is still to come.

    low, high: the stretch of 0 … 1 in which a random number chooses the edge. needle: that number,
    NaN while there is none. other: the chance that the edge has in the lane beside this one, where
    the coin falls otherwise there; NaN where it doesn't.
    """

    arrival: Arrival
    label: str
    verdict: str
    won: bool
    open: bool
    low: float = 0.0
    high: float = 1.0
    needle: float = math.nan
    other: float = math.nan

    @property
    def parts(self) -> bool:
        """Whether the two lanes part at this coin."""
        return not math.isnan(self.other)


@dataclass(frozen=True)
class Column:
    """The rows of a node at a moment. current: the row just played, −1 for none.

    low, high: the range of scores of a Viterbi node.
    """

    node: int
    rows: tuple[Coin, ...]
    current: int
    low: float
    high: float


def column_at(trace: PassTrace, k: int, beside: PassTrace | None = None) -> Column:
    """Return what has come to the node of state k; before the first step that of the first.

    beside: the trace of another method over the same edges with the same random numbers.
    """
    if trace.kind == "ffbs":
        return _choices_at(trace, k)
    node = node_at(trace, k) if k > 0 or not trace.n_forward else int(trace.node[0])
    steps = trace.steps_at(node)
    done = min(k, trace.n_forward)
    taken = [step for step in steps if step < done and trace.taken[step]]
    holder = taken[-1] if taken else -1
    rows = []
    for step in steps:
        arrival = trace.event(step)
        assert isinstance(arrival, Arrival)
        other = math.nan
        if beside is not None and step < done and beside.taken[step] != trace.taken[step]:
            other = float(beside.chance[step])
        rows.append(
            Coin(
                arrival,
                edge_text(trace.lattice, arrival.edge),
                _verdict(trace, arrival, step < done, step == holder),
                step == holder,
                step >= done,
                0.0,
                arrival.chance,
                arrival.u,
                other,
            )
        )
    scores = [row.arrival.newcomer for row in rows]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    # A little beyond the range, so that the lowest bar is seen.
    margin = max((high - low) * 0.25, 0.5)
    current = k - 1 - steps.start if 0 < k <= trace.n_forward else -1
    return Column(node, tuple(rows), current, low - margin, high)


def _choices_at(trace: PassTrace, k: int) -> Column:
    """Return the column of a method that sums forward and chooses backward."""
    node = node_at(trace, k) if k > 0 or not trace.n_forward else int(trace.node[0])
    steps, done = trace.steps_at(node), min(k, trace.n_forward)
    back = min(k - trace.n_forward - 1, len(trace.back) - 1)
    if k >= len(trace):
        back = 0  # At the end the last node is shown, where the way back began.
    chosen, needle = -1, math.nan
    if back >= 0 and len(trace.back):
        chosen, needle = int(trace.back[back]), float(trace.back_u[back])
    rows = []
    for step in steps:
        arrival = trace.event(step)
        assert isinstance(arrival, Arrival)
        won = arrival.edge == chosen
        verdict = ""
        if chosen >= 0:
            verdict = translate("Coins", "chosen ✓") if won else translate("Coins", "not chosen ×")
        elif step < done:
            verdict = translate("Coins", "added")
        low, high = trace.stretch(step)
        label = edge_text(trace.lattice, arrival.edge)
        rows.append(Coin(arrival, label, verdict, won, step >= done, low, high, needle))
    current = k - 1 - steps.start if 0 < k <= trace.n_forward else -1
    if chosen >= 0:
        current = next((i for i, row in enumerate(rows) if row.won), -1)
    return Column(node, tuple(rows), current, 0.0, 1.0)


def _verdict(trace: PassTrace, arrival: Arrival, done: bool, holds: bool) -> str:
    if not done:
        return ""
    if not arrival.taken:
        equal = trace.kind == "viterbi" and arrival.newcomer == arrival.held
        return translate("Coins", "tie: out ×") if equal else translate("Coins", "kept out ×")
    if not holds:
        return translate("Coins", "replaced ×")
    return translate("Coins", "held ✓") if arrival.first else translate("Coins", "taken ✓")


def row_height(rect: QRectF, rows: int) -> float:
    """Return the height of a row where `rows` share the column."""
    return min(max((rect.height() - HEAD) / max(rows, 1), SHORTEST), TALLEST)


def rows_in_view(rect: QRectF, column: Column) -> range:
    """Return the rows that fit, around the current one."""
    high = row_height(rect, len(column.rows))
    fit = max(int((rect.height() - HEAD) / high + 1e-6), 1)
    if fit >= len(column.rows):
        return range(len(column.rows))
    here = column.current if column.current >= 0 else len(column.rows) - 1
    first = min(max(here - fit // 2, 0), len(column.rows) - fit)
    return range(first, first + fit)


def paint_column(
    painter: QPainter,
    rect: QRectF,
    trace: PassTrace,
    column: Column,
    theme: Theme,
    progress: float = 1.0,
) -> None:
    """Paint the column. progress: 0 … 1 of the needle's way to its place in the current row."""
    shown = rows_in_view(rect, column)
    _paint_head(painter, rect, trace, column, shown, theme)
    high = row_height(rect, len(column.rows))
    for place, i in enumerate(shown):
        row = QRectF(rect.left(), rect.top() + HEAD + place * high, rect.width(), high)
        at = progress if i == column.current else 1.0
        _paint_row(painter, row, trace, column, column.rows[i], theme, at, i == column.current)


def _paint_head(
    painter: QPainter,
    rect: QRectF,
    trace: PassTrace,
    column: Column,
    shown: range,
    theme: Theme,
) -> None:
    text = heading(column, shown, at_end=column.node == trace.lattice.n_nodes - 1)
    painter.setFont(theme.font(SIZE_DATA))
    painter.setPen(theme.color("ink2"))
    head = QRectF(rect.left(), rect.top(), rect.width(), HEAD - 8)
    painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
    if rect.width() >= NUMBERS_FROM:
        painter.setFont(theme.font(SIZE_NOTE))
        painter.setPen(theme.color("ink3"))
        _, _, _, numbers = _columns(head)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        half = numbers.width() / 2
        painter.drawText(numbers.adjusted(0, 0, -half, 0), right, translate("Coins", "weight"))
        painter.drawText(numbers.adjusted(half, 0, 0, 0), right, translate("Coins", "so far"))


def heading(column: Column, shown: range, *, at_end: bool) -> str:
    """Return what stands over the rows. shown: those in view. at_end: it is the last node."""
    count = len(column.rows)
    if count == 1:
        words = translate("Coins", "At node {node}: one edge arrives")
    elif at_end and len(shown) < count:
        words = translate(
            "Coins", "At the last node: {count} arrive in turn · {first} to {last} shown"
        )
    elif at_end:
        words = translate("Coins", "At the last node: {count} arrive in turn")
    elif len(shown) < count:
        words = translate(
            "Coins", "At node {node}: {count} arrive in turn · {first} to {last} shown"
        )
    else:
        words = translate("Coins", "At node {node}: {count} arrive in turn")
    return words.format(
        node=f"{column.node:,}",
        count=f"{count:,}",
        first=f"{shown.start + 1:,}",
        last=f"{shown.stop:,}",
    )


def _columns(row: QRectF) -> tuple[QRectF, QRectF, QRectF, QRectF]:
    """Divide a row: label, bar, verdict, numbers."""
    label = min(max(row.width() * 0.18, 64.0), 120.0)
    numbers = 136.0 if row.width() >= NUMBERS_FROM else 0.0
    verdict = 92.0
    bar = max(row.width() - label - verdict - numbers - 24, 60.0)
    x = row.left()
    parts = []
    for wide in (label, bar, verdict, numbers):
        parts.append(QRectF(x, row.top(), wide, row.height()))
        x += wide + 8
    return parts[0], parts[1], parts[2], parts[3]


def _paint_row(
    painter: QPainter,
    row: QRectF,
    trace: PassTrace,
    column: Column,
    coin: Coin,
    theme: Theme,
    progress: float,
    current: bool,
) -> None:
    label, bar, verdict, numbers = _columns(row)
    roomy = row.height() >= ROOMY
    middle = row.top() + (BAR / 2 + 2 if roomy else row.height() / 2)
    line = QRectF(0, middle - 11, 0, 22)
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    if current:
        painter.fillRect(row.adjusted(-6, 0, 4, -2), theme.color("panel"))
    font = theme.piece_font(SIZE_DATA + 1, bold=current)
    painter.setFont(font)
    painter.setPen(theme.color("ink3" if coin.open else "ink"))
    text = QFontMetricsF(font).elidedText(coin.label, Qt.TextElideMode.ElideMiddle, label.width())
    painter.drawText(QRectF(label.left(), line.top(), label.width(), 22), left, text)
    box = QRectF(bar.left(), middle - BAR / 2, bar.width(), BAR)
    if trace.kind != "viterbi":
        _paint_coin(painter, box, coin, theme, progress, roomy, trace.kind == "ffbs")
    else:
        _paint_score(painter, box, column, coin, theme, progress, roomy)
    if coin.open or progress < 1:
        return
    painter.setFont(theme.font(SIZE_DATA, bold=coin.won))
    token = "ink2"
    if coin.won:
        token = "best" if trace.kind == "viterbi" else "sampled"
    painter.setPen(theme.color(token))
    painter.drawText(QRectF(verdict.left(), line.top(), verdict.width(), 22), left, coin.verdict)
    if numbers.width() > 0:
        half = numbers.width() / 2
        painter.setFont(theme.font(SIZE_DATA))
        painter.setPen(theme.color("ink2"))
        spot = QRectF(numbers.left(), line.top(), half, 22)
        painter.drawText(spot, right, signed(coin.arrival.newcomer))
        held = "–" if coin.arrival.first else signed(coin.arrival.held)
        painter.drawText(spot.translated(half, 0), right, held)


def _paint_coin(
    painter: QPainter,
    box: QRectF,
    coin: Coin,
    theme: Theme,
    progress: float,
    roomy: bool,
    chooses: bool,
) -> None:
    """Paint chance and needle of a coin on a scale from 0 to 1."""
    arrival = coin.arrival
    frame = QPen(theme.color("line2"), 1)
    if coin.open:
        frame.setDashPattern([2, 3])
    painter.setPen(frame)
    painter.setBrush(Qt.BrushStyle.NoBrush if coin.open else theme.color("panel"))
    painter.drawRoundedRect(box, 3, 3)
    left = box.left() + box.width() * coin.low
    wide = max(box.width() * (coin.high - coin.low), 1.5)
    filled = QRectF(left, box.top(), wide, box.height())
    if coin.open:
        pen = QPen(theme.color("sampled"), 1)
        pen.setDashPattern([2, 3])
        painter.setPen(pen)
        painter.drawLine(filled.topRight(), filled.bottomRight())
        return
    painter.setPen(QPen(theme.color("sampled"), 1.4))
    painter.setBrush(theme.color("fill_sampled"))
    painter.drawRoundedRect(filled, 3, 3)
    if chooses:
        _paint_choice(painter, box, filled, coin, theme, roomy)
        return
    if arrival.first:
        text = translate("Coins", "take: first edge")
    else:
        text = translate("Coins", "take if u < {chance}").format(chance=chance_text(arrival.chance))
    needle_at = 1.0 if arrival.first else arrival.u
    ways, marks = [text], [needle_at]
    if not arrival.first:
        short = translate("Coins", "u < {chance}")
        ways.append(short.format(chance=chance_text(arrival.chance)))
    if coin.parts:
        # Both chances are in the sentence under the column.
        ways.append("")
        marks += [coin.high, coin.other, 1.0]
    _write_inside(painter, box, ways, theme, [box.left() + box.width() * at for at in marks])
    if not arrival.first:
        needle = translate("Coins", "u = {u}").format(u=f"{arrival.u:.3f}")
        x = box.left() + box.width() * arrival.u * progress
        _paint_needle(painter, x, box, needle if progress >= 1 else "", theme, roomy)
    if coin.parts and progress >= 1:
        _paint_gap(painter, box, coin, theme)


def _paint_gap(painter: QPainter, box: QRectF, coin: Coin, theme: Theme) -> None:
    """Bracket the gap between the chances of two lanes, in which u lies; ≠ stands over it."""
    low, high = sorted((coin.high, coin.other))
    left, right = (box.left() + box.width() * share for share in (low, high))
    ink = theme.color("ink")
    pen = QPen(ink, 1.6)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    y = box.bottom() + 3
    painter.drawPolyline(
        QPolygonF(
            [QPointF(left, y - 5), QPointF(left, y), QPointF(right, y), QPointF(right, y - 5)]
        )
    )
    pen.setDashPattern([2, 2])
    painter.setPen(pen)
    for x in (left, right):
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
    font = theme.font(SIZE_DATA, bold=True)
    painter.setFont(font)
    inside = box.adjusted(right - box.left() + 8, 0, -4, 0)
    words = translate("Coins", "≠ lanes part")
    fits = QFontMetricsF(font).horizontalAdvance(words) <= inside.width()
    centred = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    painter.drawText(inside, centred, words if fits else "≠")


def _paint_choice(
    painter: QPainter, box: QRectF, filled: QRectF, coin: Coin, theme: Theme, roomy: bool
) -> None:
    """Paint the needle over a stretch; before that the edge's share of what has arrived."""
    share = translate("Coins", "{share} of all").format(share=chance_text(coin.high - coin.low))
    font = theme.font(SIZE_DATA)
    wide = QFontMetricsF(font).horizontalAdvance(share)
    painter.setFont(font)
    painter.setPen(theme.color("ink"))
    left = filled.left() + 8
    if left + wide > box.right() - 4:
        left = max(filled.left() - 8 - wide, box.left() + 4)
    room = QRectF(left, box.top(), wide + 2, box.height())
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, share)
    if not math.isnan(coin.needle):
        text = translate("Coins", "u = {u}").format(u=f"{coin.needle:.3f}") if coin.won else ""
        _paint_needle(painter, box.left() + box.width() * coin.needle, box, text, theme, roomy)


def _paint_score(
    painter: QPainter,
    box: QRectF,
    column: Column,
    coin: Coin,
    theme: Theme,
    progress: float,
    roomy: bool,
) -> None:
    """Paint a newcomer's score, and the one it is compared with as a needle."""
    arrival = coin.arrival
    frame = QPen(theme.color("line2"), 1)
    if coin.open:
        frame.setDashPattern([2, 3])
    painter.setPen(frame)
    painter.setBrush(Qt.BrushStyle.NoBrush if coin.open else theme.color("panel"))
    painter.drawRoundedRect(box, 3, 3)
    if coin.open:
        return

    def place(score: float) -> float:
        return (score - column.low) / (column.high - column.low)

    filled = QRectF(box)
    filled.setWidth(max(box.width() * place(arrival.newcomer) * progress, 1.5))
    painter.setPen(QPen(theme.color("best"), 1.4))
    painter.setBrush(theme.color("fill_best"))
    painter.drawRoundedRect(filled, 3, 3)
    text = translate("Coins", "score {score}").format(score=signed(arrival.newcomer))
    at = [] if arrival.first else [place(arrival.held)]
    _write_inside(painter, box, [text], theme, [box.left() + box.width() * x for x in at])
    if not arrival.first:
        held = translate("Coins", "so far {score}").format(score=signed(arrival.held))
        x = box.left() + box.width() * min(max(place(arrival.held), 0.0), 1.0)
        _paint_needle(painter, x, box, held, theme, roomy)


def _write_inside(
    painter: QPainter, box: QRectF, ways: list[str], theme: Theme, marks: list[float]
) -> None:
    """Write into a bar left or right of all that crosses it, in the first of some ways that fits.

    The last one is written in any case. marks: x of the lines that cross.
    """
    font = theme.font(SIZE_DATA)
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    painter.setPen(theme.color("ink"))
    inside = box.adjusted(8, 0, -8, 0)
    first, last = min(marks, default=math.inf), max(marks, default=-math.inf)
    text, side = ways[-1], Qt.AlignmentFlag.AlignLeft
    for way in ways:
        wide = metrics.horizontalAdvance(way) + 6
        if wide <= first - inside.left() or wide <= inside.right() - last:
            text = way
            right = wide > first - inside.left()
            side = Qt.AlignmentFlag.AlignRight if right else side
            break
    painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | side, text)


def _paint_needle(
    painter: QPainter, x: float, box: QRectF, text: str, theme: Theme, roomy: bool
) -> None:
    ink = theme.color("ink")
    painter.setPen(QPen(ink, 2))
    painter.drawLine(QPointF(x, box.top() - 3), QPointF(x, box.bottom() + 3))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    top = box.top() - 4
    painter.drawPolygon(
        QPolygonF([QPointF(x - 4, top - 3), QPointF(x + 4, top - 3), QPointF(x, top + 3)])
    )
    if text and roomy:
        font = theme.font(SIZE_NOTE)
        painter.setFont(font)
        painter.setPen(theme.color("ink2"))
        wide = QFontMetricsF(font).horizontalAdvance(text)
        left = min(max(x - wide / 2, box.left()), box.right() - wide)
        painter.drawText(QPointF(left, box.bottom() + 14), text)
