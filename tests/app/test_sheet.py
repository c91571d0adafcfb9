"""A sheet by itself: after edits, moves and zooms it holds what a new sheet would."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from app.draw.axis import build_axis
from app.draw.contents import axis_content
from app.draw.glyphs import units_in_view
from app.draw.sheet import COLUMN, SPARE, Sheet
from app.draw.viewport import GUTTER, Viewport
from engine.text import Text

WIDE, HIGH = 700, 40
SNIPPETS = ["a", "W", " ", "watching", "ü", "天气", "الطقس", "हिन्दी", "🌤️"]


def font(size):
    made = QFont()
    made.setPixelSize(size)
    return made


def axis_of(text):
    return build_axis(Text(text), "grapheme", font, 1000)


class Picture:
    """A box for each unit of an axis, of a colour that follows its label; counts what it paints."""

    def __init__(self):
        self.pixels = 0.0

    def paint(self, painter, viewport):
        left, right = viewport.ends
        self.pixels += right - left
        axis = viewport.axis
        for unit in units_in_view(viewport).tolist():
            x0, x1 = viewport.screen(axis.left[unit]), viewport.screen(axis.right[unit])
            shade = sum(map(ord, axis.labels[unit])) * 37 % 200
            painter.fillRect(QRectF(x0 + 1, 2, x1 - x0 - 2, HIGH - 4), QColor(shade, 40, 90))

    def content(self, viewport):
        return axis_content(viewport.axis, viewport.zoom)


def shown(sheet, viewport, ratio):
    """Return the pixels of a sheet as a window of that ratio shows it."""
    image = QImage(round((GUTTER + WIDE) * ratio), round(HIGH * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("white"))
    painter = QPainter(image)
    sheet.draw(painter, viewport, HIGH, QColor("white"))
    painter.end()
    return np.array(image.constBits(), copy=True).astype(np.int64)


def sheet_of(picture):
    return Sheet(picture.paint, picture.content)


def edited(rng, text):
    at = int(rng.integers(len(text) + 1))
    gone = int(rng.integers(1, 5)) if rng.random() < 0.4 else 0
    typed = "" if gone and rng.random() < 0.5 else str(rng.choice(SNIPPETS))
    return text[:at] + typed + text[at + gone :]


@pytest.mark.parametrize("ratio", [1.0, 1.1, 1.2, 1.25, 1.37, 1.5, 2.0])
def test_after_edits_and_moves_a_sheet_is_as_a_new_one(qtbot, ratio):
    rng = np.random.default_rng(int(100 * ratio))
    text, zoom = "we watched 16 birds in lovely weather " * 3, 1.0
    picture = Picture()
    sheet = sheet_of(picture)
    for step in range(40):
        if step % 20 == 19:
            zoom = float(rng.choice([0.8, 1.0, 1.3]))
        text = edited(rng, text)
        axis = axis_of(text)
        scroll = float(rng.integers(-50, 1200)) if step % 4 == 3 else 300.0
        viewport = Viewport.of(axis, zoom, scroll, float(WIDE))
        kept = shown(sheet, viewport, ratio)
        fresh = shown(sheet_of(Picture()), viewport, ratio)
        assert np.abs(kept - fresh).max() <= 1, (step, text)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(("at", "typed", "gone"), [(0, "xy", 0), (20, "天", 0), (20, "", 3)])
def test_what_an_edit_moves_is_not_painted(qtbot, ratio, at, typed, gone):
    text = "we watched 16 birds in lovely weather " * 3
    picture = Picture()
    sheet = sheet_of(picture)
    shown(sheet, Viewport.of(axis_of(text), 1.0, 0.0, float(WIDE)), ratio)
    assert picture.pixels > WIDE
    picture.pixels = 0.0
    text = text[:at] + typed + text[at + gone :]
    shown(sheet, Viewport.of(axis_of(text), 1.0, 0.0, float(WIDE)), ratio)
    # What comes onto the sheet at its end where a part goes, and what is beside.
    assert 0 < picture.pixels < SPARE + 100


def test_a_picture_whose_content_cannot_be_told_is_painted_whole(qtbot):
    picture = Picture()
    sheet = Sheet(picture.paint, lambda viewport: None)
    axis = axis_of("we watched 16 birds")
    viewport = Viewport.of(axis, 1.0, 0.0, float(WIDE))
    shown(sheet, viewport, 1.0)
    picture.pixels = 0.0
    sheet.review()
    shown(sheet, viewport, 1.0)
    assert picture.pixels > WIDE


def test_changes_and_parts_are_told_in_order(qtbot):
    told = []
    picture = Picture()
    sheet = Sheet(
        picture.paint,
        picture.content,
        told.append,
        lambda viewport, left, right: told.append((left - GUTTER, right - GUTTER)),
    )
    shown(sheet, Viewport.of(axis_of("abcd" * 30), 1.0, 0.0, float(WIDE)), 1.0)
    shown(sheet, Viewport.of(axis_of("abcd" * 30 + "e"), 1.0, 0.0, float(WIDE)), 1.0)
    assert told[0] is None
    assert told[1][0] <= -SPARE < WIDE + SPARE <= told[1][1] + COLUMN
    assert told[2].move.step == 0  # nothing is right of it
    assert len(told) == 3  # what was typed isn't on the sheet
