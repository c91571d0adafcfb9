"""The band of tokens of one model: which stretch of the axis each token takes, and its painting.

Tokens that share a unit of the axis (a character cut into several) make one group, which is one
band with a count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.draw.axis import Axis
from app.draw.glyphs import draw_text
from app.draw.looks import COLORS, looks_of
from app.draw.marks import draw_count, draw_hatch, draw_underline, notched
from app.draw.viewport import MARGIN, Viewport
from app.theme import SIZE_NOTE, Theme
from engine.model import Encoding
from engine.pieces import PieceKind
from engine.pipeline import Prepared

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP = 1.5
"""Pixels of paper between two bands."""

GHOST = 16.0
"""Pixels of the cell of a piece that stands for nothing in the text, before its first byte."""

TWO_TONES, DENSITY = 6.0, 2.0
"""Mean pixels per band under which bands lose their text, and under which they are counted."""

DENSITY_STRIP = 100

COUNT_ROW = 11.0
"""Pixels that counts take under text that can't make room for them."""

WITH_COUNT = 27.0
"""Pixels from which on a band has its count beside the character, not over its corner."""


# Plain numbers: NumPy takes as long to read an enumeration's as to compare an array.
_CONTROL, _ADDED = int(PieceKind.CONTROL), int(PieceKind.ADDED)
_UNKNOWN = int(PieceKind.UNKNOWN)


def byte_places(prepared: Prepared, count: int | None = None) -> tuple[Floats, Floats]:
    """Return (start, end) of each byte of `prepared.data` in bytes of the text, float64[m].

    Bytes that stand for one stretch together (a normalized character) share it evenly.
    count: the first bytes that are wanted, by default all; there may be a few more.
    """
    begins, ends = prepared.source_start, prepared.source_end
    if count is not None and count < len(begins):
        # A stretch is shared by all of its bytes, so it is taken whole.
        while 0 < count < len(begins) and (
            begins[count] == begins[count - 1] and ends[count] == ends[count - 1]
        ):
            count += 1
        begins, ends = begins[:count], ends[:count]
    start = begins.astype(np.float64)
    end = np.maximum(ends.astype(np.float64), start)
    if len(start) == 0:
        return start, end
    new = np.ones(len(start) + 1, dtype=np.bool_)
    new[1:-1] = (start[1:] != start[:-1]) | (end[1:] != end[:-1])
    if new.all():
        return start, end
    first = new.nonzero()[0]
    group = new[:-1].cumsum() - 1
    place = np.arange(len(start)) - first[group]
    step = (end - start) / (first[1:] - first[:-1])[group]
    return start + step * place, start + step * (place + 1)


@dataclass(frozen=True, eq=False)
class Bands:
    """Groups of tokens on an axis, in text order.

    token: int64[g + 1], first token of each group, and the number of tokens on the axis.
    start, end: float64[g], bytes of the text as given. rect_group: int64[r]; rect_left,
    rect_right: float64[r], at zoom 1: one rectangle a group, more where the direction turns.
    id: int64[g], of the first token of each group. fragment, special, unknown: bool[g].
    total: tokens of the whole text. ghost: first tokens, that stand for nothing in the text (a
    dummy prefix).
    """

    token: Ints
    start: Floats
    end: Floats
    rect_group: Ints
    rect_left: Floats
    rect_right: Floats
    id: Ints
    fragment: NDArray[np.bool_]
    special: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    total: int
    ghost: int

    @cached_property
    def looks(self) -> tuple[Ints, Ints]:
        """Colour and underline of each group by identity, made when first painted."""
        return looks_of(self.id)

    @cached_property
    def usual_width(self) -> float:
        """The mean width of a band at zoom 1."""
        return float(np.mean(self.rect_right - self.rect_left)) if len(self.rect_left) else 0.0

    @property
    def n_groups(self) -> int:
        return len(self.start)

    def group_at(self, byte: float) -> int:
        """Return the group that covers a byte of the text; -1 where none does."""
        place = int(np.searchsorted(self.start, byte, side="right")) - 1
        return place if place >= 0 and byte < self.end[place] else -1

    def group_of_token(self, token: int) -> int:
        """Return the group of a token; -1 where it isn't on the axis."""
        if not 0 <= token < self.token[-1]:
            return -1
        return int(np.searchsorted(self.token, token, side="right")) - 1


def place_tokens(encoding: Encoding, axis: Axis) -> Bands:
    """Group the tokens of an encoding that lie on the axis, and give each group its place."""
    total = len(encoding.ids)
    seen = slice(0, total)
    if axis.shown < encoding.text.n_bytes:
        # Of a long text only the tokens up to the end of the axis are looked at.
        near = (encoding.start <= axis.shown).nonzero()[0]
        seen = slice(0, int(near[-1]) + 1 if len(near) else 0)
    node_start, node_end = encoding.node_start[seen], encoding.node_end[seen]
    at, to = byte_places(encoding.prepared, int(node_end.max(initial=0)))
    if len(at):
        start = at[np.minimum(node_start, len(at) - 1)]
        end = to[np.maximum(node_end, 1) - 1]
        empty = node_end <= node_start
        start[empty] = end[empty] = encoding.start[seen][empty]
    else:
        start = encoding.start[seen].astype(np.float64)
        end = encoding.end[seen].astype(np.float64)
    count = int(np.maximum.accumulate(end).searchsorted(axis.shown, side="right"))
    start, end = start[:count], np.maximum(end, start)[:count]
    widthless = end <= start
    ghost = int(widthless.argmin()) if not widthless.all() else count
    inside = _inside_unit(end, axis)
    # A token goes on the group before when that ended inside a unit; one without width of its
    # own goes with the token after it.
    together = inside | widthless
    together[:ghost] = inside[:ghost]
    opens = np.ones(count + 1, dtype=np.bool_)
    opens[1:] = ~together
    if 0 < ghost < count:
        opens[1:ghost] = False
        opens[ghost] = True
    opens[-1] = True
    token = opens.nonzero()[0]
    first = token[:-1]
    group_start = start[first]
    group_end = np.maximum.reduceat(end, first) if count else end
    kinds = encoding.vocabulary.kind[encoding.ids[:count]]
    firsts = kinds[first]
    special = (firsts == _CONTROL) | (firsts == _ADDED)
    # One unknown token in a character makes all of it unknown.
    unknown = kinds == _UNKNOWN
    unknown = np.logical_or.reduceat(unknown, first) if count else unknown
    fragment = token[1:] - first > 1
    cut = inside[token[1:] - 1] if count else np.zeros(0, dtype=np.bool_)
    if axis.unit == "byte":
        fragment = cut | _inside_unit(group_start, axis, whole=True)
        fragment |= _inside_unit(group_end, axis, whole=True)
    if ghost:
        fragment[0] = False
    rectangles = axis.rectangles(group_start, group_end)
    return Bands(
        token,
        group_start,
        group_end,
        *rectangles,
        encoding.ids[first].astype(np.int64),
        fragment,
        special,
        unknown,
        total,
        ghost,
    )


def _inside_unit(position: Floats, axis: Axis, *, whole: bool = False) -> NDArray[np.bool_]:
    """Return where positions lie inside what a band isn't cut at: a unit, on bytes a byte."""
    if axis.unit == "byte" and not whole:
        return position != np.floor(position)
    place = np.minimum(axis.bounds.searchsorted(position), len(axis.bounds) - 1)
    return axis.bounds[place] != position


def draw_bands(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    bands: Bands,
    rect: QRectF,
    ghost_label: str = "",
    *,
    by_identity: bool = False,
) -> None:
    """Draw a band row in `rect`: the bands in view, then the text over them.

    by_identity: colour and underline follow the token's id; else colours follow its position.
    """
    axis = viewport.axis
    if axis is None or not bands.n_groups:
        return
    first, last = viewport.visible
    if bands.ghost and bands.usual_width * viewport.zoom >= TWO_TONES:
        _draw_ghost(painter, theme, viewport, rect, ghost_label, float(bands.start[0]))
    slack = MARGIN / viewport.zoom
    near = (bands.rect_right >= first - slack) & (bands.rect_left <= last + slack)
    seen = near.nonzero()[0]
    if len(seen) == 0:
        return
    lefts = viewport.to_screen(bands.rect_left[seen])
    rights = viewport.to_screen(bands.rect_right[seen])
    mean = bands.usual_width * viewport.zoom
    if mean < DENSITY:
        _draw_density(painter, theme, lefts, rights, rect)
        return
    plain = mean < TWO_TONES
    groups = bands.rect_group[seen]
    ink, paper, hatch = theme.color("ink"), theme.color("panel"), theme.color("line")
    frame = QPen(theme.color("line2"), 1)
    tones = [theme.band(i) for i in range(COLORS)]
    fragments: list[tuple[QRectF, int, int]] = []
    colors, lines = bands.looks if by_identity else (None, None)
    for left, right, group in zip(lefts.tolist(), rights.tolist(), groups.tolist(), strict=True):
        gap = GAP if not plain else min(GAP, (right - left) / 4)
        box = QRectF(left + gap / 2, rect.top(), max(right - left - gap, 0.5), rect.height())
        if plain:
            painter.fillRect(box, tones[group % 2 * 2])
            continue
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tones[group % COLORS if colors is None else int(colors[group])])
        if bands.special[group]:
            painter.setPen(QPen(theme.color("special"), 1.2))
            painter.drawPath(notched(box.adjusted(0.6, 0.6, -0.6, -0.6)))
        elif bands.unknown[group]:
            painter.setBrush(ink)
            painter.drawRoundedRect(box, 2, 2)
            if bands.fragment[group]:
                fragments.append((box, group, int(bands.token[group + 1] - bands.token[group])))
        elif bands.fragment[group]:
            painter.setBrush(paper)
            painter.drawRoundedRect(box, 2, 2)
            draw_hatch(painter, box, hatch)
            painter.setPen(frame)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
            fragments.append((box, group, int(bands.token[group + 1] - bands.token[group])))
        else:
            painter.drawRoundedRect(box, 2, 2)
            if lines is not None:
                draw_underline(painter, box, theme.color("ink2"), int(lines[group]))
    if plain:
        return
    nudged = {}
    if axis.unit == "grapheme" and not axis.runs:
        for box, group, count in fragments:
            if count > 1 and box.width() >= WITH_COUNT and not bands.unknown[group]:
                # The count stands at the end of the band; its character makes room for it.
                last = int(axis.unit_of(int(np.ceil(bands.end[group])) - 1))
                cell = float(axis.right[last] - axis.left[last]) * viewport.zoom
                wide = float(axis.advance[last])
                nudged[last] = -max(min(count_width(count) / 2, (cell - wide) / 2 - 2), 0.0)
    draw_text(painter, viewport, theme, text_rect(viewport, rect), ink, nudged)
    for left, right, group in zip(lefts.tolist(), rights.tolist(), groups.tolist(), strict=True):
        if bands.unknown[group]:
            _draw_unknown(painter, theme, viewport, rect, left, right)
    for box, group, count in fragments:
        if count > 1:
            _draw_fragment_count(
                painter, theme, box, count, below=bool(axis.runs), on_ink=bool(bands.unknown[group])
            )


def text_rect(viewport: Viewport, rect: QRectF) -> QRectF:
    """Return where in a band the text stands: above the counts where letters join."""
    axis = viewport.axis
    below = COUNT_ROW if axis is not None and axis.runs and axis.unit == "grapheme" else 0
    return rect.adjusted(0, 0, 0, -below)


def count_width(count: int) -> float:
    """Return about how many pixels a count takes."""
    return 12.0 if count < 10 else 20.0


def _draw_fragment_count(
    painter: QPainter, theme: Theme, box: QRectF, count: int, *, below: bool, on_ink: bool
) -> None:
    if on_ink:
        # The mark of the unknown has the right end.
        box = box.adjusted(0, 0, -9, 0)
    if below:
        draw_count(
            painter, theme, QPointF(box.center().x(), box.bottom() - 6.5), count, 9, on_ink=on_ink
        )
        return
    small = box.width() < WITH_COUNT
    half = count_width(count) / 2 + 1
    centre = QPointF(box.right() - half, box.top() + 7 if small else box.center().y())
    draw_count(painter, theme, centre, count, 9 if small else SIZE_NOTE, on_ink=on_ink)


def _draw_unknown(
    painter: QPainter, theme: Theme, viewport: Viewport, rect: QRectF, left: float, right: float
) -> None:
    """Draw the text of an unknown token in paper on ink, and the mark."""
    painter.save()
    box = QRectF(left, rect.top(), right - left, rect.height())
    painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
    paper, faint = theme.color("canvas"), theme.color("line")
    draw_text(painter, viewport, theme, text_rect(viewport, rect), paper, faint=faint)
    painter.restore()
    text = text_rect(viewport, rect)
    if text.height() < rect.height():
        # Letters that join fill the width of their cell: the mark stands where counts do.
        box = QRectF(left, text.bottom() - 2, right - left, rect.bottom() - text.bottom())
    else:
        box = QRectF(right - 11, rect.top() + 1, 9, 11)
    painter.setFont(theme.font(9, bold=True))
    painter.setPen(theme.color("canvas"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "?")


def _draw_ghost(
    painter: QPainter, theme: Theme, viewport: Viewport, rect: QRectF, label: str, byte: float
) -> None:
    """Draw the piece that stands before a byte and for nothing in the text, dotted."""
    if not ghost_in_view(viewport, byte):
        return
    box = ghost_box(viewport, rect.top(), rect.height(), byte)
    painter.setPen(QPen(theme.color("line2"), 1, Qt.PenStyle.DotLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 2, 2)
    if ghost_named(viewport, byte):
        painter.setPen(theme.color("ink3"))
        painter.setFont(theme.piece_font(SIZE_NOTE))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)


def ghost_step(axis: Axis, byte: float) -> float:
    """Return the pixels from a byte to the far end of what was put in before it."""
    turned = bool(axis.n_units and axis.turned[axis.unit_of(int(byte))])
    return GHOST if turned else -GHOST


@lru_cache(maxsize=8)  # each row in each strip asks for that of one axis
def _ghost_place(axis: Axis, byte: float) -> tuple[float, float]:
    """Return the x of a byte at zoom 1, and the pixels from it to the far end of a ghost."""
    return axis.x(byte, end=False), ghost_step(axis, byte)


def ghost_ends(viewport: Viewport, byte: float) -> tuple[float, float]:
    """Return the pixels between which the cell of what was put in before a byte is."""
    axis = viewport.axis
    assert axis is not None
    x, step = _ghost_place(axis, byte)
    begin = viewport.screen(x)
    return min(begin, begin + step), max(begin, begin + step)


def ghost_in_view(viewport: Viewport, byte: float) -> bool:
    """Whether something of that cell is in view."""
    (left, right), (first, last) = ghost_ends(viewport, byte), viewport.ends
    return right >= first and left <= last


def ghost_box(viewport: Viewport, top: float, height: float, byte: float) -> QRectF:
    """Return the cell of what was put in before a byte, on the side where the text begins."""
    axis = viewport.axis
    assert axis is not None
    left = ghost_ends(viewport, byte)[0] + (1.5 if _ghost_place(axis, byte)[1] > 0 else 0.5)
    return QRectF(left, top + 0.5, GHOST - 2, height - 1)


def ghost_named(viewport: Viewport, byte: float) -> bool:
    """Whether a ghost's name has room beside the text: dropped spaces may stand in its place."""
    axis = viewport.axis
    assert axis is not None
    unit = int(axis.unit_of(int(byte))) - 1
    if unit < 0:
        return True
    empty = (axis.right[unit] - axis.left[unit]) * viewport.zoom - axis.advance[unit]
    return bool(empty / 2 >= GHOST)


def _draw_density(
    painter: QPainter, theme: Theme, lefts: Floats, rights: Floats, rect: QRectF
) -> None:
    """Draw how many bands fall on each strip of the row, as a bar of that height."""
    low, high = float(lefts.min()), float(rights.max())
    strips = max(int(np.ceil((high - low) / DENSITY_STRIP)), 1)
    counts, edges = np.histogram(lefts, bins=strips, range=(low, low + strips * DENSITY_STRIP))
    top = float(counts.max()) or 1.0
    fill = QColor(theme.color("line2"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    for count, left in zip(counts.tolist(), edges[:-1].tolist(), strict=True):
        tall = rect.height() * count / top
        width = min(DENSITY_STRIP, high - left) - 1
        painter.drawRect(QRectF(left, rect.bottom() - tall, max(width, 0.5), tall))
