"""The table of languages: figures of the active model, with the other models beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt

from app.models.table import Index, Table, sort_mark
from engine.corpus import Language

Floats = NDArray[np.float64]

COLUMNS = ("language", "chars_per_token", "bytes_per_token", "tokens", "bar")
BAR = COLUMNS.index("bar")

MUCH_UNKNOWN = 0.01
"""Share of unknown tokens from which a figure isn't compression: text is lost, not shortened."""


@dataclass(frozen=True, eq=False)
class ModelBars:
    """The figure shown, of one model. values, unknown: float64[languages], NaN before the count.

    unknown: share of the tokens that are the model's unknown token.
    """

    letter: str
    color: int
    name: str
    values: Floats
    unknown: Floats

    @property
    def lossy(self) -> NDArray[np.bool_]:
        """Where so much is unknown that the figure isn't compression, bool[languages]."""
        return self.unknown >= MUCH_UNKNOWN


@dataclass(frozen=True)
class Mark:
    """One model's value in a row."""

    letter: str
    color: int
    value: float
    lossy: bool


@dataclass(frozen=True, eq=False)
class LanguageFigures:
    """What the table shows, one value a language in the corpus's order.

    languages: the corpus's. columns: figures of the active model by name, float64[languages].
    metric: the figure that the bars show. bars: of the open models, the active one first.
    """

    languages: tuple[Language, ...]
    columns: dict[str, Floats]
    metric: str
    bars: tuple[ModelBars, ...]

    def order(self, column: str, descending: bool) -> NDArray[np.int64]:
        """Return the languages in the order of a column.

        Behind the measured ones come those with many unknown tokens, then those without a value.
        """
        if column == "language":
            names = [language.name.casefold() for language in self.languages]
            rows = sorted(range(len(names)), key=names.__getitem__, reverse=descending)
            return np.array(rows, dtype=np.int64)
        values = self.columns.get(column)
        if column == "bar" and self.bars:
            values = self.bars[0].values
        if values is None or not self.bars:
            return np.arange(len(self.languages), dtype=np.int64)
        behind = self.bars[0].lossy.astype(np.int64)
        behind[np.isnan(values)] = 2
        return np.lexsort((-values if descending else values, behind))

    def matching(self, query: str) -> NDArray[np.bool_]:
        """Return which languages have every word of `query` in their name, code or script."""
        words = query.casefold().split()
        texts = [f"{x.name} {x.code} {x.script}".casefold() for x in self.languages]
        return np.array([all(word in text for word in words) for text in texts], dtype=bool)

    def measured(self) -> Floats:
        """Return the values of all models that are compression, for the scale."""
        parts = [bars.values[~bars.lossy] for bars in self.bars]
        return np.concatenate(parts) if parts else np.empty(0)


class LanguagesTableModel(Table):
    """`rows` says which languages, in which order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.figures = LanguageFigures((), {}, "chars_per_token", ())
        self.rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._place: dict[str, int] = {}
        self._column, self._descending = "bar", True
        self._titles = (
            self.tr("Language"),
            self.tr("chars/token"),
            self.tr("bytes/token"),
            self.tr("tokens"),
            "",
        )

    def show(
        self, figures: LanguageFigures, rows: NDArray[np.int64], column: str, descending: bool
    ) -> None:
        """Show other figures or other rows, which are in the order of a column."""
        self.beginResetModel()
        self.figures, self.rows = figures, rows
        self._column, self._descending = column, descending
        languages = figures.languages
        self._place = {languages[place].code: row for row, place in enumerate(rows.tolist())}
        self.endResetModel()

    def language(self, row: int) -> Language:
        """Return the language in a row of the view."""
        return self.figures.languages[self.rows[row]]

    def row_of(self, code: str) -> int:
        """Return the row of the view that shows a language, -1 where none does."""
        return self._place.get(code, -1)

    def marks(self, row: int) -> list[Mark]:
        """Return each model's value in a row, the active model first."""
        place = self.rows[row]
        return [
            Mark(bars.letter, bars.color, float(bars.values[place]), bool(bars.lossy[place]))
            for bars in self.figures.bars
        ]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def mark(self, column: int) -> str:
        sorted_by = COLUMNS[column] == self._column
        return sort_mark(descending=self._descending) if sorted_by else ""

    def is_text(self, column: int) -> bool:
        return COLUMNS[column] in ("language", "bar")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        told = role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
        if not told or not index.isValid():
            return super().data(index, role)
        column, place = COLUMNS[index.column()], int(self.rows[index.row()])
        if column == "bar":
            between = "\n" if role == Qt.ItemDataRole.ToolTipRole else ", "
            return between.join(self._words(place))
        if role == Qt.ItemDataRole.ToolTipRole and column == "language":
            language = self.figures.languages[place]
            return " · ".join(x for x in (language.name, language.code, language.script) if x)
        return None

    def shown(self, row: int, column: int) -> str:
        name, place = COLUMNS[column], int(self.rows[row])
        if name == "bar":
            return ""
        if name == "language":
            return self.figures.languages[place].name
        value = float(self.figures.columns[name][place])
        if np.isnan(value):
            return "–"
        return f"{value:,.0f}" if name == "tokens" else f"{value:.2f}"

    def _words(self, place: int) -> list[str]:
        """Say each model's value, and where it isn't compression."""
        shown = []
        for bars in self.figures.bars:
            value = float(bars.values[place])
            if np.isnan(value):
                shown.append(self.tr("{letter} {name}: no value").format(**_of(bars)))
                continue
            words = self.tr("{letter} {name}: {value}").format(**_of(bars), value=f"{value:.2f}")
            if bars.lossy[place]:
                lost = self.tr("{share} of its tokens are unknown: this is no compression")
                words += " · " + lost.format(share=f"{float(bars.unknown[place]):.1%}")
            shown.append(words)
        return shown


def _of(bars: ModelBars) -> dict[str, str]:
    return {"letter": bars.letter, "name": bars.name}
