"""The compression curve: bytes a token against the size of the vocabulary."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.draw.widths import width_of
from app.recording import Curve
from app.theme import SIZE_DATA, SIZE_NOTE, Theme

TOP, FOOT, SIDE = 30.0, 44.0, 16.0
TICKS = 5
FAR = 100
"""Steps of a page key."""


def axis_marks(low: float, high: float, parts: int) -> list[float]:
    """Return the round numbers (1, 2 or 5 times a power of ten) from low to high, about `parts`."""
    span = max(high - low, 1e-9)
    power = 10.0 ** np.floor(np.log10(span / parts))
    gap = next(power * k for k in (1, 2, 5, 10) if span / (power * k) <= parts)
    first = int(np.ceil(low / gap - 1e-9))
    last = int(np.floor(high / gap + 1e-9))
    return [round(k * gap, 9) for k in range(first, last + 1)]


def _bounds(curve: Curve | None, end: int) -> tuple[float, float, float, float]:
    """Return the ends of the two axes, sizes and ratios, for a vocabulary of `end` pieces."""
    if curve is None or not len(curve):
        return 0.0, max(float(end), 1.0), 0.0, 1.0
    first, low, high = float(curve.size.min()), float(curve.ratio.min()), float(curve.ratio.max())
    if curve.of == "rounds":
        first = min(first, float(end)) * 0.98
    last = max(float(end), float(curve.size.max()), first + 1)
    return first, last, low, low + max(high - low, 0.1) * 1.08


class CurveView(QWidget):
    """Paints a curve and the step that is marked; a click, a drag or a key goes to another."""

    step_wanted = Signal(int)
    """Merges done."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._curve: Curve | None = None
        self._end = 0
        self._bounds = 0.0, 1.0, 0.0, 1.0
        """The ends of the two axes: sizes, ratios."""
        self._step = -1
        self._still = False
        self._note_key = theme.font(SIZE_NOTE).toString()
        self._drawn: QPixmap | None = None
        """Axes and curve: they are the same at every step."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Compression curve"))
        self.setMinimumHeight(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.changed.connect(self._redraw)

    def sizeHint(self) -> QSize:
        return QSize(640, 230)

    @property
    def step(self) -> int:
        """The step that is marked, −1 for none."""
        return self._step

    def show_curve(self, curve: Curve | None, end: int, *, still: bool) -> None:
        """Show a curve on an axis that ends at a vocabulary of `end` pieces.

        still: the curve is whole; else a dot stands where it has come to.
        """
        self._curve, self._end, self._still = curve, end, still
        self._step = -1
        self._bounds = _bounds(curve, end)
        self._describe()
        self._redraw()

    def _redraw(self) -> None:
        self._drawn = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._drawn = None

    def mark(self, step: int) -> None:
        """Mark a step; −1 for none."""
        self._step = step
        self._describe()
        self.update()

    def _describe(self) -> None:
        self.setAccessibleDescription(self.marked_text())

    def marked_text(self) -> str:
        """Return what is said of the step that is marked, "" without one."""
        curve, step = self._curve, self._step
        if curve is None or not 0 <= step < len(curve):
            return ""
        if curve.of == "rounds":  # there is no vocabulary before the first
            words, step_number = (
                self.tr("round {n} · {size} pieces · {ratio} bytes a token"),
                step + 1,
            )
        else:
            words, step_number = self.tr("step {n} · {size} pieces · {ratio} bytes a token"), step
        return words.format(
            n=f"{step_number:,}", size=f"{curve.size[step]:,}", ratio=f"{curve.ratio[step]:.3f}"
        )

    # Places

    def _plot(self) -> QRectF:
        rect = QRectF(self.rect())
        wide = width_of("00.00", self._note_key)
        return rect.adjusted(SIDE + wide + 8, TOP, -SIDE - 12, -FOOT)

    def _x(self, plot: QRectF, size: float) -> float:
        """Return where a vocabulary size stands in the plot."""
        first, last, _, _ = self._bounds
        return plot.left() + plot.width() * (size - first) / (last - first)

    def _y(self, plot: QRectF, ratio: float) -> float:
        """Return where a ratio stands in the plot."""
        _, _, low, high = self._bounds
        return plot.bottom() - plot.height() * (ratio - low) / (high - low)

    def _points(self, plot: QRectF, curve: Curve) -> list[QPointF]:
        """Return where the curve stands: of merges as many as can be told apart."""
        count = min(len(curve), max(self.width() // 3, 2))
        pick = np.linspace(0, len(curve) - 1, count).round().astype(np.int64)
        first, last, low, high = self._bounds
        x = plot.left() + plot.width() / (last - first) * (curve.size[pick] - first)
        y = plot.bottom() - plot.height() / (high - low) * (curve.ratio[pick] - low)
        return list(map(QPointF, x.tolist(), y.tolist()))

    def step_at(self, x: float) -> int:
        """Return the step whose size stands at x, the nearest one outside."""
        plot, (first, last, _, _) = self._plot(), self._bounds
        curve = self._curve
        if curve is None:
            return -1
        share = (x - plot.left()) / max(plot.width(), 1.0)
        return int(np.abs(curve.size - (first + share * (last - first))).argmin())

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter, ratio = self._theme, QPainter(self), self.devicePixelRatioF()
        if self._drawn is None or self._drawn.devicePixelRatio() != ratio:
            self._drawn = QPixmap(self.size() * ratio)
            self._drawn.setDevicePixelRatio(ratio)
            self._draw(QPainter(self._drawn))
        painter.drawPixmap(0, 0, self._drawn)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_title(painter)
        if self._curve is not None and len(self._curve):
            self._paint_mark(painter, self._curve)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5))

    def _draw(self, painter: QPainter) -> None:
        """Draw what doesn't change from step to step."""
        theme, curve = self._theme, self._curve
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        self._paint_axes(painter)
        if curve is not None and len(curve):
            points = self._points(self._plot(), curve)
            painter.setPen(QPen(theme.color("best"), 2))
            if len(points) > 1:
                painter.drawPolyline(QPolygonF(points))
            painter.setBrush(theme.color("best"))
            if curve.of == "rounds":
                for point in points:
                    painter.drawEllipse(point, 2.5, 2.5)
            elif not self._still:
                painter.drawEllipse(points[-1], 3, 3)
        painter.end()

    def _paint_axes(self, painter: QPainter) -> None:
        theme, plot = self._theme, self._plot()
        first, last, low, high = self._bounds
        painter.setFont(theme.font(SIZE_NOTE))
        middle = Qt.AlignmentFlag.AlignVCenter
        if self._curve is not None:
            for ratio in axis_marks(low, high, TICKS):
                at = self._y(plot, ratio)
                painter.setPen(QPen(theme.color("hair"), 1))
                painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at))
                painter.setPen(theme.color("ink3"))
                box = QRectF(SIDE, at - 9, plot.left() - SIDE - 8, 18)
                painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, f"{ratio:g}")
            for size in axis_marks(first, last, TICKS + 1):
                at = self._x(plot, size)
                painter.setPen(QPen(theme.color("line2"), 1))
                painter.drawLine(QPointF(at, plot.bottom()), QPointF(at, plot.bottom() + 4))
                painter.setPen(theme.color("ink3"))
                box = QRectF(at - 40, plot.bottom() + 5, 80, 16)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{size:,.0f}")
        painter.setPen(QPen(theme.color("line2"), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.drawLine(plot.topLeft(), plot.bottomLeft())
        painter.setPen(theme.color("ink2"))
        painter.setFont(theme.font(SIZE_DATA))
        foot = QRectF(plot.left(), self.height() - 22, plot.width(), 18)
        painter.drawText(
            foot, middle | Qt.AlignmentFlag.AlignRight, self.tr("Pieces in the vocabulary")
        )

    def _paint_title(self, painter: QPainter) -> None:
        """Say what the axis is of, where there is room beside what is said of the marked step."""
        painter.setPen(self._theme.color("ink2"))
        painter.setFont(self._theme.font(SIZE_DATA))
        box = QRectF(SIDE, 4, self.width() - 2 * SIDE, TOP - 10)
        metrics, title = painter.fontMetrics(), self.tr("Bytes a token")
        if metrics.horizontalAdvance(title + "  " + self.marked_text()) <= box.width():
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(box, align, title)

    def _paint_mark(self, painter: QPainter, curve: Curve) -> None:
        text = self.marked_text()
        if not text:
            return
        theme, plot = self._theme, self._plot()
        size, ratio = float(curve.size[self._step]), float(curve.ratio[self._step])
        at = QPointF(self._x(plot, size), self._y(plot, ratio))
        pen = QPen(theme.color("ink"), 1)
        pen.setDashPattern([3, 3])
        painter.setPen(pen)
        painter.drawLine(QPointF(at.x(), plot.top()), QPointF(at.x(), plot.bottom()))
        painter.setPen(QPen(theme.color("ink"), 2))
        painter.setBrush(theme.color("canvas"))
        painter.drawEllipse(at, 5, 5)
        painter.setFont(theme.font(SIZE_DATA))
        box = QRectF(SIDE, 4, self.width() - 2 * SIDE, TOP - 10)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)

    # Going to a step

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        if self._curve is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.step_wanted.emit(self.step_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = -1 if self._curve is None else len(self._curve) - 1
        now = self._step
        # All other keys are the player's.
        targets = {Qt.Key.Key_PageUp: now - FAR, Qt.Key.Key_PageDown: now + FAR}
        target = targets.get(Qt.Key(event.key()))
        if target is None or last < 0:
            super().keyPressEvent(event)
            return
        self.step_wanted.emit(min(max(target, 0), last))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
