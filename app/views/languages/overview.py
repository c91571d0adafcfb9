"""The overview: one thin bar for each language of the corpus, in the order of the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from app.draw.bars import Scale
from app.theme import SIZE_NOTE, Theme
from engine.corpus import Language

Floats = NDArray[np.float64]

LEFT, RIGHT, TOP, FOOT = 52, 16, 8, 34


class Overview(QWidget):
    """Bars of the active model. A click or ←/→ chooses a language; those filtered out are pale."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._languages: list[Language] = []
        self._values: Floats = np.empty(0)
        self._kept: NDArray[np.bool_] = np.empty(0, dtype=bool)
        self._scale = Scale(0.0, 1.0, False)
        self._color = 0
        self._selected = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Overview of all languages"))
        theme.changed.connect(self.update)

    def show_values(
        self,
        languages: list[Language],
        values: Floats,
        kept: NDArray[np.bool_],
        scale: Scale,
        color: int,
    ) -> None:
        """Show languages in order; `kept`: those that the table's filter leaves."""
        self._languages, self._values, self._kept = languages, values, kept
        self._scale, self._color = scale, color
        known = values[np.isfinite(values)]
        if len(known):
            self.setAccessibleDescription(
                self.tr("{n} languages, from {low} to {high}, median {median}").format(
                    n=len(known),
                    low=f"{known.min():.2f}",
                    high=f"{known.max():.2f}",
                    median=f"{np.median(known):.2f}",
                )
            )
        self.update()

    def select(self, code: str) -> None:
        """Mark a language."""
        self._selected = code
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(600, 132)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 132)

    @property
    def _step(self) -> float:
        room = max(self.width() - LEFT - RIGHT, 40)
        return min(room / max(len(self._languages), 1), 26.0)

    def place_at(self, x: float) -> int:
        """Return the place of the language at a pixel, -1 for none."""
        place = int((x - LEFT) // self._step)
        return place if 0 <= place < len(self._languages) and x >= LEFT else -1

    def _x(self, place: int) -> float:
        return LEFT + (place + 0.5) * self._step

    def _y(self, value: float) -> float:
        base = self.height() - FOOT
        return base - self._scale.at(value) * (base - TOP)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.fillRect(event.rect(), theme.color("canvas"))
        painter.setFont(theme.font(SIZE_NOTE))
        right = LEFT + self._step * len(self._languages)
        origin = self._y(self._scale.origin)
        for value, label in self._scale.ticks():
            y = self._y(value)
            painter.setPen(QPen(theme.color("line" if value == self._scale.origin else "hair"), 1))
            painter.drawLine(QPointF(LEFT, y), QPointF(right, y))
            painter.setPen(theme.color("ink2"))
            box = QRectF(0, y - 8, LEFT - 6, 16)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, label
            )
        wide = max(self._step - (1.0 if self._step > 3 else 0.0), 0.7)
        painter.setPen(Qt.PenStyle.NoPen)
        for place, value in enumerate(self._values.tolist()):
            if not np.isfinite(value):
                continue
            color = theme.identity(self._color)
            color.setAlphaF(1.0 if self._kept[place] else 0.3)
            y = self._y(value)
            left = self._x(place) - wide / 2
            painter.fillRect(QRectF(left, min(y, origin), wide, abs(origin - y)), color)
        self._paint_marks(painter, right)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("ink"), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_marks(self, painter: QPainter, right: float) -> None:
        """Write the median and the selected language under the bars, apart from each other."""
        theme, foot = self._theme, self.height() - FOOT
        known = np.flatnonzero(np.isfinite(self._values))
        if not len(known):
            return
        metrics = QFontMetricsF(theme.font(SIZE_NOTE, bold=True))
        middle = int(known[len(known) // 2])
        sorted_by_value = bool(np.all(np.diff(self._values[known]) >= 0)) or bool(
            np.all(np.diff(self._values[known]) <= 0)
        )
        taken = QRectF()
        place = next((i for i, x in enumerate(self._languages) if x.code == self._selected), -1)
        if place >= 0 and np.isfinite(self._values[place]):
            x = self._x(place)
            painter.setPen(QPen(theme.color("ink"), 2))
            painter.drawLine(QPointF(x, self._y(self._values[place]) - 4), QPointF(x, foot + 5))
            name = self._languages[place].name
            taken = self._label(x, foot, metrics.horizontalAdvance(name) + 6, right)
            painter.setFont(theme.font(SIZE_NOTE, bold=True))
            painter.drawText(taken, Qt.AlignmentFlag.AlignCenter, name)
        if not sorted_by_value:
            return
        x = self._x(middle)
        text = self.tr("median {value}").format(
            value=f"{float(np.median(self._values[known])):.2f}"
        )
        box = self._label(x, foot, metrics.horizontalAdvance(text) + 6, right)
        if box.intersects(taken):
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("ink2"))
        painter.drawPolygon(
            [QPointF(x, foot + 3), QPointF(x - 4, foot + 9), QPointF(x + 4, foot + 9)]
        )
        painter.setPen(theme.color("ink2"))
        painter.setFont(theme.font(SIZE_NOTE))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    @staticmethod
    def _label(x: float, foot: float, width: float, right: float) -> QRectF:
        left = min(max(x - width / 2, LEFT), max(right, LEFT + width) - width)
        return QRectF(left, foot + 9, width, 20)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position().x())
        if place >= 0:
            self.chosen.emit(self._languages[place].code)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position().x())
        if place < 0:
            QToolTip.hideText()
            return
        language, value = self._languages[place], self._values[place]
        tip = f"{language.name} ({language.code}): {value:.2f}"
        QToolTip.showText(event.globalPosition().toPoint(), tip, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._languages:
            super().keyPressEvent(event)
            return
        now = next((i for i, x in enumerate(self._languages) if x.code == self._selected), -step)
        place = min(max(now + step, 0), len(self._languages) - 1)
        self.chosen.emit(self._languages[place].code)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)
