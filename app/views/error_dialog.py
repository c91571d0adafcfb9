"""An error in full, to read and to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.icons import pixmap
from app.theme import SIZE_DATA, Theme


class ErrorDialog(QDialog):
    """What went wrong, what still works, and the detail for a report."""

    def __init__(
        self, what: str, explanation: str, detail: str, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What happened"))
        self.resize(640, 420)
        mark = QLabel()
        ratio = self.devicePixelRatioF()
        mark.setPixmap(pixmap("error", theme.color("error"), 28, ratio))
        mark.setAccessibleName(self.tr("Error"))
        title = QLabel(what)
        title.setProperty("role", "title")
        title.setWordWrap(True)
        title.setTextFormat(Qt.TextFormat.PlainText)
        text = QLabel(explanation)
        text.setWordWrap(True)
        text.setTextFormat(Qt.TextFormat.PlainText)
        self.detail = QPlainTextEdit(detail)
        self.detail.setReadOnly(True)
        self.detail.setFont(theme.piece_font(SIZE_DATA))
        self.detail.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.detail.setAccessibleName(self.tr("Detail"))
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(detail))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        words = QVBoxLayout()
        words.addWidget(title)
        words.addWidget(text)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(top)
        column.addWidget(self.detail, 1)
        column.addWidget(buttons)
