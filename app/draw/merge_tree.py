"""Trees of merges: first symbols in a line, each merge over what it joins, with its rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.draw.marks import draw_hatch
from app.theme import SIZE_BODY, SIZE_NOTE, Theme
from engine.merge_tree import Forest

LEVEL, BOX = 42.0, 24.0
"""Height of a level and of a node's box."""

MARGIN, GAP = 20.0, 10.0
NARROWEST, RANK = 34.0, 80.0
"""The least width of a box, and the most that a rank below it takes."""

Label = Callable[[int], tuple[str, bool]]
"""From a node to its text, and whether that is a fragment of a character."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Where the nodes of a forest stand. widths: float64[n], pixels of each box."""

    forest: Forest
    texts: tuple[tuple[str, bool], ...]
    widths: NDArray[np.float64]

    @cached_property
    def height(self) -> NDArray[np.int32]:
        return self.forest.height

    @cached_property
    def middle(self) -> NDArray[np.float64]:
        """The x of each node's middle; leaves side by side, a merge over its two halves."""
        forest = self.forest
        middle = np.zeros(len(forest.piece))
        leaves = np.flatnonzero(forest.left < 0)
        leaves = leaves[np.argsort(forest.first[leaves])]
        wide = self.widths[leaves]
        middle[leaves] = MARGIN + np.cumsum(wide + GAP) - GAP - wide / 2
        for node in np.flatnonzero(forest.left >= 0).tolist():
            middle[node] = (middle[forest.left[node]] + middle[forest.right[node]]) / 2
        return middle

    @cached_property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture."""
        if not len(self.widths):
            return 0.0, 0.0
        right = float((self.middle + self.widths / 2).max())
        return right + MARGIN, float(self.height.max() + 1) * LEVEL + MARGIN

    @cached_property
    def top(self) -> NDArray[np.float64]:
        """The y of each node's upper side; the first symbols stand at the bottom."""
        level = self.height.max(initial=0) - self.height
        return np.asarray(MARGIN / 2 + level * LEVEL + (LEVEL - BOX) / 2, dtype=np.float64)

    def box(self, node: int) -> QRectF:
        """Return the box of a node."""
        wide = float(self.widths[node])
        return QRectF(float(self.middle[node]) - wide / 2, float(self.top[node]), wide, BOX)

    def seen(self, view: QRectF) -> NDArray[np.bool_]:
        """Return which nodes may be seen in a rectangle, with the ranks below: bool[n]."""
        half = np.maximum(self.widths, RANK) / 2
        across = (self.middle + half >= view.left()) & (self.middle - half <= view.right())
        return across & (self.top + LEVEL >= view.top()) & (self.top <= view.bottom())

    def node_at(self, place: QPointF) -> int:
        """Return the node at a place, −1 for none."""
        nodes = np.flatnonzero(self.seen(QRectF(place, place)))[::-1]
        return next((node for node in nodes.tolist() if self.box(node).contains(place)), -1)


def make_tree(forest: Forest, label: Label, theme: Theme) -> Tree:
    """Measure the nodes of a forest; a merge is never wider than what it joins needs."""
    texts = tuple(label(node) for node in range(len(forest.piece)))
    metrics = QFontMetricsF(theme.piece_font(SIZE_BODY))
    wide = np.array([metrics.horizontalAdvance(text) + 16 for text, _ in texts])
    return Tree(forest, texts, np.maximum(wide, NARROWEST) if texts else np.zeros(0))


def paint_tree(painter: QPainter, tree: Tree, theme: Theme, selected: int, view: QRectF) -> None:
    """Paint what a rectangle shows of a forest.

    selected: a node, whose tree is drawn in front, −1 for none.
    """
    forest = tree.forest
    chosen, seen = _under(forest, selected), tree.seen(view)
    for node in np.flatnonzero(_lines_seen(tree, view)).tolist():
        top = tree.box(node)
        painter.setPen(
            QPen(theme.color("best" if chosen[node] else "line2"), 2 if chosen[node] else 1)
        )
        for child in (int(forest.left[node]), int(forest.right[node])):
            below = tree.box(child)
            painter.drawLine(
                QPointF(top.center().x(), top.bottom()), QPointF(below.center().x(), below.top())
            )
    roots = set(forest.roots.tolist())
    for node in np.flatnonzero(seen).tolist():
        _paint_node(painter, tree, theme, node, node in roots, bool(chosen[node]))


def _lines_seen(tree: Tree, view: QRectF) -> NDArray[np.bool_]:
    """Return of which merges a rectangle may show the lines down to their halves: bool[n]."""
    forest, middle, bottom = tree.forest, tree.middle, tree.top + BOX
    left, right = middle[forest.left], middle[forest.right]
    lowest = np.maximum(tree.top[forest.left], tree.top[forest.right])
    across = (right >= view.left()) & (left <= view.right())
    return (forest.left >= 0) & across & (bottom <= view.bottom()) & (lowest >= view.top())


def _under(forest: Forest, selected: int) -> NDArray[np.bool_]:
    """Return the node that is selected and all that it is made of."""
    chosen = np.zeros(len(forest.piece), dtype=np.bool_)
    if selected >= 0:
        chosen[selected] = True
        for node in range(len(chosen) - 1, -1, -1):
            if chosen[node] and forest.left[node] >= 0:
                chosen[forest.left[node]] = chosen[forest.right[node]] = True
    return chosen


def _paint_node(
    painter: QPainter, tree: Tree, theme: Theme, node: int, root: bool, chosen: bool
) -> None:
    text, fragment = tree.texts[node]
    box = tree.box(node)
    fill = theme.color("selection" if chosen else "fill_best" if root else "panel")
    line = "ink" if chosen else "best" if root else "line2"
    painter.setPen(QPen(theme.color(line), 2 if root or chosen else 1.2))
    painter.setBrush(fill)
    painter.drawRoundedRect(box, 4, 4)
    font = theme.piece_font(SIZE_BODY, bold=root)
    if fragment:
        draw_hatch(painter, box.adjusted(2, 2, -2, -2), theme.color("line"))
        back = QRectF(0, 0, QFontMetricsF(font).horizontalAdvance(text) + 6, BOX - 8)
        back.moveCenter(box.center())
        painter.fillRect(back, fill)
    painter.setFont(font)
    painter.setPen(theme.color("ink"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    rank = int(tree.forest.rank[node])
    if rank < 0:
        return
    font = theme.font(SIZE_NOTE)
    shown = f"{rank:,}"
    wide = QFontMetricsF(font).horizontalAdvance(shown) + 6
    label = QRectF(0, 0, wide, 13)
    label.moveCenter(QPointF(box.center().x(), box.bottom() + 8))
    painter.fillRect(label, theme.color("canvas"))
    painter.setFont(font)
    painter.setPen(theme.color("ink2"))
    painter.drawText(label, Qt.AlignmentFlag.AlignCenter, shown)
