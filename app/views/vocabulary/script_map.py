"""The map of a vocabulary: how many pieces of each length in each script."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from app.counts import counted
from app.theme import SIZE_NOTE, Theme
from engine.piece_table import PieceTable

LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 1 << 30)
"""Upper bounds, in bytes, of the map's columns; the last takes all longer pieces."""

ROWS = 14
"""Scripts shown, the most frequent first."""

LABEL_WIDTH, ROW_HEIGHT, HEAD = 84, 19, 22


def count_map(table: PieceTable) -> tuple[list[str], NDArray[np.int64]]:
    """Return the scripts shown and the number of pieces, int64[scripts, len(LENGTHS)]."""
    column = np.searchsorted(np.array(LENGTHS), table.n_bytes, side="left")
    counts = np.zeros((len(table.scripts), len(LENGTHS)), dtype=np.int64)
    np.add.at(counts, (table.script.astype(np.int64), column), 1)
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:ROWS]
    order = order[counts[order].sum(axis=1) > 0]
    return [table.scripts[i] for i in order.tolist()], counts[order]


class ScriptMap(QWidget):
    """Cells shaded by count on a logarithmic scale, each with its number; a click filters."""

    chosen = Signal(str)
    """The filter of a cell: `script:Han len>=3 len<=3`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._scripts: list[str] = []
        self._counts: NDArray[np.int64] = np.zeros((0, len(LENGTHS)), dtype=np.int64)
        self._at = (0, 0)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Pieces by length and script"))
        theme.changed.connect(self.update)

    @property
    def scripts(self) -> list[str]:
        """The scripts shown, the most frequent first."""
        return self._scripts

    @property
    def counts(self) -> NDArray[np.int64]:
        """Pieces by script and length, int64[scripts, len(LENGTHS)]."""
        return self._counts

    def set_table(self, table: PieceTable | None) -> None:
        """Show another vocabulary."""
        self._scripts, self._counts = ([], self._counts[:0]) if table is None else count_map(table)
        self._at = (0, 0)
        self.setAccessibleDescription(
            ", ".join(
                f"{script}: {row.sum():,}"
                for script, row in zip(self._scripts, self._counts, strict=True)
            )
        )
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, HEAD + ROW_HEIGHT * ROWS + 12)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 120)

    def _cell(self, row: int, column: int) -> QRectF:
        width = max(12.0, (self.width() - LABEL_WIDTH - 12) / len(LENGTHS))
        return QRectF(LABEL_WIDTH + column * width, HEAD + row * ROW_HEIGHT, width, ROW_HEIGHT)

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return (row, column) of the cell at a point of the widget."""
        first = self._cell(0, 0)
        row, column = int((y - HEAD) // ROW_HEIGHT), int((x - first.left()) // first.width())
        inside = 0 <= row < len(self._scripts) and 0 <= column < len(LENGTHS) and y >= HEAD
        return (row, column) if inside and x >= first.left() else None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._theme
        painter.fillRect(self.rect(), theme.color("panel"))
        font = theme.font(SIZE_NOTE)
        painter.setFont(font)
        painter.setPen(theme.color("ink2"))
        if not self._scripts:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("No model is open"))
            return
        for column, bound in enumerate(LENGTHS):
            cell = self._cell(0, column).translated(0, -HEAD)
            cell.setHeight(HEAD)
            label = str(bound) if bound < 1 << 30 else f">{LENGTHS[-2]}"
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, label)
        painter.drawText(
            QRectF(12, 0, LABEL_WIDTH - 16, HEAD),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self.tr("bytes ≤"),
        )
        top = max(1.0, float(np.log1p(self._counts.max())))
        metrics = QFontMetricsF(font)
        for row, script in enumerate(self._scripts):
            painter.setPen(theme.color("ink"))
            place = QRectF(12, HEAD + row * ROW_HEIGHT, LABEL_WIDTH - 16, ROW_HEIGHT)
            shown = metrics.elidedText(script, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(
                place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown
            )
            for column, count in enumerate(self._counts[row].tolist()):
                self._paint_cell(painter, row, column, count, top)

    def _paint_cell(self, painter: QPainter, row: int, column: int, count: int, top: float) -> None:
        theme = self._theme
        cell = self._cell(row, column).adjusted(0.75, 0.75, -0.75, -0.75)
        if count:
            color = theme.color("fill_best")
            color.setAlphaF(0.25 + 0.75 * float(np.log1p(count)) / top)
            painter.fillRect(cell, color)
            painter.setPen(theme.color("ink"))
            shown = str(count) if count < 1000 else f"{count / 1000:.0f}k"
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, shown)
        if self.hasFocus() and (row, column) == self._at:
            painter.setPen(QPen(theme.color("ink"), 2))
            painter.drawRect(cell.adjusted(1, 1, -1, -1))

    def _choose(self, row: int, column: int) -> None:
        self._at = (row, column)
        self.update()
        low = LENGTHS[column - 1] + 1 if column else 1
        high = LENGTHS[column]
        span = f"len={high}" if low == high else f"len>={low}"
        if low != high and high < 1 << 30:
            span += f" len<={high}"
        script = self._scripts[row].split()[0]
        self.chosen.emit(f"script:{script} {span}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.cell_at(event.position().x(), event.position().y())
        if place:
            self._choose(*place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.cell_at(event.position().x(), event.position().y())
        if place:
            count = int(self._counts[place])
            tip = self.tr("{script}: {pieces}").format(
                script=self._scripts[place[0]], pieces=counted(count, "piece")
            )
            QToolTip.showText(event.globalPosition().toPoint(), tip, self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        key = Qt.Key(event.key())
        if key in moves and self._scripts:
            row, column = self._at[0] + moves[key][0], self._at[1] + moves[key][1]
            self._at = (
                min(max(row, 0), len(self._scripts) - 1),
                min(max(column, 0), len(LENGTHS) - 1),
            )
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._scripts:
            self._choose(*self._at)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)
