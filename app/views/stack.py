"""The place of the workspaces."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget

from app.theme import Theme
from app.views.status import ProgressLine


class Stack(QStackedWidget):
    """The workspaces, and over their upper edge a line while a job takes long."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._line = ProgressLine(theme, self)
        self._line.hide()

    def show_share(self, share: float | None) -> None:
        """Show how far the work is; below 0 there is none."""
        self._line.setVisible(share is None or share >= 0)
        self._line.set_share(share)
        self._line.setGeometry(0, 0, self.width(), 3)
        self._line.raise_()
