"""The rail at the left: one button for each workspace."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QVBoxLayout, QWidget

from app.icons import paint_icon
from app.theme import SIZE_NOTE, Theme

WIDTH = 72


class Rail(QWidget):
    """Buttons with an icon and a name; exactly one is current. ↑/↓ move between them."""

    chosen = Signal(str)

    def __init__(
        self, entries: Sequence[tuple[str, str, str]], theme: Theme, parent: QWidget | None = None
    ) -> None:
        """Take entries as (name, words, keys)."""
        super().__init__(parent)
        self._theme = theme
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(self.tr("Workspaces"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(2)
        for name, words, keys in entries:
            button = RailButton(name, words, keys, theme)
            button.clicked.connect(lambda _on=False, name=name: self.chosen.emit(name))
            self._group.addButton(button)
            self._buttons[name] = button
            column.addWidget(button)
        column.addStretch()
        theme.changed.connect(self._repaint)

    def set_current(self, name: str) -> None:
        if name in self._buttons:
            self._buttons[name].setChecked(True)

    def button(self, name: str) -> RailButton:
        return self._buttons[name]

    def _repaint(self) -> None:
        self.update()
        for button in self._buttons.values():
            button.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("chrome"))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._theme.color("line"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        buttons = list(self._buttons.values())
        focused = next((i for i, b in enumerate(buttons) if b.hasFocus()), None)
        if step is None or focused is None:
            super().keyPressEvent(event)
            return
        target = buttons[min(max(focused + step, 0), len(buttons) - 1)]
        target.setFocus(Qt.FocusReason.TabFocusReason)
        target.click()


class RailButton(QAbstractButton):
    """An icon over a name; the current one has an ink bar at its left."""

    def __init__(self, icon: str, words: str, keys: str, theme: Theme) -> None:
        super().__init__()
        self._icon, self._theme = icon, theme
        self.setText(words)
        self.setAccessibleName(words)
        self.setToolTip(f"{words} ({keys})")
        self.setCheckable(True)
        self.setFixedSize(WIDTH - 1, 56)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 1, 56)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()  # the rail moves between its buttons
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isChecked()
        if on:
            painter.fillRect(self.rect(), theme.color("panel"))
            painter.fillRect(0, 0, 3, self.height(), theme.color("ink"))
        elif self.underMouse():
            painter.fillRect(self.rect(), theme.color("hair"))
        ink = theme.color("ink" if on else "ink2")
        paint_icon(painter, self._icon, QRectF(self.width() / 2 - 11, 9, 22, 22), ink)
        painter.setFont(theme.font(SIZE_NOTE, bold=on))
        painter.setPen(ink)
        place = QRectF(2, 33, self.width() - 4, 17)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.color("ink"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(5.5, 3.5, -3.5, -3.5), 4, 4)
