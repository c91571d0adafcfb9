"""The picture of a word that merges: a row of bricks a state, ranks in joints, curves between."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from app.draw.marks import draw_hatch
from app.draw.merge_grid import PAD, Label, RowGrid, pill_width
from app.draw.word import Row, Word
from app.theme import SIZE_DATA, SIZE_NOTE, SIZE_PIECE, Theme

ROW, BRICK = 78.0, 46.0
"""Height of a row and of a brick."""

TOP = 10.0
CLOSING = 0.7
"""Share of the move in which the two bricks slide; in the rest the seam closes."""

Cells = tuple[int, int]
"""A symbol, named by the first and the last initial symbol that it is made of."""

Style = Literal["plain", "made", "future"]


def row_in_view(word: Word, grid: RowGrid, row: int, left: float, right: float) -> Row:
    """Return the symbols of a row that [left, right] shows, with one neighbour on both sides."""
    low, high = grid.cells_in(left, right)
    return word.row(row, max(low - 1, 0), min(high + 1, word.symbols - 1))


def brick_rect(grid: RowGrid, row: int, cells: Cells) -> QRectF:
    """Return the place of a symbol's brick in a row; y counts from the top of the picture."""
    top = TOP + row * ROW + (ROW - BRICK) / 2
    return QRectF(grid.left(*cells), top, grid.size(*cells), BRICK)


def joint_rect(grid: RowGrid, row: int, left: Cells, right: Cells) -> QRectF:
    """Return the place between the bricks of two neighbouring symbols."""
    a, b = brick_rect(grid, row, left), brick_rect(grid, row, right)
    if a.left() > b.left():
        a, b = b, a
    return QRectF(a.right(), a.top(), b.left() - a.right(), BRICK)


@dataclass(frozen=True)
class Picture:
    """What the rows are painted from.

    current: the row that the player stands on. progress: 0 … 1 of the move that led to it.
    selected: a symbol of row `selected_row`, or two for the joint between them; empty for none.
    """

    word: Word
    grid: RowGrid
    label: Label
    theme: Theme
    current: int
    progress: float = 1.0
    selected: tuple[Cells, ...] = ()
    selected_row: int = -1


def paint_rows(
    painter: QPainter, picture: Picture, first: int, last: int, left: float, right: float
) -> None:
    """Paint the rows first … last as far as [left, right] shows them."""
    word, grid = picture.word, picture.grid
    # Each is read once: of a long word that takes longer than to paint it.
    shown = {
        row: row_in_view(word, grid, row, left, right) for row in range(max(first - 1, 0), last + 1)
    }
    for row in range(max(first, 1), min(last + 1, word.n_steps) + 1):
        _paint_curves(painter, picture, row, shown[row - 1])
    for row in range(first, last + 1):
        _paint_row(painter, picture, row, shown[row], left, right)
    if first == 0:
        _paint_characters(painter, picture, left, right)


def characters_over(word: Word, low: int, high: int) -> list[tuple[str, Cells]]:
    """Return the characters that begin in the initial symbols low … high and take several of them.

    Those are the characters of a word that starts as bytes.
    """
    row = word.row(0, low, high)
    data = word.trace.prepared.data
    found: list[tuple[str, Cells]] = []
    for i, (start, first) in enumerate(zip(row.start.tolist(), row.first.tolist(), strict=True)):
        size = _length_of(int(data[start]))
        if size == 1 or int(row.end[i]) - start >= size:
            continue
        text = data[start : start + size].tobytes().decode("utf-8", errors="replace")
        last = first + size - 1
        if len(text) == 1 and last < word.symbols and start + size <= word.span[1]:
            found.append((text, (first, last)))
    return found


def _length_of(lead: int) -> int:
    """Return how many bytes the character has whose first byte this is; 1 for one inside."""
    return 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2 if lead >= 0xC0 else 1


def _paint_characters(painter: QPainter, picture: Picture, left: float, right: float) -> None:
    """Write over the bytes of the first row which character they are, with a line over them."""
    theme, grid = picture.theme, picture.grid
    low, high = grid.cells_in(left, right)
    painter.setFont(theme.piece_font(SIZE_DATA))
    for text, cells in characters_over(picture.word, max(low - 4, 0), high):
        brick = brick_rect(grid, 0, cells)
        box = QRectF(brick.left(), brick.top() - 24, brick.width(), 18)
        line = brick.top() - 5
        painter.setPen(QPen(theme.color("line2"), 1.2))
        painter.drawPolyline(
            [
                QPointF(brick.left(), line + 3),
                QPointF(brick.left(), line),
                QPointF(brick.right(), line),
                QPointF(brick.right(), line + 3),
            ]
        )
        painter.setPen(theme.color("ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _paint_row(
    painter: QPainter, picture: Picture, row: int, shown: Row, left: float, right: float
) -> None:
    word, grid, theme = picture.word, picture.grid, picture.theme
    cells = list(zip(shown.first.tolist(), shown.last.tolist(), strict=True))
    made: Cells | None = None
    if row > 0:
        (a, _), (_, b) = word.merge(row - 1)
        made = (a, b)
    moving = row == picture.current and picture.progress < 1
    future = row > picture.current
    chosen = picture.selected if row == picture.selected_row else ()
    for i, place in enumerate(cells):
        if moving and place == made:
            _paint_move(painter, picture, row)
            continue
        style: Style = "future" if future else "made" if place == made else "plain"
        text, fragment = picture.label(int(shown.piece[i]), int(shown.start[i]), int(shown.end[i]))
        rect = brick_rect(grid, row, place)
        seen = rect.intersected(QRectF(left, rect.top(), right - left, rect.height()))
        _paint_brick(painter, theme, rect, text, fragment, style, chosen == (place,), seen)
    winner = word.merge(row) if row < word.n_steps else None
    for i, pair in enumerate(pairwise(cells)):
        rect = joint_rect(grid, row, *pair)
        rank = int(shown.rank[i])
        size = grid.rank_size
        _paint_joint(painter, theme, rect, rank, size, pair == winner, row - picture.current)
        if chosen == pair:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 2))
            ring = _pill(rect, rank, size, theme).adjusted(-3, -3, 3, 3)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)


def _paint_brick(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    text: str,
    fragment: bool,
    style: Style,
    selected: bool,
    seen: QRectF | None = None,
) -> None:
    """Paint a brick. seen: the part of it in view, in the middle of which its text stands."""
    painter.save()
    fill = None
    if style == "future":
        pen = QPen(theme.color("line2"), 1.2)
        pen.setDashPattern([3, 3])
        ink = theme.color("ink3")
    elif style == "made":
        pen = QPen(theme.color("best"), 2)
        fill, ink = theme.color("fill_best"), theme.color("ink")
    else:
        pen = QPen(theme.color("line2"), 1.2)
        fill, ink = theme.color("panel"), theme.color("ink")
    if selected:
        pen, fill = QPen(theme.color("ink"), 2), theme.color("selection")
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else QBrush(fill))
    painter.drawRoundedRect(rect, 4, 4)
    if fragment:
        hatch = QColor(theme.color("line2"))
        hatch.setAlphaF(0.35 if style == "future" else 0.6)
        draw_hatch(painter, rect.adjusted(2, 2, -2, -2), hatch)
    back = fill if fill is not None else theme.color("canvas")
    place = rect if seen is None else _place_of_text(theme, rect, seen, text)
    _paint_label(painter, theme, place, text, ink, back if fragment else None)
    painter.restore()


def _place_of_text(theme: Theme, rect: QRectF, seen: QRectF, text: str) -> QRectF:
    """Return where a brick's text goes: into the part in view if that has room for it."""
    font, _ = fit_label(theme, text, rect.width() - 2 * PAD)
    need = QFontMetricsF(font).horizontalAdvance(text) + 4 * PAD
    return seen if need <= seen.width() else rect


def _paint_label(
    painter: QPainter, theme: Theme, rect: QRectF, text: str, ink: QColor, back: QColor | None
) -> None:
    """Write a brick's text as large as it fits; `back` is put behind it over a hatch."""
    font, shown = fit_label(theme, text, rect.width() - 2 * PAD)
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


def _rank_text(rank: int) -> str:
    return "–" if rank < 0 else f"{rank:,}"


def _pill(rect: QRectF, rank: int, size: int, theme: Theme) -> QRectF:
    text = QFontMetricsF(theme.font(size, bold=True)).horizontalAdvance(_rank_text(rank))
    box = QRectF(0, 0, pill_width(text, size), 2.0 * size - 2)
    box.moveCenter(rect.center())
    return box


def _paint_joint(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    rank: int,
    size: int,
    winner: bool,
    ahead: int,
) -> None:
    """Write the rank of a joint. ahead: rows from the current one, positive in the future."""
    text = _rank_text(rank)
    if not winner:
        painter.setFont(theme.font(size))
        painter.setPen(theme.color("ink3" if ahead > 0 or rank < 0 else "ink2"))
        painter.drawText(rect.adjusted(-20, 0, 20, 0), Qt.AlignmentFlag.AlignCenter, text)
        return
    box = _pill(rect, rank, size, theme)
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
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setFont(theme.font(size, bold=True))
    painter.setPen(ink)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def moving_rects(picture: Picture, row: int) -> tuple[QRectF, QRectF]:
    """Return where the halves of the merge into `row` stand at the move's progress."""
    left, right = (brick_rect(picture.grid, row, half) for half in picture.word.merge(row - 1))
    if picture.grid.mirrored:
        left, right = right, left
    gap = right.left() - left.right()
    shift = min(picture.progress / CLOSING, 1.0) * gap / 2
    grow = max(picture.progress - CLOSING, 0.0) / (1 - CLOSING) * gap / 2
    left = left.translated(shift, 0).adjusted(-grow, 0, 0, 0)
    right = right.translated(-shift, 0).adjusted(0, 0, grow, 0)
    return (right, left) if picture.grid.mirrored else (left, right)


def _paint_move(painter: QPainter, picture: Picture, row: int) -> None:
    """Paint two bricks on their way to being one, inside the dashed outline of the result."""
    word, theme = picture.word, picture.theme
    (first, _), (_, last) = word.merge(row - 1)
    pen = QPen(theme.color("best"), 1.2)
    pen.setDashPattern([3, 3])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    whole = brick_rect(picture.grid, row, (first, last))
    painter.drawRoundedRect(whole.adjusted(-4, -5, 4, 5), 4, 4)
    steps, k = word.trace.steps, word.steps.start + row - 1
    start, cut, end = int(steps.start[k]), int(steps.middle[k]), int(steps.end[k])
    halves = (int(steps.left[k]), start, cut), (int(steps.right[k]), cut, end)
    for half, rect in zip(halves, moving_rects(picture, row), strict=True):
        _paint_brick(painter, theme, rect, *picture.label(*half), "made", False)


def _paint_curves(painter: QPainter, picture: Picture, row: int, above_row: Row) -> None:
    """Paint what leads from the row before to `row`: lines, and the curves of the merge."""
    word, grid, theme = picture.word, picture.grid, picture.theme
    halves = word.merge(row - 1)
    result = (halves[0][0], halves[1][1])
    future = row > picture.current
    moving = row == picture.current and picture.progress < 1
    plain = QPen(theme.color("line2"), 1)
    merge = QPen(theme.color("line2" if future else "best"), 1.2 if future else 2)
    if future:
        plain.setDashPattern([3, 4])
        merge.setDashPattern([3, 4])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for cells in zip(above_row.first.tolist(), above_row.last.tolist(), strict=True):
        above = brick_rect(grid, row - 1, cells)
        x0, y0, y1 = above.center().x(), above.bottom(), above.top() + ROW
        if cells not in halves:
            painter.setPen(plain)
            painter.drawLine(QPointF(x0, y0), QPointF(x0, y1))
            continue
        if moving:
            x1 = moving_rects(picture, row)[halves.index(cells)].center().x()
        else:
            x1 = brick_rect(grid, row, result).center().x()
        middle = (y0 + y1) / 2
        path = QPainterPath(QPointF(x0, y0))
        path.cubicTo(QPointF(x0, middle + 2), QPointF(x1, middle - 2), QPointF(x1, y1))
        painter.setPen(merge)
        painter.drawPath(path)
