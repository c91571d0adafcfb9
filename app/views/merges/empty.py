"""What the Merges workspace shows for a model that doesn't merge."""

from __future__ import annotations

from app.session import OpenModel, Session
from app.views.other_model import OtherModel

BUNDLED = "everyday-bpe"


class NoMerges(OtherModel):
    """Says why there are no merges."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, BUNDLED)

    def show_state(self) -> None:
        """Say it for the models that are open now."""
        models = self._session.models
        others = [opened for opened in models if opened.model.bpe is not None]
        offer = self.tr("Open the bundled BPE model")
        self.say(self._why(self._session.active), others, offer)

    def _why(self, opened: OpenModel | None) -> str:
        if opened is None:
            return self.tr("No model is open. Merges are what a BPE model does to a text.")
        if opened.model.algorithm == "unigram":
            text = self.tr(
                "{name} is a Unigram model: it chooses the path of the highest score and merges "
                "nothing. See Sampling for how it passes over the text."
            )
        else:
            text = self.tr("{name} has no merge rules.")
        return text.format(name=opened.name)
