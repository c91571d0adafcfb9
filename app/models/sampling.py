"""The tables of the Sampling workspace: events of a pass, outcomes of the draws, many draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt

from app.draw.lane import edge_text, path_text
from app.draw.law_chart import Outcomes
from app.draw.numbers import chance_text, share_text, signed
from app.models.table import Index, Table
from app.theme import SIZE_DATA, Theme
from engine.goodness import share_interval
from engine.sample import Draws
from engine.trace import Arrival
from engine.traces.passes import PassTrace

STEP, NODE, PIECE, WEIGHT, HELD, CHANCE, U, VERDICT = range(8)
N_DRAWN, SHARE, PROBABILITY, INCLUSION, SEGMENTATION = range(5)

PIECES = 200
"""Pieces that are shown of a long segmentation."""


class _PiecesTable(Table):
    """What the tables here share: one column of pieces, in the font of the text under analysis."""

    piece_column = 0

    def __init__(self, theme: Theme, titles: tuple[str, ...], parent: QObject | None) -> None:
        super().__init__(parent)
        self._theme, self._titles = theme, titles

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.FontRole and index.column() == self.piece_column:
            return self._theme.piece_font(SIZE_DATA)
        return super().data(index, role)


class EventTableModel(_PiecesTable):
    """Steps of a pass from 1, as the player counts them; cells are made when asked for."""

    piece_column = PIECE
    texts = frozenset((PIECE, VERDICT))

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        titles = (
            self.tr("Step"),
            self.tr("Node"),
            self.tr("Piece"),
            self.tr("Weight"),
            self.tr("So far"),
            self.tr("Chance"),
            self.tr("u"),
            self.tr("Verdict"),
        )
        super().__init__(theme, titles, parent)
        self._trace: PassTrace | None = None

    def set_trace(self, trace: PassTrace | None) -> None:
        """Show another pass."""
        self.beginResetModel()
        self._trace = trace
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._trace is None else len(self._trace)

    def shown(self, row: int, column: int) -> str:
        trace = self._trace
        assert trace is not None
        event = trace.event(row)
        if column == STEP:
            return f"{row + 1:,}"
        if column == NODE:
            return f"{event.node:,}"
        if column == PIECE:
            return edge_text(trace.lattice, event.edge)
        if not isinstance(event, Arrival):
            return self.tr("on the path") if column == VERDICT else ""
        if column == WEIGHT:
            return signed(event.newcomer, 3)
        if column == HELD:
            return "" if event.first else signed(event.held, 3)
        if column == VERDICT:
            if trace.kind == "ffbs":
                return self.tr("added")
            return self.tr("taken") if event.taken else self.tr("kept out")
        if trace.kind == "viterbi":
            return ""
        if column == CHANCE:
            return chance_text(event.chance)
        return "" if trace.kind == "ffbs" else f"{event.u:.3f}"


class OutcomeTableModel(_PiecesTable):
    """Rows of the law against the sample: exact probability, count, share and its interval."""

    texts = frozenset((0,))

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        titles = (
            self.tr("Segmentation"),
            self.tr("Exact"),
            self.tr("Drawn"),
            self.tr("Share"),
            self.tr("95% from"),
            self.tr("to"),
        )
        super().__init__(theme, titles, parent)
        self._outcomes: Outcomes | None = None

    def set_outcomes(self, outcomes: Outcomes | None) -> None:
        """Show other rows. The last method's counts are those of the table."""
        self.beginResetModel()
        self._outcomes = outcomes
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._outcomes is None else len(self._outcomes.labels)

    def shown(self, row: int, column: int) -> str:
        outcomes = self._outcomes
        assert outcomes is not None
        if column == 0:
            return outcomes.labels[row]
        if column == 1:
            return share_text(float(outcomes.exact[row]), 4)
        if not outcomes.marks or not outcomes.marks[-1].n:
            return ""
        marks = outcomes.marks[-1]
        count = int(marks.counts[row])
        if column == 2:
            return f"{count:,}"
        if column == 3:
            return f"{count / marks.n:.3f}"
        return f"{share_interval(count, marks.n)[column - 4]:.3f}"


class DrawsTableModel(_PiecesTable):
    """Count, share, exact probability and pieces; cells are made when asked for.

    Distinct draws stand as they were drawn, with the probability to be in such a set.
    """

    piece_column = SEGMENTATION
    texts = frozenset((SEGMENTATION,))

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        titles = (
            self.tr("Count"),
            self.tr("Share"),
            self.tr("Probability"),
            self.tr("In the set"),
            self.tr("Segmentation"),
        )
        super().__init__(theme, titles, parent)
        self._draws: Draws | None = None
        self._order: list[int] = []

    def set_draws(self, draws: Draws | None) -> None:
        """Show other draws."""
        self.beginResetModel()
        self._draws = draws
        counts = np.zeros(0) if draws is None else draws.counts
        self._order = np.argsort(-counts, kind="stable").tolist()
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def shown(self, row: int, column: int) -> str:
        draws = self._draws
        assert draws is not None
        at = self._order[row]
        path, count = draws.paths[at], int(draws.counts[at])
        if column == N_DRAWN:
            return f"{count:,}"
        if column == SHARE:
            return f"{count / len(draws):.4f}"
        if column == PROBABILITY:
            return chance_text(path.probability, 4)
        if column == INCLUSION:
            inside, places = draws.inclusion, draws.places
            if inside is None or places is None:
                return "–"
            return chance_text(inside[places[at]], 4)
        more = "|…" if len(path) > PIECES else ""
        return path_text(draws.lattice, path.edges[:PIECES].tolist()) + more
