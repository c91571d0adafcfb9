"""Options that few need, behind a line that opens."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.theme import Theme
from app.views.training.form_rows import FormRows


class MoreOptions(FormRows):
    """Rows under a button that shows and hides them; hidden at first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.button = QToolButton()
        self.button.setText(self.tr("More options"))
        self.button.setToolTip(self.tr("Show options that are rarely needed"))
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.toggled.connect(self._open)
        self._column.addWidget(self.button)
        self.rows = FormRows(theme)
        self.add_rows(self.rows)
        self._open(False)

    def _open(self, shown: bool) -> None:
        self.rows.setVisible(shown)
        arrow = Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)

    def show_faults(self, faults: dict[QWidget, str]) -> None:
        """Say beside a control what is wrong with it; the rows open where that is here."""
        self.rows.show_faults(faults)
        if any(self.rows.isAncestorOf(control) for control in faults):
            self.button.setChecked(True)
