"""Words under the first merges of a run, as bricks that keep their places while they merge.

Each base symbol has a cell; a merged symbol spans the cells that it is made of. So nothing moves
from step to step but the two bricks that become one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.draw.bidi import base_direction
from app.draw.isolate import isolate
from app.draw.lettering import Lettering
from app.draw.marks import draw_hatch
from app.draw.widths import Widths
from app.theme import SIZE_BODY, SIZE_NOTE, Theme
from engine.display import hexadecimal, is_text, visible
from engine.train.replay import MISSING, Part, Span, States
from engine.train.units import Units

BRICK, ROW = 28.0, 38.0
"""Height of a brick, and of a row of them."""

JOINT, BETWEEN = 8.0, 22.0
"""Pixels between two bricks of a word, and between two words."""

PAD, NARROWEST = 6.0, 20.0

Cell = tuple[float, int, float]
"""Left edge, row and width of a base symbol's place."""


@dataclass(frozen=True)
class Brick:
    """A symbol of a word with its places: one rectangle, or one for each row that it reaches."""

    word: int
    part: Part
    rects: tuple[QRectF, ...]


@lru_cache(maxsize=4096)
def label_of(data: bytes) -> tuple[str, bool]:
    """Return the text of a symbol for the eye, and whether it is a fragment of characters."""
    if is_text(data):
        return isolate(visible(data)), False
    return hexadecimal(data) if len(data) < 4 else visible(data), True


@dataclass(frozen=True, eq=False)
class SampleGrid:
    """Where the base symbols of all words stand. rows: how many there are."""

    cells: tuple[tuple[Cell, ...], ...]
    rows: int
    _found: dict[Span, tuple[QRectF, ...]] = field(default_factory=dict)

    @property
    def height(self) -> float:
        """Pixels of all rows."""
        return self.rows * ROW

    def rects(self, word: int, first: int, last: int) -> tuple[QRectF, ...]:
        """Return the places of a brick over some base symbols of a word, one for each row."""
        span = Span(word, first, last)
        if span not in self._found:
            found = _extents(self.cells[word][first : last + 1])
            self._found[span] = tuple(
                QRectF(low, row * ROW + (ROW - BRICK) / 2, high - low, BRICK)
                for row, (low, high) in found.items()
            )
        return self._found[span]

    def brick(self, word: int, part: Part) -> Brick:
        """Return the brick of a symbol."""
        return Brick(word, part, self.rects(word, part.first, part.last))


def place_words(units: Units, room: float, theme: Theme) -> SampleGrid:
    """Give each base symbol of a text its cell, in rows of `room` pixels.

    Words stay whole where they fit into a row. One that runs from right to left has its symbols in
    that order, and so have the words of a text that does.
    """
    metrics = QFontMetricsF(theme.piece_font(SIZE_BODY))
    symbols, offsets = units.symbols.tolist(), units.offsets.tolist()
    # A model has thousands of base symbols, and a text few of them.
    widths = {
        i: max(metrics.horizontalAdvance(label_of(units.base[i])[0]) + 2 * PAD, NARROWEST)
        for i in set(symbols)
    }
    texts = [
        b"".join(units.base[i] for i in symbols[a:b]).decode("utf-8", errors="ignore")
        for a, b in pairwise(offsets)
    ]
    mirrored = base_direction(" ".join(texts)) == 1
    x, row = 0.0, 0
    placed = []
    for text, (a, b) in zip(texts, pairwise(offsets), strict=True):
        word = [widths[i] for i in symbols[a:b]]
        if x and x + sum(word) + JOINT * (len(word) - 1) > room:
            x, row = 0.0, row + 1
        cells: list[Cell] = []
        for wide in word:
            if x and x + wide > room:
                x, row = 0.0, row + 1
            cells.append((x, row, wide))
            x += wide + JOINT
        x += BETWEEN - JOINT
        if (base_direction(text) == 1) != mirrored:
            cells = _turned(cells)
        placed.append(
            tuple((room - x - w, r, w) for x, r, w in cells) if mirrored else tuple(cells)
        )
    return SampleGrid(tuple(placed), row + 1 if placed else 0)


def _turned(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a word in the other order, row by row."""
    ends = _extents(cells)
    return [(sum(ends[row]) - left - wide, row, wide) for left, row, wide in cells]


def _extents(cells: Sequence[Cell]) -> dict[int, tuple[float, float]]:
    """Return from where to where cells reach in each row."""
    ends: dict[int, tuple[float, float]] = {}
    for left, row, wide in cells:
        low, high = ends.get(row, (left, left + wide))
        ends[row] = min(low, left), max(high, left + wide)
    return ends


@dataclass(frozen=True, eq=False)
class SamplePicture:
    """What the bricks are painted from.

    label: the text of a part of a word, and whether it is a fragment. done: merges. progress:
    0 … 1 of the move of the last one. selected: a brick's place.
    """

    replay: States
    grid: SampleGrid
    label: Callable[[int, Part], tuple[str, bool]]
    theme: Theme
    done: int
    progress: float = 1.0
    selected: Span | None = None

    def bricks(self) -> list[Brick]:
        """Return all bricks, in reading order."""
        return [
            self.grid.brick(word, part)
            for word in range(len(self.replay))
            for part in self.replay.state(word, self.done)
        ]

    def halves(self, made: Span) -> list[Brick]:
        """Return the bricks that the last merge joined, where they stand at the move's progress."""
        before = [
            self.grid.brick(made.word, part)
            for part in self.replay.state(made.word, self.done - 1)
            if made.first <= part.first and part.last <= made.last
        ]
        whole = self.grid.rects(made.word, made.first, made.last)
        if len(whole) != 1 or len(before) != 2:
            return before
        one, other = (brick.rects[0] for brick in before)
        shift = self.progress * (JOINT / 2 if one.left() < other.left() else -JOINT / 2)
        moved = (one.translated(shift, 0), other.translated(-shift, 0))
        return [
            Brick(brick.word, brick.part, (rect,))
            for brick, rect in zip(before, moved, strict=True)
        ]


def paint_sample(painter: QPainter, picture: SamplePicture, seen: Sequence[QRectF]) -> None:
    """Paint the bricks that reach into one of the rectangles that are seen."""
    made = set(picture.replay.made(picture.done))
    moving = picture.progress < 1
    brush = _BrickBrush(painter, picture)
    for brick in picture.bricks():
        span = Span(brick.word, brick.part.first, brick.part.last)
        if not any(rect.intersects(part) for rect in brick.rects for part in seen):
            continue
        if span in made and moving:
            brush.outline(brick)
            for half in picture.halves(span):
                brush.paint(half, new=True)
        else:
            brush.paint(brick, new=span in made)


class _BrickBrush:
    """Paints bricks of one picture: pens, colours and letters are made once for all of them."""

    def __init__(self, painter: QPainter, picture: SamplePicture) -> None:
        self._painter, self._picture = painter, picture
        theme = picture.theme
        self._usual = theme.color("panel"), QPen(theme.color("line2"), 1.2)
        self._new = theme.color("fill_best"), QPen(theme.color("best"), 2)
        self._selected = theme.color("selection"), QPen(theme.color("ink"), 2)
        self._hatch = theme.color("line2")
        self._hatch.setAlphaF(0.5)
        fonts = [theme.piece_font(size) for size in (SIZE_BODY, SIZE_NOTE)]
        self._small, self._high = fonts[-1], QFontMetricsF(fonts[0]).height()
        self._writers = [
            (Widths(font), [Lettering(painter, font, theme.color(ink)) for ink in ("ink", "ink3")])
            for font in fonts
        ]

    def outline(self, brick: Brick) -> None:
        """Paint the dashed outline of what two bricks become."""
        painter = self._painter
        pen = QPen(self._picture.theme.color("best"), 1.2)
        pen.setDashPattern([3, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for rect in brick.rects:
            painter.drawRoundedRect(rect.adjusted(-2, -3, 2, 3), 4, 4)

    def paint(self, brick: Brick, *, new: bool) -> None:
        """Paint a brick; new: the last merge made it."""
        painter, part = self._painter, brick.part
        text, fragment = self._picture.label(brick.word, part)
        selected = self._picture.selected == Span(brick.word, part.first, part.last)
        fill, pen = self._selected if selected else self._new if new else self._usual
        for rect in brick.rects:
            painter.setPen(pen)
            painter.setBrush(fill)
            painter.drawRoundedRect(rect, 4, 4)
            if fragment:
                draw_hatch(painter, rect.adjusted(2, 2, -2, -2), self._hatch)
        widest = max(brick.rects, key=QRectF.width)
        room = widest.width() - 2
        for widths, inks in self._writers:
            wide, letters = widths(text), inks[part.symbol == MISSING]
            if wide <= room:
                break
        else:
            metrics = QFontMetricsF(self._small)
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
            wide = room
        if fragment:
            box = QRectF(0, 0, min(wide + 4, room), self._high)
            box.moveCenter(widest.center())
            painter.fillRect(box, fill)
        letters.draw_centred(widest, text)
