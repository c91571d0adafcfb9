"""What a widget stands on: paper of the theme's, or nothing where it fills all of itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Slot
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
        color = self._theme.color(self._token).name()
        self._widget.setStyleSheet(f"#{self._widget.objectName()} {{ background: {color}; }}")


def set_surface(widget: QWidget, theme: Theme, token: str) -> None:
    """Fill a widget's background with a colour of the theme, also after the theme changes."""
    # A palette would be undone by the application's style sheet.
    if not widget.objectName():
        widget.setObjectName("surface")
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    _Surface(widget, theme, token)


class _Opaque(QObject):
    """Says again that a widget is opaque: a style sheet that is applied takes that away."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Polish, QEvent.Type.StyleChange):
            assert isinstance(watched, QWidget)
            watched.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        return False


def set_opaque(widget: QWidget) -> None:
    """Let nothing be painted under a widget that fills all of itself at each paint."""
    widget.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
    widget.installEventFilter(_Opaque(widget))
