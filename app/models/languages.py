"""The table of languages: figures of the active model, with the other models beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.corpus import Language

Index = QModelIndex | QPersistentModelIndex
Floats = NDArray[np.float64]

COLUMNS = ("language", "chars_per_token", "bytes_per_token", "tokens", "bar")
BAR = COLUMNS.index("bar")


@dataclass(frozen=True, eq=False)
class LanguageFigures:
    """What the table shows, one value a language in the corpus's order.

    languages: the corpus's. columns: figures of the active model by name, float64[languages].
    metric: the figure that the bars show. bars: its values by open model, the active first, as
    (letter, color index, float64[languages]). unknown: share of the active model's tokens that
    are its unknown token; figures of such languages aren't compression.
    """

    languages: tuple[Language, ...]
    columns: dict[str, Floats]
    metric: str
    bars: tuple[tuple[str, int, Floats], ...]
    unknown: Floats

    def order(self, column: str, descending: bool) -> NDArray[np.int64]:
        """Return the languages in the order of a column; unknown values come last."""
        if column == "language":
            names = [language.name.casefold() for language in self.languages]
            rows = sorted(range(len(names)), key=names.__getitem__, reverse=descending)
            return np.array(rows, dtype=np.int64)
        values = self.bars[0][2] if column == "bar" and self.bars else self.columns.get(column)
        if values is None:
            return np.arange(len(self.languages), dtype=np.int64)
        return np.argsort(-values if descending else values, kind="stable")

    def matching(self, query: str) -> NDArray[np.bool_]:
        """Return which languages have every word of `query` in their name, code or script."""
        words = query.casefold().split()
        texts = [f"{x.name} {x.code} {x.script}".casefold() for x in self.languages]
        return np.array([all(word in text for word in words) for text in texts], dtype=bool)


class LanguagesTableModel(QAbstractTableModel):
    """`rows` says which languages, in which order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.figures = LanguageFigures((), {}, "chars_per_token", (), np.empty(0))
        self.rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._titles = {
            "language": self.tr("Language"),
            "chars_per_token": self.tr("chars/token"),
            "bytes_per_token": self.tr("bytes/token"),
            "tokens": self.tr("tokens"),
        }

    def show(self, figures: LanguageFigures, rows: NDArray[np.int64]) -> None:
        """Show other figures or other rows."""
        self.beginResetModel()
        self.figures, self.rows = figures, rows
        self.endResetModel()

    def language(self, row: int) -> Language:
        """Return the language in a row of the view."""
        return self.figures.languages[self.rows[row]]

    def row_of(self, code: str) -> int:
        """Return the row of the view that shows a language, -1 where none does."""
        for row, place in enumerate(self.rows.tolist()):
            if self.figures.languages[place].code == code:
                return row
        return -1

    def values(self, row: int) -> list[tuple[str, int, float]]:
        """Return (letter, color index, value) of each model in a row, the active model first."""
        place = self.rows[row]
        return [(letter, color, float(v[place])) for letter, color, v in self.figures.bars]

    def unknown(self, row: int) -> float:
        """Return the share of unknown tokens in a row, 0 where none is known."""
        share = float(self.figures.unknown[self.rows[row]])
        return 0.0 if np.isnan(share) else share

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles.get(COLUMNS[section], "")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        column, place = COLUMNS[index.column()], int(self.rows[index.row()])
        if role == Qt.ItemDataRole.DisplayRole and column != "bar":
            if column == "language":
                return self.figures.languages[place].name
            value = float(self.figures.columns[column][place])
            if np.isnan(value):
                return "–"
            return f"{value:,.0f}" if column == "tokens" else f"{value:.2f}"
        if role == Qt.ItemDataRole.ToolTipRole and column == "language":
            language = self.figures.languages[place]
            return " · ".join(x for x in (language.name, language.code, language.script) if x)
        if role == Qt.ItemDataRole.ToolTipRole and column == "bar":
            return self._tip(index.row())
        if role == Qt.ItemDataRole.AccessibleTextRole and column == "bar":
            shown = [f"{letter} {value:.2f}" for letter, _, value in self.values(index.row())]
            return ", ".join(shown)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        return None

    def _tip(self, row: int) -> str:
        shown = [f"{letter} {value:.2f}" for letter, _, value in self.values(row)]
        share = self.unknown(row)
        if share:
            shown.append(
                self.tr("{share} of the tokens are unknown: this is no compression").format(
                    share=f"{share:.1%}"
                )
            )
        return "\n".join(shown)

    @staticmethod
    def _alignment(section: int) -> int:
        left = COLUMNS[section] in ("language", "bar")
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
        return int(side | Qt.AlignmentFlag.AlignVCenter)
