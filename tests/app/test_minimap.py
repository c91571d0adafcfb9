"""The overview under a lattice: how tall its bars are, as an image and as shapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

import engine
from app.draw.arcs import place_arcs
from app.draw.axis import build_axis
from app.draw.frame import Frame
from app.draw.minimap import RIM, bar_heights, draw_minimap
from app.draw.tokens import place_tokens
from app.draw.viewport import Viewport
from app.theme import Theme
from engine import bundled
from engine.text import Text

pytestmark = pytest.mark.screen

WIDE, HIGH = 400, 26
ROOM = HIGH - 2 * RIM


@pytest.fixture
def placed(theme):
    """Return arcs, their axis, and the right ends and the widths of the tokens on it."""
    model = engine.load(next(m.path for m in bundled.models() if m.name == "everyday-unigram"))
    text = Text("The weather is lovely today")
    lattice, axis = model.lattice(text), build_axis(text, "grapheme", theme.piece_font, 20_000)
    best = lattice.nbest(1)[0]
    bands = place_tokens(model.encode(text), axis)
    arcs = place_arcs(lattice, axis, best, (best,), lattice.law())
    return arcs, axis, bands.rect_right, bands.rect_right - bands.rect_left


def dark(placed, ratio, scale):
    """Return how many pixels of each column of the picture are of bars, and at the foot not.

    scale: that of the painter; at 1 the bars are an image, else shapes.
    """
    arcs, axis, _, _ = placed
    rect = QRectF(0, 0, WIDE, HIGH)
    viewport = Viewport.of(axis, 1000.0, 0.0, 1.0)  # its frame hides what is left of pixel 8
    image = QImage(WIDE * ratio * scale, HIGH * ratio * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0xFFFFFFFF)
    theme, painter = Theme("light"), QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    draw_minimap(painter, viewport, theme, arcs, Frame(WIDE, 0.0, rect, rect, rect))
    painter.end()
    colors = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    bars = colors == theme.color("best").rgba()
    rows = np.flatnonzero(bars.any(axis=1))
    return bars.sum(axis=0), image.height() - 1 - rows[-1]


def test_bars_are_as_tall_as_tokens_are_long(placed):
    arcs, axis, right, width = placed
    heights = bar_heights(arcs, axis.width, WIDE, ROOM)
    token = np.searchsorted(right, np.arange(WIDE) * axis.width / WIDE, side="right")
    assert len(set(token.tolist())) == len(width) > 3
    assert heights == pytest.approx(ROOM * width[token] / width.max())
    assert heights.max() == pytest.approx(ROOM)


@pytest.mark.parametrize("ratio", [1, 2])
def test_bars_on_the_screen_are_an_image_of_these_heights(placed, ratio):
    arcs, axis, _, _ = placed
    tall, below = dark(placed, ratio, 1)
    expected = np.rint(ratio * bar_heights(arcs, axis.width, WIDE * ratio, ROOM))
    assert tall[8 * ratio :].tolist() == expected[8 * ratio :].tolist()
    assert below == RIM * ratio


def test_bars_in_a_file_are_shapes_of_these_heights(placed):
    arcs, axis, _, _ = placed
    tall, below = dark(placed, 1, 4)
    expected = np.repeat(4 * bar_heights(arcs, axis.width, WIDE, ROOM), 4)
    # The rim of a shape is mixed with the paper.
    assert np.abs(tall - expected)[40:-4].max() <= 2
    assert below == 4 * RIM


def test_without_a_path_there_is_no_bar(placed):
    arcs, axis, _, _ = placed
    none = replace(arcs.placement, role=np.zeros_like(arcs.placement.role))
    assert not bar_heights(replace(arcs, placement=none), axis.width, WIDE, ROOM).any()
