"""What the Sampling workspace shows for a model that no method can draw from."""

from __future__ import annotations

from app.session import OpenModel, Session
from app.views.other_model import OtherModel

BUNDLED = "everyday-unigram"


class NoLaw(OtherModel):
    """Says why nothing can be sampled."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, BUNDLED)

    def show_state(self) -> None:
        """Say it for the models that are open now."""
        models = self._session.models
        others = [opened for opened in models if not opened.model.segmenter.law]
        offer = self.tr("Open the bundled Unigram model")
        self.say(self._why(self._session.active), others, offer)

    def _why(self, opened: OpenModel | None) -> str:
        if opened is None:
            return self.tr("No model is open. Sampling needs a model.")
        text = self.tr(
            "{name} gives its pieces no probabilities and merges nothing, so there is no law over "
            "segmentations to sample from."
        )
        return text.format(name=opened.name)
