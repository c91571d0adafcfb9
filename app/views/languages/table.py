"""The bar table: one row a language, its bar and the other models' marks on one scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
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
from app.models.languages import BAR, Index, LanguagesTableModel
from app.theme import SIZE_NOTE, Theme

LEFT, RIGHT = 44, 68
"""Pixels kept free on both sides of the bars: for values under 1 and for the numbers."""

BAR_HEIGHT, SQUARE = 10, 8

MUCH_UNKNOWN = 0.01
"""Share of unknown tokens from which a bar is hatched: it isn't compression that it shows."""


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
        self._marks(painter, rect, model.values(index.row()), model.unknown(index.row()))
        painter.restore()

    def _marks(
        self,
        painter: QPainter,
        rect: QRect,
        values: list[tuple[str, int, float]],
        unknown: float,
    ) -> None:
        theme, middle = self._theme, QRectF(rect).center().y()
        if not values or math.isnan(values[0][2]):
            return
        origin = self.x(rect, self.scale.origin)
        _, color, value = values[0]
        end = self.x(rect, value)
        others = [(c, v, self.x(rect, v)) for _, c, v in values[1:] if not math.isnan(v)]
        if others:
            painter.setPen(QPen(theme.color("line2"), 1))
            far = max(x for *_, x in others)
            if far > max(end, origin):
                painter.drawLine(QPointF(max(end, origin), middle), QPointF(far, middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.identity(color))
        left, right = min(origin, end), max(origin, end)
        bar = QRectF(left, middle - BAR_HEIGHT / 2, right - left, BAR_HEIGHT)
        if unknown >= MUCH_UNKNOWN:
            painter.setPen(QPen(theme.identity(color), 1))
            painter.setBrush(self._paper)
            painter.drawRect(bar)
            draw_hatch(painter, bar, theme.identity(color), 4)
        else:
            painter.drawRect(bar)
        for place, (other, _, x) in enumerate(others):
            painter.setPen(QPen(theme.identity(other), 2))
            painter.setBrush(theme.color("canvas"))
            if place == 0:
                half = SQUARE / 2
                painter.drawRect(QRectF(x - half, middle - half, SQUARE, SQUARE))
            else:
                painter.drawLine(QPointF(x, middle - 7), QPointF(x, middle + 7))
        mark = " ?" if unknown >= MUCH_UNKNOWN else ""
        self._numbers(painter, rect, value_text(value) + mark, end, others)

    def _numbers(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        end: float,
        others: list[tuple[int, float, float]],
    ) -> None:
        """Write the active model's number at its bar, the second's where there is room."""
        theme = self._theme
        bold = theme.font(SIZE_NOTE, bold=True)
        metrics = QFontMetricsF(bold)
        wide = metrics.horizontalAdvance(text) + 4
        below = end < self.x(rect, self.scale.origin)
        at = end - wide - 4 if below else end + 6
        taken = [QRectF(x - 7, 0, 14, 1) for *_, x in others]
        box = QRectF(at, rect.top(), wide, rect.height())
        clash = any(t.left() < box.right() and t.right() > box.left() for t in taken)
        if clash:
            box.moveLeft(max([end, *(x for *_, x in others)]) + 9)
        painter.setFont(bold)
        painter.setPen(theme.color("ink"))
        # Paper behind the number, so that no line runs through it.
        painter.fillRect(box.adjusted(-1, 5, 1, -5), self._paper)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if others and others[0][2] > end:
            second = others[0]
            after = max(second[2] + 9, box.right() + 6 if clash else 0)
            room = QRectF(after, rect.top(), rect.right() - after, rect.height())
            painter.setFont(theme.font(SIZE_NOTE))
            painter.setPen(theme.color("ink2"))
            if all(not (after - 2 < x < after + 28) for *_, x in others[1:]):
                painter.drawText(
                    room,
                    Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                    value_text(second[1]),
                )


class AxisHeader(QHeaderView):
    """The header; over the bars it writes the scale."""

    def __init__(self, theme: Theme, delegate: BarDelegate, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme, self._delegate = theme, delegate
        self.setSectionsClickable(True)
        self.setSortIndicatorShown(True)
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
    """The table, dressed; arrow keys and clicks select a language."""

    def __init__(
        self, model: LanguagesTableModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.bars = BarDelegate(theme, self)
        self.setModel(model)
        self.setHorizontalHeader(AxisHeader(theme, self.bars, self))
        self.setItemDelegateForColumn(BAR, self.bars)
        self.setAccessibleName(self.tr("Languages and their figures"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(24)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for section, width in enumerate((190, 96, 96, 92)):
            self.setColumnWidth(section, width)
        self.horizontalHeader().setStretchLastSection(True)

    def set_scale(self, scale: Scale) -> None:
        """Draw the bars on another scale."""
        self.bars.scale = scale
        self.viewport().update()
        self.horizontalHeader().viewport().update()
