"""What a workspace shows for a model that it has nothing to say about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.session import OpenModel, Session
from app.widgets.empty import Action, EmptyState
from engine.bundled import model_path


class OtherModel(QWidget):
    """Says why there is nothing, and offers the open models that would do, or a bundled one.

    bundled: the name of the bundled model.
    """

    def __init__(self, session: Session, bundled: str) -> None:
        super().__init__()
        self._session, self._bundled = session, bundled
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.state: EmptyState | None = None
        self._shown: tuple[object, ...] = ()

    def say(self, why: str, others: Sequence[OpenModel], offer: str) -> None:
        """Show a sentence and a button for each of the first models that would do.

        offer: the words of the button that opens the bundled model where no other would do.
        """
        shown = (why, *(opened.key for opened in others))
        if shown == self._shown:
            return
        self._shown = shown
        actions: list[Action] = [
            (
                self.tr("Show {letter} {name}").format(letter=opened.letter, name=opened.name),
                partial(self._session.set_active, opened.key),
            )
            for opened in others[:3]
        ]
        if not others:
            actions.append((offer, self._open_bundled))
        if self.state is not None:
            self._column.removeWidget(self.state)
            self.state.deleteLater()
        self.state = EmptyState(why, actions)
        self._column.addWidget(self.state)

    def _open_bundled(self) -> None:
        self._session.load_model(model_path(self._bundled))
