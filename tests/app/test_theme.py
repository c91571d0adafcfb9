"""The theme: complete palettes, readable ink, and a style sheet without holes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QScrollArea, QWidget

from app.stylesheet import style_sheet
from app.theme import Theme
from app.widgets.surface import set_opaque


def luminance(color: QColor) -> float:
    """Relative luminance of WCAG 2."""

    def channel(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (channel(c) for c in (color.redF(), color.greenF(), color.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: QColor, b: QColor) -> float:
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "ink2", "ink3", "best", "error", "warning", "special"])
@pytest.mark.parametrize("ground", ["canvas", "panel", "chrome"])
def test_text_can_be_read(qtbot, choice, ink, ground):
    theme = Theme(choice)
    assert contrast(theme.color(ink), theme.color(ground)) >= 4.5


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_selected_text_can_be_read_with_every_role_of_the_palette(qtbot, choice):
    palette = Theme(choice).qt_palette()
    pairs = [
        (QPalette.ColorRole.HighlightedText, QPalette.ColorRole.Highlight),
        (QPalette.ColorRole.ToolTipText, QPalette.ColorRole.ToolTipBase),
        (QPalette.ColorRole.PlaceholderText, QPalette.ColorRole.Base),
        (QPalette.ColorRole.ButtonText, QPalette.ColorRole.Button),
        (QPalette.ColorRole.Text, QPalette.ColorRole.AlternateBase),
    ]
    for ink, ground in pairs:
        assert contrast(palette.color(ink), palette.color(ground)) >= 4.5


def test_a_change_is_told_once(qtbot):
    theme = Theme("light")
    told = []
    theme.changed.connect(lambda: told.append(theme.scheme))
    theme.choose("dark")
    theme.choose("dark")
    theme.choose("light")
    assert told == ["dark", "light"]
    theme.reduce_motion(True)
    theme.reduce_motion(True)
    assert len(told) == 3
    assert theme.reduced_motion


def test_the_style_sheet_has_every_colour_of_its_theme(qtbot):
    for choice in ("light", "dark"):
        theme = Theme(choice)
        sheet = style_sheet(theme)
        assert "$" not in sheet
        assert theme.color("selection").name() in sheet
        assert theme.color("panel").name() in sheet


def test_a_widget_that_fills_itself_stays_opaque_under_another_style_sheet(qtbot):
    # In a scroll area a style sheet gives it a transparent background.
    area, picture = QScrollArea(), QWidget()
    qtbot.addWidget(area)
    area.setWidget(picture)
    set_opaque(picture)
    area.show()
    for sheet in ("QScrollArea > QWidget > QWidget { background: transparent; }", ""):
        area.setStyleSheet(sheet)
        assert picture.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
