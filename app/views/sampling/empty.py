"""What the Sampling workspace shows for a model without a law over segmentations."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.session import Session
from app.widgets.empty import Action, EmptyState
from engine.bundled import model_path

BUNDLED = "everyday-unigram"


class NoLaw(QWidget):
    """Says why nothing can be sampled, and offers the open Unigram models or the bundled one."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.state: EmptyState | None = None
        self._shown: tuple[object, ...] = ()

    def show_state(self) -> None:
        """Say it for the models that are open now."""
        session = self._session
        opened = session.active
        others = [m for m in session.models if not m.model.segmenter.law]
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
            actions.append((self.tr("Open the bundled Unigram model"), self._open_bundled))
        if opened is None:
            why = self.tr("No model is open. Sampling needs a Unigram model.")
        elif opened.model.algorithm == "bpe":
            why = self.tr(
                "{name} is a BPE model. Its ranks are an order of merging, not "
                "log-probabilities, so no law over segmentations can be sampled from. "
                "See Merges for how it cuts the text."
            ).format(name=opened.model.name)
        else:
            why = self.tr(
                "{name} gives its pieces no probabilities, so there is no law over "
                "segmentations to sample from."
            ).format(name=opened.model.name)
        if self.state is not None:
            self._column.removeWidget(self.state)
            self.state.deleteLater()
        self.state = EmptyState(why, actions)
        self._column.addWidget(self.state)

    def _open_bundled(self) -> None:
        self._session.load_model(model_path(BUNDLED))
