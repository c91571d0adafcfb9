"""The labels of the lattice's arcs: pieces, path numbers and probabilities, where there is room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.draw.arcs import Arcs, among
from app.draw.constraint_marks import MARK
from app.draw.edge_marks import EdgeMark, draw_over, draw_under, with_sign
from app.draw.frame import Frame
from app.draw.lettering import Lettering
from app.draw.marks import count_box, draw_count
from app.draw.viewport import GUTTER, Viewport
from app.draw.widths import Widths
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from engine.place import BUMP, Placement, Role, Room

Ints = NDArray[np.int64]

UNLIKELY = 0.02
"""Probability under which an edge that no shown path uses gets no label."""

SURE = 0.995
"""Probability from which on no number is written."""

LEAST = 0.0005
"""Probability under which three decimals would say 0."""

MANY = 400
"""Arcs in view of which labels are tried."""

PIECE, COUNT = 0, -1
"""The fonts of a label that is a piece, and of one that is an inverse count."""

# Members of an IntEnum are slow to reach.
_OTHER, _ALTERNATIVE, _BEST = int(Role.OTHER), int(Role.ALTERNATIVE), int(Role.BEST)
_UNKNOWN = int(EdgeMark.UNKNOWN)


def role_color(theme: Theme, role: int) -> QColor:
    """Return the colour of a path: the best, an alternative, or any other edge."""
    if role >= _BEST:
        return theme.color("best")
    return theme.color("alternative" if role == _ALTERNATIVE else "ink3")


def probability_text(p: float) -> str:
    """Return a probability as written under an apex: `.733`, `<.001`; empty where as good as 1."""
    if math.isnan(p) or p >= SURE:
        return ""
    if p == 0:
        return "0"
    return f"{p:.3f}".lstrip("0") if p >= LEAST else f"<{2 * LEAST:.3f}".replace("0.", ".")


def rank_text(rank: int) -> str:
    """Return the rank of a merge as written under an apex; empty where there is no merge."""
    return f"{rank:,}" if rank >= 0 else ""


def edge_number(arcs: Arcs, shapes: Placement, k: int) -> str:
    """Return the number of an arc: its probability, or its merge's rank where there is no law."""
    if arcs.has_law:
        return probability_text(float(shapes.marginal[k]))
    return rank_text(int(arcs.lattice.rank[shapes.edge[k]]))


class Label(NamedTuple):
    """Text in a box that others keep out of.

    font: which of `_fonts`; COUNT for the inverse count of tokens inside a grapheme. edge: that
    it belongs to, -1 for a count. mark: the edge's `EdgeMark`, where the label shows it.
    """

    left: float
    top: float
    right: float
    bottom: float
    text: str
    font: int
    role: int
    edge: int = -1
    mark: int = 0

    def contains(self, x: float, y: float) -> bool:
        """Whether a pixel is in the box."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def moved(self, step: float) -> Label:
        """Return the label `step` pixels to the right."""
        # `_replace` takes four times as long, and this is done of all labels at each key.
        left, top, right, bottom, text, font, role, edge, mark = self
        return Label(left + step, top, right + step, bottom, text, font, role, edge, mark)


def place_labels(
    viewport: Viewport,
    theme: Theme,
    arcs: Arcs,
    shapes: Placement,
    base: float,
    selected: int | None,
    between: tuple[float, float] | None = None,
    taken: Sequence[Label] = (),
) -> list[Label]:
    """Return counts, pieces, path numbers and probabilities whose boxes are free.

    base: y of the axis. between: left and right pixel; only arcs whose middle lies there get
    labels. taken: boxes that are no longer free.
    """
    low, high = between or (-math.inf, math.inf)
    room = Room()
    for label in taken:
        room.take(*label[:4])
    counts = _inside_counts(theme, arcs, viewport, base) if arcs.bumps else []
    found = [
        label
        for label in counts
        if low <= label.middle < high and label.top >= 0 and room.take(*label[:4])
    ]
    return found + _arc_labels(theme, arcs, shapes, base, selected, (low, high), room)


def draw_labels(
    painter: QPainter,
    theme: Theme,
    labels: Iterable[Label],
    shift: float = 0.0,
    hover: int | None = None,
) -> None:
    """Draw labels, `shift` pixels to the right of their places; not those of the edge `hover`."""
    fonts, descents, paper = _fonts(theme), _descents(theme), theme.color("canvas")
    writers: dict[tuple[int, int, bool], Lettering] = {}
    for left, top, right, bottom, text, font, role, edge, mark in labels:
        if font == COUNT:
            centre = QPointF((left + right) / 2 + shift, (top + bottom) / 2)
            draw_count(painter, theme, centre, int(text))
            continue
        if edge == hover:
            continue
        inverse = mark == _UNKNOWN
        writer = writers.get((font, role, inverse))
        if writer is None:
            color = paper if inverse else role_color(theme, role)
            writer = Lettering(painter, fonts[font], color, None if inverse else paper)
            writers[font, role, inverse] = writer
        if mark:
            box = QRectF(left + shift, top, right - left, bottom - top)
            draw_under(painter, theme, box, mark)
        writer.draw(left + 1 + shift, bottom - descents[font], text)
        if mark:
            draw_over(painter, theme, box, mark)


@lru_cache(maxsize=2)  # each takes longer to ask for than to use
def _fonts(theme: Theme) -> tuple[QFont, QFont, QFont]:
    """Return the fonts of pieces, numbers and path numbers."""
    return theme.piece_font(SIZE_DATA), theme.font(SIZE_NOTE), theme.font(9, bold=True)


@lru_cache(maxsize=2)
def _descents(theme: Theme) -> tuple[float, ...]:
    """Return how far letters of these fonts reach under their line."""
    return tuple(QFontMetricsF(font).descent() for font in _fonts(theme))


def _arc_labels(
    theme: Theme,
    arcs: Arcs,
    shapes: Placement,
    base: float,
    selected: int | None,
    between: tuple[float, float],
    room: Room,
) -> list[Label]:
    """Return the labels of arcs that have room, the most important first."""
    marks = arcs.marks
    marked, gone = marks.pinned | marks.forbidden, marks.former | marks.forbidden
    order = _by_importance(arcs, shapes, selected, between, marked, marked | gone)
    edges = shapes.edge[order]
    has_law = arcs.has_law
    values = shapes.marginal[order] if has_law else arcs.lattice.rank[edges]
    columns = (
        edges, shapes.role[order], shapes.path[order], shapes.x0[order], shapes.x1[order],
        base - shapes.height[order], arcs.mark_of[edges], values,
    )  # fmt: skip
    pieces, numbers, _ = _fonts(theme)
    wide_of, small_wide_of = Widths(pieces), Widths(numbers)
    number_of = probability_text if has_law else rank_text
    name_of, take = arcs.label, room.take
    labels: list[Label] = []
    for edge, kind, path, x0, x1, apex, mark, value in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        text = with_sign(name_of(edge), mark)
        half = wide_of(text) / 2
        shifted = edge in marked
        # Where there is no law, every match is as likely as the next: those with room are named.
        if not has_law and kind == _OTHER and not shifted and 2 * half > abs(x1 - x0):
            continue
        centre = (x0 + x1) / 2
        high, low = (apex - MARK, apex + MARK) if shifted else (apex, apex)
        left, right = centre - half - 1, centre + half + 1
        named = high >= 19 and take(left, high - 19, right, high - 4)
        # Without its name an arc has no number either. That keeps its place all the same: the
        # many arcs that have no room for a name would crowd those that have with smaller ones.
        counted = (
            kind == _ALTERNATIVE and high >= 22 and take(right, high - 22, right + 8, high - 11)
        )
        number = "" if has_law and edge in gone else number_of(value)
        small = small_wide_of(number) / 2 + 1 if number else 0.0
        numbered = (
            bool(number) and low >= -3 and take(centre - small, low + 3, centre + small, low + 16)
        )
        if not named:
            continue
        labels.append(Label(left, high - 19, right, high - 4, text, PIECE, kind, edge, mark))
        if counted:
            labels.append(Label(right, high - 22, right + 8, high - 11, str(path), 2, kind, edge))
        if numbered:
            box = centre - small, low + 3, centre + small, low + 16
            labels.append(Label(*box, number, 1, kind, edge))
    return labels


def _by_importance(
    arcs: Arcs,
    shapes: Placement,
    selected: int | None,
    between: tuple[float, float],
    marked: frozenset[int],
    always: frozenset[int],
) -> Ints:
    """Return the arcs that may have labels, the most important first: what is selected, then what
    is marked, then paths. always: edges that may have one however improbable."""
    middle = (shapes.x0 + shapes.x1) / 2
    wanted = (middle >= between[0]) & (middle < between[1])
    if arcs.has_law:
        likely = (shapes.marginal >= UNLIKELY) | (shapes.role != _OTHER)
        wanted &= likely | among(shapes.edge, always) if always else likely
    if arcs.bumps:
        wanted &= ~shapes.fragment
    order = shapes.priority[wanted[shapes.priority]][:MANY]
    if selected is None and not marked:
        return order
    edges = shapes.edge[order]
    chosen = -1 if selected is None else selected
    first = np.lexsort((~among(edges, marked), edges != chosen))
    return order[first]


def _inside_counts(theme: Theme, arcs: Arcs, viewport: Viewport, base: float) -> list[Label]:
    """Return over each grapheme that the path cuts inside how many tokens share it."""
    axis = viewport.axis
    if axis is None:
        return []
    middle = (axis.left[arcs.cut_unit] + axis.right[arcs.cut_unit]) / 2
    first, last = viewport.visible
    font = theme.font(SIZE_NOTE, bold=True)
    found = []
    for k in np.flatnonzero((middle >= first) & (middle <= last)).tolist():
        spot = QPointF(viewport.screen(float(middle[k])), base - BUMP - 11)
        count = int(arcs.cut_count[k])
        box = count_box(f"{count:,}", font, spot)
        found.append(Label(box.left(), box.top(), box.right(), box.bottom(), str(count), COUNT, 0))
    return found


def draw_hover_label(
    painter: QPainter, theme: Theme, arcs: Arcs, shapes: Placement, place: Frame, edge: int
) -> None:
    """Draw the name of the arc under the mouse in a frame of its own."""
    found = np.flatnonzero(shapes.edge == edge)
    if not len(found):
        return
    k = int(found[0])
    mark = int(arcs.mark_of[edge])
    text, number = with_sign(arcs.label(edge), mark), edge_number(arcs, shapes, k)
    font, bold = theme.piece_font(SIZE_DATA), theme.font(SIZE_DATA, bold=True)
    wide = QFontMetricsF(font).horizontalAdvance(text)
    more = QFontMetricsF(bold).horizontalAdvance(number) + 8 if number else 0.0
    centre = float(shapes.x0[k] + shapes.x1[k]) / 2
    apex = place.base - float(shapes.height[k])
    left = min(max(centre - (wide + more) / 2 - 8, GUTTER), place.width - wide - more - 18)
    box = QRectF(left, max(apex + 10, 2), wide + more + 16, 22)
    painter.setPen(QPen(theme.color("ink"), 1))
    painter.setBrush(theme.color("selection"))
    painter.drawRoundedRect(box, 2, 2)
    painter.setFont(font)
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box.adjusted(8, 0, 0, 0), middle | Qt.AlignmentFlag.AlignLeft, text)
    painter.setFont(bold)
    painter.drawText(box.adjusted(0, 0, -8, 0), middle | Qt.AlignmentFlag.AlignRight, number)
