"""What shows constraints in the lattice: pins, bars, the ghost of the former best path."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.draw.arcs import Arcs, Nodes
from app.draw.frame import Frame
from app.draw.viewport import Viewport
from app.theme import Theme
from engine.place import Placement

MARK = 8.0
"""Pixels that a pin or a bar reaches above and under an apex."""


def apart_pen(color: QColor) -> QPen:
    """Return the pen of edges that merging would change."""
    pen = QPen(color, 1)
    pen.setDashPattern([4, 3])
    return pen


def ghost_pen(theme: Theme) -> QPen:
    """Return the pen of the best path that constraints have put out."""
    return QPen(theme.color("best"), 1)


def excluded_pen(theme: Theme) -> QPen:
    """Return the pen of a forbidden edge."""
    pen = QPen(theme.color("ink3"), 1)
    pen.setDashPattern([3, 4])
    return pen


def draw_pin(painter: QPainter, theme: Theme, tip: QPointF, high: float = 2 * MARK) -> None:
    """Draw a pin whose needle ends at `tip`: a round head over a line, rimmed with paper."""
    head = QPointF(tip.x(), tip.y() - high + 4)
    for color, extra in (("canvas", 3.0), ("ink", 0.0)):
        painter.setPen(QPen(theme.color(color), 1.6 + extra))
        painter.drawLine(head, tip)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(color))
        radius = 4.2 + extra / 2
        painter.drawEllipse(head, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_bar(painter: QPainter, theme: Theme, first: QPointF, last: QPointF) -> None:
    """Draw a bar between two places, rimmed with paper."""
    for color, width in (("canvas", 6.0), ("ink", 3.0)):
        pen = QPen(theme.color(color), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLine(first, last)


def draw_marks(
    painter: QPainter,
    viewport: Viewport,
    theme: Theme,
    arcs: Arcs,
    nodes: Nodes,
    shapes: Placement,
    place: Frame,
) -> None:
    """Draw a pin or a bar on each constraint: across the apex of an edge, at a boundary's node."""
    marks = arcs.marks
    for edges, pinned in ((marks.forbidden, False), (marks.pinned, True)):
        for k in np.flatnonzero(np.isin(shapes.edge, list(edges))).tolist():
            x = float(shapes.x0[k] + shapes.x1[k]) / 2
            apex = place.base - float(shapes.height[k])
            if pinned:
                draw_pin(painter, theme, QPointF(x, apex + MARK))
            else:
                draw_bar(painter, theme, QPointF(x, apex - MARK), QPointF(x, apex + MARK))
    spots = nodes.all_on_screen(viewport)
    for kept, pinned in ((marks.forbidden_nodes, False), (marks.pinned_nodes, True)):
        for node in sorted(kept):
            x = float(spots[node])
            if np.isnan(x):
                continue
            if pinned:
                draw_pin(painter, theme, QPointF(x, place.base), 22)
            else:
                middle = QPointF(x, place.base)
                draw_bar(painter, theme, middle - QPointF(8, 0), middle + QPointF(8, 0))
