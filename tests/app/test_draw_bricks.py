"""Painting of bricks: on whole pixels, the same wherever it is, in the colours of the theme."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

import engine
from app.draw.arcs import place_arcs
from app.draw.axis import build_axis
from app.draw.brick_rows import BrickPainter, Words
from app.draw.bricks import brick_rows
from app.draw.viewport import GUTTER, MARGIN, Viewport
from app.theme import Theme
from engine import bundled
from engine.text import Text

pytestmark = pytest.mark.screen

TEXT = "It rained all day, and watching it was lovely."
TOP, HIGH = 4.0, 19.0


@pytest.fixture(scope="module")
def lattice():
    path = next(m.path for m in bundled.models() if m.name == "everyday-unigram")
    return engine.load(path).lattice(Text(TEXT))


@pytest.fixture
def painted(theme, lattice):
    """Return a function that paints path 1 and returns its pixels, uint8[height, width, 4]."""
    paths = lattice.nbest(2)
    axis = build_axis(lattice.prepared.text, "grapheme", theme.piece_font, 1000)
    arcs = place_arcs(lattice, axis, paths[0], tuple(paths), lattice.law())
    row = brick_rows(paths, axis)[0]

    def paint(zoom=1.0, scroll=0.0, ratio=1.0, theme=theme, named=True):
        image = QImage(round(900 * ratio), round(40 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(theme.color("canvas"))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        viewport = Viewport.of(axis, zoom, scroll, 740.0)
        words = Words("{count:,} fragments", "same")
        bricks = BrickPainter(painter, theme, viewport, arcs if named else None, words)
        bricks.draw(row, QRectF(0, TOP, 900, HIGH), None, best=True)
        painter.end()
        return np.array(image.constBits(), dtype=np.uint8).reshape(image.height(), -1, 4)

    return paint


@pytest.mark.parametrize("zoom", [1.0, 1.13, 0.87])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_as_many_pixels_of_paper_are_between_any_two_bricks(painted, theme, zoom, ratio):
    pixels = painted(zoom, ratio=ratio, named=False)
    line = pixels[round((TOP + HIGH / 2) * ratio), round((GUTTER + MARGIN) * ratio) :, :3]
    canvas = theme.color("canvas")
    # A pixel that is half line and half paper, as of a blurred outline, is no paper.
    paper = (line == (canvas.blue(), canvas.green(), canvas.red())).all(axis=1)
    begins = np.flatnonzero(paper[1:] & ~paper[:-1]) + 1
    ends = np.flatnonzero(~paper[1:] & paper[:-1]) + 1
    ends = ends[ends > begins[0]]
    gaps = ends - begins[: len(ends)]
    assert len(gaps) > 5
    assert set(gaps.tolist()) == {2 * max(int(0.75 * ratio + 0.5), 1)}


def test_a_brick_that_is_kept_looks_like_one_that_is_drawn(painted, monkeypatch):
    for ratio in (1.0, 1.5):
        kept = painted(1.13, ratio=ratio)
        with monkeypatch.context() as patch:
            patch.setattr("app.draw.brick_rows.WIDEST", 0.0)
            drawn = painted(1.13, ratio=ratio)
        # To blend twice rounds twice.
        assert np.abs(kept.astype(int) - drawn).max() <= 2


@pytest.mark.parametrize("step", [1, 7, 33])
def test_bricks_look_the_same_some_pixels_further(painted, step):
    here, there = painted(scroll=20.0), painted(scroll=20.0 + step)
    inside = slice(int(GUTTER) + 60, 800)
    moved = np.roll(there, step, axis=1)
    assert np.array_equal(here[:, inside], moved[:, inside])


def test_a_brick_that_is_kept_has_the_colours_of_the_theme(painted):
    for choice in ("light", "dark", "light"):
        theme = Theme(choice)
        pixels = painted(theme=theme, named=False)
        line = pixels[round(TOP + HIGH / 2), int(GUTTER) : 800]
        seen = {QColor(int(r), int(g), int(b)).name() for b, g, r, _ in line}
        wanted = {theme.color(name).name() for name in ("canvas", "best", "fill_best")}
        assert wanted <= seen
