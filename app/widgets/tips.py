"""Tool tips that depend on the place under the mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget


class Tips(QObject):
    """Shows what `text_at` says of a pixel of the widget; an empty text takes the tip away.

    A filter, and no override of `event`: below one of those an error in any other handler, such
    as that of painting, ends the whole process instead of reaching the log.
    """

    def __init__(self, widget: QWidget, text_at: Callable[[QPointF], str]) -> None:
        super().__init__(widget)
        self._widget, self._text_at = widget, text_at
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return False
        text = self._text_at(QPointF(event.pos()))
        if text:
            QToolTip.showText(event.globalPos(), text, self._widget)
        else:
            QToolTip.hideText()
        return True
