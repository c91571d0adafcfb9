"""How edges are told apart that are no plain pieces: the one rule for arcs, bricks and legend."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.draw.marks import draw_hatch
from app.theme import Theme
from engine.lattice import Lattice
from engine.pieces import PieceKind
from engine.segmenter import EdgeKind


class EdgeMark(IntEnum):
    """What an edge is marked as."""

    PLAIN = 0
    UNKNOWN = 1
    """The unknown token: inverse, with “?”."""
    BYTE = 2
    """A byte fallback piece: on a hatch."""
    DROPPED = 3
    """The model leaves the character out: “∅”."""
    UNUSED = 4
    """A piece that the file marks as unused: struck out."""


SIGNS = {int(EdgeMark.UNKNOWN): "?", int(EdgeMark.DROPPED): "∅"}
"""What stands behind the text of an edge."""


def edge_marks(lattice: Lattice, edges: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the `EdgeMark` of some edges of a lattice, int64[len(edges)]."""
    edge, piece = lattice.kind[edges], lattice.piece[edges]
    kind = np.where(piece >= 0, lattice.vocabulary.kind[np.maximum(piece, 0)], PieceKind.HOLE)
    marks = np.zeros(len(edges), dtype=np.int64)
    marks[kind == PieceKind.UNUSED] = EdgeMark.UNUSED
    marks[(edge == EdgeKind.BYTE) | (kind == PieceKind.BYTE)] = EdgeMark.BYTE
    marks[(edge == EdgeKind.UNKNOWN) | (kind == PieceKind.UNKNOWN)] = EdgeMark.UNKNOWN
    marks[edge == EdgeKind.DROPPED] = EdgeMark.DROPPED
    return marks


@lru_cache(maxsize=2)  # every row of bricks asks for those of one lattice
def all_marks(lattice: Lattice) -> NDArray[np.int64]:
    """Return the `EdgeMark` of every edge of a lattice, int64[n_edges]."""
    return edge_marks(lattice, np.arange(lattice.n_edges))


def with_sign(text: str, mark: int) -> str:
    """Return the text of an edge with the sign of its mark."""
    sign = SIGNS.get(mark)
    return f"{text} {sign}" if sign else text


def draw_under(painter: QPainter, theme: Theme, box: QRectF, mark: int) -> None:
    """Draw what a label stands on."""
    if mark == EdgeMark.UNKNOWN:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("ink"))
        painter.drawRoundedRect(box, 2, 2)
    elif mark == EdgeMark.BYTE:
        painter.fillRect(box, theme.color("canvas"))
        draw_hatch(painter, box, theme.color("line2"), 4)


def draw_over(painter: QPainter, theme: Theme, box: QRectF, mark: int) -> None:
    """Draw what goes over a label."""
    if mark == EdgeMark.UNUSED:
        painter.setPen(QPen(theme.color("ink2"), 1.2))
        y = box.center().y() + 1
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
