"""What stands in the place of the workspaces while no model is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.jobs import Jobs
from app.theme import Theme
from app.widgets.empty import Action, EmptyState

OPENING = ("scene", "look ", "load ")
"""How the keys of the jobs begin that may bring a model."""


class StartView(QWidget):
    """One sentence, two buttons, three samples; while something is being opened, what it is."""

    def __init__(
        self,
        jobs: Jobs,
        theme: Theme,
        open_files: Callable[[], object],
        open_bundled: Callable[[], object],
        samples: Sequence[Action],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs, self._theme = jobs, theme
        self.empty = EmptyState(
            self.tr(
                "Open a tokenizer to see how it cuts a text: a tokenizer.json, a SentencePiece or "
                "BytePiece .model, tiktoken ranks, vocab.json with merges.txt, a BERT vocab.txt, "
                "subword-nmt codes, or a folder with one of them. Files and folders can be "
                "dropped here."
            ),
            [
                (self.tr("Open…"), open_files),
                (self.tr("Use the bundled models"), open_bundled),
            ],
            samples,
            self.tr("or look at an example"),
        )
        self.waiting = EmptyState("")
        self._pages = QStackedWidget()
        # Until it is known that nothing is being opened, nothing is asked for.
        self._pages.addWidget(self.waiting)
        self._pages.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.addWidget(self._pages)
        jobs.changed.connect(self._jobs_changed)
        theme.changed.connect(self.update)

    def _jobs_changed(self) -> None:
        titles = [job.title for job in self._jobs.running if job.key.startswith(OPENING)]
        if titles:
            lines = [self.tr("{what} …").format(what=title) for title in titles]
            self.waiting.say("\n".join([*lines, self.tr("Esc stops it.")]))
        self._pages.setCurrentWidget(self.waiting if titles else self.empty)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("canvas"))
