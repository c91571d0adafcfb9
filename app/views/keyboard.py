"""The keyboard at a glance, out of the table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.actions import ACTIONS, Spec


class KeyboardDialog(QDialog):
    """Every action that has keys, and what they are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard"))
        self.resize(520, 560)
        specs = [spec for spec in ACTIONS if spec.shortcut]
        self.table = QTableWidget(len(specs), 2)
        self.table.setHorizontalHeaderLabels([self.tr("Action"), self.tr("Keys")])
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.setColumnWidth(1, 180)
        for row, spec in enumerate(specs):
            self._fill(row, spec)
        note = QLabel(
            self.tr(
                "Keys marked “in the picture” work where the picture or the player has the focus. "
                "Tab goes on in reading order, Esc cancels what is running."
            )
        )
        note.setWordWrap(True)
        note.setProperty("role", "second")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.table, 1)
        column.addWidget(note)
        column.addWidget(buttons)

    def _fill(self, row: int, spec: Spec) -> None:
        keys = spec.keys()
        if spec.local:
            keys = self.tr("{keys} (in the picture)").format(keys=keys)
        self.table.setItem(row, 0, QTableWidgetItem(spec.plain))
        self.table.setItem(row, 1, QTableWidgetItem(keys))
