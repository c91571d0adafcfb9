"""A label whose text can be selected and copied."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtWidgets import QLabel, QWidget


class SelectableLabel(QLabel):
    """Plain text that can be selected with the mouse; long lines are broken.

    Qt makes a document of a text that can be selected, which takes ten times as long to fill and
    to paint. So it is made when the mouse comes, and a text of ASCII, which looks the same either
    way, is a plain label until then.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:
        if text != self.text():
            self._make_selectable(self.underMouse() or not _plain(text))
            super().setText(text)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._make_selectable(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        # What is selected may still be copied from the menu.
        self._make_selectable(self.hasSelectedText() or not _plain(self.text()))
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._make_selectable(True)  # a finger comes without having been near
        super().mousePressEvent(event)

    def _make_selectable(self, on: bool) -> None:
        flag = Qt.TextInteractionFlag
        wanted = flag.TextSelectableByMouse if on else flag.NoTextInteraction
        if wanted != self.textInteractionFlags():
            self.setTextInteractionFlags(wanted)


def _plain(text: str) -> bool:
    return text.isascii() and "\t" not in text
