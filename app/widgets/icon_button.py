"""A button that is an icon; its words are its tool tip and its accessible name."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from app.icons import paint_icon
from app.theme import Theme


class IconButton(QToolButton):
    """Icon `name` of `resources/icons` in a colour of the theme, pale where it is disabled.

    The icon is drawn when the button is: pictures of it for all screens would be most of what a
    button takes at the start.
    """

    def __init__(
        self,
        name: str,
        words: str,
        theme: Theme,
        size: int = 20,
        token: str = "ink2",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name, self._theme, self._token = name, theme, token
        self.setIconSize(QSize(size, size))
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_words(words)
        theme.changed.connect(self.update)

    def set_words(self, words: str) -> None:
        self.setToolTip(words)
        self.setAccessibleName(words)

    def set_icon(self, name: str, token: str = "") -> None:
        self._name, self._token = name, token or self._token
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.draw_icon(QPainter(self), self._token if self.isEnabled() else "line")

    def draw_icon(self, painter: QPainter, token: str) -> None:
        """Draw the icon into the middle of the button, in a colour of the theme."""
        size = self.iconSize()
        corner = QPointF((self.width() - size.width()) // 2, (self.height() - size.height()) // 2)
        paint_icon(painter, self._name, QRectF(corner, size), self._theme.color(token))
