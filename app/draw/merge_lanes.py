"""A word under several rules of merging: a lane each, what differs from the model marked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.draw.marks import draw_hatch
from app.draw.merge_grid import PAD, RowGrid
from app.draw.merge_labels import Labels
from app.draw.word import Word
from app.theme import SIZE_BODY, SIZE_DATA, SIZE_NOTE, Theme

LANE, BRICK = 50.0, 22.0
"""Height of a lane and of its bricks."""

DIFFERENT = "≠"

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LaneRow:
    """One lane. name, note: its two lines at the left. total: at the right end of its merges.

    tokens, steps: which of the word's tokens and merges the model itself hasn't. shown: the rows
    above show this lane.
    """

    name: str
    note: str
    total: str
    word: Word
    labels: Labels
    tokens: Marks
    steps: Marks
    shown: bool

    def merges(self) -> list[str]:
        """Return the merges in order, each with its rank; those that differ begin with a mark."""
        first = self.word.steps.start
        ranks = self.word.trace.steps.rank
        return [
            f"{DIFFERENT + ' ' if self.steps[k] else ''}{self.labels.rule_of_step(first + k)}"
            f" {int(ranks[first + k]):,}"
            for k in range(self.word.n_steps)
        ]

    def pieces(self) -> list[tuple[str, bool]]:
        """Return the tokens as they are written, each with whether the model hasn't got it."""
        row = self.word.row(self.word.n_steps)
        spans = zip(row.piece.tolist(), row.start.tolist(), row.end.tolist(), strict=True)
        texts = [self.labels.symbol(*span)[0] for span in spans]
        return list(zip(texts, self.tokens.tolist(), strict=True))


def paint_lane(
    painter: QPainter, lane: LaneRow, grid: RowGrid, theme: Theme, top: float, gutter: float,
    width: float,
) -> None:  # fmt: skip
    """Paint a lane into [0, width], its bricks from `gutter` on."""
    if lane.shown:
        painter.fillRect(QRectF(0, top, width, LANE), theme.color("panel"))
        painter.fillRect(QRectF(0, top, 3, LANE), theme.color("ink"))
    left, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
    painter.setFont(theme.font(SIZE_BODY, bold=True))
    painter.setPen(theme.color("ink"))
    painter.drawText(QRectF(16, top + 3, gutter - 24, 18), left | middle, lane.name)
    painter.setFont(theme.font(SIZE_NOTE))
    painter.setPen(theme.color("ink2"))
    flags = Qt.TextFlag.TextWordWrap.value | left.value | Qt.AlignmentFlag.AlignTop.value
    painter.drawText(QRectF(16, top + 20, gutter - 24, 30), flags, lane.note)
    _paint_bricks(painter, lane, grid, theme, top + 5, gutter)
    _paint_merges(painter, lane, theme, QRectF(gutter + 24, top + 29, width - gutter - 40, 18))


def _paint_bricks(
    painter: QPainter, lane: LaneRow, grid: RowGrid, theme: Theme, top: float, gutter: float
) -> None:
    row = lane.word.row(lane.word.n_steps)
    for i, (first, last) in enumerate(zip(row.first.tolist(), row.last.tolist(), strict=True)):
        rect = QRectF(gutter + grid.left(first, last), top, grid.size(first, last), BRICK)
        text, fragment = lane.labels.symbol(int(row.piece[i]), int(row.start[i]), int(row.end[i]))
        differs = bool(lane.tokens[i])
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
        if differs:
            _paint_badge(painter, theme, rect)


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


def _paint_merges(painter: QPainter, lane: LaneRow, theme: Theme, rect: QRectF) -> None:
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    plain, bold = (theme.piece_font(SIZE_DATA, bold=b) for b in (False, True))
    total_font = theme.font(SIZE_DATA)
    wide = QFontMetricsF(total_font).horizontalAdvance(lane.total) + 8
    painter.setFont(total_font)
    painter.setPen(theme.color("ink2"))
    painter.drawText(rect, middle, lane.total)
    x = rect.left() + wide + 12
    for text, differs in zip(lane.merges(), lane.steps.tolist(), strict=True):
        font = bold if differs else plain
        need = QFontMetricsF(font).horizontalAdvance(text)
        painter.setFont(font)
        painter.setPen(theme.color("alternative" if differs else "ink2"))
        if x + need > rect.right() - 16:
            painter.drawText(QRectF(x, rect.top(), 16, rect.height()), middle, "…")
            return
        painter.drawText(QRectF(x, rect.top(), need + 2, rect.height()), middle, text)
        x += need + 16
