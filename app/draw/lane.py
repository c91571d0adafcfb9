"""A lane: the lattice of the text on its axis, and a forward pass over it as far as it has come.

The current node is a vertical line; edges that have arrived are lit, each done node keeps the edge
it holds, edges to come are dots, and the back-trace is drawn over all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPainterPathStroker, QPen

from app.draw.arcs import edge_spans
from app.draw.axis import Axis
from app.draw.edge_marks import edge_marks, with_sign
from app.draw.glyphs import draw_text
from app.draw.isolate import isolate
from app.draw.lettering import Lettering
from app.draw.tokens import byte_places
from app.draw.viewport import GUTTER, Viewport
from app.draw.widths import Widths
from app.theme import SIZE_DATA, Theme
from engine.display import visible
from engine.lattice import Lattice
from engine.place import free_boxes
from engine.segmenter import EdgeKind
from engine.trace import PassState
from engine.traces.passes import PassTrace

Floats = NDArray[np.float64]

RISE, SLOPE, FLATTEST = 12.0, 1.3, 0.22
"""Height of an arc: RISE + slope × its width. The slope is SLOPE, or less where the widest arc
needs it; under FLATTEST wide arcs flatten towards the top instead."""

TEXT_ROW = 30.0
GHOST = 9.0
"""Room at zoom 1 of bytes before the text that stand for nothing in it, inside the margin."""

LONGEST_LABEL = 18

READABLE = 1.7
"""Zoom under which a lane isn't drawn: a longer text is seen through a window."""


def edge_text(lattice: Lattice, edge: int) -> str:
    """Return the text of an edge for the eye, shortened."""
    kind, piece = lattice.kind[edge], int(lattice.piece[edge])
    matched = kind in (EdgeKind.PIECE, EdgeKind.ADDED) and piece >= 0
    text = visible(lattice.vocabulary.bytes(piece) if matched else lattice.bytes(edge))
    text = text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"
    return isolate(with_sign(text, int(edge_marks(lattice, np.array([edge]))[0])))


def path_text(lattice: Lattice, edges: Iterable[int], bar: str = "|") -> str:
    """Return a path as its pieces with bars between."""
    return bar.join(edge_text(lattice, int(edge)) for edge in edges)


@dataclass(frozen=True, eq=False)
class LanePlaces:
    """Where edges and nodes stand on the axis at zoom 1.

    x0, x1: float64[e], ends of each edge. node: float64[n_nodes].
    """

    lattice: Lattice
    axis: Axis
    x0: Floats
    x1: Floats
    node: Floats

    @cached_property
    def ticks(self) -> Floats:
        """Where units of the axis begin and end, ascending."""
        return np.unique(np.concatenate((self.axis.left, self.axis.right)))

    def text(self, edge: int) -> str:
        """Return the text of an edge, made once."""
        known = self._texts.get(edge)
        if known is None:
            known = self._texts[edge] = edge_text(self.lattice, edge)
        return known

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {}

    @cached_property
    def reach(self) -> tuple[Floats, Floats]:
        """Left and right end of each edge."""
        return np.minimum(self.x0, self.x1), np.maximum(self.x0, self.x1)


def place_lane(lattice: Lattice, axis: Axis) -> LanePlaces:
    """Give edges and nodes their places."""
    start, end = edge_spans(lattice)
    at, to = byte_places(lattice.prepared)
    if not len(at):
        return LanePlaces(lattice, axis, np.zeros(0), np.zeros(0), np.zeros(1))
    node = axis.at(np.append(at, to[-1]), end=False)
    node[-1] = float(axis.at(np.array([to[-1]]), end=True)[0])
    x0, x1 = axis.at(start, end=False), axis.at(end, end=True)
    # Bytes that stand for nothing in the text (a dummy prefix) get a little room before it.
    prepared = lattice.prepared
    ghosts = prepared.source_end <= prepared.source_start
    count = len(ghosts) if ghosts.all() else int(np.argmin(ghosts))
    if count:
        back = GHOST if axis.n_units and axis.turned[0] else -GHOST
        node[:count] += back * (1 - np.arange(count) / count)
        x0 = np.where(lattice.start < count, node[np.minimum(lattice.start, count)], x0)
        x1 = np.where(lattice.end < count, node[np.minimum(lattice.end, count)], x1)
    return LanePlaces(lattice, axis, x0, x1, node)


@dataclass(frozen=True)
class LanePicture:
    """What a lane is painted from. k: steps of the trace that are done.

    chosen: the edge that is selected, −1 for none.
    """

    places: LanePlaces
    trace: PassTrace
    viewport: Viewport
    theme: Theme
    k: int
    chosen: int = -1

    @property
    def color(self) -> QColor:
        """The colour of the path: best or sampled."""
        return self.theme.color("best" if self.trace.kind == "viterbi" else "sampled")

    @property
    def node(self) -> int:
        """The node of the step just done; 0 at the start."""
        return node_at(self.trace, self.k)

    @cached_property
    def state(self) -> PassState:
        """What nodes hold now."""
        return self.trace.state(min(self.k, len(self.trace)))

    @cached_property
    def back(self) -> frozenset[int]:
        """The edges of the path that the back-trace has found so far."""
        return frozenset(self.state.back.tolist())

    @cached_property
    def here(self) -> frozenset[int]:
        """The edges that end at the current node."""
        if self.k <= 0:
            return frozenset()
        steps = self.trace.steps_at(self.node)
        return frozenset(self.trace.edge[steps.start : steps.stop].tolist())

    def shapes(self, rect: QRectF) -> tuple[NDArray[np.int64], Floats, float]:
        """Return (edges in view, height of each, y of the axis) in a rectangle."""
        left, right = self.places.reach
        first, last = self.viewport.visible
        shown = np.flatnonzero((right >= first) & (left <= last))
        base = rect.bottom() - TEXT_ROW
        wide = (right - left)[shown] * self.viewport.zoom
        if not len(wide):
            return shown, wide, base
        # From the whole lattice, so that arcs keep their height while the view moves.
        room = max(base - rect.top() - 22 - RISE, 10.0)
        widest = max(float((right - left).max()) * self.viewport.zoom, 1.0)
        slope = min(SLOPE, room / widest)
        if slope >= FLATTEST:
            return shown, RISE + slope * wide, base
        return shown, RISE + room * (1 - np.exp(-wide / room)), base

    @property
    def newest(self) -> int:
        """The edge that has just arrived, −1 for none."""
        return int(self.trace.edge[self.k - 1]) if 0 < self.k <= self.trace.n_forward else -1


def node_at(trace: PassTrace, k: int) -> int:
    """Return the node of the step that led to state k: 0 at the start, the last at the end."""
    if k >= len(trace) > 0:
        return trace.lattice.n_nodes - 1
    if k <= 0 or not len(trace):
        return 0
    return trace.event(min(k, len(trace)) - 1).node


def paint_lane(painter: QPainter, rect: QRectF, picture: LanePicture) -> None:
    """Paint a lane into a rectangle whose left edge is the viewport's."""
    shown, height, base = picture.shapes(rect)
    painter.save()
    painter.setClipRect(rect)
    # The viewport counts from its gutter, which a lane doesn't have.
    painter.translate(rect.left() - GUTTER, 0)
    view = rect.translated(GUTTER - rect.left(), 0)
    _paint_node_line(painter, picture, view, base)
    _paint_arcs(painter, picture, shown, height, base)
    _paint_axis(painter, picture, base)
    text = QRectF(view.left(), base + 2, view.width(), TEXT_ROW - 4)
    draw_text(painter, picture.viewport, picture.theme, text, picture.theme.color("ink"))
    _paint_nodes(painter, picture, base)
    _paint_labels(painter, picture, shown, height, base)
    painter.restore()


def _arc(picture: LanePicture, edge: int, height: float, base: float) -> QPainterPath:
    x0 = picture.viewport.screen(float(picture.places.x0[edge]))
    x1 = picture.viewport.screen(float(picture.places.x1[edge]))
    top = base - height * 4 / 3
    path = QPainterPath(QPointF(x0, base))
    path.cubicTo(x0, top, x1, top, x1, base)
    return path


def _paint_node_line(painter: QPainter, picture: LanePicture, view: QRectF, base: float) -> None:
    if picture.k <= 0:
        return
    x = picture.viewport.screen(float(picture.places.node[picture.node]))
    painter.setPen(QPen(picture.theme.color("ink"), 1.5))
    painter.drawLine(QPointF(x, view.top() + 2), QPointF(x, base + 6))


def _paint_arcs(
    painter: QPainter,
    picture: LanePicture,
    shown: NDArray[np.int64],
    height: Floats,
    base: float,
) -> None:
    trace, theme, k = picture.trace, picture.theme, picture.k
    state, here, newest = picture.state, picture.here, picture.newest
    arrived = np.zeros(picture.places.lattice.n_edges, dtype=np.bool_)
    arrived[trace.edge[:k]] = True
    held = np.zeros_like(arrived)
    held[state.holder[state.holder >= 0]] = True
    back = picture.back
    painter.setBrush(Qt.BrushStyle.NoBrush)
    quiet = k > trace.n_forward
    late: list[tuple[int, float]] = []
    for edge, high in zip(shown.tolist(), height.tolist(), strict=True):
        if edge in back:
            late.append((edge, high))
            continue
        if not arrived[edge]:
            pen = QPen(theme.color("line2"), 1)
            pen.setDashPattern([2, 4])
        elif held[edge]:
            color = picture.color
            color.setAlphaF(0.45 if quiet else 1.0)
            pen = QPen(color, 2.4 if edge in here else 1.6)
        else:
            color = theme.color("ink2" if edge in here else "ink3")
            color.setAlphaF(0.9 if edge in here else 0.55)
            pen = QPen(color, 1.2 if edge in here else 1)
        path = _arc(picture, edge, high, base)
        if edge == newest:
            painter.setPen(QPen(theme.color("selection"), 9))
            painter.drawPath(path)
        painter.setPen(pen)
        painter.drawPath(path)
        crossed = trace.kind != "ffbs" or bool(back)
        if edge in here and arrived[edge] and not held[edge] and not quiet and crossed:
            _cross(painter, path.pointAtPercent(0.5), theme)
    pen = QPen(picture.color, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    if trace.kind != "viterbi":
        pen.setDashPattern([3, 4 / 3])
    painter.setPen(pen)
    for edge, high in late:
        painter.drawPath(_arc(picture, edge, high, base))
    for edge, high in zip(shown.tolist(), height.tolist(), strict=True):
        if edge == picture.chosen:
            _paint_rim(painter, _arc(picture, edge, high, base), theme)


def _paint_rim(painter: QPainter, path: QPainterPath, theme: Theme) -> None:
    """Paint two thin lines on both sides of an arc: it is the one selected."""
    rim = QPainterPathStroker()
    rim.setWidth(8)
    painter.setPen(QPen(theme.color("ink"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(rim.createStroke(path).simplified())


def _cross(painter: QPainter, place: QPointF, theme: Theme) -> None:
    painter.setPen(QPen(theme.color("ink3"), 1.4))
    for slope in (1, -1):
        painter.drawLine(place + QPointF(-4, -4 * slope), place + QPointF(4, 4 * slope))


def _paint_axis(painter: QPainter, picture: LanePicture, base: float) -> None:
    viewport, axis = picture.viewport, picture.places.axis
    if not axis.n_units:
        return
    painter.setPen(QPen(picture.theme.color("line2"), 1))
    painter.drawLine(
        QPointF(viewport.screen(0.0), base), QPointF(viewport.screen(axis.width), base)
    )
    first, last = viewport.visible
    edges = picture.places.ticks
    for x in viewport.to_screen(edges[(edges >= first) & (edges <= last)]).tolist():
        painter.drawLine(QPointF(x, base - 3), QPointF(x, base + 3))


def _paint_nodes(painter: QPainter, picture: LanePicture, base: float) -> None:
    """Mark nodes that hold an edge, and those on the path found."""
    state, viewport = picture.state, picture.viewport
    first, last = viewport.visible
    x = picture.places.node
    done = (state.total > -np.inf) & (x >= first) & (x <= last)
    done[0] = first <= x[0] <= last
    on_path = np.zeros(len(x), dtype=np.bool_)
    on_path[picture.places.lattice.end[state.back]] = True
    on_path[picture.places.lattice.start[state.back]] = True
    painter.setPen(Qt.PenStyle.NoPen)
    for node in np.flatnonzero(done).tolist():
        strong = bool(on_path[node])
        painter.setBrush(picture.color if strong else picture.theme.color("ink2"))
        radius = 4.0 if strong else 2.5
        painter.drawEllipse(QPointF(viewport.screen(float(x[node])), base), radius, radius)


def _paint_labels(
    painter: QPainter,
    picture: LanePicture,
    shown: NDArray[np.int64],
    height: Floats,
    base: float,
) -> None:
    """Write pieces over their arcs where there is room: those of the moment first."""
    theme, here, newest = picture.theme, picture.here, picture.newest
    back = picture.back
    ends = picture.places.lattice.end[shown]
    held = set(shown[picture.state.holder[ends] == shown].tolist())

    def weight(i: int) -> tuple[bool, bool, bool, bool, bool, float]:
        edge = int(shown[i])
        now = edge == picture.chosen, edge == newest
        return *now, edge in back, edge in here, edge in held, float(height[i])

    order = sorted(range(len(shown)), key=weight, reverse=True)[:160]
    font = theme.piece_font(SIZE_DATA)
    metrics, wide_of = QFontMetricsF(font), Widths(font)
    boxes: list[QRectF] = []
    for i in order:
        edge = int(shown[i])
        text = picture.places.text(edge)
        x0, x1 = picture.places.x0[edge], picture.places.x1[edge]
        centre = picture.viewport.screen(float(x0 + x1) / 2)
        wide = wide_of(text)
        boxes.append(QRectF(centre - wide / 2 - 1, base - height[i] - 16, wide + 2, 15))
    sides = np.array([(b.left(), b.top(), b.right(), b.bottom()) for b in boxes]).reshape(-1, 4)
    paper = theme.color("canvas")
    own, strong, faint = (
        Lettering(painter, font, color, paper)
        for color in (picture.color, theme.color("ink"), theme.color("ink3"))
    )
    for i, box, free in zip(order, boxes, free_boxes(sides), strict=True):
        edge = int(shown[i])
        if not free:
            continue
        letters = strong if edge in here or edge in (newest, picture.chosen) else faint
        if edge in back or (edge in held and edge in here):
            letters = own
        letters.draw(box.left() + 1, box.bottom() - metrics.descent(), picture.places.text(edge))


def reveal(viewport: Viewport, trace: PassTrace, places: LanePlaces, node: int) -> None:
    """Bring a node into view with the edges that arrive there."""
    steps = trace.steps_at(node)
    ends = np.append(places.x0[trace.edge[steps.start : steps.stop]], places.node[node])
    left, right = float(ends.min()), float(ends.max())
    widest = 0.8 * viewport.width / viewport.zoom
    if right - left > widest:
        # Too wide an edge is seen at its end.
        at_right = places.node[node] >= right
        left, right = (right - widest, right) if at_right else (left, left + widest)
    viewport.reveal(max(left - 12, 0.0), right + 12)
