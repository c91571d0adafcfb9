"""The piece card: what a piece is, what makes it, and which pieces it is found in."""

from __future__ import annotations

import html
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from app.draw.numbers import signed
from app.models.vocabulary import piece_text
from app.session import OpenModel, Session
from app.theme import SIZE_INSPECTOR, Theme
from app.widgets.elided import ElidedLabel
from app.widgets.keyvalue import Fact, KeyValue
from engine.display import hexadecimal
from engine.piece_table import PieceTable

NEIGHBOURS, RULES = 12, 4


class PieceCard(QScrollArea):
    """Facts of the selected piece of the active model."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._table: PieceTable | None = None
        self._searched: tuple[PieceTable | None, int] = (None, -1)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(280)
        self.setAccessibleName(self.tr("Piece card"))
        self.hint = QLabel(self.tr("Choose a piece in the table to see what it is made of."))
        self.hint.setProperty("role", "second")
        self.hint.setWordWrap(True)
        self.title = ElidedLabel(theme, "", SIZE_INSPECTOR, pieces=True)
        self.facts = KeyValue(theme)
        self.rules = _Links(self.tr("Made by"), self._follow)
        self.neighbours = _Links("", self._follow)
        self._detail = QWidget()
        inside = QVBoxLayout(self._detail)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(10)
        for widget in (self.title, self.facts, self.rules, self.neighbours):
            inside.addWidget(widget)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(12, 8, 12, 12)
        column.addWidget(self.hint)
        column.addWidget(self._detail)
        column.addStretch(1)
        self.setWidget(body)
        session.selection_changed.connect(self.refresh)
        session.encoding_changed.connect(self.refresh)
        theme.changed.connect(self._theme_changed)
        self.refresh()

    def set_table(self, table: PieceTable | None) -> None:
        """Take the table of the active model's vocabulary."""
        self._table = table
        self.refresh()

    def refresh(self) -> None:
        """Show the selected piece again."""
        opened, piece, table = self._session.active, self._session.selection.piece, self._table
        row = -1 if table is None or piece is None else table.row_of(piece)
        known = opened is not None and row >= 0
        self.hint.setVisible(not known)
        self._detail.setVisible(known)
        if opened is None or table is None or piece is None or row < 0:
            return
        self.title.setText(piece_text(opened.model.vocabulary, piece) or self.tr("(empty)"))
        self.facts.set_facts(self._facts(opened, table, piece, row))
        if self._searched != (table, piece):
            self._searched = (table, piece)
            self.rules.show_lines(self._rules(opened, piece))
            self._search(opened, table, piece, row)

    def _theme_changed(self) -> None:
        self._searched = (None, -1)  # links hold their colour
        self.refresh()

    def _facts(self, opened: OpenModel, table: PieceTable, piece: int, row: int) -> list[Fact]:
        facts = [
            Fact(self.tr("Id"), str(piece)),
            Fact(self.tr("Bytes"), hexadecimal(opened.model.vocabulary.bytes(piece)), piece=True),
            Fact(self.tr("Script"), table.scripts[table.script[row]]),
        ]
        score = float(table.score[row])
        if not np.isnan(score):
            shown = self.tr("{score} nats").format(score=signed(score, 4))
            facts.append(Fact(self.tr("Score"), shown))
        if table.has_rank(row):
            facts.append(Fact(self.tr("Merge rank"), f"{table.rank[row]:,}"))
        encoding = self._session.encoding(opened.key)
        if encoding is not None:
            used = int(np.count_nonzero(encoding.ids == piece))
            words = self.tr("once") if used == 1 else self.tr("{n} times").format(n=f"{used:,}")
            facts.append(Fact(self.tr("In this text"), words))
        return facts

    def _rules(self, opened: OpenModel, piece: int) -> list[str]:
        """Return the merges that make the piece, lowest rank first."""
        bpe = opened.model.bpe
        if bpe is None:
            return []
        made = np.flatnonzero(bpe.result == piece)
        made = made[np.argsort(bpe.rank[made], kind="stable")][:RULES]
        return [
            self.tr("{left} + {right} · rank {rank}").format(
                left=self._link(opened, int(bpe.left[i])),
                right=self._link(opened, int(bpe.right[i])),
                rank=f"{int(bpe.rank[i]):,}",
            )
            for i in made.tolist()
        ]

    def _search(self, opened: OpenModel, table: PieceTable, piece: int, row: int) -> None:
        """Look in the background for the pieces that contain this one."""
        self.neighbours.show_lines([])
        text = table.texts[row]
        if not text or "\ufffd" in text:
            self._session.jobs.cancel("neighbours")
            return

        def work(_: object) -> NDArray[np.int32]:
            rows = table.containing(text)
            rows = rows[table.ids[rows] != piece]
            shortest = np.lexsort((table.ids[rows], table.n_bytes[rows]))
            return table.ids[rows[shortest]]

        def done(found: NDArray[np.int32]) -> None:
            if self._searched == (table, piece):
                self._show_neighbours(opened, found)

        self._session.jobs.start("neighbours", self.tr("Searching the vocabulary"), work, done)

    def _show_neighbours(self, opened: OpenModel, found: NDArray[np.int32]) -> None:
        if not len(found):
            return
        one = self.tr("Found inside one other piece")
        many = self.tr("Found inside {n} other pieces").format(n=f"{len(found):,}")
        links = [self._link(opened, int(i)) for i in found[:NEIGHBOURS]]
        line = "&nbsp;&nbsp; ".join(links) + (" …" if len(found) > NEIGHBOURS else "")
        self.neighbours.show_lines([line], one if len(found) == 1 else many)

    def _link(self, opened: OpenModel, piece: int) -> str:
        shown = html.escape(piece_text(opened.model.vocabulary, piece))
        style = f"color:{self._theme.color('ink').name()}; font-family:'{self._family()}'"
        return f'<a href="{piece}" style="{style}">{shown}</a>'

    def _family(self) -> str:
        return self._theme.piece_font().families()[0]

    def _follow(self, target: str) -> None:
        self._session.select(piece=int(target), edge=None, path=None)


class _Links(QWidget):
    """A heading and lines of rich text with links to pieces; hidden without a line."""

    def __init__(self, heading: str, follow: Callable[[str], None]) -> None:
        super().__init__()
        self.heading = QLabel(heading)
        self.heading.setProperty("role", "section")
        self.content = QLabel()
        self.content.setTextFormat(Qt.TextFormat.RichText)
        self.content.setWordWrap(True)
        self.content.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.content.linkActivated.connect(follow)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.heading)
        column.addWidget(self.content)

    def show_lines(self, lines: list[str], heading: str = "") -> None:
        """Show other lines, and another heading where one is given."""
        if heading:
            self.heading.setText(heading)
        self.content.setText("<br>".join(lines))
        self.setVisible(bool(lines))
