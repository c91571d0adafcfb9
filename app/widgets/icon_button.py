"""A button that is an icon; its words are its tool tip and its accessible name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.icons import icon
from app.theme import Theme


class IconButton(QToolButton):
    """Icon `name` of `resources/icons` in a colour of the theme."""

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
        self._name, self._theme, self._size, self._token = name, theme, size, token
        self.setIconSize(QSize(size, size))
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_words(words)
        self._draw()
        theme.changed.connect(self._draw)

    def set_words(self, words: str) -> None:
        self.setToolTip(words)
        self.setAccessibleName(words)

    def set_icon(self, name: str, token: str = "") -> None:
        self._name, self._token = name, token or self._token
        self._draw()

    def _draw(self) -> None:
        self.setIcon(icon(self._name, self._theme, self._token, self._size))
