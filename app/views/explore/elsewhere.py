"""How other open models cut the selected stretch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.counts import counted
from app.draw.marks import draw_letter
from app.session import OpenModel, Session
from app.theme import SIZE_DATA, SIZE_NOTE, Theme
from engine.display import visible

MOST = 12
"""Tokens of a model that are told; more are counted."""


@dataclass(frozen=True)
class Stretch:
    """A model's tokens over the stretch, in order. inside: none reaches over its ends."""

    model: OpenModel
    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    inside: bool


def stretches(session: Session, span: tuple[int, int], besides: int | None) -> list[Stretch]:
    """Return how each open model but one cuts a stretch of bytes."""
    found = []
    for opened in session.models:
        encoding = session.encoding(opened.key)
        if opened.key == besides or encoding is None:
            continue
        tokens = np.flatnonzero((encoding.start < span[1]) & (encoding.end > span[0]))
        if not len(tokens):
            continue
        ids = encoding.ids[tokens].tolist()
        inside = encoding.start[tokens[0]] >= span[0] and encoding.end[tokens[-1]] <= span[1]
        pieces = tuple(visible(encoding.vocabulary.bytes(i)) for i in ids)
        found.append(Stretch(opened, pieces, tuple(ids), bool(inside)))
    return found


class StretchRow(QPushButton):
    """One model's tokens; a click makes that model the active one."""

    def __init__(self, stretch: Stretch, theme: Theme) -> None:
        super().__init__()
        self._stretch, self._theme = stretch, theme
        self.setProperty("flat", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        words = self.tr("{name}: {pieces}, ids {ids}")
        if not stretch.inside:
            words = self.tr("{name}: {pieces}, ids {ids} · reaches over the ends of the stretch")
        words = words.format(name=stretch.model.name, pieces=self._pieces(), ids=self._ids())
        self.setAccessibleName(words)
        self.setToolTip(words)

    def sizeHint(self) -> QSize:
        return QSize(200, 26)

    def _pieces(self) -> str:
        shown = " ".join(self._stretch.pieces[:MOST])
        return shown + (" …" if len(self._stretch.pieces) > MOST else "")

    def _ids(self) -> str:
        ids = self._stretch.ids
        if len(ids) > 4:
            return counted(len(ids), "token")
        return " ".join(str(i) for i in ids)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        model = self._stretch.model
        mark = QRectF(0, box.center().y() - 8, 16, 16)
        draw_letter(painter, theme, mark, model.letter, model.color_index)
        middle = Qt.AlignmentFlag.AlignVCenter
        small = theme.font(SIZE_NOTE)
        ids = self._ids()
        wide = QFontMetricsF(small).horizontalAdvance(ids)
        painter.setFont(small)
        painter.setPen(theme.color("ink3"))
        painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, ids)
        font = theme.piece_font(SIZE_DATA)
        pieces = self._pieces() if self._stretch.inside else f"‹{self._pieces()}›"
        text = QFontMetricsF(font).elidedText(
            pieces, Qt.TextElideMode.ElideRight, box.width() - wide - 36
        )
        painter.setFont(font)
        painter.setPen(theme.color("ink"))
        painter.drawText(box.adjusted(24, 0, 0, 0), middle | Qt.AlignmentFlag.AlignLeft, text)


class Elsewhere(QWidget):
    """Rows of the other models. `chosen` gives the key of a clicked one."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self.rows: list[StretchRow] = []

    def set_stretches(self, stretches: list[Stretch]) -> None:
        """Show other rows."""
        for row in self.rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self.rows = []
        for stretch in stretches:
            row = StretchRow(stretch, self._theme)
            key = stretch.model.key
            row.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._column.addWidget(row)
            self.rows.append(row)
