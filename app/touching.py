"""Marks the steps of a player that touch what is selected in the session."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike
from PySide6.QtCore import QObject

from app.player import Player
from app.session import Session

Positions = Callable[[int, int], ArrayLike]
"""From bytes first … end of the text to the positions, rising, whose step touches one of them."""


class TouchMarks(QObject):
    """Keeps the marks of a player with the session's selection and with the trace it plays."""

    def __init__(self, player: Player, session: Session, positions: Positions) -> None:
        super().__init__(player)
        self._player, self._session, self._positions = player, session, positions
        self._span: tuple[int, int] | None = None
        session.selection_changed.connect(self._selection_changed)
        player.length_changed.connect(self._mark)

    def _selection_changed(self) -> None:
        # The player's own steps are a part of the selection.
        if self._session.selection.span != self._span:
            self._mark()

    def _mark(self, _length: int = 0) -> None:
        span = self._span = self._session.selection.span
        self._player.set_marks(() if span is None else self._positions(*span))
