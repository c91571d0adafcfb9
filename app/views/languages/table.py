"""The bar table: one row a language, its bar and the other models' marks on one scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.draw.bars import Scale
from app.draw.marks import draw_hatch
from app.draw.widths import Widths
from app.models.languages import BAR, LanguagesTableModel, Mark
from app.models.table import Index
from app.theme import SIZE_NOTE, Theme
from app.widgets.rows_table import dress_rows

LEFT, RIGHT = 44, 96
"""Pixels kept free on both sides of the bars: for values under 1 and for the numbers."""

BAR_HEIGHT, SQUARE = 10, 8


def value_text(value: float) -> str:
    """Return a value as the bars write it."""
    return "–" if math.isnan(value) else f"{value:.2f}"


class BarDelegate(QStyledItemDelegate):
    """Paints the bar column: the active model's bar, a square, ticks for the others."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.scale = Scale(0.0, 1.0, False)
        self._paper = theme.color("canvas")
        self._bold_wide = Widths(theme.font(SIZE_NOTE, bold=True))
        self._plain_wide = Widths(theme.font(SIZE_NOTE))

    def x(self, rect: QRect, value: float) -> float:
        """Return the pixel of a value in a cell."""
        return rect.left() + LEFT + self.scale.at(value) * max(rect.width() - LEFT - RIGHT, 40)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = self._theme, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        self._paper = theme.color("selection" if selected else "canvas")
        painter.fillRect(rect, self._paper)
        for value, _ in self.scale.ticks():
            x = self.x(rect, value)
            on_origin = value == self.scale.origin
            painter.setPen(QPen(theme.color("ink2" if on_origin else "hair"), 1))
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom() + 1))
        model = index.model()
        assert isinstance(model, LanguagesTableModel)
        self._marks(painter, rect, model.marks(index.row()))
        painter.restore()

    def _marks(self, painter: QPainter, rect: QRect, marks: list[Mark]) -> None:
        theme, middle = self._theme, QRectF(rect).center().y()
        if not marks or math.isnan(marks[0].value):
            return
        main, origin = marks[0], self.x(rect, self.scale.origin)
        end = self.x(rect, main.value)
        others = [
            (place, mark, self.x(rect, mark.value))
            for place, mark in enumerate(marks)
            if place and not math.isnan(mark.value)
        ]
        far = max((x for *_, x in others), default=end)
        if far > max(end, origin):
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.drawLine(QPointF(max(end, origin), middle), QPointF(far, middle))
        self._bar(painter, main, min(origin, end), max(origin, end), middle)
        for place, mark, x in others:
            self._other(painter, place, mark, QPointF(x, middle))
        self._numbers(painter, rect, main, end, [(mark, x) for _, mark, x in others])

    def _bar(self, painter: QPainter, mark: Mark, left: float, right: float, middle: float) -> None:
        """Draw the active model's bar; hatched where it isn't compression that it shows."""
        color = self._theme.identity(mark.color)
        bar = QRectF(left, middle - BAR_HEIGHT / 2, right - left, BAR_HEIGHT)
        if not mark.lossy:
            painter.fillRect(bar, color)
            return
        painter.setPen(QPen(color, 1))
        painter.setBrush(self._paper)
        painter.drawRect(bar)
        draw_hatch(painter, bar, color, 4)

    def _other(self, painter: QPainter, place: int, mark: Mark, at: QPointF) -> None:
        """Draw another model's mark: a square for the second model, ticks for the rest."""
        theme = self._theme
        color = theme.identity(mark.color)
        painter.setPen(QPen(self._paper, 4))
        painter.setBrush(self._paper)
        half = SQUARE / 2
        if mark.lossy:
            box = QRectF(at.x() - 5, at.y() - 7, 10, 14)
            painter.fillRect(box, self._paper)
            painter.setPen(color)
            painter.setFont(theme.font(SIZE_NOTE, bold=True))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "?")
        elif place == 1:
            square = QRectF(at.x() - half, at.y() - half, SQUARE, SQUARE)
            painter.drawRect(square)
            painter.setPen(QPen(color, 2))
            painter.drawRect(square)
        else:
            line = QPointF(at.x(), at.y() - 7), QPointF(at.x(), at.y() + 7)
            painter.drawLine(*line)
            painter.setPen(QPen(color, 2))
            painter.drawLine(*line)

    def _numbers(
        self,
        painter: QPainter,
        rect: QRect,
        main: Mark,
        end: float,
        others: list[tuple[Mark, float]],
    ) -> None:
        """Write the active model's number at its bar and the second's at its mark.

        Where marks are in the way, both stand behind the last mark, with their letters.
        """
        theme = self._theme
        bold, plain = theme.font(SIZE_NOTE, bold=True), theme.font(SIZE_NOTE)
        text = value_text(main.value) + (" ?" if main.lossy else "")
        wide = self._bold_wide(text) + 4
        marks = [x for _, x in others]
        last = max([end, *marks])
        left = end - wide - 4 if end < self.x(rect, self.scale.origin) else end + 6
        second = next(((m, x) for m, x in others[:1] if x > end and not m.lossy), None)
        if not any(left - 6 < x < left + wide + 6 for x in marks):
            self._write(painter, rect, left, text, bold, "ink")
            if second is not None:
                mark, x = second
                shown = value_text(mark.value)
                room = self._plain_wide(shown) + 8
                if not any(x < other < x + 8 + room for other in marks):
                    self._write(painter, rect, x + 8, shown, plain, "ink2")
            return
        if second is not None:
            mark, _ = second
            pair = f"{main.letter} {text} · {mark.letter} {value_text(mark.value)}"
            self._write(painter, rect, last + 9, pair, plain, "ink")
        else:
            if last > end:
                text = f"{main.letter} {text}"  # it stands beside another model's mark
            self._write(painter, rect, last + 9, text, bold, "ink")

    def _write(
        self, painter: QPainter, rect: QRect, left: float, text: str, font: QFont, token: str
    ) -> None:
        """Write on paper, so that no line of the grid runs through a number."""
        wide = (self._bold_wide if font.bold() else self._plain_wide)(text) + 4
        box = QRectF(left, rect.top(), wide, rect.height())
        painter.fillRect(box.adjusted(-1, 5, 1, -5), self._paper)
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


class AxisHeader(QHeaderView):
    """The header; over the bars it writes the scale."""

    def __init__(self, theme: Theme, delegate: BarDelegate, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme, self._delegate = theme, delegate
        self.setSectionsClickable(True)
        self.setHighlightSections(False)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if section != BAR:
            return
        painter.save()
        painter.setFont(self._theme.font(SIZE_NOTE))
        metrics = QFontMetricsF(painter.font())
        last = -math.inf
        for value, label in self._delegate.scale.ticks():
            x, wide = self._delegate.x(rect, value), metrics.horizontalAdvance(label)
            if x - wide / 2 < last + 6:
                continue
            last = x + wide / 2
            origin = value == self._delegate.scale.origin
            painter.setPen(self._theme.color("ink" if origin else "ink2"))
            box = QRectF(x - wide / 2 - 2, rect.top(), wide + 4, rect.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label)
        painter.restore()


class BarTable(QTableView):
    """The table, dressed; arrow keys and clicks select a language, S and M ask for the next."""

    sort_wanted = Signal()
    metric_wanted = Signal()

    def __init__(
        self, model: LanguagesTableModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.bars = BarDelegate(theme, self)
        self.setModel(model)
        self.setHorizontalHeader(AxisHeader(theme, self.bars, self))
        self.setItemDelegateForColumn(BAR, self.bars)
        dress_rows(self, self.tr("Languages and their figures"))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for section, width in enumerate((190, 96, 96, 92)):
            self.setColumnWidth(section, width)
        self.horizontalHeader().setStretchLastSection(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        letters = {Qt.Key.Key_S: self.sort_wanted, Qt.Key.Key_M: self.metric_wanted}
        wanted = letters.get(Qt.Key(event.key()))
        if wanted is None or event.modifiers() != Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(event)
            return
        wanted.emit()

    def set_scale(self, scale: Scale) -> None:
        """Draw the bars on another scale."""
        self.bars.scale = scale
        self.viewport().update()
        self.horizontalHeader().viewport().update()
