"""What a model puts in before the text: its arc, boundary, bar, glyph and brick share a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

import engine
from app.draw.tokens import GHOST, draw_bands, ghost_box, ghost_named
from app.draw.viewport import GUTTER
from engine.model import Model
from tests.app.exploring import open_explore

pytestmark = pytest.mark.screen

CASES = {"ᚠᚠ": 0, "  ᚠᚠ": 2, "שלום": 0, "  שלום": 2}
"""Texts whose first letter isn't in the model, and the byte before which the space is put in."""


@pytest.fixture(scope="module")
def dropping(shared: Path) -> Model:
    """A model that drops spaces at the start."""
    return engine.load(shared / "data" / "models" / "sentencepiece" / "unigram_en_1k.model")


@pytest.fixture
def explore(qtbot: Any, session: Any, theme: Any, dropping: Model) -> Any:
    return lambda text: open_explore(qtbot, session, theme, [dropping], text)


@pytest.mark.parametrize(("text", "byte"), CASES.items())
def test_a_ghost_has_one_place_in_all_rows(explore: Any, text: str, byte: int) -> None:
    workspace = explore(text)
    placed = workspace.placed
    arcs, nodes, axis, view = placed.arcs, placed.nodes, placed.axis, placed.lattice_viewport
    shapes = workspace.lattice.shapes()
    begin = view.screen(float(axis.lead[byte]))
    back = GHOST if axis.turned[axis.unit_of(byte)] else -GHOST
    first = int(np.flatnonzero(arcs.ghost[arcs.row_of[shapes.edge]])[0])
    assert shapes.x0[first] == pytest.approx(begin + back)
    # Dot and bar stand at the foot of the arc, those of its other end at that.
    x, before = nodes.on_screen(view)
    foot = nodes.node.tolist().index(0)
    assert x[foot] == before[foot] == pytest.approx(begin + back)
    size = int(np.argmin(arcs.lattice.prepared.source_end <= arcs.lattice.prepared.source_start))
    other = nodes.node.tolist().index(size)
    assert x[other] == pytest.approx(begin)
    assert np.allclose(nodes.all_on_screen(view)[size:], view.to_screen(nodes.places[size:]))
    # Glyph and brick lie between both.
    box = ghost_box(view, 0, 20, byte)
    low, high = sorted((begin, begin + back))
    assert low <= box.left() < box.right() <= high
    assert ghost_named(view, byte)
    # A click at the foot selects that boundary.
    base = round(workspace.lattice.place.base)
    assert workspace.lattice.node_at(QPoint(round(begin + back), base + 3).toPointF()) == 0


def test_its_band_is_drawn_where_dropped_spaces_stand(explore: Any, session: Any) -> None:
    workspace = explore("  ᚠᚠ")
    bands = workspace.placed.bands[session.active.key]
    assert bands.ghost == 1
    view = workspace.placed.viewport
    image = QImage(1000, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    draw_bands(painter, view, workspace._theme, bands, QRectF(0, 4, 1000, 26), "▁")
    painter.end()
    ink = np.array(image.constBits()).reshape(40, 1000, 4)[..., :3].min(axis=2) < 255
    box = ghost_box(view, 4, 26, 2)
    # The dotted frame, and nothing where it stood before.
    column = ink[:, int(box.left()) - 1 : int(box.left()) + 2].any(axis=1)
    assert 5 < column.sum() < 25
    assert not ink[:, : round(GUTTER + 20)].any()


def test_beside_a_narrow_space_it_has_no_name(explore: Any) -> None:
    workspace = explore("  ᚠᚠ " + "ok " * 200)
    view = workspace.placed.lattice_viewport
    assert view.zoom == 1.0
    assert not ghost_named(view, 2)
    assert ghost_named(view, 0)


def test_far_away_a_ghost_doesnt_flatten_the_density(explore: Any, qtbot: Any) -> None:
    workspace = explore("ᚠ the weather is lovely " * 250)
    view = workspace.lattice
    workspace.zoom("all")
    image = view.grab().toImage()
    place = view.place
    blue = np.array(image.constBits()).reshape(image.height(), image.width(), 4).astype(int)
    colored = (blue[..., 0] - blue[..., 2]) > 20
    rows = np.flatnonzero(colored[: round(place.base), round(GUTTER) + 24 : -30].any(axis=1))
    # Long edges stand well above short ones.
    assert rows[0] < place.base - place.room * 0.4
