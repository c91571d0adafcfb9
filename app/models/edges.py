"""The table of a lattice's edges: what the picture of arcs shows, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt

from app.models.table import Index, Table, sort_mark
from app.theme import SIZE_DATA, Theme
from engine.constrain import source_spans
from engine.display import plain, visible
from engine.lattice import Lattice, Path
from engine.law import Law
from engine.text import Unit

if TYPE_CHECKING:
    from app.analysis import Analysis

Column = Literal[
    "start", "end", "piece", "id", "score", "rank", "probability", "without", "canonical", "path"
]


class EdgeTableModel(Table):
    """All edges, sortable by any column; columns depend on whether there is a law."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lattice: Lattice | None = None
        self._columns: tuple[Column, ...] = ("start", "end", "piece", "id")
        self._values: dict[str, NDArray[Any]] = {}
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._row_of: NDArray[np.int64] = self._order
        self._alphabetic: NDArray[np.int64] | None = None
        self._sort: tuple[Column, bool] = ("start", False)
        self._titles: dict[str, str] = {
            "start": self.tr("Start"),
            "end": self.tr("End"),
            "piece": self.tr("Piece"),
            "id": self.tr("Id"),
            "score": self.tr("Score (nats)"),
            "rank": self.tr("Merge rank"),
            "probability": self.tr("Probability"),
            "without": self.tr("Without constraints"),
            "canonical": self.tr("Canonical"),
            "path": self.tr("On path"),
        }
        self._shown_titles = tuple(self._titles[column] for column in self._columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._columns

    def set_lattice(
        self, lattice: Lattice | None, law: Law | None, best: Path | None,
        nbest: tuple[Path, ...], unit: Unit, free: Analysis | None = None,
    ) -> None:  # fmt: skip
        """Show the edges of a lattice; positions count `unit` in the text as given.

        free: the analysis without constraints, where the lattice is under some.
        """
        self.beginResetModel()
        if lattice is not self._lattice:
            self._alphabetic = None
        self._lattice = lattice
        self._values = {}
        if lattice is not None and best is not None:
            path = np.zeros(lattice.n_edges, dtype=np.int64)
            for place in range(len(nbest) - 1, 0, -1):
                path[nbest[place].edges] = place + 1
            path[best.edges] = 1
            bounds = lattice.prepared.text.bounds(unit)
            spans = source_spans(lattice)
            self._values = {
                "start": np.searchsorted(bounds, spans[:, 0], side="right") - 1,
                "end": np.searchsorted(bounds, spans[:, 1], side="left"),
                "id": lattice.piece,
                "score": lattice.score,
                "rank": lattice.rank,
                "probability": law.marginal if law is not None else lattice.score,
                "path": path,
            }
            whole = lattice if free is None else free.lattice
            if free is not None and free.law is not None:
                self._values["without"] = free.law.marginal
            if whole.has_law:
                self._values["score"] = whole.score
            if whole.canonical_edges is not None:
                canonical = whole.canonical_edges.astype(np.int64)
                canonical[whole.taken] = 2
                self._values["canonical"] = canonical
        last: tuple[Column, ...] = ("rank", "canonical", "path")
        if law is not None:
            last = ("score", "probability", "path")
            if "without" in self._values:
                last = ("score", "probability", "without", "path")
        elif lattice is not None and "canonical" not in self._values:
            last = ("rank", "path") if (lattice.rank >= 0).any() else ("path",)
        if lattice is None:
            last = ()
        self._columns = ("start", "end", "piece", "id", *last)
        self._shown_titles = tuple(self._titles[column] for column in self._columns)
        if self._sort[0] not in self._columns:
            self._sort = ("start", False)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        """Order the rows; of equal ones the lattice's own order decides."""
        column, descending = self._sort
        if self._lattice is None or not self._values:
            self._order = np.zeros(0, dtype=np.int64)
        else:
            values = self._places() if column == "piece" else self._values[column]
            key = np.nan_to_num(values.astype(np.float64), nan=-np.inf)
            if column == "path":
                key = np.where(key == 0, np.inf, key)
            self._order = np.argsort(-key if descending else key, kind="stable")
        self._row_of = np.empty(len(self._order), dtype=np.int64)
        self._row_of[self._order] = np.arange(len(self._order))

    def _places(self) -> NDArray[np.int64]:
        """Return each edge's place by the bytes it covers, int64[e]; equal ones share one.

        Kept until the lattice is another: another θ leaves it the same.
        """
        lattice = self._lattice
        if lattice is None:
            return np.zeros(0, dtype=np.int64)
        if self._alphabetic is None:
            names = [lattice.bytes(edge) for edge in range(lattice.n_edges)]
            place = {name: i for i, name in enumerate(sorted(set(names)))}
            self._alphabetic = np.array([place[name] for name in names], dtype=np.int64)
        return self._alphabetic

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        if not 0 <= column < len(self._columns):
            return
        self.beginResetModel()
        self._sort = (self._columns[column], order == Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.endResetModel()

    def edge(self, row: int) -> int:
        """Return the edge of a row."""
        return int(self._order[row])

    def row_of(self, edge: int) -> int:
        """Return the row of an edge, -1 where there is none."""
        return int(self._row_of[edge]) if 0 <= edge < len(self._row_of) else -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def titles(self) -> tuple[str, ...]:
        return self._shown_titles

    def mark(self, column: int) -> str:
        by, descending = self._sort
        return sort_mark(descending=descending) if self._columns[column] == by else ""

    def tip(self, column: int) -> str:
        if self._columns[column] != "canonical":
            return ""
        return self.tr(
            "Whether merging gives this edge: “yes” here, “possible” beside some neighbour, "
            "“no” beside none, without dropout"
        )

    def is_text(self, column: int) -> bool:
        return self._columns[column] in ("piece", "path", "canonical")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._lattice is None:
            return None
        column, edge = self._columns[index.column()], self.edge(index.row())
        if role == Qt.ItemDataRole.EditRole and column == "piece":
            return plain(_data(self._lattice, edge))
        if role == Qt.ItemDataRole.FontRole:
            bold = int(self._values["path"][edge]) == 1
            font = self._theme.piece_font if column == "piece" else self._theme.font
            return font(SIZE_DATA, bold=bold)
        return super().data(index, role)

    def shown(self, row: int, column: int) -> str:
        lattice = self._lattice
        return "" if lattice is None else self._cell(lattice, self._columns[column], self.edge(row))

    def _cell(self, lattice: Lattice, column: Column, edge: int) -> str:
        if column == "piece":
            return visible(_data(lattice, edge))
        value = self._values[column][edge]
        if column in ("id", "rank"):
            return f"{int(value):,}" if value >= 0 else "–"
        if column == "score":
            return f"{value:.3f}".replace("-", "−")
        if column == "canonical":
            return (self.tr("no"), self.tr("possible"), self.tr("yes"))[int(value)]
        if column in ("probability", "without"):
            return f"{value:.6f}" if value >= 5e-7 or value == 0 else f"{value:.1e}"
        if column == "path":
            if value == 0:
                return ""
            return self.tr("best") if value == 1 and lattice.has_law else (
                self.tr("taken") if value == 1 else str(int(value))
            )  # fmt: skip
        return f"{int(value):,}"


def _data(lattice: Lattice, edge: int) -> bytes:
    """Return the bytes of an edge's piece, or of its stretch where it has none."""
    piece = int(lattice.piece[edge])
    return lattice.vocabulary.bytes(piece) if piece >= 0 else lattice.bytes(edge)
