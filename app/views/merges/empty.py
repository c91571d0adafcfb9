"""What the Merges workspace shows for a model that doesn't merge."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.session import Session
from app.widgets.empty import Action, EmptyState
from engine.bundled import model_path

BUNDLED = "everyday-bpe"


class NoMerges(QWidget):
    """Says why there are no merges, and offers the open BPE models or the bundled one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.state: EmptyState | None = None
        self._shown: tuple[object, ...] = ()

    def show_state(self, session: Session) -> None:
        """Say it for the models that are open now."""
        opened = session.active
        others = [m for m in session.models if m.model.algorithm == "bpe"]
        shown = (opened.key if opened else None, *(m.key for m in others))
        if shown == self._shown and self.state is not None:
            return
        self._shown = shown
        actions: list[Action] = [
            (
                self.tr("Show {letter} {name}").format(letter=m.letter, name=m.model.name),
                partial(session.set_active, m.key),
            )
            for m in others[:3]
        ]
        if not others:
            actions.append((self.tr("Open the bundled BPE model"), self._open_bundled))
        if opened is None:
            why = self.tr("No model is open. Merges are what a BPE model does to a text.")
        elif opened.model.algorithm == "unigram":
            why = self.tr(
                "{name} is a Unigram model: it chooses the path of the highest score and merges "
                "nothing. See Sampling for how it passes over the text."
            ).format(name=opened.model.name)
        elif opened.model.algorithm == "wordpiece":
            why = self.tr(
                "{name} is a WordPiece model: it takes the longest piece that matches, again and "
                "again, and merges nothing."
            ).format(name=opened.model.name)
        else:
            why = self.tr("{name} has no merge rules.").format(name=opened.model.name)
        if self.state is not None:
            self._column.removeWidget(self.state)
            self.state.deleteLater()
        self.state = EmptyState(why, actions)
        self._column.addWidget(self.state)

    def _open_bundled(self) -> None:
        self._session.load_model(model_path(BUNDLED))
