"""A choice of few options side by side, the current one in ink."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.theme import SIZE_DATA, Theme

HEIGHT = 28


class SegmentedControl(QWidget):
    """Options as (value, label); exactly one is current. ←/→ move, a click chooses."""

    changed = Signal(str)

    def __init__(
        self,
        options: Sequence[tuple[str, str]],
        theme: Theme,
        height: int = HEIGHT,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._buttons: dict[str, _Segment] = {}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for index, (value, label) in enumerate(options):
            segment = _Segment(label, theme, height, index == 0, index == len(options) - 1)
            self._group.addButton(segment)
            self._buttons[value] = segment
            row.addWidget(segment)
            segment.toggled.connect(lambda on, value=value: on and self.changed.emit(value))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if options:
            self.set_value(options[0][0])
        theme.changed.connect(self._restyle)

    def value(self) -> str:
        """Return the value of the current option."""
        return next((v for v, b in self._buttons.items() if b.isChecked()), "")

    def set_value(self, value: str) -> None:
        """Make an option current; `changed` is not emitted."""
        button = self._buttons[value]
        self.blockSignals(True)
        button.setChecked(True)
        self.blockSignals(False)
        for other in self._buttons.values():
            policy = Qt.FocusPolicy.TabFocus if other is button else Qt.FocusPolicy.NoFocus
            other.setFocusPolicy(policy)

    def button(self, value: str) -> QToolButton:
        """Return the button of an option."""
        return self._buttons[value]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        usable = [b for b in self._buttons.values() if b.isEnabled()]
        now = next((i for i, b in enumerate(usable) if b.isChecked()), 0)
        target = usable[min(max(now + step, 0), len(usable) - 1)]
        target.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        target.setChecked(True)
        target.setFocus(Qt.FocusReason.TabFocusReason)

    def _restyle(self) -> None:
        for button in self._buttons.values():
            button.update()


class _Segment(QToolButton):
    def __init__(self, label: str, theme: Theme, height: int, first: bool, last: bool) -> None:
        super().__init__()
        self._theme, self._height, self._first, self._last = theme, height, first, last
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(theme.font(SIZE_DATA))

    def sizeHint(self) -> QSize:
        wide = QFontMetricsF(self._theme.font(SIZE_DATA, bold=True)).horizontalAdvance(self.text())
        return QSize(round(wide) + 22, self._height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.ignore()  # the control moves between its segments
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if not self._last:
            rect.setRight(rect.right() + 1)  # neighbours share their line
        on, over = self.isChecked(), self.underMouse() and self.isEnabled()
        fill = theme.color("ink" if on else "hair" if over else "panel")
        # Round outer corners: the shape reaches out where there is a neighbour, and is clipped.
        shape = rect.adjusted(0 if self._first else -8, 0, 0 if self._last else 8, 0)
        painter.setClipRect(self.rect())
        painter.setPen(QPen(theme.color("ink" if on else "line"), 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(shape, 4, 4)
        if not self._first and not on:
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(rect.topLeft(), rect.bottomLeft())
        painter.setFont(theme.font(SIZE_DATA, bold=on))
        painter.setPen(theme.color("canvas" if on else "ink2" if self.isEnabled() else "ink3"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("canvas" if on else "ink"), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(3.5, 3.5, -3.5, -3.5), 2, 2)
