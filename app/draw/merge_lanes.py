"""A word under several rules of merging: a lane each, what differs from the model marked.

Lanes show tokens, so a word takes the room of its tokens: a cell stands between any two borders
that some lane has, and a token is as wide as its cells. Equal borders stand under one another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.draw.marks import draw_hatch
from app.draw.merge_grid import MARGIN, PAD
from app.draw.merge_labels import Labels
from app.draw.widths import Widths
from app.draw.word import Row, Word
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme
from engine.pieces import PieceKind

LANE, BRICK = 50.0, 22.0
"""Height of a lane and of its bricks."""

GAP, SPACE = 4.0, 16.0
"""Pixels between two bricks, and between two merges."""

CELL, NARROWEST, WIDEST = 12.0, 28.0, 400.0
"""Width of a cell and of a brick: the least, and for a brick the most that its text gets."""

MERGES = 300
"""Merges of a lane that are written; of more of them the first ones."""

DIFFERENT = "≠"

Marks = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LaneRow:
    """One lane. name, note: its two lines at the left. total: before its merges.

    tokens, steps: which of the word's tokens and merges the model itself hasn't. shown: the rows
    above show this lane. rest: what is said of merges that aren't written.
    """

    name: str
    note: str
    total: str
    word: Word
    labels: Labels
    tokens: Marks
    steps: Marks
    shown: bool
    rest: str = ""

    @cached_property
    def row(self) -> Row:
        """The tokens."""
        return self.word.row(self.word.n_steps)

    def piece(self, i: int) -> tuple[str, bool]:
        """Return the text of a token, and whether it is a fragment of characters."""
        row = self.row
        return self.labels.symbol(int(row.piece[i]), int(row.start[i]), int(row.end[i]))

    def needs(self, width: Callable[[str], float]) -> Floats:
        """Return the room that each token asks for: float64[t]. width: pixels of a text.

        Each piece is measured once; unknown tokens are, by their bytes, one by one.
        """
        row, vocabulary = self.row, self.word.trace.model.vocabulary
        known = (row.piece >= 0) & (vocabulary.kind[row.piece] != PieceKind.UNKNOWN)
        _, firsts, which = np.unique(row.piece[known], return_index=True, return_inverse=True)
        wide = np.zeros(len(row.piece))
        places = np.flatnonzero(known)[firsts]
        wide[known] = np.array([width(self.piece(i)[0]) for i in places.tolist()])[which]
        for i in np.flatnonzero(~known).tolist():
            wide[i] = width(self.piece(i)[0])
        return np.clip(wide + 2 * PAD + GAP, NARROWEST, WIDEST)

    def pieces(self, count: int) -> list[tuple[str, bool]]:
        """Return the first tokens as written, each with whether the model hasn't got it."""
        count = min(count, len(self.tokens))
        return [(self.piece(i)[0], bool(self.tokens[i])) for i in range(count)]

    def merges(self, count: int) -> list[str]:
        """Return the first merges, each with its rank; those that differ begin with a mark."""
        first = self.word.steps.start
        ranks = self.word.trace.steps.rank
        return [
            f"{DIFFERENT + ' ' if self.steps[k] else ''}{self.labels.rule_of_step(first + k)}"
            f" {int(ranks[first + k]):,}"
            for k in range(min(count, self.word.n_steps))
        ]


@dataclass(frozen=True, eq=False)
class LanePlaces:
    """Where a lane's tokens and merges stand, counted in reading direction from the first token.

    x0, x1: float64[t], ends of each token. texts: the count of tokens, each merge, and what is said
    of the others. m0, m1: float64, ends of each of these texts.
    """

    lane: LaneRow
    x0: Floats
    x1: Floats
    texts: tuple[str, ...]
    m0: Floats
    m1: Floats


@dataclass(frozen=True, eq=False)
class LaneGrid:
    """Where everything in the lanes stands. mirrored: the first token is at the right.

    least: pixels that the picture takes, with its margins. room: pixels that there are for it.
    """

    lanes: tuple[LanePlaces, ...]
    least: float
    mirrored: bool
    room: float = 0.0

    @property
    def width(self) -> float:
        """Pixels of the picture."""
        return max(self.least, self.room)

    def rect(self, x0: float, x1: float, top: float, height: float) -> QRectF:
        """Return the rectangle of what stands between two places."""
        left = self.width - MARGIN - x1 if self.mirrored else MARGIN + x0
        return QRectF(left, top, x1 - x0, height)

    def seen(self, x0: Floats, x1: Floats, view: tuple[float, float]) -> range:
        """Return which of some places, ascending, reach into view[0] … view[1]."""
        low, high = view
        if self.mirrored:
            low, high = self.width - high, self.width - low
        first = int(np.searchsorted(x1, low - MARGIN, side="right"))
        return range(first, int(np.searchsorted(x0, high - MARGIN)))


def place_lanes(lanes: tuple[LaneRow, ...], theme: Theme, *, mirrored: bool) -> LaneGrid:
    """Lay the lanes of a word out."""
    width = Widths(theme.piece_font(SIZE_BODY))
    borders = np.unique(
        np.concatenate([end for lane in lanes for end in (lane.row.start, lane.row.end)])
    )
    firsts = [np.searchsorted(borders, lane.row.start) for lane in lanes]
    lasts = [np.searchsorted(borders, lane.row.end) for lane in lanes]
    needs = np.concatenate([lane.needs(width) for lane in lanes])
    x = _borders(len(borders), np.concatenate(firsts), np.concatenate(lasts), needs)
    placed = tuple(
        LanePlaces(lane, x[first], x[last] - GAP, *_place_merges(lane, theme))
        for lane, first, last in zip(lanes, firsts, lasts, strict=True)
    )
    ends = [float(x[-1]) if len(x) else 0.0, *(float(lane.m1[-1]) for lane in placed)]
    return LaneGrid(placed, max(ends) + 2 * MARGIN, mirrored)


def _borders(count: int, first: NDArray[np.intp], last: NDArray[np.intp], needs: Floats) -> Floats:
    """Return the least places of borders at which each token has the room that it needs."""
    ending: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for a, b, need in zip(first.tolist(), last.tolist(), needs.tolist(), strict=True):
        ending[b].append((a, need))
    x = [0.0] * count
    for b in range(1, count):
        x[b] = max([x[b - 1] + CELL, *(x[a] + need for a, need in ending[b])])
    return np.array(x)


def _place_merges(lane: LaneRow, theme: Theme) -> tuple[tuple[str, ...], Floats, Floats]:
    plain, bold = (Widths(theme.piece_font(SIZE_DATA, bold=b)) for b in (False, True))
    said = Widths(theme.font(SIZE_DATA))
    merges = lane.merges(MERGES)
    wide = [said(lane.total)]
    wide += [
        (bold if differs else plain)(text)
        for text, differs in zip(merges, lane.steps[: len(merges)].tolist(), strict=True)
    ]
    texts = [lane.total, *merges]
    if lane.rest:
        texts.append(lane.rest)
        wide.append(said(lane.rest))
    widths = np.array(wide) + 2
    end = np.cumsum(widths + SPACE) - SPACE
    return tuple(texts), end - widths, end


def paint_name(painter: QPainter, lane: LaneRow, theme: Theme, top: float, gutter: float) -> None:
    """Paint what a lane is into [0, gutter]."""
    painter.fillRect(QRectF(0, top, gutter, LANE), theme.color("panel" if lane.shown else "canvas"))
    if lane.shown:
        painter.fillRect(QRectF(0, top, 3, LANE), theme.color("ink"))
    left, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
    painter.setFont(theme.font(SIZE_BODY, bold=True))
    painter.setPen(theme.color("ink"))
    painter.drawText(QRectF(16, top + 3, gutter - 24, 18), left | middle, lane.name)
    painter.setFont(theme.font(SIZE_NOTE))
    painter.setPen(theme.color("ink2"))
    flags = Qt.TextFlag.TextWordWrap.value | left.value | Qt.AlignmentFlag.AlignTop.value
    painter.drawText(QRectF(16, top + 20, gutter - 24, 30), flags, lane.note)


def paint_lane(
    painter: QPainter,
    grid: LaneGrid,
    places: LanePlaces,
    theme: Theme,
    top: float,
    view: tuple[float, float],
) -> None:
    """Paint the tokens and merges of a lane that reach into view[0] … view[1]."""
    if places.lane.shown:
        painter.fillRect(QRectF(view[0], top, view[1] - view[0], LANE), theme.color("panel"))
    tokens = grid.seen(places.x0, places.x1, view)
    for i in tokens:
        rect = grid.rect(float(places.x0[i]), float(places.x1[i]), top + 5, BRICK)
        _paint_brick(painter, *places.lane.piece(i), bool(places.lane.tokens[i]), theme, rect)
    for i in tokens:
        if places.lane.tokens[i]:
            rect = grid.rect(float(places.x0[i]), float(places.x1[i]), top + 5, BRICK)
            _paint_badge(painter, theme, rect)
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    steps = places.lane.steps
    for i in grid.seen(places.m0, places.m1, view):
        merge = 1 <= i <= min(len(steps), MERGES)
        differs = merge and bool(steps[i - 1])
        font = theme.piece_font(SIZE_DATA, bold=differs) if merge else theme.font(SIZE_DATA)
        painter.setFont(font)
        painter.setPen(theme.color("alternative" if differs else "ink2"))
        rect = grid.rect(float(places.m0[i]), float(places.m1[i]), top + 29, 18)
        painter.drawText(rect, middle, places.texts[i])


def _paint_brick(
    painter: QPainter, text: str, fragment: bool, differs: bool, theme: Theme, rect: QRectF
) -> None:
    back = theme.color("fill_alternative" if differs else "panel")
    line = theme.color("alternative" if differs else "line2")
    painter.setPen(QPen(line, 2 if differs else 1))
    painter.setBrush(back)
    painter.drawRoundedRect(rect, 4, 4)
    font = theme.piece_font(SIZE_BODY)
    metrics = QFontMetricsF(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, rect.width() - 2 * PAD)
    if fragment:
        draw_hatch(painter, rect.adjusted(2, 2, -2, -2), theme.color("line"))
        box = QRectF(0, 0, metrics.horizontalAdvance(shown) + 8, BRICK - 8)
        box.moveCenter(rect.center())
        painter.fillRect(box, back)
    painter.setFont(font)
    painter.setPen(theme.color("ink"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)


def _paint_badge(painter: QPainter, theme: Theme, rect: QRectF) -> None:
    """Put the sign of a difference on a corner: colour alone would say nothing to some."""
    badge = QRectF(0, 0, 14, 14)
    badge.moveCenter(QPointF(rect.right() - 3, rect.top() + 2))
    painter.setPen(QPen(theme.color("canvas"), 1))
    painter.setBrush(theme.color("alternative"))
    painter.drawEllipse(badge)
    painter.setFont(theme.font(SIZE_NOTE, bold=True))
    painter.setPen(theme.color("canvas"))
    painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, DIFFERENT)
