"""Closing the window while training is under way, or what was trained isn't saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from app.counts import counted
from app.training import Trainer

Then = Callable[[Path], object]
"""Called with the path of what was saved."""


class Leaving(QObject):
    """Asks what becomes of a run and of a vocabulary, and leaves once that is settled.

    Nothing waits for the answer: the question stands beside the event loop. Every answer but
    Cancel ends in `leave`, which asks `may` anew.
    """

    def __init__(
        self,
        trainer: Trainer,
        save: Callable[[Then], object],
        leave: Callable[[], object],
        window: QWidget,
    ) -> None:
        """Take `save`, which asks for a place and saves, and `leave`, which closes `window`."""
        super().__init__(window)
        self._trainer, self._save, self._leave, self._window = trainer, save, leave, window
        self.question: QMessageBox | None = None
        self._stopping = False
        trainer.changed.connect(self._changed)

    @property
    def free(self) -> bool:
        """Whether nothing would be lost."""
        return not (self._trainer.busy or self._trainer.unsaved)

    def may(self) -> bool:
        """Return whether the window may close now; ask where something would be lost."""
        if self.free:
            return True
        if self.question is None:
            self._ask()
        else:
            self.question.raise_()
            self.question.activateWindow()
        return False

    def _ask(self) -> None:
        box = self.question = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.tr("Close Segscope"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setEscapeButton(cancel)
        box.setDefaultButton(cancel)
        outcome = self._trainer.outcome
        if self._trainer.busy or outcome is None:
            box.setText(self.tr("A vocabulary is being trained."))
            box.setInformativeText(self.tr("Nothing of the run stays when Segscope is closed."))
            stop = box.addButton(self.tr("&Stop and close"), QMessageBox.ButtonRole.DestructiveRole)
            actions: dict[QAbstractButton, Callable[[], object]] = {stop: self._stop}
        else:
            box.setText(self.tr("The trained vocabulary isn't saved."))
            words = self.tr("It has {pieces}, and is lost when Segscope is closed.")
            box.setInformativeText(words.format(pieces=counted(outcome.trained.size, "piece")))
            save = box.addButton(self.tr("&Save…"), QMessageBox.ButtonRole.AcceptRole)
            discard = box.addButton(self.tr("&Discard"), QMessageBox.ButtonRole.DestructiveRole)
            box.setDefaultButton(save)
            actions = {
                save: lambda: self._save(lambda _path: self._leave()), discard: self._discard
            }  # fmt: skip

        def answered() -> None:
            chosen = box.clickedButton()
            self.question = None
            for button, act in actions.items():
                if button is chosen:
                    act()

        box.finished.connect(answered)
        box.open()

    def _stop(self) -> None:
        self._stopping = True
        self._trainer.cancel()
        self._changed()  # where it came to its end meanwhile

    def _discard(self) -> None:
        self._trainer.keep(self._trainer.outcome)
        self._leave()

    def _changed(self) -> None:
        """Leave once the run has stopped; ask what there is to ask by now."""
        if self._trainer.busy:
            return
        if self._stopping:
            self._stopping = False
            self._leave()
        elif self.question is not None:
            self.question.reject()
            if not self.free:
                self._ask()
