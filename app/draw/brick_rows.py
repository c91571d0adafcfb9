"""Painting of rows of bricks: the segmentations of `app.draw.bricks`, each in a line of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.draw.arcs import Arcs
from app.draw.bricks import BrickRow
from app.draw.edge_marks import EdgeMark, draw_over, with_sign
from app.draw.lettering import Lettering, on_screen, pixel
from app.draw.marks import draw_brick, draw_hatch
from app.draw.tokens import DENSITY, TWO_TONES, ghost_box, ghost_in_view
from app.draw.viewport import GUTTER, Viewport
from app.draw.widths import Widths
from app.theme import SIZE_NOTE, Theme

# Members of an IntEnum are slow to reach, and these are asked for at each brick.
_UNKNOWN, _BYTE = int(EdgeMark.UNKNOWN), int(EdgeMark.BYTE)

SIDE = 0.75
"""Pixels of paper on each side of a brick."""

LINE = 1.2
"""Pixels of the outline of a brick."""

WIDEST = 400.0
"""Pixels of a brick up to which it is kept as an image: there are few that are wider."""


@dataclass(frozen=True)
class Words:
    """What rows say, translated. fragments: with {count}. same: the rest is as in path 1."""

    fragments: str
    same: str


class BrickPainter:
    """Paints rows of one axis. Path 1 has the colour of the best, others that of alternatives.

    arcs: gives the texts of edges; None where there are none yet.
    """

    def __init__(
        self, painter: QPainter, theme: Theme, viewport: Viewport, arcs: Arcs | None, words: Words
    ) -> None:
        self._painter, self._theme, self._viewport = painter, theme, viewport
        self._arcs, self._words = arcs, words
        self._ratio = painter.device().devicePixelRatioF() if on_screen(painter) else 0.0
        self._side = max(pixel(SIDE, self._ratio), 1)
        self._fonts = {True: theme.font(SIZE_NOTE), False: theme.piece_font(SIZE_NOTE)}
        self._wide = {note: Widths(font) for note, font in self._fonts.items()}
        self._letters: dict[tuple[bool, str], Lettering] = {}
        self._colors: dict[str, QColor] = {}
        self._tones: dict[tuple[bool, bool, bool], _Tones] = {}

    def draw(
        self,
        row: BrickRow,
        rect: QRectF,
        lit: tuple[int, int] | None,
        *,
        best: bool,
    ) -> None:
        """Draw the part in view of a row that is too wide for single pixels.

        rect: the line, of which only the height counts. lit: a stretch of bytes whose bricks
        stand on the colour of what is selected.
        """
        viewport = self._viewport
        mean = mean_width(row, viewport)
        if mean >= TWO_TONES and row.has_ghost:
            self._draw_ghost(row, rect, best=best)
        first, last = viewport.visible
        seen = ((row.rect_right >= first) & (row.rect_left <= last)).nonzero()[0]
        if not len(seen):
            return
        lefts = viewport.to_screen(row.rect_left[seen]).tolist()
        rights = viewport.to_screen(row.rect_right[seen]).tolist()
        looks = row.looks[seen].tolist()
        if mean < TWO_TONES:
            self._fill(lefts, rights, looks, rect, best=best)
            return
        top, high = self._line(rect)
        boxes = [self._box(x0, x1, top, high) for x0, x1 in zip(lefts, rights, strict=True)]
        if lit is not None:
            brick = row.rect_brick[seen]
            inside = (row.start[brick] >= lit[0]) & (row.end[brick] <= lit[1])
            for k in inside.nonzero()[0].tolist():
                self._painter.fillRect(
                    boxes[k].rect().adjusted(-1, -3, 1, 3), self._color("selection")
                )
        for box, (edge, count, fragments, mark, differs, widest) in zip(boxes, looks, strict=True):
            unknown = mark == _UNKNOWN
            tones = self._tones_of(best, best or bool(differs), unknown)
            self._draw_shape(box, tones, LINE)
            hatched = not unknown and (fragments > 0 or mark == _BYTE)
            if hatched:
                inner = box.rect().adjusted(1, 1, -1, -1)
                draw_hatch(self._painter, inner, self._color("line2"), 5)
            # Where a brick has several parts, the widest bears its text.
            if widest and self._arcs is not None:
                note = fragments > 0 and count > 1
                room = box.width - 2
                text = self._note(fragments, room) if note else self._label(edge, mark, room)
                if text:
                    letters = self._lettering(tones.ink, note=note)
                    self._draw_text(box, text, letters, mark, on_paper=hatched)

    def draw_far(self, row: BrickRow, rect: QRectF, *, best: bool) -> None:
        """Draw a row too small for bricks: a bar, and where it differs from path 1."""
        painter, theme, viewport = self._painter, self._theme, self._viewport
        axis = viewport.axis
        assert axis is not None
        left, right = viewport.screen(0.0), viewport.screen(axis.width)
        fill = theme.color("fill_best" if best else "hair")
        painter.fillRect(QRectF(left, rect.top() + 2, right - left, rect.height() - 4), fill)
        color = self._color("best" if best else "alternative")
        odd = row.looks[:, 4].nonzero()[0]
        lefts = viewport.to_screen(row.rect_left[odd]).tolist()
        rights = viewport.to_screen(row.rect_right[odd]).tolist()
        for x0, x1 in zip(lefts, rights, strict=True):
            painter.fillRect(QRectF(x0 - 0.5, rect.top(), max(x1 - x0, 2.0), rect.height()), color)

    def draw_same(self, row: BrickRow, rect: QRectF, right_end: float) -> None:
        """Draw the line that says that the rest of a row is as in path 1.

        right_end: the pixel at which the view ends.
        """
        painter, viewport, words = self._painter, self._viewport, self._words.same
        wide = self._wide[True](words)
        y = rect.center().y()
        letters = self._lettering("ink3", note=True)
        painter.setPen(QPen(self._color("line"), 1))
        for left, right in row.rest:
            x0 = max(viewport.screen(left) + 3, GUTTER)
            x1 = min(viewport.screen(right) - 1, right_end)
            if x1 <= x0:
                continue
            middle = (x0 + x1) / 2
            if x1 - x0 < wide + 16:
                painter.drawLine(QPointF(x0, y), QPointF(x1, y))
                continue
            painter.drawLine(QPointF(x0, y), QPointF(middle - wide / 2 - 4, y))
            painter.drawLine(QPointF(middle + wide / 2 + 4, y), QPointF(x1, y))
            letters.draw(middle - wide / 2, letters.base(y), words)

    def _color(self, token: str) -> QColor:
        color = self._colors.get(token)
        if color is None:
            color = self._colors[token] = self._theme.color(token)
        return color

    def _lettering(self, color: str, *, note: bool) -> Lettering:
        letters = self._letters.get((note, color))
        if letters is None:
            letters = Lettering(self._painter, self._fonts[note], self._color(color))
            self._letters[note, color] = letters
        return letters

    def _tones_of(self, best: bool, differs: bool, unknown: bool) -> _Tones:
        """Return the colours of a brick: of path 1 or not, as there or not, unknown or not."""
        tones = self._tones.get((best, differs, unknown))
        if tones is None:
            color = self._color
            if differs:
                line = color("best" if best else "alternative")
                fill = color("ink" if unknown else "fill_best" if best else "fill_alternative")
                tones = _Tones(line.rgba(), fill.rgba(), "ink")
            else:
                paint = color("ink3").rgba() if unknown else None
                tones = _Tones(color("line").rgba(), paint, "ink3")
            if unknown:
                tones = tones._replace(ink="canvas")
            self._tones[best, differs, unknown] = tones
        return tones

    def _fill(
        self,
        lefts: list[float],
        rights: list[float],
        looks: list[list[int]],
        rect: QRectF,
        *,
        best: bool,
    ) -> None:
        """Draw bricks without room for an outline."""
        line, hair = self._color("best" if best else "alternative"), self._color("hair")
        top, high = rect.top(), rect.height()
        for x0, x1, look in zip(lefts, rights, looks, strict=True):
            box = QRectF(x0 + SIDE, top, x1 - x0 - 2 * SIDE, high)
            self._painter.fillRect(box, line if best or look[4] else hair)

    def _line(self, rect: QRectF) -> tuple[float, float]:
        """Return top and height of the bricks of a row: on the screen in whole device pixels."""
        ratio, top, high = self._ratio, rect.top(), rect.height()
        if not ratio:
            return top, high
        first = pixel(top, ratio)
        return first / ratio, (pixel(top + high, ratio) - first) / ratio

    def _box(self, x0: float, x1: float, top: float, high: float) -> _Box:
        """Return the box of a brick between two ends: on the screen on whole device pixels.

        There its outline is sharp, and there are as many pixels between any two neighbours.
        """
        ratio = self._ratio
        if not ratio:
            return _Box(x0 + SIDE, top, x1 - x0 - 2 * SIDE, high)
        left = pixel(x0, ratio) + self._side
        width = max(pixel(x1, ratio) - self._side - left, 1)
        return _Box(left / ratio, top, width / ratio, high)

    def _draw_shape(self, box: _Box, tones: _Tones, pen: float) -> None:
        """Draw a brick without what stands in it. pen: pixels of its outline."""
        if self._ratio and box.width <= WIDEST:
            image = _shape(box.width, box.height, tones.line, tones.fill, pen, self._ratio)
            self._painter.drawImage(QPointF(box.left, box.top), image)
        else:
            _outline(self._painter, box.rect(), tones.line, tones.fill, pen)

    def _draw_ghost(self, row: BrickRow, rect: QRectF, *, best: bool) -> None:
        """Draw the piece that stands before the text and for nothing in it."""
        if self._arcs is None or not ghost_in_view(self._viewport, float(row.start[0])):
            return
        tones = self._tones_of(best, best or bool(row.differs[0]), False)
        cell = ghost_box(self._viewport, rect.top(), rect.height(), float(row.start[0]))
        box = self._box(cell.left() - SIDE, cell.right() + SIDE, *self._line(rect))
        self._draw_shape(box, tones._replace(fill=None), 1.0)
        text = self._arcs.label(int(row.path.edges[0]))
        self._draw_text(box, text, self._lettering(tones.ink, note=False))

    def _note(self, fragments: int, room: float) -> str:
        """Return how many fragments a brick has, as fully as there is room; else nothing."""
        text = self._words.fragments.format(count=fragments)
        if self._wide[True](text) + 4 > room:
            text = f"{fragments:,}"
        return self._fitted(text, room, note=True)

    def _label(self, edge: int, mark: int, room: float) -> str:
        """Return the text of an edge, cut where room is short; nothing where it is too short."""
        assert self._arcs is not None
        return self._fitted(with_sign(self._arcs.label(edge), mark), room, note=False)

    def _fitted(self, text: str, room: float, *, note: bool) -> str:
        wide_of = self._wide[note]
        if wide_of(text) <= room:
            return text
        if room < wide_of("…"):
            return ""
        text = wide_of.cut(text, room)
        return text if len(text) >= 2 else ""

    def _draw_text(
        self, box: _Box, text: str, letters: Lettering, mark: int = 0, *, on_paper: bool = False
    ) -> None:
        """Write in the middle of a brick. on_paper: not on the hatch that is there."""
        wide = letters.width(text)
        left = box.left + (box.width - wide) / 2
        if on_paper:
            paper = QRectF(left - 3, box.top + 2, wide + 6, box.height - 4)
            self._painter.fillRect(paper, self._color("canvas"))
        letters.draw(left, letters.base(box.top + box.height / 2), text)
        if mark:
            over = QRectF(left - 1, box.top, wide + 2, box.height)
            draw_over(self._painter, self._theme, over, mark)


class _Tones(NamedTuple):
    """The colours of a brick: of its outline, of what it is filled with, and of its text."""

    line: int
    fill: int | None
    ink: str


class _Box(NamedTuple):
    """Where a brick is drawn, in pixels."""

    left: float
    top: float
    width: float
    height: float

    def rect(self) -> QRectF:
        return QRectF(*self)


def _outline(painter: QPainter, rect: QRectF, line: int, fill: int | None, pen: float) -> None:
    """Draw a brick so that the outside of its line is where `rect` is."""
    half = pen / 2
    paint = None if fill is None else QColor.fromRgba(fill)
    inner = rect.adjusted(half, half, -half, -half)
    draw_brick(painter, inner, QColor.fromRgba(line), paint, pen)


@lru_cache(maxsize=256)  # mostly of some KB each, of 120 at most
def _shape(
    width: float, height: float, line: int, fill: int | None, pen: float, ratio: float
) -> QImage:
    """Return a brick as an image: to draw one takes a tenth of the time of its outline."""
    image = QImage(
        round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _outline(painter, QRectF(0, 0, width, height), line, fill, pen)
    painter.end()
    return image


def mean_width(row: BrickRow, viewport: Viewport) -> float:
    """Return the mean width of a row's bricks in pixels."""
    axis = viewport.axis
    return 0.0 if axis is None else axis.width * viewport.zoom / max(len(row.first), 1)


def is_far(row: BrickRow, viewport: Viewport) -> bool:
    """Whether a row is too small for bricks."""
    return mean_width(row, viewport) < DENSITY
