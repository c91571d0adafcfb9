"""Painting of the lattice: arcs, nodes, labels, boundary bars."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPen

from app.draw.arc_labels import draw_labels, place_labels, role_color
from app.draw.arcs import Arcs, Nodes, among
from app.draw.constraint_marks import (
    apart_pen,
    draw_marks,
    excluded_pen,
    ghost_pen,
)
from app.draw.frame import Frame
from app.draw.glyphs import draw_text, text_size, units_in_view
from app.draw.tokens import ghost_box, ghost_in_view, ghost_named
from app.draw.viewport import GUTTER, Viewport
from app.theme import SIZE_DATA, Theme
from engine.display import visible
from engine.place import Placement, Role

Floats = NDArray[np.float64]

TOO_MANY = 4000
"""Arcs in a view of mean density above which a density image is drawn."""

NEAR, FAR = 0.5, 0.1
"""Zoom from which labels are drawn, and under which a density image stands for the arcs."""


TICKS = 4
"""Mean pixels of a unit from which on the axis has a tick at each."""


@dataclass(frozen=True)
class Light:
    """What is lit: edges of the lattice, a stretch of bytes, the arc under the mouse, a path, a
    boundary."""

    selected: int | None = None
    hover: int | None = None
    span: tuple[int, int] | None = None
    path: frozenset[int] = field(default_factory=frozenset)
    node: int | None = None


def draw_lattice(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    arcs: Arcs,
    nodes: Nodes,
    shapes: Placement,
    place: Frame,
    light: Light,
) -> None:
    """Draw arcs, axis, text, nodes, bars and labels of the part in view."""
    painter.save()
    painter.setClipRect(QRectF(GUTTER, 0, place.width - GUTTER, place.base + 200))
    draw_picture(painter, viewport, theme, arcs, nodes, shapes, place, light)
    if has_labels(arcs, viewport):
        labels = place_labels(viewport, theme, arcs, shapes, place.base, light.selected)
        draw_labels(painter, theme, labels, hover=light.hover)
    painter.restore()


def is_far(arcs: Arcs, viewport: Viewport) -> bool:
    """Whether a density image stands for the arcs, wherever the view is."""
    axis = viewport.axis
    if axis is None or viewport.zoom < FAR:
        return True
    return len(arcs) * min(viewport.width / max(axis.width * viewport.zoom, 1.0), 1.0) > TOO_MANY


def has_labels(arcs: Arcs, viewport: Viewport) -> bool:
    """Whether arcs are large enough to be labelled."""
    return viewport.zoom >= NEAR and not is_far(arcs, viewport)


def draw_picture(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    arcs: Arcs,
    nodes: Nodes,
    shapes: Placement,
    place: Frame,
    light: Light,
) -> None:
    """Draw all but the labels of the part in view."""
    _draw_span(painter, viewport, theme, place, light)
    far = is_far(arcs, viewport)
    if far:
        _draw_density(painter, theme, arcs, shapes, place)
    else:
        _draw_underlays(painter, theme, shapes, place, light)
        _draw_arcs(painter, theme, arcs, shapes, place, light)
    _draw_axis(painter, viewport, theme, place)
    draw_text(painter, viewport, theme, place.text, theme.color("ink"))
    _draw_ghost(painter, viewport, theme, arcs, place)
    if not far:
        _draw_nodes(painter, viewport, theme, nodes, place)
        _draw_chosen_node(painter, viewport, theme, nodes, place, light)
        draw_marks(painter, viewport, theme, arcs, nodes, shapes, place)
    if arcs.has_law and not far:
        _draw_bars(painter, viewport, theme, nodes, place)


def _arc(path: QPainterPath, shapes: Placement, k: int, base: float) -> None:
    x0, x1, height = float(shapes.x0[k]), float(shapes.x1[k]), float(shapes.height[k])
    top = base - height * 4 / 3
    path.moveTo(x0, base)
    path.cubicTo(x0, top, x1, top, x1, base)


def _draw_span(
    painter: QPainter, viewport: Viewport, theme: Theme, place: Frame, light: Light
) -> None:
    axis = viewport.axis
    if axis is None or light.span is None or light.span[1] > axis.shown:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("selection"))
    for left, right in axis.intervals(*light.span):
        x0, x1 = viewport.screen(left), viewport.screen(right)
        painter.drawRect(QRectF(x0, place.base + 1, x1 - x0, place.text.height() - 2))


def _draw_underlays(
    painter: QPainter, theme: Theme, shapes: Placement, place: Frame, light: Light
) -> None:
    edges = shapes.edge
    wanted = [(e, 9.0) for e in (light.selected, light.hover) if e is not None]
    wanted += [(e, 7.0) for e in light.path]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for edge, width in wanted:
        for k in np.flatnonzero(edges == edge).tolist():
            path = QPainterPath()
            _arc(path, shapes, k, place.base)
            painter.setPen(QPen(theme.color("selection"), width))
            painter.drawPath(path)


def opacity_level(opacity: Floats) -> NDArray[np.int64]:
    """Return in which of eight opacities an edge outside the shown paths is drawn."""
    # What is 1 but for rounding is 1 at each key.
    return np.minimum(opacity * 8 + 1e-9, 7).astype(np.int64)


def _draw_arcs(
    painter: QPainter, theme: Theme, arcs: Arcs, shapes: Placement, place: Frame, light: Light
) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # Edges outside the shown paths: one path for each of a few opacities, and those apart.
    marks = arcs.marks
    other = shapes.role == Role.OTHER
    ghost = other & among(shapes.edge, marks.former | marks.forbidden)
    plain = other & ~ghost
    apart = np.zeros(len(shapes), dtype=np.bool_)
    if marks.apart is not None:
        apart = marks.apart[shapes.edge]
    step = opacity_level(shapes.opacity)
    for level in np.unique(step[plain]).tolist():
        color = theme.color("line2")
        color.setAlphaF((level + 1) / 8)
        for dashed in (False, True):
            path = QPainterPath()
            for k in np.flatnonzero(plain & (step == level) & (apart == dashed)).tolist():
                _arc(path, shapes, k, place.base)
            painter.setPen(apart_pen(color) if dashed else QPen(color, 1))
            painter.drawPath(path)
    for k in np.flatnonzero(ghost).tolist():
        path = QPainterPath()
        _arc(path, shapes, k, place.base)
        former = int(shapes.edge[k]) in marks.former
        painter.setPen(ghost_pen(theme) if former else excluded_pen(theme))
        painter.drawPath(path)
    lit = among(shapes.edge, [e for e in (light.selected, light.hover) if e is not None])
    on_path = among(shapes.edge, light.path)
    order = shapes.paint_order
    order = order[~other[order] | lit[order]]
    width = np.where(other, 1.4, shapes.line)
    width = np.where(shapes.fragment, np.minimum(width, 1.8), width)
    opacity = np.where(lit | on_path | shapes.fragment, 1.0, shapes.opacity)
    colors = {int(role): role_color(theme, int(role)) for role in np.unique(shapes.role[order])}
    pen = QPen(Qt.PenStyle.SolidLine)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    columns = (order, shapes.role[order], width[order], opacity[order])
    for k, role, wide, alpha in zip(*(column.tolist() for column in columns), strict=True):
        color = colors[role]
        color.setAlphaF(alpha)
        pen.setColor(color)
        pen.setWidthF(wide)
        painter.setPen(pen)
        path = QPainterPath()
        _arc(path, shapes, k, place.base)
        painter.drawPath(path)


def _draw_density(
    painter: QPainter, theme: Theme, arcs: Arcs, shapes: Placement, place: Frame
) -> None:
    """Draw how many arcs stand at each place, the wider ones higher, instead of each of them."""
    across, room = place.width - GUTTER, place.room * 0.6
    wide, tall = max(int(across / 2), 1), max(int(room / 6), 1)
    middle = (shapes.x0 + shapes.x1) / 2 - GUTTER
    width = np.abs(shapes.x1 - shapes.x0)
    # What stands before the text has the same width at each zoom.
    own = ~arcs.ghost[arcs.row_of[shapes.edge]]
    middle, width = middle[own], width[own]
    widest = max(float(width.max(initial=0.0)), 1e-9)
    counts, _, _ = np.histogram2d(
        width, middle, bins=(tall, wide), range=((0, widest), (0, across))
    )
    top = float(np.log1p(counts.max(initial=0.0))) or 1.0
    alpha = np.zeros((tall, (wide + 3) // 4 * 4), dtype=np.uint8)  # rows of QImage are aligned
    alpha[:, :wide] = np.log1p(counts[::-1]) / top * 255
    image = QImage(alpha.data, wide, tall, alpha.shape[1], QImage.Format.Format_Alpha8).copy()
    tinted = QImage(wide, tall, QImage.Format.Format_ARGB32_Premultiplied)
    tinted.fill(theme.color("best"))
    tint = QPainter(tinted)
    tint.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    tint.drawImage(0, 0, image)
    tint.end()
    painter.drawImage(QRectF(GUTTER, place.base - room, across, room), tinted)


def _draw_axis(painter: QPainter, viewport: Viewport, theme: Theme, place: Frame) -> None:
    axis = viewport.axis
    if axis is None or not axis.n_units:
        return
    first, last = viewport.screen(0.0), viewport.screen(axis.width)
    painter.setPen(QPen(theme.color("line2"), 1))
    painter.drawLine(QPointF(first, place.base), QPointF(last, place.base))
    shown = units_in_view(viewport)
    if axis.width * viewport.zoom / axis.n_units < TICKS:
        return
    edges = np.unique(np.concatenate((axis.left[shown], axis.right[shown])))
    for x in viewport.to_screen(edges).tolist():
        painter.drawLine(QPointF(x, place.base), QPointF(x, place.base + 4))


def _draw_ghost(
    painter: QPainter, viewport: Viewport, theme: Theme, arcs: Arcs, place: Frame
) -> None:
    axis, prepared = viewport.axis, arcs.lattice.prepared
    if axis is None or not arcs.ghost.any() or not text_size(axis, viewport.zoom):
        return
    byte = float(prepared.node_sources()[0])
    if not ghost_in_view(viewport, byte) or not ghost_named(viewport, byte):
        return
    size = int(np.argmin(prepared.source_end <= prepared.source_start))
    label = visible(prepared.data[:size].tobytes())
    box = ghost_box(viewport, place.text.top(), place.text.height(), byte)
    painter.setPen(theme.color("ink3"))
    painter.setFont(theme.piece_font(SIZE_DATA))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)


def _draw_nodes(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    nodes: Nodes,
    place: Frame,
) -> None:
    color = theme.color("best")
    xs, before = nodes.on_screen(viewport)
    for k in np.flatnonzero(nodes.on_path & _in_view(xs, before, viewport)).tolist():
        x, y = float(xs[k]), float(before[k])
        radius = 2.0 if nodes.inside[k] else 3.6
        if abs(x - y) > 1:
            # One boundary, two places: the direction turns here, or characters were dropped.
            painter.setPen(QPen(color, 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, place.base), QPointF(y, place.base))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for at in {x, y}:
            painter.drawEllipse(QPointF(at, place.base), radius, radius)


def _in_view(x: Floats, before: Floats, viewport: Viewport) -> NDArray[np.bool_]:
    """Return which boundaries have a place in view, or one at each side of it."""
    left, right = viewport.ends
    return np.asarray((np.maximum(x, before) >= left) & (np.minimum(x, before) <= right))


def _draw_chosen_node(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    nodes: Nodes,
    place: Frame,
    light: Light,
) -> None:
    """Draw the selected boundary: a line through the text row and a ring on the axis."""
    if light.node is None or light.node >= len(nodes.places):
        return
    x = float(nodes.all_on_screen(viewport)[light.node])
    if np.isnan(x):
        return
    painter.setPen(QPen(theme.color("selection"), 7))
    painter.drawLine(QPointF(x, place.base - 7), QPointF(x, place.text.bottom()))
    painter.setPen(QPen(theme.color("ink"), 1.5))
    painter.drawLine(QPointF(x, place.base), QPointF(x, place.text.bottom()))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(x, place.base), 6.5, 6.5)


def _draw_bars(
    painter: QPainter, viewport: Viewport, theme: Theme, nodes: Nodes, place: Frame
) -> None:
    bottom, height = place.bars.bottom(), place.bars.height()
    painter.setPen(QPen(theme.color("line"), 1))
    axis = viewport.axis
    if axis is not None:
        painter.drawLine(
            QPointF(viewport.screen(0.0), bottom), QPointF(viewport.screen(axis.width), bottom)
        )
    xs, before = nodes.on_screen(viewport)
    seen = np.flatnonzero(_in_view(xs, before, viewport) & ~nodes.inside)
    best, other = theme.color("best"), theme.color("alternative")
    painter.setPen(Qt.PenStyle.NoPen)
    for k in seen.tolist():
        tall = max(height * float(nodes.probability[k]), 1.0)
        painter.setBrush(best if nodes.on_path[k] else other)
        for x in {float(xs[k]), float(before[k])}:
            painter.drawRect(QRectF(x - 2, bottom - tall, 4, tall))
