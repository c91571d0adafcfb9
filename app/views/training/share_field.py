"""A share between 0 and 1 in a line."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget


class ShareField(QLineEdit):
    """A share over 0 up to 1, or under 1 where `whole` is no choice; anything else is put back."""

    entered = Signal()

    def __init__(self, share: float, *, whole: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share, self._whole = share, whole
        self.setText(f"{share:g}")
        self.setFixedWidth(84)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.editingFinished.connect(self._take)

    @property
    def share(self) -> float:
        """The share that was last set or entered."""
        return self._share

    def _take(self) -> None:
        with suppress(ValueError):
            share = float(self.text().replace(",", "."))
            if 0.0 < share < 1.0 or (self._whole and share == 1.0):
                self._share = share
        self.setText(f"{self._share:g}")
        self.entered.emit()
