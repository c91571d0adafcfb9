"""What a view shows while it has nothing to show: a sentence, what to do, and samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

Action = tuple[str, Callable[[], object]]


class EmptyState(QWidget):
    """A sentence, buttons (the first is the main one) and samples, in the middle of its space."""

    def __init__(
        self,
        sentence: str,
        actions: Sequence[Action] = (),
        samples: Sequence[Action] = (),
        samples_title: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.label = _Sentence(sentence)
        column = QVBoxLayout(self)
        column.setSpacing(16)
        column.addStretch(2)
        column.addWidget(self.label, 0, Qt.AlignmentFlag.AlignHCenter)
        self.buttons = [self._button(text, call) for text, call in actions]
        if self.buttons:
            self.buttons[0].setProperty("primary", True)
            row = QHBoxLayout()
            row.setSpacing(8)
            row.addStretch()
            for button in self.buttons:
                row.addWidget(button)
            row.addStretch()
            column.addLayout(row)
        self.samples = [self._button(text, call) for text, call in samples]
        if self.samples:
            column.addSpacing(8)
            if samples_title:
                title = QLabel(samples_title)
                title.setProperty("role", "note")
                column.addWidget(title, 0, Qt.AlignmentFlag.AlignHCenter)
            rows = QVBoxLayout()
            rows.setSpacing(4)
            for button in self.samples:
                button.setProperty("flat", True)
                rows.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
            column.addLayout(rows)
        column.addStretch(3)

    def say(self, sentence: str) -> None:
        """Show another sentence."""
        self.label.setText(sentence)
        self.label.updateGeometry()

    @staticmethod
    def _button(text: str, call: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(lambda _=False: call())
        return button


class _Sentence(QLabel):
    """Lines of up to 460 pixels. A wrapped label asks for too little room by itself."""

    WIDTH = 460

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Minimum)

    def sizeHint(self) -> QSize:
        lines = self.text().split("\n")
        words = max(self.fontMetrics().horizontalAdvance(line) for line in lines) + 8
        width = min(words, self.WIDTH)
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        # A layout would ask for the height at its own width, which may be much more than WIDTH.
        return False

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())
