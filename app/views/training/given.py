"""Merges to begin with: the file that they come from, which is read in the background."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app import errors
from app.counts import counted
from app.jobs import Jobs
from app.learning import count_given_apart
from app.theme import SIZE_DATA, Theme
from app.widgets.elided import ElidedLabel
from engine.progress import Report
from engine.train.bpe import Style

KEY = "given merges"


class GivenMerges(QWidget):
    """Which file, how many merges it holds, and what is wrong with it."""

    changed = Signal()

    def __init__(self, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._folder = jobs, ""
        self._style: Style = "bytes"
        self.path: Path | None = None
        self.count: int | None = 0
        """Merges of the file, None while that isn't known."""
        self.fault = ""
        """Why the file can't be begun with."""
        self.note = ElidedLabel(
            theme, size=SIZE_DATA, token="ink2", mode=Qt.TextElideMode.ElideMiddle
        )
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.choose_button = QPushButton(self.tr("File…"))
        self.choose_button.setToolTip(self.tr("Choose a BPE model or a list of merges"))
        self.choose_button.clicked.connect(self._ask)
        self.clear_button = QPushButton(self.tr("No merges"))
        self.clear_button.setToolTip(self.tr("Begin without merges"))
        self.clear_button.clicked.connect(lambda: self.choose(None))
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.choose_button, self.clear_button):
            button.setAutoDefault(False)
            row.addWidget(button, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.note)
        self.setFocusProxy(self.choose_button)
        self._show()

    def set_style(self, style: Style) -> None:
        """Take base symbols of another kind: the file is read again."""
        if style != self._style:
            self._style = style
            self.choose(self.path)

    def _ask(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, self.tr("Merges to begin with"), self._folder, self.tr("All files (*)")
        )
        if name:
            self.choose(Path(name))

    def choose(self, path: Path | None) -> None:
        """Begin with the merges of a file, or with none."""
        self._jobs.cancel(KEY)
        self.path, self.fault = path, ""
        self.count = 0 if path is None else None
        if path is not None:
            self._folder, style = str(path.parent), self._style

            def work(report: Report) -> int:
                return count_given_apart(path, style, report)

            title = self.tr("Reading {name}").format(name=path.name)
            self._jobs.start(KEY, title, work, self._found, self._failed)
        self._show()

    def _found(self, count: int) -> None:
        self.count = count
        self._show()

    def _failed(self, error: BaseException) -> None:
        fault = errors.describe(error, self.tr("The merges can't be read"))
        words = self.tr("{what}. {remedy}.") if fault.remedy else self.tr("{what}.")
        self.fault = words.format(what=fault.what, remedy=fault.remedy)
        self._show()

    def _show(self) -> None:
        self.clear_button.setEnabled(self.path is not None)
        self.note.setText(self._told())
        self.note.setVisible(self.path is not None)
        self.changed.emit()

    def _told(self) -> str:
        if self.path is None:
            return ""
        if self.fault:
            return self.path.name
        if self.count is None:
            return self.tr("reading {name} …").format(name=self.path.name)
        merges = counted(self.count, "merge")
        return self.tr("{name}: {merges}").format(name=self.path.name, merges=merges)
