"""The piece card: what a piece is, what makes it, and which pieces are built like it."""

from __future__ import annotations

import html

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.models.vocabulary import piece_text
from app.session import OpenModel, Session
from app.theme import SIZE_DATA, SIZE_INSPECTOR, SIZE_NOTE, Theme
from engine.display import hexadecimal
from engine.model import Model
from engine.piece_table import PieceTable

NEIGHBOURS = 12


class PieceCard(QScrollArea):
    """Facts of the selected piece of the active model."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._table: PieceTable | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setMinimumWidth(280)
        self.setAccessibleName(self.tr("Piece card"))
        session.selection_changed.connect(self.refresh)
        session.encoding_changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def set_table(self, table: PieceTable | None) -> None:
        """Take the table of the active model's vocabulary."""
        self._table = table
        self.refresh()

    def refresh(self) -> None:
        """Show the selected piece again."""
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(6)
        opened, piece = self._session.active, self._session.selection.piece
        table = self._table
        if opened is None or table is None or piece is None or table.row_of(piece) < 0:
            hint = QLabel(self.tr("Choose a piece in the table to see what it is made of."))
            hint.setWordWrap(True)
            layout.addWidget(hint)
        else:
            self._fill(layout, opened, table, piece)
        layout.addStretch(1)
        self.setWidget(body)

    def _fill(self, layout: QVBoxLayout, opened: OpenModel, table: PieceTable, piece: int) -> None:
        vocabulary = opened.model.vocabulary
        title = QLabel(piece_text(vocabulary, piece) or self.tr("(empty)"))
        title.setFont(self._theme.piece_font(SIZE_INSPECTOR))
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setWordWrap(True)
        title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(title)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        row = table.row_of(piece)
        facts = [
            (self.tr("Id"), str(piece)),
            (self.tr("Bytes"), hexadecimal(vocabulary.bytes(piece))),
            (self.tr("Script"), table.scripts[table.script[row]]),
        ]
        score = float(table.score[row])
        if not np.isnan(score):
            facts.append((self.tr("Score"), self.tr("{score} nats").format(score=f"{score:.4f}")))
        if table.has_rank(row):
            facts.append((self.tr("Merge rank"), f"{table.rank[row]:,}"))
        encoding = self._session.encoding(opened.key)
        if encoding is not None:
            used = int(np.count_nonzero(encoding.ids == piece))
            facts.append((self.tr("In this text"), self.tr("{n} times").format(n=f"{used:,}")))
        for name, value in facts:
            label = QLabel(value)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            form.addRow(name, label)
        layout.addLayout(form)
        self._rules(layout, opened.model, piece)
        self._neighbours(layout, opened.model, table, piece)

    def _rules(self, layout: QVBoxLayout, model: Model, piece: int) -> None:
        """List the merges that make the piece, lowest rank first."""
        if model.algorithm != "bpe":
            return
        segmenter = model.segmenter
        made = np.flatnonzero(segmenter.result == piece)  # type: ignore[attr-defined]
        if not len(made):
            return
        made = made[np.argsort(segmenter.rank[made], kind="stable")][:4]  # type: ignore[attr-defined]
        self._heading(layout, self.tr("Made by"))
        for i in made.tolist():
            left = int(segmenter.left[i])  # type: ignore[attr-defined]
            right = int(segmenter.right[i])  # type: ignore[attr-defined]
            rank = int(segmenter.rank[i])  # type: ignore[attr-defined]
            rule = self.tr("{left} + {right} · rank {rank}").format(
                left=self._link(model, left), right=self._link(model, right), rank=f"{rank:,}"
            )
            self._linked(layout, rule)

    def _neighbours(self, layout: QVBoxLayout, model: Model, table: PieceTable, piece: int) -> None:
        """List pieces that contain this one, shortest first."""
        text = table.texts[table.row_of(piece)]
        if not text or "\ufffd" in text or '"' in text:
            return
        rows = table.filter(f'"{text}"')
        rows = rows[table.ids[rows] != piece]
        if not len(rows):
            return
        order = np.lexsort((table.ids[rows], table.n_bytes[rows]))
        self._heading(layout, self.tr("Found inside {n} other pieces").format(n=f"{len(rows):,}"))
        links = [self._link(model, int(i)) for i in table.ids[rows[order[:NEIGHBOURS]]]]
        more = " …" if len(rows) > NEIGHBOURS else ""
        self._linked(layout, "&nbsp; ".join(links) + more)

    def _heading(self, layout: QVBoxLayout, text: str) -> None:
        label = QLabel(text)
        label.setFont(self._theme.font(SIZE_NOTE, bold=True))
        label.setContentsMargins(0, 10, 0, 0)
        layout.addWidget(label)

    def _link(self, model: Model, piece: int) -> str:
        shown = html.escape(piece_text(model.vocabulary, piece))
        color = self._theme.color("ink").name()
        return f'<a href="{piece}" style="color:{color}">{shown}</a>'

    def _linked(self, layout: QVBoxLayout, content: str) -> None:
        label = QLabel(content)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setFont(self._theme.piece_font(SIZE_DATA))
        label.setWordWrap(True)
        label.linkActivated.connect(self._follow)
        layout.addWidget(label)

    def _follow(self, target: str) -> None:
        self._session.select(piece=int(target), edge=None, path=None)
