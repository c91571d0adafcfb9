"""Marks that are drawn beside or under something else."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPdfWriter

from app.draw.lettering import Lettering, pixel

pytestmark = pytest.mark.screen

FAMILY = "👨‍👩‍👧‍👦"


@pytest.mark.parametrize("size", [11, 15, 18])
def test_a_halo_leaves_the_measures_of_a_font_of_pictures(theme, tmp_path, size):
    def measures():
        return [QFontMetricsF(theme.piece_font(k)).horizontalAdvance(FAMILY) for k in (15, 18, 11)]

    before = measures()
    image = QImage(200, 60, QImage.Format.Format_ARGB32_Premultiplied)
    paper = QPdfWriter(str(tmp_path / "marks.pdf"))  # there the text goes as shapes
    for device in (image, paper):
        painter = QPainter(device)
        font = theme.piece_font(size)
        Lettering(painter, font, theme.color("ink"), theme.color("canvas")).draw(20, 40, FAMILY)
        painter.end()
    assert measures() == before


def test_letters_and_pictures_stand_on_paper(theme):
    blue, white = QColor("#0000ff"), QColor("#ffffff")
    for text in ("l", FAMILY):
        image = QImage(100, 60, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(blue)
        painter = QPainter(image)
        font = theme.piece_font(18)
        Lettering(painter, font, QColor("black"), white).draw(20, 40, text)
        painter.end()
        line = [image.pixelColor(x, 34) for x in range(100)]
        paper = [x for x, color in enumerate(line) if color == white]
        advance = QFontMetricsF(font).horizontalAdvance(text)
        assert paper
        assert 15 <= paper[0] <= 20 + advance
        assert paper[-1] <= 20 + advance + 3
        assert line[5] == blue
        assert line[95] == blue


@pytest.mark.parametrize("text", ["✨ ?", "🌤️?", "今 ?", "f?"])
def test_what_stands_beside_a_picture_is_drawn_too(theme, text):
    font = theme.piece_font(13)
    row = []
    for made in (text, text[:-1]):
        image = QImage(100, 40, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(QColor("black"))
        painter = QPainter(image)
        Lettering(painter, font, QColor("white")).draw(10, 25, made)
        painter.end()
        columns = [x for x in range(100) if any(image.pixelColor(x, y).red() for y in range(40))]
        row.append(columns[-1])
    assert row[0] > row[1] + 3


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_what_moves_by_whole_pixels_stays_on_its_pixels(ratio):
    places = (100.5, 101.5, 100.5 - 1e-12, 100.499, 99.75, 0.5)
    for place in places:
        for steps in (1, 2, 35):
            moved = place + steps / ratio
            assert pixel(moved, ratio) == pixel(place, ratio) + steps
    assert pixel(100.5 - 1e-12, 1.0) == pixel(100.5, 1.0) == 101
    assert pixel(100.499, 1.0) == 100
