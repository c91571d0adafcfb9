"""A text as a row of cells of fixed widths: the axis of pictures that are made without fonts.

A cell is one unit (grapheme, code point or byte) of the text as given. Cells of a text whose
strong characters mostly run from right to left are laid out from the right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.corpus import text_direction
from engine.display import visible
from engine.terminal import width
from engine.text import Unit

if TYPE_CHECKING:
    from engine.lattice import Lattice

ZWJ = "\u200d"


@dataclass(frozen=True, eq=False)
class Cells:
    """The axis of a lattice, in units of a narrow cell's width.

    labels: what each cell shows. left, right: float64[cells], where each begins and ends, left
    under right also where text runs left. x: float64[n_nodes], where each node stands. start:
    where the first node stands: left of 0 (right of the end) by one cell for a dummy prefix.
    total: width of all cells. mirrored: the first cell is the rightmost.
    """

    labels: tuple[str, ...]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    x: NDArray[np.float64]
    total: float
    mirrored: bool


def lay_out(lattice: Lattice, unit: Unit = "grapheme") -> Cells:
    """Return the cells of the lattice's text and the place of every node.

    A node inside a cell stands at its share of the cell's bytes. Bytes that a normalizer put
    before the text (a dummy prefix) have a cell of their own before the first one.
    """
    text = lattice.prepared.text
    bounds = text.bounds(unit).astype(np.float64)
    parts = [
        text.encoded[a:b]
        for a, b in zip(bounds[:-1].astype(int), bounds[1:].astype(int), strict=True)
    ]
    labels = [visible(part) for part in parts]
    sizes = np.array([max(1.0, float(width(label))) for label in labels])
    edges = np.concatenate((np.zeros(1), np.cumsum(sizes)))
    sources = lattice.prepared.node_sources().astype(np.float64)
    x = np.interp(sources, bounds, edges) if parts else np.zeros(len(sources))
    lead = _leading(lattice)
    x[:lead] = np.arange(-lead, 0) / lead if lead else 0
    total = float(edges[-1])
    left, right = edges[:-1], edges[1:]
    mirrored = unit != "byte" and text_direction([text.string]) == "rtl"
    if mirrored:
        left, right, x = total - right, total - left, total - x
    if unit == "grapheme":
        labels = _joined(labels)
    return Cells(tuple(labels), left, right, x, total, mirrored)


def _leading(lattice: Lattice) -> int:
    """Return the number of bytes before the text that stand for nothing in it."""
    ends = lattice.prepared.source_end
    real = np.flatnonzero(ends > 0)
    return int(real[0]) if len(real) else len(ends)


def _joined(labels: list[str]) -> list[str]:
    """Return labels that keep the shapes which cursive letters have between their neighbours.

    A zero width joiner beside a letter makes it join; it stands where both neighbours would.
    """
    import regex

    forward = [bool(regex.match(r"[\p{jt=D}\p{jt=L}\p{jt=C}]", label)) for label in labels]
    backward = [bool(regex.match(r"[\p{jt=D}\p{jt=R}\p{jt=C}]", label)) for label in labels]
    made = []
    for i, label in enumerate(labels):
        before = i > 0 and forward[i - 1] and backward[i]
        after = i + 1 < len(labels) and forward[i] and backward[i + 1]
        made.append((ZWJ if before else "") + label + (ZWJ if after else ""))
    return made
