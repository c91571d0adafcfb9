"""The widgets of the charts: law against sample, and distance against number of draws."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.draw.law_chart import (
    FOOT,
    Curve,
    Outcomes,
    least_height,
    paint_curves,
    paint_law,
    row_height,
)
from app.theme import SIZE_DATA, Theme
from app.views.sampling.figures import outcome_words
from app.views.sampling.lane import Keys

TOP, SIDE = 4, 16


class LawView(QAbstractScrollArea):
    """Exact law and sample by outcome; rows scroll where they don't fit."""

    row_clicked = Signal(int)

    def __init__(self, theme: Theme, keys: Keys, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._keys = theme, keys
        self._outcomes: Outcomes | None = None
        self._stale = False
        self._selected = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Law against sample"))
        self.setMinimumHeight(96)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        return QSize(560, 240)

    @property
    def outcomes(self) -> Outcomes | None:
        """What is painted."""
        return self._outcomes

    def show_outcomes(self, outcomes: Outcomes | None, *, stale: bool) -> None:
        """Show other rows. stale: they belong to another θ or seed."""
        self._outcomes, self._stale = outcomes, stale
        self._layout()
        self._describe()
        self.viewport().update()

    @property
    def selected(self) -> int:
        """The row that is marked, −1 for none."""
        return self._selected

    def select(self, row: int) -> None:
        """Mark a row and bring it into view; −1 for none."""
        self._selected = row
        self._describe()
        if row >= 0 and self._outcomes is not None:
            bar, tall = self.verticalScrollBar(), self._body().height()
            top = round(row * row_height(self._outcomes, tall))
            below = round(top + row_height(self._outcomes, tall) + FOOT + TOP)
            bar.setValue(min(max(bar.value(), below - self.viewport().height()), top))
        self.viewport().update()

    def _describe(self) -> None:
        """Say the chosen row, or that there are rows."""
        outcomes, said = self._outcomes, ""
        if outcomes is not None and 0 <= self._selected < len(outcomes.labels):
            said = outcome_words(outcomes, self._selected)
        elif outcomes is not None:
            said = self.tr("Up and down choose a row.")
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)

    def _layout(self) -> None:
        tall = 0.0 if self._outcomes is None else TOP + least_height(self._outcomes)
        self.verticalScrollBar().setRange(0, max(0, round(tall - self.viewport().height())))
        self.verticalScrollBar().setPageStep(self.viewport().height())
        self.verticalScrollBar().setSingleStep(22)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout()

    def _body(self) -> QRectF:
        """The rectangle of the rows, as tall as they need to be."""
        view = QRectF(self.viewport().rect())
        tall = view.height() - TOP - 4
        if self._outcomes is not None:
            tall = max(tall, least_height(self._outcomes))
        top = TOP - self.verticalScrollBar().value()
        return QRectF(SIDE, top, view.width() - 2 * SIDE, tall)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        view = self.viewport().rect()
        painter.fillRect(view, theme.color("canvas"))
        outcomes = self._outcomes
        if outcomes is not None:
            painter.save()
            painter.setClipRect(0, TOP, view.width(), view.height() - TOP)
            font = theme.piece_font(SIZE_DATA)
            metrics = QFontMetricsF(font)
            widest = max((metrics.horizontalAdvance(x) for x in outcomes.labels), default=0.0)
            label = min(widest + 4, view.width() * 0.32)
            paint_law(
                painter,
                self._body(),
                outcomes,
                theme,
                label_width=label,
                foot=float(view.height()),
                stale=self._stale,
                selected=self._selected,
            )
            painter.restore()
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.drawRect(QRectF(view).adjusted(0.5, 0.5, -0.5, -0.5))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        outcomes, body = self._outcomes, self._body()
        if outcomes is None or not body.contains(event.position()):
            return
        row = int((event.position().y() - body.top()) // row_height(outcomes, body.height()))
        if 0 <= row < len(outcomes.labels):
            self.row_clicked.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._keys(event):
            return
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is not None and self._outcomes is not None and self._outcomes.labels:
            last = len(self._outcomes.labels) - 1
            self.row_clicked.emit(min(max(self._selected + by, 0), last))
            return
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()


class CurveView(QWidget):
    """Total variation distance against the number of draws."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._curves: tuple[Curve, ...] = ()
        self._stale = False
        self.setAccessibleName(self.tr("Distance to the law against number of draws"))
        self.setMinimumSize(240, 96)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(380, 240)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """What is painted."""
        return self._curves

    def show_curves(self, curves: tuple[Curve, ...], *, stale: bool) -> None:
        """Show other curves."""
        self._curves, self._stale = curves, stale
        last = [f"{curve.name} {curve.distance[-1]:.3f}" for curve in curves if len(curve.n)]
        self.setAccessibleDescription(", ".join(last))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("canvas"))
        body = QRectF(SIDE, TOP, self.width() - 2 * SIDE, self.height() - TOP - 4)
        paint_curves(painter, body, self._curves, theme, self._stale)
