"""Examples of the Merges workspace, one click away: a bundled model with a text."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from app.session import Session
from engine.bundled import model_path


class ExamplesButton(QPushButton):
    """A menu of examples. Each opens its model, or brings it to the front, and sets the text."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setText(self.tr("Examples"))
        self.setAccessibleName(self.tr("Examples of merging"))
        menu = QMenu(self)
        for title, model, text in (
            (self.tr("Order decides: “e r” before “w e” in lower"), "toy-lower", "lower"),
            (self.tr("One word under three rules: there"), "toy-there", "there"),
            (self.tr("A Korean word as bytes: 한국어"), "everyday-bpe", "한국어"),
            (self.tr("An emoji as bytes: 👍"), "everyday-bpe", "👍"),
            (self.tr("The longest piece first: watching"), "everyday-wordpiece", "watching"),
        ):
            action = menu.addAction(title)
            action.triggered.connect(
                lambda _=False, model=model, text=text: self.show_example(model, text)
            )
        self.setMenu(menu)

    def show_example(self, model: str, text: str) -> None:
        """Show a text in a bundled model."""
        path = model_path(model)
        self._session.set_text(text)
        for opened in self._session.models:
            if opened.model.path == path:
                self._session.set_active(opened.key)
                break
        else:
            self._session.load_model(path)
