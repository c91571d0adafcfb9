"""The place that a scene kept: word and position in the trace of one model over one text."""

from __future__ import annotations

from typing import Any, NamedTuple

from app.session import Session
from engine.scene_fields import as_integer
from engine.text import Text


class Wanted(NamedTuple):
    """A place to show. key, text: the model and the text whose trace it is a place of."""

    pretoken: int
    position: int
    key: int
    text: Text

    @classmethod
    def of_scene(cls, state: dict[str, Any], session: Session) -> Wanted | None:
        """Return what a scene kept, for the active model; None where it kept none."""
        position, word = as_integer(state.get("position")), as_integer(state.get("word"))
        opened = session.active
        if position is None or opened is None:
            return None
        return cls(word or 0, position, opened.key, session.text)

    def of(self, key: int, text: Text) -> bool:
        """Tell whether it is a place in the trace of a model over a text."""
        return self.key == key and self.text is text

    def within(self, pretokens: int, steps: int) -> tuple[int, int]:
        """Return pre-token and position, as near as a trace has them."""
        return min(max(self.pretoken, 0), pretokens - 1), min(max(self.position, 0), steps)
