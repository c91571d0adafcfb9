"""A menu of examples on top of a workspace, one click away: bundled models with texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.session import Session
from engine.bundled import model_path


class Example(NamedTuple):
    """What an example is called, the name of its bundled model, and its text."""

    title: str
    model: str
    text: str


class ExamplesButton(QPushButton):
    """A menu of examples. Each opens its model, or brings it to the front, and sets the text.

    spoken: what the menu is called where it isn't seen.
    """

    def __init__(
        self,
        session: Session,
        spoken: str,
        examples: Sequence[Example],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.setText(self.tr("Examples"))
        self.setAccessibleName(spoken)
        menu = QMenu(self)
        for example in examples:
            action = menu.addAction(example.title)
            action.triggered.connect(lambda _=False, example=example: self.show_example(example))
        self.setMenu(menu)

    def show_example(self, example: Example) -> None:
        """Show a text in a bundled model."""
        path = model_path(example.model)
        self._session.set_text(example.text)
        for opened in self._session.models:
            if opened.model.path == path:
                self._session.set_active(opened.key)
                break
        else:
            self._session.load_model(path)
