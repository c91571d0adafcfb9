"""What stands in the place of the workspaces while no model is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.empty import Action, EmptyState


class StartView(QWidget):
    """One sentence, two buttons, three samples."""

    def __init__(
        self,
        theme: Theme,
        open_files: Callable[[], object],
        open_bundled: Callable[[], object],
        samples: Sequence[Action],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.empty = EmptyState(
            self.tr(
                "Open a tokenizer to see how it cuts a text: a tokenizer.json, a SentencePiece or "
                "BytePiece .model, tiktoken ranks, vocab.json with merges.txt, a BERT vocab.txt, "
                "subword-nmt codes, or a folder with one of them. Files can be dropped here."
            ),
            [
                (self.tr("Open…"), open_files),
                (self.tr("Use the bundled models"), open_bundled),
            ],
            samples,
            self.tr("or look at an example"),
        )
        column = QVBoxLayout(self)
        column.addWidget(self.empty)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("canvas"))
