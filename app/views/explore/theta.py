"""The inverse temperature: a slider from uniform to Viterbi, a number, and the way back to 1."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QToolTip,
    QWidget,
)

from app.session import Session
from engine.scene_fields import MOST_THETA

HIGHEST = 10.0
"""θ at the end of the slider."""

TICKS = 1000

# θ = HIGHEST · (e^{k·s} − 1) / (e^k − 1), with θ = 1 in the middle of the slider.
_K = 2 * math.log(HIGHEST - 1)


def theta_at(tick: int) -> float:
    """Return θ at a place of the slider, 0 … TICKS."""
    share = tick / TICKS
    return HIGHEST * math.expm1(_K * share) / math.expm1(_K)


def tick_at(theta: float) -> int:
    """Return the place of θ on the slider; what is above HIGHEST stands at the end."""
    share = math.log1p(min(theta, HIGHEST) / HIGHEST * math.expm1(_K)) / _K
    return round(share * TICKS)


class NumberField(QLineEdit):
    """θ as a number: Return or leaving the field takes it, ↑ and ↓ step by a tenth."""

    entered = Signal(float)
    refused = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editingFinished.connect(self._enter)

    def value(self) -> float | None:
        """Return the number written, None where it is none from 0 to MOST_THETA."""
        try:
            value = float(self.text().replace(",", "."))
        except ValueError:
            return None
        return value if 0 <= value <= MOST_THETA else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 0.1, Qt.Key.Key_Down: -0.1}
        step, value = steps.get(Qt.Key(event.key())), self.value()
        if step is None or value is None:
            super().keyPressEvent(event)
        else:
            self.entered.emit(min(max(round(value + step, 3), 0.0), MOST_THETA))

    def _enter(self) -> None:
        value = self.value()
        if value is not None:
            self.entered.emit(value)
        else:
            self.refused.emit()


class ThetaControl(QWidget):
    """Slider and field for θ; dragging changes the session's settings live.

    refusal: what is said of what was written last, empty where it was taken.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.refusal = ""
        name = QLabel("θ")
        name.setToolTip(self.tr("Inverse temperature: P(path) ∝ exp(θ · score)"))
        low, high = QLabel(self.tr("uniform")), QLabel(self.tr("Viterbi"))
        for label in (low, high):
            label.setProperty("role", "note")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, TICKS)
        self.slider.setSingleStep(10)
        self.slider.setPageStep(100)
        self.slider.setFixedWidth(140)
        self.slider.setAccessibleName(self.tr("Inverse temperature θ"))
        self.field = NumberField()
        self.field.setFixedWidth(64)
        self.field.setToolTip(self._range())
        self.field.setAccessibleName(self.tr("Inverse temperature θ, as a number"))
        self.reset = QPushButton(self.tr("Reset to 1"))
        self.reset.setProperty("flat", True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (name, low, self.slider, high, self.field, self.reset):
            row.addWidget(widget)
        self.slider.valueChanged.connect(self._slid)
        self.field.entered.connect(self._entered)
        self.field.refused.connect(self._refuse)
        self.reset.clicked.connect(lambda: session.change_settings(theta=1.0))
        session.settings_changed.connect(self._show)
        self._show()

    def _slid(self, tick: int) -> None:
        theta = theta_at(tick)
        # Near 1 the slider catches, so that the model's own law is found again.
        self._session.change_settings(theta=1.0 if abs(theta - 1) < 0.012 else round(theta, 3))

    def _range(self) -> str:
        return self.tr("A number from 0 to {most:,.0f}").format(most=MOST_THETA)

    def _entered(self, theta: float) -> None:
        self.refusal = ""
        self._session.change_settings(theta=theta)

    def _refuse(self) -> None:
        """Put θ back and say what can be written."""
        self._show()
        self.refusal = self._range()
        place = self.field.mapToGlobal(QPoint(0, self.field.height()))
        QToolTip.showText(place, self.refusal, self.field)

    def _show(self) -> None:
        theta = self._session.settings.theta
        with QSignalBlocker(self.slider), QSignalBlocker(self.field):
            if abs(theta_at(self.slider.value()) - theta) > 0.006:
                self.slider.setValue(tick_at(theta))
            self.field.setText(f"{theta:.4g}" if theta != round(theta, 2) else f"{theta:.2f}")
        self.reset.setEnabled(theta != 1.0)
