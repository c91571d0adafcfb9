"""The table of a training run that goes in rounds: a row for each."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.recording import RoundRow

Index = QModelIndex | QPersistentModelIndex

ROUND, NAME, PIECES, OBJECTIVE, TOKENS, RATIO = range(6)


def round_names() -> dict[str, str]:
    """Return what BytePiece's rounds do, in a word or two."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Training", text)

    return {
        "cut": tr("language model"),
        "rare": tr("rare ones go"),
        "prune": tr("pruning"),
        "cap": tr("down to the size"),
        "encode": tr("the whole corpus"),
    }


class RoundModel(QAbstractTableModel):
    """Rounds in order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[RoundRow, ...] = ()
        self._titles = (
            (self.tr("Round"), self.tr("Rounds done, this one among them")),
            (self.tr("Does"), self.tr("What the round does")),
            (self.tr("Pieces"), self.tr("Pieces of the vocabulary that it left")),
            (
                self.tr("Nats a word"),
                self.tr("Minus the log-likelihood of the corpus, over its words; less is better"),
            ),
            (self.tr("Tokens"), self.tr("Tokens of the corpus, cut with these pieces")),
            (self.tr("Bytes a token"), self.tr("Bytes of the corpus over its tokens")),
        )

    def set_rows(self, rows: tuple[RoundRow, ...]) -> None:
        """Show other rounds."""
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._titles[section][0]
            if role == Qt.ItemDataRole.ToolTipRole:
                return self._titles[section][1]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        row = self._rows[index.row()]
        return {
            ROUND: f"{row.number:,}",
            NAME: round_names().get(row.name, row.name),
            PIECES: f"{row.pieces:,}",
            OBJECTIVE: "" if row.objective is None else f"{row.objective:.4f}",
            TOKENS: f"{row.tokens:,}",
            RATIO: f"{row.ratio:.3f}",
        }[index.column()]


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignLeft if column == NAME else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)
