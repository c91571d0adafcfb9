"""The table of a training run that goes in rounds: a row for each."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject

from app.models.table import Index, Table
from app.recording import RoundRow

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


class RoundModel(Table):
    """Rounds in order."""

    texts = frozenset((NAME,))

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[RoundRow, ...] = ()
        titles_and_tips = (
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
        self._titles, self._tips = zip(*titles_and_tips, strict=True)

    def set_rows(self, rows: tuple[RoundRow, ...]) -> None:
        """Show other rounds."""
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def titles(self) -> tuple[str, ...]:
        return self._titles

    def tip(self, column: int) -> str:
        return self._tips[column]

    def shown(self, row: int, column: int) -> str:
        done = self._rows[row]
        return {
            ROUND: f"{done.number:,}",
            NAME: round_names().get(done.name, done.name),
            PIECES: f"{done.pieces:,}",
            OBJECTIVE: "" if done.objective is None else f"{done.objective:.4f}",
            TOKENS: f"{done.tokens:,}",
            RATIO: f"{done.ratio:.3f}",
        }[column]
