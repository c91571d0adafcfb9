"""The rows of WordPiece's tries: a scrolled picture of which only what is in view is painted."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.draw.bidi import base_direction
from app.draw.merge_grid import RowGrid, fit_grid
from app.draw.merge_labels import Labels
from app.draw.tries import (
    ROW,
    TOP,
    TriedWord,
    heading_of,
    paint_heading,
    paint_tries,
    tried_needs,
)
from app.player import Player
from app.theme import Theme
from app.views.merges.bricks import GUTTER
from app.widgets import player_keys


class TryRows(QAbstractScrollArea):
    """What is looked up in a word, one try under the other, the player's row in front."""

    row_clicked = Signal(int)

    def __init__(self, player: Player, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player, self._theme = player, theme
        self._word: TriedWord | None = None
        self._labels: Labels | None = None
        self._grid: RowGrid | None = None
        self._row = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(160)
        self.setAccessibleName(self.tr("What is looked up in the word, one row a try"))
        theme.changed.connect(self._layout)

    @property
    def word(self) -> TriedWord | None:
        return self._word

    @property
    def row(self) -> int:
        """The row that the player stands on."""
        return self._row

    def set_word(self, word: TriedWord | None, labels: Labels | None, row: int) -> None:
        """Show a word with its tries, at a row."""
        self._word, self._labels, self._row = word, labels, row
        self._layout()
        self._reveal()
        self._tell()

    def set_row(self, row: int) -> None:
        """Go to a row."""
        self._row = row
        self._reveal()
        self._tell()
        self.viewport().update()

    def _tell(self) -> None:
        """Describe the player's row for those who hear it."""
        told = ""
        if self._word is not None and self._labels is not None:
            told, text = self.heading(self._row)
            if self._row:
                told = self.tr("{heading}: {text}").format(heading=told, text=text)
        self.setAccessibleDescription(told)

    def _layout(self) -> None:
        word, across, down = self._word, self.horizontalScrollBar(), self.verticalScrollBar()
        self._grid = None
        if word is not None and len(word.units) > 1:
            data = word.trace.prepared.data[slice(*word.span)].tobytes()
            mirrored = base_direction(data.decode("utf-8", errors="ignore")) == 1
            room = self.viewport().width() - GUTTER
            self._grid = fit_grid(tried_needs(word, self._theme), room, 1.0, mirrored)
            across.setRange(0, max(0, round(self._grid.width - room)))
            across.setPageStep(max(room, 1))
            across.setSingleStep(40)
            high = round(2 * TOP + word.n_rows * ROW)
            hidden = max(high - self.viewport().height(), 0)
            down.setRange(0, round(math.ceil(hidden / ROW) * ROW))
            down.setPageStep(self.viewport().height())
            down.setSingleStep(round(ROW / 2))
        else:
            across.setRange(0, 0)
            down.setRange(0, 0)
        self.viewport().update()

    def _reveal(self) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height()
        first, last = TOP + (self._row - 1) * ROW, TOP + (self._row + 2) * ROW
        if first < bar.value():
            bar.setValue(round(first - TOP))
        elif last > bar.value() + page:
            # By whole rows: none is cut at the top.
            bar.setValue(round(math.ceil((last - page) / ROW) * ROW))

    def _rows_in_view(self) -> tuple[int, int]:
        assert self._word is not None
        top = self.verticalScrollBar().value() - TOP
        last = int((top + self.viewport().height()) // ROW)
        return max(int(top // ROW), 0), min(last, self._word.n_rows - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.viewport().rect(), theme.color("canvas"))
        word, grid, labels = self._word, self._grid, self._labels
        if word is None or grid is None or labels is None:
            return
        width = self.viewport().width()
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        rows = self._rows_in_view()
        band = QRectF(0, TOP + self._row * ROW - down, width, ROW)
        painter.fillRect(band, theme.color("panel"))
        painter.fillRect(QRectF(0, band.top(), 3, ROW), theme.color("ink"))
        painter.save()
        painter.setClipRect(GUTTER, 0, width - GUTTER, self.viewport().height())
        painter.translate(GUTTER - across, -down)
        view = float(across), float(across + width - GUTTER)
        paint_tries(painter, word, grid, labels, theme, self._row, rows, view)
        painter.restore()
        for row in range(rows[0], rows[1] + 1):
            rect = QRectF(16, TOP + row * ROW - down + 5, GUTTER - 32, ROW - 10)
            paint_heading(painter, theme, rect, *self.heading(row), row > self._row)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("line2"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def heading(self, row: int) -> tuple[str, str]:
        """Return the two lines at the left of a row."""
        assert self._word is not None
        assert self._labels is not None
        if row == 0:
            return self.tr("Start"), ""
        event = self._word.tried(row)
        text = self._labels.looked_up(event.start, event.end, self._word.span[0])
        title = self.tr("Try {n} {sign}").format(n=f"{row:,}", sign=heading_of(event))
        return title, text

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._word is None:
            return
        row = int((event.position().y() + self.verticalScrollBar().value() - TOP) // ROW)
        if 0 <= row < self._word.n_rows:
            self.row_clicked.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if player_keys.press(self._player, event):
            return
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is not None:
            self._player.step(by)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout()
        self._reveal()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()
