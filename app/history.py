"""Where a person has been: workspace, model and selection, back and forward."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.session import Selection

LIMIT = 200


@dataclass(frozen=True)
class Place:
    """A state that can be gone back to. text: the text that was shown."""

    workspace: str
    model: int | None
    text: str
    selection: Selection


class History:
    """A list of places and a position in it, as a browser has."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._at = -1

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at + 1 < len(self._places)

    def visit(self, place: Place) -> None:
        """Note a place. What lay ahead is forgotten.

        Typing would fill the list, so a place that differs in its text alone, or in what is
        selected at the player's step, replaces the one before.
        """
        if self._at >= 0:
            now = self._places[self._at]
            if _essence(place) == _essence(now):
                self._places[self._at] = place
                return
        del self._places[self._at + 1 :]
        self._places.append(place)
        del self._places[: max(0, len(self._places) - LIMIT)]
        self._at = len(self._places) - 1

    def back(self) -> Place | None:
        """Go one place back."""
        if not self.can_go_back:
            return None
        self._at -= 1
        return self._places[self._at]

    def forward(self) -> Place | None:
        """Go one place forward again."""
        if not self.can_go_forward:
            return None
        self._at += 1
        return self._places[self._at]


def _essence(place: Place) -> Place:
    return replace(place, text="", selection=replace(place.selection, step=None))
