"""The paper that a widget stands on."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from app.theme import Theme


class _Surface(QObject):
    """Lives with its widget, so that the theme stops calling it when the widget goes."""

    def __init__(self, widget: QWidget, theme: Theme, token: str) -> None:
        super().__init__(widget)
        self._widget, self._theme, self._token = widget, theme, token
        theme.changed.connect(self.fill)
        self.fill()

    @Slot()
    def fill(self) -> None:
        palette = QPalette(self._widget.palette())
        palette.setColor(QPalette.ColorRole.Window, self._theme.color(self._token))
        self._widget.setPalette(palette)


def set_surface(widget: QWidget, theme: Theme, token: str) -> None:
    """Fill a widget's background with a colour of the theme, also after the theme changes."""
    widget.setAutoFillBackground(True)
    _Surface(widget, theme, token)
