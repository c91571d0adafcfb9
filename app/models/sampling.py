"""The tables of the Sampling workspace: events of a pass, outcomes of the draws, many draws."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, Qt

from app.draw.lane import edge_text, path_text
from app.draw.law_chart import Outcomes
from app.draw.method_mark import SIGNS
from app.draw.numbers import chance_text, share_text, signed
from app.models.table import Index, Table
from app.theme import SIZE_DATA, Theme
from engine.goodness import share_interval
from engine.sample import Draws
from engine.trace import Arrival
from engine.traces.passes import PassTrace

STEP, NODE, PIECE, WEIGHT, HELD, CHANCE, U, VERDICT = range(8)
N_DRAWN, SHARE, PROBABILITY, INCLUSION, SEGMENTATION = range(5)

translate = QCoreApplication.translate

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


class EventRows(Protocol):
    """The steps of a trace as rows: titles of the columns, and cells made when asked for.

    texts: columns that are text. piece_column: the one in the font of pieces.
    """

    titles: tuple[str, ...]
    texts: frozenset[int]
    piece_column: int

    def __len__(self) -> int: ...

    def cell(self, row: int, column: int) -> str:
        """Return the text of a cell."""


class PassRows:
    """The steps of a pass over a lattice."""

    texts = frozenset((PIECE, VERDICT))
    piece_column = PIECE

    def __init__(self, trace: PassTrace) -> None:
        self._trace = trace
        self.titles: tuple[str, ...] = (
            translate("EventTableModel", "Step"),
            translate("EventTableModel", "Node"),
            translate("EventTableModel", "Piece"),
            translate("EventTableModel", "Weight"),
            translate("EventTableModel", "So far"),
            translate("EventTableModel", "Chance"),
            translate("EventTableModel", "u"),
            translate("EventTableModel", "Verdict"),
        )

    def __len__(self) -> int:
        return len(self._trace)

    def cell(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        trace = self._trace
        event = trace.event(row)
        if column == STEP:
            return f"{row + 1:,}"
        if column == NODE:
            return f"{event.node:,}"
        if column == PIECE:
            return edge_text(trace.lattice, event.edge)
        if not isinstance(event, Arrival):
            return translate("EventTableModel", "on the path") if column == VERDICT else ""
        if column == WEIGHT:
            return signed(event.newcomer, 3)
        if column == HELD:
            return "" if event.first else signed(event.held, 3)
        if column == VERDICT:
            if trace.kind == "ffbs":
                return translate("EventTableModel", "added")
            if event.taken:
                return translate("EventTableModel", "taken")
            return translate("EventTableModel", "kept out")
        if trace.kind == "viterbi":
            return ""
        if column == CHANCE:
            return chance_text(event.chance)
        return "" if trace.kind == "ffbs" else f"{event.u:.3f}"


class EventTableModel(_PiecesTable):
    """Steps of a trace from 1, as the player counts them."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(theme, (), parent)
        self._rows: EventRows | None = None

    def set_rows(self, rows: EventRows | None) -> None:
        """Show the steps of another trace; None for no steps."""
        self.beginResetModel()
        self._rows = rows
        if rows is not None:
            self._titles, self.texts = rows.titles, rows.texts
            self.piece_column = rows.piece_column
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self._rows is None else len(self._rows)

    def shown(self, row: int, column: int) -> str:
        assert self._rows is not None
        return self._rows.cell(row, column)


class OutcomeTableModel(_PiecesTable):
    """Rows of the law against the samples, the table twin of the chart.

    The exact probability, then of each method count, share and its interval, after its own exact
    law where it has another one.
    """

    texts = frozenset((0,))

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        self._first = (self.tr("Segmentation"), self.tr("Exact"))
        super().__init__(theme, self._first, parent)
        self._outcomes: Outcomes | None = None
        self._columns: tuple[tuple[int, str], ...] = ()

    def set_outcomes(self, outcomes: Outcomes | None) -> None:
        """Show other numbers; where the rows and the methods are the same, in the same rows."""
        columns, titles = [], list(self._first)
        words = {
            "own": self.tr("{method}: exact"),
            "drawn": self.tr("{method}: drawn"),
            "share": self.tr("{method}: share"),
            "low": self.tr("{method}: 95% from"),
            "high": self.tr("{method}: 95% to"),
        }
        for m, mark in enumerate(() if outcomes is None else outcomes.marks):
            for key in words if mark.exact is not None else list(words)[1:]:
                columns.append((m, key))
                titles.append(words[key].format(method=f"{SIGNS[mark.shape]} {mark.name}"))
        before, now = self._outcomes, outcomes
        same = before is not None and now is not None and before.labels == now.labels
        if same and tuple(titles) == self._titles:
            self._outcomes = outcomes
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self._outcomes, self._columns, self._titles = outcomes, tuple(columns), tuple(titles)
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
        m, key = self._columns[column - 2]
        mark = outcomes.marks[m]
        if key == "own":
            assert mark.exact is not None
            return share_text(float(mark.exact[row]), 4)
        if not mark.n:
            return ""
        count = int(mark.counts[row])
        if key == "drawn":
            return f"{count:,}"
        if key == "share":
            return f"{count / mark.n:.3f}"
        return f"{share_interval(count, mark.n)[key == 'high']:.3f}"


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
