"""The overview: one thin bar for each language of the corpus, in the order of the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.counts import counted
from app.draw.bars import Scale, scale_of
from app.models.languages import LanguageFigures
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
        self._lossy: NDArray[np.bool_] = np.empty(0, dtype=bool)
        self._places: dict[str, int] = {}
        self._hovered = -1
        self._window = (-1, -1)
        self._kept: NDArray[np.bool_] = np.empty(0, dtype=bool)
        self._scale = Scale(0.0, 1.0, False)
        self._color = 0
        self._selected = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Overview of all languages"))
        theme.changed.connect(self.update)

    def show_bars(
        self, figures: LanguageFigures, order: NDArray[np.int64], kept: NDArray[np.bool_]
    ) -> None:
        """Show the active model's bars in `order`; `kept`: those that the table's filter leaves."""
        bars = figures.bars[0]
        self._languages = [figures.languages[i] for i in order.tolist()]
        self._values, self._kept = bars.values[order], kept[order]
        self._lossy, self._color = bars.lossy[order], bars.color
        self._places = {language.code: i for i, language in enumerate(self._languages)}
        values = self._measured()
        self._scale = scale_of(values, figures.metric == "premium")
        known = values[np.isfinite(values)]
        if len(known):
            self.setAccessibleDescription(
                self.tr("{languages}, from {low} to {high}, median {median}").format(
                    languages=counted(len(known), "language"),
                    low=f"{known.min():.2f}",
                    high=f"{known.max():.2f}",
                    median=f"{np.median(known):.2f}",
                )
            )
        self.update()

    def show_window(self, first: str, last: str) -> None:
        """Mark the languages that the table shows, by the codes of its first and last row."""
        window = self._places.get(first, -1), self._places.get(last, -1)
        if window != self._window:
            self._window = window
            self.update()

    @property
    def hovered(self) -> str:
        """Code of the language under the mouse, empty for none."""
        known = 0 <= self._hovered < len(self._languages)
        return self._languages[self._hovered].code if known else ""

    def _measured(self) -> Floats:
        """Return the values that are compression."""
        return self._values[np.isfinite(self._values) & ~self._lossy]

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
        kept = self._kept.tolist()
        for place, value in enumerate(self._values.tolist()):
            if not np.isfinite(value):
                continue
            color = theme.identity(self._color)
            color.setAlphaF((0.35 if self._lossy[place] else 1.0) * (1.0 if kept[place] else 0.3))
            y = self._y(value)
            left = self._x(place) - wide / 2
            painter.fillRect(QRectF(left, min(y, origin), wide, abs(origin - y)), color)
        self._paint_marks(painter, right)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("ink"), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_marks(self, painter: QPainter, right: float) -> None:
        """Mark what the table shows, the hovered and the selected language, and the median."""
        theme, foot = self._theme, self.height() - FOOT
        first, last = self._window
        if 0 <= first <= last < len(self._languages):
            half = self._step / 2
            painter.setPen(QPen(theme.color("ink2"), 2))
            painter.drawLine(
                QPointF(self._x(first) - half, foot + 2), QPointF(self._x(last) + half, foot + 2)
            )
        taken: list[QRectF] = []
        chosen = self._places.get(self._selected, -1)
        for place, token, bold in ((chosen, "ink", True), (self._hovered, "ink2", False)):
            if not 0 <= place < len(self._languages) or (not bold and place == chosen):
                continue
            x, value = self._x(place), float(self._values[place])
            top = foot - 6 if np.isnan(value) else self._y(value) - 4
            painter.setPen(QPen(theme.color(token), 2 if bold else 1))
            painter.drawLine(QPointF(x, top), QPointF(x, foot + 8))
            name = self._languages[place].name
            self._write(painter, x, right, name if np.isnan(value) else f"{name} {value:.2f}",
                        theme.font(SIZE_NOTE, bold=bold), token, taken)  # fmt: skip
        measured = self._measured()
        place = self._median_place()
        if place < 0:
            return
        x = self._x(place)
        text = self.tr("median {value}").format(value=f"{float(np.median(measured)):.2f}")
        if self._write(painter, x, right, text, theme.font(SIZE_NOTE), "ink2", taken):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("ink2"))
            painter.drawPolygon(
                [QPointF(x, foot + 4), QPointF(x - 4, foot + 10), QPointF(x + 4, foot + 10)]
            )

    def _median_place(self) -> int:
        """Return where the median stands, -1 where the bars aren't in the order of their values."""
        known = np.flatnonzero(np.isfinite(self._values) & ~self._lossy)
        steps = np.diff(self._values[known])
        if not len(known) or not (bool((steps >= 0).all()) or bool((steps <= 0).all())):
            return -1
        return int(known[len(known) // 2])

    def _write(
        self,
        painter: QPainter,
        x: float,
        right: float,
        text: str,
        font: QFont,
        token: str,
        taken: list[QRectF],
    ) -> bool:
        """Write a label under the bars where nothing else stands."""
        width = QFontMetricsF(font).horizontalAdvance(text) + 8
        box = self._label(x, self.height() - FOOT, width, right)
        if any(box.intersects(other) for other in taken):
            return False
        taken.append(box)
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        return True

    @staticmethod
    def _label(x: float, foot: float, width: float, right: float) -> QRectF:
        left = min(max(x - width / 2, LEFT), max(right, LEFT + width) - width)
        return QRectF(left, foot + 11, width, 20)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position().x())
        if place >= 0:
            self.chosen.emit(self._languages[place].code)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.place_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)

    def _hover(self, place: int) -> None:
        if place != self._hovered:
            self._hovered = place
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._languages:
            super().keyPressEvent(event)
            return
        now = self._places.get(self._selected, -1 if step > 0 else len(self._languages))
        place = min(max(now + step, 0), len(self._languages) - 1)
        self.chosen.emit(self._languages[place].code)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)
