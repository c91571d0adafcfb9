"""Rows of the prompt boundary: token lines of a text that grows, and bars with their numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption

from app.draw.bidi import base_direction
from app.draw.marks import draw_hatch
from app.draw.numbers import chance_text
from app.theme import SIZE_DATA, SIZE_NOTE, Theme

LINE = 24.0
"""Height of a line of text."""

BAR = 14.0
"""Height of a bar with its number."""

PAD = 8.0
SIGN, NUMBER = 34.0, 36.0
"""Pixels before a token line: what changed, and how long the text is."""

BYTE, VALUE = 52.0, 74.0
"""Pixels of the label beside bars, and of a number behind them."""


@dataclass(frozen=True)
class TokenRow:
    """The last tokens of a text of `end_char` code points.

    tokens: their texts for the eye; those before index `new` stood there one code point before.
    gone: the texts of tokens that stood in their place. added: the code point for the eye.
    hidden: tokens before the first of `tokens`.
    """

    end_char: int
    added: str
    tokens: tuple[str, ...]
    new: int
    gone: tuple[str, ...]
    hidden: int

    @property
    def sign(self) -> str:
        """`=` nothing changes, `+` only more tokens, `≠` and a count: so many tokens go."""
        if self.gone:
            return f"≠ {len(self.gone)}"
        return "+" if self.new < len(self.tokens) else "="


@dataclass(frozen=True)
class BarRow:
    """A label with bars. beyond: where in the label the part begins that isn't in the prompt.

    values: probabilities, one a series: the first is filled, the second hatched.
    """

    label: str
    values: tuple[float, ...]
    beyond: int = 1 << 30

    def in_words(self) -> str:
        """Return label and numbers as text."""
        return " ".join((self.label, *(chance_text(value) for value in self.values)))


@lru_cache(maxsize=512)
def _line(text: str, font_key: str) -> QTextLayout:
    """Shape a text as one line. For the window's thread."""
    font = QFont()
    font.fromString(font_key)
    layout = QTextLayout(text, font)
    option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    right_to_left = base_direction(text) == 1
    option.setTextDirection(
        Qt.LayoutDirection.RightToLeft if right_to_left else Qt.LayoutDirection.LeftToRight
    )
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return layout


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _extents(layout: QTextLayout, cuts: list[int]) -> list[tuple[float, float]]:
    """Return from where to where each part of a line reaches. cuts: in UTF-16 units, ascending."""
    line = layout.lineAt(0)
    origin = line.naturalTextRect().left()

    def at(unit: int) -> float:
        x: Any = line.cursorToX(unit)
        return float(x[0] if isinstance(x, tuple) else x) - origin

    found = []
    for low, high in pairwise(cuts):
        places = [at(unit) for unit in range(low, high + 1)]
        found.append((min(places), max(places)))
    return found


def _left_of(layout: QTextLayout, text: str, room: float) -> float:
    """Return where a line begins so that its end can be seen."""
    natural = layout.lineAt(0).naturalTextWidth()
    if base_direction(text) == 1:
        return room - natural if natural <= room else 0.0
    return min(0.0, room - natural)


def paint_token_row(
    painter: QPainter, rect: QRectF, row: TokenRow, theme: Theme, *, selected: bool
) -> None:
    """Paint a row: its sign, its length, and the tokens as bands under one shaped line.

    New tokens stand in a frame.
    """
    if selected:
        painter.fillRect(rect, theme.color("selection"))
        painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), theme.color("ink"))
    painter.setFont(theme.font(SIZE_DATA, bold=bool(row.gone)))
    painter.setPen(theme.color("sampled" if row.gone else "ink2"))
    middle = Qt.AlignmentFlag.AlignVCenter
    sign = QRectF(rect.left() + PAD, rect.top(), SIGN, rect.height())
    painter.drawText(sign, middle | Qt.AlignmentFlag.AlignLeft, row.sign)
    painter.setFont(theme.font(SIZE_DATA))
    painter.setPen(theme.color("ink2"))
    number = QRectF(sign.right(), rect.top(), NUMBER, rect.height())
    painter.drawText(number, middle | Qt.AlignmentFlag.AlignRight, f"{row.end_char:,}")
    room = QRectF(number.right() + PAD, rect.top(), 0, rect.height())
    room.setRight(max(rect.right() - PAD, room.left()))
    text = "".join(row.tokens)
    if not text:
        return
    layout = _line(text, theme.piece_font(SIZE_DATA).toString())
    left = room.left() + _left_of(layout, text, room.width())
    cuts = [0]
    for token in row.tokens:
        cuts.append(cuts[-1] + _units(token))
    extents = _extents(layout, cuts)
    bands = [
        QRectF(left + low, rect.top() + 3, high - low, rect.height() - 6) for low, high in extents
    ]
    painter.save()
    painter.setClipRect(room.adjusted(-1, 0, 1, 0))
    for i, band in enumerate(bands):
        painter.fillRect(band.adjusted(0.5, 0, -0.5, 0), theme.band(row.hidden + i))
    _draw_line(painter, layout, left, rect, theme.color("ink"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.color("sampled" if row.gone else "line2"), 1.5))
    for band in bands[row.new :]:
        painter.drawRect(band.adjusted(1, 0, -1, 0))
    painter.restore()


def _draw_line(
    painter: QPainter, layout: QTextLayout, left: float, rect: QRectF, color: QColor
) -> None:
    line = layout.lineAt(0)
    painter.setPen(color)
    top = rect.center().y() - line.height() / 2
    line.draw(painter, QPointF(left - line.naturalTextRect().left(), top))


def bar_row_height(row: BarRow, beside: bool) -> float:
    """Return the height of a row. beside: the label stands left of the bars, not above them."""
    bars = BAR * len(row.values)
    return max(bars + 6, LINE) if beside else LINE + bars + (4 if bars else 0)


def paint_bar_row(
    painter: QPainter, rect: QRectF, row: BarRow, largest: float, theme: Theme, *, beside: bool
) -> None:
    """Paint a label and its bars. largest: the value of the longest bar."""
    text = row.label
    wide = BYTE if beside else rect.width() - 2 * PAD
    height = rect.height() if beside else LINE
    place = QRectF(rect.left() + PAD, rect.top(), max(wide, 0.0), height)
    layout = _line(text, theme.piece_font(SIZE_DATA).toString())
    left = place.left() + _left_of(layout, text, place.width())
    painter.save()
    painter.setClipRect(place)
    _draw_line(painter, layout, left, place, theme.color("ink"))
    if row.beyond < len(text):
        cuts = [_units(text[: row.beyond]), _units(text)]
        ((low, high),) = _extents(layout, cuts)
        pen = QPen(theme.color("best"), 1.5)
        pen.setDashPattern([2, 2])
        painter.setPen(pen)
        foot = place.bottom() - 3
        painter.drawLine(QPointF(left + low, foot), QPointF(left + high, foot))
    painter.restore()
    start = place.right() if beside else place.left()
    top = rect.top() + (3 if beside else LINE)
    room = max(rect.right() - PAD - VALUE - start, 1.0)
    font = theme.font(SIZE_NOTE)
    gap = QFontMetricsF(font).horizontalAdvance(" ") * 2
    for i, value in enumerate(row.values):
        share = value / largest if largest > 0 and math.isfinite(value) else 0.0
        bar = QRectF(start, top + i * BAR + 2, room * share, BAR - 4)
        color = theme.color("sampled" if i else "best")
        if share > 0:
            if i:
                draw_hatch(painter, bar, color, 4)
            else:
                painter.fillRect(bar, theme.color("fill_best"))
            painter.setPen(QPen(color, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        number = QRectF(bar.right() + gap, top + i * BAR, VALUE, BAR)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(number, flags | Qt.TextFlag.TextDontClip, chance_text(value))
