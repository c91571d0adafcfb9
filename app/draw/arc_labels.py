"""The labels of the lattice's arcs: pieces, path numbers and probabilities, where there is room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
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
from engine.place import BUMP, Placement, Role, free_boxes

UNLIKELY = 0.02
"""Probability under which an edge that no shown path uses gets no label."""

SURE = 0.995
"""Probability from which on no number is written."""

LEAST = 0.0005
"""Probability under which three decimals would say 0."""

MANY = 400
"""Arcs in view of which labels are tried."""

COUNT = -1
"""The font of a label that is an inverse count."""

# Members of an IntEnum are slow to reach.
_ALTERNATIVE, _BEST = int(Role.ALTERNATIVE), int(Role.BEST)


def role_color(theme: Theme, role: int) -> QColor:
    """Return the colour of a path: the best, an alternative, or any other edge."""
    if role >= _BEST:
        return theme.color("best")
    return theme.color("alternative" if role == _ALTERNATIVE else "ink3")


def probability_text(p: float) -> str:
    """Return a probability as written under an apex: `.733`, `<.001`; empty where as good as 1."""
    if np.isnan(p) or p >= SURE:
        return ""
    if p == 0:
        return "0"
    return f"{p:.3f}".lstrip("0") if p >= LEAST else f"<{2 * LEAST:.3f}".replace("0.", ".")


def edge_number(arcs: Arcs, shapes: Placement, k: int) -> str:
    """Return the number of an arc: its probability, or its merge's rank where there is no law."""
    if arcs.has_law:
        return probability_text(float(shapes.marginal[k]))
    rank = int(arcs.lattice.rank[shapes.edge[k]])
    return f"{rank:,}" if rank >= 0 else ""


class Label(NamedTuple):
    """Text in a box that others keep out of.

    font: which of `_fonts`; COUNT for the inverse count of tokens inside a grapheme. of: the
    label without which it isn't drawn, by its place among all; -1 where it needs none. edge: that
    it belongs to, -1 for a count. mark: the edge's `EdgeMark`, where the label shows it.
    """

    left: float
    top: float
    right: float
    bottom: float
    text: str
    font: int
    role: int
    of: int = -1
    edge: int = -1
    mark: int = 0

    def contains(self, x: float, y: float) -> bool:
        """Whether a pixel is in the box."""
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def moved(self, step: float) -> Label:
        """Return the label `step` pixels to the right."""
        return self._replace(left=self.left + step, right=self.right + step)


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
    low, high = between or (-np.inf, np.inf)
    counts = _inside_counts(theme, arcs, viewport, base) if arcs.bumps else []
    wanted = [label for label in counts if low <= (label.left + label.right) / 2 < high]
    wanted += _arc_labels(theme, arcs, shapes, base, selected, (low, high), len(wanted))
    boxes = [label[:4] for label in (*taken, *wanted)]
    sides = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    sides[sides[:, 1] < 0] = np.nan
    free = free_boxes(sides)[len(taken) :].tolist()
    return [
        label
        for label, fits in zip(wanted, free, strict=True)
        if fits and (label.of < 0 or free[label.of])
    ]


def draw_labels(
    painter: QPainter,
    theme: Theme,
    labels: Iterable[Label],
    shift: float = 0.0,
    hover: int | None = None,
) -> None:
    """Draw labels, `shift` pixels to the right of their places; not those of the edge `hover`."""
    fonts, paper = _fonts(theme), theme.color("canvas")
    descents = [QFontMetricsF(font).descent() for font in fonts]
    writers: dict[tuple[int, int, bool], Lettering] = {}
    for label in labels:
        if label.font == COUNT:
            centre = QPointF((label.left + label.right) / 2, (label.top + label.bottom) / 2)
            draw_count(painter, theme, centre + QPointF(shift, 0), int(label.text))
            continue
        if label.edge == hover:
            continue
        inverse = label.mark == EdgeMark.UNKNOWN
        style = (label.font, label.role, inverse)
        if style not in writers:
            color = paper if inverse else role_color(theme, label.role)
            rim = None if inverse else paper
            writers[style] = Lettering(painter, fonts[label.font], color, rim)
        wide, high = label.right - label.left, label.bottom - label.top
        box = QRectF(label.left + shift, label.top, wide, high)
        if label.mark:
            draw_under(painter, theme, box, label.mark)
        at = label.bottom - descents[label.font]
        writers[style].draw(label.left + 1 + shift, at, label.text)
        if label.mark:
            draw_over(painter, theme, box, label.mark)


def _fonts(theme: Theme) -> tuple[QFont, QFont, QFont]:
    """Return the fonts of pieces, numbers and path numbers."""
    return theme.piece_font(SIZE_DATA), theme.font(SIZE_NOTE), theme.font(9, bold=True)


def _arc_labels(
    theme: Theme,
    arcs: Arcs,
    shapes: Placement,
    base: float,
    selected: int | None,
    between: tuple[float, float],
    before: int,
) -> list[Label]:
    """Return the labels that arcs want, the most important first; `before` stand before them."""
    role = shapes.role
    other = role == Role.OTHER
    likely = shapes.marginal >= UNLIKELY
    # Where there is no law, every match is as likely as the next: those with room are named.
    roomy = (not arcs.has_law) & other
    marks = arcs.marks
    marked = among(shapes.edge, marks.pinned | marks.forbidden)
    roomy &= ~marked
    gone = among(shapes.edge, marks.former | marks.forbidden)
    wanted = (role >= Role.ALTERNATIVE) | (likely & other) | roomy | marked | gone
    wanted &= ~(shapes.fragment & arcs.bumps)
    middle = (shapes.x0 + shapes.x1) / 2
    wanted &= (middle >= between[0]) & (middle < between[1])
    order = shapes.priority[wanted[shapes.priority]][:MANY]
    chosen = -1 if selected is None else selected
    first = np.lexsort((~marked[order], shapes.edge[order] != chosen))
    order = order[first]
    pieces, numbers, _ = _fonts(theme)
    wide_of, small_wide_of = Widths(pieces), Widths(numbers)
    columns = (
        order, shapes.edge[order], role[order], shapes.path[order],
        middle[order], shapes.x1[order] - shapes.x0[order],
        base - shapes.height[order], marked[order], roomy[order],
        gone[order] & arcs.has_law, arcs.mark_of[shapes.edge[order]],
    )  # fmt: skip
    labels: list[Label] = []
    for k, edge, kind, path, centre, room, apex, shifted, needs_room, silent, mark in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        text = with_sign(arcs.label(edge), mark)
        wide = wide_of(text)
        if needs_room and wide > room:
            continue
        high, low = (apex - MARK, apex + MARK) if shifted else (apex, apex)
        own = before + len(labels)
        left, right = centre - wide / 2 - 1, centre + wide / 2 + 1
        labels.append(Label(left, high - 19, right, high - 4, text, 0, kind, -1, edge, mark))
        if kind == _ALTERNATIVE:
            labels.append(
                Label(right, high - 22, right + 8, high - 11, str(path), 2, kind, own, edge)
            )
        number = "" if silent else edge_number(arcs, shapes, k)
        if number:
            half = small_wide_of(number) / 2 + 1
            labels.append(
                Label(centre - half, low + 3, centre + half, low + 16, number, 1, kind, own, edge)
            )
    return labels


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
