"""The title of a pane: its name, a note beside it, and a word at the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.theme import SIZE_BODY, SIZE_DATA, Theme
from app.widgets.elided import ElidedLabel


class PaneTitle(QWidget):
    """Used as a dock's title bar: it lets mouse presses through, so the pane is dragged by it."""

    def __init__(self, theme: Theme, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.title, self.end = QLabel(title), QLabel()
        # Notes change with each key.
        self.note = ElidedLabel(theme, size=SIZE_DATA, token="ink2", steady=True)
        self.title.setProperty("role", "title")
        self.end.setProperty("role", "second")
        for label in (self.title, self.note, self.end):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 9, 12, 5)
        row.setSpacing(16)
        row.addWidget(self.title)
        row.addWidget(self.note, 1)
        row.addWidget(self.end)
        self._row = row
        self._dress()
        theme.changed.connect(self._dress)

    def add(self, widget: QWidget) -> None:
        """Put a control at the right end."""
        self._row.addWidget(widget)

    def set_note_left(self, pixels: int) -> None:
        """Let the note begin at a pixel, to stand over what is under it."""
        self.title.setMinimumWidth(pixels - 12 - self._row.spacing())

    def sizeHint(self) -> QSize:
        return QSize(100, super().sizeHint().height())

    def _dress(self) -> None:
        self.title.setFont(self._theme.font(SIZE_BODY, bold=True))
        self.end.setFont(self._theme.font(SIZE_DATA))
