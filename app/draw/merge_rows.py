"""The picture of a word that merges: one row of bricks a state, ranks in the joints, curves between.

A merged symbol is as wide as the initial symbols that it is made of, with the joints between
them, so every brick stands under what it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from app.draw.marks import draw_hatch
from app.draw.word import Word
from app.theme import SIZE_DATA, SIZE_NOTE, SIZE_PIECE, Theme

Floats = NDArray[np.float64]

ROW, BRICK = 78.0, 46.0
"""Height of a row and of a brick."""

TOP = 10.0
NARROWEST, WIDEST = 34.0, 100.0
"""Width of an initial symbol's brick."""

MARGIN = 24.0
CLOSING = 0.7
"""Share of the move in which the two bricks slide; in the rest the seam closes."""

Label = Callable[[int], tuple[str, bool]]
"""Text of a symbol (by index in the word) and whether it is a byte fragment."""


@dataclass(frozen=True)
class RowGrid:
    """Where the bricks of a word stand: `cell` pixels for each initial symbol, `joint` between.

    symbols: number of initial symbols. mirrored: the first one is at the right.
    """

    symbols: int
    cell: float
    joint: float
    mirrored: bool = False

    @property
    def width(self) -> float:
        return self.symbols * (self.cell + self.joint) - self.joint + 2 * MARGIN

    def left(self, first: int, last: int) -> float:
        """Return the left edge of a brick made of the initial symbols first … last."""
        cell = self.symbols - 1 - last if self.mirrored else first
        return MARGIN + cell * (self.cell + self.joint)

    def size(self, first: int, last: int) -> float:
        """Return the width of a brick made of the initial symbols first … last."""
        return (last - first + 1) * (self.cell + self.joint) - self.joint

    def cells_in(self, left: float, right: float) -> tuple[int, int]:
        """Return the first and last initial symbol that [left, right] may touch."""
        pitch = self.cell + self.joint
        low = int(np.floor((left - MARGIN) / pitch))
        high = int(np.floor((right - MARGIN) / pitch)) + 1
        if self.mirrored:
            low, high = self.symbols - 1 - high, self.symbols - 1 - low
        return max(low, 0), min(high, self.symbols - 1)


def fit_grid(symbols: int, room: float, joint: float, zoom: float, mirrored: bool) -> RowGrid:
    """Make bricks as wide as the room allows, from `NARROWEST` to `WIDEST`, times the zoom."""
    spare = room - 2 * MARGIN + joint
    cell = min(max(spare / max(symbols, 1) - joint, NARROWEST), WIDEST)
    return RowGrid(symbols, max(cell * zoom, 14.0), joint, mirrored)


def joint_width(largest_rank: int, theme: Theme) -> float:
    """Return the room that a joint needs for ranks up to the largest one."""
    metrics = QFontMetricsF(theme.font(SIZE_DATA, bold=True))
    return max(metrics.horizontalAdvance(f"{largest_rank:,}") + 14, 30.0)


def row_symbols(word: Word, grid: RowGrid, row: int, left: float, right: float) -> NDArray[np.int32]:
    """Return the symbols of a row that [left, right] shows, with one neighbour on both sides."""
    symbols = word.row(row)
    low, high = grid.cells_in(left, right)
    a = int(np.searchsorted(word.last[symbols], low, side="left"))
    b = int(np.searchsorted(word.first[symbols], high, side="right"))
    return symbols[max(a - 1, 0) : b + 1]


def brick_rect(word: Word, grid: RowGrid, row: int, symbol: int) -> QRectF:
    """Return the place of a symbol's brick in a row; y counts from the top of the picture."""
    first, last = int(word.first[symbol]), int(word.last[symbol])
    top = TOP + row * ROW + (ROW - BRICK) / 2
    return QRectF(grid.left(first, last), top, grid.size(first, last), BRICK)


def joint_rect(word: Word, grid: RowGrid, row: int, left: int, right: int) -> QRectF:
    """Return the place between the bricks of two neighbouring symbols."""
    a, b = brick_rect(word, grid, row, left), brick_rect(word, grid, row, right)
    if a.left() > b.left():
        a, b = b, a
    return QRectF(a.right(), a.top(), b.left() - a.right(), BRICK)


@dataclass(frozen=True)
class Picture:
    """What the rows are painted from.

    current: the row that the player stands on. progress: 0 … 1 of the move that led to it.
    selected: a symbol, or a joint as two of them, of row `selected_row`; empty for none.
    """

    word: Word
    grid: RowGrid
    label: Label
    theme: Theme
    current: int
    progress: float = 1.0
    selected: tuple[int, ...] = ()
    selected_row: int = -1


def paint_rows(
    painter: QPainter, picture: Picture, first: int, last: int, left: float, right: float
) -> None:
    """Paint the rows first … last as far as [left, right] shows them."""
    for row in range(first, last + 1):
        if row > 0:
            _paint_curves(painter, picture, row, left, right)
    if first > 0 and last + 1 < picture.word.n_rows:
        _paint_curves(painter, picture, last + 1, left, right)
    elif last + 1 < picture.word.n_rows:
        _paint_curves(painter, picture, last + 1, left, right)
    for row in range(first, last + 1):
        _paint_row(painter, picture, row, left, right)


def _paint_row(
    painter: QPainter, picture: Picture, row: int, left: float, right: float
) -> None:
    word, grid, theme = picture.word, picture.grid, picture.theme
    symbols = row_symbols(word, grid, row, left, right)
    made = word.initial + row - 1 if row else -1
    moving = row == picture.current and picture.progress < 1
    future = row > picture.current
    chosen = picture.selected if row == picture.selected_row else ()
    for symbol in symbols.tolist():
        if moving and symbol == made:
            _paint_move(painter, picture, row)
            continue
        rect = brick_rect(word, grid, row, symbol)
        style = "future" if future else "made" if symbol == made else "plain"
        _paint_brick(painter, picture, symbol, rect, style, chosen == (symbol,))
    winners = (int(word.before[row]), int(word.after[row])) if row < word.n_steps else (-1, -1)
    for a, b in zip(symbols[:-1].tolist(), symbols[1:].tolist(), strict=True):
        rect = joint_rect(word, grid, row, a, b)
        if moving and made in (a, b):
            # The pill waits at the edge of the moving pair's place.
            rect = rect.adjusted(0, 0, 0, 0)
        rule = word.joint(a, b)
        _paint_joint(painter, theme, rect, rule, (a, b) == winners, row - picture.current)
        if chosen == (a, b):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 2))
            painter.drawRoundedRect(_pill(rect, rule, theme).adjusted(-3, -3, 3, 3), 13, 13)


def _paint_brick(
    painter: QPainter, picture: Picture, symbol: int, rect: QRectF, style: str, selected: bool
) -> None:
    theme = picture.theme
    text, fragment = picture.label(symbol)
    painter.save()
    if style == "future":
        pen = QPen(theme.color("line2"), 1.2, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([3, 3])
        fill, ink = None, theme.color("ink3")
    elif style == "made":
        pen = QPen(theme.color("best"), 2)
        fill, ink = theme.color("fill_best"), theme.color("ink")
    else:
        pen = QPen(theme.color("line2"), 1.2)
        fill, ink = theme.color("panel"), theme.color("ink")
    if selected:
        pen, fill = QPen(theme.color("ink"), 2), theme.color("selection")
    painter.setPen(pen)
    if fill is None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
    else:
        painter.setBrush(fill)
    painter.drawRoundedRect(rect, 4, 4)
    if fragment:
        hatch = QColor(theme.color("line2"))
        hatch.setAlphaF(0.35 if style == "future" else 0.6)
        draw_hatch(painter, rect.adjusted(2, 2, -2, -2), hatch)
    back = fill if fill is not None else theme.color("canvas")
    _paint_label(painter, theme, rect, text, ink, back if fragment else None)
    painter.restore()


def _paint_label(
    painter: QPainter, theme: Theme, rect: QRectF, text: str, ink: QColor, back: QColor | None
) -> None:
    """Write a brick's text as large as it fits; `back` is put behind it over a hatch."""
    font, shown = fit_label(theme, text, rect.width() - 8)
    if not shown:
        return
    painter.setFont(font)
    if back is not None:
        metrics = QFontMetricsF(font)
        wide, high = metrics.horizontalAdvance(shown) + 10, metrics.height() + 2
        box = QRectF(0, 0, min(wide, rect.width() - 4), min(high, rect.height() - 6))
        box.moveCenter(rect.center())
        painter.fillRect(box, back)
    painter.setPen(ink)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, shown)


def fit_label(theme: Theme, text: str, room: float) -> tuple[QFont, str]:
    """Return the font and the text, shortened if need be, that fit into `room` pixels."""
    for size in (SIZE_PIECE, 16, 13, SIZE_NOTE):
        font = theme.piece_font(size)
        metrics = QFontMetricsF(font)
        if metrics.horizontalAdvance(text) <= room:
            return font, text
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
    return font, shown if shown != "…" else ""


def _pill(rect: QRectF, rule: tuple[int, int] | None, theme: Theme) -> QRectF:
    text = "–" if rule is None else f"{rule[0]:,}"
    wide = QFontMetricsF(theme.font(SIZE_DATA, bold=True)).horizontalAdvance(text) + 14
    box = QRectF(0, 0, max(wide, 26.0), 22)
    box.moveCenter(rect.center())
    return box


def _paint_joint(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    rule: tuple[int, int] | None,
    winner: bool,
    ahead: int,
) -> None:
    """Write the rank of a joint. ahead: rows from the current one, positive in the future."""
    text = "–" if rule is None else f"{rule[0]:,}"
    if not winner:
        painter.setFont(theme.font(SIZE_DATA))
        painter.setPen(theme.color("ink3" if ahead > 0 or rule is None else "ink2"))
        painter.drawText(rect.adjusted(-20, 0, 20, 0), Qt.AlignmentFlag.AlignCenter, text)
        return
    box = _pill(rect, rule, theme)
    blue = theme.color("best")
    if ahead < 0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(blue)
        ink = theme.color("canvas")
    else:
        pen = QPen(blue if ahead == 0 else theme.color("line2"), 1.5 if ahead == 0 else 1.2)
        if ahead > 0:
            pen.setDashPattern([3, 3])
        painter.setPen(pen)
        painter.setBrush(theme.color("canvas"))
        ink = blue if ahead == 0 else theme.color("ink3")
    painter.drawRoundedRect(box, 11, 11)
    painter.setFont(theme.font(SIZE_DATA, bold=True))
    painter.setPen(ink)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def moving_rects(picture: Picture, row: int) -> tuple[QRectF, QRectF]:
    """Return where the two bricks of the move into `row` stand at its progress."""
    word, grid = picture.word, picture.grid
    a, b = int(word.before[row - 1]), int(word.after[row - 1])
    left, right = brick_rect(word, grid, row, a), brick_rect(word, grid, row, b)
    if left.left() > right.left():
        left, right = right, left
    gap = right.left() - left.right()
    slide = min(picture.progress / CLOSING, 1.0)
    shift = slide * gap / 2
    grow = max(picture.progress - CLOSING, 0.0) / (1 - CLOSING) * gap / 2
    left = left.translated(shift, 0).adjusted(-grow, 0, 0, 0)
    right = right.translated(-shift, 0).adjusted(0, 0, grow, 0)
    return (right, left) if grid.mirrored else (left, right)


def _paint_move(painter: QPainter, picture: Picture, row: int) -> None:
    """Paint two bricks on their way to being one, inside the dashed outline of the result."""
    word, theme = picture.word, picture.theme
    whole = brick_rect(word, picture.grid, row, word.initial + row - 1)
    pen = QPen(theme.color("best"), 1.2)
    pen.setDashPattern([3, 3])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(whole.adjusted(-4, -5, 4, 5), 4, 4)
    pair = (int(word.before[row - 1]), int(word.after[row - 1]))
    for symbol, rect in zip(pair, moving_rects(picture, row), strict=True):
        _paint_brick(painter, picture, symbol, rect, "made", False)


def _paint_curves(
    painter: QPainter, picture: Picture, row: int, left: float, right: float
) -> None:
    """Paint what leads from the row before to `row`: lines, and the curves of the merge."""
    word, grid, theme = picture.word, picture.grid, picture.theme
    made = word.initial + row - 1
    pair = (int(word.before[row - 1]), int(word.after[row - 1]))
    future = row > picture.current
    moving = row == picture.current and picture.progress < 1
    plain = QPen(theme.color("line2"), 1)
    merge = QPen(theme.color("line2" if future else "best"), 1.2 if future else 2)
    if future:
        plain.setDashPattern([3, 4])
        merge.setDashPattern([3, 4])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # Where a symbol goes is drawn from the row above, of which the merge takes two.
    for symbol in row_symbols(word, grid, row - 1, left, right).tolist():
        above = brick_rect(word, grid, row - 1, symbol)
        x0, y0, y1 = above.center().x(), above.bottom(), above.top() + ROW
        if symbol not in pair:
            painter.setPen(plain)
            painter.drawLine(QPointF(x0, y0), QPointF(x0, y1))
            continue
        if moving:
            x1 = moving_rects(picture, row)[pair.index(symbol)].center().x()
        else:
            x1 = brick_rect(word, grid, row, made).center().x()
        middle = (y0 + y1) / 2
        path = QPainterPath(QPointF(x0, y0))
        path.cubicTo(QPointF(x0, middle + 2), QPointF(x1, middle - 2), QPointF(x1, y1))
        painter.setPen(merge)
        painter.drawPath(path)
