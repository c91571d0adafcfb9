"""Two ways to cut the same stretch, one under the other, with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import SIZE_DATA, Theme

ROW, GAP = 30, 8


@dataclass(frozen=True)
class BrickLine:
    """Pieces with the bytes that each covers, their score, and the role that colours them."""

    pieces: tuple[str, ...]
    sizes: tuple[int, ...]
    score: str
    role: str


class BrickPair(QWidget):
    """Rows of bricks as wide as what they cover."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[BrickLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def lines(self) -> tuple[BrickLine, ...]:
        return self._lines

    def set_lines(self, lines: Sequence[BrickLine]) -> None:
        """Show other rows."""
        self._lines = tuple(lines)
        self.setVisible(bool(lines))
        self.setAccessibleName(
            "; ".join(f"{' | '.join(line.pieces)} {line.score}" for line in lines)
        )
        self.setFixedHeight(max(len(lines) * (ROW + GAP) - GAP, 0))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, max(len(self._lines) * (ROW + GAP) - GAP, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, line in enumerate(self._lines):
            self._paint_line(painter, line, place * (ROW + GAP))

    def _paint_line(self, painter: QPainter, line: BrickLine, top: int) -> None:
        theme = self._theme
        color, fill = theme.color(line.role), theme.color(f"fill_{line.role}")
        bold = theme.font(SIZE_DATA, bold=True)
        box = QRectF(0.75, top + 0.75, self.width() - 1.5, ROW - 1.5)
        painter.setPen(QPen(color, 1.2))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 2, 2)
        painter.setFont(bold)
        painter.setPen(theme.color("ink"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(
            box.adjusted(0, 0, -8, 0), middle | Qt.AlignmentFlag.AlignRight, line.score
        )
        room = box.width() - QFontMetricsF(bold).horizontalAdvance(line.score) - 18
        font = theme.piece_font(SIZE_DATA)
        metrics = QFontMetricsF(font)
        total = max(sum(line.sizes), 1)
        x = box.left()
        painter.setFont(font)
        for place, (piece, size) in enumerate(zip(line.pieces, line.sizes, strict=True)):
            wide = room * size / total
            if place:
                painter.setPen(QPen(color, 1.2))
                painter.drawLine(int(x), int(box.top()), int(x), int(box.bottom()))
            painter.setPen(theme.color("ink"))
            text = metrics.elidedText(piece, Qt.TextElideMode.ElideRight, wide - 8)
            if len(text) > 1 or text == piece:
                cell = QRectF(x + 7, top, wide - 8, ROW)
                painter.drawText(cell, middle | Qt.AlignmentFlag.AlignLeft, text)
            x += wide
